use budget_estimation::{
    DetectionSummary, DiagnosticSummary, EarlyStops, FeasibilitySummary, IntervalSummary,
    MetricsSummary, ProgressSummary,
};
use trajectory_metrics::{Better, Metric, Undefined};

use crate::metrics::{metric, metrics};

/// The data from which the metrics of one column are computed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Known {
    /// The summary of the estimates at all prefixes; `None` if there is no prefix.
    pub summary: Option<ProgressSummary>,
    /// The effect of stopping each run when its first estimate is "impossible".
    pub stops: EarlyStops,
    /// The mean interval losses of three references that no estimator could know, because they are chosen on these
    /// prefixes: the best constant interval, the best multiples of a linear extrapolation that knows the number of
    /// turns, and the best multiples of one that also knows the run's mean cost per turn; `None` without a feasible
    /// prefix.
    pub references: [Option<f64>; 3],
    /// Whether the runs that failed state the cost of each turn.
    pub is_use_stated: bool,
    /// Share of the runs that succeeded, including runs that exceeded a cap; NaN if there is no run.
    pub success_rate: f64,
    /// Mean number of turns per run; NaN if there is no run.
    pub mean_turns: f64,
}

/// Values are better if they are closer to the nominal coverage of the intervals. A report replaces this 1 by that
/// coverage.
pub(super) const CLAIM: Better = Better::Near(1.0);

const MACRO_F1: &str =
    "one of the two classes, feasible or impossible, has neither prefixes nor estimates";
const FAIL_F1: &str = "no prefix is infeasible, and no estimate says \"impossible\"";
const NO_ALARM: &str = "no estimate says \"impossible\"";
const NO_INTERVAL: &str = "no run has an interval";
const NO_FEASIBLE_INTERVAL: &str = "no feasible prefix has an interval";
const NO_FEASIBLE: &str = "there is no prefix of a feasible run";
const NO_FAILED: &str = "there is no prefix of a run that failed or exceeded its cap";
const NOT_STATED: &str = "failed runs do not state their spending after each turn";

/// The metrics of estimates. The last three are references: losses of intervals that are chosen in hindsight, from the
/// true remaining costs. A prefix is a run up to one of its turns 1 to T - 1, where T is the number of its turns. It is
/// feasible if its run succeeded within its caps.
pub const METRICS: [Metric<Known>; 38] = metrics! { Known;
    "macro_f1_first_turn", "macro F1 of feasibility at the first turn", Higher, in [0.0, 1.0],
        "Mean F1 of the classes feasible and impossible over the prefixes after one turn.",
        |it| defined(it.first()?.feasibility.macro_f1, MACRO_F1);
    "macro_f1_all_turns", "macro F1 of feasibility over all turns", Higher, in [0.0, 1.0],
        "Mean F1 of the classes feasible and impossible over all prefixes.",
        |it| defined(it.feasibility()?.macro_f1, MACRO_F1);
    "fail_f1", "F1 of \"impossible\"", Higher, in [0.0, 1.0],
        "F1 of the answer \"impossible\" at infeasible prefixes.",
        |it| defined(it.feasibility()?.impossible.f1, FAIL_F1);
    "fail_precision", "precision of \"impossible\"", Higher, in [0.0, 1.0],
        "Of all answers \"impossible\", the share given at infeasible prefixes.",
        |it| defined(it.feasibility()?.impossible.precision, NO_ALARM);
    "fail_recall", "recall of \"impossible\"", Higher, in [0.0, 1.0],
        "Share of infeasible prefixes with the answer \"impossible\".",
        |it| defined(it.feasibility()?.impossible.recall, NO_FAILED);
    "feasible_precision", "precision of intervals", Higher, in [0.0, 1.0],
        "Of all intervals, the share given at feasible prefixes.",
        |it| defined(it.feasibility()?.feasible.precision, NO_INTERVAL);
    "feasible_recall", "recall of intervals", Higher, in [0.0, 1.0],
        "Share of feasible prefixes with an interval.",
        |it| defined(it.feasibility()?.feasible.recall, NO_FEASIBLE);
    "hit_rate", "hit rate", Higher, in [0.0, 1.0],
        "Share of feasible prefixes whose interval contains the remaining cost; \"impossible\" and missing answers count as misses.",
        |it| Ok(it.intervals()?.hit_rate);
    "interval_reward", "interval reward", Higher, in [0.0, 1.0],
        "Mean reward over feasible prefixes: an interval that contains the remaining cost earns more if it is narrower, and anything else earns 0.",
        |it| Ok(it.intervals()?.interval_reward);
    "coverage", "coverage", CLAIM, in [0.0, 1.0],
        "Share of the intervals at feasible prefixes that contain the remaining cost.",
        |it| of_intervals(it, |scores| scores.coverage);
    "optimistic", "intervals below the remaining cost", Lower, in [0.0, 1.0],
        "Share of the intervals at feasible prefixes that end below the remaining cost.",
        |it| of_intervals(it, |scores| misses(scores)[0]);
    "conservative", "intervals above the remaining cost", Lower, in [0.0, 1.0],
        "Share of the intervals at feasible prefixes that begin above the remaining cost.",
        |it| of_intervals(it, |scores| misses(scores)[1]);
    "mean_width", "mean width", Lower, in [0.0, f64::INFINITY],
        "Mean width of the intervals at feasible prefixes, in the unit of the resource.",
        |it| of_intervals(it, |scores| scores.mean_width);
    "mean_relative_width", "mean width / remaining cost", Lower, in [0.0, f64::INFINITY],
        "Mean width divided by the remaining cost, over the intervals at feasible prefixes.",
        |it| of_intervals(it, |scores| scores.mean_relative_width);
    "mre_p50", "median relative error of the midpoint", Lower, in [0.0, f64::INFINITY],
        "Median relative error of the midpoint (absolute error divided by remaining cost), over the intervals at feasible prefixes.",
        |it| of_intervals(it, |scores| scores.mre_p50);
    "mre_p90", "90th percentile of the relative error of the midpoint", Lower, in [0.0, f64::INFINITY],
        "90th percentile of the midpoint's absolute error divided by the remaining cost, over the intervals at feasible prefixes.",
        |it| of_intervals(it, |scores| scores.mre_p90);
    "interval_loss", "interval loss", Lower, in [0.0, f64::INFINITY],
        "Proper loss of the intervals at feasible prefixes, as forecasts of the central interval with the nominal coverage.",
        |it| of_intervals(it, |scores| scores.interval_loss);
    "low_pinball_loss", "pinball loss of lower bounds", Lower, in [0.0, f64::INFINITY],
        "Proper loss of the lower bounds of intervals at feasible prefixes, as forecasts of the (1 - c) / 2 quantile of the remaining cost, where c is the nominal coverage.",
        |it| of_intervals(it, |scores| scores.low_pinball_loss);
    "high_pinball_loss", "pinball loss of upper bounds", Lower, in [0.0, f64::INFINITY],
        "Proper loss of the upper bounds of intervals at feasible prefixes, as forecasts of the (1 + c) / 2 quantile of the remaining cost, where c is the nominal coverage.",
        |it| of_intervals(it, |scores| scores.high_pinball_loss);
    "weighted_interval_loss", "weighted interval loss", Lower, in [0.0, f64::INFINITY],
        "Proper loss of the intervals at feasible prefixes and of their midpoints, which are read as medians.",
        |it| of_intervals(it, |scores| scores.weighted_interval_loss);
    "linear_reference_reduction", "error reduction against linear extrapolation", Higher,
        "Relative reduction of the error of midpoints, compared with a linear extrapolation that knows the number of turns.",
        |it| {
            let linear = it.all()?.linear.and_then(|linear| linear.relative_reduction);
            defined(linear, "no feasible prefix has an interval, or the linear extrapolation makes no error")
        };
    "saved_token_share", "share of failed runs' spending saved by stopping", Higher, in [0.0, 1.0],
        "Share of failed runs' spending that came after their first prediction \"impossible\".",
        |it| {
            it.check_use()?;
            defined(it.stops.saved_share().ok(), "runs that failed spent nothing")
        }, .bar("saved");
    "detected_share", "failed runs predicted impossible", Higher, in [0.0, 1.0],
        "Share of failed runs with a prediction \"impossible\" at any prefix.",
        |it| it.detection().map(|delay| delay.detected as f64 / delay.failed as f64), .bar("detected");
    "detection_turn_share", "share of a failed run's turns before the first prediction \"impossible\"", Lower, in [0.0, 1.0],
        "Mean share of a failed run's turns before its first prediction \"impossible\"; 1 for a run without such a prediction.",
        |it| Ok(it.detection()?.mean_turn_share);
    "detection_spent_share", "share of a failed run's spending before the first prediction \"impossible\"", Lower, in [0.0, 1.0],
        "Mean share of a failed run's spending before its first prediction \"impossible\"; 1 for a run without such a prediction.",
        |it| {
            it.check_use()?;
            Ok(it.detection()?.mean_spent_share)
        };
    "success_lost", "share of feasible runs lost by stopping", Lower, in [0.0, 1.0],
        "Share of feasible runs with a prediction \"impossible\" at any prefix.",
        |it| defined(it.stops.success_lost().ok(), "there is no feasible run"), .bar("lost");
    "success_rate_lost", "feasible runs lost by stopping, as a share of all runs", Lower, in [0.0, 1.0],
        "Number of feasible runs with a prediction \"impossible\" at any prefix, divided by the number of all runs.",
        |it| defined(it.stops.success_rate_lost().ok(), "there is no run");
    "false_abort_rate", "feasible prefixes predicted impossible", Lower, in [0.0, 1.0],
        "Share of feasible prefixes with the answer \"impossible\".",
        |it| defined(it.stops.false_abort_rate().ok(), NO_FEASIBLE), .bar("stopped");
    "format_rate", "readable answers", Higher, in [0.0, 1.0],
        "Share of prefixes with a readable answer.", |it| Ok(it.feasibility()?.format_rate);
    "optimistic_of_all", "share of all intervals that end below the remaining cost", Lower, in [0.0, 1.0],
        "Share of the intervals of all runs, failed ones included, that end below the remaining cost.",
        |it| Ok(it.diagnostics()?.optimistic_share);
    "conservative_of_all", "share of all intervals that begin above the remaining cost", Lower, in [0.0, 1.0],
        "Share of the intervals of all runs, failed ones included, that begin above the remaining cost.",
        |it| Ok(it.diagnostics()?.conservative_share);
    "mean_width_over_cap", "mean width / cap", Lower, in [0.0, f64::INFINITY],
        "Mean width divided by the cap of the run, over the intervals of all runs with a cap above 0.",
        |it| {
            let width = it.diagnostics()?.mean_width_over_cap;
            defined(width, "no run with a cap above 0 has an interval")
        };
    "mean_midpoint_bias", "bias of the midpoint", Better::Near(0.0),
        "Mean of (midpoint - remaining cost) / remaining cost, over the intervals at feasible prefixes.",
        |it| defined(it.diagnostics()?.mean_midpoint_bias, NO_FEASIBLE_INTERVAL);
    "mean_width_adequacy", "adequacy of the width", Higher, in [0.0, 1.0],
        "Mean of half the width divided by the midpoint's absolute error, over the intervals at feasible prefixes; a ratio above 1 counts as 1.",
        |it| defined(it.diagnostics()?.mean_width_adequacy, NO_FEASIBLE_INTERVAL);
    "macro_f1_of_answers", "macro F1 of feasibility, if every interval counts as feasible", Higher, in [0.0, 1.0],
        "Mean F1 of both classes if each answer with an interval counts as the prediction \"feasible\", even if the interval is above the amount left under the cap.",
        |it| defined(it.feasibility()?.macro_f1_of_answers, MACRO_F1);
    "best_constant_loss", "loss of the best constant interval", Lower, in [0.0, f64::INFINITY],
        "Interval loss of the constant interval that is best on these prefixes. It can be chosen only in hindsight.",
        |it| defined(it.references[0], NO_FEASIBLE);
    "linear_oracle_loss", "loss of the best extrapolation with known number of turns", Lower, in [0.0, f64::INFINITY],
        "Interval loss of the best intervals around a linear extrapolation with the true number of turns. They can be chosen only in hindsight.",
        |it| defined(it.references[1], NO_FEASIBLE);
    "mean_cost_oracle_loss",
        "loss of the best extrapolation with known turns and mean cost", Lower, in [0.0, f64::INFINITY],
        "Interval loss of the best intervals around an extrapolation with the true number of turns and mean cost of a turn. They can be chosen only in hindsight.",
        |it| defined(it.references[2], NO_FEASIBLE);
};

/// The macro F1 of the prefixes of one bin, or of the answers before the first turn.
pub(super) const MACRO_F1_OF_BIN: Metric<MetricsSummary> = metrics! { MetricsSummary;
    "macro_f1", "macro F1 of feasibility", Higher, in [0.0, 1.0],
        "Mean F1 of the classes feasible and impossible.",
        |it| defined(it.feasibility.macro_f1, MACRO_F1);
}[0];

/// The metrics of the prefixes of one bin. Tables show the metrics that have a label.
pub(super) const OF_BIN: [Metric<MetricsSummary>; 9] = metrics! { MetricsSummary;
    "hit_rate", "hit rate", Higher, in [0.0, 1.0],
        "Share of feasible prefixes whose interval contains the remaining cost.",
        |it| defined(it.intervals.map(|all| all.hit_rate), NO_FEASIBLE);
    "interval_reward", "reward", Higher, in [0.0, 1.0],
        "Mean reward over feasible prefixes.",
        |it| defined(it.intervals.map(|all| all.interval_reward), NO_FEASIBLE);
    "optimistic", "below", Lower, in [0.0, 1.0],
        "Share of the intervals at feasible prefixes that end below the remaining cost.",
        |it| defined(it.intervals.and_then(|all| misses(&all)[0]), NO_FEASIBLE_INTERVAL);
    "conservative", "above", Lower, in [0.0, 1.0],
        "Share of the intervals at feasible prefixes that begin above the remaining cost.",
        |it| defined(it.intervals.and_then(|all| misses(&all)[1]), NO_FEASIBLE_INTERVAL);
    "mean_relative_width", "relative width", Lower, in [0.0, f64::INFINITY],
        "Mean width divided by the remaining cost, over the intervals at feasible prefixes.",
        |it| defined(it.intervals.and_then(|all| all.mean_relative_width), NO_FEASIBLE_INTERVAL);
    "alarm_rate", "alarms on failures", Higher, in [0.0, 1.0],
        "Share of infeasible prefixes with the answer \"impossible\".",
        |it| defined(it.feasibility.impossible.recall, NO_FAILED);
    "optimistic_of_all", "", Lower, in [0.0, 1.0],
        "Share of the intervals of all runs that end below the remaining cost.",
        |it| defined(it.diagnostics.map(|all| all.optimistic_share), NO_INTERVAL);
    "conservative_of_all", "", Lower, in [0.0, 1.0],
        "Share of the intervals of all runs that begin above the remaining cost.",
        |it| defined(it.diagnostics.map(|all| all.conservative_share), NO_INTERVAL);
    "mean_width_over_cap", "", Lower, in [0.0, f64::INFINITY],
        "Mean width divided by the cap of the run, over the intervals of all runs with a cap above 0.",
        |it| defined(it.diagnostics.and_then(|all| all.mean_width_over_cap), NO_INTERVAL);
};

fn defined(value: Option<f64>, reason: &'static str) -> Result<f64, Undefined> {
    value.ok_or_else(|| Undefined::new(reason))
}

fn of_intervals(
    known: &Known,
    value: fn(&IntervalSummary) -> Option<f64>,
) -> Result<f64, Undefined> {
    defined(value(&known.intervals()?), NO_FEASIBLE_INTERVAL)
}

/// Returns the shares of the intervals at feasible prefixes that lie below the remaining cost, and above it.
pub(super) fn misses(scores: &IntervalSummary) -> [Option<f64>; 2] {
    let share = |count: f64| (scores.answered > 0.0).then(|| count / scores.answered);
    [share(scores.optimistic), share(scores.conservative)]
}

impl Known {
    fn summary(&self) -> Result<&ProgressSummary, Undefined> {
        self.summary.as_ref().ok_or(Undefined::new("there is no prefix to score"))
    }

    fn all(&self) -> Result<&MetricsSummary, Undefined> {
        Ok(&self.summary()?.all_turns)
    }

    fn first(&self) -> Result<&MetricsSummary, Undefined> {
        let first = self.summary()?.first_turn.as_ref();
        first.ok_or(Undefined::new("there is no prefix after one turn"))
    }

    fn feasibility(&self) -> Result<&FeasibilitySummary, Undefined> {
        Ok(&self.all()?.feasibility)
    }

    fn intervals(&self) -> Result<IntervalSummary, Undefined> {
        self.all()?.intervals.ok_or(Undefined::new(NO_FEASIBLE))
    }

    fn diagnostics(&self) -> Result<DiagnosticSummary, Undefined> {
        self.all()?.diagnostics.ok_or(Undefined::new(NO_INTERVAL))
    }

    fn detection(&self) -> Result<DetectionSummary, Undefined> {
        self.summary()?.detection.ok_or(Undefined::new(NO_FAILED))
    }

    fn check_use(&self) -> Result<(), Undefined> {
        if self.is_use_stated { Ok(()) } else { Err(Undefined::new(NOT_STATED)) }
    }
}

/// Returns the key of one of the [`METRICS`], looked up by the compiler.
pub(super) const fn key_of(key: &str) -> &'static str {
    known(key).measure.key
}

/// Returns the metric with this key of [`METRICS`], looked up by the compiler.
pub(crate) const fn known(key: &str) -> &'static Metric<Known> {
    const ALL: &[Metric<Known>] = &METRICS;
    metric(ALL, key)
}
