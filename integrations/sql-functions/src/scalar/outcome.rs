use arrow::array::BooleanArray;
use datafusion_common::Result;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers, Texts},
    scalar::function::RowFunction,
    specification::Specification,
};

/// Numbers within this distance of 0 or 1 count as 0 or 1, as in `run-logs`.
const ROUNDING: f64 = 1e-6;

/// The words that stand for a missing value in a table, in any case, as in `run-logs`.
const MISSING: [&str; 8] = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"];

/// `outcome(x)`.
pub(crate) struct OutcomeOfRow;

/// The column of [`OutcomeOfRow`], by its type.
pub(crate) enum OutcomeColumn<'a> {
    Outcomes(&'a BooleanArray),
    Numbers(Numbers<'a>),
    Texts(Texts<'a>),
}

fn of_number(number: f64) -> Option<bool> {
    let is_near = |value: f64| (number - value).abs() <= ROUNDING;
    if is_near(0.0) { Some(false) } else { is_near(1.0).then_some(true) }
}

/// The outcome of a text without blanks around it.
fn of_text(text: &str) -> Option<bool> {
    match text {
        "C" => Some(true),
        "I" | "N" => Some(false),
        _ => match text.to_ascii_lowercase().as_str() {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            word => of_number(word.parse().ok()?),
        },
    }
}

impl RowFunction for OutcomeOfRow {
    type Columns<'a> = OutcomeColumn<'a>;
    type Output = Option<bool>;

    const SPECIFICATION: Specification = Specification {
        name: "outcome",
        arguments: &[Argument::new(
            "x",
            Kind::AnyOutcome,
            "A Boolean, a number, which must be 0 or 1, or a text.",
        )],
        required: 1,
        description: "The outcome that a value stands for, as the facts of a log have it. Texts are yes, true, \
                      1 and C for a success, no, false, 0, I and N for a failure, and NA, null, none and \
                      similar words, or no text, for NULL.",
        example: "SELECT auroc(p, outcome(y)) FROM runs",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok(match (arguments.outcomes(0), arguments.numbers(0)) {
            (Ok(outcomes), _) => OutcomeColumn::Outcomes(outcomes),
            (_, Ok(numbers)) => OutcomeColumn::Numbers(numbers),
            _ => OutcomeColumn::Texts(arguments.texts(0)?),
        })
    }

    fn value(column: &mut Self::Columns<'_>, row: usize) -> Result<Option<bool>> {
        match column {
            OutcomeColumn::Outcomes(outcomes) => Ok(Some(outcomes.value(row))),
            OutcomeColumn::Numbers(numbers) => {
                numbers.checked(row, "0 or 1", |number| of_number(number).map(Some).ok_or(()))
            }
            OutcomeColumn::Texts(texts) => {
                let text = texts.text(row).trim();
                if MISSING.contains(&text.to_ascii_lowercase().as_str()) {
                    return Ok(None);
                }
                let range = "yes, true, 1 or C, or no, false, 0, I or N";
                of_text(text)
                    .map(Some)
                    .ok_or_else(|| texts.place().refuse(format_args!("'{text}'"), range))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_logs::{FactRules, Run, Score, Value};

    /// The outcome of a run with this score by the rules for facts.
    fn judged(score: Value) -> Option<bool> {
        let mut run = Run::new("run");
        run.scores.insert("match".to_owned(), Score { value: score, ..Score::default() });
        FactRules::default().judgement(&run).ok()?.outcome
    }

    #[test]
    fn outcomes_are_those_of_the_rules_for_facts() {
        let words = [
            "C",
            "c",
            "I",
            "i",
            "N",
            "n",
            "P",
            "yes",
            "YES",
            "no",
            "No",
            "true",
            "True",
            "false",
            "1",
            "0",
            "1.0",
            "0.0",
            "1e0",
            "0.5",
            "2",
            "-1",
            "0.9999999",
            "0.99",
            "pass",
            "fail",
            "y",
            "on",
            "inf",
            "x",
        ];
        for word in words {
            assert_eq!(of_text(word), judged(word.into()), "{word}");
        }
        for number in [0.0, 1.0, -0.0, 1e-7, 1e-5, 1.0 + 1e-7, 0.5, 2.0, f64::INFINITY, f64::NAN] {
            assert_eq!(of_number(number), judged(Value::Real(number)), "{number}");
        }
        assert_eq!(judged(Value::Bool(true)), Some(true));
    }
}
