use arrow::{array::BooleanArray, datatypes::Float64Type};
use datafusion_common::Result;
use scoring_rules::{LogScore, ScoringRule};

use crate::{
    columns::{Arguments, Numbers},
    scalar::function::RowFunction,
    specification::{Argument, Kind, Specification},
};

/// `log_score(p, y [, eps])`.
pub(crate) struct LogScoreOfRow;

impl RowFunction for LogScoreOfRow {
    type Columns<'a> = (Numbers<'a>, &'a BooleanArray, Option<Numbers<'a>>);
    type Output = Float64Type;

    const SPECIFICATION: Specification = Specification {
        name: "log_score",
        arguments: &[
            Argument::new("p", Kind::Number, "The probability of success, from 0 to 1."),
            Argument::OUTCOME,
            Argument::new(
                "eps",
                Kind::Number,
                "Forecasts are clipped into [eps, 1 - eps]; above 0 and below 0.5. Without it nothing is clipped.",
            ),
        ],
        required: 2,
        description: "The logarithm of the probability that was given to what happened, in nats. \
                      Higher is better, at most 0. Without eps a wrong certainty has minus infinity.",
        example: "SELECT log_score(0.5, true), log_score(0.0, true, 1e-6)",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        let eps = arguments.optional(2, Arguments::numbers)?;
        Ok((arguments.numbers(0)?, arguments.outcomes(1)?, eps))
    }

    fn value((p, y, eps): &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        let rule = match eps {
            None => LogScore::exact(),
            Some(eps) => eps.checked(row, "above 0 and below 0.5", LogScore::clipped)?,
        };
        Ok(rule.score(p.probability(row)?, y.value(row)))
    }
}
