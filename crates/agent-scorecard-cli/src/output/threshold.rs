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
    /// for a difference that was not computed, and for a value that is undefined or no number.
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
        || "no difference was computed; traces computes that of exactly two columns".to_owned(),
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failure(condition: &str, report: &Value) -> Result<Option<String>, String> {
        parse(condition).unwrap().failure(report)
    }

    #[test]
    fn a_condition_fails_exactly_where_it_holds() {
        let report = json!({ "x": 2.0 });
        for (condition, fails) in [
            ("x < 2", false),
            ("x <= 2", true),
            ("x>2", false),
            ("x >= 2.0", true),
            ("x < 2.5", true),
            ("x > -1e3", true),
        ] {
            assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
        }
        let line = failure("x >= 2.0", &report).unwrap();
        assert_eq!(line.as_deref(), Some("failed: x >= 2: x is 2"));
    }

    #[test]
    fn keys_lead_into_objects_and_lists_and_a_metric_stands_for_its_value() {
        let report = json!({ "tps": { "value": -0.5, "ci_low": -0.7 }, "alphas": [{ "eta": 1 }] });
        for (condition, fails) in [
            ("tps < -0.4", true),
            ("tps.value < -0.6", false),
            ("tps.ci_low < -0.6", true),
            ("alphas.0.eta >= 1", true),
        ] {
            assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
        }
    }

    #[test]
    fn a_difference_that_was_not_computed_is_an_error_and_no_subtraction() {
        let files = json!([{ "x": { "value": 1.0, "ci_high": 2.0 } }, { "x": { "value": 0.5, "ci_high": 1.0 } }]);
        let report =
            json!({ "files": files, "notes": ["difference: undefined: no task has a run"] });
        for condition in ["difference.x < 0", "difference.x.ci_high < 0"] {
            let error = failure(condition, &report).unwrap_err();
            assert!(error.ends_with("no difference was computed: no task has a run"), "{error}");
        }
        let single = failure("difference.x > 0", &json!({ "x": 1 })).unwrap_err();
        assert!(single.contains("exactly two columns"), "{single}");
    }

    #[test]
    fn a_computed_difference_has_an_interval() {
        let report = json!({
            "difference": { "pairing": "tasks", "x": { "value": -0.5, "ci_high": -0.25 }, "y": null },
            "files": [{ "x": 1.0, "n": 3 }, { "x": 0.5, "n": 7 }],
        });
        for (condition, fails) in [
            ("difference.x < -0.4", true),
            ("difference.x.ci_high < 0", true),
            ("difference.x.ci_high < -0.3", false),
        ] {
            assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
        }
        let counts = failure("difference.n >= 4", &report).unwrap_err();
        assert!(counts.contains("\"n\" does not exist; there are pairing, x, y"), "{counts}");
        let undefined = failure("difference.y < 4", &report).unwrap_err();
        assert!(undefined.contains("is undefined"), "{undefined}");
    }

    #[test]
    fn a_condition_that_names_no_column_lists_them() {
        let report =
            json!({ "files": [{ "name": "gpt-4", "x": 1.0 }, { "name": "gpt-4.1", "x": 0.5 }] });
        let error = failure("x < 1", &report).unwrap_err();
        let forms = "give files.gpt-4.x or files.gpt-4.1.x, or a number as in files.0.x";
        assert!(error.contains(forms), "{error}");
        for (condition, fails) in
            [("files.1.x < 1", true), ("files.gpt-4.x < 1", false), ("files.gpt-4.1.x < 1", true)]
        {
            assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
        }
        let error = failure("files.gpt.x < 1", &report).unwrap_err();
        assert!(error.contains("there are 2 entries, counted from 0: gpt-4, gpt-4.1"), "{error}");
        let by_file = json!({ "files": [{ "file": "logs/a.b.jsonl", "x": 1.0 }] });
        assert!(failure("files.a.b.x < 2", &by_file).unwrap().is_some());
        let same = json!({ "files": [{ "name": "a", "x": 1.0 }, { "name": "a", "x": 0.5 }] });
        assert!(failure("files.a.x < 2", &same).is_err());
    }

    #[test]
    fn unknown_keys_and_undefined_values_are_errors() {
        let report = json!({ "x": null, "y": "z", "list": [] });
        for (condition, part) in [
            ("x < 1", "x: is undefined"),
            ("y < 1", "y: is no number"),
            ("w < 1", "\"w\" does not exist; there are list, x, y"),
            ("list.0 < 1", "\"0\" does not exist; there are 0 entries"),
            ("x.y < 1", "\"y\" does not exist; there is nothing inside"),
        ] {
            let error = failure(condition, &report).unwrap_err();
            assert!(error.starts_with("--fail-if: ") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "x", "x = 1", "< 1", "x <", "x < one", "x < NaN", "x < inf", "x << 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
