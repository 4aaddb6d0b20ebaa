use super::decimals::{Decimal, POWERS, in_units};

/// A sum that adds numbers as decimals: 0.1 + 0.2 is 0.3.
///
/// Each term is taken as the shortest decimal number that rounds to the same f64, and the sum of
/// these decimals is rounded once, to the nearest f64. The comparison of a sum of money with a
/// limit therefore gives the same result as on paper. Terms may be negative.
///
/// The sum is exact, and independent of the order of its terms, as long as its digits span at most
/// 37 decimal places, such as from 1e20 to 1e-16. Otherwise the lowest digits are rounded away.
/// This changes the sum by less than 1e-35 of its largest intermediate value. Infinite terms and
/// NaN behave as in plain addition. Two sums are equal if their decimal values are equal.
///
/// Cost: constant memory (48 bytes). Adding an integer, or a number with no more decimal places
/// than earlier terms, takes a few nanoseconds; adding a number of 16 or 17 digits takes about a
/// tenth of a microsecond.
///
/// With the feature `serde` a sum is written exactly, in the form of digits and a power of ten,
/// such as `"3e-1"`. A sum that is infinite or NaN cannot be written.
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

    fn add_all(&mut self, terms: impl IntoIterator<Item = f64>) {
        terms.into_iter().for_each(|term| self.add(term));
    }

    #[cold]
    fn add_any(&mut self, term: f64) {
        if term.is_finite() {
            self.decimal = self.decimal.plus(Decimal::shortest(term));
        } else {
            self.special += term;
        }
    }

    /// Returns the number of decimal places of the term that has the most. `None` if it is above 15, if the sum has
    /// more than 15 digits, or if a term is infinite or NaN. The difference between two sums with the same number of
    /// places is exact in units of the last place.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn places(&self) -> Option<u8> {
        let few = self.decimal.units.unsigned_abs() < 1_000_000_000_000_000;
        let places = u8::try_from(-self.decimal.exponent).ok().filter(|&places| places <= 15);
        places.filter(|_| few && self.special == 0.0)
    }

    /// Returns the sum, rounded to the nearest f64 (ties to even).
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

collecting!(DecimalSum, add_all);

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
