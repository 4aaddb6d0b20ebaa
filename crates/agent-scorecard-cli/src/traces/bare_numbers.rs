//! Numbers that are not finite, written without quotes: `NaN` and `Infinity`, as Python writes them, and
//! numbers beyond the largest, such as `1e999`. JSON has none of them.

use serde::Deserialize;
use trajectory_metrics::distinct_keys::end_of_string;

/// A number of a line that [`marked`] has repaired; `None` for null.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum AnyNumber {
    Finite(Option<f64>),
    Bare { bare: String },
}

impl AnyNumber {
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Finite(value) => value,
            Self::Bare { bare } => bare.parse().ok(),
        }
    }
}

/// The line with each such number outside of texts in the form in which [`AnyNumber`] reads it. `None`
/// for a line that has none.
pub(crate) fn marked(line: &[u8]) -> Option<Vec<u8>> {
    let mut marked = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(&byte) = line.get(at) {
        if byte == b'"' {
            at = end_of_string(line, at);
            continue;
        }
        let length = line[at..].iter().take_while(|&&byte| is_of_number(byte)).count();
        if let Ok(token) = str::from_utf8(&line[at..at + length])
            && token.parse::<f64>().is_ok_and(|number| !number.is_finite())
        {
            marked.extend_from_slice(&line[copied..at]);
            marked.extend_from_slice(format!(r#"{{"bare":"{token}"}}"#).as_bytes());
            copied = at + length;
        }
        at += length.max(1);
    }
    if copied == 0 {
        return None;
    }
    marked.extend_from_slice(&line[copied..]);
    Some(marked)
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}
