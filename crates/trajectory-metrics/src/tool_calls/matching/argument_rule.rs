use crate::{
    error::Error,
    tool_calls::values::value::{Tolerance, Value},
};

/// When the arguments of a call are those that were expected.
///
/// | rule | holds where |
/// |---|---|
/// | exact | both have the same arguments |
/// | ignore | always |
/// | subset | each argument of the call is expected, with the same value |
/// | superset | each expected argument is in the call, with the same value |
/// | fields | both have the named arguments, with the same values |
///
/// Arguments are compared one by one at the top; what they hold is compared whole, numbers within
/// the tolerance. If either side is not a map, all rules except ignore compare the two whole; the
/// rule of fields does so if neither is, since what is not a map has no fields.
///
/// Null is a value: an argument that is null differs from one that is absent.
///
/// With the feature `serde` a rule is an object: `{"kind": "exact"}`, or
/// `{"kind": {"fields": ["amount"]}, "absolute_tolerance": 0.005, "relative_tolerance": 0.0}`.
/// Tolerances that are left out are 0; other keys are refused.
///
/// ```
/// use trajectory_metrics::tool_calls::{ArgumentRule, ToolCall};
/// use trajectory_metrics::Error;
///
/// let called = ToolCall::new("pay", [("amount", 10.01.into()), ("note", "rent".into())]);
/// let expected = ToolCall::new("pay", [("amount", 10.into())]);
/// let agrees = |rule: ArgumentRule| rule.agrees(&called.arguments, &expected.arguments);
/// assert!(!agrees(ArgumentRule::superset())?);
/// assert!(agrees(ArgumentRule::superset().with_tolerance(0.0, 0.01)?)?);
/// assert!(agrees(ArgumentRule::fields(["amount"]).with_tolerance(0.0, 0.01)?)?);
/// assert!(agrees(ArgumentRule::ignore())?);
/// assert!(!agrees(ArgumentRule::subset())? && !agrees(ArgumentRule::exact())?); // there is a note
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "Stored", try_from = "Stored")
)]
pub struct ArgumentRule {
    kind: Kind,
    tolerance: Tolerance,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
enum Kind {
    Exact,
    Ignore,
    Subset,
    Superset,
    Fields(Vec<String>),
}

impl ArgumentRule {
    const fn new(kind: Kind) -> Self {
        Self { kind, tolerance: Tolerance { absolute: 0.0, relative: 0.0 } }
    }

    /// Both have the same arguments.
    #[must_use]
    pub const fn exact() -> Self {
        Self::new(Kind::Exact)
    }

    /// Any arguments will do.
    #[must_use]
    pub const fn ignore() -> Self {
        Self::new(Kind::Ignore)
    }

    /// The call has no argument that is not expected; it may lack some.
    #[must_use]
    pub const fn subset() -> Self {
        Self::new(Kind::Subset)
    }

    /// The call has all expected arguments; it may have more.
    #[must_use]
    pub const fn superset() -> Self {
        Self::new(Kind::Superset)
    }

    /// Both have these arguments, with the same values; other arguments are ignored.
    ///
    /// A name may be a path to a nested value: names and positions in lists, from 0, separated by
    /// dots, as in `time.start` or `items.0.price`. A name that itself contains dots is found as it
    /// is written, at any depth; the longest name that the expected call has is taken, and the same
    /// names are looked up in the other call. If one of the two calls has the argument and the
    /// other does not, they do not agree. If neither has it, [`agrees`](Self::agrees) returns an
    /// error: the name is misspelt, or the expected call does not say what the argument should be.
    /// A rule without a name is an error too.
    ///
    /// ```
    /// use trajectory_metrics::tool_calls::{ArgumentRule, ToolCall, Value};
    /// use trajectory_metrics::Error;
    ///
    /// let at = |hour: i64| {
    ///     let time = Value::Map([("start".to_owned(), hour.into())].into());
    ///     ToolCall::new("book", [("time", time)]).arguments
    /// };
    /// let rule = ArgumentRule::fields(["time.start"]);
    /// assert!(rule.agrees(&at(9), &at(9))? && !rule.agrees(&at(9), &at(10))?);
    ///
    /// let misspelt = ArgumentRule::fields(["time.strat"]).agrees(&at(9), &at(10));
    /// assert!(matches!(misspelt, Err(Error::UnknownField { field, .. }) if field == "time.strat"));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn fields<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::new(Kind::Fields(names.into_iter().map(Into::into).collect()))
    }

    /// The same rule with numbers that may differ: `|a - e| <= max(absolute, relative * |e|)` for a
    /// number `a` of the call and the expected `e`.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a tolerance that is negative or not finite.
    pub fn with_tolerance(mut self, absolute: f64, relative: f64) -> Result<Self, Error> {
        for (name, value) in [("absolute tolerance", absolute), ("relative tolerance", relative)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Setting { name, value, range: "at least 0 and finite" });
            }
        }
        self.tolerance = Tolerance { absolute, relative };
        Ok(self)
    }

    /// Whether the arguments of a call are those expected. Allocates nothing unless it fails.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if no name was given to [`fields`](Self::fields);
    /// [`Error::UnknownField`] if a name given to it is in neither of the two
    /// calls. If the expected call has every named argument, no output of an agent can cause it.
    pub fn agrees(&self, actual: &Value, expected: &Value) -> Result<bool, Error> {
        if self.kind == Kind::Ignore {
            return Ok(true);
        }
        if let Kind::Fields(names) = &self.kind {
            check_fields(names)?;
            if matches!((actual, expected), (Value::Map(_), _) | (_, Value::Map(_))) {
                return self.fields_agree(names, actual, expected);
            }
        }
        let (Value::Map(a), Value::Map(e)) = (actual, expected) else {
            return Ok(actual.agrees(expected, self.tolerance));
        };
        let same = |name: &String| match (a.get(name), e.get(name)) {
            (Some(a), Some(e)) => a.agrees(e, self.tolerance),
            _ => false,
        };
        match &self.kind {
            Kind::Exact => Ok(actual.agrees(expected, self.tolerance)),
            Kind::Superset => Ok(e.keys().all(same)),
            Kind::Subset => Ok(a.keys().all(same)),
            // Both are answered above.
            Kind::Ignore | Kind::Fields(_) => Ok(true),
        }
    }

    fn fields_agree(
        &self,
        names: &[String],
        actual: &Value,
        expected: &Value,
    ) -> Result<bool, Error> {
        // All of them, so that the order of the names does not decide about an error.
        let mut same = true;
        for name in names {
            same &= match expected.at(Some(actual), name) {
                Some((expected, Some(actual))) => actual.agrees(expected, self.tolerance),
                Some((_, None)) => false,
                None if actual.at(None, name).is_some() => false,
                None => return Err(Error::UnknownField { tool: None, field: name.clone() }),
            };
        }
        Ok(same)
    }
}

/// A rule that compares nothing would hold always.
fn check_fields(names: &[String]) -> Result<(), Error> {
    if names.is_empty() {
        return Err(Error::Setting { name: "number of fields", value: 0.0, range: "at least 1" });
    }
    Ok(())
}

/// A rule as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    kind: Kind,
    #[serde(default)]
    absolute_tolerance: f64,
    #[serde(default)]
    relative_tolerance: f64,
}

#[cfg(feature = "serde")]
impl From<ArgumentRule> for Stored {
    fn from(rule: ArgumentRule) -> Self {
        let ArgumentRule { kind, tolerance: Tolerance { absolute, relative } } = rule;
        Self { kind, absolute_tolerance: absolute, relative_tolerance: relative }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for ArgumentRule {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        if let Kind::Fields(names) = &stored.kind {
            check_fields(names)?;
        }
        Self::new(stored.kind).with_tolerance(stored.absolute_tolerance, stored.relative_tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_calls::ToolCall;

    fn arguments(entries: &[(&str, i64)]) -> Value {
        ToolCall::new("t", entries.iter().map(|&(name, value)| (name, value.into()))).arguments
    }

    #[test]
    fn each_rule_says_what_its_row_of_the_table_says() {
        let small = arguments(&[("a", 1)]);
        let large = arguments(&[("a", 1), ("b", 2)]);
        let other = arguments(&[("a", 1), ("b", 3)]);
        let cases = [
            (ArgumentRule::exact(), [false, false, false, true]),
            (ArgumentRule::ignore(), [true, true, true, true]),
            (ArgumentRule::subset(), [true, false, false, true]),
            (ArgumentRule::superset(), [false, true, false, true]),
            (ArgumentRule::fields(["a"]), [true, true, true, true]),
            (ArgumentRule::fields(["b"]), [false, false, false, true]),
        ];
        for (rule, expected) in cases {
            let pairs = [(&small, &large), (&large, &small), (&large, &other), (&large, &large)];
            let found = pairs.map(|(a, e)| rule.agrees(a, e).unwrap());
            assert_eq!(found, expected, "{rule:?}");
        }
    }

    fn map(entries: &[(&str, Value)]) -> Value {
        ToolCall::new("t", entries.iter().cloned()).arguments
    }

    #[test]
    fn a_field_may_be_a_path_into_maps_and_lists() {
        let of = |start: i64, price: i64, dotted: i64| {
            let item = map(&[("price", price.into())]);
            let items = vec![Value::Null, item].into();
            let time = map(&[("start", start.into()), ("end", 12.into())]);
            map(&[("time", time), ("items", items), ("a.b", map(&[("c.d", dotted.into())]))])
        };
        let expected = of(9, 5, 1);
        for (field, differs) in [
            ("time.start", [true, false, false]),
            ("time.end", [false, false, false]),
            ("time", [true, false, false]),
            ("items.1.price", [false, true, false]),
            ("items.0", [false, false, false]),
            ("a.b", [false, false, true]),
        ] {
            let rule = ArgumentRule::fields([field]);
            let found = [of(10, 5, 1), of(9, 6, 1), of(9, 5, 2)]
                .map(|actual| !rule.agrees(&actual, &expected).unwrap());
            assert_eq!(found, differs, "{field}");
        }
    }

    #[test]
    fn a_field_that_neither_call_has_is_an_error_whatever_the_other_fields_say() {
        let time = map(&[("start", 9.into())]);
        let (actual, expected) = (
            map(&[("time", time.clone()), ("a", 1.into())]),
            map(&[("time", time), ("a", 2.into())]),
        );
        for field in ["tiem", "time.strat", "time.start.hour", "a.0", "", ".", "time.", "0"] {
            for names in [["a", field], [field, "a"]] {
                let error = ArgumentRule::fields(names).agrees(&actual, &expected);
                let unknown = Error::UnknownField { tool: None, field: field.to_owned() };
                assert_eq!(error, Err(unknown), "{field}");
            }
        }
        let list = map(&[("l", vec![1.into()].into())]);
        for field in ["l.1", "l.+0", "l.-1", "l.x", "l.99999999999999999999999", "l."] {
            let error = ArgumentRule::fields([field]).agrees(&list, &list);
            assert!(matches!(error, Err(Error::UnknownField { .. })), "{field}: {error:?}");
        }
    }

    #[test]
    fn null_is_a_value_and_differs_from_an_argument_that_is_absent() {
        let (null, absent) = (map(&[("a", 1.into()), ("x", Value::Null)]), map(&[("a", 1.into())]));
        let rule = ArgumentRule::fields(["x"]);
        assert_eq!(rule.agrees(&null, &null), Ok(true));
        assert_eq!(rule.agrees(&null, &absent), Ok(false));
        assert_eq!(rule.agrees(&absent, &null), Ok(false));
        for rule in [ArgumentRule::exact(), ArgumentRule::superset()] {
            assert_eq!(rule.agrees(&absent, &null), Ok(false), "{rule:?}");
        }
        // Nothing is inside null.
        let inside = ArgumentRule::fields(["x.y"]).agrees(&null, &null);
        assert!(matches!(inside, Err(Error::UnknownField { .. })), "{inside:?}");
    }

    #[test]
    fn what_is_no_map_is_compared_whole() {
        let (hash, same, other) = (Value::from("9f"), Value::from("9f"), Value::from("a0"));
        for rule in [ArgumentRule::exact(), ArgumentRule::subset(), ArgumentRule::fields(["a"])] {
            assert_eq!(rule.agrees(&hash, &same), Ok(true), "{rule:?}");
            assert_eq!(rule.agrees(&hash, &other), Ok(false), "{rule:?}");
        }
        assert_eq!(ArgumentRule::ignore().agrees(&hash, &other), Ok(true));
    }

    #[test]
    fn a_tolerance_that_is_none_is_refused() {
        for (absolute, relative, name) in [
            (-1.0, 0.0, "absolute tolerance"),
            (f64::NAN, 0.0, "absolute tolerance"),
            (0.0, f64::INFINITY, "relative tolerance"),
        ] {
            let error = ArgumentRule::exact().with_tolerance(absolute, relative);
            assert!(matches!(error, Err(Error::Setting { name: n, .. }) if n == name), "{error:?}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_rule_comes_back_as_it_was_written_and_a_wrong_one_is_refused() {
        let fields = ArgumentRule::fields(["time.start"]).with_tolerance(0.5, 0.25).unwrap();
        let written = serde_json::to_string(&fields).unwrap();
        assert_eq!(
            written,
            r#"{"kind":{"fields":["time.start"]},"absolute_tolerance":0.5,"relative_tolerance":0.25}"#
        );
        let read = |text: &str| serde_json::from_str::<ArgumentRule>(text);
        assert_eq!(read(&written).unwrap(), fields);
        for (text, rule) in [
            ("exact", ArgumentRule::exact()),
            ("ignore", ArgumentRule::ignore()),
            ("subset", ArgumentRule::subset()),
            ("superset", ArgumentRule::superset()),
        ] {
            assert_eq!(read(&format!(r#"{{"kind":"{text}"}}"#)).unwrap(), rule);
            assert_eq!(read(&serde_json::to_string(&rule).unwrap()).unwrap(), rule);
        }
        for text in [
            r#"{"kind":"exact","absolute_tolerance":-1}"#,
            r#"{"kind":"exact","tolerance":1}"#,
            r#"{"kind":"exakt"}"#,
            "{}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
