use crate::error::Error;

/// The values of a pool as whole multiples of one unit, so that sums of them are exact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Points {
    /// The value of each item in units.
    pub(crate) each: Vec<u64>,
    unit: Unit,
    /// Whether all values are the same.
    pub(crate) equal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// 10 to this power.
    Decimal(i32),
    /// 2 to this power.
    Binary(i32),
}

impl Points {
    /// Converts values to whole numbers of a unit. The unit is a power of ten if possible, with
    /// each value as its shortest decimal; otherwise it is a power of two.
    pub(crate) fn new(values: &[f64]) -> Result<Self, Error> {
        let equal = values.windows(2).all(|pair| pair[0] == pair[1]);
        let decimals: Vec<_> = values.iter().map(|&value| decimal(value)).collect();
        let binaries: Vec<_> = values.iter().map(|&value| binary(value)).collect();
        let decimal = scaled(&decimals, 10).map(|(each, e)| (each, Unit::Decimal(e)));
        let (each, unit) = decimal
            .or_else(|| scaled(&binaries, 2).map(|(each, e)| (each, Unit::Binary(e))))
            .ok_or(Error::NoCommonUnit)?;
        let points = Self { each, unit, equal };
        // Every value must be recovered from its points.
        let back = |(&points_of_item, &value): (&u64, &f64)| points.value(points_of_item) == value;
        if points.each.iter().zip(values).all(back) { Ok(points) } else { Err(Error::NoCommonUnit) }
    }

    /// Returns the value of a number of units, rounded to the nearest `f64`.
    pub(crate) fn value(&self, points: u64) -> f64 {
        match self.unit {
            Unit::Decimal(0) => points as f64,
            // The parser rounds correctly; a division of two rounded numbers does not.
            Unit::Decimal(e) => format!("{points}e{e}").parse().unwrap_or(f64::NAN),
            Unit::Binary(e) => points as f64 * 2_f64.powi(e),
        }
    }
}

/// Scales all numbers to the smallest exponent. Returns `None` if their sum exceeds the 63 bits of
/// the solver.
fn scaled(parts: &[(u64, i32)], base: u64) -> Option<(Vec<u64>, i32)> {
    let least = parts.iter().map(|&(_, exponent)| exponent).min()?;
    let mut sum = 0_u64;
    let mut each = Vec::with_capacity(parts.len());
    for &(digits, exponent) in parts {
        let power = base.checked_pow(exponent.abs_diff(least))?;
        let points = digits.checked_mul(power)?;
        sum = sum.checked_add(points)?;
        each.push(points);
    }
    (sum <= i64::MAX as u64).then_some((each, least))
}

/// Returns the digits and the exponent of the shortest decimal that reads back as a finite number of
/// at least 0: at most 17 digits, without trailing zeros.
fn decimal(x: f64) -> (u64, i32) {
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digit = |number: u64, byte: u8| number * 10 + u64::from(byte.wrapping_sub(b'0'));
    let digits = whole.bytes().chain(fraction.bytes()).fold(0, digit);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    (digits, exponent - fraction.len() as i32)
}

/// Returns `floor(share * total)` for a share from 0 to 1, in exact arithmetic of its shortest decimal.
pub(crate) fn share_of(share: f64, total: u64) -> u64 {
    let (digits, exponent) = decimal(share);
    // Digits are below 10^17 and the total below 2^64, so the product is below 10^37.
    let product = u128::from(digits) * u128::from(total);
    let power = 10_u128.checked_pow(exponent.unsigned_abs());
    power.map_or(0, |power| (product / power) as u64)
}

/// Returns the odd factor and the binary exponent of a positive normal number.
fn binary(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let digits = fraction | 1 << 52;
    let zeros = digits.trailing_zeros();
    (digits >> zeros, exponent - 1075 + zeros as i32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_become_whole_numbers_of_a_decimal_unit() {
        let points = Points::new(&[0.1, 0.2, 0.3]).unwrap();
        assert_eq!(points.each, [1, 2, 3]);
        assert_eq!(points.value(3), 0.3);
        assert_eq!(Points::new(&[5.0, 10.0, 20.0]).unwrap().each, [5, 10, 20]);
        assert_eq!(Points::new(&[1.0, 1.0]).unwrap().each, [1, 1]);
        assert_eq!(Points::new(&[2.5, 1e3]).unwrap().each, [25, 10_000]);
    }

    #[test]
    fn powers_of_two_far_apart_are_multiples_of_the_smallest() {
        let points = Points::new(&[1.0, 2_f64.powi(-60)]).unwrap();
        assert_eq!(points.each, [1 << 60, 1]);
        assert_eq!(points.value((1 << 60) + 1), 1.0);
    }

    #[test]
    fn values_without_a_common_unit_are_refused() {
        assert_eq!(Points::new(&[1e100, 1e-100]), Err(Error::NoCommonUnit));
        assert_eq!(Points::new(&[1e19, 1e19, 1.0]), Err(Error::NoCommonUnit));
        assert_eq!(Points::new(&[std::f64::consts::PI * 1e12, 1e-12]), Err(Error::NoCommonUnit));
    }

    #[test]
    fn the_largest_and_smallest_numbers_have_a_unit() {
        for value in [1e100, 1e-100, 1.0, 0.1] {
            let points = Points::new(&[value, value]).unwrap();
            assert_eq!(points.value(points.each[0]), value);
        }
    }

    proptest! {
        #[test]
        fn a_value_is_recovered_from_its_parts(
            bits in 1e-100_f64.to_bits()..=1e100_f64.to_bits(),
        ) {
            let x = f64::from_bits(bits);
            let (digits, e) = decimal(x);
            prop_assert_eq!(format!("{digits}e{e}").parse::<f64>().unwrap(), x);
            let (odd, e) = binary(x);
            prop_assert_eq!(odd as f64 * 2_f64.powi(e), x);
        }
    }
}
