use crate::error::Error;

/// Checks that no value is NaN or infinite.
pub(crate) fn finite_values(what: &'static str, values: &[f64]) -> Result<(), Error> {
    let wrong = values.iter().enumerate().find(|(_, value)| !value.is_finite());
    wrong.map_or(Ok(()), |(index, &value)| {
        Err(Error::ScoringRules(scoring_rules::Error::NotFiniteAt { what, index, value }))
    })
}
