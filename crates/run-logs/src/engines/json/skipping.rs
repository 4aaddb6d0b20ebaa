use crate::{
    engines::json::{numbers::is_of_scalar, reader::Json},
    error::{Error, Problem},
};

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
