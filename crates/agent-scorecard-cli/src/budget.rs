//! Scores estimates of the remaining cost of runs: the subcommand `budget`.
//!
//! Without a file it takes bundled runs (made by the example `demo_data`). Runs are replayed in the order of the file: the
//! estimator sees each prefix, and learns from the run when it has ended. Each file has a column and a separate estimator.
//! With `--json`, `files` has a report of each where there are several.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Account, Block, ClusterBy, Column, Field, Position, Report,
    budget::{self, By, CAP_MEASURES, CapOptions, METRICS, RunFile, bagen, read_answers},
    budget_estimation::AnswerMode,
    run_logs::{self, RolloutLine, bagen::EstimateFile},
    traces::LoggedColumn,
};
use serde_json::Value;

use crate::{
    costbench::named,
    files::{
        logs::{self, Judging, OUTCOMES},
        source::{Names, Source},
    },
    output::{options::Forms, program::Written, text::help},
    progress::working,
};

/// Scores estimates of the remaining cost of runs
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Options {
    /// Files of runs, logs or folders of logs. Each file has its own column in the report and its own estimator.
    /// Without a file, bundled runs are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    /// Estimator to score: quantile-forest (default), conformal, quantile or linear, or a FILE with the recorded
    /// answers of a model. The four named estimators learn from earlier runs in the file
    #[arg(long)]
    estimator: Option<PathBuf>,
    #[command(flatten)]
    how: budget::Options,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

/// Returns the help text that follows the options: an example, the description of each figure, and the formats of
/// files.
fn after_help() -> String {
    let figures =
        METRICS.map(|metric| format!("{}\n    {}\n", metric.measure.key, metric.measure.help));
    let (start, answers) =
        (include_str!("help/budget.txt"), include_str!("help/budget_answers.txt"));
    [start, &figures.concat(), RUNS, answers, OUTCOMES].concat()
}

pub(crate) const RUNS: &str = include_str!("help/budget_runs.txt");

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, estimator, how: mut judged, judging, forms } = options;
    let is_one = judged.others().is_empty();
    if judged.drawn_run.is_some() && !forms.has_figures() {
        return Err(
            "--plot-id: chooses the run of a figure; give --plot FILE, --html FILE or --json too"
                .into(),
        );
    }
    if forms.has_files() && !is_one {
        return Err(
            "--plot, --html: a picture shows only one resource; name it with --resource".into()
        );
    }
    judged.with_pictures = forms.has_figures() && is_one;
    let estimator = estimator.map(Source::from);
    forms.show(report(names.of(files)?, judged, estimator, &judging, forms.has_files())?)
}

/// Returns the report on estimates of the remaining cost, for the runs in these sources. `estimator` is the name of an
/// estimator, or a file with the recorded answers of a model. With `needs_pictures`, it is an error if there is nothing
/// to draw.
///
/// # Errors
///
/// Errors of reading and scoring.
pub fn report(
    sources: Vec<Source>,
    mut judged: budget::Options,
    estimator: Option<Source>,
    judging: &Judging,
    needs_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    judged.check().map_err(named)?;
    let sources = &Source::unless(sources, &["demo_rollouts.jsonl"]);
    if let Some((file, text)) = sources.iter().find_map(|it| Some((it.name(), released_text(it)?)))
    {
        let is_alone = sources.len() == 1;
        return released(&file, &text, &judged, is_alone, estimator.is_some(), needs_pictures);
    }

    let Read { runs: all, names, notes } = read(sources, judging, &judged)?;
    judged.by = by(estimator, &judged, &all)?;
    // Pooled runs stay in the order of their files.
    let pooled = judged.pool.then(|| all.clone());
    let by_model = all.into_iter().zip(names).flat_map(|(file, given)| {
        file.by_model().into_iter().map(move |(model, runs)| (model, given.clone(), runs))
    });
    let by_model: Vec<(Option<String>, String, RunFile)> = by_model.collect();
    let has_run = |id: &str, file: &RunFile| {
        file.runs.lines().iter().any(|line| line.value.id.as_deref() == Some(id))
    };
    // A run of another column is drawn there.
    let is_elsewhere = |id: &str, file: &RunFile| {
        !has_run(id, file) && by_model.iter().any(|(_, _, other)| has_run(id, other))
    };
    let drawn_run = |file| judged.drawn_run.clone().filter(|id| !is_elsewhere(id, file));
    let drawn_runs: Vec<_> = by_model.iter().map(|(_, _, file)| drawn_run(file)).collect();
    let accounts: Vec<_> = by_model.iter().map(|(_, _, file)| file.runs.account()).collect();
    let mut columns = Vec::new();
    for ((model, name, file), drawn_run) in by_model.into_iter().zip(drawn_runs) {
        let judged = budget::Options { drawn_run, ..judged.clone() };
        let of_file = file.runs.file().to_owned();
        let column = working(&format!("replaying {of_file}"), || column(vec![file], &judged))?;
        columns.push((of_file, Column { name, model, ..column }));
    }
    let mut report = budget::report(columns, &judged);
    let pooled = pooled.filter(|_| accounts.len() > 1);
    report.set_accounts(accounts);
    if let Some(all) = pooled {
        let Column { mut block, parts: (key, parts), .. } = column(all, &judged)?;
        if !parts.is_empty() {
            let field = |(name, part): (String, Block)| {
                Field::block(name.clone(), Block { title: name, ..part })
            };
            block.fields.push(Field::block(key, Block::of(parts.into_iter().map(field))));
        }
        report.pool(block, "");
    }
    report.together.say(Position::Note, notes);
    judging.finish(&mut report);
    Ok(report)
}

/// Files of runs with the names of their columns, and notes on logs.
pub(crate) struct Read {
    pub(crate) runs: Vec<RunFile>,
    pub(crate) names: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Returns the files of runs, with all data that the options need.
pub(crate) fn read(
    sources: &[Source],
    judging: &Judging,
    judged: &budget::Options,
) -> Result<Read, Box<dyn Error>> {
    let (mut all, mut names, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        let Some(logs) = logs::read(source, judging)? else {
            all.push(source.read_by(|file, it| RunFile::read(file, it, &judged.resources))?);
            names.push(source.given().to_owned());
            continue;
        };
        names.push(logs.first().map_or_else(String::new, |log| log.name.clone()));
        let log: Vec<&LoggedColumn> = logs.iter().collect();
        notes.extend(log.first().into_iter().flat_map(|column| column.notes.clone()));
        all.push(RunFile::of_log(&log, &judged.resources)?);
    }
    RunFile::check_keys(&all, &judged.keys)?;
    let lacks = |is_missing: fn(&RolloutLine) -> bool, field: &str, option: &str| {
        let first = |file: &RunFile| {
            let found = file.runs.lines().iter().find(|line| is_missing(&line.value))?;
            Some((file.runs.file().to_owned(), found.number))
        };
        let (file, line) = all.iter().find_map(first)?;
        Some(format!("{file}:{line}: {field}: missing; {option} needs it"))
    };
    let mut problem = None;
    if judged.cluster_by == ClusterBy::TaskOnly {
        problem = lacks(|row| row.task.is_none(), "task", "--cluster-by task-only");
    }
    if judged.probes.is_some() {
        problem = problem.or_else(|| lacks(|row| row.achieved.is_none(), "achieved", "--probes"));
    }
    problem.map_or(Ok(Read { runs: all, names, notes }), |problem| Err(problem.into()))
}

/// Returns the source of the estimates: a named estimator, or the model whose answers are in a file.
fn by(
    estimator: Option<Source>,
    judged: &budget::Options,
    runs: &[RunFile],
) -> Result<By, Box<dyn Error>> {
    let mode = judged.answer_mode();
    let source = estimator.unwrap_or_else(|| PathBuf::from(judged.by.name()).into());
    let (name, learning) = (source.name(), By::named(&source.name()));
    if mode != AnswerMode::Strict && learning.is_some() {
        let option = if mode == AnswerMode::Lenient { "--lenient" } else { "--points" };
        return Err(format!("{option}: reads recorded answers; give --estimator FILE too").into());
    }
    if judged.calibrates && learning.is_some() {
        return Err("--calibrate needs recorded answers; give --estimator FILE".into());
    }
    if let Some(by) = learning {
        return Ok(by);
    }
    if source.is_file() && !source.path().exists() {
        let known = By::LEARNING.each_ref().map(By::name).join(", ");
        return Err(format!(
            "--estimator: {name}: there is no such file, and no such estimator; the estimators are {known}"
        )
        .into());
    }
    let resources: Vec<&str> = judged.resources.iter().map(String::as_str).collect();
    let answers = source.read_by(|file, it| read_answers(file, it, mode, runs, &resources))?;
    Ok(By::Recorded { file: name, answers })
}

fn column(files: Vec<RunFile>, judged: &budget::Options) -> Result<Column, String> {
    let input = RunFile::together(&files.iter().collect::<Vec<_>>(), &judged.keys);
    let single =
        Some(&files).filter(|files| files.len() == 1).map(|it| it[0].runs.file().to_owned());
    // Only what was spent is needed from here on.
    drop(files);
    let found = input
        .map_err(agent_scorecard::Error::from)
        .and_then(|input| budget::column(input, judged, &METRICS));
    found.map_err(|error| match (&error, single) {
        (agent_scorecard::Error::UnknownRun(_), _) => format!("--plot-id: {error}"),
        (agent_scorecard::Error::RunLogs(run_logs::Error::Input(_)), _) => error.to_string(),
        (_, Some(file)) => format!("{file}: {error}"),
        _ => error.to_string(),
    })
}

/// Returns the text of a file of released estimates; `None` for a file in another format.
fn released_text(source: &Source) -> Option<String> {
    let text = String::from_utf8(source.bytes().ok()?.into_owned()).ok()?;
    let first = serde_json::Deserializer::from_str(&text).into_iter::<Value>().next()?.ok()?;
    first.get("results")?.is_array().then_some(text)
}

/// Returns the report on a file of BAGEN's released estimates.
fn released(
    file: &str,
    text: &str,
    judged: &budget::Options,
    is_alone: bool,
    has_estimator: bool,
    needs_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    const FILE: &str = "the file of BAGEN's estimates";
    let others = [
        (
            !is_alone,
            "another FILE: give a file of BAGEN's estimates without other files".to_owned(),
        ),
        (judged.cap.is_some(), format!("--cap: {FILE} has its own caps")),
        (!judged.others().is_empty(), format!("--resource: {FILE} has its own resources")),
        (has_estimator, format!("--estimator: {FILE} has its own answers")),
        (
            judged.cluster_by == ClusterBy::TaskOnly,
            format!("--cluster-by task-only: {FILE} names no tasks"),
        ),
        (judged.calibrates, format!("--calibrate: {FILE} has no order of runs to learn from")),
        (needs_pictures, "--plot, --html: they show runs, not a file of BAGEN's estimates".into()),
    ];
    if let Some((_, problem)) = others.into_iter().find(|(is_given, _)| *is_given) {
        return Err(problem.into());
    }
    let mode = judged.answer_mode();
    let estimates = EstimateFile::read(file, text.as_bytes())?;
    let report = bagen::report(file, &estimates, mode, judged);
    report.map_err(|error| format!("{file}: {error}").into())
}

/// Compares caps on the spending of a run: how many successes each cap would have kept, and how much
/// spending it would have saved
#[derive(Debug, clap::Args)]
#[command(after_help = ["Example: agent-scorecard caps runs.jsonl --at 500,1000,2500\n\n", include_str!("help/budget_caps.txt"), &help(&CAP_MEASURES), RUNS, OUTCOMES].concat())]
pub(crate) struct CapsOptions {
    /// Files of runs, logs or folders of logs. Each model in a file has its own column in the report. Without a file,
    /// bundled runs are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    how: CapOptions,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn caps_output(options: CapsOptions) -> Result<Written, Box<dyn Error>> {
    let CapsOptions { files, names, mut how, judging, forms } = options;
    how.with_pictures = forms.has_figures();
    forms.show(caps(names.of(files)?, &how, &judging)?)
}

/// Returns the report on caps for the runs in these sources: successes kept and costs saved.
///
/// # Errors
///
/// Errors of reading.
pub fn caps(
    sources: Vec<Source>,
    how: &CapOptions,
    judging: &Judging,
) -> Result<Report, Box<dyn Error>> {
    let values = how.caps().map_err(named)?;
    let judged = budget::Options {
        resources: vec![how.resource.clone()],
        cluster_by: how.cluster_by,
        ..budget::Options::default()
    };
    let sources = Source::unless(sources, &["demo_rollouts.jsonl"]);
    let Read { runs: all, names, notes } = read(&sources, judging, &judged)?;
    let accounts = all
        .iter()
        .zip(&names)
        .map(|(it, name)| Account { name: name.clone(), ..it.runs.account() })
        .collect();
    let of = |files: Vec<RunFile>| {
        let input = RunFile::together(&files.iter().collect::<Vec<_>>(), &[])?;
        // Only what was spent is needed from here on.
        drop(files);
        budget::caps(input, values, how)
    };
    let pooled = how.pool.then(|| all.clone());
    let columns = all.into_iter().zip(&names).flat_map(|(file, name)| {
        let column = move |(model, runs): (_, RunFile)| {
            let column = (runs.runs.file().to_owned(), model, of(vec![runs])?).into();
            Ok(Column { name: name.clone(), ..column })
        };
        file.by_model().into_iter().map(column)
    });
    let columns = columns.collect::<Result<Vec<_>, agent_scorecard::Error>>()?;
    let pooled = pooled.filter(|_| columns.len() > 1).map(of).transpose()?;
    let mut report = budget::caps_report(columns, pooled, how);
    report.account = Some(Account::of_columns(accounts));
    report.together.say(Position::Note, notes);
    judging.finish(&mut report);
    Ok(report)
}
