use crate::{
    error::{Error, Shared},
    tool_calls::values::value::{Tolerance, Value},
};

scoring_rules::checked! {
    /// Decides whether the arguments of a call are the expected ones.
    ///
    /// | rule | holds if |
    /// |---|---|
    /// | exact | both calls have the same arguments |
    /// | ignore | always |
    /// | subset | each argument of the call is expected, with the same value |
    /// | superset | each expected argument is in the call, with the same value |
    /// | fields | both calls have the named arguments, with the same values |
    ///
    /// The rules look at the arguments one by one, and compare the value of an argument as a whole, with
    /// numbers within the tolerance. If one side is not a map, all rules except `ignore` compare the two
    /// sides as a whole; `fields` does so only if neither side is a map, because a side that is not a
    /// map has no fields.
    ///
    /// Null is a value: an argument that is null differs from one that is absent.
    ///
    /// With the feature `serde`, a rule is an object: `{"kind": "exact"}`, or
    /// `{"kind": {"fields": ["amount"]}, "absolute_tolerance": 0.005, "relative_tolerance": 0.0}`.
    /// A missing tolerance is 0; other keys are refused.
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
    /// assert!(agrees(ArgumentRule::fields(["amount"])?.with_tolerance(0.0, 0.01)?)?);
    /// assert!(agrees(ArgumentRule::ignore())?);
    /// // The note is not expected.
    /// assert!(!agrees(ArgumentRule::subset())? && !agrees(ArgumentRule::exact())?);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ArgumentRule {
        kind: Kind,
        #[cfg_attr(feature = "serde", serde(default))]
        absolute_tolerance: f64,
        #[cfg_attr(feature = "serde", serde(default))]
        relative_tolerance: f64,
    }
    check: ArgumentRule::check
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
        Self { kind, absolute_tolerance: 0.0, relative_tolerance: 0.0 }
    }

    /// Requires the same arguments in both calls.
    #[must_use]
    pub const fn exact() -> Self {
        Self::new(Kind::Exact)
    }

    /// Accepts any arguments.
    #[must_use]
    pub const fn ignore() -> Self {
        Self::new(Kind::Ignore)
    }

    /// Refuses arguments that are not expected; expected arguments may be missing.
    #[must_use]
    pub const fn subset() -> Self {
        Self::new(Kind::Subset)
    }

    /// Requires all expected arguments; the call may have more.
    #[must_use]
    pub const fn superset() -> Self {
        Self::new(Kind::Superset)
    }

    /// Requires these arguments in both calls, with the same values, and ignores all others.
    ///
    /// A name may be a path to a nested value: names, and positions in lists from 0, separated by
    /// dots, as in `time.start` or `items.0.price`. A name that contains dots is found as it is
    /// written, at any depth: the longest name that the expected call has is used, and the same
    /// names are looked up in the other call. If only one of the two calls has the argument, they do
    /// not agree. If neither has it, [`agrees`](Self::agrees) returns an error, because the name is
    /// misspelt or the expected call does not say what the argument should be.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] without a name: a rule that compares nothing would always
    /// hold.
    ///
    /// ```
    /// use trajectory_metrics::tool_calls::{ArgumentRule, ToolCall, Value};
    /// use trajectory_metrics::Error;
    ///
    /// let at = |hour: i64| {
    ///     let time = Value::Map([("start".to_owned(), hour.into())].into());
    ///     ToolCall::new("book", [("time", time)]).arguments
    /// };
    /// let rule = ArgumentRule::fields(["time.start"])?;
    /// assert!(rule.agrees(&at(9), &at(9))? && !rule.agrees(&at(9), &at(10))?);
    ///
    /// let misspelt = ArgumentRule::fields(["time.strat"])?.agrees(&at(9), &at(10));
    /// assert!(matches!(misspelt, Err(Error::UnknownField { field, .. }) if field == "time.strat"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fields<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let names = names.into_iter().map(Into::into).collect();
        let rule = Self::new(Kind::Fields(names));
        rule.check()?;
        Ok(rule)
    }

    /// Lets numbers differ: a number `a` of the call agrees with the expected `e` if
    /// `|a - e| <= max(absolute, relative * |e|)`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a tolerance that is negative or not finite.
    pub fn with_tolerance(self, absolute: f64, relative: f64) -> Result<Self, Error> {
        let rule = Self { absolute_tolerance: absolute, relative_tolerance: relative, ..self };
        rule.check()?;
        Ok(rule)
    }

    fn check(&self) -> Result<(), Error> {
        if matches!(&self.kind, Kind::Fields(names) if names.is_empty()) {
            let range = "at least 1";
            return Err(Shared::Setting { name: "number of fields", value: 0.0, range }.into());
        }
        for (name, value) in [
            ("absolute tolerance", self.absolute_tolerance),
            ("relative tolerance", self.relative_tolerance),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Shared::Setting { name, value, range: "at least 0 and finite" }.into());
            }
        }
        Ok(())
    }

    /// Whether the arguments of a call are the expected ones. Allocates nothing unless it fails.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownField`] if neither call has an argument that was given to
    /// [`fields`](Self::fields). If the expected call has all of them, no output of an agent causes
    /// this error.
    pub fn agrees(&self, actual: &Value, expected: &Value) -> Result<bool, Error> {
        let tolerance =
            Tolerance { absolute: self.absolute_tolerance, relative: self.relative_tolerance };
        match (&self.kind, actual, expected) {
            (Kind::Ignore, _, _) => Ok(true),
            (Kind::Fields(names), Value::Map(_), _) | (Kind::Fields(names), _, Value::Map(_)) => {
                fields_agree(names, actual, expected, tolerance)
            }
            (Kind::Superset, Value::Map(actual), Value::Map(expected)) => {
                Ok(expected.iter().all(|(name, expected)| {
                    actual.get(name).is_some_and(|actual| actual.agrees(expected, tolerance))
                }))
            }
            (Kind::Subset, Value::Map(actual), Value::Map(expected)) => {
                Ok(actual.iter().all(|(name, actual)| {
                    expected.get(name).is_some_and(|expected| actual.agrees(expected, tolerance))
                }))
            }
            _ => Ok(actual.agrees(expected, tolerance)),
        }
    }
}

fn fields_agree(
    names: &[String],
    actual: &Value,
    expected: &Value,
    tolerance: Tolerance,
) -> Result<bool, Error> {
    // All names are looked up, so that an error does not depend on their order.
    let mut agree = true;
    for name in names {
        agree &= match expected.at(Some(actual), name) {
            Some((expected, Some(actual))) => actual.agrees(expected, tolerance),
            Some((_, None)) => false,
            None if actual.at(None, name).is_some() => false,
            None => return Err(Error::UnknownField { tool: None, field: name.clone() }),
        };
    }
    Ok(agree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_calls::values::tool_call::ToolCall;

    fn arguments(entries: &[(&str, i64)]) -> Value {
        ToolCall::new("t", entries.iter().map(|&(name, value)| (name, value.into()))).arguments
    }

    #[test]
    fn each_rule_holds_as_its_row_of_the_table_states() {
        let small = arguments(&[("a", 1)]);
        let large = arguments(&[("a", 1), ("b", 2)]);
        let other = arguments(&[("a", 1), ("b", 3)]);
        let cases = [
            (ArgumentRule::exact(), [false, false, false, true]),
            (ArgumentRule::ignore(), [true, true, true, true]),
            (ArgumentRule::subset(), [true, false, false, true]),
            (ArgumentRule::superset(), [false, true, false, true]),
            (ArgumentRule::fields(["a"]).unwrap(), [true, true, true, true]),
            (ArgumentRule::fields(["b"]).unwrap(), [false, false, false, true]),
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
            let rule = ArgumentRule::fields([field]).unwrap();
            let found = [of(10, 5, 1), of(9, 6, 1), of(9, 5, 2)]
                .map(|actual| !rule.agrees(&actual, &expected).unwrap());
            assert_eq!(found, differs, "{field}");
        }
    }

    #[test]
    fn a_field_that_neither_call_has_is_an_error_even_if_other_fields_differ() {
        let time = map(&[("start", 9.into())]);
        let (actual, expected) = (
            map(&[("time", time.clone()), ("a", 1.into())]),
            map(&[("time", time), ("a", 2.into())]),
        );
        for field in ["tiem", "time.strat", "time.start.hour", "a.0", "", ".", "time.", "0"] {
            for names in [["a", field], [field, "a"]] {
                let error = ArgumentRule::fields(names).unwrap().agrees(&actual, &expected);
                let unknown = Error::UnknownField { tool: None, field: field.to_owned() };
                assert_eq!(error, Err(unknown), "{field}");
            }
        }
        let list = map(&[("l", vec![1.into()].into())]);
        for field in ["l.1", "l.+0", "l.-1", "l.x", "l.99999999999999999999999", "l."] {
            let error = ArgumentRule::fields([field]).unwrap().agrees(&list, &list);
            assert!(matches!(error, Err(Error::UnknownField { .. })), "{field}: {error:?}");
        }
    }

    #[test]
    fn null_is_a_value_and_differs_from_an_argument_that_is_absent() {
        let (null, absent) = (map(&[("a", 1.into()), ("x", Value::Null)]), map(&[("a", 1.into())]));
        let rule = ArgumentRule::fields(["x"]).unwrap();
        assert_eq!(rule.agrees(&null, &null), Ok(true));
        assert_eq!(rule.agrees(&null, &absent), Ok(false));
        assert_eq!(rule.agrees(&absent, &null), Ok(false));
        for rule in [ArgumentRule::exact(), ArgumentRule::superset()] {
            assert_eq!(rule.agrees(&absent, &null), Ok(false), "{rule:?}");
        }
        // Null has no fields.
        let inside = ArgumentRule::fields(["x.y"]).unwrap().agrees(&null, &null);
        assert!(matches!(inside, Err(Error::UnknownField { .. })), "{inside:?}");
    }

    #[test]
    fn a_side_that_is_not_a_map_is_compared_as_a_whole() {
        let (hash, same, other) = (Value::from("9f"), Value::from("9f"), Value::from("a0"));
        for rule in
            [ArgumentRule::exact(), ArgumentRule::subset(), ArgumentRule::fields(["a"]).unwrap()]
        {
            assert_eq!(rule.agrees(&hash, &same), Ok(true), "{rule:?}");
            assert_eq!(rule.agrees(&hash, &other), Ok(false), "{rule:?}");
        }
        assert_eq!(ArgumentRule::ignore().agrees(&hash, &other), Ok(true));
    }

    #[test]
    fn a_negative_or_infinite_tolerance_is_refused() {
        for (absolute, relative, name) in [
            (-1.0, 0.0, "absolute tolerance"),
            (f64::NAN, 0.0, "absolute tolerance"),
            (0.0, f64::INFINITY, "relative tolerance"),
        ] {
            let error = ArgumentRule::exact().with_tolerance(absolute, relative);
            assert!(
                matches!(error, Err(Error::ScoringRules(Shared::Setting { name: n, .. })) if n == name),
                "{error:?}"
            );
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_rule_is_read_back_as_written_and_an_invalid_one_is_refused() {
        let fields =
            ArgumentRule::fields(["time.start"]).unwrap().with_tolerance(0.5, 0.25).unwrap();
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
            r#"{"kind":{"fields":[]}}"#,
            "{}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
