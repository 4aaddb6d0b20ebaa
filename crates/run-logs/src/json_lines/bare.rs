use std::{borrow::Cow, sync::LazyLock};

use regex_lite::{Captures, Regex};
use serde::Deserialize;

/// A number of a line in which lists represent non-finite numbers; `None` for null.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number such as 0.85, or null")]
pub(crate) enum AnyNumber {
    Finite(Option<f64>),
    Bare([String; 1]),
}

impl AnyNumber {
    pub(crate) fn get(&self) -> Option<f64> {
        match self {
            Self::Finite(value) => *value,
            Self::Bare([bare]) => bare.parse().ok(),
        }
    }
}

/// A text, or a word that may be a number.
static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*"|[0-9A-Za-z+.-]+"#).ok());

/// Returns the line with a replacement for each non-finite number outside of texts: `NaN` and `Infinity`, as Python writes them,
/// and numbers beyond the largest, such as `1e999`. JSON has none of them.
pub(crate) fn replace_bare(line: &str, replacement: impl Fn(&str) -> String) -> Cow<'_, str> {
    let replace = |token: &Captures<'_>| match token[0].parse::<f64>() {
        Ok(number) if !number.is_finite() => replacement(&token[0]),
        _ => token[0].to_owned(),
    };
    TOKEN.as_ref().map_or(Cow::Borrowed(line), |token| token.replace_all(line, replace))
}
