use std::fmt;

#[cfg(feature = "serde")]
use crate::{error::Error, infinite::Number};

/// The number of digits of 32 bits, from 2^-1074 (the smallest number) upwards. The last three take
/// the carries of very long sums of very large numbers.
const DIGITS: usize = 67;

/// The number of additions before carries must be propagated, so that a 64-bit digit does not
/// overflow: each addition adds less than 2^53 to a digit, and a digit starts below 2^33.
const ADDITIONS: u32 = 1000;

/// The exact sum of numbers, rounded once.
///
/// The result does not depend on the order of the terms or on how they are split into parts, so
/// that any number of threads or machines gives the same bits. Two sums are equal if their exact
/// values are equal, even if different values round to the same number.
///
/// Infinite terms and NaN behave as in plain addition: [`ExactSum::value`] is NaN if a term is NaN
/// or if terms are infinite with both signs. A sum of finite terms is infinite only if the sum
/// itself exceeds the largest f64; partial sums may exceed it.
///
/// In JSON it is `{"lowest": n, "digits": [d0, d1, …]}`, which represents the sum of
/// `d_i 2^(32 (n + i) - 1074)`, where the d_i are integers of up to 32 bits with equal signs. This
/// form is exact for every reader. An infinite sum is `"inf"` or `"-inf"`, and a sum that is NaN
/// cannot be written.
///
/// Cost: constant memory (about half a kilobyte), and a few nanoseconds per term.
///
/// Reference: Neal (2015), Fast exact summation using small and large superaccumulators,
/// arXiv:1505.05571.
///
/// ```
/// use scoring_rules::ExactSum;
///
/// let terms = [1e16, 1.0, -1e16, 1e-30];
/// let forwards: ExactSum = terms.into_iter().collect();
/// let mut parts: ExactSum = terms[2..].iter().copied().collect();
/// parts.merge(&terms[..2].iter().copied().collect());
/// assert_eq!(forwards.value(), 1.0);
/// assert_eq!(parts.value().to_bits(), forwards.value().to_bits());
/// assert_eq!(parts, forwards);
///
/// // The f64 0.1 is slightly above 1/10, and the f64 0.3 is slightly below 3/10.
/// let mut rest = ExactSum::default();
/// rest.add_product(3.0, 0.1);
/// rest.add(-0.3);
/// assert!(rest.value() > 0.0 && rest.value() < 1e-16);
/// ```
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct ExactSum {
    digits: [i64; DIGITS],
    additions_left: u32,
    /// The plain sum of the infinite and NaN terms, or 0 if there are none.
    special: f64,
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged, expecting = "an object with `lowest` and `digits`, or \"inf\", or \"-inf\"")]
enum Written {
    Finite(WrittenDigits),
    Special(Number),
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct WrittenDigits {
    lowest: usize,
    digits: Vec<i64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for ExactSum {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let mut sum = Self::default();
        let WrittenDigits { lowest, digits } = match written {
            Written::Finite(digits) => digits,
            Written::Special(Number(special)) => {
                if special.is_finite() {
                    let range = "infinite unless it is an object";
                    return Err(Error::Setting { name: "sum", value: special, range });
                }
                sum.special = special;
                return Ok(sum);
            }
        };
        let room = sum.digits.get_mut(lowest..).unwrap_or_default();
        if digits.len() > room.len() {
            let what = "digits above the lowest";
            return Err(Error::Length { what, expected: room.len(), found: digits.len() });
        }
        for (room, digit) in room.iter_mut().zip(digits) {
            if digit.unsigned_abs() >> 32 != 0 {
                let range = "an integer of up to 32 bits";
                return Err(Error::Setting { name: "digit", value: digit as f64, range });
            }
            *room = digit;
        }
        sum.carry();
        Ok(sum)
    }
}

#[cfg(feature = "serde")]
impl From<ExactSum> for Written {
    fn from(mut sum: ExactSum) -> Self {
        if sum.special != 0.0 {
            return Self::Special(Number(sum.special));
        }
        sum.carry();
        if sum.digits[DIGITS - 1] < 0 {
            // Gives all digits the same sign.
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
            sum.carry();
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
        }
        let lowest = sum.digits.iter().position(|&digit| digit != 0).unwrap_or(0);
        let end = sum.digits.iter().rposition(|&digit| digit != 0).map_or(lowest, |top| top + 1);
        Self::Finite(WrittenDigits { lowest, digits: sum.digits[lowest..end].to_vec() })
    }
}

impl fmt::Debug for ExactSum {
    /// The sum as one number, which may not show all of its digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExactSum").field(&self.value()).finish()
    }
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], additions_left: ADDITIONS, special: 0.0 }
    }
}

impl ExactSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        if exponent == 0x7ff {
            self.special += term;
            return;
        }
        if self.additions_left == 0 {
            self.carry();
        }
        self.additions_left -= 1;
        // A subnormal number has no hidden bit and the exponent of the smallest normal number.
        let hidden = u64::from(exponent != 0) << 52;
        let mantissa = (bits & ((1 << 52) - 1)) | hidden;
        let position = exponent.saturating_sub(1);
        let (digit, shift) = ((position >> 5) as usize, position & 31);
        let low = ((mantissa << shift) & 0xffff_ffff) as i64;
        let high = (mantissa >> (32 - shift)) as i64;
        // All ones for a negative term, so that `(x ^ sign) - sign` is `-x`.
        let sign = (bits as i64) >> 63;
        self.digits[digit] += (low ^ sign) - sign;
        self.digits[digit + 1] += (high ^ sign) - sign;
    }

    /// Adds the exact product `a * b`.
    ///
    /// The product is exact if it does not overflow and is 0 or at least 1e-291 in size, so that
    /// its rounding error is an f64.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        if product.is_finite() {
            self.add(a.mul_add(b, -product));
        }
    }

    /// Adds all terms of `other`.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        for (digit, more) in self.digits.iter_mut().zip(other.digits) {
            *digit += more;
        }
        self.special += other.special;
    }

    /// Returns the sum, rounded to the nearest f64 (ties to even).
    #[must_use]
    pub fn value(&self) -> f64 {
        if self.special != 0.0 {
            return self.special;
        }
        let mut exact = self.clone();
        exact.carry();
        let negative = exact.digits[DIGITS - 1] < 0;
        if negative {
            exact.digits.iter_mut().for_each(|digit| *digit = -*digit);
            exact.carry();
        }
        let Some(top) = exact.digits.iter().rposition(|&digit| digit != 0) else {
            return 0.0;
        };
        // The leading 96 bits contain at least 65 significant bits. Lower bits matter only if any
        // of them is not 0.
        let lowest = top.saturating_sub(2);
        let mut leading =
            (lowest..=top).rev().fold(0_u128, |sum, i| (sum << 32) + exact.digits[i] as u128);
        if exact.digits[..lowest].iter().any(|&digit| digit != 0) {
            leading |= 1;
        }
        // A result below the normal range is a multiple of 2^-1074 and is not rounded. Two factors
        // are used because their product may be out of range.
        let scale = 32 * lowest as i32 - 1074;
        let magnitude = leading as f64 * power_of_two(scale / 2) * power_of_two(scale - scale / 2);
        if negative { -magnitude } else { magnitude }
    }

    /// Whether no term is infinite or NaN.
    pub(crate) fn has_finite_terms(&self) -> bool {
        self.special == 0.0
    }

    /// Propagates the carry of each digit to the next digit. The last digit keeps the sign.
    #[cold]
    fn carry(&mut self) {
        for i in 0..DIGITS - 1 {
            let carry = self.digits[i] >> 32;
            self.digits[i] -= carry << 32;
            self.digits[i + 1] += carry;
        }
        self.additions_left = ADDITIONS;
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self.clone(), other.clone());
        // After carries, equal values have equal digits.
        a.carry();
        b.carry();
        if a.special != 0.0 || b.special != 0.0 {
            a.special == b.special
        } else {
            a.digits == b.digits
        }
    }
}

collecting!(ExactSum, add);

/// 2^n for n in -1022..=1023.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_are_propagated_once_in_a_thousand_additions() {
        let mut sum = ExactSum::default();
        for left in (0..ADDITIONS).rev() {
            sum.add(-0.1);
            assert_eq!(sum.additions_left, left);
        }
        sum.add(-0.1);
        assert_eq!(sum.additions_left, ADDITIONS - 1);
    }
}
