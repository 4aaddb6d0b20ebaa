use censoring::{StopReason, Stopped, exact_score};
use datafusion_common::Result;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Integers, NumberLists, Numbers},
    scalar::{function::RowFunction, rule::NamedScores, tps::LONGEST},
    specification::Specification,
};

/// `censored_tps(forecasts, success_probability, rule, schedule, horizon)`.
pub(crate) struct CensoredTpsOfRow;

pub(crate) struct CensoredColumns<'a> {
    forecasts: NumberLists<'a>,
    success_probability: Numbers<'a>,
    scores: NamedScores<'a>,
    horizon: Integers<'a>,
}

impl RowFunction for CensoredTpsOfRow {
    type Columns<'a> = CensoredColumns<'a>;
    type Output = f64;

    const SPECIFICATION: Specification = Specification {
        name: "censored_tps",
        arguments: &[
            Argument::new(
                "forecasts",
                Kind::Numbers,
                "The probability of success at each observed step.",
            ),
            Argument::new(
                "success_probability",
                Kind::Number,
                "The probability that the run would have succeeded, given the run up to its stop. 0 gives the \
                 simple censored score.",
            ),
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
                "The number of steps that the run was allowed, at least the number of forecasts.",
            ),
        ],
        required: 5,
        description: "The exact censored score of a run that a budget ended before its outcome: its expected \
                      trajectory score. Higher is better. Complete runs are scored by tps.",
        example: "SELECT censored_tps([0.75, 0.75], 0.75, 'brier', 'uniform', 4)",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok(CensoredColumns {
            forecasts: arguments.number_lists(0)?,
            success_probability: arguments.numbers(1)?,
            scores: NamedScores::new(arguments.texts(2)?, arguments.texts(3)?),
            horizon: arguments.integers(4)?,
        })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        let forecasts = columns.forecasts.probabilities(row)?;
        let success_probability = columns.success_probability.probability(row)?;
        let horizon = columns.horizon.positive(row, LONGEST)?;
        let tps = columns.scores.tps(row)?;
        Stopped::new(forecasts, None, Some(StopReason::MaxSteps))
            .and_then(|run| run.with_horizon(horizon))
            .and_then(|run| exact_score(tps, &run, success_probability))
            .map_err(|error| Self::SPECIFICATION.failed(error))
    }
}
