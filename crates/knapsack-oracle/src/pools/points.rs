use scoring_rules::decimals::Decimal;

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
        let decimal = |&value: &f64| {
            let Decimal { units, exponent } = Decimal::shortest(value).without_zeros();
            (units as u64, exponent)
        };
        let decimals: Vec<_> = values.iter().map(decimal).collect();
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
            Unit::Decimal(exponent) => Decimal { units: points.into(), exponent }.nearest(),
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

/// Returns `floor(share * total)` for a share from 0 to 1, in exact arithmetic of its shortest decimal.
pub(crate) fn share_of(share: f64, total: u64) -> u64 {
    let Decimal { units, exponent } = Decimal::shortest(share);
    // Units are below 10^17 and the total below 2^64, so the product is below 10^37.
    let product = units.unsigned_abs() * u128::from(total);
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
