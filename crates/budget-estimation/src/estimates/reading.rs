/// The rule by which an answer counts as a prediction that a run cannot succeed within its cap.
///
/// ```
/// use budget_estimation::{Error, Estimate, Reading, Rollouts, Sample};
///
/// // 50 of 120 tokens are spent, so that 70 are left.
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// let tokens = rollouts.resource("tokens")?;
/// rollouts.set_cap(tokens, 120.0)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let sample = Sample::new(&rollouts.get(0)?, tokens, 1, Estimate::interval(90.0, 110.0)?)?;
/// assert!(sample.predicts_impossible());
/// assert!(!sample.with_reading(Reading::Answers).predicts_impossible());
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, sections 3.3 and 6.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Reading {
    /// Only the word `impossible` counts. Any interval predicts success, even one above the amount left under the cap.
    /// This is how the paper and its code read answers.
    Answers,
    /// The word `impossible` counts, and so does an interval whose lower bound exceeds the amount left under the cap,
    /// because both mean the same.
    #[default]
    Cap,
}

impl Reading {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Answers, Self::Cap];

    /// Returns the amount left under the cap, if this reading uses it.
    #[inline]
    pub(crate) fn left(self, left: Option<f64>) -> Option<f64> {
        left.filter(|_| self == Self::Cap)
    }
}
