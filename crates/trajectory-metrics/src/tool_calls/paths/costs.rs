use scoring_rules::ExactSum;

use crate::{
    checks::{all_finite, finite, same_length},
    error::Error,
    tool_calls::paths::failure_classes::FailureClass,
};

/// Returns the cost gap: the total cost of the agent's calls minus the total cost of the reference calls.
///
/// Lower is better; at least 0 if the reference is a cheapest path. The sum is exact and rounded
/// once, so that it does not depend on the order of the calls.
///
/// CostBench gives a failed call no cost, and excludes runs that do not reach the goal (appendix
/// B.3.2): give a failed call the cost 0, and exclude such runs.
///
/// Reference: cost gap in CostBench, appendix B.3.1, equation 14.
///
/// # Errors
///
/// [`Error::ScoringRules`] with the position of the first cost that is not finite, or if the gap
/// overflows.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::cost_gap};
///
/// // The example of CostBench, appendix B.3.3.
/// let gap = cost_gap(&[22.22, 38.55, 23.56], &[40.73, 42.67])?;
/// assert!((gap - 0.93).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
pub fn cost_gap(actual: &[f64], reference: &[f64]) -> Result<f64, Error> {
    all_finite("costs of the agent", actual)?;
    all_finite("costs of the reference", reference)?;
    let mut sum = ExactSum::default();
    actual.iter().for_each(|&cost| sum.add(cost));
    reference.iter().for_each(|&cost| sum.add(-cost));
    finite("the cost gap", sum.value())
}

/// Returns the [`cost_gap`] of a run without redundant calls, or `None` for a run that repeats a call or calls a tool
/// after the goal was reached.
///
/// A mean over runs then excludes these runs. It measures unawareness of cost, not unawareness of progress. `classes`
/// has one entry per call, as returned by [`FailureClass::of_each`](crate::tool_calls::FailureClass::of_each).
///
/// Reference: CostBench, tables 3 and 4, the values in parentheses, which by the captions exclude
/// samples and not calls.
///
/// # Errors
///
/// The errors of [`cost_gap`], also for a run with redundant calls; [`scoring_rules::Error::Length`] unless there is
/// one class per cost.
///
/// ```
/// use trajectory_metrics::{
///     Error, ExactMean,
///     tool_calls::{FailureClass, cost_gap_without_redundant},
/// };
///
/// let lean = cost_gap_without_redundant(&[2.0, 4.0], &[5.0], &[None, None])?;
/// let classes = [None, Some(FailureClass::Repeated), None];
/// let repeating = cost_gap_without_redundant(&[2.0, 2.0, 4.0], &[5.0], &classes)?;
/// assert_eq!((lean, repeating), (Some(1.0), None));
///
/// let mut mean = ExactMean::default();
/// mean.extend([lean, repeating].into_iter().flatten());
/// assert_eq!(mean.finish()?, 1.0);
/// # Ok::<(), Error>(())
/// ```
pub fn cost_gap_without_redundant(
    actual: &[f64],
    reference: &[f64],
    classes: &[Option<FailureClass>],
) -> Result<Option<f64>, Error> {
    same_length("classes", actual.len(), classes.len())?;
    let gap = cost_gap(actual, reference)?;
    let redundant = classes.iter().flatten().any(|class| class.is_redundant());
    Ok((!redundant).then_some(gap))
}
