use scoring_rules::ExactSum;

use crate::{checks::same_length, error::Error, tool_calls::paths::failure_classes::FailureClass};

/// What the agent's calls cost more than the reference's: the sum of the one less that of the
/// other, in the unit of the costs.
///
/// Lower is better; at least 0 where the reference is the cheapest path. The sum is exact before it
/// is rounded once, so the order of the calls leaves no trace.
///
/// CostBench gives a failed call no cost and leaves out runs that do not reach the goal (appendix
/// B.3.2): give such a call cost 0, and such a run not at all.
///
/// Reference: cost gap in CostBench, appendix B.3.1, equation 14.
///
/// # Errors
///
/// [`Error::ScoringRules`] with the position of a cost that is a NaN or infinite, or for a gap
/// beyond the range of numbers.
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
    let mut sum = ExactSum::default();
    for (index, &value) in actual.iter().enumerate() {
        check("costs of the agent", index, value)?;
        sum.add(value);
    }
    for (index, &value) in reference.iter().enumerate() {
        check("costs of the reference", index, value)?;
        sum.add(-value);
    }
    let value = sum.value();
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Error::ScoringRules(scoring_rules::Error::NotFinite { what: "the cost gap", value }))
    }
}

/// The [`cost_gap`] of a run without redundant calls; `None` for one that has some, be they
/// repeated or made after the goal was reached, so that it is left out of a mean over runs. What is
/// left is lack of awareness of cost, not of progress.
///
/// `classes` has one entry a call, as from [`failure_classes`](crate::tool_calls::failure_classes).
///
/// Reference: CostBench, tables 3 and 4, the values in parentheses, which by the captions leave out
/// samples and not calls.
///
/// # Errors
///
/// As [`cost_gap`], also for a run that is left out; [`Error::Length`] unless there is one class a
/// cost.
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

fn check(what: &'static str, index: usize, value: f64) -> Result<(), Error> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(Error::ScoringRules(scoring_rules::Error::NotFiniteAt { what, index, value }))
    }
}

/// How much of what was spent had to be spent: `optimal / actual`.
///
/// Higher is better; in [0, 1] where nothing cheaper than the optimum exists, above 1 where the
/// agent found something cheaper. Any optimum will do: cost, calls, tokens, time.
///
/// # Errors
///
/// [`Error::Setting`] unless the actual cost is positive and the optimal one is not negative, both
/// finite: of nothing spent there is no share.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::cost_efficiency_score};
///
/// assert_eq!(cost_efficiency_score(8.0, 6.0)?, 0.75);
/// assert!(matches!(cost_efficiency_score(0.0, 0.0), Err(Error::Setting { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn cost_efficiency_score(actual: f64, optimal: f64) -> Result<f64, Error> {
    if !(actual > 0.0 && actual < f64::INFINITY) {
        let range = "above 0 and finite";
        return Err(Error::Setting { name: "actual cost", value: actual, range });
    }
    if !(0.0..f64::INFINITY).contains(&optimal) {
        let range = "at least 0 and finite";
        return Err(Error::Setting { name: "optimal cost", value: optimal, range });
    }
    Ok(optimal / actual)
}
