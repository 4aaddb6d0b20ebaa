//! Range checks that several functions share. NaN fails all of them.

#[cfg(feature = "serde")]
use crate::error::Error;
use scoring_rules::decimals::Decimal;

pub(crate) use scoring_rules::checks::{same_length, setting};

/// The largest cost, so that sums and products of costs do not overflow.
pub(crate) const MOST: f64 = 1e100;

/// Returns whether a number is a valid cost or cap.
#[inline]
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

/// Returns the product of a share and a cap as the decimals that were written, so that 0.07 of 100 is 7.
pub(crate) fn share_of(cap: f64, share: f64) -> f64 {
    Decimal::shortest(share).times(Decimal::shortest(cap)).nearest()
}

/// Checks that a setting is above 0 and at most the largest cost.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), scoring_rules::Error> {
    setting(name, value, value > 0.0 && value <= MOST, "above 0 and at most 1e100")
}

/// Returns an error unless a stored value has the property that all values of its type have in this crate.
#[cfg(feature = "serde")]
pub(crate) fn stored(valid: bool, problem: &'static str) -> Result<(), Error> {
    if valid { Ok(()) } else { Err(scoring_rules::checks::stored_value(problem).into()) }
}

/// Returns the rank, or the weight, that a share of `all` must reach, minus an allowance for rounding errors.
///
/// A computed share such as 1 - 0.9 is off by some units in the last place of 1, which its product
/// with `all` multiplies. Without the allowance, 10 % of 100 could round up to rank 11.
pub(crate) fn least(share: f64, all: f64) -> f64 {
    (share - 1e-12) * all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_errors_of_the_share_never_raise_a_whole_rank() {
        for all in [100, 200, 12_300, 10_000_000, 100_000_000] {
            for percent in 1..100_i64 {
                let whole = (percent * all / 100) as f64;
                let share = percent as f64 / 100.0;
                // The same share computed in three ways.
                let moved = 1.0 - (1.0 - share + 0.3 - 0.1 - 0.2);
                for share in [share, 1.0 - (1.0 - share), moved] {
                    assert_eq!(least(share, all as f64).ceil(), whole, "{share} of {all}");
                }
                // A hundredth of a rank more gives the next rank.
                let more = (whole + 0.01) / all as f64;
                assert_eq!(least(more, all as f64).ceil(), whole + 1.0, "{more} of {all}");
            }
        }
    }
}
