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
                return Err(self.error(Problem::StringTooLong { limit }));
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
        let first = self.four_digits()?;
        let code = match first {
            0xD800..0xDC00 => {
                if self.next_byte()? != b'\\' || self.next_byte()? != b'u' {
                    return Err(self.error(Problem::LoneSurrogate));
                }
                let second = self.four_digits()?;
                if !(0xDC00..0xE000).contains(&second) {
                    return Err(self.error(Problem::LoneSurrogate));
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            code => code,
        };
        // The only code that is not a character here is the second half of a surrogate pair.
        let letter = char::from_u32(code).ok_or_else(|| self.error(Problem::LoneSurrogate))?;
        self.scratch.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
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
