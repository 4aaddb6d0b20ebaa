//! Limits on the values of a report, for continuous integration.

use std::{fmt, path::Path};

use serde_json::{Map, Value};

/// A condition such as `tps_log < -0.6`, under which a command fails.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Threshold {
    key: String,
    comparison: Comparison,
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    /// Longer signs first, so that `<=` is not read as `<`.
    const ALL: [(Self, &str); 4] =
        [(Self::AtMost, "<="), (Self::AtLeast, ">="), (Self::Less, "<"), (Self::Greater, ">")];

    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Less => value < limit,
            Self::AtMost => value <= limit,
            Self::Greater => value > limit,
            Self::AtLeast => value >= limit,
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Comparison::ALL.iter().find(|(comparison, _)| *comparison == self.comparison);
        write!(f, "{} {} {}", self.key, sign.map_or("", |(_, sign)| sign), self.limit)
    }
}

/// Reads a condition: a key, one of `<`, `<=`, `>` and `>=`, and a finite number.
pub(crate) fn parse(text: &str) -> Result<Threshold, &'static str> {
    const FORM: &str = "give KEY < NUMBER, with <, <=, > or >=, such as 'tps_log < -0.6'";
    let at = text.find(['<', '>']).ok_or(FORM)?;
    let (key, rest) = text.split_at(at);
    let sign = Comparison::ALL.into_iter().find(|(_, sign)| rest.starts_with(sign));
    let (comparison, sign) = sign.ok_or(FORM)?;
    let limit: f64 = rest[sign.len()..].trim().parse().map_err(|_| FORM)?;
    let key = key.trim().to_owned();
    if key.is_empty() || !limit.is_finite() {
        Err(FORM)
    } else {
        Ok(Threshold { key, comparison, limit })
    }
}

impl Threshold {
    /// The line that says that the condition holds for a report; `None` if it does not hold.
    ///
    /// # Errors
    ///
    /// A line for a key that the report does not have, for one that names no column where there are several,
    /// for a difference that was not computed, and for a value that is undefined or not a number.
    pub(crate) fn failure(&self, report: &Value) -> Result<Option<String>, String> {
        let value = self.number(report)?;
        let holds = self.comparison.holds(value, self.limit);
        Ok(holds.then(|| format!("failed: {self}: {} is {value}", self.key)))
    }

    fn number(&self, report: &Value) -> Result<f64, String> {
        let (mut at, mut rest) = (report, self.key.as_str());
        while !rest.is_empty() {
            (at, rest) = step(at, rest).ok_or_else(|| self.missing(report, at, rest))?;
        }
        let number = at.get("value").unwrap_or(at);
        match number {
            Value::Null => Err(self.wrong("is undefined; the notes of --json say why")),
            Value::Bool(flag) => Ok(f64::from(*flag)),
            number => {
                number.as_f64().ok_or_else(|| self.wrong("is no number; name a number inside it"))
            }
        }
    }

    /// Why a value has nothing that the rest of the key names.
    fn missing(&self, report: &Value, at: &Value, rest: &str) -> String {
        let part = rest.split('.').next().unwrap_or(rest);
        let columns = report.get("files").and_then(Value::as_array);
        let is_at_root = std::ptr::eq(at, report);
        if is_at_root && part == DIFFERENCE {
            return self.wrong(&no_difference(report));
        }
        if let Some(columns) = columns.filter(|_| is_at_root)
            && columns.iter().any(|column| step(column, rest).is_some())
        {
            let form = |column| Some(format!("files.{}.{rest}", name(column)?));
            let forms: Vec<String> = columns.iter().filter_map(form).collect();
            return self.wrong(&format!(
                "names no column, and there is a value for each; give {}, or a number as in files.0.{rest}",
                forms.join(" or ")
            ));
        }
        let known = match at {
            Value::Object(keys) => {
                let names = |keys: &Map<String, Value>| {
                    keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
                };
                let column = columns.filter(|_| is_at_root).and_then(|columns| columns.first());
                let columns =
                    column.and_then(Value::as_object).map_or_else(String::new, |column| {
                        format!("; the columns in files have {}", names(column))
                    });
                format!("there are {}{columns}", names(keys))
            }
            Value::Array(all) => {
                let names: Vec<&str> = all.iter().filter_map(name).collect();
                let names = if names.is_empty() {
                    String::new()
                } else {
                    format!(": {}", names.join(", "))
                };
                format!("there are {} entries, counted from 0{names}", all.len())
            }
            _ => "there is nothing inside".to_owned(),
        };
        self.wrong(&format!("{part:?} does not exist; {known}"))
    }

    fn wrong(&self, problem: &str) -> String {
        format!("--fail-if: {}: {problem}", self.key)
    }
}

/// Where a report has the second of two columns minus the first.
const DIFFERENCE: &str = "difference";

/// Why a report has no differences.
fn no_difference(report: &Value) -> String {
    let notes = report.get("notes").and_then(Value::as_array);
    let mut notes = notes.into_iter().flatten().filter_map(Value::as_str);
    let why = notes.find_map(|note| note.strip_prefix("difference: undefined: "));
    why.map_or_else(
        || "no difference was computed; there is one of exactly two columns, and of more compare has differences.NAME".to_owned(),
        |why| format!("no difference was computed: {why}"),
    )
}

/// The name of a column, or the stem of its file where a report names files only.
fn name(column: &Value) -> Option<&str> {
    let text = |key: &str| column.get(key)?.as_str();
    text("name").or_else(|| Path::new(text("file")?).file_stem()?.to_str())
}

/// The value that the first part of a key leads to, and the rest of the key. Columns are found by their number
/// or their name; names and keys may hold dots.
fn step<'a, 'k>(at: &'a Value, key: &'k str) -> Option<(&'a Value, &'k str)> {
    let after = |start: &str| match key.strip_prefix(start)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    };
    match at {
        Value::Array(all) => {
            let part = key.split('.').next().unwrap_or(key);
            if let Some(entry) = part.parse().ok().and_then(|index: usize| all.get(index)) {
                return Some((entry, after(part)?));
            }
            let named = all.iter().filter_map(|entry| Some((name(entry)?, entry)));
            let found = named.filter_map(|(name, entry)| Some((name, entry, after(name)?)));
            let (longest, entry, rest) = found.clone().max_by_key(|(name, ..)| name.len())?;
            // A name of two columns leads to neither.
            let is_only = found.filter(|(name, ..)| *name == longest).count() == 1;
            is_only.then_some((entry, rest))
        }
        Value::Object(keys) => {
            let found = keys.iter().filter_map(|(name, value)| Some((name, value, after(name)?)));
            found.max_by_key(|(name, ..)| name.len()).map(|(_, value, rest)| (value, rest))
        }
        _ => None,
    }
}
