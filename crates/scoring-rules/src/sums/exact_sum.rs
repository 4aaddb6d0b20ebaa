use std::fmt;

use crate::wide::wide;
#[cfg(feature = "serde")]
use crate::{error::Error, infinite::Number};

/// The number of digits of 32 bits, from 2^-1074 (the smallest number) upwards. The last three take
/// the carries of very long sums of very large numbers.
const DIGITS: usize = 67;

/// The number of additions before carries must be propagated, so that a 64-bit digit does not
/// overflow: each addition adds less than 2^53 to a digit, and a digit starts below 2^33.
const ADDITIONS: u32 = 1000;

/// The number of terms that are added together.
const BLOCK: usize = 64;

/// Fewer terms are added one by one.
const FEW: usize = 16;

/// The number of independent partial sums.
const LANES: usize = 8;

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

    /// Adds terms, with the same result as one by one.
    #[inline]
    pub(crate) fn add_all(&mut self, terms: impl IntoIterator<Item = f64>) {
        let (mut block, mut n) = ([0.0; BLOCK], 0);
        for term in terms {
            block[n] = term;
            n += 1;
            if n == BLOCK {
                self.add_block(&block);
                n = 0;
            }
        }
        if n < FEW {
            block[..n].iter().for_each(|&term| self.add(term));
        } else {
            block[n..].fill(0.0);
            self.add_block(&block);
        }
    }

    /// Adds terms as three sums: of their leading bits, of the next ones, and of what is left, which is nearly always 0. The
    /// terms of the first two are multiples of a power of two that is large enough for sums without rounding.
    ///
    /// Reference: Demmel and Nguyen (2015), Parallel reproducible summation, doi:10.1109/TC.2014.2345391, section 2.
    fn add_block(&mut self, terms: &[f64; BLOCK]) {
        let mut rest = [0.0; BLOCK];
        let left = &mut rest;
        let sums = wide(
            #[inline(always)]
            move || {
                let mut most = [0.0; LANES];
                for terms in terms.as_chunks::<LANES>().0 {
                    for lane in 0..LANES {
                        let size = terms[lane].abs();
                        most[lane] = if size > most[lane] { size } else { most[lane] };
                    }
                }
                let most = most.into_iter().fold(0.0, f64::max);
                // Otherwise the powers of two below may overflow or underflow.
                if !(1e-200..1e200).contains(&most) {
                    return None;
                }
                // The first power of two above all terms.
                let bound = f64::from_bits(((most.to_bits() >> 52) + 1) << 52);
                // A sum with such a number is rounded to a multiple of `bound` 2^-45, or of the 2^-45 part of that.
                let (first, second) = (bound * 192.0, bound * (192.0 * 2.0_f64.powi(-45)));
                let (mut high, mut low, mut most_left) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
                let chunks = terms.as_chunks::<LANES>().0.iter();
                for (terms, left) in chunks.zip(left.as_chunks_mut::<LANES>().0) {
                    for lane in 0..LANES {
                        let leading = (terms[lane] + first) - first;
                        let without = terms[lane] - leading;
                        let next = (without + second) - second;
                        high[lane] += leading;
                        low[lane] += next;
                        left[lane] = without - next;
                        most_left[lane] += left[lane].abs();
                    }
                }
                Some([high, low, most_left].map(|lanes| lanes.into_iter().sum::<f64>()))
            },
        );
        match sums {
            Some([high, low, left]) if left.is_finite() => {
                self.add(high);
                self.add(low);
                if left > 0.0 {
                    rest.into_iter().for_each(|rest| self.add(rest));
                }
            }
            _ if terms.iter().all(|&term| term == 0.0) => {}
            _ => terms.iter().for_each(|&term| self.add(term)),
        }
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

collecting!(ExactSum, add_all);

/// 2^n for n in -1022..=1023.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// Numbers below 2 in size: signed zeros, powers of two, their neighbours, which are half way between shorter numbers,
    /// and any others.
    fn mantissa() -> impl Strategy<Value = f64> {
        let few = [0.0, 0.5, 1.0, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0, 2.0 - f64::EPSILON];
        let signed: Vec<f64> = few.into_iter().flat_map(|value| [value, -value]).collect();
        prop_oneof![prop::sample::select(signed), -1.0..1.0_f64]
    }

    proptest! {
        #[test]
        fn many_terms_are_added_as_one_by_one(
            sizes in prop::collection::vec((mantissa(), -1074..1023_i32), 0..200),
            least in prop::sample::select(vec![-1074, -700, -664, -20, 640, 660, 1000]),
            width in prop::sample::select(vec![1, 60, 100, 2097]),
            special in prop::option::of((
                prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX]),
                prop::num::usize::ANY,
            )),
        ) {
            let scale = |n: i32| (least + (n + 1074) % width).min(1023);
            let mut terms: Vec<f64> = sizes
                .iter()
                .map(|&(value, n)| {
                    value * power_of_two(scale(n) / 2) * power_of_two(scale(n) - scale(n) / 2)
                })
                .collect();
            if let Some((value, place)) = special {
                terms.insert(place % (terms.len() + 1), value);
            }
            let mut one_by_one = ExactSum::default();
            terms.iter().for_each(|&term| one_by_one.add(term));
            let together: ExactSum = terms.iter().copied().collect();
            prop_assert_eq!(together.value().to_bits(), one_by_one.value().to_bits());
            prop_assert!(together == one_by_one || one_by_one.special.is_nan());
        }
    }
}
