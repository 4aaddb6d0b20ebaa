use crate::error::Error;

/// The share of calls that were not valid: no such tool, wrong parameters, or inputs that were not
/// there yet. `valid` says it of each call.
///
/// In [0, 1], lower is better. Over the calls of many runs together, long runs count for more,
/// which is how CostBench reports it.
///
/// Reference: ITUR in CostBench, appendix B.3.1, and B.3.2: all runs, whatever their outcome.
///
/// # Errors
///
/// [`Error::Empty`] without a call.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::invalid_tool_use_ratio};
///
/// assert_eq!(invalid_tool_use_ratio(&[true, false, true, true])?, 0.25);
/// assert_eq!(invalid_tool_use_ratio(&[]), Err(Error::Empty));
/// # Ok::<(), Error>(())
/// ```
pub fn invalid_tool_use_ratio(valid: &[bool]) -> Result<f64, Error> {
    if valid.is_empty() {
        return Err(Error::Empty);
    }
    Ok(valid.iter().filter(|&&valid| !valid).count() as f64 / valid.len() as f64)
}
