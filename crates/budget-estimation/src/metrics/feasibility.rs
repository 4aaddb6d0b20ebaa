use scoring_rules::Weight;

use crate::{
    error::Error, estimates::estimate::Estimate, metrics::tally::Tally, replay::sample::Sample,
};

/// Counts of what was said about feasibility beside what was true; an interval says "feasible".
///
/// Constant memory; parts can be merged in any order, and a weight of 2 is the sample given twice.
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
///     for (k, said) in [(1, Estimate::interval(0.0, 90.0)?), (2, Estimate::Impossible)] {
///         counts.update(&Sample::new(&rollout, tokens, k, said)?);
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
    /// By label, impossible first; then by what was said: impossible, an interval, no answer.
    counts: [[Tally; 3]; 2],
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
/// // "It will succeed", of a run that did and of one that did not.
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct ClassScores {
    /// Share of what was said to be this class that was; none where it was never said.
    pub precision: Option<f64>,
    /// Share of this class of which it was said; none where there is nothing of this class.
    pub recall: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`; none where nothing is of this class and it was never said. It is
    /// 0, and not undefined, where the class was there and never said.
    pub f1: Option<f64>,
}

/// How well feasibility was told, from [`FeasibilityCounts`].
///
/// Undefined values are none. scikit-learn's `zero_division=0` writes 0 for each of them instead,
/// and so gives a macro-F1 of at most one half where one class neither is there nor was said.
///
/// ```
/// use budget_estimation::{Error, Estimate, FeasibilityCounts, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // "It will succeed", of a run that did and of one that did not.
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct FeasibilitySummary {
    /// Feasible, and an interval was given; a sum of weights, as all counts.
    pub feasible_as_feasible: f64,
    /// Feasible, but said to be impossible: false aborts.
    pub feasible_as_impossible: f64,
    /// Feasible, and no answer.
    pub feasible_unanswered: f64,
    /// Impossible, but an interval was given.
    pub impossible_as_feasible: f64,
    /// Impossible, and said so.
    pub impossible_as_impossible: f64,
    /// Impossible, and no answer.
    pub impossible_unanswered: f64,
    /// Of the class "feasible".
    pub feasible: ClassScores,
    /// Of the class "impossible"; its F1 is the Fail-F1.
    pub impossible: ClassScores,
    /// Mean of both F1; none where one of them is.
    pub macro_f1: Option<f64>,
    /// Share of samples of which the right thing was said.
    pub accuracy: f64,
}

impl FeasibilityCounts {
    /// Takes in one sample.
    #[inline]
    pub fn update(&mut self, sample: &Sample) {
        self.add(sample, Weight::ONE);
    }

    /// Takes in one sample of the given weight.
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) {
        self.add(sample, weight);
    }

    #[inline]
    pub(crate) fn add(&mut self, sample: &Sample, weight: Weight) {
        let [impossible, feasible] = &mut self.counts;
        let [as_impossible, as_feasible, unanswered] =
            if sample.is_feasible() { feasible } else { impossible };
        match sample.estimate() {
            Estimate::Impossible => as_impossible.add(weight),
            Estimate::Interval(_) => as_feasible.add(weight),
            Estimate::NoAnswer => unanswered.add(weight),
        }
    }

    /// Takes in everything that `other` has.
    pub fn merge(&mut self, other: &Self) {
        let more = other.counts.iter().flatten();
        self.counts.iter_mut().flatten().zip(more).for_each(|(tally, more)| tally.merge(more));
    }

    /// The scores of all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of positive weight.
    pub fn finish(&self) -> Result<FeasibilitySummary, Error> {
        let counts = self.counts.each_ref().map(|row| row.each_ref().map(Tally::value));
        let total: f64 = counts.iter().flatten().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(Error::Empty);
        }
        let [[ii, if_, iu], [fi, ff, fu]] = counts;
        let feasible = ClassScores::new(ff, if_, fi + fu);
        let impossible = ClassScores::new(ii, fi, if_ + iu);
        let macro_f1 = feasible.f1.zip(impossible.f1).map(|(a, b)| (a + b) / 2.0);
        Ok(FeasibilitySummary {
            feasible_as_feasible: ff,
            feasible_as_impossible: fi,
            feasible_unanswered: fu,
            impossible_as_feasible: if_,
            impossible_as_impossible: ii,
            impossible_unanswered: iu,
            feasible,
            impossible,
            macro_f1,
            accuracy: (ff + ii) / total,
        })
    }
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
