use serde::de::IgnoredAny;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
};

impl Json<'_> {
    /// Reads a string, which starts at the next byte, into the scratch buffer.
    pub(crate) fn string_to_scratch(&mut self) -> Result<(), Error> {
        self.expect(b'"', "a string")?;
        self.scratch.clear();
        let limit = self.limits.max_string;
        loop {
            self.byte()?;
            // The byte above is in this chunk.
            let chunk = self.source.chunk().unwrap_or_default();
            let length = memchr::memchr2(b'"', b'\\', chunk);
            let plain = chunk.get(..length.unwrap_or(chunk.len())).unwrap_or_default();
            let has_control = plain.iter().any(|&byte| byte < 0x20);
            self.scratch.extend_from_slice(plain);
            let consumed = plain.len();
            self.source.consume(consumed);
            if has_control {
                return Err(self.syntax("an escape sequence in place of a control character"));
            }
            if self.scratch.len() > limit {
                return Err(self.too_large("a string is longer", limit));
            }
            match length {
                None => {}
                Some(_) if self.next_byte()? == b'"' => return Ok(()),
                Some(_) => self.escape()?,
            }
        }
    }

    /// Reads the part of an escape after the backslash.
    fn escape(&mut self) -> Result<(), Error> {
        let byte = match self.next_byte()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(self.syntax("an escape sequence")),
        };
        self.scratch.push(byte);
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<(), Error> {
        let mut code = self.four_digits()?;
        while (0xD800..0xDC00).contains(&code) {
            if self.byte()? != b'\\' {
                return self.half_pair();
            }
            self.source.consume(1);
            if self.byte()? != b'u' {
                self.half_pair()?;
                return self.escape();
            }
            self.source.consume(1);
            let second = self.four_digits()?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
            } else {
                self.half_pair()?;
                code = second;
            }
        }
        // The only code that is not a character here is the second half of a surrogate pair.
        let Some(letter) = char::from_u32(code) else { return self.half_pair() };
        self.scratch.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// Replaces half of a surrogate pair, or returns an error.
    fn half_pair(&mut self) -> Result<(), Error> {
        if !self.replaces_halves {
            return Err(self.error(Problem::LoneSurrogate));
        }
        self.scratch.extend_from_slice("\u{fffd}".as_bytes());
        Ok(())
    }

    fn four_digits(&mut self) -> Result<u32, Error> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.next_byte()?).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.syntax("four hexadecimal digits"))?;
        }
        Ok(code)
    }

    /// Takes the string in the scratch buffer.
    pub(crate) fn scratch_text(&mut self) -> Result<String, Error> {
        self.hold(size_of::<String>() + self.scratch.len())?;
        match str::from_utf8(&self.scratch) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(self.error(Problem::NotUtf8)),
        }
    }
}

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
                return Err(self.too_large("a string is longer", limit));
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
    let is_number = bytes.starts_with(b"-") || bytes.first().is_some_and(u8::is_ascii_digit);
    let is_json = is_number && serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    is_json.then(|| !bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')))
}

impl Json<'_> {
    /// Skips a value without keeping it. Only brackets and quotes are checked.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'{' | b'[' => self.skip_nested(),
            b'"' => {
                self.source.consume(1);
                self.skip_string()
            }
            byte if is_of_scalar(byte) => self.scalar().map(drop),
            _ => Err(self.syntax("a value")),
        }
    }

    /// Skips the rest of a string whose opening quote has been read.
    fn skip_string(&mut self) -> Result<(), Error> {
        loop {
            self.byte()?;
            // The byte above is in this chunk.
            let chunk = self.source.chunk().unwrap_or_default();
            let Some(plain) = memchr::memchr2(b'"', b'\\', chunk) else {
                let all = chunk.len();
                self.source.consume(all);
                continue;
            };
            let is_end = chunk.get(plain) == Some(&b'"');
            self.source.consume(plain + 1);
            if is_end {
                return Ok(());
            }
            // The escaped byte does not end the string, even if it is a quote.
            self.next_byte()?;
        }
    }

    fn skip_nested(&mut self) -> Result<(), Error> {
        let mut closers: Vec<u8> = Vec::new();
        let limit = self.limits.max_depth;
        loop {
            self.byte()?;
            // The byte above is in this chunk.
            let chunk = self.source.chunk().unwrap_or_default();
            let is_mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
            let Some(before) = chunk.iter().position(is_mark) else {
                let all = chunk.len();
                self.source.consume(all);
                continue;
            };
            let mark = chunk.get(before).copied().unwrap_or_default();
            self.source.consume(before + 1);
            match mark {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    // The bytes of brackets differ by two.
                    closers.push(mark + 2);
                    if self.open.len() + closers.len() > limit {
                        return Err(self.error(Problem::TooDeep { limit }));
                    }
                }
                closer => {
                    if closers.pop() != Some(closer) {
                        return Err(self.syntax("the closing bracket of the same kind"));
                    }
                    if closers.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
