use crate::{error::Error, replay::sample::Sample};

/// The measure of progress by which [`ProgressMetrics`](crate::ProgressMetrics) sorts samples into bins.
///
/// ```
/// use budget_estimation::{Error, Estimate, ProgressAxis, ProgressMetrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[30.0, 10.0, 60.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let late = Sample::new(&rollout, tokens, 2, Estimate::Impossible)?;
///
/// // After two of three turns, 40 % are spent.
/// let alarm_rate = |axis| -> Result<Vec<Option<f64>>, Error> {
///     let mut metrics = ProgressMetrics::new(2)?.with_axis(axis);
///     metrics.update(&late)?;
///     let bins = metrics.finish()?.by_progress;
///     Ok(bins.iter().map(|bin| bin.and_then(|bin| bin.feasibility.impossible.recall)).collect())
/// };
/// assert_eq!(alarm_rate(ProgressAxis::Turns)?, [None, Some(1.0)]);
/// assert_eq!(alarm_rate(ProgressAxis::Spent)?, [Some(1.0), None]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ProgressAxis {
    /// The share of the run's turns, k / T.
    #[default]
    Turns,
    /// The share of the total cost of the run, C_k / C_T; 1 if the total is 0.
    Spent,
    /// The share of the cap, C_k / cap. Samples at or above the cap are in the last bin; a sample without
    /// a cap is an error.
    Cap,
}

impl ProgressAxis {
    /// Returns the bin of a sample among `bins`.
    #[inline]
    pub(super) fn bin(self, sample: &Sample, bins: usize) -> Result<usize, Error> {
        let of_share = |share: f64| ((share * bins as f64) as usize).min(bins - 1);
        Ok(match self {
            // In whole numbers, so that a sample on a border is in the upper bin.
            Self::Turns => {
                (sample.turn() as u64 * bins as u64 / sample.turns().max(1) as u64) as usize
            }
            Self::Spent => of_share(sample.spent_share()),
            Self::Cap => {
                let reason = "a sample has no cap";
                let none =
                    scoring_rules::Error::Undefined { name: "the spent share of the cap", reason };
                let cap = sample.cap().ok_or(none)?;
                of_share(if cap > 0.0 { sample.used() / cap } else { 1.0 })
            }
        })
    }
}
