use arrow::{array::BooleanArray, datatypes::Float64Type};
use datafusion_common::Result;
use scoring_rules::{BetaScore, ScoringRule};

use crate::{
    columns::{Arguments, Numbers},
    scalar::function::RowFunction,
    specification::{Argument, Kind, Specification},
};

/// `beta_score(p, y, alpha, beta)`.
pub(crate) struct BetaScoreOfRow;

/// The columns, and the rule of the previous row: its tables are worth keeping.
pub(crate) struct BetaColumns<'a> {
    p: Numbers<'a>,
    y: &'a BooleanArray,
    alpha: Numbers<'a>,
    beta: Numbers<'a>,
    rule: Option<BetaScore>,
}

impl RowFunction for BetaScoreOfRow {
    type Columns<'a> = BetaColumns<'a>;
    type Output = Float64Type;

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
            p: arguments.numbers(0)?,
            y: arguments.outcomes(1)?,
            alpha: arguments.numbers(2)?,
            beta: arguments.numbers(3)?,
            rule: None,
        })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        let BetaColumns { p, y, alpha, beta, rule } = columns;
        let (alpha, beta) = (alpha.finite(row)?, beta.finite(row)?);
        let rule = match rule {
            Some(kept) if kept.alpha() == alpha && kept.beta() == beta => kept,
            _ => {
                let made = BetaScore::new(alpha, beta)
                    .map_err(|error| Self::SPECIFICATION.failed(error))?;
                rule.insert(made)
            }
        };
        Ok(rule.score(p.probability(row)?, y.value(row)))
    }
}
