use std::collections::{BTreeMap, BTreeSet};

use censoring::Seed;
use serde::Serialize;
use trajectory_metrics::{Better, Bootstrap, ExactMean, Resampling, StreamFigure, Undefined};

use crate::{
    clusters::ClusterBy,
    error::Error,
    options::LEVEL,
    report::{
        block::{Block, Field, Position, Report, Value},
        key,
        sentence::sentence,
    },
    traces::{
        conclusion,
        evaluation::TraceEvaluation,
        figures::{AURC, AVERAGE_PRECISION, CENSORED, assumptions, fields},
        settings::{Calibration, TraceOptions},
        units::{Name, Unit, few, single},
    },
};

/// The reason that [`differences()`] returns with fewer than 2 resamples.
pub const NO_RESAMPLES: &str = "at least 2 resamples are needed";

/// The unit of two columns that is resampled jointly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Pairing {
    /// Both columns hold the same complete runs with the same outcomes.
    Runs,
    /// Runs of shared tasks are resampled together, and runs of other tasks separately.
    Tasks,
    /// The columns have no task in common.
    None,
}

/// The differences between two columns, or the reason why there are none.
pub type Compared = Result<Block, Undefined>;

/// Returns the differences between two columns, or the reason why there are none. The bootstrap resamples tasks, each
/// with all its runs in both columns. If each column has a single task, it resamples runs.
///
/// Calibration maps are fitted once to the runs of each column and not in the resamples, as in the report of
/// a column.
///
/// # Errors
///
/// Errors of [`TraceEvaluation::settle`].
pub fn differences(first: &TraceEvaluation, second: &TraceEvaluation) -> Result<Compared, Error> {
    let options = &first.options;
    let undefined = |why: &'static str| Ok(Err(Undefined::new(why)));
    if options.resamples < 2 {
        return undefined(NO_RESAMPLES);
    }
    let both = [first.settled()?, second.settled()?];
    let both = both.each_ref().map(|column| &**column);
    let [first, second] = both;
    if first.partial.len() + second.partial.len() > 0 {
        return undefined("some runs succeeded in part");
    }
    if first.complete.is_empty() || second.complete.is_empty() {
        return undefined("a column has no complete run");
    }
    let is_same_runs = outcomes(first).is_some_and(|runs| Some(runs) == outcomes(second));
    let names = both.map(|column| column.complete.iter().chain(column.censored.iter()));
    // Of the same runs, one column may know the tasks and the other not.
    let mut tasks: BTreeMap<&str, &str> = BTreeMap::new();
    if is_same_runs && options.cluster_by != ClusterBy::Run {
        for (id, task) in names.iter().cloned().flatten().filter_map(|(id, task)| Some((id, task?)))
        {
            tasks.entry(id).or_insert(task);
        }
    }
    let by_task = names
        .each_ref()
        .map(|names| names.clone().map(|run| unit(run, &tasks, options.cluster_by)).collect());
    let by_task: [Vec<Unit<'_>>; 2] = by_task;
    let singles = by_task.each_ref().map(|units| single(units).is_some());
    let mut notes = Vec::new();
    let units = match singles {
        [false, false] => by_task,
        [true, true] if options.cluster_by == ClusterBy::Task => {
            notes.push(
                "each column has only one task, so single runs are resampled; the intervals say nothing about other tasks"
                    .to_owned(),
            );
            names.map(|names| names.map(|run| Unit::of(run, ClusterBy::Run)).collect())
        }
        _ => return undefined("a column has runs of only one task; at least 2 tasks are needed"),
    };
    let [of_first, of_second] = units.each_ref().map(|units| BTreeSet::from_iter(units.iter()));
    let n_shared = of_first.intersection(&of_second).count();
    // Runs of one name with different outcomes are other runs: trials of one task are not paired by their ids.
    let is_apart = singles == [true, true] && !is_same_runs;
    let pairing = match n_shared {
        _ if is_same_runs => Pairing::Runs,
        0 => Pairing::None,
        _ if is_apart => Pairing::None,
        _ => Pairing::Tasks,
    };
    // Complete runs of both columns come first, followed by runs that were cut off.
    let complete = both.map(|column| column.complete.len());
    let rows = |side: usize, range: std::ops::Range<usize>| {
        let units = units[side][range].to_vec();
        units.into_iter().map(move |unit| (if is_apart { side } else { 0 }, unit))
    };
    let clusters = rows(0, 0..complete[0])
        .chain(rows(1, 0..complete[1]))
        .chain(rows(0, complete[0]..units[0].len()))
        .chain(rows(1, complete[1]..units[1].len()));
    let clusters: Vec<(usize, Unit<'_>)> = clusters.collect();
    let all: Vec<Unit<'_>> = clusters.iter().map(|(_, unit)| *unit).collect();
    notes.extend(few(&all));
    let bootstrap = match Bootstrap::clusters(&clusters, Seed(options.seed)) {
        Ok(bootstrap) => bootstrap,
        Err(error) => return Ok(Err(Undefined::new(error.to_string()))),
    };
    let (bootstrap, resamples) = (&bootstrap, options.resamples);
    let resampling = Resampling { bootstrap, resamples, level: LEVEL };
    let mut found = second.stream.minus(&first.stream, None, Some(resampling))?;
    let n_units = [of_first.len(), of_second.len()];
    found.push(censored(both, n_units, resampling));
    let is_cut_off = units.iter().zip(complete).any(|(units, complete)| units.len() > complete);
    if is_cut_off {
        let noted = |(measure, assumption)| format!("{measure}: {assumption}");
        notes.extend(assumptions().into_iter().map(noted));
    }
    notes.extend(found.iter().filter_map(StreamFigure::note));
    let title = match pairing {
        Pairing::Runs => "paired by run".to_owned(),
        Pairing::Tasks => format!("paired by task, {n_shared} shared"),
        Pairing::None => "not paired".to_owned(),
    };
    let mut block = Block { title, ..Block::default() }.saying(Position::Note, notes);
    block.push_json(key::pairing, &pairing);
    block.push_json("n_shared_tasks", &n_shared);
    block.push_json("assumptions", &assumptions());
    let is_single = both.iter().all(|column| column.is_of_single_forecasts());
    block.fields.extend(fields(&found, is_cut_off, is_single));
    for field in &mut block.fields {
        let Value::Figure(measure, _) = &mut field.value else { continue };
        *measure = measure.of_difference();
        // These depend on the share of failures, which differs between runs.
        let of_failures = [AVERAGE_PRECISION.key, AURC.key].contains(&measure.key);
        if pairing != Pairing::Runs && of_failures {
            measure.better = Better::Neither;
        }
    }
    Ok(Ok(block))
}

/// Adds data on all columns to a report: the title, the scoring and, if they were computed, the differences between two
/// columns. Each key in `differences` names the compared part of the columns, and is empty for whole columns. If all
/// columns have the same runs, the best values are marked. For two columns with different runs, the better value is
/// marked if the interval of the difference excludes 0.
#[must_use]
pub fn with_differences(
    mut report: Report,
    differences: Vec<(&'static str, Compared)>,
    is_same_runs: bool,
    options: &TraceOptions,
) -> Report {
    let names: Vec<&str> = report.columns.iter().map(|column| column.name.as_str()).collect();
    let what = names.iter().rev().copied().collect::<Vec<_>>().join(" minus ");
    let parts_key = report.columns.first().map_or("", |column| column.parts.0);
    let (mut notes, mut verdicts, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (part, compared) in differences {
        let key = match part {
            "" => "difference".to_owned(),
            part => format!("difference.{parts_key}.{part}"),
        };
        match compared {
            Err(why) => notes.push(format!("{key}: undefined: {why}")),
            Ok(mut block) => {
                notes.extend(
                    block.unsay(Position::Note).iter().map(|note| format!("{key}: {note}")),
                );
                if let [first, second] = names[..] {
                    let clause = conclusion::of_difference(&block, [first, second]);
                    verdicts.extend(clause.map(|clause| match part {
                        "" => sentence(&clause),
                        part => format!("{part}: {clause}."),
                    }));
                }
                let name = if part.is_empty() { "difference" } else { part };
                block.title = format!("{name}: {what}, {}", block.title);
                parts.push((part, block));
            }
        }
    }
    let tasks_or_runs = report.resampled_units();
    let (mut decided, mut pairing) = (Vec::new(), "");
    match parts.as_slice() {
        _ if is_same_runs => {}
        // If each column has one part, its difference is the difference of the columns.
        [(_, block)] if report.places().len() == 2 => {
            decided.extend(block.fields.iter().filter_map(|field| match &field.value {
                Value::Figure(measure, Ok(figure)) if measure.better != Better::Neither => {
                    let ends = figure.interval.ok()?;
                    (ends.low() > 0.0 || ends.high() < 0.0).then_some(measure.key)
                }
                _ => None,
            }));
        }
        _ => pairing = "; columns have different runs",
    }
    (report.is_comparable, report.decided) = (is_same_runs, decided);
    let summary = options.summary.as_ref();
    let summary = summary
        .map(|summary| format!(", diagnostics of one forecast per run (summary: {summary})"));
    let calibration = match options.calibration {
        Calibration::None => "no calibration".to_owned(),
        calibration => format!("calibration {calibration:?}"),
    };
    report.lead = format!(
        "{schedule} weights{summary}, {calibration}, 95 % intervals from {resamples} resamples of {tasks_or_runs}{pairing}",
        schedule = options.schedule,
        summary = summary.unwrap_or_default(),
        resamples = options.resamples,
    );
    report.title = "Forecasts of success along runs".to_owned();
    report.main_pictures = vec!["reliability"];
    report.conclude();
    report.conclusion.extend(verdicts);
    if !parts.is_empty() {
        let is_whole = parts.len() == 1 && parts[0].0.is_empty();
        let block = if is_whole {
            parts.remove(0).1
        } else {
            let parts = parts.into_iter().map(|(part, block)| Field::block(part, block));
            Block::of([Field::block(parts_key, Block::of(parts))])
        };
        if let [_, second] = report.columns.as_slice() {
            report.together.push_json("differences", &BTreeMap::from([(&second.name, &block)]));
        }
        report.together.fields.push(Field::block("difference", block));
    }
    report.together.say(Position::Note, notes);
    report
}

/// Returns the difference of the log scores with censored runs. The rows of the bootstrap are the complete runs of both
/// columns, followed by the censored runs of both.
fn censored(
    columns: [&TraceEvaluation; 2],
    n_units: [usize; 2],
    Resampling { bootstrap, resamples, level }: Resampling<'_>,
) -> StreamFigure {
    let [first, second] = columns;
    let logs = columns.map(|column| column.stream.scores().log.as_slice());
    let parts = [logs[0], logs[1], &first.censored_scores, &second.censored_scores];
    let of_part = |(part, scores): (usize, &[f64])| {
        let of_column = move |score: &f64| [0, 1].map(|at| (part % 2 == at).then_some(*score));
        scores.iter().map(of_column).collect::<Vec<_>>()
    };
    let scores: Vec<[Option<f64>; 2]> = parts.into_iter().enumerate().flat_map(of_part).collect();
    let [of_first, of_second] = bootstrap.means(&scores, resamples);
    // Each column varies over its own tasks.
    let minus = of_second.and_then(|second| {
        second.with_clusters(n_units[1]).minus(&of_first?.with_clusters(n_units[0]))
    });
    let [first, second] =
        [0, 1].map(|at| scores.iter().filter_map(|row| row[at]).collect::<ExactMean>().finish());
    let value = second.and_then(|second| Ok(second - first?)).map_err(Into::into);
    StreamFigure::new(CENSORED, value, Some(minus), level)
}

/// Returns the resampling unit of a run: the task that one of the columns has for it, or its own.
fn unit<'a>(run: Name<'a>, tasks: &BTreeMap<&'a str, &'a str>, by: ClusterBy) -> Unit<'a> {
    tasks.get(run.0).map_or_else(|| Unit::of(run, by), |task| Unit::Task(task))
}

/// Returns the outcomes of the complete runs by id; `None` if an id is repeated.
fn outcomes(column: &TraceEvaluation) -> Option<BTreeMap<&str, bool>> {
    let ids = column.complete.iter().map(|(id, _)| id);
    let outcomes: BTreeMap<&str, bool> =
        ids.zip(column.stream.outcomes().iter().copied()).collect();
    (outcomes.len() == column.complete.len()).then_some(outcomes)
}
