use scoring_rules::Weight;

use crate::{
    error::Error, estimates::estimate::Estimate, metrics::tally::Tally, replay::sample::Sample,
};

/// Counts of predicted against actual feasibility. An interval predicts that the run is feasible, unless
/// it lies above what is left under the cap (see [`Estimate::predicts_impossible`]).
///
/// Uses constant memory. Parts can be merged in any order, and a weight of 2 counts as the sample
/// given twice.
///
/// ```
/// use budget_estimation::{Error, Estimate, FeasibilityCounts, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// let mut counts = FeasibilityCounts::default();
/// for rollout in rollouts.iter() {
///     for (k, answer) in [(1, Estimate::interval(0.0, 90.0)?), (2, Estimate::Impossible)] {
///         counts.update(&Sample::new(&rollout, tokens, k, answer)?);
///     }
/// }
/// let summary = counts.finish()?;
/// assert_eq!(summary.macro_f1, Some(0.5));
/// assert_eq!(summary.impossible.recall, Some(0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FeasibilityCounts {
    /// By label (impossible, feasible), then by prediction (impossible, feasible, no answer).
    counts: [[Tally; 3]; 2],
    /// By label, the intervals above what is left under a cap, which are counted as impossible.
    #[cfg_attr(feature = "serde", serde(default))]
    above_left: [Tally; 2],
}

/// Precision, recall and F1 of one class.
///
/// ```
/// use budget_estimation::{Error, Estimate, FeasibilityCounts, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // Two runs are predicted to succeed; one does.
/// let mut counts = FeasibilityCounts::default();
/// for rollout in rollouts.iter() {
///     counts.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?);
/// }
/// let summary = counts.finish()?;
/// let [feasible, impossible] = [summary.feasible, summary.impossible];
/// assert_eq!((feasible.precision, feasible.recall), (Some(0.5), Some(1.0)));
/// assert_eq!((impossible.precision, impossible.recall), (None, Some(0.0)));
/// assert_eq!(impossible.f1, Some(0.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClassScores {
    /// Share of the samples predicted as this class that belong to it; `None` if there are none.
    pub precision: Option<f64>,
    /// Share of the samples of this class that are predicted as it; `None` if there are none.
    pub recall: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`; `None` if no sample belongs to this class and none is predicted as
    /// it. If the class occurs but is never predicted, it is 0.
    pub f1: Option<f64>,
}

/// Scores of feasibility predictions, from [`FeasibilityCounts`].
///
/// Undefined values are `None`. scikit-learn with `zero_division=0` reports 0 for each of them
/// instead, so its macro-F1 is at most one half if a class neither occurs nor is predicted.
///
/// ```
/// use budget_estimation::{Error, Estimate, FeasibilityCounts, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // Two runs are predicted to succeed; one does.
/// let mut counts = FeasibilityCounts::default();
/// for rollout in rollouts.iter() {
///     counts.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?);
/// }
/// let summary = counts.finish()?;
/// assert_eq!((summary.feasible_as_feasible, summary.impossible_as_feasible), (1.0, 1.0));
/// assert_eq!((summary.macro_f1, summary.accuracy), (Some(1.0 / 3.0), 0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FeasibilitySummary {
    /// Feasible samples predicted feasible; a sum of weights, like all counts.
    pub feasible_as_feasible: f64,
    /// Feasible samples predicted impossible: false aborts.
    pub feasible_as_impossible: f64,
    /// Feasible samples without an answer.
    pub feasible_unanswered: f64,
    /// Impossible samples predicted feasible.
    pub impossible_as_feasible: f64,
    /// Impossible samples predicted impossible.
    pub impossible_as_impossible: f64,
    /// Impossible samples without an answer.
    pub impossible_unanswered: f64,
    /// Scores of the class "feasible".
    pub feasible: ClassScores,
    /// Scores of the class "impossible"; its F1 is the Fail-F1.
    pub impossible: ClassScores,
    /// Mean of both F1 scores; `None` if either is.
    pub macro_f1: Option<f64>,
    /// The same with the paper's reading, in which any interval predicts that the run is feasible, also one
    /// above what is left under a cap. Equal to `macro_f1` without caps.
    pub macro_f1_of_answers: Option<f64>,
    /// Share of samples with a correct prediction.
    pub accuracy: f64,
    /// Share of samples with a readable answer: the format rate.
    pub format_rate: f64,
}

impl FeasibilityCounts {
    /// Adds one sample.
    #[inline]
    pub fn update(&mut self, sample: &Sample) {
        self.update_weighted(sample, Weight::ONE);
    }

    /// Adds one sample with a weight.
    #[inline]
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) {
        let [impossible, feasible] = &mut self.counts;
        let [impossible_above, feasible_above] = &mut self.above_left;
        let ([as_impossible, as_feasible, unanswered], above_left) = if sample.is_feasible() {
            (feasible, feasible_above)
        } else {
            (impossible, impossible_above)
        };
        match sample.estimate() {
            Estimate::Impossible => as_impossible.add(weight),
            Estimate::Interval(_) if sample.predicts_impossible() => {
                as_impossible.add(weight);
                above_left.add(weight);
            }
            Estimate::Interval(_) => as_feasible.add(weight),
            Estimate::NoAnswer => unanswered.add(weight),
        }
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        let more = other.counts.iter().flatten();
        self.counts.iter_mut().flatten().zip(more).for_each(|(tally, more)| tally.merge(more));
        let above_left = self.above_left.iter_mut().zip(&other.above_left);
        above_left.for_each(|(tally, more)| tally.merge(more));
    }

    /// The scores of all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of positive weight.
    pub fn finish(&self) -> Result<FeasibilitySummary, Error> {
        let counts = self.counts.each_ref().map(|row| row.each_ref().map(Tally::value));
        let above_left = self.above_left.each_ref().map(Tally::value);
        FeasibilitySummary::new(counts, above_left).ok_or(Error::Empty)
    }
}

impl FeasibilitySummary {
    /// From counts by label and prediction, as in [`FeasibilityCounts`]; `None` if all are 0.
    pub(super) fn new(counts: [[f64; 3]; 2], above_left: [f64; 2]) -> Option<Self> {
        let total: f64 = counts.iter().flatten().sum();
        if total.is_nan() || total <= 0.0 {
            return None;
        }
        let [[ii, if_, iu], [fi, ff, fu]] = counts;
        let feasible = ClassScores::new(ff, if_, fi + fu);
        let impossible = ClassScores::new(ii, fi, if_ + iu);
        let macro_f1 = mean_f1(feasible, impossible);
        let [ia, fa] = above_left;
        let macro_f1_of_answers = mean_f1(
            ClassScores::new(ff + fa, if_ + ia, fi - fa + fu),
            ClassScores::new(ii - ia, fi - fa, if_ + ia + iu),
        );
        Some(Self {
            feasible_as_feasible: ff,
            feasible_as_impossible: fi,
            feasible_unanswered: fu,
            impossible_as_feasible: if_,
            impossible_as_impossible: ii,
            impossible_unanswered: iu,
            feasible,
            impossible,
            macro_f1,
            macro_f1_of_answers,
            accuracy: (ff + ii) / total,
            format_rate: (ff + fi + if_ + ii) / total,
        })
    }
}

fn mean_f1(feasible: ClassScores, impossible: ClassScores) -> Option<f64> {
    feasible.f1.zip(impossible.f1).map(|(a, b)| (a + b) / 2.0)
}

impl ClassScores {
    fn new(hits: f64, false_alarms: f64, missed: f64) -> Self {
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        Self {
            precision: share(hits, hits + false_alarms),
            recall: share(hits, hits + missed),
            f1: share(2.0 * hits, 2.0 * hits + false_alarms + missed),
        }
    }
}
