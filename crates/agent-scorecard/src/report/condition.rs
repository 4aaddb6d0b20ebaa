use std::{fmt, path::Path, str::FromStr};

use serde_json::{Map, Value};

use crate::report::figures::PlacedFigure;

/// A condition on a value in the JSON of a report, such as `tps_log < -0.6`: a key, one of `<`, `<=`, `>` and `>=`, and
/// a finite number. Conditions are gates for continuous integration, so a condition on an unknown value is an error and
/// not false. Messages of errors name the options of the command.
///
/// ```
/// use agent_scorecard::Condition;
///
/// let condition: Condition = "tps_log < -0.6".parse()?;
/// let report = serde_json::json!({ "tps_log": { "value": -0.7 } });
/// let failure = condition.failure(&report, |_| None)?;
/// assert_eq!(failure.as_deref(), Some("failed: tps_log < -0.6: tps_log is -0.7"));
/// assert!("tps_log".parse::<Condition>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Condition {
    key: String,
    sign: &'static str,
    holds: Holds,
    limit: f64,
}

/// A comparison of a value with a limit.
type Holds = fn(&f64, &f64) -> bool;

/// The comparison operators. Longer ones come first, so that `<=` is not read as `<`.
const SIGNS: [(&str, Holds); 4] =
    [("<=", f64::le), (">=", f64::ge), ("<", f64::lt), (">", f64::gt)];

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.key, self.sign, self.limit)
    }
}

impl FromStr for Condition {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "give KEY < NUMBER, with <, <=, > or >=, such as 'tps_log < -0.6'";
        let at = text.find(['<', '>']).ok_or(FORM)?;
        let (key, rest) = text.split_at(at);
        let (sign, holds) =
            SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign)).ok_or(FORM)?;
        let limit: f64 = rest[sign.len()..].trim().parse().map_err(|_| FORM)?;
        let key = key.trim().to_owned();
        let is_whole = !key.is_empty() && limit.is_finite();
        is_whole.then_some(Self { key, sign, holds, limit }).ok_or(FORM)
    }
}

impl Condition {
    /// Checks this condition on the JSON of a report. Returns a message that describes the failure if the condition is
    /// true, and `None` if it is false. `figure` finds a figure of the report by its location, as
    /// [`Report::placed`](crate::Report::placed) does.
    ///
    /// # Errors
    ///
    /// A line for a key that is not in the report, for a key that names no column or two, for a difference that was not
    /// computed, for a value that is undefined or not a number, and for a condition with a constant result.
    pub fn failure(
        &self,
        report: &Value,
        figure: impl Fn(&str) -> Option<PlacedFigure>,
    ) -> Result<Option<String>, String> {
        let (place, value) = self.number(report)?;
        let (parent, last) = place.rsplit_once('/').unwrap_or_default();
        let figure = match last {
            "value" | "ci_low" | "ci_high" | "standard_error" => figure(parent),
            _ => None,
        };
        let value = match value {
            Value::Null => {
                let why = figure.and_then(|it| match it.figure {
                    Err(reason) => Some(reason.to_string()),
                    Ok(figure) => Some(figure.interval.err()?.to_string()),
                });
                let why = why.map_or_else(
                    || "; the notes of --json say why".to_owned(),
                    |why| format!(": {why}"),
                );
                return Err(self.wrong(&format!("is undefined{why}")));
            }
            Value::Bool(flag) => f64::from(*flag),
            value => value.as_f64().ok_or_else(|| {
                let what = match value {
                    Value::Object(_) => "an object",
                    Value::Array(_) => "a list",
                    _ => "a text",
                };
                self.wrong(&format!("is {what}, not a number; append a key, such as .value"))
            })?,
        };
        self.check_range(last, figure.map(|it| it.measure.range))?;
        let holds = (self.holds)(&value, &self.limit);
        Ok(holds.then(|| format!("failed: {self}: {} is {value}", self.key)))
    }

    /// Returns the location and the value of the number at the key; for a figure, its value.
    fn number<'a>(&self, report: &'a Value) -> Result<(String, &'a Value), String> {
        let walk = Walk::new(report, &self.key);
        let (place, at) = match walk.found.as_slice() {
            [found] => found,
            [] => return Err(self.missing(report, walk.end.0, walk.end.1)),
            [(first, _), (second, _), ..] => {
                let problem = format!(
                    "is ambiguous: it leads to {first} and to {second}, because its number is both a position, counted from 0, and the name of a column; give the columns other names with --name"
                );
                return Err(self.wrong(&problem));
            }
        };
        Ok(at.get("value").map_or((place.clone(), *at), |value| (format!("{place}/value"), value)))
    }

    /// Returns an error for a condition that is true, or false, for all possible values of the number.
    fn check_range(&self, last: &str, range: Option<[f64; 2]>) -> Result<(), String> {
        let [least, largest] = match last {
            // No more than the width of the range.
            "standard_error" => {
                [0.0, range.map_or(f64::INFINITY, |[least, largest]| largest - least)]
            }
            "value" | "ci_low" | "ci_high" => range.unwrap_or(ANY),
            _ if last.starts_with("n_") => [0.0, f64::INFINITY],
            _ if last.starts_with("is_") => [0.0, 1.0],
            _ => ANY,
        };
        let can = [least, largest].map(|value| (self.holds)(&value, &self.limit));
        let problem = match can {
            [true, true] => "always holds",
            [false, false] => "can never hold",
            _ => return Ok(()),
        };
        let between = match [least, largest].map(f64::is_finite) {
            [true, true] => format!("between {least} and {largest}"),
            [true, false] => format!("{least} or more"),
            _ => format!("{largest} or less"),
        };
        let is_flag = last.starts_with("is_");
        let hint = if largest == 1.0 && !is_flag { "; 5 percentage points are 0.05" } else { "" };
        Err(format!("--fail-if: {self}: {problem}, because the value is {between}{hint}"))
    }

    /// Returns the reason why a value has no entry for the rest of the key.
    fn missing(&self, report: &Value, at: &Value, rest: &str) -> String {
        let part = rest.split('.').next().unwrap_or(rest);
        let columns = report.get("files").and_then(Value::as_array);
        let is_at_root = std::ptr::eq(at, report);
        if is_at_root && part == DIFFERENCE {
            return self.wrong(&no_difference(report));
        }
        if let Some(columns) = columns.filter(|_| is_at_root)
            && columns.iter().any(|column| !steps(column, rest).is_empty())
        {
            let form = |column| Some(format!("files.{}.{rest}", name(column)?));
            let forms: Vec<String> = columns.iter().filter_map(form).collect();
            let give = match forms.iter().all(|form| Walk::new(report, form).found.len() == 1) {
                true => {
                    format!("{keys}, or a number as in files.0.{rest}", keys = forms.join(" or "))
                }
                false => "each column a name that is not a number, with --name".to_owned(),
            };
            return self
                .wrong(&format!("names no column, but each column has a value; give {give}"));
        }
        let known = match at {
            Value::Object(keys) => {
                let names = |keys: &Map<String, Value>| {
                    keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
                };
                let column = columns.filter(|_| is_at_root).and_then(|columns| columns.first());
                let columns =
                    column.and_then(Value::as_object).map_or_else(String::new, |column| {
                        format!(
                            "; the keys of the columns in files are {keys}",
                            keys = names(column)
                        )
                    });
                format!("the keys here are {keys}{columns}", keys = names(keys))
            }
            Value::Array(all) => {
                let names: Vec<&str> = all.iter().filter_map(name).collect();
                let caps: Vec<String> = all.iter().filter_map(cap).collect();
                let names = if names.is_empty() {
                    String::new()
                } else {
                    format!(": {}", names.join(", "))
                };
                match all.len().checked_sub(1) {
                    None => "the list is empty".to_owned(),
                    Some(last) if caps.is_empty() => {
                        format!("the entries are numbered from 0 to {last}{names}")
                    }
                    Some(_) => {
                        format!(
                            "a row is named by its cap; the caps are {caps}",
                            caps = caps.join(", ")
                        )
                    }
                }
            }
            _ => "there is nothing inside".to_owned(),
        };
        self.wrong(&format!("{part:?} does not exist; {known}"))
    }

    fn wrong(&self, problem: &str) -> String {
        format!("--fail-if: {}: {problem}", self.key)
    }
}

/// The key of the differences of two columns, the second minus the first.
const DIFFERENCE: &str = "difference";

/// Returns the reason why a report has no differences.
fn no_difference(report: &Value) -> String {
    let notes = report.get("notes").and_then(Value::as_array);
    let mut notes = notes.into_iter().flatten().filter_map(Value::as_str);
    let why = notes.find_map(|note| note.strip_prefix("difference: undefined: "));
    why.map_or_else(
        || "no difference was computed: only `traces` and `compare` report one, for exactly two columns; for more columns, `compare` has differences.NAME".to_owned(),
        |why| format!("no difference was computed: {why}"),
    )
}

/// The range of a number without bounds.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Returns the name of a column, or the stem of its file where a report names files only.
fn name(column: &Value) -> Option<&str> {
    let text = |key: &str| column.get(key)?.as_str();
    text("name").or_else(|| Path::new(text("file")?).file_stem()?.to_str())
}

/// Returns the cap of a row of caps, which is the row's name in keys.
fn cap(row: &Value) -> Option<String> {
    let cap = row.get("cap")?.as_f64().filter(|_| name(row).is_none());
    cap.map(|cap| cap.to_string())
}

/// The results of following a key through a report in all possible ways.
struct Walk<'a, 'k> {
    /// The locations to which the whole key leads, as JSON pointers, with their values.
    found: Vec<(String, &'a Value)>,
    /// The furthest location at which no entry matches the rest of the key.
    end: (&'a Value, &'k str),
}

impl<'a, 'k> Walk<'a, 'k> {
    fn new(report: &'a Value, key: &'k str) -> Self {
        let mut walk = Self { found: Vec::new(), end: (report, key) };
        walk.follow(report, key, "");
        walk
    }

    fn follow(&mut self, at: &'a Value, key: &'k str, place: &str) {
        if key.is_empty() {
            return self.found.push((place.to_owned(), at));
        }
        if key.len() < self.end.1.len() {
            self.end = (at, key);
        }
        for (name, inner, rest) in steps(at, key) {
            let name = name.replace('~', "~0").replace('/', "~1");
            self.follow(inner, rest, &format!("{place}/{name}"));
        }
    }
}

/// Returns the values that match the first part of a key, with their names and the rest of the key. An entry of a list
/// is found by number or name, and a row of caps only by its cap. Names and keys may contain dots.
fn steps<'a, 'k>(at: &'a Value, key: &'k str) -> Vec<(String, &'a Value, &'k str)> {
    let after = |start: &str| match key.strip_prefix(start)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    };
    let list = at.as_array().into_iter().flatten().enumerate().filter_map(|(index, entry)| {
        let index = index.to_string();
        let rest = match cap(entry) {
            Some(cap) => after(&cap)?,
            None => name(entry).and_then(after).or_else(|| after(&index))?,
        };
        Some((index, entry, rest))
    });
    let object = at.as_object().into_iter().flatten();
    let object = object.filter_map(|(name, value)| Some((name.clone(), value, after(name)?)));
    list.chain(object).collect()
}
