use super::decimals::{Decimal, POWERS, in_units};

/// A sum of numbers as decimals: 0.1 + 0.2 is 0.3.
///
/// Each term is taken as the shortest decimal number that rounds to the same f64, and the sum of
/// these decimals is rounded once, to the nearest f64. Comparing a sum of money with a limit
/// therefore gives the same result as on paper. Terms may be negative.
///
/// The sum is exact, and independent of the order of its terms, as long as its digits span at most
/// 37 decimal places, such as from 1e20 to 1e-16. Beyond that the lowest digits are rounded away,
/// which changes the sum by less than 1e-35 of its largest intermediate value. Infinite terms and
/// NaN behave as in plain addition. Two sums are equal if their decimal values are equal.
///
/// Cost: constant memory (48 bytes). Adding an integer, or a number with no more decimal places
/// than earlier terms, takes a few nanoseconds; adding a number of 16 or 17 digits takes about a
/// tenth of a microsecond.
///
/// With the feature `serde` a sum is written exactly, as its digits and a power of ten, such as
/// `"3e-1"`. A sum that is infinite or NaN cannot be written.
///
/// ```
/// use scoring_rules::DecimalSum;
///
/// let tenths: DecimalSum = [0.1; 3].into_iter().collect();
/// assert_eq!(tenths.value(), 0.3);
/// assert_eq!(0.1 + 0.1 + 0.1, 0.30000000000000004);
///
/// let mut left: DecimalSum = [0.3].into_iter().collect();
/// left.add(-0.1);
/// assert_eq!(left.value(), 0.2);
/// ```
///
/// Reference for the shortest decimal: Steele and White (1990), How to print floating-point
/// numbers accurately, doi:10.1145/93542.93559.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecimalSum {
    decimal: Decimal,
    /// The plain sum of the infinite and NaN terms, or 0 if there are none.
    special: f64,
}

impl DecimalSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        if let Some(&scale) = POWERS.get(self.decimal.exponent.unsigned_abs() as usize)
            && self.decimal.exponent <= 0
            && let Some(units) = in_units(term, scale)
            && let Some(sum) = self.decimal.units.checked_add(i128::from(units))
        {
            self.decimal.units = sum;
        } else {
            self.add_any(term);
        }
    }

    #[cold]
    fn add_any(&mut self, term: f64) {
        if term.is_finite() {
            self.decimal = self.decimal.plus(Decimal::shortest(term));
        } else {
            self.special += term;
        }
    }

    /// The number of decimal places of the terms, or `None` if it is above 15 or the sum, in units
    /// of the last place, has more than 15 digits. Differences of such sums are exact in these
    /// units.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn places(&self) -> Option<u8> {
        let few = self.decimal.units.unsigned_abs() < 1_000_000_000_000_000;
        let places = u8::try_from(-self.decimal.exponent).ok().filter(|&places| places <= 15);
        places.filter(|_| few && self.special == 0.0)
    }

    /// Adds all terms of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.decimal = self.decimal.plus(other.decimal);
        self.special += other.special;
    }

    /// The sum, rounded to the nearest f64 (ties to even).
    #[must_use]
    #[inline]
    pub fn value(&self) -> f64 {
        if self.special != 0.0 { self.special } else { self.decimal.nearest() }
    }
}

impl PartialEq for DecimalSum {
    fn eq(&self, other: &Self) -> bool {
        if self.special != 0.0 || other.special != 0.0 {
            self.special == other.special
        } else {
            self.decimal.without_zeros() == other.decimal.without_zeros()
        }
    }
}

collecting!(DecimalSum, add);

#[cfg(feature = "serde")]
impl serde::Serialize for DecimalSum {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.special != 0.0 {
            return Err(serde::ser::Error::custom("an infinite or NaN sum cannot be stored"));
        }
        let Decimal { units, exponent } = self.decimal;
        serializer.collect_str(&format_args!("{units}e{exponent}"))
    }
}

/// Whether fewer than 1e19 terms can have this sum.
#[cfg(feature = "serde")]
fn reachable(units: i128, exponent: i32) -> bool {
    let digits = units.unsigned_abs().checked_ilog10().map_or(0, |log| log as i32);
    (-324..=308).contains(&exponent) && digits + exponent < 308 + 19
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for DecimalSum {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parts = text.split_once('e').and_then(|(units, exponent)| {
            Some((units.parse::<i128>().ok()?, exponent.parse::<i32>().ok()?))
        });
        match parts {
            Some((units, exponent)) if units > i128::MIN && reachable(units, exponent) => {
                Ok(Self { decimal: Decimal { units, exponent }, special: 0.0 })
            }
            _ => Err(serde::de::Error::custom(format_args!(
                "{text:?} is not a decimal sum of f64; give digits and a power of ten from -324 to 308, \
                 such as \"384e-2\""
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(terms: &[f64]) -> DecimalSum {
        terms.iter().copied().collect()
    }

    #[test]
    fn sums_equal_the_sums_of_the_decimals() {
        for (terms, expected) in [
            (&[0.1, 0.2][..], 0.3),
            (&[0.1; 10], 1.0),
            (&[40.73, 42.67], 83.4),
            (&[1e16, 1.0, 1.0], 1e16 + 2.0),
            (&[1e22, 0.1, -1e22], 0.1),
            (&[1e-10, 3e9, -3e9], 1e-10),
            (&[0.1 + 0.2], 0.1 + 0.2),
            (&[1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0], 1.0 / 3.0),
            (&[0.0, -0.0], 0.0),
            (&[5e-324, 5e-324], 1e-323),
            (&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
            (&[f64::MAX, f64::MAX], f64::INFINITY),
            (&[-0.7, 0.1], -0.6),
            (&[], 0.0),
        ] {
            assert_eq!(sum(terms).value(), expected, "{terms:?}");
        }
        assert!(sum(&[0.0, -0.0]).value().is_sign_positive());
    }

    #[test]
    fn infinite_terms_and_nan_behave_as_in_plain_addition() {
        assert_eq!(sum(&[1.0, f64::INFINITY]).value(), f64::INFINITY);
        assert_eq!(sum(&[f64::NEG_INFINITY, 0.5]), sum(&[f64::NEG_INFINITY]));
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).value().is_nan());
        assert_ne!(sum(&[f64::NAN]), sum(&[f64::NAN]));
    }

    #[test]
    fn sums_of_equal_value_are_equal_for_any_terms() {
        assert_eq!(sum(&[0.25, 0.75]), sum(&[1.0]));
        assert_eq!(sum(&[1e30, -1e30]), sum(&[]));
        assert_ne!(sum(&[0.1, 1e-20]), sum(&[0.1]));
    }

    #[test]
    fn digits_more_than_37_places_below_the_first_are_rounded_away() {
        assert_eq!(sum(&[1e30, 1e-30]), sum(&[1e30]));
        assert_eq!(sum(&[1e-300, 1e300]).value(), 1e300);
        assert_eq!(sum(&[1e300, 1e-300, -1e300]).value(), 0.0);
        // A thousand additions and their carries keep the leading digits.
        let many: Vec<f64> = (0..1000).flat_map(|_| [1e30, 0.1, 1e-9]).collect();
        assert_eq!(sum(&many).value(), 1e33);
        let large = sum(&vec![9.999_999_999_999_999e99; 2000]);
        assert_eq!(large.value(), 1.999_999_999_999_999_8e103);
    }

    /// Decimals of up to 12 digits and 12 places.
    fn decimal() -> impl Strategy<Value = (i64, i32)> {
        (-999_999_999_999..1_000_000_000_000_i64, -12..1_i32)
    }

    proptest! {
        #[test]
        fn sums_equal_sums_of_integers(
            terms in prop::collection::vec(decimal(), 0..40),
        ) {
            let mut units = 0_i128;
            let mut sum = DecimalSum::default();
            let mut backwards = DecimalSum::default();
            for &(digits, exponent) in &terms {
                units += i128::from(digits) * 10_i128.pow((exponent + 12) as u32);
                sum.add(format!("{digits}e{exponent}").parse().unwrap());
            }
            for &(digits, exponent) in terms.iter().rev() {
                backwards.add(format!("{digits}e{exponent}").parse().unwrap());
            }
            let expected: f64 = format!("{units}e-12").parse().unwrap();
            prop_assert_eq!(sum.value(), expected);
            prop_assert_eq!(backwards, sum);
        }

        #[test]
        fn the_sum_of_one_number_is_the_number_and_subtracting_it_gives_zero(
            term in any::<f64>().prop_filter("finite", |x| x.is_finite()),
            other in any::<f64>().prop_filter("finite", |x| x.is_finite()),
        ) {
            prop_assert_eq!(sum(&[term]).value(), term);
            prop_assert_eq!(sum(&[term, -term]), sum(&[]));
            // The order does not matter, and the error is a few units in the last place.
            let (a, b) = (sum(&[term, other]).value(), sum(&[other, term]).value());
            prop_assert_eq!(a, b);
            if (term + other).is_finite() {
                prop_assert!((a - (term + other)).abs() <= 4.0 * f64::EPSILON * term.abs().max(other.abs()));
            }
        }

        #[test]
        fn parts_merge_to_the_whole(
            terms in prop::collection::vec(decimal(), 0..20),
            at in 0_usize..20,
        ) {
            let terms: Vec<f64> =
                terms.iter().map(|(digits, exponent)| format!("{digits}e{exponent}").parse().unwrap()).collect();
            let at = at.min(terms.len());
            let mut merged = sum(&terms[at..]);
            merged.merge(&sum(&terms[..at]));
            prop_assert_eq!(merged, sum(&terms));
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_stored_sum_continues_with_the_same_results() {
        let mut whole = sum(&[0.1, 0.25, 1e20]);
        let mut read: DecimalSum =
            serde_json::from_str(&serde_json::to_string(&whole).unwrap()).unwrap();
        whole.add(0.3);
        read.add(0.3);
        assert_eq!(read, whole);
        assert_eq!(serde_json::to_string(&sum(&[3.84])).unwrap(), "\"384e-2\"");
        for wrong in [
            "\"\"",
            "\"1e999\"",
            "\"1.5e0\"",
            "\"NaN\"",
            "3",
            "\"1e\"",
            "\"1e400\"",
            "\"1e309\"",
            "\"1e-325\"",
            "\"1000000000000000000000e308\"",
        ] {
            assert!(serde_json::from_str::<DecimalSum>(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::to_string(&sum(&[f64::NAN])).is_err());
    }
}
