use std::io::{self, Read};

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// A buffered source of bytes that counts lines.
pub(crate) struct Source<'a> {
    reader: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Newlines before `counted`.
    newlines: u64,
    counted: usize,
}

impl<'a> Source<'a> {
    pub(crate) fn new(reader: impl Read + 'a) -> Self {
        let reader = Box::new(reader);
        Self { reader, buffer: Vec::new(), at: 0, end: 0, newlines: 0, counted: 0 }
    }

    /// Returns the bytes that are in the buffer; empty only at the end of the input.
    pub(crate) fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end {
            self.count();
            self.buffer.resize(CHUNK, 0);
            (self.at, self.counted) = (0, 0);
            self.end = loop {
                match self.reader.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // A reader that claims more bytes than the buffer holds is wrong.
                    read => break read?.min(self.buffer.len()),
                }
            };
        }
        Ok(self.buffer.get(self.at..self.end).unwrap_or_default())
    }

    /// Returns the next byte, which stays in the source; `None` at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> io::Result<Option<u8>> {
        match self.buffer.get(self.at) {
            Some(&byte) if self.at < self.end => Ok(Some(byte)),
            _ => Ok(self.chunk()?.first().copied()),
        }
    }

    /// Drops bytes of the last chunk.
    #[inline]
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.end);
    }

    /// Returns the line of the next byte, from 1.
    pub(crate) fn line(&mut self) -> u64 {
        self.count();
        self.newlines + 1
    }

    fn count(&mut self) {
        let passed = self.buffer.get(self.counted..self.at).unwrap_or_default();
        self.newlines += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.counted = self.at;
    }
}
