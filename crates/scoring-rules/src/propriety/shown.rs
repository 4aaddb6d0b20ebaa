use std::fmt;

/// A probability or a gain as text: six decimals, or three digits if it is close to 0, or to 1 from
/// below.
pub(super) struct Number(pub(super) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CLOSE: f64 = 1e-3;
        let (x, below_one) = (self.0, 1.0 - self.0);
        if x.abs() < CLOSE && x != 0.0 {
            write!(f, "{:e}", significant(x, 3))
        } else if below_one < CLOSE && below_one > 0.0 {
            write!(f, "1 - {:e}", significant(below_one, 3))
        } else if x.abs() < 1e6 {
            write!(f, "{}", (x * 1e6).round() / 1e6)
        } else {
            write!(f, "{:?}", significant(x, 6))
        }
    }
}

/// The nearest number with the given number of significant digits.
pub(super) fn significant(x: f64, digits: usize) -> f64 {
    let after_the_first = digits.saturating_sub(1);
    format!("{x:.after_the_first$e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_digits_near_the_ends() {
        let shown = [0.0, 1.0, 0.3, 0.950_000_000_000_000_1, 0.001, 1.234_567_8, f64::INFINITY];
        let shown = shown.map(|x| Number(x).to_string());
        assert_eq!(shown, ["0", "1", "0.3", "0.95", "0.001", "1.234568", "inf"]);
        assert_eq!(Number(2.0_f64.powi(-30)).to_string(), "9.31e-10");
        assert_eq!(Number(1.0 - 2.0_f64.powi(-30)).to_string(), "1 - 9.31e-10");
        assert_eq!(Number(1.234_567_89e300).to_string(), "1.23457e300");
    }

    #[test]
    fn digits_are_counted_from_the_first_that_is_not_zero() {
        assert_eq!(significant(239.200_4, 4), 239.2);
        assert_eq!(significant(-0.000_123_456, 3), -0.000_123);
        assert_eq!(significant(f64::NEG_INFINITY, 3), f64::NEG_INFINITY);
    }
}
