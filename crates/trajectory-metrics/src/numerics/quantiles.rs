//! Quantiles of sorted values.

use scoring_rules::Level;

/// The share of values below, and above, a central interval of the given level.
pub(crate) fn tail(level: Level) -> f64 {
    (1.0 - level.get()) / 2.0
}

/// The quantile of sorted values by linear interpolation.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let (low, rest) = (position.floor(), position.fract());
    let (a, b) = (sorted[low as usize], sorted[position.ceil() as usize]);
    // Interpolation from an infinite value would be NaN.
    if a.is_infinite() {
        a
    } else if a < 0.0 && b > 0.0 {
        // The difference of values of opposite sign may overflow.
        a * (1.0 - rest) + b * rest
    } else {
        a + rest * (b - a)
    }
}

#[cfg(test)]
mod tests;
