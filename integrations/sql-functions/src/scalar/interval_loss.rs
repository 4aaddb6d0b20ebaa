use datafusion_common::Result;
use scoring_rules::{Interval, Observed, interval_loss};

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers},
    scalar::function::RowFunction,
    specification::Specification,
};

/// `interval_loss(low, high, outcome, coverage)`.
pub(crate) struct IntervalLossOfRow;

impl RowFunction for IntervalLossOfRow {
    type Columns<'a> = [Numbers<'a>; 4];
    type Output = f64;

    const SPECIFICATION: Specification = Specification {
        name: "interval_loss",
        arguments: &[
            Argument::new("low", Kind::Number, "The lower end of the interval."),
            Argument::new("high", Kind::Number, "The upper end of the interval, at least low."),
            Argument::new("outcome", Kind::Number, "What happened; finite."),
            Argument::new("coverage", Kind::Number, "The claimed coverage, above 0 and below 1."),
        ],
        required: 4,
        description: "The interval loss: the width of the interval, plus 2 / (1 - coverage) times the \
                      distance by which it misses the outcome. Lower is better, at least 0.",
        example: "SELECT interval_loss(10, 20, 23, 0.9)",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok([
            arguments.numbers(0)?,
            arguments.numbers(1)?,
            arguments.numbers(2)?,
            arguments.numbers(3)?,
        ])
    }

    fn value([low, high, outcome, coverage]: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        let low = low.number(row)?;
        let range = format_args!("a number of at least low, which is {low}").to_string();
        let forecast = high.checked(row, &range, |high| Interval::new(low, high))?;
        let outcome = outcome.checked(row, "finite", Observed::exact)?;
        Ok(interval_loss(forecast, outcome, coverage.level(row)?))
    }
}
