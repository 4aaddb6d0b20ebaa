use datafusion_common::Result;
use scoring_rules::BetaScore;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers},
    scalar::{
        function::RowFunction,
        score_rows::{ForecastRows, score_row, score_rows},
    },
    specification::Specification,
};

/// `beta_score(p, y, alpha, beta)`.
pub(crate) struct BetaScoreOfRow;

/// The columns, and the rule of the previous row: its tables are worth keeping.
pub(crate) struct BetaColumns<'a> {
    rows: ForecastRows<'a>,
    alpha: Numbers<'a>,
    beta: Numbers<'a>,
    rule: Option<BetaScore>,
}

impl BetaColumns<'_> {
    /// Scores the rows from `start` on by the rule of this row.
    fn score(&mut self, start: usize, values: &mut [f64]) -> Result<()> {
        let (alpha, beta) = (self.alpha.finite(start)?, self.beta.finite(start)?);
        let rule = match &mut self.rule {
            Some(kept) if kept.alpha() == alpha && kept.beta() == beta => kept,
            rule => {
                let made = BetaScore::new(alpha, beta)
                    .map_err(|error| BetaScoreOfRow::SPECIFICATION.failed(error))?;
                rule.insert(made)
            }
        };
        self.rows.score(rule, start, values)
    }
}

impl RowFunction for BetaScoreOfRow {
    type Columns<'a> = BetaColumns<'a>;
    type Output = f64;

    const SPECIFICATION: Specification = Specification {
        name: "beta_score",
        arguments: &[
            Argument::new("p", Kind::Number, "The probability of success, from 0 to 1."),
            Argument::OUTCOME,
            Argument::new("alpha", Kind::Number, "The first exponent of the family."),
            Argument::new("beta", Kind::Number, "The second exponent of the family."),
        ],
        required: 4,
        description: "The score of the beta family with the weight c^(alpha - 1) (1 - c)^(beta - 1) \
                      on thresholds c. Higher is better, at most 0.",
        example: "SELECT beta_score(0.75, true, 2, 4)",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok(BetaColumns {
            rows: ForecastRows::new(arguments)?,
            alpha: arguments.numbers(2)?,
            beta: arguments.numbers(3)?,
            rule: None,
        })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        score_row(|values| columns.score(row, values))
    }

    fn fill(columns: &mut Self::Columns<'_>, values: &mut [f64]) -> Result<()> {
        let (alpha, beta) = (columns.alpha, columns.beta);
        let is_same = |row| alpha.repeats(row) && beta.repeats(row);
        score_rows(values, is_same, |start, values| columns.score(start, values))
    }
}
