//! Files of lines, read and parsed in parts: many parts at a time, and in the order of the file.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rayon::prelude::*;

use crate::json_lines::{InputError, whole};

/// Bytes of a part, up to the end of its last line.
const PART: usize = 1 << 18;

/// Parts of a thread that are in memory at a time.
const PARTS_PER_THREAD: usize = 4;

/// Some whole lines of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// The lines, with their line feeds; the last line of a file may have none.
    pub(crate) bytes: &'a [u8],
    /// The number of the first line, from 1.
    pub(crate) first_line: usize,
}

/// Reads a file from its start to its end, once, so that it may be a pipe. Parts are parsed by all threads,
/// and their results taken in the order of the file. A UTF-8 byte-order mark in front is left out.
///
/// Memory: a constant number of bytes per thread, or twice the longest line, and the results.
///
/// # Errors
///
/// An [`InputError`] for a file that cannot be read; otherwise the first error in the order of the file,
/// whatever the number of threads.
pub(crate) fn for_each<T: Send, E: From<InputError> + Send>(
    path: &Path,
    parse: impl Fn(Part<'_>) -> Result<T, E> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), E> {
    let cannot = |error: io::Error| E::from(whole(path, error.to_string()));
    let source = File::open(path).map_err(cannot)?;
    let mut reader = LineReader { source, rest: Vec::new(), first: true };
    let least = PART * PARTS_PER_THREAD * rayon::current_num_threads();
    let mut lines = reader.lines(least).map_err(cannot)?;
    let mut first_line = 1;
    while !lines.is_empty() {
        let mut parts = Vec::new();
        for bytes in split(&lines) {
            parts.push(Part { bytes, first_line });
            first_line += bytes.iter().filter(|&&byte| byte == b'\n').count();
        }
        let (parsed, next) = rayon::join(
            || parts.into_par_iter().map(&parse).collect::<Vec<_>>(),
            || reader.lines(least),
        );
        for part in parsed {
            take(part?);
        }
        lines = next.map_err(cannot)?;
    }
    Ok(())
}

/// Splits lines into parts.
fn split(mut lines: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !lines.is_empty() {
        let end = lines.iter().skip(PART).position(|&byte| byte == b'\n');
        let (part, rest) = lines.split_at(end.map_or(lines.len(), |end| PART + end + 1));
        parts.push(part);
        lines = rest;
    }
    parts
}

struct LineReader<R> {
    source: R,
    /// The beginning of a line whose end has not been read.
    rest: Vec<u8>,
    /// Nothing has been read.
    first: bool,
}

impl<R: Read> LineReader<R> {
    /// The next lines, at least the given number of bytes except at the end; empty after the end.
    fn lines(&mut self, least: usize) -> io::Result<Vec<u8>> {
        let mut lines = Vec::with_capacity(self.rest.len() + least);
        lines.append(&mut self.rest);
        loop {
            let read = self.source.by_ref().take(least as u64).read_to_end(&mut lines)?;
            if std::mem::take(&mut self.first) && lines.starts_with(b"\xef\xbb\xbf") {
                lines.drain(..3);
            }
            if read == 0 {
                return Ok(lines);
            }
            let new = lines.len() - read.min(lines.len());
            if let Some(end) = lines[new..].iter().rposition(|&byte| byte == b'\n') {
                self.rest = lines.split_off(new + end + 1);
                return Ok(lines);
            }
        }
    }
}
