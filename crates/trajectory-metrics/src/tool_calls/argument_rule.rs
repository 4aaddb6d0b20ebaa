use super::{Value, value::Tolerance};
use crate::Error;

/// When the arguments of a call are those that were expected.
///
/// | rule | holds where |
/// |---|---|
/// | exact | both have the same arguments |
/// | ignore | always |
/// | subset | each argument of the call is expected, with the same value |
/// | superset | each expected argument is in the call, with the same value |
/// | fields | the named arguments are the same, or absent from both |
///
/// Arguments are compared one by one at the top; what they hold is compared whole, numbers within
/// the tolerance. Where either side is no map, all rules but ignore compare the two whole.
///
/// ```
/// use trajectory_metrics::tool_calls::{ArgumentRule, ToolCall};
/// use trajectory_metrics::Error;
///
/// let called = ToolCall::new("pay", [("amount", 10.01.into()), ("note", "rent".into())]);
/// let expected = ToolCall::new("pay", [("amount", 10.into())]);
/// let agree = |rule: ArgumentRule| rule.agrees(&called.arguments, &expected.arguments);
/// assert!(!agree(ArgumentRule::superset()));
/// assert!(agree(ArgumentRule::superset().with_tolerance(0.0, 0.01)?));
/// assert!(agree(ArgumentRule::fields(["currency"])));
/// assert!(agree(ArgumentRule::ignore()));
/// assert!(!agree(ArgumentRule::subset()) && !agree(ArgumentRule::exact())); // there is a note
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentRule {
    kind: Kind,
    tolerance: Tolerance,
}

#[derive(Clone, Debug, PartialEq)]
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

    /// These arguments are the same, or absent from both; others are of no account.
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

    /// Whether the arguments of a call are those expected. Allocates nothing.
    #[must_use]
    pub fn agrees(&self, actual: &Value, expected: &Value) -> bool {
        if self.kind == Kind::Ignore {
            return true;
        }
        let (Value::Map(a), Value::Map(e)) = (actual, expected) else {
            return actual.agrees(expected, self.tolerance);
        };
        let same = |name: &String| match (a.get(name), e.get(name)) {
            (Some(a), Some(e)) => a.agrees(e, self.tolerance),
            (None, None) => true,
            _ => false,
        };
        match &self.kind {
            Kind::Ignore => true,
            Kind::Exact => actual.agrees(expected, self.tolerance),
            Kind::Subset => a.keys().all(same),
            Kind::Superset => e.keys().all(same),
            Kind::Fields(names) => names.iter().all(same),
        }
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
            (ArgumentRule::fields(["a", "c"]), [true, true, true, true]),
            (ArgumentRule::fields(["b"]), [false, false, false, true]),
        ];
        for (rule, expected) in cases {
            let pairs = [(&small, &large), (&large, &small), (&large, &other), (&large, &large)];
            let found = pairs.map(|(a, e)| rule.agrees(a, e));
            assert_eq!(found, expected, "{rule:?}");
        }
    }

    #[test]
    fn what_is_no_map_is_compared_whole() {
        let (hash, same, other) = (Value::from("9f"), Value::from("9f"), Value::from("a0"));
        for rule in [ArgumentRule::exact(), ArgumentRule::subset(), ArgumentRule::fields(["a"])] {
            assert!(rule.agrees(&hash, &same) && !rule.agrees(&hash, &other), "{rule:?}");
        }
        assert!(ArgumentRule::ignore().agrees(&hash, &other));
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
}
