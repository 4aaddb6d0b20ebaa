//! Values of options.

use trajectory_metrics::Level;

/// More resamples say no more, and take hours.
const MOST_RESAMPLES: usize = 1_000_000;

/// A number of resamples, 0 for none.
pub(crate) fn resamples(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(n) if n <= MOST_RESAMPLES => Ok(n),
        _ => Err("give a whole number up to 1000000"),
    }
}

/// A number of resamples that a standard error can be computed from.
pub(crate) fn several_resamples(text: &str) -> Result<usize, &'static str> {
    match resamples(text) {
        Ok(n) if n >= 2 => Ok(n),
        _ => Err("give a whole number from 2 to 1000000"),
    }
}

/// A seed.
pub(crate) fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615")
}

/// A coverage.
pub(crate) fn level(text: &str) -> Result<Level, &'static str> {
    let level = text.parse().ok().and_then(|share| Level::new(share).ok());
    level.ok_or("give a number between 0 and 1")
}

/// A number.
pub(crate) fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number")
}
