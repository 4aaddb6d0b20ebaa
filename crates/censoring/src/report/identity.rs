use crate::{checks::no_score, error::Error};

/// Returns the largest error of an identity over runs. `f64::max` would hide a NaN, which is an error here
/// and names its run.
pub(crate) fn largest_error(errors: impl Iterator<Item = (usize, f64)>) -> Result<f64, Error> {
    let mut largest = 0.0_f64;
    for (run, error) in errors {
        if error.is_nan() {
            return Err(no_score(run, error));
        }
        largest = largest.max(error);
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_is_not_hidden_by_numbers_before_or_after_it() {
        assert_eq!(largest_error([(0, 0.0), (4, 1e-16), (5, 0.0)].into_iter()), Ok(1e-16));
        for errors in [[f64::NAN, 0.5, 1.0], [0.5, f64::NAN, 1.0], [0.5, 1.0, f64::NAN]] {
            let run = errors.iter().position(|error| error.is_nan());
            let error = largest_error(errors.into_iter().enumerate()).unwrap_err();
            assert!(
                matches!(error, Error::ScoringRules(scoring_rules::Error::Entry { index, .. }) if Some(index) == run),
                "{error}"
            );
        }
    }
}
