//! Numbers in decimal notation: the shortest digits that identify an `f64`, and exact sums of such
//! numbers.

use std::{fmt, io::Write as _};

/// The powers of ten that are exact as f64.
pub const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// 2^53: every integer up to here is exact as f64.
const WHOLE: i128 = 1 << 53;

/// The number of digits that are kept if not all digits of a sum fit.
const DIGITS: u32 = 37;

/// The number `units * 10^exponent`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decimal {
    /// The digits, as an integer.
    pub units: i128,
    /// The exponent of the unit, which is a power of ten.
    pub exponent: i32,
}

/// Returns the number in units of `1 / scale`, where the scale is a power of ten of up to 1e22. `None` unless the
/// result is an integer of at most 15 digits.
///
/// Different decimals of up to 15 digits round to different f64, so this is the shortest decimal.
#[must_use]
#[inline]
pub fn in_units(value: f64, scale: f64) -> Option<i64> {
    // The conversion saturates and takes NaN to 0; the comparisons refuse both.
    let scaled = value * scale;
    let units = (scaled + 0.5_f64.copysign(scaled)) as i64;
    let few = units.unsigned_abs() < 1_000_000_000_000_000;
    (few && units as f64 / scale == value).then_some(units)
}

impl Decimal {
    /// Returns the shortest decimal number that rounds to this f64, or 0 if it is not finite.
    #[must_use]
    pub fn shortest(value: f64) -> Self {
        // Numbers with few places are found by division, which rounds to nearest as parsing does.
        for (places, &scale) in POWERS.iter().enumerate().take(10) {
            if let Some(units) = in_units(value, scale) {
                return Self { units: units.into(), exponent: -(places as i32) };
            }
        }
        let mut buffer = [0; 64];
        let text = written(&mut buffer, format_args!("{:e}", value.abs()));
        let (number, power) = text.split_once('e').unwrap_or_default();
        let (whole, places) = number.split_once('.').unwrap_or((number, ""));
        let digits = whole.bytes().chain(places.bytes());
        let units = digits.fold(0, |units, digit| units * 10 + i128::from(digit - b'0'));
        let exponent = power.parse::<i32>().unwrap_or(0) - places.len() as i32;
        Self { units: if value < 0.0 { -units } else { units }, exponent }
    }

    /// The sum. If not all digits fit, those more than 37 places below the first are rounded away.
    pub(super) fn plus(self, other: Self) -> Self {
        let (high, low) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if high.units == 0 {
            return low;
        }
        if low.units == 0 {
            return high;
        }
        let high = high.lowered(low.exponent);
        let low = low.raised(high.exponent);
        match high.units.checked_add(low.units) {
            Some(units) => Self { units, exponent: high.exponent },
            None => {
                let exponent = high.exponent + 1;
                let (high, low) = (high.raised(exponent), low.raised(exponent));
                Self { units: high.units + low.units, exponent }
            }
        }
    }

    /// Converts the number to smaller units: with the given exponent, or the smallest that fits.
    fn lowered(self, exponent: i32) -> Self {
        let places = self.exponent.abs_diff(exponent);
        let digits = self.units.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
        let places = places.min(DIGITS.saturating_sub(digits));
        let scaled = 10_i128.checked_pow(places).and_then(|scale| self.units.checked_mul(scale));
        scaled.map_or(self, |units| Self { units, exponent: self.exponent - places as i32 })
    }

    /// The number in larger units, rounded to the nearest.
    fn raised(self, exponent: i32) -> Self {
        let places = exponent.abs_diff(self.exponent);
        let units = 10_i128.checked_pow(places).map_or(0, |scale| {
            let (units, rest) = (self.units / scale, self.units % scale);
            units + if rest.unsigned_abs() * 2 >= scale.unsigned_abs() { rest.signum() } else { 0 }
        });
        Self { units, exponent }
    }

    /// Returns the product of two decimals, each of which has at most 17 digits, such as the results of
    /// [`Decimal::shortest`].
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let units = self.units.saturating_mul(other.units);
        Self { units, exponent: self.exponent + other.exponent }
    }

    /// Removes trailing zeros, so that equal numbers have equal units.
    #[must_use]
    pub fn without_zeros(mut self) -> Self {
        if self.units == 0 {
            return Self::default();
        }
        while self.units % 10 == 0 {
            self.units /= 10;
            self.exponent += 1;
        }
        self
    }

    /// Returns the nearest f64 (ties to even).
    #[must_use]
    #[inline]
    pub fn nearest(self) -> f64 {
        // Both are exact as f64, so that the division rounds once.
        if let Some(&scale) = POWERS.get(self.exponent.unsigned_abs() as usize)
            && self.exponent <= 0
            && (-WHOLE..=WHOLE).contains(&self.units)
        {
            return self.units as f64 / scale;
        }
        self.parsed()
    }

    #[cold]
    fn parsed(self) -> f64 {
        let mut buffer = [0; 64];
        let text = written(&mut buffer, format_args!("{}e{}", self.units, self.exponent));
        // Parsing rounds to the nearest f64, and a decimal number always parses.
        text.parse().unwrap_or(f64::INFINITY)
    }
}

/// Writes a text into the buffer, without an allocation, and returns the written text.
fn written<'a>(buffer: &'a mut [u8; 64], text: fmt::Arguments<'_>) -> &'a str {
    let mut rest = &mut buffer[..];
    // The longest text is a sign, 39 digits and an exponent.
    let _ = rest.write_fmt(text);
    let free = rest.len();
    buffer.get(..64 - free).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
}
