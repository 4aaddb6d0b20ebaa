//! Tables whose numbers know which value of the JSON output they show.

pub(crate) use agent_scorecard::{Cell, Part};
use agent_scorecard::{Heading, Row};
use serde_json::Value;

/// A table with a row of headings, and a heading in front of each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The headings, that of the first column included.
    pub(crate) header: Vec<String>,
    /// The rows, each with its heading first.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The JSON output of a subcommand, from which a page takes every number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    root: &'a Value,
}

impl<'a> Output<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// The value at a pointer.
    pub(crate) fn at(self, pointer: &str) -> Option<&'a Value> {
        self.root.pointer(pointer).filter(|value| !value.is_null())
    }

    /// A text at a pointer; empty if there is none.
    pub(crate) fn text(self, pointer: &str) -> &'a str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The texts of a list at a pointer.
    pub(crate) fn texts(self, pointer: &str) -> Vec<String> {
        let list = self.at(pointer).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
    }

    /// How many entries a list at a pointer has.
    pub(crate) fn len(self, pointer: &str) -> usize {
        self.at(pointer).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// A number at a pointer, or "undefined".
    fn number_with(self, pointer: &str, decimals: Option<usize>) -> Part {
        let text = match self.root.pointer(pointer) {
            Some(Value::Number(number)) if number.is_f64() => {
                number.as_f64().map_or_else(String::new, |value| shown(value, decimals))
            }
            Some(Value::Number(number)) => number.to_string(),
            _ => "undefined".to_owned(),
        };
        Part::Number { pointer: pointer.to_owned(), text }
    }

    /// A value with its interval if it has one: `{"value", "ci_low", "ci_high"}`, or a plain number.
    pub(crate) fn estimate(self, pointer: &str, decimals: Option<usize>) -> Cell {
        let value = format!("{pointer}/value");
        if self.root.pointer(&value).is_none() {
            return Cell(vec![self.number_with(pointer, decimals)]);
        }
        let mut parts = vec![self.number_with(&value, decimals)];
        let (low, high) = (format!("{pointer}/ci_low"), format!("{pointer}/ci_high"));
        if self.at(&low).is_some() && self.at(&high).is_some() {
            parts.push(Part::Text(" [".into()));
            parts.push(self.number_with(&low, decimals));
            parts.push(Part::Text(", ".into()));
            parts.push(self.number_with(&high, decimals));
            parts.push(Part::Text("]".into()));
        }
        Cell(parts)
    }
}

impl From<Table> for agent_scorecard::Table {
    fn from(table: Table) -> Self {
        let rows = table.rows.into_iter().map(|mut cells| {
            let heading = if cells.is_empty() { Cell::default() } else { cells.remove(0) };
            Row { heading: Some(Heading::Text(heading.plain().into())), cells }
        });
        Self { header: table.header, rows: rows.collect(), ..Self::default() }
    }
}

impl Table {
    pub(crate) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(
        &mut self,
        heading: impl Into<String>,
        cells: impl IntoIterator<Item = Cell>,
    ) {
        self.rows.push(std::iter::once(Cell::text(heading.into())).chain(cells).collect());
    }
}

/// A number as people read it: a whole number as it is, otherwise three decimals, more if fewer than
/// two digits were left, fewer for large numbers.
pub(crate) fn shown(value: f64, decimals: Option<usize>) -> String {
    let decimals = decimals.unwrap_or_else(|| {
        let size = value.abs();
        if value.fract() == 0.0 {
            0
        } else if size >= 1000.0 {
            1
        } else if size < 0.01 {
            ((1.0 - size.log10()).ceil() as usize).min(12)
        } else {
            3
        }
    });
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_two_digits_and_whole_numbers_have_no_decimals() {
        let cases = [
            (0.123_456, "0.123"),
            (0.001_234_5, "0.0012"),
            (-0.000_05, "-0.000050"),
            (3.0, "3"),
            (12_345.67, "12345.7"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(shown(value, None), text);
        }
        assert_eq!(shown(1.0, Some(3)), "1.000");
    }

    #[test]
    fn an_estimate_shows_its_interval_and_says_where_each_number_comes_from() {
        let json =
            serde_json::json!({"a": {"value": 0.5, "ci_low": 0.25, "ci_high": 0.75}, "b": null});
        let output = Output::new(&json);
        let Cell(parts) = output.estimate("/a", Some(2));
        let texts: String = parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.as_ref(),
                Part::Number { text, .. } => text,
            })
            .collect();
        assert_eq!(texts, "0.50 [0.25, 0.75]");
        let Cell(parts) = output.estimate("/b", None);
        assert!(matches!(&parts[..], [Part::Number { text, .. }] if text == "undefined"));
    }
}
