use std::collections::BTreeMap;

/// An argument of a tool call: a JSON value.
///
/// An integer equals a real number of the same size, compared without rounding: 2 equals 2.0, and
/// -0.0 equals 0.0. NaN, which JSON does not have, equals itself. Order and hash agree with that
/// equality: kinds are ordered as the variants are, both kinds of numbers together, with NaN last
/// among the numbers.
///
/// With the feature `serde`, a value is read from and written to any self-describing format.
/// Integers from `-2^63` to `2^64 - 1` keep all their digits. Readers of JSON return longer
/// integers as real numbers, which keep about 16 digits. Two long identifiers may then become
/// equal: write such identifiers as text. Writing a longer [`Integer`](Self::Integer) is an error,
/// because the value would change when it is read back. A key that occurs twice in a map is an
/// error with the name of the key.
///
/// ```
/// use trajectory_metrics::tool_calls::Value;
///
/// assert_eq!(Value::from(2), Value::from(2.0));
/// assert_ne!(Value::from(9_007_199_254_740_993), Value::from(9_007_199_254_740_992.0));
/// assert_ne!(Value::from("2"), Value::from(2));
/// ```
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An integer. Only integers of 64 bits can be read and written.
    Integer(i128),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(String),
    /// A list of values.
    List(Vec<Self>),
    /// A map from names to values; the order of the names does not matter.
    Map(BTreeMap<String, Self>),
}

impl Value {
    /// The value at a path of names and list positions, separated by dots, and what `other` holds
    /// at the same names. The longest name is tried first, so that names with dots are found.
    pub(crate) fn at<'a>(
        &'a self,
        other: Option<&'a Self>,
        path: &str,
    ) -> Option<(&'a Self, Option<&'a Self>)> {
        // A position in a list is not a name in a map.
        let other = other.filter(|other| match self {
            Self::Map(_) => matches!(other, Self::Map(_)),
            _ => matches!(other, Self::List(_)),
        });
        let mut ends =
            std::iter::once(path.len()).chain(path.rmatch_indices('.').map(|(at, _)| at));
        ends.find_map(|end| {
            let value = self.entry(&path[..end])?;
            let other = other.and_then(|other| other.entry(&path[..end]));
            match path.get(end + 1..) {
                None => Some((value, other)),
                Some(rest) => value.at(other, rest),
            }
        })
    }

    /// The entry of a map under a name, or of a list at a position without leading zeros.
    fn entry(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(values) => values.get(name),
            Self::List(values) => {
                let digits = name.bytes().all(|byte| byte.is_ascii_digit());
                let position = digits && (name == "0" || !name.starts_with('0'));
                values.get(name.parse::<usize>().ok().filter(|_| position)?)
            }
            _ => None,
        }
    }

    /// Tests equality, where numbers at any depth may differ by the tolerance.
    pub(crate) fn agrees(&self, expected: &Self, tolerance: Tolerance) -> bool {
        match (self, expected) {
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, tolerance))
            }
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|((p, a), (q, b))| p == q && a.agrees(b, tolerance))
            }
            // The difference of integers first: long integers lose their last digits as real
            // numbers.
            (Self::Integer(a), Self::Integer(b)) => {
                a == b || tolerance.covers(a.saturating_sub(*b) as f64, *b as f64)
            }
            _ => {
                let near = || match (self.as_real(), expected.as_real()) {
                    (Some(a), Some(b)) => tolerance.covers(a - b, b),
                    _ => false,
                };
                self == expected || near()
            }
        }
    }

    /// A number, rounded to a real one.
    const fn as_real(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }
}

/// The largest difference between a number and the expected number; 0 by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tolerance {
    pub(crate) absolute: f64,
    pub(crate) relative: f64,
}

impl Tolerance {
    fn covers(self, difference: f64, expected: f64) -> bool {
        let allowed = self.absolute.max(self.relative * expected.abs());
        // Without a tolerance only equal numbers agree, even if their difference rounds to zero. No
        // number is near an infinite one.
        allowed > 0.0 && allowed.is_finite() && difference.abs() <= allowed
    }
}

/// Makes a value of each type that a kind of value holds.
macro_rules! from {
    ($($type:ty => $kind:ident),*) => { $(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$kind(value.into())
            }
        }
    )* };
}

from!(bool => Bool, i64 => Integer, f64 => Real, &str => Text, String => Text);
from!(Vec<Value> => List, BTreeMap<String, Value> => Map);
