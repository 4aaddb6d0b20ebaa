use scoring_rules::Probability;

use crate::error::Error;

/// Multiplies the odds of a probability by `odds_ratio`.
///
/// ```text
/// q r / (1 - q + q r),  so that  odds(tilt(q, r)) = r odds(q)
/// ```
///
/// This is the step of a sensitivity analysis: if being cut off is related to the outcome, the odds of
/// success after the stop are wrong by a factor that no data can show. An odds ratio of 1 changes
/// nothing; probabilities of 0 and 1 do not change.
///
/// Reference: Scharfstein, Rotnitzky and Robins (1999), Adjusting for nonignorable drop-out using
/// semiparametric nonresponse models, doi:10.1080/01621459.1999.10473862.
///
/// # Errors
///
/// [`Error::Setting`] unless the odds ratio is positive and finite.
///
/// ```
/// use censoring::{Error, Probability, tilt};
///
/// assert_eq!(tilt(Probability::HALF, 3.0)?.get(), 0.75);
/// assert_eq!(tilt(Probability::ONE, 1e-9)?, Probability::ONE);
/// # Ok::<(), Error>(())
/// ```
pub fn tilt(q: Probability, odds_ratio: f64) -> Result<Probability, Error> {
    check_odds_ratio(odds_ratio)?;
    Ok(Probability::new(tilted(q.get(), odds_ratio))?)
}

/// Checks that an odds ratio is positive and finite.
pub(crate) fn check_odds_ratio(odds_ratio: f64) -> Result<(), Error> {
    if odds_ratio > 0.0 && odds_ratio < f64::INFINITY {
        Ok(())
    } else {
        Err(Error::Setting { name: "odds_ratio", value: odds_ratio, range: "above 0 and finite" })
    }
}

/// [`tilt`] of checked numbers.
pub(crate) fn tilted(q: f64, odds_ratio: f64) -> f64 {
    // Without cancellation, a small probability keeps all its digits.
    q * odds_ratio / ((1.0 - q) + q * odds_ratio)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_odds_ratio_that_is_not_positive_and_finite_is_refused() {
        for value in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let error = tilt(Probability::HALF, value).unwrap_err();
            assert!(error.to_string().starts_with("odds_ratio is"), "{error}");
        }
    }

    #[test]
    fn ends_stay_and_extreme_odds_ratios_reach_the_ends() {
        for r in [f64::MIN_POSITIVE, f64::from_bits(1), 0.3, 1.0, 1e9, f64::MAX] {
            assert_eq!(tilt(Probability::ZERO, r), Ok(Probability::ZERO));
            assert_eq!(tilt(Probability::ONE, r), Ok(Probability::ONE));
        }
        assert_eq!(tilt(Probability::HALF, f64::MAX), Ok(Probability::ONE));
        assert!(tilt(Probability::HALF, 1e-300).unwrap().get() < 1.1e-300);
    }

    proptest! {
        #[test]
        fn one_changes_nothing_to_the_bit(q in 0.0..=1.0_f64) {
            prop_assert_eq!(tilted(q, 1.0), q);
        }

        #[test]
        fn odds_are_multiplied(q in 1e-6..0.999_999_f64, r in 1e-3..1e3_f64, s in 1e-3..1e3_f64) {
            let odds = |p: f64| p / (1.0 - p);
            prop_assert!((odds(tilted(q, r)) / (r * odds(q)) - 1.0).abs() < 1e-6);
            prop_assert!((tilted(tilted(q, r), s) / tilted(q, r * s) - 1.0).abs() < 1e-9);
            prop_assert!((tilted(q, r) + tilted(1.0 - q, 1.0 / r) - 1.0).abs() < 1e-12);
        }
    }
}
