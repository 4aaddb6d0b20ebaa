//! Checks of input that several functions share.

use crate::error::Error;

/// Returns whether a score is from -1e100 to 1e100, so that its products with weights cannot overflow.
pub(crate) fn can_be_averaged(score: f64) -> bool {
    (-1e100..=1e100).contains(&score)
}

/// Returns the error for a score that is not from -1e100 to 1e100; `what` is of a run or of a step.
pub(crate) fn too_large(what: &'static str, index: usize, value: f64) -> Error {
    entry(what, index, value, "from -1e100 to 1e100, as those of clipped rules are")
}

/// Returns the error for a score that is NaN or plus infinity.
pub(crate) fn no_score(run: usize, value: f64) -> Error {
    entry("score of run", run, value, "finite or minus infinity")
}

/// Returns the error for an entry outside its range.
fn entry(what: &'static str, index: usize, value: f64, range: &'static str) -> Error {
    scoring_rules::checks::entry(what, index, value, range).into()
}
