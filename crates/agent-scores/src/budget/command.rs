//! Scores estimates of what an agent's runs still spend, or estimates it itself from earlier runs.
//!
//! ```text
//! budget [FILE…] [--estimator linear|quantile|conformal|default|FILE] [--cap N]
//!     [--resource output_tokens|input_tokens|total_tokens|cost_usd|NAME,NAME…] [--coverage 0.8]
//!     [--lenient|--points] [--probes SEED]
//!     [--keys NAME,NAME…] [--warm-up N] [--resamples N] [--seed N] [--cluster-by-task]
//!     [--json] [--plot FILE.svg] [--plot-id ID]
//! ```
//!
//! Without a file it takes bundled runs (made by `demo-data`). Runs are replayed in the order
//! of the file: the estimator sees each prefix, and learns from the run when it has ended. Each file
//! gets a column and an estimator of its own; with `--json` the figures at the top are over all files
//! together, and `files` has a report of each where there are several.

use std::{
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    budget::{
        bagen_report,
        estimate_file::{self, Answers},
        plot,
        report::{FIGURES, Report, evaluate},
        rollout_file::{self, RolloutFile, Spent},
        runs::{By, Settings, replay},
    },
    files::bundled,
    output::{
        file_reports::{self, FileReport},
        program,
        table::align,
    },
};
use budget_estimation::{AnswerMode, Level, Sample, joint_hits};
use lexopt::prelude::*;

const USAGE: &str = "\
budget [FILE…] [--estimator linear|quantile|conformal|default|FILE] [--cap N]
    [--resource output_tokens|input_tokens|total_tokens|cost_usd|NAME,NAME…] [--coverage 0.8]
    [--lenient|--points] [--probes SEED]
    [--keys NAME,NAME…] [--warm-up N] [--resamples N] [--seed N] [--cluster-by-task]
    [--json] [--plot FILE.svg] [--plot-id ID]

Scores estimates of what an agent's runs still spend. Each FILE gets a column and an estimator of its
own; without a FILE the program takes bundled runs. The estimator is one of four that learn from the
runs before in the file, or a FILE of recorded answers of a model.
A prefix is what a run had spent after 1 to T - 1 of its T turns. It is feasible where the run
succeeded, with --cap or `caps` in the file within its caps.
hit_rate, interval_reward   over feasible prefixes; impossible or no answer counts 0
coverage, optimistic, conservative
                            shares of the intervals at feasible prefixes that hold what remained,
                            lie below it, lie above it
mre_p50, mre_p90            of the midpoint relative error of these intervals
..._loss                    proper, of these intervals as central ones of --coverage
linear_reference_reduction  of the error of linear extrapolation that knows T
false_abort_rate            share of feasible prefixes said to be impossible
saved_token_share           share of what failed runs spent that came after the first impossible,
                            in the resource that is estimated
success_lost                share of feasible runs with an impossible at any prefix
detection_turn_share, detection_spent_share
                            mean share of a failed run before the first impossible, 1 without one
--warm-up N                 learns from the first N runs of each file without scoring them
success_rate_lost           the same runs as a share of all runs
format_rate                 share of prefixes with a readable answer
optimistic_of_all, conservative_of_all
                            shares of the intervals of all runs, failed ones included
mean_width_over_cap         of the intervals of all runs with a cap
mean_midpoint_bias, mean_width_adequacy
                            signed error of the midpoint over what remained; half-width over the
                            absolute error, at most 1; at feasible prefixes
macro_f1_of_answers         any interval counts as feasible, also one above what is left of a cap
best_constant_loss, linear_oracle_loss, mean_cost_oracle_loss
                            interval_loss of the best constant interval, and of the best intervals that
                            follow a linear extrapolation that knows T, or T and the run's mean cost:
                            chosen on these prefixes, so that no estimator could know them
--resource NAME,NAME        several resources of the files: a report for each and the joint hit rate;
                            --cap does not apply, caps stand in the files
--probes SEED               labels runs that have `achieved` by random targets and budgets, half of
                            them reachable; the time is the first resource with time in its name
--keys NAME,NAME            fields of the runs, such as model, whose runs are alike for the default
                            estimator; it always uses task
--lenient                   reads answers of an estimates file that stray from the form
--points                    the same, and a single number as an interval without width
--resamples N, --seed N     of the bootstrap of whole runs behind the 95 % intervals; 0 for none
--cluster-by-task           resamples whole tasks in place of whole runs; every run needs a task
--json                      prints one JSON object; its figures are over all files together
--plot FILE.svg             draws the estimates along the longest feasible run
--plot-id ID                draws this run in place of the longest feasible one
";

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
    json: bool,
    plot: Option<PathBuf>,
    plot_id: Option<String>,
}

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut settings = Settings {
        spent: Spent::output_tokens(),
        others: Vec::new(),
        probes: None,
        cap: None,
        keys: Vec::new(),
        by: By::Linear,
        coverage: Level::new(0.8)?,
        warm_up: 0,
        cluster_by_task: false,
    };
    let (mut files, mut estimator, mut mode) = (Vec::new(), None, AnswerMode::Strict);
    let (mut resamples, mut seed, mut json) = (1_000, 1, false);
    let (mut plot, mut plot_id) = (None, None);
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("cap") => {
                settings.cap =
                    Some(program::value(&mut parser, "--cap", |text| match text.parse() {
                        Ok(cap) if (0.0..=1e100).contains(&cap) => Ok(cap),
                        _ => Err("give a number from 0 to 1e100"),
                    })?);
            }
            Long("estimator") => estimator = Some(parser.value()?.string()?),
            Long("resource") => {
                let all: Vec<Spent> = program::value(&mut parser, "--resource", |names| {
                    let all: Option<Vec<Spent>> = names.split(',').map(Spent::named).collect();
                    let all = all.ok_or("give names with commas between them")?;
                    let repeated = (1..all.len()).any(|at| all[..at].contains(&all[at]));
                    if repeated { Err("give each name once") } else { Ok(all) }
                })?;
                let mut all = all.into_iter();
                settings.spent = all.next().unwrap_or(settings.spent);
                settings.others = all.collect();
            }
            Long("probes") => {
                settings.probes = Some(program::value(&mut parser, "--probes", program::seed)?);
            }
            Long("coverage") => {
                settings.coverage = program::value(&mut parser, "--coverage", |text| {
                    let level = text.parse().ok().and_then(|share| Level::new(share).ok());
                    level.ok_or("give a number between 0 and 1")
                })?;
            }
            Long("keys") => {
                settings.keys = program::value(&mut parser, "--keys", |names| {
                    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
                    let named = names.iter().all(|name| !name.is_empty());
                    if named { Ok(names) } else { Err("give names with commas between them") }
                })?;
            }
            Long("lenient") => mode = AnswerMode::Lenient,
            Long("points") => mode = AnswerMode::LenientPoints,
            Long("warm-up") => {
                settings.warm_up = program::value(&mut parser, "--warm-up", |text| {
                    text.parse().map_err(|_| "give a whole number of runs")
                })?;
            }
            Long("resamples") => {
                resamples = program::value(&mut parser, "--resamples", program::resamples)?;
            }
            Long("seed") => seed = program::value(&mut parser, "--seed", program::seed)?,
            Long("cluster-by-task") => settings.cluster_by_task = true,
            Long("json") => json = true,
            Long("plot") => plot = Some(PathBuf::from(parser.value()?)),
            Long("plot-id") => plot_id = Some(parser.value()?.string()?),
            Long("help") | Short('h') => return Ok(None),
            Value(file) => files.push(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if files.is_empty() {
        files.push(bundled::path("demo_rollouts.jsonl"));
    }
    if plot_id.is_some() && plot.is_none() {
        return Err("--plot-id: names the run of a picture; give --plot FILE.svg too".into());
    }
    if settings.cap.is_some() && !settings.others.is_empty() {
        return Err("--cap: give the caps of several resources in the files".into());
    }
    if plot.is_some() && !settings.others.is_empty() {
        return Err("--plot: draws one resource; give one with --resource".into());
    }
    let arguments =
        Arguments { files, estimator, mode, settings, resamples, seed, json, plot, plot_id };
    Ok(Some(arguments))
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(arguments) = arguments(given)? else {
        return Ok(
            [USAGE, rollout_file::FORMAT, estimate_file::FORMAT, bagen_report::FORMAT].concat()
        );
    };
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
        return several(&all, &settings, &resources, &recorded, (resamples, seed), arguments.json);
    }
    let mut reports = Vec::new();
    for file in &all {
        let at = |error| format!("{}: {error}", file.file);
        let runs = replay(&[file], &settings).map_err(at)?;
        let report = evaluate(&runs, &settings, resamples, seed).map_err(at)?;
        reports.push(FileReport { file: file.file.clone(), report });
    }
    let together: Vec<&RolloutFile> = all.iter().collect();
    if let Some(path) = arguments.plot {
        let runs = replay(&together, &settings)?;
        let id = arguments.plot_id.as_deref();
        let by = Path::new(settings.by.name()).file_stem().unwrap_or_default().to_string_lossy();
        let picture = plot::svg(&runs, id, &by, settings.spent.name())?;
        program::write_picture(&path, &picture)?;
    }
    if !arguments.json {
        return Ok(table(&reports, &settings, resamples));
    }
    file_reports::json(&reports, || {
        let mut report = evaluate(&replay(&together, &settings)?, &settings, resamples, seed)?;
        report.notes.push("these figures are over all files together, a run in two files counting twice; see files".to_owned());
        Ok(report)
    })
}

/// The report on a file of BAGEN's released estimates; `None` if the files are runs.
fn released_estimates(arguments: &Arguments) -> Result<Option<String>, Box<dyn Error>> {
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
    } else if arguments.plot.is_some() {
        Some("--plot: draws runs, not a file of BAGEN's estimates")
    } else {
        None
    };
    if let Some(problem) = other {
        return Err(problem.into());
    }
    let coverage = settings.coverage;
    let found = bagen_report::evaluate(path, &text, arguments.mode, coverage, *resamples, *seed)?;
    if arguments.json {
        return Ok(Some(serde_json::to_string_pretty(&found)? + "\n"));
    }
    Ok(Some(bagen_report::table(&found)))
}

/// A report for each of several resources, over all files together, and their joint hits.
fn several(
    files: &[RolloutFile],
    settings: &Settings,
    resources: &[Spent],
    recorded: &[Answers],
    (resamples, seed): (usize, u64),
    as_json: bool,
) -> Result<String, Box<dyn Error>> {
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
    if as_json {
        let by_name =
            reports.into_iter().map(|named| Ok((named.file, serde_json::to_value(named.report)?)));
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
        return Ok(json.to_string());
    }
    let rate = rate.map_or("undefined".to_owned(), number);
    let table = table(&reports, settings, resamples);
    Ok(format!("{table}\njoint hit rate {rate}: {n_hits} of {n} feasible prefixes\n"))
}

fn table(reports: &[FileReport<Report>], settings: &Settings, resamples: usize) -> String {
    let names = file_reports::names(reports.iter().map(|named| Path::new(&named.file)));
    let row = |name: &str, cell: &dyn Fn(&Report) -> String| -> Vec<String> {
        let cells = reports.iter().map(|named| cell(&named.report));
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(names.iter().cloned()).collect()];
    for (figure, direction) in FIGURES {
        rows.push(row(&format!("{figure} ({direction})"), &|report| {
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
    let mut text = format!(
        "{} by {}, {cap}, intervals claim {}{sure}; (+) higher is better, (-) lower, (=) near the claim, (0) near 0\n\n{}",
        settings.spent.name(),
        settings.by.name(),
        settings.coverage.get(),
        align(&rows)
    );
    if let [FileReport { report, .. }] = reports {
        text.push_str(&format!("\n{}", progress(report)));
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

fn progress(report: &Report) -> String {
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
    align(&rows)
}
