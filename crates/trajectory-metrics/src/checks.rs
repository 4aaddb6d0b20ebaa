//! Checks of what is given that more than one module makes.

use crate::error::Error;

/// Checks that `what` has one entry a row.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// What is drawn from a single row or cluster never varies, which would pass for certainty.
pub(crate) fn at_least_two(what: &'static str, found: usize) -> Result<(), Error> {
    if found >= 2 {
        return Ok(());
    }
    Err(Error::ScoringRules(scoring_rules::Error::TooFew { what, least: 2, found }))
}

/// Checks that a result is not too large for a number.
pub(crate) fn in_range(what: &'static str, value: f64) -> Result<f64, Error> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Error::ScoringRules(scoring_rules::Error::NotFinite { what, value }))
    }
}

/// Checks that no value is infinite or a NaN.
pub(crate) fn finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => {
            let value = values[index];
            Err(Error::ScoringRules(scoring_rules::Error::NotFiniteAt { what, index, value }))
        }
    }
}
