/// The unit of a margin.
///
/// ```
/// use budget_estimation::{
///     Calibrated, Error, Estimate, Level, MarginUnit, Rollouts, SplitConformal, estimator_from_fn,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[5.0, 12.0], true)?;
/// rollouts.push(&[10.0, 12.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let second = |unit| {
///     // Predicts 10 for the first run, which still spends 12: short by 2, or by 20 %.
///     let twice = estimator_from_fn(|prefix| {
///         let more = 2.0 * prefix.usage().total();
///         Estimate::interval(more, more)
///     });
///     let mut calibrated = Calibrated::new(twice, SplitConformal::new(Level::HALF), unit);
///     let samples = rollouts.score(tokens, &mut calibrated)?;
///     Ok::<_, Error>(samples[1].estimate())
/// };
/// assert_eq!(second(MarginUnit::Resource)?, Estimate::interval(18.0, 22.0)?);
/// assert_eq!(second(MarginUnit::Midpoint)?, Estimate::interval(16.0, 24.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MarginUnit {
    /// The resource's own unit, so that the margin is the same early and late in a run.
    Resource,
    /// The midpoint of the interval: a margin of 0.1 is a tenth of the estimated remaining amount.
    Midpoint,
}
