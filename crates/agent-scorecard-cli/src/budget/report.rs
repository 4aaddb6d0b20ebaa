//! A report on budget estimates: feasibility, intervals, early stopping, and what was left out.

use std::collections::BTreeMap;

use budget_estimation::{
    DetectionSummary, DiagnosticSummary, EarlyStops, Error, FeasibilitySummary, IntervalSummary,
    Metrics, MetricsSummary, ProgressAxis, ProgressMetrics, ProgressSummary, StopRule,
    early_stopping,
};
use serde::Serialize;

use crate::{
    budget::{
        references::reference_losses,
        runs::{Runs, Settings},
        spread::{Spread, Spreads, spreads},
    },
    files::run_counts::RunCounts,
    report::figure::Figures,
};

/// One figure of a report: its name, which way is better, and its value.
pub(crate) struct BudgetFigure {
    pub(crate) name: &'static str,
    pub(crate) better: &'static str,
    value: fn(&Known<'_>) -> Option<f64>,
}

const fn figure(
    name: &'static str,
    better: &'static str,
    value: fn(&Known<'_>) -> Option<f64>,
) -> BudgetFigure {
    BudgetFigure { name, better, value }
}

/// What the figures follow from.
struct Known<'a> {
    all: Option<&'a MetricsSummary>,
    first: Option<&'a MetricsSummary>,
    feasibility: Option<&'a FeasibilitySummary>,
    intervals: Option<IntervalSummary>,
    diagnostics: Option<DiagnosticSummary>,
    detection: Option<DetectionSummary>,
    optimistic: Option<f64>,
    conservative: Option<f64>,
    stops: &'a EarlyStops,
    constant: Option<f64>,
    linear: Option<f64>,
    mean_cost: Option<f64>,
}

/// The figures of a report in the order of a table.
pub(crate) const FIGURES: [BudgetFigure; 38] = [
    figure("macro_f1_first_turn", "+", |it| it.first.and_then(|first| first.feasibility.macro_f1)),
    figure("macro_f1_all_turns", "+", |it| it.feasibility.and_then(|all| all.macro_f1)),
    figure("fail_f1", "+", |it| it.feasibility.and_then(|all| all.impossible.f1)),
    figure("fail_precision", "+", |it| it.feasibility.and_then(|all| all.impossible.precision)),
    figure("fail_recall", "+", |it| it.feasibility.and_then(|all| all.impossible.recall)),
    figure("feasible_precision", "+", |it| it.feasibility.and_then(|all| all.feasible.precision)),
    figure("feasible_recall", "+", |it| it.feasibility.and_then(|all| all.feasible.recall)),
    figure("hit_rate", "+", |it| it.intervals.map(|scores| scores.hit_rate)),
    figure("interval_reward", "+", |it| it.intervals.map(|scores| scores.interval_reward)),
    figure("coverage", "=", |it| it.intervals.and_then(|scores| scores.coverage)),
    figure("optimistic", "-", |it| it.optimistic),
    figure("conservative", "-", |it| it.conservative),
    figure("mean_width", "-", |it| it.intervals.and_then(|scores| scores.mean_width)),
    figure("mean_relative_width", "-", |it| {
        it.intervals.and_then(|scores| scores.mean_relative_width)
    }),
    figure("mre_p50", "-", |it| it.intervals.and_then(|scores| scores.mre_p50)),
    figure("mre_p90", "-", |it| it.intervals.and_then(|scores| scores.mre_p90)),
    figure("interval_loss", "-", |it| it.intervals.and_then(|scores| scores.interval_loss)),
    figure("low_pinball_loss", "-", |it| it.intervals.and_then(|scores| scores.low_pinball_loss)),
    figure("high_pinball_loss", "-", |it| it.intervals.and_then(|scores| scores.high_pinball_loss)),
    figure("weighted_interval_loss", "-", |it| {
        it.intervals.and_then(|scores| scores.weighted_interval_loss)
    }),
    figure("linear_reference_reduction", "+", |it| {
        it.all.and_then(|all| all.linear?.relative_reduction)
    }),
    figure("detected_share", "+", |it| {
        it.detection.map(|delay| delay.detected as f64 / delay.failed as f64)
    }),
    figure("detection_turn_share", "-", |it| it.detection.map(|delay| delay.mean_turn_share)),
    figure("detection_spent_share", "-", |it| it.detection.map(|delay| delay.mean_spent_share)),
    figure("false_abort_rate", "-", |it| it.stops.false_abort_rate().ok()),
    figure("success_lost", "-", |it| it.stops.success_lost().ok()),
    figure("saved_token_share", "+", |it| it.stops.saved_share().ok()),
    figure("success_rate_lost", "-", |it| it.stops.success_rate_lost().ok()),
    figure("format_rate", "+", |it| it.feasibility.map(|all| all.format_rate)),
    figure("optimistic_of_all", "-", |it| it.diagnostics.map(|all| all.optimistic_share)),
    figure("conservative_of_all", "-", |it| it.diagnostics.map(|all| all.conservative_share)),
    figure("mean_width_over_cap", "-", |it| it.diagnostics.and_then(|all| all.mean_width_over_cap)),
    figure("mean_midpoint_bias", "0", |it| it.diagnostics.and_then(|all| all.mean_midpoint_bias)),
    figure("mean_width_adequacy", "+", |it| it.diagnostics.and_then(|all| all.mean_width_adequacy)),
    figure("macro_f1_of_answers", "+", |it| it.feasibility.and_then(|all| all.macro_f1_of_answers)),
    figure("best_constant_loss", "-", |it| it.constant),
    figure("linear_oracle_loss", "-", |it| it.linear),
    figure("mean_cost_oracle_loss", "-", |it| it.mean_cost),
];

/// Bins by how far a run was.
const BINS: usize = 5;
/// Figures over prefixes that were as far; all but the first count are over feasible ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ProgressBin {
    /// From this share of the turns on.
    pub from: f64,
    /// Up to and without this share.
    pub to: f64,
    /// Prefixes.
    pub n_prefixes: u64,
    /// Feasible ones.
    pub n_feasible: u64,
    /// Share of these whose interval holds what remained.
    pub hit_rate: Option<f64>,
    /// Mean interval reward.
    pub interval_reward: Option<f64>,
    /// Share of intervals below what remained.
    pub optimistic: Option<f64>,
    /// Share of intervals above.
    pub conservative: Option<f64>,
    /// Mean width over what remained.
    pub mean_relative_width: Option<f64>,
    /// Share of infeasible prefixes that were called impossible: the alarm rate on failures.
    pub alarm_rate: Option<f64>,
    /// Share of the intervals of all runs below what remained.
    pub optimistic_of_all: Option<f64>,
    /// Share of the intervals of all runs above what remained.
    pub conservative_of_all: Option<f64>,
    /// Mean width over the cap.
    pub mean_width_over_cap: Option<f64>,
}

/// Figures over recorded answers before the first turn, which no other figure counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BeforeFirstTurn {
    /// Answers.
    pub n_prefixes: u64,
    /// Feasible ones.
    pub n_feasible: u64,
    /// Mean F1 of both labels.
    pub macro_f1: Option<f64>,
    /// Share of feasible answers whose interval contains what the run spent.
    pub hit_rate: Option<f64>,
    /// Mean interval reward.
    pub interval_reward: Option<f64>,
}

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Report {
    /// All runs, also those that were left out before.
    #[serde(flatten)]
    pub runs: RunCounts,
    /// Who estimated.
    pub estimator: String,
    /// What was estimated.
    pub resource: String,
    /// The cap on it, as asked for.
    pub cap: Option<f64>,
    /// What intervals claim to cover.
    pub claimed_coverage: f64,
    /// Bootstrap replicates.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether whole tasks were resampled; otherwise runs, if there are intervals.
    pub clustered_by_task: bool,
    /// How many of what.
    #[serde(flatten)]
    pub counts: BTreeMap<&'static str, u64>,
    /// What runs that were not feasible spent, and what of it came after the first "impossible".
    pub spent_by_failures: f64,
    /// The latter.
    pub saved: f64,
    /// The figures by name; `None` where one is undefined.
    #[serde(flatten)]
    pub figures: BTreeMap<&'static str, Option<f64>>,
    /// How sure some of them are.
    pub intervals: BTreeMap<&'static str, Spread>,
    /// By how far a run was.
    pub by_progress: Vec<ProgressBin>,
    /// By the share of what the run spent.
    pub by_spent: Vec<ProgressBin>,
    /// Before the first turn; `None` without such an answer.
    pub before_first_turn: Option<BeforeFirstTurn>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
    /// The figures, for the JSON output.
    #[serde(skip_serializing_if = "Figures::is_empty")]
    pub curves: Figures,
}

/// Evaluates estimates.
///
/// # Errors
///
/// An error of the library, as for an interval that is too large to be compared in numbers.
pub(crate) fn evaluate(
    runs: &Runs,
    settings: &Settings,
    resamples: usize,
    seed: u64,
) -> Result<Report, Error> {
    let evaluated = |axis| {
        let evaluation = ProgressMetrics::new(BINS)?.with_axis(axis).with_diagnostics();
        let mut evaluation = evaluation.with_coverage(settings.coverage);
        runs.samples.iter().try_for_each(|sample| evaluation.update(sample))?;
        match evaluation.finish() {
            Ok(summary) => Ok(Some(summary)),
            Err(Error::Empty) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let summary = evaluated(ProgressAxis::Turns)?;
    let by_spent = evaluated(ProgressAxis::Spent)?;
    let rule = StopRule::first_impossible();
    let stops = early_stopping(&runs.rollouts, runs.resource, &runs.samples, None, &[rule])?;
    let mut notes = runs.notes.clone();
    let references = reference_losses(&runs.samples, settings.coverage)?;
    let figures = figures(summary.as_ref(), &stops, references);
    let Spreads { clustered_by_task, intervals } = match resamples {
        0 => Spreads::default(),
        _ => spreads(runs, settings.cluster_by, resamples, seed, &mut notes)?,
    };
    for BudgetFigure { name, .. } in FIGURES {
        if figures.get(name).copied().flatten().is_none() {
            notes.push(format!("{name}: undefined, {}", why(name, summary.as_ref())));
        }
    }
    Ok(Report {
        runs: runs.all.clone(),
        estimator: settings.by.name().to_owned(),
        resource: settings.spent.name().to_owned(),
        cap: settings.cap,
        claimed_coverage: settings.coverage.get(),
        resamples,
        seed,
        clustered_by_task,
        counts: counts(runs, summary.as_ref(), &stops),
        spent_by_failures: stops.spent_by_failures,
        saved: stops.saved,
        figures,
        intervals,
        by_progress: summary.map_or_else(Vec::new, |summary| by_progress(&summary)),
        by_spent: by_spent.map_or_else(Vec::new, |summary| by_progress(&summary)),
        before_first_turn: before_first_turn(runs)?,
        notes,
        curves: Figures::new(),
    })
}

fn before_first_turn(runs: &Runs) -> Result<Option<BeforeFirstTurn>, Error> {
    let mut metrics = Metrics::new();
    runs.before_first_turn.iter().try_for_each(|sample| metrics.update(sample))?;
    let Ok(summary) = metrics.finish() else { return Ok(None) };
    let feasible = runs.before_first_turn.iter().filter(|sample| sample.is_feasible()).count();
    Ok(Some(BeforeFirstTurn {
        n_prefixes: runs.before_first_turn.len() as u64,
        n_feasible: feasible as u64,
        macro_f1: summary.feasibility.macro_f1,
        hit_rate: summary.intervals.map(|scores| scores.hit_rate),
        interval_reward: summary.intervals.map(|scores| scores.interval_reward),
    }))
}

fn figures(
    summary: Option<&ProgressSummary>,
    stops: &EarlyStops,
    references: [Option<f64>; 3],
) -> BTreeMap<&'static str, Option<f64>> {
    let all = summary.map(|summary| &summary.all_turns);
    let [optimistic, conservative] = misses(all);
    let [constant, linear, mean_cost] = references;
    let known = Known {
        all,
        first: summary.and_then(|summary| summary.first_turn.as_ref()),
        feasibility: all.map(|all| &all.feasibility),
        intervals: all.and_then(|all| all.intervals),
        diagnostics: all.and_then(|all| all.diagnostics),
        detection: summary.and_then(|summary| summary.detection),
        optimistic,
        conservative,
        stops,
        constant,
        linear,
        mean_cost,
    };
    // What is not finite cannot be written as a number.
    let value = |figure: &BudgetFigure| (figure.value)(&known).filter(|value| value.is_finite());
    FIGURES.iter().map(|figure| (figure.name, value(figure))).collect()
}

/// Share of the intervals at feasible prefixes below what remained, and above.
fn misses(metrics: Option<&MetricsSummary>) -> [Option<f64>; 2] {
    let scores =
        metrics.and_then(|metrics| metrics.intervals).filter(|scores| scores.answered > 0.0);
    [
        scores.map(|scores| scores.optimistic / scores.answered),
        scores.map(|scores| scores.conservative / scores.answered),
    ]
}

fn counts(
    runs: &Runs,
    summary: Option<&ProgressSummary>,
    stops: &EarlyStops,
) -> BTreeMap<&'static str, u64> {
    let rollouts = &runs.rollouts;
    let all = summary.map(|summary| summary.all_turns.feasibility);
    let scores = summary.and_then(|summary| summary.all_turns.intervals);
    let first = runs.samples.iter().filter(|sample| sample.turn() == 1).count() as u64;
    // Sums of weights that all are 1.
    let said = |count: Option<f64>| count.unwrap_or(0.0) as u64;
    let unanswered = all.map(|all| all.feasible_unanswered + all.impossible_unanswered);
    let feasible = runs.samples.iter().filter(|sample| sample.is_feasible()).count() as u64;
    BTreeMap::from([
        ("n_rollouts", rollouts.len() as u64),
        ("n_left_out", runs.left_out as u64),
        ("n_successes", rollouts.iter().filter(|run| run.succeeded()).count() as u64),
        ("n_cut_off", rollouts.iter().filter(|run| run.is_censored()).count() as u64),
        ("n_feasible_rollouts", stops.successes),
        ("n_failed_rollouts", stops.failures),
        ("n_stopped_feasible_rollouts", stops.stopped_successes),
        ("n_stopped_failed_rollouts", stops.stopped_failures),
        ("n_prefixes", runs.samples.len() as u64),
        ("n_first_turn", first),
        ("n_feasible", feasible),
        ("n_infeasible", runs.samples.len() as u64 - feasible),
        ("n_unanswered", said(unanswered)),
        ("n_true_alarms", said(all.map(|all| all.impossible_as_impossible))),
        ("n_false_aborts", stops.false_alarm_prefixes),
        ("n_intervals", said(scores.map(|scores| scores.answered))),
        ("n_hits", said(scores.map(|scores| scores.hits))),
        ("n_optimistic", said(scores.map(|scores| scores.optimistic))),
        ("n_conservative", said(scores.map(|scores| scores.conservative))),
    ])
}

/// Why a figure has no value.
fn why(name: &str, summary: Option<&ProgressSummary>) -> &'static str {
    if summary.is_none() {
        return "as there is no prefix to score";
    }
    match name {
        "macro_f1_first_turn" | "macro_f1_all_turns" | "macro_f1_of_answers" | "fail_f1" => {
            "as a class neither is there nor was said"
        }
        "fail_precision" => "as nothing was said to be impossible",
        "feasible_precision" => "as no interval was given",
        "fail_recall" | "detected_share" | "detection_turn_share" | "detection_spent_share" => {
            "as there is no prefix of a run that failed or exceeded its cap"
        }
        "saved_token_share" => "as runs that failed spent nothing",
        "success_lost" => "as there is no feasible run",
        "optimistic_of_all" | "conservative_of_all" => "as no interval was given",
        "mean_width_over_cap" => "as no run with a cap has an interval",
        "feasible_recall"
        | "false_abort_rate"
        | "hit_rate"
        | "interval_reward"
        | "best_constant_loss"
        | "linear_oracle_loss"
        | "mean_cost_oracle_loss" => "as there is no prefix of a feasible run",
        "linear_reference_reduction" => {
            "as no feasible prefix has an interval, or the reference makes no error"
        }
        _ => "as no feasible prefix has an interval",
    }
}

fn by_progress(summary: &ProgressSummary) -> Vec<ProgressBin> {
    let edge = |bin: usize| bin as f64 / BINS as f64;
    let bin = |(bin, metrics): (usize, &Option<MetricsSummary>)| {
        let feasibility = metrics.map(|metrics| metrics.feasibility);
        let scores = metrics.and_then(|metrics| metrics.intervals);
        let diagnostics = metrics.and_then(|metrics| metrics.diagnostics);
        let [optimistic, conservative] = misses(metrics.as_ref());
        let n_feasible = scores.map_or(0.0, |scores| scores.samples);
        let n_infeasible = feasibility.map_or(0.0, |all| {
            all.impossible_as_feasible + all.impossible_as_impossible + all.impossible_unanswered
        });
        ProgressBin {
            from: edge(bin),
            to: edge(bin + 1),
            n_prefixes: (n_feasible + n_infeasible) as u64,
            n_feasible: n_feasible as u64,
            hit_rate: scores.map(|scores| scores.hit_rate),
            interval_reward: scores.map(|scores| scores.interval_reward),
            optimistic,
            conservative,
            mean_relative_width: scores.and_then(|scores| scores.mean_relative_width),
            alarm_rate: feasibility.and_then(|all| all.impossible.recall),
            optimistic_of_all: diagnostics.map(|all| all.optimistic_share),
            conservative_of_all: diagnostics.map(|all| all.conservative_share),
            mean_width_over_cap: diagnostics.and_then(|all| all.mean_width_over_cap),
        }
    };
    summary.by_progress.iter().enumerate().map(bin).collect()
}
