use datafusion_common::Result;
use scoring_rules::LogScore;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers},
    scalar::{
        function::RowFunction,
        score_rows::{ForecastRows, score_row, score_rows},
    },
    specification::Specification,
};

/// `log_score(p, y [, eps])`.
pub(crate) struct LogScoreOfRow;

pub(crate) struct LogColumns<'a> {
    rows: ForecastRows<'a>,
    eps: Option<Numbers<'a>>,
}

impl LogColumns<'_> {
    /// Scores the rows from `start` on by the rule of this row.
    fn score(&self, start: usize, values: &mut [f64]) -> Result<()> {
        let rule = match self.eps {
            None => LogScore::exact(),
            Some(eps) => eps.checked(start, "above 0 and below 0.5", LogScore::clipped)?,
        };
        self.rows.score(&rule, start, values)
    }
}

impl RowFunction for LogScoreOfRow {
    type Columns<'a> = LogColumns<'a>;
    type Output = f64;

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
        Ok(LogColumns { rows: ForecastRows::new(arguments)?, eps })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        score_row(|values| columns.score(row, values))
    }

    fn fill(columns: &mut Self::Columns<'_>, values: &mut [f64]) -> Result<()> {
        let eps = columns.eps;
        let is_same = |row| eps.is_none_or(|eps| eps.repeats(row));
        score_rows(values, is_same, |start, values| columns.score(start, values))
    }
}
