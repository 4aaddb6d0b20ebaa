//! Would a cap on what runs spend hurt, and does an agent know what its runs still spend? The subcommand `budget`.
//!
//! Without a file it takes bundled runs (made by the example `demo_data`). With `--caps`, each file gets a column, and
//! so does each model in it. Otherwise runs are replayed in the order of the file: the estimator sees each prefix, and
//! learns from the run when it has ended. Each file gets a column and an estimator of its own. With `--json`, `files`
//! has a report of each where there are several.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Account, Block, ClusterBy, Column, Field, Report,
    budget::{self, By, CAP_MEASURES, METRICS, RunFile, bagen, read_answers},
    budget_estimation::AnswerMode,
    run_logs::{self, RolloutLine, bagen::EstimateFile},
    traces::LoggedColumn,
};
use budget_estimation::{Level, Reading};
use serde_json::Value;

use crate::{
    files::{
        bundled,
        json_lines::{bytes, read_by},
        log_file,
        logs::{Judging, OUTCOMES},
        names,
    },
    output::{form::Forms, program::Written, text::help},
    progress::working,
    values::{self, Caps, Clustering},
};

/// Says what a cap on the spending of runs would hurt and save, or scores estimates of what runs still spend
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Options {
    /// Files of runs, or logs or folders of logs, each with a column and an estimator of its own; without a file,
    /// bundled runs
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: names::Names,
    /// quantile-forest, conformal, quantile or linear, which learn from the runs before in the file, or a FILE of
    /// recorded answers of a model (default: quantile-forest)
    #[arg(long)]
    estimator: Option<String>,
    /// Compare caps on what a run spends, without an estimator: the successes that each would have kept, and what it
    /// would have saved, if agents do not know of the cap and act as before. Each model in a file has a column
    #[arg(long, value_name = "N,...", value_parser = values::caps, conflicts_with_all = ["estimator", "cap"])]
    caps: Option<Caps>,
    /// Budget of each run
    #[arg(long, value_name = "N", value_parser = values::cap)]
    cap: Option<f64>,
    /// What is estimated: output_tokens, fresh_input_tokens (the input without what a request repeats),
    /// total_tokens (of fresh input and output, or of whole requests where the files have no fresh input),
    /// input_tokens, cost_usd or any other resource of the files; of several, NAME,NAME, there is a report for each and the joint hit rate, and caps stand in the
    /// files
    #[arg(long, value_name = "NAME,...", default_value = "output_tokens", value_parser = resources)]
    resource: Names,
    /// What the intervals claim to hold
    #[arg(long, default_value = "0.8", value_parser = values::level)]
    coverage: Level,
    /// Read answers of an estimates file that stray from the form
    #[arg(long, overrides_with = "points")]
    lenient: bool,
    /// The same, and a single number as an interval without width
    #[arg(long, overrides_with = "lenient")]
    points: bool,
    /// Widen or narrow recorded answers by what runs before spent, so that they hold it as often as --coverage says
    #[arg(long)]
    calibrate: bool,
    /// What counts as a forecast of failure: an interval above what is left under a cap, too (cap), or "impossible"
    /// alone, as in the paper (answers)
    #[arg(long, value_name = "NAME", default_value = "cap", value_parser = values::one_of([("cap", Reading::Cap), ("answers", Reading::Answers)]))]
    reading: Reading,
    /// Label runs that have `achieved` by random targets and budgets, half of them reachable; the time is the
    /// first resource with time in its name
    #[arg(long, value_name = "SEED", value_parser = values::seed)]
    probes: Option<u64>,
    /// Fields of the runs, such as model, whose runs are alike for quantile-forest; it always uses task
    #[arg(long, value_name = "NAME,...", value_parser = names_of)]
    keys: Option<Names>,
    /// Learn from the first N runs of each file without scoring them
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::whole::<usize>(0, u64::MAX))]
    warm_up: usize,
    /// Bootstrap resamples of whole tasks behind the 95 % intervals; 0 for none
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    seed: u64,
    #[command(flatten)]
    clustering: Clustering,
    /// Add a report on the runs of all files together to --json
    #[arg(long)]
    pool: bool,
    /// Draw this run in place of the longest feasible one
    #[arg(long, value_name = "ID")]
    plot_id: Option<String>,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard budget runs.jsonl --estimator conformal --cap 2500
Example: agent-scorecard budget runs.jsonl --caps 500,1000,2500

";

const BAGEN: &str = r#"
A FILE of BAGEN's released estimates (github.com/mll-lab-nu/BAGEN, run_token_estimation_env.py or
run_money_estimation_env.py) is one JSON object with "results", each with its "ground_truth" and
"prediction". It needs no runs and no --estimator. The report has two columns: the figures of this
crate, and as_published those of the released code.
"#;

/// The help behind the options: an example, what each figure is, and the formats of files.
fn after_help() -> String {
    let figures =
        METRICS.map(|metric| format!("{}\n    {}\n", metric.measure.key, metric.measure.help));
    let caps = help(&CAP_MEASURES);
    [EXAMPLE, CAPS, &caps, PREFIXES, &figures.concat(), RUNS, ANSWERS, BAGEN, OUTCOMES].concat()
}

const CAPS: &str = include_str!("help/budget_caps.txt");

const PREFIXES: &str = "
A prefix is what a run had spent after 1 to T - 1 of its T turns. It is feasible where the run
succeeded, with --cap or `caps` in the file within its caps.
";

/// Names between commas; a type of its own, as a bare vector would stand for an option given several
/// times.
type Names = std::sync::Arc<[String]>;

fn resources(names: &str) -> Result<Names, &'static str> {
    let all = names_of(names)?;
    let repeated = (1..all.len()).any(|at| all[..at].contains(&all[at]));
    if repeated { Err("give each name once") } else { Ok(all) }
}

fn names_of(names: &str) -> Result<Names, &'static str> {
    let names: Names = names.split(',').map(str::to_owned).collect();
    let named = names.iter().all(|name| !name.is_empty());
    if named { Ok(names) } else { Err("give names with commas between them") }
}

const RUNS: &str = include_str!("help/budget_runs.txt");

const ANSWERS: &str = include_str!("help/budget_answers.txt");

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let files = bundled::unless(options.files.clone(), &["demo_rollouts.jsonl"]);
    let files = &options.names.clone().of(files)?;
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
    if let Some(Caps { values, may_be_one }) = &options.caps {
        let is_of_tokens = resources[0].ends_with("tokens");
        if values.contains(&0.0) || *may_be_one && is_of_tokens {
            let comma = "numbers have no comma at thousands, as in 2000,4000";
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            return Err(format!("--caps: a cap of {least} ends every run; {comma}").into());
        }
        if resources.len() > 1 {
            return Err("--caps: they are on one resource; give one with --resource".into());
        }
    }
    let mut judged = budget::Options {
        probes: options.probes,
        cap: options.cap,
        warm_up: options.warm_up,
        reading: options.reading,
        cluster_by: options.clustering.by(),
        calibrates: options.calibrate,
        resamples: options.resamples,
        seed: options.seed,
        with_pictures: has_figures && resources.len() == 1,
        ..budget::Options::new(resources.remove(0), By::QuantileForest, options.coverage)
    };
    judged.others = resources;
    if let Some((path, text)) =
        files.iter().find_map(|(path, _)| Some((path, released_text(path)?)))
    {
        return forms.show(released(&options, path, &text, &judged)?);
    }

    let Read { runs: all, names, mut notes } = read(files, &options, &judged)?;
    notes.extend(options.judging.notes());
    if let Some(Caps { values, .. }) = &options.caps {
        let mut report = of_caps(&all, &names, values, &options, &judged)?;
        report.account = Some(Account::of_columns(
            all.iter()
                .map(|it| Account { name: it.runs.file().to_owned(), ..it.runs.account() })
                .collect(),
        ));
        report.together.notes.get_or_insert_default().extend(notes);
        return forms.show(report);
    }
    judged.by = estimator(&options, &judged, mode, &all)?;
    let mut columns = Vec::new();
    for (file, given) in all.iter().zip(names) {
        let drawn_run = options.plot_id.clone().filter(|_| all.len() == 1);
        let judged = budget::Options { drawn_run, ..judged.clone() };
        let name = file.runs.file();
        let column = working(&format!("replaying {name}"), || column(&[file], &options, &judged));
        columns.push((name.to_owned(), Column { name: given, ..column? }));
    }
    let mut report = budget::report(columns, &judged);
    report.set_accounts(all.iter().map(|file| file.runs.account()));
    if options.pool && all.len() > 1 {
        judged.drawn_run = options.plot_id.clone();
        let Column { mut block, parts: (key, parts), .. } =
            column(&all.iter().collect::<Vec<_>>(), &options, &judged)?;
        if !parts.is_empty() {
            let field = |(name, part): (String, Block)| {
                Field::block(name.clone(), Block { title: name, ..part })
            };
            block.fields.push(Field::block(key, Block::of(parts.into_iter().map(field))));
        }
        report.pool(block, "");
    }
    report.together.notes.get_or_insert_default().extend(notes);
    forms.show(report)
}

/// The report on caps, which needs no estimator.
fn of_caps(
    all: &[RunFile],
    names: &[String],
    values: &[f64],
    options: &Options,
    judged: &budget::Options,
) -> Result<Report, Box<dyn Error>> {
    let caps =
        |files: &[&RunFile]| budget::caps(RunFile::together(files, keys(options))?, values, judged);
    let columns = all.iter().zip(names).flat_map(|(file, name)| {
        let column = move |(model, runs): (_, RunFile)| {
            let column = (file.runs.file().to_owned(), model, caps(&[&runs])?).into();
            Ok(Column { name: name.clone(), ..column })
        };
        file.by_model().into_iter().map(column)
    });
    let columns = columns.collect::<Result<Vec<_>, agent_scorecard::Error>>()?;
    let pooled = (options.pool && columns.len() > 1).then(|| caps(&all.iter().collect::<Vec<_>>()));
    Ok(budget::caps_report(columns, pooled.transpose()?, judged))
}

fn answer_mode(options: &Options) -> AnswerMode {
    match (options.lenient, options.points) {
        (_, true) => AnswerMode::LenientPoints,
        (true, _) => AnswerMode::Lenient,
        _ => AnswerMode::Strict,
    }
}

/// Files of runs with the names of their columns, and what to know about logs.
struct Read {
    runs: Vec<RunFile>,
    names: Vec<String>,
    notes: Vec<String>,
}

/// The files of runs, which have all that the options need.
fn read(
    files: &[(PathBuf, String)],
    options: &Options,
    judged: &budget::Options,
) -> Result<Read, Box<dyn Error>> {
    let (mut all, mut names, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (path, name) in files {
        let Some(logs) = log_file::read((path, name), &options.judging)? else {
            all.push(read_by(path, |file, it| RunFile::read(file, it, &options.resource))?);
            names.push(name.clone());
            continue;
        };
        names.push(logs.first().map_or_else(String::new, |log| log.column.name.clone()));
        let log: Vec<&LoggedColumn> = logs.iter().map(|log| &log.column).collect();
        notes.extend(log.first().into_iter().flat_map(|column| column.notes.clone()));
        all.push(RunFile::of_log(&log, &options.resource)?);
    }
    RunFile::check_keys(&all, keys(options))?;
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
        problem = lacks(|row| row.task.is_none(), "task", "--cluster-by-task");
    }
    if judged.probes.is_some() {
        problem = problem.or_else(|| lacks(|row| row.achieved.is_none(), "achieved", "--probes"));
    }
    problem.map_or(Ok(Read { runs: all, names, notes }), |problem| Err(problem.into()))
}

fn keys(options: &Options) -> &[String] {
    options.keys.as_deref().unwrap_or_default()
}

/// Who estimates: one of the estimators, or the model whose answers were recorded in a file.
fn estimator(
    options: &Options,
    judged: &budget::Options,
    mode: AnswerMode,
    runs: &[RunFile],
) -> Result<By, Box<dyn Error>> {
    let name = options.estimator.as_deref().unwrap_or(judged.by.name());
    let (path, learning) = (Path::new(name), By::named(name));
    if mode != AnswerMode::Strict && learning.is_some() {
        let option = if mode == AnswerMode::Lenient { "--lenient" } else { "--points" };
        return Err(format!("{option}: reads recorded answers; give --estimator FILE too").into());
    }
    if options.calibrate && learning.is_some() {
        return Err("--calibrate: is of recorded answers; give --estimator FILE too".into());
    }
    if let Some(by) = learning {
        return Ok(by);
    }
    if !path.exists() {
        let known = By::LEARNING.each_ref().map(By::name).join(", ");
        return Err(format!(
            "--estimator: {name}: there is no such file, and no estimator of this name but {known}"
        )
        .into());
    }
    let resources = [&judged.resource].into_iter().chain(&judged.others);
    let resources: Vec<&str> = resources.map(String::as_str).collect();
    let answers = read_by(path, |file, it| read_answers(file, it, mode, runs, &resources))?;
    Ok(By::Recorded { file: name.to_owned(), answers })
}

fn column(
    files: &[&RunFile],
    options: &Options,
    judged: &budget::Options,
) -> Result<Column, String> {
    let input = RunFile::together(files, keys(options)).map_err(agent_scorecard::Error::from);
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
    let text = String::from_utf8(bytes(path).ok()?.into_owned()).ok()?;
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
    } else if judged.cap.is_some() || options.caps.is_some() {
        Some("--cap, --caps: the file of BAGEN's estimates has its own caps")
    } else if !judged.others.is_empty() {
        Some("--resource: the file of BAGEN's estimates has its own resources")
    } else if options.estimator.is_some() {
        Some("--estimator: the file of BAGEN's estimates has its own answers")
    } else if judged.cluster_by == ClusterBy::TaskOnly {
        Some("--cluster-by-task: the file of BAGEN's estimates names no tasks")
    } else if options.calibrate {
        Some("--calibrate: the file of BAGEN's estimates has no order of runs to learn from")
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
