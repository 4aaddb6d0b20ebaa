use scoring_rules::decimals::{Decimal, in_units};

use crate::error::Error;

/// The costs of a library in whole units of one power of ten, so that sums of them are exact.
///
/// A cost is read as the shortest decimal number that rounds to the same f64, as
/// [`DecimalSum`](scoring_rules::DecimalSum) reads its terms: 0.1 + 0.2 is 0.3.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    units: Vec<u128>,
    /// A unit is 10 to the power of this.
    exponent: i32,
}

impl Costs {
    /// `name` gives the name of a tool for an error.
    pub(crate) fn new(costs: &[f64], name: impl Fn(usize) -> String) -> Result<Self, Error> {
        for (tool, &value) in costs.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Cost { tool: name(tool), value });
            }
        }
        let costs = match Self::few_places(costs) {
            Some(costs) => costs,
            None => Self::any(costs, &name)?,
        };
        let mut total: u128 = 0;
        for (tool, &units) in costs.units.iter().enumerate() {
            total = total
                .checked_add(units)
                .filter(|&total| total < u128::MAX >> BITS_BESIDE_COSTS)
                .ok_or_else(|| Error::CostRange { tool: name(tool) })?;
        }
        Ok(costs)
    }

    /// The usual case: few digits, found by dividing, which rounds to the nearest f64 as reading
    /// does.
    fn few_places(costs: &[f64]) -> Option<Self> {
        let mut scale = 1.0;
        let mut places = 0;
        for &cost in costs {
            while in_units(cost, scale).is_none() {
                places += 1;
                scale *= 10.0;
                if places > 9 {
                    return None;
                }
            }
        }
        let units =
            |&cost: &f64| in_units(cost, scale).map(|units| u128::from(units.unsigned_abs()));
        Some(Self { units: costs.iter().map(units).collect::<Option<_>>()?, exponent: -places })
    }

    fn any(costs: &[f64], name: &impl Fn(usize) -> String) -> Result<Self, Error> {
        let decimals: Vec<_> =
            costs.iter().map(|&cost| Decimal::shortest(cost).without_zeros()).collect();
        let used = decimals.iter().filter(|decimal| decimal.units != 0);
        let exponent = used.map(|decimal| decimal.exponent).min().unwrap_or(0);
        let units = decimals.iter().enumerate().map(|(tool, decimal)| {
            let scaled = match decimal.units.unsigned_abs() {
                0 => Some(0),
                digits => u32::try_from(decimal.exponent - exponent)
                    .ok()
                    .and_then(|places| 10u128.checked_pow(places))
                    .and_then(|scale| digits.checked_mul(scale)),
            };
            scaled.ok_or_else(|| Error::CostRange { tool: name(tool) })
        });
        Ok(Self { units: units.collect::<Result<_, _>>()?, exponent })
    }

    /// The cost of a tool in units.
    pub(crate) fn units(&self, tool: usize) -> u128 {
        self.units[tool]
    }

    /// The exact sum of the costs of the tools, rounded once to the nearest f64.
    pub(crate) fn sum(&self, tools: impl IntoIterator<Item = usize>) -> f64 {
        let units: u128 = tools.into_iter().map(|tool| self.units[tool]).sum();
        // The total of all costs is below 2^94, but a tool can be called often.
        match i128::try_from(units) {
            Ok(units) => Decimal { units, exponent: self.exponent }.nearest(),
            Err(_) => format!("{units}e{}", self.exponent).parse().unwrap_or(f64::INFINITY),
        }
    }
}

/// Bits left free for the number of calls of a plan and for sums of two bounds.
const BITS_BESIDE_COSTS: u32 = 34;

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(costs: &[f64]) -> Result<Costs, Error> {
        Costs::new(costs, |tool| tool.to_string())
    }

    #[test]
    fn sums_are_those_of_the_decimals_as_written() {
        let some = costs(&[0.1, 0.2, 0.3, 40.73, 42.67]).unwrap();
        assert_eq!(some.units(0) + some.units(1), some.units(2));
        assert_eq!(some.sum([0, 1]), 0.3);
        assert_eq!(some.sum([3, 4]), 83.4);
    }

    #[test]
    fn long_and_short_costs_go_together() {
        let some = costs(&[0.1 + 0.2, 1e-10, 3e9, 0.0, 1.0 / 3.0]).unwrap();
        assert_eq!(some.sum([0]), 0.1 + 0.2);
        assert_eq!(some.sum([1, 3]), 1e-10);
        assert_eq!(some.sum([2]), 3e9);
        assert_eq!(some.sum([4]), 1.0 / 3.0);
        assert_eq!(some.sum([]), 0.0);
    }

    #[test]
    fn a_negative_zero_is_a_zero() {
        let some = costs(&[-0.0, 1.0 / 3.0]).unwrap();
        assert_eq!((some.units(0), some.sum([0, 1])), (0, 1.0 / 3.0));
    }

    #[test]
    fn costs_that_lie_too_far_apart_are_refused() {
        let wide = costs(&[1e-300, 1e300]);
        assert_eq!(wide.unwrap_err(), Error::CostRange { tool: "1".into() });
        assert!(costs(&[1e300, 2e300]).is_ok());
        assert!(costs(&[5e-324, 5e-324]).is_ok());
    }

    #[test]
    fn costs_below_zero_and_not_finite_are_refused() {
        for value in [-0.01, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(costs(&[1.0, value]).unwrap_err(), Error::Cost { tool: "1".into(), value });
        }
        assert!(matches!(costs(&[f64::NAN]), Err(Error::Cost { .. })));
    }
}
