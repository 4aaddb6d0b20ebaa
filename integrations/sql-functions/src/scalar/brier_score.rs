use datafusion_common::Result;
use scoring_rules::BrierScore;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::Arguments,
    scalar::{
        function::RowFunction,
        score_rows::{ForecastRows, score_row},
    },
    specification::Specification,
};

/// `brier_score(p, y)`.
pub(crate) struct BrierScoreOfRow;

impl RowFunction for BrierScoreOfRow {
    type Columns<'a> = ForecastRows<'a>;
    type Output = f64;

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
        ForecastRows::new(arguments)
    }

    fn value(rows: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        score_row(|values| rows.score(&BrierScore, row, values))
    }

    fn fill(rows: &mut Self::Columns<'_>, values: &mut [f64]) -> Result<()> {
        rows.score(&BrierScore, 0, values)
    }
}
