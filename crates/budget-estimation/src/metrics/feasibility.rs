/// Precision, recall and F1 of one class.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // Two runs are predicted to succeed; one does.
/// let mut metrics = Metrics::default();
/// for rollout in rollouts.iter() {
///     metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?, Weight::ONE)?;
/// }
/// let summary = metrics.finish()?.feasibility;
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
    /// Share of the samples predicted to be in this class that are in it; `None` if no sample is predicted to be.
    pub precision: Option<f64>,
    /// Share of the samples in this class that are predicted to be in it; `None` if no sample is in it.
    pub recall: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`; `None` if no sample is in this class and none is predicted to be. If samples are in
    /// the class but none is predicted to be, it is 0.
    pub f1: Option<f64>,
}

/// Scores of feasibility predictions, from [`Metrics`](crate::Metrics). An interval predicts that the run is feasible,
/// unless it lies above the amount left under the cap and the reading is [`Reading::Cap`](crate::Reading::Cap), the
/// default.
///
/// Undefined values are `None`. scikit-learn with `zero_division=0` reports 0 for each of them
/// instead, so its macro-F1 is at most one half if a class neither occurs nor is predicted.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // Two runs are predicted to succeed; one does.
/// let mut metrics = Metrics::default();
/// for rollout in rollouts.iter() {
///     metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?, Weight::ONE)?;
/// }
/// let summary = metrics.finish()?.feasibility;
/// assert_eq!((summary.feasible_as_feasible, summary.impossible_as_feasible), (1.0, 1.0));
/// assert_eq!((summary.macro_f1, summary.accuracy), (Some(1.0 / 3.0), 0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FeasibilitySummary {
    /// Number of feasible samples predicted feasible; like all counts, a sum of weights if samples have weights.
    pub feasible_as_feasible: f64,
    /// Number of feasible samples predicted impossible, which are false alarms.
    pub feasible_as_impossible: f64,
    /// Number of feasible samples without an answer.
    pub feasible_unanswered: f64,
    /// Number of impossible samples predicted feasible.
    pub impossible_as_feasible: f64,
    /// Number of impossible samples predicted impossible.
    pub impossible_as_impossible: f64,
    /// Number of impossible samples without an answer.
    pub impossible_unanswered: f64,
    /// Scores of the class "feasible".
    pub feasible: ClassScores,
    /// Scores of the class "impossible"; its F1 is the Fail-F1.
    pub impossible: ClassScores,
    /// Mean of the F1 scores of the two classes; `None` if either is `None`.
    pub macro_f1: Option<f64>,
    /// `macro_f1` if answers are read as in the paper: any interval predicts that the run is feasible, even one above
    /// the amount left under a cap. Without caps, it equals `macro_f1`.
    pub macro_f1_of_answers: Option<f64>,
    /// Share of samples with a correct prediction.
    pub accuracy: f64,
    /// Share of samples with a readable answer, also called the format rate.
    pub format_rate: f64,
}

impl FeasibilitySummary {
    /// Computes the scores from numbers of samples, or from sums of their weights. The first row is for infeasible
    /// prefixes, the second for feasible ones. The columns are for prefixes predicted impossible, prefixes predicted
    /// feasible, and prefixes without an answer. Every interval counts as predicted feasible. `None` if there is no
    /// sample.
    ///
    /// ```
    /// use budget_estimation::FeasibilitySummary;
    ///
    /// let scores = FeasibilitySummary::from_counts([[3.0, 1.0, 0.0], [1.0, 5.0, 0.0]]).unwrap();
    /// assert_eq!((scores.impossible.f1, scores.accuracy), (Some(0.75), 0.8));
    /// ```
    #[must_use]
    pub fn from_counts(counts: [[f64; 3]; 2]) -> Option<Self> {
        Self::new(counts, [0.0; 2])
    }

    /// Computes the scores from counts by label (impossible, feasible) and prediction (impossible, feasible,
    /// no answer). `above_left` has, by label, the numbers of intervals above the amount left. `None` if all
    /// counts are 0.
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
