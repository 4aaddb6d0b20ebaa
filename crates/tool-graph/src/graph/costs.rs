use scoring_rules::decimals::{Decimal, in_units};

use crate::error::Error;

/// The costs of a library as integer multiples of a power of ten, so that their sums are exact.
///
/// A cost is interpreted as the shortest decimal number that rounds to the same f64, like the terms of a
/// [`DecimalSum`](scoring_rules::DecimalSum): 0.1 + 0.2 is 0.3.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    units: Vec<u128>,
    /// The exponent of the unit, which is a power of ten.
    exponent: i32,
}

impl Costs {
    /// `name` returns the name of a tool for an error.
    pub(crate) fn new<'a>(costs: &[f64], name: impl Fn(usize) -> &'a str) -> Result<Self, Error> {
        for (tool, &value) in costs.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                let name = name(tool);
                let rule = "costs must be finite and at least 0";
                return Err(Error::tool(
                    name,
                    format!("the cost of tool {name:?} is {value}; {rule}"),
                ));
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
                .ok_or_else(|| out_of_range(name(tool)))?;
        }
        Ok(costs)
    }

    /// Takes the fast path for costs with few decimal places. The decimals are found by division, which
    /// rounds to the nearest f64 like parsing does.
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

    fn any<'a>(costs: &[f64], name: &impl Fn(usize) -> &'a str) -> Result<Self, Error> {
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
            scaled.ok_or_else(|| out_of_range(name(tool)))
        });
        Ok(Self { units: units.collect::<Result<_, _>>()?, exponent })
    }

    /// Returns the cost of a tool in units.
    pub(crate) fn units(&self, tool: usize) -> u128 {
        self.units[tool]
    }

    /// Returns the exact sum of the costs of the tools, rounded once to the nearest f64.
    pub(crate) fn sum(&self, tools: impl IntoIterator<Item = usize>) -> f64 {
        self.value(tools.into_iter().map(|tool| self.units[tool]).sum())
    }

    /// Returns a number of units, rounded once to the nearest f64.
    pub(crate) fn value(&self, units: u128) -> f64 {
        // The total of all costs is below 2^94, but a tool can be called many times.
        match i128::try_from(units) {
            Ok(units) => Decimal { units, exponent: self.exponent }.nearest(),
            Err(_) => format!("{units}e{}", self.exponent).parse().unwrap_or(f64::INFINITY),
        }
    }
}

fn out_of_range(name: &str) -> Error {
    let problem = format!(
        "the cost of tool {name:?} cannot be added exactly to the costs of the other tools; all costs together must \
         span at most about 30 decimal places"
    );
    Error::tool(name, problem)
}

/// The number of bits reserved for the number of calls in a plan and for sums of two bounds.
const BITS_BESIDE_COSTS: u32 = 34;
