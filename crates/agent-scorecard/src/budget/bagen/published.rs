//! The figures of BAGEN's released code, each equal to that code on its files.

use run_logs::{
    Interval,
    bagen::{Amounts, Kind, ReleasedSample, TrainingAnswer, parse_training_answer},
};
use serde::Serialize;

/// For one resource, the numbers of intervals that contain the remaining cost, that lie below it, and that lie above
/// it. Only prefixes of runs that succeeded count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RangeCounts {
    /// The number of intervals that contain the remaining cost.
    pub hits: usize,
    /// The number of intervals below the remaining cost.
    pub optimistic: usize,
    /// The number of intervals above the remaining cost.
    pub conservative: usize,
}

/// The values that BAGEN's released code computes for one sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampleMetrics {
    /// Whether the answer agrees with the label, which says whether the run succeeded within its caps; `None` if the
    /// answer could not be read.
    pub can_finish_correct: Option<bool>,
    /// For each resource, whether the interval contains the remaining cost; `None` without an interval or a stated
    /// remaining cost. Intervals on runs that failed count too.
    pub contains: Vec<Option<bool>>,
    /// The width of each interval.
    pub widths: Vec<Option<f64>>,
    /// The distance from the middle of each interval to the remaining cost.
    pub midpoint_errors: Vec<Option<f64>>,
    /// Whether all intervals contain the remaining cost; `None` unless the run can finish and has an interval.
    pub joint_hit: Option<bool>,
    /// The share of correct parts of the answer: the feasibility and, if the run can finish and has intervals, each
    /// interval. This is the reward in the file, and the reward of Warehouse in table 1.
    pub mean_reward: f64,
    /// The reward of tokens in table 1. For a run that can finish, it is `max(0, 1 - width / remaining)` if the
    /// interval contains the remaining cost, and otherwise 0; for any other run, it is 1 if the answer is
    /// `impossible`, and otherwise 0.
    pub interval_reward: f64,
}

impl SampleMetrics {
    /// Computes this sample's figures in the same way as BAGEN's released code.
    ///
    /// Reference: `evaluate_prediction` of both environments, and
    /// `compute_token_custom_reward_from_result`.
    #[must_use]
    pub fn of(sample: &ReleasedSample) -> Self {
        let intervals = sample.intervals();
        let each = |figure: fn(Interval, Amounts) -> Option<f64>| -> Vec<Option<f64>> {
            let figure = |(i, &amounts): (usize, &Amounts)| {
                intervals.and_then(|all| figure(*all.get(i)?, amounts))
            };
            sample.amounts.iter().enumerate().map(figure).collect()
        };
        let contains =
            each(|interval, amounts| Some(f64::from(interval.contains(amounts.remaining?))));
        let contains: Vec<_> = contains.iter().map(|hit| hit.map(|hit| hit == 1.0)).collect();
        let can_finish_correct =
            sample.answer.is_some().then(|| sample.is_impossible() != sample.can_finish);
        let scored = sample.can_finish && intervals.is_some();
        let hits = contains.iter().filter(|_| scored).flatten();
        let terms: Vec<bool> = can_finish_correct.iter().chain(hits).copied().collect();
        let right = terms.iter().filter(|&&term| term).count();
        Self {
            joint_hit: scored.then(|| contains.iter().all(|hit| *hit == Some(true))),
            mean_reward: if terms.is_empty() { 0.0 } else { right as f64 / terms.len() as f64 },
            interval_reward: interval_reward(sample),
            widths: each(|interval, _| Some(interval.width())),
            midpoint_errors: each(|interval, amounts| {
                Some(((interval.low() + interval.high()) / 2.0 - amounts.remaining?).abs())
            }),
            can_finish_correct,
            contains,
        }
    }
}

fn interval_reward(sample: &ReleasedSample) -> f64 {
    if !sample.can_finish {
        return f64::from(sample.is_impossible());
    }
    let interval = sample.intervals().and_then(<[_]>::first);
    let remaining = sample.amounts.first().and_then(|amounts| amounts.remaining);
    match (interval, remaining) {
        (Some(interval), Some(remaining)) if remaining > 0.0 && interval.contains(remaining) => {
            (1.0 - interval.width() / remaining).max(0.0)
        }
        _ => 0.0,
    }
}

/// The results over many samples that BAGEN's released code computes. A value is `None` if its denominator is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Published {
    /// The number of samples.
    pub samples: usize,
    /// The number of samples of runs that succeeded, including runs that exceeded their caps.
    pub success_samples: usize,
    /// Share of the answers after the first turn that agree with the label, over all runs. Unreadable answers are left
    /// out, as in all accuracies here.
    pub first_turn_accuracy: Option<f64>,
    /// Share of the answers that agree with the label, over all samples.
    pub accuracy: Option<f64>,
    /// Share of the answers that agree with the label, on runs that succeeded.
    pub accuracy_on_success: Option<f64>,
    /// Share of the answers that agree with the label, on runs that failed.
    pub accuracy_on_failure: Option<f64>,
    /// Share of prefixes of successful runs whose interval contains the remaining cost; for Warehouse, whose intervals
    /// of all resources do.
    pub hit_rate: Option<f64>,
    /// Mean reward over prefixes of runs that succeeded: [`SampleMetrics::interval_reward`], and
    /// [`SampleMetrics::mean_reward`] for Warehouse.
    pub interval_reward: Option<f64>,
    /// For Warehouse, the share of prefixes of successful runs at which the intervals of all resources contain the
    /// remaining cost.
    pub joint_hit_rate: Option<f64>,
    /// For each resource, the numbers of intervals that contain the remaining cost or miss it on either side, over
    /// prefixes of runs that succeeded.
    pub ranges: Vec<RangeCounts>,
    /// For each resource, the share of intervals that contain the remaining cost, over all samples with an interval
    /// and a remaining cost. The summary of a file calls this the coverage.
    pub coverage: Vec<Option<f64>>,
    /// The number of samples of runs that can finish in which the answer is `impossible`.
    pub false_aborts: usize,
    /// The number of false aborts divided by the number of all samples, as in table 4.
    pub false_abort_rate: Option<f64>,
    /// The upper median, `sorted[n // 2]`, of the relative errors of midpoints on runs that can finish. Answers are
    /// read as the training code does, which takes single numbers as midpoints. `None` for Warehouse.
    pub mre_p50: Option<f64>,
}

/// Returns the sum from left to right divided by the number of values, like Python's `sum(values) / len(values)`.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, n), value| (sum + value, n + 1));
    (count > 0).then(|| sum / count as f64)
}

/// Aggregates samples in the same way as BAGEN's released code for table 1, the figures and the summaries. For this
/// workspace's own metrics, see [`budget_estimation::ProgressMetrics`].
///
/// Reference: `figure/bagen/generate_all_figures.py`, `compute_token_table1_row`,
/// `compute_warehouse_table1_row` and `classify_range_direction`; `_build_summary` of both scripts; and
/// `scripts/budget-rl/eval_checkpoint.py`.
///
/// Takes O(n log n) time.
#[must_use]
pub fn as_published(samples: &[ReleasedSample]) -> Published {
    let metrics: Vec<SampleMetrics> = samples.iter().map(SampleMetrics::of).collect();
    let rows = || samples.iter().zip(&metrics);
    let accuracy = |counts: &dyn Fn(&ReleasedSample) -> bool| {
        let counted = rows().filter(|(sample, _)| counts(sample));
        mean(counted.filter_map(|(_, metrics)| metrics.can_finish_correct.map(f64::from)))
    };
    let successes = || rows().filter(|(sample, _)| sample.rollout_success);
    let kind = samples.first().map_or(Kind::Tokens, |sample| sample.kind);
    let is_hit = |metrics: &SampleMetrics| match kind {
        Kind::Tokens => metrics.contains.first().copied().flatten() == Some(true),
        Kind::Warehouse => metrics.joint_hit == Some(true),
    };
    let reward = |metrics: &SampleMetrics| match kind {
        Kind::Tokens => metrics.interval_reward,
        Kind::Warehouse => metrics.mean_reward,
    };
    let hit_rate = mean(successes().map(|(_, metrics)| f64::from(is_hit(metrics))));
    let resources = 0..kind.resources().len();
    let false_aborts =
        samples.iter().filter(|sample| sample.can_finish && sample.is_impossible()).count();
    Published {
        samples: samples.len(),
        success_samples: successes().count(),
        first_turn_accuracy: accuracy(&|sample| sample.turn == 1),
        accuracy: accuracy(&|_| true),
        accuracy_on_success: accuracy(&|sample| sample.rollout_success),
        accuracy_on_failure: accuracy(&|sample| !sample.rollout_success),
        hit_rate,
        interval_reward: mean(successes().map(|(_, metrics)| reward(metrics))),
        joint_hit_rate: hit_rate.filter(|_| kind == Kind::Warehouse),
        ranges: resources.clone().map(|i| ranges(samples, i)).collect(),
        coverage: resources
            .map(|i| {
                let known = metrics.iter().filter_map(|metrics| *metrics.contains.get(i)?);
                mean(known.map(f64::from))
            })
            .collect(),
        false_aborts,
        false_abort_rate: (!samples.is_empty()).then(|| false_aborts as f64 / samples.len() as f64),
        mre_p50: if kind == Kind::Tokens { upper_median(samples) } else { None },
    }
}

fn ranges(samples: &[ReleasedSample], resource: usize) -> RangeCounts {
    let mut counts = RangeCounts::default();
    for sample in samples.iter().filter(|sample| sample.rollout_success) {
        let interval = sample.intervals().and_then(|intervals| intervals.get(resource));
        let remaining = sample.amounts.get(resource).and_then(|amounts| amounts.remaining);
        match (interval, remaining) {
            (Some(interval), Some(remaining)) if interval.contains(remaining) => counts.hits += 1,
            (Some(interval), Some(remaining)) if interval.high() < remaining => {
                counts.optimistic += 1;
            }
            (Some(_), Some(_)) => counts.conservative += 1,
            _ => {}
        }
    }
    counts
}

fn upper_median(samples: &[ReleasedSample]) -> Option<f64> {
    let error = |sample: &ReleasedSample| {
        let remaining = sample.amounts.first()?.remaining.filter(|&remaining| remaining > 0.0)?;
        let midpoint = parse_training_answer(sample.response.as_deref()?)?.midpoint()?;
        Some((midpoint - remaining).abs() / remaining)
    };
    let mut errors: Vec<f64> =
        samples.iter().filter(|sample| sample.can_finish).filter_map(error).collect();
    errors.sort_unstable_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

/// Returns the reward of an answer in BAGEN's training. `remaining` is `None` if the run cannot finish.
///
/// For a run that can finish, `1.8 max(0, 1 - width / remaining)` if the two numbers are in order and contain the remaining
/// cost, and 0 otherwise. 0.2 for `impossible` if the run cannot finish. If nothing remained, only the answer `[0, 0]` gets
/// 1.8. In [0, 1.8]. The paper's rule is [`Estimate::rule_reward`](budget_estimation::Estimate::rule_reward).
///
/// Reference: `scripts/budget-rl/budget_probe_reward.py`, `compute_score`.
///
/// ```
/// use agent_scorecard::budget::bagen::training_reward;
///
/// assert_eq!(training_reward("<answer>[80, 120]</answer>", Some(100.0)), 0.6 * 1.8);
/// assert_eq!(training_reward("<answer>[80, 120]</answer>", None), 0.0);
/// assert_eq!(training_reward("<answer>impossible</answer>", None), 0.2);
/// ```
#[must_use]
pub fn training_reward(text: &str, remaining: Option<f64>) -> f64 {
    match (parse_training_answer(text), remaining) {
        (Some(TrainingAnswer::Impossible), None) => 0.2,
        (Some(TrainingAnswer::Ends([low, high])), Some(remaining)) if low <= high => {
            let accuracy = if remaining == 0.0 {
                if high == 0.0 { 1.0 } else { 0.0 }
            } else if low <= remaining && remaining <= high {
                (1.0 - (high - low) / remaining).max(0.0)
            } else {
                0.0
            };
            accuracy * 1.8
        }
        _ => 0.0,
    }
}
