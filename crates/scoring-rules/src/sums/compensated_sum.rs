#[cfg(feature = "serde")]
use crate::{error::Error, infinite::NumberOrNan};

/// A running sum that carries the rounding error of each addition along.
///
/// The error of the result is a few units in the last place however many terms there are, as long
/// as they do not cancel. The result depends on the order of the terms; where it must not, use
/// [`ExactSum`](crate::ExactSum).
///
/// In JSON it is `{"sum": …, "error": …}`, of which what is not finite is `"inf"`, `"-inf"` or `"nan"`.
///
/// Reference: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
/// Summen, doi:10.1002/zamm.19740540106; without a branch Knuth (1997), The art of computer
/// programming, volume 2, section 4.2.2.
///
/// ```
/// use scoring_rules::CompensatedSum;
///
/// let mut sum = CompensatedSum::default();
/// for term in [1.0, 1e100, 1.0, -1e100] {
///     sum.add(term);
/// }
/// assert_eq!(sum.value(), 2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct CompensatedSum {
    sum: f64,
    error: f64,
}

/// The form in which a sum is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    sum: NumberOrNan,
    error: NumberOrNan,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for CompensatedSum {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let (sum, error) = (written.sum.0, written.error.0);
        if sum.is_finite() && !error.is_finite() {
            return Err(Error::NotFinite { what: "the error of a finite sum", value: error });
        }
        Ok(Self { sum, error })
    }
}

#[cfg(feature = "serde")]
impl From<CompensatedSum> for Written {
    fn from(sum: CompensatedSum) -> Self {
        Self { sum: NumberOrNan(sum.sum), error: NumberOrNan(sum.error) }
    }
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        // What rounding took off, exactly and without a branch on which of the two is larger.
        let taken = sum - self.sum;
        self.error += (self.sum - (sum - taken)) + (term - taken);
        self.sum = sum;
    }

    /// The sum so far; infinite or NaN where plain addition would be.
    #[must_use]
    #[inline]
    pub fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.error } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_tenths_are_a_hundred_thousand() {
        let mut sum = CompensatedSum::default();
        (0..1_000_000).for_each(|_| sum.add(0.1));
        assert_eq!(sum.value(), 100_000.0);
    }

    #[test]
    fn an_infinite_term_makes_the_sum_infinite_not_nan() {
        let mut sum = CompensatedSum::default();
        for term in [-1.0, f64::NEG_INFINITY, -1.0] {
            sum.add(term);
        }
        assert_eq!(sum.value(), f64::NEG_INFINITY);
    }
}
