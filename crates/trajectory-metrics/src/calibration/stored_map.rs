//! Checks the numbers of a stored map, so that `apply` of the map returns a probability.

use scoring_rules::{
    Probability,
    checks::{ascending, at_least, setting},
};

use crate::error::Error;

/// Checks a mean or an intercept.
pub(super) fn number(value: f64) -> Result<(), Error> {
    let is_valid = (-1e100..=1e100).contains(&value);
    Ok(setting("a number of the map", value, is_valid, "from -1e100 to 1e100")?)
}

pub(super) fn scale(value: f64) -> Result<(), Error> {
    Ok(setting("scale", value, (1e-6..=1e100).contains(&value), "from 1e-6 to 1e100")?)
}

pub(super) fn slope(value: f64) -> Result<(), Error> {
    Ok(setting("slope", value, (0.0..=1e100).contains(&value), "from 0 to 1e100")?)
}

pub(super) fn some_knot(count: usize) -> Result<(), Error> {
    Ok(at_least("knots", 1, count)?)
}

/// Checks that each value may follow the one before it.
pub(super) fn ordered(
    what: &'static str,
    values: impl Iterator<Item = Probability>,
    may_follow: impl Fn(&Probability, &Probability) -> bool,
) -> Result<(), Error> {
    Ok(ascending(what, &values.collect::<Vec<_>>(), may_follow)?)
}
