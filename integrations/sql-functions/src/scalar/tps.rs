use arrow::array::BooleanArray;
use datafusion_common::Result;
use trajectory_metrics::Trace;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Integers, NumberLists},
    scalar::{function::RowFunction, rule::NamedScores},
    specification::Specification,
};

/// The longest horizon, so that a wrong number does not fill the memory with weights.
pub(crate) const LONGEST: usize = 1 << 24;

/// `tps(forecasts, y, rule, schedule [, horizon])`.
pub(crate) struct TpsOfRow;

pub(crate) struct TpsColumns<'a> {
    forecasts: NumberLists<'a>,
    y: &'a BooleanArray,
    scores: NamedScores<'a>,
    horizon: Option<Integers<'a>>,
}

impl RowFunction for TpsOfRow {
    type Columns<'a> = TpsColumns<'a>;
    type Output = f64;

    const SPECIFICATION: Specification = Specification {
        name: "tps",
        arguments: &[
            Argument::new("forecasts", Kind::Numbers, "The probability of success at each step."),
            Argument::new("y", Kind::Outcome, "The outcome of the run; true is success."),
            Argument::new(
                "rule",
                Kind::Text,
                "The scoring rule: log, log(eps), brier, spherical, boosting, beta(alpha, beta), power(power, baseline), pseudospherical(power, baseline) or elementary(threshold).",
            ),
            Argument::new(
                "schedule",
                Kind::Text,
                "The weights of the steps: linear-front, uniform, exponential-front or linear-back.",
            ),
            Argument::new(
                "horizon",
                Kind::Integer,
                "The number of steps that the weights are spread over, at least the number of forecasts. \
                 Without it the length of the run.",
            ),
        ],
        required: 4,
        description: "The trajectory proper score: the weighted sum of the scores of all steps of a run. \
                      Higher is better.",
        example: "SELECT tps([0.5, 0.75], true, 'brier', 'uniform')",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok(TpsColumns {
            forecasts: arguments.number_lists(0)?,
            y: arguments.outcomes(1)?,
            scores: NamedScores::new(arguments.texts(2)?, arguments.texts(3)?),
            horizon: arguments.optional(4, Arguments::integers)?,
        })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        let forecasts = columns.forecasts.probabilities(row)?;
        let tps = columns.scores.tps(row)?;
        let outcome = columns.y.value(row);
        match &columns.horizon {
            None => Trace::new(forecasts, outcome).and_then(|trace| tps.score(trace)),
            Some(horizon) => tps.prefix_score(forecasts, outcome, horizon.positive(row, LONGEST)?),
        }
        .map_err(|error| Self::SPECIFICATION.failed(error))
    }
}
