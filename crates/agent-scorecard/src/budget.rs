//! Scores estimates of the remaining cost of runs.
//!
//! Runs are replayed in their order. The estimator sees each prefix of a run, which is the spending after 1 to T - 1 of its
//! T turns, and learns from the run when it has ended. A prefix is feasible if its run succeeded within its caps.
//!
//! ```
//! use agent_scorecard::{
//!     Report, RunCounts,
//!     budget::{By, Input, METRICS, Options, column, report},
//!     budget_estimation::{Level, Rollouts},
//! };
//!
//! // 40 runs of three turns, a fourth of which failed.
//! let mut rollouts = Rollouts::new(["output_tokens"])?;
//! let mut counts = RunCounts::default();
//! for run in 0_u32..40 {
//!     rollouts.push(&[10.0, f64::from(run % 4), 20.0], run % 4 > 0)?;
//!     counts.add(Some(run % 4 > 0), None);
//! }
//! let input = Input { rollouts, lengths: vec![40], achieved: Vec::new(), counts };
//! let options = Options::new("output_tokens", By::Quantile, Level::new(0.8)?);
//! let found = column(input, &options, &METRICS)?;
//! assert_eq!(found.block.number("n_feasible"), Some(60.0));
//! assert!(found.block.figure("hit_rate").unwrap().value > 0.5);
//! let report: Report = report(vec![("runs.jsonl".to_owned(), found)], &options);
//! assert_eq!(report.columns[0].name, "runs");
//! # Ok::<(), agent_scorecard::Error>(())
//! ```

pub mod bagen;
mod caps;
mod files;
pub(crate) mod metrics;
mod pictures;
mod references;
pub(crate) mod runs;
pub(crate) mod settings;
mod spread;

use std::cmp::Ordering;

use budget_estimation::{
    EarlyStops, FeasibilitySummary, IntervalSummary, Metrics, MetricsSummary, ProgressAxis,
    ProgressMetrics, ProgressSummary, Rollout, Sample, StopRule, Weight, early_stopping,
    joint_hits,
};

use crate::{
    error::Error,
    metrics::metrics,
    report::{
        block::{Block, Column, Field, Position, Report},
        key,
        sentence::{counted, left_out, percent, percent_value, side_of},
    },
};

pub use caps::{CAP_MEASURES, CapOptions, caps, caps_report};
pub use files::{RunFile, read_answers};
use metrics::key_of;
pub use metrics::{Known, METRICS};
pub use runs::{FRESH, Input, Runs, parts_of, replay};
pub use settings::{Answers, By, Options, Recorded};
pub use trajectory_metrics::Metric;
use trajectory_metrics::{Better, Figure, Undefined};

/// The number of bins of progress.
const BINS: usize = 5;

/// Replays runs and evaluates the estimates of their remaining cost. For several resources, the column has the joint
/// hit rate, and its part `resources` has the figures of each resource.
///
/// # Errors
///
/// An error of budget-estimation, such as for a negative cap or an interval that is too large to be compared in
/// numbers; [`Error::UnknownRun`] for a run to draw that is not scored.
pub fn column(input: Input, options: &Options, metrics: &[Metric<Known>]) -> Result<Column, Error> {
    if options.others().is_empty() {
        let block = block(&replay(input, options)?, options, metrics)?;
        return Ok(Column { block, ..Column::default() });
    }
    let (mut parts, mut samples) = (Vec::new(), Vec::new());
    for resource in &options.resources {
        let others = options.resources.iter().filter(|other| *other != resource);
        let resources = [resource].into_iter().chain(others).cloned().collect();
        let own = Options { resources, ..options.clone() };
        let runs = replay(input.clone(), &own)?;
        parts.push((resource.clone(), block(&runs, &own, metrics)?));
        samples.push(runs.every_sample());
    }
    let mut block =
        Block::default().saying(Position::Line, [input.counts.line()]).saying(Position::Note, []);
    push_joint_hits(&mut block, &samples)?;
    Ok(Column { block, parts: ("resources", parts), ..Column::default() })
}

/// The share of joint hits among the feasible prefixes.
pub(crate) const JOINT_HIT_RATE: Metric<[usize; 2]> = metrics! { [usize; 2];
    "joint_hit_rate", "joint hit rate", Higher, in [0.0, 1.0],
        "Share of feasible prefixes whose intervals contain the remaining cost of every resource.",
        |&[hits, feasible]| match feasible {
            0 => Err(Undefined::new("there is no prefix of a feasible run")),
            _ => Ok(hits as f64 / feasible as f64),
        };
}[0];

/// Returns the number of feasible prefixes whose intervals contain the remaining cost of every resource, and the number
/// of feasible prefixes.
pub(crate) fn joint_counts(samples: &[Vec<Sample>]) -> Result<[usize; 2], Error> {
    let lists: Vec<&[Sample]> = samples.iter().map(Vec::as_slice).collect();
    let labels = samples.first().into_iter().flatten().map(Sample::is_feasible);
    let feasible = labels.zip(joint_hits(&lists)?).filter(|(feasible, _)| *feasible);
    let hits: Vec<bool> = feasible.map(|(_, hit)| hit).collect();
    Ok([hits.iter().filter(|&&hit| hit).count(), hits.len()])
}

fn push_joint_hits(block: &mut Block, samples: &[Vec<Sample>]) -> Result<(), Error> {
    let counts = joint_counts(samples)?;
    block.push_metrics(&[JOINT_HIT_RATE], &counts, |_, value| Figure::from(value));
    let rate = block.number(JOINT_HIT_RATE.measure.key);
    let rate = rate.map_or("undefined".to_owned(), |rate| format!("{rate:.3}"));
    let [n_hits, n_feasible] = counts;
    block.say(
        Position::Line,
        [format!("joint hit rate {rate}: at {n_hits} of {n_feasible} feasible prefixes, the intervals contain the remaining cost of every resource")],
    );
    block.fields.push(Field::shown("n_joint_hits", "joint hits", n_hits));
    block.fields.push(Field::shown(key::n_feasible, "feasible prefixes", n_feasible));
    Ok(())
}

/// Returns the report on these files, one column per file.
#[must_use]
pub fn report(columns: Vec<(String, Column)>, options: &Options) -> Report {
    let columns = columns.into_iter().map(|(file, column)| Column { file, ..column });
    let mut report = Report {
        title: "Estimates of the remaining cost of runs".to_owned(),
        main_pictures: vec!["fan"],
        ..Report::of_columns(columns.collect::<Vec<_>>())
    };
    let tasks_or_runs = report.resampled_units();
    let intervals = match options.resamples {
        0 => String::new(),
        resamples => {
            format!(", 95 % intervals from {resamples} resamples of whole {tasks_or_runs}")
        }
    };
    let resources = options.resources.iter();
    let resources = resources.map(String::as_str).collect::<Vec<_>>().join(", ");
    let cap = options.cap.map_or("no cap".to_owned(), |cap| format!("cap {cap}"));
    let (estimator, coverage) = (options.by.name(), options.coverage.get());
    report.lead = format!(
        "{resources} estimated by {estimator}, {cap}, nominal coverage of the intervals {coverage}{intervals}"
    );
    report
}

/// Returns the results for these runs. `metrics` are the metrics to compute, such as [`METRICS`].
///
/// # Errors
///
/// An error of budget-estimation, such as for an interval that is too large to be compared in numbers;
/// [`Error::UnknownRun`] for a run to draw that is not scored.
pub fn block(runs: &Runs, options: &Options, metrics: &[Metric<Known>]) -> Result<Block, Error> {
    let evaluated = |axis| {
        let evaluation = ProgressMetrics::new(BINS)?.with_axis(axis).with_diagnostics();
        let mut evaluation = evaluation.with_coverage(options.coverage);
        runs.samples.iter().try_for_each(|sample| evaluation.update(sample, Weight::ONE))?;
        match evaluation.finish() {
            Ok(summary) => Ok(Some(summary)),
            Err(budget_estimation::Error::ScoringRules(scoring_rules::Error::Empty)) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let summary = evaluated(ProgressAxis::Turns)?;
    let by_spent = evaluated(ProgressAxis::Spent)?;
    let rule = StopRule::first_impossible().with_reading(options.reading);
    let stops = early_stopping(&runs.rollouts, runs.resource, &runs.samples, None, &[rule])?;
    let references = references::reference_losses(&runs.samples, options.coverage)?;
    let (all, mean) = (&runs.rollouts, |sum: usize| sum as f64 / runs.rollouts.len() as f64);
    let known = Known {
        summary,
        stops,
        references,
        is_use_stated: runs.is_use_stated,
        success_rate: mean(all.iter().filter(|run| run.succeeded()).count()),
        mean_turns: mean(all.iter().map(|run| run.turns()).sum()),
    };

    let mut notes = runs.notes.clone();
    let spreads = spread::spreads(runs, options, &mut notes)?;
    let mut block =
        Block::default().saying(Position::Line, [runs.counts.line()]).saying(Position::Note, notes);
    block.extend_json(&runs.counts);
    block.push_json("estimator", options.by.name());
    block.push_json("resource", options.resource());
    block.push_json("cap", &options.cap);
    block.push_json(key::claimed_coverage, &options.coverage.get());
    block.push_json("resamples", &options.resamples);
    block.push_json("seed", &options.seed);
    block.push_json(key::clustered_by_task, &spreads.clustered_by_task);
    let mut metrics = metrics.to_vec();
    for metric in metrics.iter_mut().filter(|metric| metric.measure.better == metrics::CLAIM) {
        metric.measure.better = Better::Near(options.coverage.get());
    }
    block.push_metrics(&metrics, &known, |measure, value| spreads.figure(measure.key, value));
    push_counts(&mut block, runs, &known);
    block.say(Position::Conclusion, conclusion(&block, options));
    block.push_json("spent_by_failures", &known.stops.spent_by_failures);
    block.push_json("saved", &known.stops.saved);
    block.fields.push(before_first_turn(runs)?);
    let bins = |summary: &Option<ProgressSummary>| summary.as_ref().map_or_else(Vec::new, bins);
    for (key, title, summary) in [
        (key::by_progress, "Metrics by the share of a run's turns already taken", &known.summary),
        ("by_spent", "Metrics by the share of a run's total cost already spent", &by_spent),
    ] {
        block.fields.push(Field::rows(key, title, bins(summary)));
    }
    if options.with_pictures {
        block.draw(pictures::pictures(runs, options, &metrics, &block)?);
    }
    Ok(block)
}

/// Returns the conclusions on the intervals and the warnings.
fn conclusion(block: &Block, options: &Options) -> Vec<String> {
    let claim = options.coverage.get();
    let mut clauses = Vec::new();
    if let Ok(coverage) = block.figure(const { key_of("coverage") }) {
        let verdict = match side_of(&coverage, claim) {
            Some(Ordering::Less) => ", which is less often",
            Some(Ordering::Greater) => ", which is more often",
            Some(Ordering::Equal) => "; the difference may be noise",
            None => "",
        };
        clauses.push(format!(
            "the intervals should contain the remaining cost ({resource}) in {nominal} % of cases, and contain it in {observed} of {cases}{verdict}",
            resource = options.resource().replace('_', " "),
            nominal = percent_value(claim),
            observed = percent(&coverage),
            cases = counted(block.count(key::n_intervals), "case"),
        ));
    }
    clauses.extend(stopping(block));
    clauses.extend(left_out([(block.count(key::n_left_out), "whose cost is not known")]));
    clauses
}

/// States the effect of stopping at the first "impossible".
pub(crate) fn stopping(block: &Block) -> Option<String> {
    let [failed, feasible, stopped, lost] = [
        key::n_failed_rollouts,
        key::n_feasible_rollouts,
        key::n_stopped_failed_rollouts,
        key::n_stopped_feasible_rollouts,
    ]
    .map(|key| block.count(key));
    if stopped + lost > 0 {
        let saved = block.figure(const { key_of("saved_token_share") }).map_or_else(
            |_| String::new(),
            |saved| {
                format!(
                    "; this would save {share} of the spending of failed runs",
                    share = percent(&saved),
                )
            },
        );
        return Some(format!(
            "if each run stopped at its first prediction \"impossible\", {stopped} of {failed_runs} and {lost} of {feasible_runs} that can succeed would end early{saved}",
            failed_runs = counted(failed, "failed run"),
            feasible_runs = counted(feasible, "run"),
        ));
    }
    let answered = block.count(key::n_prefixes) > block.count(key::n_unanswered);
    if !answered && block.count(key::n_prefixes) > 0 {
        return Some("no answer can be read, so there is no conclusion".to_owned());
    }
    (failed + feasible > 0).then(|| {
        let runs = counted(failed + feasible, "run");
        format!(
            "none of {runs} is predicted impossible, so stopping at such a prediction saves nothing"
        )
    })
}

fn push_counts(block: &mut Block, runs: &Runs, known: &Known) {
    let all = known.summary.as_ref().map(|summary| summary.all_turns);
    // Sums of weights that all are 1.
    let answers =
        |count: fn(&FeasibilitySummary) -> f64| all.map_or(0, |all| count(&all.feasibility) as u64);
    let intervals = |count: fn(&IntervalSummary) -> f64| {
        all.and_then(|all| all.intervals).map_or(0, |all| count(&all) as u64)
    };
    let rollouts = |is: fn(&Rollout<'_>) -> bool| runs.rollouts.iter().filter(is).count() as u64;
    let samples = |is: fn(&Sample) -> bool| runs.samples.iter().filter(|it| is(it)).count() as u64;
    let EarlyStops { stopped_successes, stopped_failures, .. } = known.stops;
    let counts: [(&'static str, &'static str, u64); 19] = [
        (key::n_rollouts, "runs", rollouts(|_| true)),
        (key::n_left_out, "runs left out because a cost is not known", runs.left_out as u64),
        ("n_successes", "runs that succeeded", rollouts(|run| run.succeeded())),
        ("n_cut_off", "runs that a budget cut off", rollouts(|run| run.is_censored())),
        (key::n_feasible_rollouts, "feasible runs", known.stops.successes),
        (key::n_failed_rollouts, "runs that are not feasible", known.stops.failures),
        (key::n_stopped_feasible_rollouts, "feasible runs predicted impossible", stopped_successes),
        (key::n_stopped_failed_rollouts, "infeasible runs predicted impossible", stopped_failures),
        (key::n_prefixes, "prefixes", samples(|_| true)),
        ("n_first_turn", "prefixes after one turn", samples(|it| it.turn() == 1)),
        (key::n_feasible, "feasible prefixes", samples(Sample::is_feasible)),
        ("n_infeasible", "infeasible prefixes", samples(|it| !it.is_feasible())),
        (
            key::n_unanswered,
            "prefixes without an answer",
            answers(|all| all.feasible_unanswered + all.impossible_unanswered),
        ),
        (
            "n_true_alarms",
            "infeasible prefixes predicted impossible",
            answers(|all| all.impossible_as_impossible),
        ),
        (
            key::n_false_aborts,
            "feasible prefixes predicted impossible",
            known.stops.false_alarm_prefixes,
        ),
        (key::n_intervals, "intervals at feasible prefixes", intervals(|all| all.answered)),
        (key::n_hits, "intervals that contain the remaining cost", intervals(|all| all.hits)),
        ("n_optimistic", "intervals below the remaining cost", intervals(|all| all.optimistic)),
        ("n_conservative", "intervals above the remaining cost", intervals(|all| all.conservative)),
    ];
    block.fields.extend(counts.map(|(key, label, count)| Field::shown(key, label, count)));
}

/// Returns the values over recorded answers before the first turn, which no other value counts; null without such an
/// answer.
fn before_first_turn(runs: &Runs) -> Result<Field, Error> {
    let mut metrics = Metrics::default();
    runs.before_first_turn.iter().try_for_each(|sample| metrics.update(sample, Weight::ONE))?;
    let Ok(summary) = metrics.finish() else { return Ok(Field::json("before_first_turn", ())) };
    let answers = &runs.before_first_turn;
    let feasible = answers.iter().filter(|sample| sample.is_feasible()).count();
    let fields = [
        Field::shown(key::n_prefixes, "answers", answers.len()),
        Field::shown(key::n_feasible, "answers about feasible runs", feasible),
    ];
    let figures = [metrics::MACRO_F1_OF_BIN].into_iter().chain(metrics::OF_BIN[..2].to_vec());
    let figures = figures
        .map(|metric| Field::figure(metric.measure, metric.value(&summary).map(Figure::from)));
    let block = Block::titled("Before the first turn", fields.into_iter().chain(figures));
    Ok(Field::block("before_first_turn", block))
}

/// Returns a row for each bin of progress.
fn bins(summary: &ProgressSummary) -> Vec<Block> {
    let edge = |bin: usize| bin as f64 / BINS as f64;
    let row = |(bin, metrics): (usize, &Option<MetricsSummary>)| {
        let feasibility = metrics.map(|metrics| metrics.feasibility);
        let n_feasible = metrics.and_then(|it| it.intervals).map_or(0.0, |scores| scores.samples);
        let n_infeasible = feasibility.map_or(0.0, |all| {
            all.impossible_as_feasible + all.impossible_as_impossible + all.impossible_unanswered
        });
        let none = || Undefined::new("no prefix is in this bin");
        let figures = metrics::OF_BIN.map(|metric| {
            let value = metrics.as_ref().ok_or_else(none).and_then(|it| metric.value(it));
            Field::figure(metric.measure, value.map(Figure::from))
        });
        let counts = [
            Field::shown(key::from, "from", edge(bin)),
            Field::shown(key::to, "to", edge(bin + 1)),
            Field::shown(key::n_prefixes, "prefixes", (n_feasible + n_infeasible) as u64),
            Field::shown(key::n_feasible, "feasible", n_feasible as u64),
        ];
        Block::of(counts.into_iter().chain(figures))
    };
    summary.by_progress.iter().enumerate().map(row).collect()
}
