use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
};

impl Json<'_> {
    /// Reads a number, `NaN`, `Infinity`, `-Infinity`, `true`, `false` or `null`.
    pub(crate) fn scalar(&mut self) -> Result<Value, Error> {
        self.scratch.clear();
        let limit = self.limits.max_string;
        loop {
            let chunk = match self.source.chunk() {
                Ok(chunk) => chunk,
                Err(_) => return self.byte().and_then(|_| Err(self.syntax("a value"))),
            };
            let length = chunk.iter().position(|&byte| !is_of_scalar(byte));
            let part = chunk.get(..length.unwrap_or(chunk.len())).unwrap_or_default();
            self.scratch.extend_from_slice(part);
            // A scalar may end with the input.
            let ends = length.is_some() || part.is_empty();
            let consumed = part.len();
            self.source.consume(consumed);
            if self.scratch.len() > limit {
                return Err(self.error(Problem::StringTooLong { limit }));
            }
            if ends {
                break;
            }
        }
        match scalar(&self.scratch) {
            Ok(value) => Ok(value),
            Err(None) if self.after_space()?.is_none() && is_cut_off(&self.scratch) => {
                Err(self.error(Problem::Truncated))
            }
            Err(None) => Err(self.syntax("a value")),
            Err(Some(problem)) => Err(self.error(problem)),
        }
    }
}

pub(crate) const fn is_of_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Parses the value of a word or number; `Err(None)` if it is neither.
fn scalar(bytes: &[u8]) -> Result<Value, Option<Problem>> {
    match bytes {
        b"null" => return Ok(Value::Null),
        b"true" => return Ok(Value::Bool(true)),
        b"false" => return Ok(Value::Bool(false)),
        b"NaN" => return Ok(Value::Real(f64::NAN)),
        b"Infinity" => return Ok(Value::Real(f64::INFINITY)),
        b"-Infinity" => return Ok(Value::Real(f64::NEG_INFINITY)),
        _ => {}
    }
    let is_whole = number_form(bytes).ok_or(None)?;
    // A number is ASCII.
    let text = str::from_utf8(bytes).map_err(|_| None)?;
    if is_whole && let Ok(number) = text.parse() {
        return Ok(Value::Integer(number));
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Value::Real(number)),
        _ => Err(Some(Problem::NumberRange { text: text.chars().take(40).collect() })),
    }
}

/// Returns whether the bytes begin a word or number that more bytes could complete.
fn is_cut_off(bytes: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [b"null", b"true", b"false", b"NaN", b"Infinity", b"-Infinity"];
    let is_number = || number_form(&[bytes, b"0"].concat()).is_some();
    WORDS.iter().any(|word| word.starts_with(bytes)) || is_number()
}

/// Returns whether a number is whole; `None` unless it is a number of JSON.
fn number_form(bytes: &[u8]) -> Option<bool> {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let length = digits(rest);
    if length == 0 || (length > 1 && rest.first() == Some(&b'0')) {
        return None;
    }
    let (mut rest, mut is_whole) = (rest.get(length..)?, true);
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        (rest, is_whole) = (fraction.get(length..)?, false);
        if length == 0 {
            return None;
        }
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let signed = exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+"));
        let exponent = signed.unwrap_or(exponent);
        let length = digits(exponent);
        (rest, is_whole) = (exponent.get(length..)?, false);
        if length == 0 {
            return None;
        }
    }
    rest.is_empty().then_some(is_whole)
}
