//! Limits on the values of a report, for continuous integration.

use std::fmt;

use serde_json::Value;

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
    /// A line for a key that the report does not have, and for a value that is undefined or no number.
    pub(crate) fn failure(&self, report: &Value) -> Result<Option<String>, String> {
        let value = match self.key.strip_prefix("difference.") {
            Some(key) => self.difference(report, key)?,
            None => self.number(report, &self.key)?,
        };
        let holds = self.comparison.holds(value, self.limit);
        Ok(holds.then(|| format!("failed: {self}: {} is {value}", self.key)))
    }

    /// The paired difference of the report, which has an interval too, or the value of the second file minus
    /// that of the first.
    fn difference(&self, report: &Value, key: &str) -> Result<f64, String> {
        let metric = key.split('.').next().unwrap_or_default();
        if report.get("difference").and_then(|paired| paired.get(metric)).is_some() {
            return self.number(report, &self.key);
        }
        match report.get("files").and_then(Value::as_array).map(Vec::as_slice) {
            Some([first, second]) => Ok(self.number(second, key)? - self.number(first, key)?),
            _ => Err(self.wrong("a difference needs exactly two files")),
        }
    }

    fn number(&self, report: &Value, key: &str) -> Result<f64, String> {
        let mut at = report;
        for part in key.split('.') {
            let inner = match at {
                Value::Array(all) => part.parse().ok().and_then(|index: usize| all.get(index)),
                _ => at.get(part),
            };
            at = inner.ok_or_else(|| self.unknown(part, at))?;
        }
        let number = at.get("value").unwrap_or(at);
        match number {
            Value::Null => Err(self.wrong("is undefined; the notes of --json say why")),
            number => {
                number.as_f64().ok_or_else(|| self.wrong("is no number; name a number inside it"))
            }
        }
    }

    fn unknown(&self, part: &str, at: &Value) -> String {
        let known = match at {
            Value::Object(keys) => {
                let keys: Vec<&str> = keys.keys().map(String::as_str).collect();
                format!("there are {}", keys.join(", "))
            }
            Value::Array(all) => format!("there are {} entries, counted from 0", all.len()),
            _ => "there is nothing inside".to_owned(),
        };
        self.wrong(&format!("{part:?} does not exist; {known}"))
    }

    fn wrong(&self, problem: &str) -> String {
        format!("--fail-if: {}: {problem}", self.key)
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
    fn a_difference_is_the_second_file_minus_the_first() {
        let report = json!({ "files": [{ "x": 1.0 }, { "x": { "value": 0.25 } }] });
        assert!(failure("difference.x < -0.7", &report).unwrap().is_some());
        assert!(failure("difference.x > 0", &report).unwrap().is_none());
        let single = failure("difference.x > 0", &json!({ "x": 1 })).unwrap_err();
        assert!(single.contains("exactly two files"), "{single}");
    }

    #[test]
    fn a_paired_difference_of_the_report_comes_first_and_has_an_interval() {
        let report = json!({
            "difference": { "x": { "value": -0.5, "ci_high": -0.25 } },
            "files": [{ "x": 1.0, "n": 3 }, { "x": 0.5, "n": 7 }],
        });
        for (condition, fails) in [
            ("difference.x < -0.4", true),
            ("difference.x.ci_high < 0", true),
            ("difference.x.ci_high < -0.3", false),
            ("difference.n >= 4", true),
        ] {
            assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
        }
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
