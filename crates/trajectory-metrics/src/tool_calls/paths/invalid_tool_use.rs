use crate::error::{Error, Shared};

/// Returns the share of calls that are invalid: calls of an unknown tool, with wrong parameters, or
/// with inputs that were not available yet. `valid` states for each call whether it is valid.
///
/// In [0, 1]; lower is better. CostBench computes it over the calls of many runs together, so that
/// long runs count more.
///
/// Reference: ITUR in CostBench, appendix B.3.1; appendix B.3.2: over all runs, regardless of their
/// outcome.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a call.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::invalid_tool_use_ratio};
///
/// assert_eq!(invalid_tool_use_ratio(&[true, false, true, true])?, 0.25);
/// assert_eq!(invalid_tool_use_ratio(&[]), Err(scoring_rules::Error::Empty.into()));
/// # Ok::<(), Error>(())
/// ```
pub fn invalid_tool_use_ratio(valid: &[bool]) -> Result<f64, Error> {
    if valid.is_empty() {
        return Err(Shared::Empty.into());
    }
    Ok(valid.iter().filter(|&&valid| !valid).count() as f64 / valid.len() as f64)
}
