//! Scores estimates of what an agent's runs still spend, or estimates it itself from earlier runs.
//!
//! ```text
//! budget [FILE…] [--estimator linear|quantile|conformal|default|FILE] [--cap N]
//!     [--resource output_tokens|input_tokens|total_tokens|cost_usd|NAME,NAME…] [--coverage 0.8]
//!     [--lenient|--points] [--probes SEED]
//!     [--keys NAME,NAME…] [--warm-up N] [--resamples N] [--seed N] [--cluster-by-task]
//!     [--json] [--html FILE] [--plot FILE.svg|png] [--plot-id ID]
//! ```
//!
//! Without a file it takes bundled runs (made by the example `demo_data`). Runs are replayed in the order
//! of the file: the estimator sees each prefix, and learns from the run when it has ended. Each file
//! gets a column and an estimator of its own; with `--json`, `files` has a report of each where there are
//! several.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Block, ClusterBy, Column, Field, Report,
    budget::{self, By, METRICS, bagen},
    budget_estimation::AnswerMode,
    run_logs::{self, RolloutLine, bagen::EstimateFile},
};
use serde_json::Value;

use crate::{
    budget::{
        estimate_file,
        options::Options,
        rollout_file::{self, File},
    },
    files::{bundled, json_lines},
    output::program::Written,
    progress::working,
};

/// Estimators that learn from earlier runs.
const ESTIMATORS: [&str; 4] = ["linear", "quantile", "conformal", "default"];

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let bundled = vec![bundled::path("demo_rollouts.jsonl")];
    let files = if options.files.is_empty() { &bundled } else { &options.files };
    let (forms, has_figures) = (&options.forms, options.forms.has_figures());
    let (mut resources, mode) = (options.resource.to_vec(), answer_mode(&options));
    if options.plot_id.is_some() && !has_figures {
        return Err(
            "--plot-id: chooses the run of a figure; give --plot FILE, --html FILE or --json too"
                .into(),
        );
    }
    if options.cap.is_some() && resources.len() > 1 {
        return Err("--cap: give the caps of several resources in the files".into());
    }
    if forms.has_files() && resources.len() > 1 {
        return Err("--plot, --html: they show one resource; give one with --resource".into());
    }
    let mut judged = budget::Options {
        probes: options.probes,
        cap: options.cap,
        warm_up: options.warm_up,
        reading: options.reading,
        cluster_by: options.clustering.by(),
        resamples: options.resamples,
        seed: options.seed,
        with_pictures: has_figures && resources.len() == 1,
        ..budget::Options::new(resources.remove(0), By::Linear, options.coverage)
    };
    judged.others = resources;
    if let Some((path, text)) = files.iter().find_map(|path| Some((path, released_text(path)?))) {
        return forms.show(released(&options, path, &text, &judged)?);
    }

    let all = read(files, &options, &judged)?;
    judged.by = estimator(&options, &judged, mode, &all)?;
    let mut columns = Vec::new();
    for file in &all {
        let drawn_run = options.plot_id.clone().filter(|_| all.len() == 1);
        let judged = budget::Options { drawn_run, ..judged.clone() };
        let name = file.runs.file();
        let column = working(&format!("replaying {name}"), || column(&[file], &options, &judged));
        columns.push((name.to_owned(), column?));
    }
    let mut report = budget::report(columns, &judged);
    if options.pool && all.len() > 1 {
        judged.drawn_run = options.plot_id.clone();
        let Column { mut block, parts: (key, parts), .. } =
            column(&all.iter().collect::<Vec<_>>(), &options, &judged)?;
        if !parts.is_empty() {
            let field = |(name, part): (String, Block)| {
                Field::block(name.clone(), Block { title: name, ..part })
            };
            let fields = parts.into_iter().map(field).collect();
            block.fields.push(Field::block(key, Block { fields, ..Block::default() }));
        }
        report.pool(block, "");
    }
    forms.show(report)
}

fn answer_mode(options: &Options) -> AnswerMode {
    match (options.lenient, options.points) {
        (_, true) => AnswerMode::LenientPoints,
        (true, _) => AnswerMode::Lenient,
        _ => AnswerMode::Strict,
    }
}

/// The files of runs, which have all that the options need.
fn read(
    files: &[PathBuf],
    options: &Options,
    judged: &budget::Options,
) -> Result<Vec<File>, Box<dyn Error>> {
    let read = |path: &PathBuf| rollout_file::read(path, &options.resource);
    let all: Vec<File> = files.iter().map(read).collect::<Result<_, _>>()?;
    rollout_file::check_keys(&all, keys(options))?;
    let lacks = |is_missing: fn(&RolloutLine) -> bool, field: &str, option: &str| {
        let first = |file: &File| {
            let found = file.runs.lines().iter().find(|line| is_missing(&line.value))?;
            Some((file.runs.file().to_owned(), found.number))
        };
        let (file, line) = all.iter().find_map(first)?;
        Some(format!("{file}:{line}: {field}: missing; {option} needs it"))
    };
    let mut problem = None;
    if judged.cluster_by == ClusterBy::TaskOnly {
        problem = lacks(|row| row.task.is_none(), "task", "--cluster-by-task");
    }
    if judged.probes.is_some() {
        problem = problem.or_else(|| lacks(|row| row.achieved.is_none(), "achieved", "--probes"));
    }
    problem.map_or(Ok(all), |problem| Err(problem.into()))
}

fn keys(options: &Options) -> &[String] {
    options.keys.as_deref().unwrap_or_default()
}

/// Who estimates: one of the estimators, or the model whose answers were recorded in a file.
fn estimator(
    options: &Options,
    judged: &budget::Options,
    mode: AnswerMode,
    runs: &[File],
) -> Result<By, Box<dyn Error>> {
    let name = options.estimator.as_deref().unwrap_or("linear");
    if mode != AnswerMode::Strict && ESTIMATORS.contains(&name) {
        let option = if mode == AnswerMode::Lenient { "--lenient" } else { "--points" };
        return Err(format!("{option}: reads recorded answers; give --estimator FILE too").into());
    }
    let path = match name {
        "linear" => return Ok(By::Linear),
        "quantile" => return Ok(By::Quantile),
        "conformal" => return Ok(By::Conformal),
        "default" => return Ok(By::Default),
        file => Path::new(file),
    };
    if !path.exists() {
        return Err(format!(
            "--estimator: {name}: there is no such file, and no estimator of this name but {}",
            ESTIMATORS.join(", ")
        )
        .into());
    }
    let resources = [&judged.resource].into_iter().chain(&judged.others);
    let resources: Vec<&str> = resources.map(String::as_str).collect();
    let answers = estimate_file::read(path, mode, runs, &resources)?;
    Ok(By::Recorded { file: name.to_owned(), answers })
}

fn column(files: &[&File], options: &Options, judged: &budget::Options) -> Result<Column, String> {
    let input = rollout_file::together(files, keys(options)).map_err(agent_scorecard::Error::from);
    let found = input.and_then(|input| budget::column(input, judged, &METRICS));
    found.map_err(|error| match (&error, files) {
        (agent_scorecard::Error::UnknownRun(_), _) => format!("--plot-id: {error}"),
        (agent_scorecard::Error::RunLogs(run_logs::Error::Input(_)), _) => error.to_string(),
        (_, [single]) => format!("{}: {error}", single.runs.file()),
        _ => error.to_string(),
    })
}

/// The text of a file of released estimates; `None` for a file of another form.
fn released_text(path: &Path) -> Option<String> {
    let text = String::from_utf8(json_lines::bytes(path).ok()?.into_owned()).ok()?;
    let first = serde_json::Deserializer::from_str(&text).into_iter::<Value>().next()?.ok()?;
    first.get("results")?.is_array().then_some(text)
}

/// The report on a file of BAGEN's released estimates.
fn released(
    options: &Options,
    path: &Path,
    text: &str,
    judged: &budget::Options,
) -> Result<Report, Box<dyn Error>> {
    let other = if options.files.len() > 1 {
        Some("another FILE: give a file of BAGEN's estimates alone")
    } else if judged.cap.is_some() {
        Some("--cap: the file of BAGEN's estimates has its own caps")
    } else if !judged.others.is_empty() {
        Some("--resource: the file of BAGEN's estimates has its own resources")
    } else if options.estimator.is_some() {
        Some("--estimator: the file of BAGEN's estimates has its own answers")
    } else if judged.cluster_by == ClusterBy::TaskOnly {
        Some("--cluster-by-task: the file of BAGEN's estimates names no tasks")
    } else if options.forms.has_files() {
        Some("--plot, --html: they show runs, not a file of BAGEN's estimates")
    } else {
        None
    };
    if let Some(problem) = other {
        return Err(problem.into());
    }
    let file = path.display().to_string();
    let mode = answer_mode(options);
    let estimates = EstimateFile::read(&file, text.as_bytes())?;
    let report = bagen::report(&file, &estimates, mode, judged);
    report.map_err(|error| format!("{file}: {error}").into())
}
