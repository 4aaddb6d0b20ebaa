//! The columns of tables: their names, and which of them are read.

use serde_json::{Number, Value};
use trajectory_metrics::distinct_keys::repeated_key;

use crate::json_lines::parsing::InputError;

/// Words for a missing value, in lower case.
const MISSING: [&str; 8] = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"];

/// The content of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Names. `3.0` is taken as `3`, because tables write whole numbers with a fraction in a column with empty cells.
    Name,
    /// Texts, whatever they look like.
    Text,
    /// Numbers, yes or no, or JSON.
    Value,
}

/// A column, and its possible names. If a table has several of them, the first is read.
#[derive(Debug)]
pub(crate) struct Column {
    /// The name in the code and in files of JSON Lines, and further names.
    pub(crate) names: &'static [&'static str],
    kind: Kind,
}

macro_rules! columns {
    ($($constant:ident $kind:ident: $($name:literal)+;)+) => {
        $(pub(crate) const $constant: &Column = &Column { names: &[$($name),+], kind: Kind::$kind };)+
        /// All columns that some reader uses from a table.
        #[cfg(test)]
        const COLUMNS: &[&Column] = &[$($constant),+];
    };
}

columns! {
    ID Name: "id" "run_id" "trace_id" "trajectory_id" "rollout_id" "episode_id" "transcript_id";
    TASK Name: "task" "task_id" "instance_id" "problem_id" "question_id" "example_id" "item_id" "problem" "question";
    MODEL Text: "model" "model_name" "model_id";
    TRIAL Value: "trial" "epoch" "attempt" "repetition" "repeat" "replicate" "task_repeat";
    STEP Value: "step" "turn" "step_index" "turn_index" "step_number" "turn_number" "step_idx" "turn_idx";
    FORECAST Value: "forecast" "confidence" "probability" "stated_confidence" "self_confidence";
    OUTCOME Value: "outcome" "correct" "is_correct" "success" "passed" "solved" "resolved" "score" "reward" "label";
    STOP Text: "stop" "stop_reason" "termination_reason" "exit_status";
    HORIZON Value: "horizon";
    SUCCESS_CHANCE Value: "success_chance";
    LOG Text: "log";
    GRADE Value: "grade";
    EXPECTED_CALLS Value: "expected_calls";
}

/// The columns of a table that are read, and their meaning.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// The names of all columns as written, without blanks around them.
    pub(crate) names: Vec<String>,
    /// The content of each column; `None` for a column that is not read.
    columns: Vec<Option<&'static Column>>,
}

impl Header {
    /// Chooses the columns of a table from the columns known to a reader.
    ///
    /// # Errors
    ///
    /// [`InputError`] for two columns with the same name, if it is read.
    pub(crate) fn new(
        file: &str,
        names: Vec<String>,
        known: &[&'static Column],
    ) -> Result<Self, InputError> {
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let mut columns = vec![None; names.len()];
        for &column in known {
            let places = |name: &&&str| lower.iter().any(|it| it == **name);
            let Some(name) = column.names.iter().find(places) else { continue };
            let mut places = (0..lower.len()).filter(|&place| lower[place] == **name);
            if let Some(place) = places.next() {
                columns[place] = Some(column);
            }
            if places.next().is_some() {
                return Err(InputError::of_field(file, 1, name, "two columns have this name"));
            }
        }
        Ok(Self { names, columns })
    }

    /// Returns the name of a column as the table writes it; `None` if the table lacks the column.
    pub(crate) fn name(&self, column: &Column) -> Option<&str> {
        let is_it = |known: &Option<&'static Column>| known.is_some_and(|it| it.is(column));
        self.columns.iter().position(is_it).map(|place| self.names[place].as_str())
    }

    /// The number of columns that are read.
    pub(crate) fn known(&self) -> usize {
        self.columns.iter().flatten().count()
    }

    /// The columns that are read, with their positions.
    pub(crate) fn read(&self) -> impl Iterator<Item = (usize, &'static Column)> {
        self.columns.iter().enumerate().filter_map(|(place, column)| Some((place, (*column)?)))
    }

    /// The columns that are not read, in their order.
    pub(crate) fn not_read(&self) -> impl Iterator<Item = String> {
        let all = self.names.iter().zip(&self.columns);
        all.filter(|(_, column)| column.is_none()).map(|(name, _)| shown(name).to_owned())
    }

    /// Returns the error for a table that lacks a column.
    pub(crate) fn lacks(&self, file: &str, field: &str, column: &Column) -> InputError {
        let known = column.names.join(", ");
        let names: Vec<&str> = self.names.iter().map(|name| shown(name)).collect();
        let problem = format!(
            "no column has one of the names {known}; the columns are {}; rename the one that holds it",
            names.join(", ")
        );
        InputError::of_field(file, 1, field, problem)
    }

    /// Notes the column of outcomes, and the columns that are read under a name other than their first.
    pub(crate) fn notes(&self) -> Vec<String> {
        let renamed = self.read().filter(|(place, column)| {
            let name = self.names[*place].to_lowercase();
            name != column.names[0] && !column.is(FORECAST) && !column.is(OUTCOME)
        });
        let renamed =
            renamed.map(|(place, column)| format!("{} as {}", self.names[place], column.names[0]));
        let renamed = Vec::from_iter(renamed);
        let renamed =
            (!renamed.is_empty()).then(|| format!("columns read: {}", renamed.join(", ")));
        let outcome = self.name(OUTCOME).filter(|name| !name.eq_ignore_ascii_case("outcome"));
        let outcome = outcome.map(|name| format!("outcomes are those of the column {name}"));
        outcome.into_iter().chain(renamed).collect()
    }
}

/// Returns the name of a column for a sentence.
fn shown(name: &str) -> &str {
    if name.is_empty() { "one without a name" } else { name }
}

impl Column {
    fn is(&self, other: &Self) -> bool {
        self.names[0] == other.names[0]
    }

    /// Returns the value of a cell in a table of texts.
    ///
    /// # Errors
    ///
    /// The problem with the JSON in the cell.
    pub(crate) fn cell(&self, text: &str) -> Result<Value, String> {
        let word = text.trim();
        if self.kind != Kind::Value {
            return Ok(self.value(Value::from(word)));
        }
        Ok(match word.to_ascii_lowercase().as_str() {
            "true" => true.into(),
            "false" => false.into(),
            missing if MISSING.contains(&missing) => Value::Null,
            _ => match (word.parse::<u64>(), word.parse::<f64>()) {
                (Ok(number), _) => number.into(),
                (_, Ok(number)) => self.value(number_or_bare(number, word)),
                _ if word.starts_with(['[', '{']) => {
                    if let Some((path, _)) = repeated_key(word.as_bytes()) {
                        return Err(format!("{path} occurs twice; give each key once"));
                    }
                    serde_json::from_str(word).unwrap_or_else(|_| word.into())
                }
                _ => word.into(),
            },
        })
    }

    /// Returns a JSON value in the form of the column: texts without surrounding blanks, whole numbers without a fraction, and
    /// null for the words that mean a missing value.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let word = text.trim();
                if MISSING.contains(&word.to_ascii_lowercase().as_str()) {
                    return Value::Null;
                }
                if self.kind == Kind::Name { whole(word).into() } else { word.into() }
            }
            Value::Number(number) if self.kind != Kind::Text => {
                match number
                    .as_f64()
                    .filter(|it| number.is_f64() && it.fract() == 0.0 && it.abs() < 1e15)
                {
                    Some(whole) => (whole as i64).into(),
                    None => number.into(),
                }
            }
            // A bare NaN, except in a forecast, for which the policy decides.
            Value::Array(list) if !self.is(FORECAST) && list.len() == 1 => match list[0].as_str() {
                Some(bare) if bare.parse().is_ok_and(f64::is_nan) => Value::Null,
                _ => Value::Array(list),
            },
            value => value,
        }
    }
}

/// Returns a number, or a list of its word if it is not finite, as written by
/// [`replace_bare`](crate::json_lines::parsing::replace_bare).
fn number_or_bare(number: f64, word: &str) -> Value {
    Number::from_f64(number).map_or_else(|| vec![word].into(), Value::Number)
}

/// Returns the name without the fraction of a whole number: `3` for `3.0`.
pub(crate) fn whole(name: &str) -> &str {
    let Some((digits, zeros)) = name.split_once('.') else { return name };
    let number = digits.strip_prefix('-').unwrap_or(digits);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_number && (number == "0" || !number.starts_with('0'));
    let is_whole = !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0');
    if is_plain && is_whole { digits } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_the_names_of_all_columns() {
        let manual = include_str!("../../../../docs/formats.md");
        let (_, table) = manual.split_once("### Columns of tables").unwrap_or_default();
        let rows = table.lines().filter(|line| line.starts_with("| `"));
        let names = rows.map(|row| row.split('|').nth(1).unwrap_or_default().trim().to_owned());
        let expected = COLUMNS.iter().map(|column| {
            column.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        });
        assert_eq!(names.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_whole_number_with_a_fraction_of_zeros_is_the_number() {
        let names =
            ["3.0", "-3.00", "0.0", "3", "3.", "03.0", "1.10", "v1.0", ".0", "1.0.0", "t 1.0"];
        let expected = ["3", "-3", "0", "3", "3.", "03.0", "1.10", "v1.0", ".0", "1.0.0", "t 1.0"];
        assert_eq!(names.map(whole), expected);
    }
}
