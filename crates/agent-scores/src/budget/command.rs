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
//! Without a file it takes bundled runs (made by `demo-data`). Runs are replayed in the order
//! of the file: the estimator sees each prefix, and learns from the run when it has ended. Each file
//! gets a column and an estimator of its own; with `--json` the figures at the top are over all files
//! together, and `files` has a report of each where there are several.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use crate::{
    budget::{
        bagen_report,
        estimate_file::{self, Answers},
        figures,
        options::Options,
        report::{BudgetFigure, FIGURES, Report, evaluate},
        rollout_file::{self, RolloutFile, Spent},
        runs::{By, Settings, replay},
    },
    files::{bundled, run_counts},
    output::{
        file_reports::{self, FileReport},
        form::Forms,
        program::Written,
        table::Layout,
    },
    progress::working,
};
use budget_estimation::{AnswerMode, Sample, joint_hits};

/// Estimators that learn from earlier runs.
const ESTIMATORS: [&str; 4] = ["linear", "quantile", "conformal", "default"];

struct Arguments {
    files: Vec<PathBuf>,
    /// `None` if it is not given.
    estimator: Option<String>,
    mode: AnswerMode,
    settings: Settings,
    resamples: usize,
    seed: u64,
    forms: Forms,
    plot_id: Option<String>,
}

fn arguments(options: Options) -> Result<Arguments, Box<dyn Error>> {
    let Options { mut files, estimator, cap, coverage, probes, warm_up, cluster_by_task, .. } =
        options;
    let Options { resource, keys, resamples, seed, forms, plot_id, .. } = options;
    let mode = match (options.lenient, options.points) {
        (_, true) => AnswerMode::LenientPoints,
        (true, _) => AnswerMode::Lenient,
        _ => AnswerMode::Strict,
    };
    let mut resources = resource.iter().cloned();
    let settings = Settings {
        spent: resources.next().unwrap_or_else(Spent::output_tokens),
        others: resources.collect(),
        probes,
        cap,
        keys: keys.map_or_else(Vec::new, |keys| keys.to_vec()),
        by: By::Linear,
        coverage,
        warm_up,
        cluster_by_task,
    };
    if files.is_empty() {
        files.push(bundled::path("demo_rollouts.jsonl"));
    }
    if plot_id.is_some() && !forms.has_figures() {
        return Err(
            "--plot-id: chooses the run of a figure; give --plot FILE, --html FILE or --json too"
                .into(),
        );
    }
    if settings.cap.is_some() && !settings.others.is_empty() {
        return Err("--cap: give the caps of several resources in the files".into());
    }
    if forms.has_files() && !settings.others.is_empty() {
        return Err("--plot, --html: they show one resource; give one with --resource".into());
    }
    Ok(Arguments { files, estimator, mode, settings, resamples, seed, forms, plot_id })
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let arguments = arguments(options)?;
    if let Some(released) = released_estimates(&arguments)? {
        return Ok(released);
    }
    let Arguments { files, estimator, mode, mut settings, resamples, seed, .. } = arguments;
    let estimator = estimator.unwrap_or_else(|| "linear".to_owned());
    if mode != AnswerMode::Strict && ESTIMATORS.contains(&estimator.as_str()) {
        let option = if mode == AnswerMode::Lenient { "--lenient" } else { "--points" };
        return Err(format!("{option}: reads recorded answers; give --estimator FILE too").into());
    }
    let mut resources = vec![settings.spent.clone()];
    resources.extend(settings.others.iter().cloned());
    let all: Vec<RolloutFile> =
        files.iter().map(|path| rollout_file::read(path, &resources)).collect::<Result<_, _>>()?;
    rollout_file::check_keys(&all, &settings.keys)?;
    let mut recorded = Vec::new();
    settings.by = match estimator.as_str() {
        "linear" => By::Linear,
        "quantile" => By::Quantile,
        "conformal" => By::Conformal,
        "default" => By::Default,
        file => {
            let path = Path::new(file);
            if !path.exists() {
                return Err(format!(
                    "--estimator: {file}: there is no such file, and no estimator of this name but {}",
                    ESTIMATORS.join(", ")
                )
                .into());
            }
            let names: Vec<&str> = resources.iter().map(Spent::name).collect();
            recorded = estimate_file::read(path, mode, &all, &names)?;
            let answers = recorded.first().cloned().unwrap_or_default();
            By::Recorded { file: estimator, answers }
        }
    };
    if settings.cluster_by_task {
        let mut rows = all.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row)));
        if let Some((file, row)) = rows.find(|(_, row)| row.task.is_none()) {
            let (file, line) = (&file.file, row.line);
            return Err(format!("{file}:{line}: task: missing; --cluster-by-task needs it").into());
        }
    }
    if settings.probes.is_some() {
        let mut rows = all.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row)));
        if let Some((file, row)) = rows.find(|(_, row)| row.achieved.is_none()) {
            let (file, line) = (&file.file, row.line);
            return Err(format!("{file}:{line}: achieved: missing; --probes needs it").into());
        }
    }
    if resources.len() > 1 {
        return several(
            &all,
            &settings,
            &resources,
            &recorded,
            (resamples, seed),
            &arguments.forms,
        );
    }
    let mut reports = Vec::new();
    for file in &all {
        let at = |error| format!("{}: {error}", file.file);
        let runs = working(&format!("replaying {}", file.file), || replay(&[file], &settings))
            .map_err(at)?;
        let report = working(&format!("scoring {}", file.file), || {
            evaluate(&runs, &settings, resamples, seed)
        });
        let mut report = report.map_err(at)?;
        if arguments.forms.has_figures() {
            let by = estimator_name(&settings);
            let id = arguments.plot_id.as_deref().filter(|_| all.len() == 1);
            report.curves = figures::figures(&runs, id, &by, &report)?;
        }
        reports.push(FileReport { file: file.file.clone(), report });
    }
    let together: Vec<&RolloutFile> = all.iter().collect();
    arguments.forms.write("budget", |layout| Ok(table(&reports, &settings, resamples, layout)),
        || {
            file_reports::json(&reports, || {
                let runs = replay(&together, &settings)?;
                let mut report = evaluate(&runs, &settings, resamples, seed)?;
                let by = estimator_name(&settings);
                let id = arguments.plot_id.as_deref();
                report.curves = figures::figures(&runs, id, &by, &report)?;
                report.notes.push("these figures are over all files together, a run in two files counting twice; see files".to_owned());
                Ok(report)
            })
        },
    )
}

/// The name of the estimator, or the stem of the file of recorded answers.
fn estimator_name(settings: &Settings) -> String {
    Path::new(settings.by.name()).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The report on a file of BAGEN's released estimates; `None` if the files are runs.
fn released_estimates(arguments: &Arguments) -> Result<Option<Written>, Box<dyn Error>> {
    let Some((path, text)) =
        arguments.files.iter().find_map(|path| Some((path, bagen_report::text_of(path)?)))
    else {
        return Ok(None);
    };
    let Arguments { settings, resamples, seed, .. } = arguments;
    let other = if arguments.files.len() > 1 {
        Some("another FILE: give a file of BAGEN's estimates alone")
    } else if settings.cap.is_some() {
        Some("--cap: the file of BAGEN's estimates has its own caps")
    } else if !settings.others.is_empty() {
        Some("--resource: the file of BAGEN's estimates has its own resources")
    } else if arguments.estimator.is_some() {
        Some("--estimator: the file of BAGEN's estimates has its own answers")
    } else if settings.cluster_by_task {
        Some("--cluster-by-task: the file of BAGEN's estimates names no tasks")
    } else if arguments.forms.has_files() {
        Some("--plot, --html: they show runs, not a file of BAGEN's estimates")
    } else {
        None
    };
    if let Some(problem) = other {
        return Err(problem.into());
    }
    let coverage = settings.coverage;
    let found = bagen_report::evaluate(path, &text, arguments.mode, coverage, *resamples, *seed)?;
    let json = || Ok(serde_json::to_string_pretty(&found)? + "\n");
    arguments
        .forms
        .write("budget", |layout| Ok(bagen_report::table(&found, layout)), json)
        .map(Some)
}

/// A report for each of several resources, over all files together, and their joint hits.
fn several(
    files: &[RolloutFile],
    settings: &Settings,
    resources: &[Spent],
    recorded: &[Answers],
    (resamples, seed): (usize, u64),
    forms: &Forms,
) -> Result<Written, Box<dyn Error>> {
    let files: Vec<&RolloutFile> = files.iter().collect();
    let (mut reports, mut samples) = (Vec::new(), Vec::new());
    for (at, resource) in resources.iter().enumerate() {
        let mut settings = settings.clone();
        settings.spent = resource.clone();
        settings.others = resources.iter().filter(|&other| other != resource).cloned().collect();
        if let (By::Recorded { answers, .. }, Some(own)) = (&mut settings.by, recorded.get(at)) {
            answers.clone_from(own);
        }
        let runs = replay(&files, &settings)?;
        let report = evaluate(&runs, &settings, resamples, seed)?;
        reports.push(FileReport { file: resource.name().to_owned(), report });
        samples.push(runs.every_sample);
    }
    let lists: Vec<&[Sample]> = samples.iter().map(Vec::as_slice).collect();
    let hits = joint_hits(&lists)?;
    let labels = samples.first().into_iter().flatten().map(Sample::is_feasible);
    let feasible: Vec<bool> = labels.zip(hits).filter(|(it, _)| *it).map(|(_, hit)| hit).collect();
    let (n, n_hits) = (feasible.len(), feasible.iter().filter(|&&hit| hit).count());
    let rate = (n > 0).then(|| n_hits as f64 / n as f64);
    let json = || {
        let by_name = reports
            .iter()
            .map(|named| Ok((named.file.clone(), serde_json::to_value(&named.report)?)));
        let by_name = by_name.collect::<Result<serde_json::Map<_, _>, serde_json::Error>>()?;
        let mut notes = Vec::new();
        if rate.is_none() {
            notes.push("joint_hit_rate: undefined, as there is no prefix of a feasible run");
        }
        let json = serde_json::json!({
            "joint_hit_rate": rate,
            "n_joint_hits": n_hits,
            "n_feasible": n,
            "resources": by_name,
            "notes": notes,
        });
        Ok(json.to_string())
    };
    let aligned = |layout| {
        let rate = rate.map_or("undefined".to_owned(), number);
        let table = table(&reports, settings, resamples, layout);
        Ok(format!("{table}\njoint hit rate {rate}: {n_hits} of {n} feasible prefixes\n"))
    };
    forms.write("budget", aligned, json)
}

fn table(
    reports: &[FileReport<Report>],
    settings: &Settings,
    resamples: usize,
    layout: Layout,
) -> String {
    let names = file_reports::names(reports.iter().map(|named| Path::new(&named.file)));
    let row = |name: &str, cell: &dyn Fn(&Report) -> String| -> Vec<String> {
        let cells = reports.iter().map(|named| cell(&named.report));
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(names.iter().cloned()).collect()];
    for BudgetFigure { name: figure, better, .. } in FIGURES {
        rows.push(row(&format!("{figure} ({better})"), &|report| {
            let Some(value) = report.figures[figure] else { return "undefined".to_owned() };
            match report.intervals.get(figure) {
                Some(spread) => {
                    format!("{value:.3} [{:.3}, {:.3}]", spread.ci_low, spread.ci_high)
                }
                None => number(value),
            }
        }));
    }
    rows.push(Vec::new());
    let counts = reports.first().map(|named| named.report.counts.keys()).into_iter().flatten();
    for &count in counts {
        rows.push(row(count, &|report| report.counts[count].to_string()));
    }
    let cap = settings.cap.map_or("no cap".to_owned(), |cap| format!("cap {cap}"));
    let sure = if resamples == 0 {
        String::new()
    } else {
        let what = if settings.cluster_by_task { "tasks" } else { "runs" };
        format!(", 95 % intervals by whole {what}, {resamples} resamples")
    };
    let counts = names.iter().zip(reports).map(|(name, of)| (name.as_str(), &of.report.runs));
    let mut text = format!(
        "{}{} by {}, {cap}, intervals claim {}{sure}; (+) higher is better, (-) lower, (=) near the claim, (0) near 0\n\n{}",
        run_counts::lines(counts),
        settings.spent.name(),
        settings.by.name(),
        settings.coverage.get(),
        layout.table(&rows)
    );
    if let [FileReport { report, .. }] = reports {
        text.push_str(&format!("\n{}", progress(report, layout)));
    }
    text.push('\n');
    let notes = reports.iter().map(|named| named.report.notes.as_slice());
    let named: Vec<_> = names.iter().map(String::as_str).zip(notes).collect();
    text + &file_reports::notes(&named)
}

/// Three decimals for shares, and for what is small; a token has no thousandths.
fn number(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}

fn progress(report: &Report, layout: Layout) -> String {
    let titles = [
        "progress",
        "prefixes",
        "feasible",
        "hit rate",
        "reward",
        "optimistic",
        "conservative",
        "relative width",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    let cell = |value: Option<f64>| value.map_or("undefined".to_owned(), number);
    for bin in &report.by_progress {
        rows.push(vec![
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n_prefixes.to_string(),
            bin.n_feasible.to_string(),
            cell(bin.hit_rate),
            cell(bin.interval_reward),
            cell(bin.optimistic),
            cell(bin.conservative),
            cell(bin.mean_relative_width),
        ]);
    }
    layout.table(&rows)
}
