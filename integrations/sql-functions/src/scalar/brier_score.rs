use arrow::{array::BooleanArray, datatypes::Float64Type};
use datafusion_common::Result;
use scoring_rules::{BrierScore, ScoringRule};

use crate::{
    columns::{Arguments, Numbers},
    scalar::function::RowFunction,
    specification::{Argument, Kind, Specification},
};

/// `brier_score(p, y)`.
pub(crate) struct BrierScoreOfRow;

impl RowFunction for BrierScoreOfRow {
    type Columns<'a> = (Numbers<'a>, &'a BooleanArray);
    type Output = Float64Type;

    const SPECIFICATION: Specification = Specification {
        name: "brier_score",
        arguments: &[
            Argument::new("p", Kind::Number, "The probability of success, from 0 to 1."),
            Argument::OUTCOME,
        ],
        required: 2,
        description: "The negative squared distance between the probability and the outcome, \
                      -(p - y)^2. Higher is better, from -1 to 0.",
        example: "SELECT brier_score(0.75, true)",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.numbers(0)?, arguments.outcomes(1)?))
    }

    fn value((p, y): &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        Ok(BrierScore.score(p.probability(row)?, y.value(row)))
    }
}
