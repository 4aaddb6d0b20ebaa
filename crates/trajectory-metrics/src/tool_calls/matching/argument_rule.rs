use crate::{
    checks::setting,
    error::Error,
    tool_calls::values::value::{Tolerance, Value},
};

scoring_rules::checked! {
    /// A rule that decides whether the arguments of a call agree with the expected arguments.
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
    /// Null is a value: a null argument differs from a missing argument.
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

    /// Accepts a call if all its arguments are expected, even if it lacks expected arguments.
    #[must_use]
    pub const fn subset() -> Self {
        Self::new(Kind::Subset)
    }

    /// Requires all expected arguments, and accepts additional arguments.
    #[must_use]
    pub const fn superset() -> Self {
        Self::new(Kind::Superset)
    }

    /// Requires that both calls have the named arguments with the same values, and ignores all other arguments.
    ///
    /// A name may be a path to a nested value: names, and positions in lists from 0, separated by dots,
    /// as in `time.start` or `items.0.price`. A name that contains dots is found as it is written, at
    /// any depth: the longest name that the expected call has is used, and the same names are looked up
    /// in the other call. If only one of the two calls has the argument, they do not agree. If neither
    /// has it, [`agrees`](Self::agrees) returns an error, because the name is misspelt or the expected
    /// call does not define the argument.
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

    /// Accepts numbers that differ slightly: a number `a` in the call agrees with the expected number `e` if
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
        let has_none = matches!(&self.kind, Kind::Fields(names) if names.is_empty());
        setting("number of fields", 0.0, !has_none, "at least 1")?;
        for (name, value) in [
            ("absolute tolerance", self.absolute_tolerance),
            ("relative tolerance", self.relative_tolerance),
        ] {
            let is_valid = value >= 0.0 && value.is_finite();
            setting(name, value, is_valid, "at least 0 and finite")?;
        }
        Ok(())
    }

    /// Returns whether the arguments of a call agree with the expected arguments. Allocates nothing
    /// unless it fails.
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
