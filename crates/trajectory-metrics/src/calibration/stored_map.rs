//! Checks of the numbers of a stored map, so that `apply` of the map that is read returns a
//! probability.

use scoring_rules::Probability;

use crate::error::{Error, Shared};

/// Checks that a number lies in a range, which NaN never does.
fn check(
    name: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    range: &'static str,
) -> Result<(), Error> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(Shared::Setting { name, value, range }.into())
    }
}

/// Checks a mean or an intercept.
pub(super) fn number(value: f64) -> Result<(), Error> {
    check("a number of the map", value, [-1e100, 1e100], "from -1e100 to 1e100")
}

pub(super) fn scale(value: f64) -> Result<(), Error> {
    check("scale", value, [1e-6, 1e100], "from 1e-6 to 1e100")
}

pub(super) fn slope(value: f64) -> Result<(), Error> {
    check("slope", value, [0.0, 1e100], "from 0 to 1e100")
}

pub(super) const NO_KNOT: Error =
    Error::ScoringRules(Shared::Length { what: "knots, at least", expected: 1, found: 0 });

/// Checks that each value may follow the one before it.
pub(super) fn ordered(
    what: &'static str,
    values: impl Iterator<Item = Probability> + Clone,
    may_follow: impl Fn(Probability, Probability) -> bool,
) -> Result<(), Error> {
    for (index, (before, value)) in values.clone().zip(values.skip(1)).enumerate() {
        if !may_follow(before, value) {
            let (before, value) = (before.get(), value.get());
            let wrong = Shared::OutOfOrder { what, index: index + 1, before, value };
            return Err(Error::ScoringRules(wrong));
        }
    }
    Ok(())
}
