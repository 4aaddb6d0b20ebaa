//! Common factors that keep squares and sums in the range of numbers.

/// The power of two in the largest finite value; 0 where all are 0.
pub(crate) fn largest_exponent(values: impl Iterator<Item = f64>) -> i32 {
    let sizes = values.filter(|value| value.is_finite()).map(f64::abs);
    let largest = sizes.fold(0.0, f64::max);
    if largest == 0.0 { 0 } else { (largest.to_bits() >> 52) as i32 - 1023 }
}

/// `value * 2^exponent` in two steps, so that neither factor leaves the range of numbers.
pub(crate) fn times_power_of_two(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)
}
