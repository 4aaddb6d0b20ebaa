//! Files of lines, read and parsed in parts: many parts at a time, and in the order of the file.

use std::{
    error::Error,
    io::{self, Read},
    path::Path,
};

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use crate::files::{
    bundled,
    json_lines::{InputError, no_line, read_line, whole},
};

/// Bytes of a part, up to the end of its last line.
const PART: usize = 1 << 18;

/// Bytes of the longest line that is held.
const LONGEST_LINE: usize = 1 << 28;

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

/// An error that may come from another thread.
#[derive(Debug)]
pub(crate) struct Problem(Box<dyn Error + Send + Sync>);

impl Problem {
    /// The error itself; an [`InputError`] is still found by its type.
    pub(crate) fn into_error(self) -> Box<dyn Error> {
        self.0
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
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
    take: impl FnMut(T) + Send,
) -> Result<(), E> {
    let cannot = |error: io::Error| E::from(whole(path, error.to_string()));
    let source = bundled::open(path).map_err(cannot)?;
    for_each_part(source, PART, parse, take, cannot)
}

/// Reads every line as a `T`, with all threads: `add` adds it to what is known of its part, and `take` gets the
/// parts in the order of the file. Blank lines hold nothing and are passed over, and so are lines that
/// `passes_over` takes.
///
/// # Errors
///
/// The first error in the order of the file: an [`InputError`] for a line that does not hold a `T`, or one of
/// `add`. An [`InputError`] for a file that cannot be read or has no line.
pub(crate) fn fold<T: DeserializeOwned, P: Default + Send, E: From<InputError> + Send>(
    path: &Path,
    passes_over: impl Fn(&mut P, usize, &[u8]) -> Result<bool, InputError> + Sync,
    add: impl Fn(&mut P, T) -> Result<(), E> + Sync,
    mut take: impl FnMut(P) + Send,
) -> Result<(), E> {
    let mut is_empty = true;
    let parse = |part: Part<'_>| {
        let (mut known, mut rows) = (P::default(), 0);
        let lines = part.bytes.split(|&byte| byte == b'\n');
        for (number, line) in (part.first_line..).zip(lines) {
            if !line.trim_ascii().is_empty() {
                rows += 1;
                if !passes_over(&mut known, number, line)? {
                    add(&mut known, read_line(path, number, line)?)?;
                }
            }
        }
        Ok::<_, E>((rows, known))
    };
    for_each(path, parse, |(rows, known)| {
        is_empty &= rows == 0;
        take(known);
    })?;
    if is_empty { Err(no_line(path).into()) } else { Ok(()) }
}

fn for_each_part<T: Send, E: Send>(
    source: impl Read + Send,
    length: usize,
    parse: impl Fn(Part<'_>) -> Result<T, E> + Sync,
    mut take: impl FnMut(T) + Send,
    cannot: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let mut reader = LineReader { source, rest: Vec::new(), first: true };
    let least = length * PARTS_PER_THREAD * rayon::current_num_threads();
    let mut lines = Vec::new();
    reader.read(&mut lines, least).map_err(&cannot)?;
    let (mut next, mut first_line) = (Vec::new(), 1);
    let mut parsed: Vec<Result<T, E>> = Vec::new();
    while !lines.is_empty() {
        let mut parts = Vec::new();
        for bytes in split(&lines, length) {
            parts.push(Part { bytes, first_line });
            first_line += memchr_iter(b'\n', bytes).count();
        }
        // While these lines are parsed, the results of the lines before are taken and more lines read.
        let before = std::mem::take(&mut parsed);
        let (now, (taken, read)) = rayon::join(
            || parts.into_par_iter().map(&parse).collect(),
            || {
                let taken = before.into_iter().try_for_each(|part| part.map(&mut take));
                (taken, reader.read(&mut next, least))
            },
        );
        taken?;
        parsed = now;
        if let Err(error) = read {
            parsed.into_iter().try_for_each(|part| part.map(&mut take))?;
            return Err(cannot(error));
        }
        std::mem::swap(&mut lines, &mut next);
    }
    parsed.into_iter().try_for_each(|part| part.map(&mut take))
}

/// Splits lines into parts of at least this many bytes, except for the last.
fn split(mut lines: &[u8], length: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !lines.is_empty() {
        let end = lines.get(length..).and_then(|rest| memchr(b'\n', rest));
        let (part, rest) = lines.split_at(end.map_or(lines.len(), |end| length + end + 1));
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
    /// Replaces `lines` by the next lines, at least the given number of bytes except at the end; there are
    /// none after the end.
    fn read(&mut self, lines: &mut Vec<u8>, least: usize) -> io::Result<()> {
        lines.clear();
        lines.append(&mut self.rest);
        loop {
            let problem = |_| io::Error::from(io::ErrorKind::OutOfMemory);
            lines.try_reserve(least).map_err(problem)?;
            let read = self.source.by_ref().take(least as u64).read_to_end(lines)?;
            if std::mem::take(&mut self.first) && lines.starts_with(b"\xef\xbb\xbf") {
                lines.drain(..3);
            }
            let new = lines.len().saturating_sub(read);
            if read == 0 {
                return Ok(());
            }
            if let Some(end) = memrchr(b'\n', &lines[new..]) {
                self.rest.extend_from_slice(&lines[new + end + 1..]);
                lines.truncate(new + end + 1);
                return Ok(());
            }
            if lines.len() > LONGEST_LINE {
                let problem =
                    format!("a line has more than {LONGEST_LINE} bytes, which no line may have");
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that a file has in parts of about eight bytes, each with its number; a line "bad" is an
    /// error with its number.
    fn lines(file: &[u8]) -> Result<Vec<(usize, String)>, usize> {
        let mut all = Vec::new();
        let parse = |part: Part<'_>| {
            let text = String::from_utf8(part.bytes.to_vec()).unwrap();
            let numbered = (part.first_line..).zip(text.lines().map(str::to_owned));
            let numbered: Vec<(usize, String)> = numbered.collect();
            match numbered.iter().find(|(_, line)| line == "bad") {
                Some(&(number, _)) => Err(number),
                None => Ok(numbered),
            }
        };
        for_each_part(file, 8, parse, |part| all.extend(part), |error| panic!("{error}"))?;
        Ok(all)
    }

    fn numbered(text: &str) -> Vec<(usize, String)> {
        (1..).zip(text.lines().map(str::to_owned)).collect()
    }

    #[test]
    fn all_lines_come_in_order_with_their_numbers_whatever_their_lengths() {
        for step in 1..40 {
            let mut text = String::new();
            for line in 0..400 {
                text.push_str(&"x".repeat(line * step % 37));
                text.push('\n');
            }
            assert_eq!(lines(text.as_bytes()), Ok(numbered(&text)));
            assert_eq!(lines(text.trim_end().as_bytes()), Ok(numbered(text.trim_end())));
        }
        let long = format!("a\n{}\nb\n{}", "y".repeat(5_000), "z".repeat(5_000));
        assert_eq!(lines(long.as_bytes()), Ok(numbered(&long)));
        assert_eq!(lines(b""), Ok(vec![]));
    }

    #[test]
    fn a_byte_order_mark_is_left_out_at_the_start_only() {
        let marked = lines("\u{feff}a\n\u{feff}b".as_bytes());
        assert_eq!(marked, Ok(vec![(1, "a".to_owned()), (2, "\u{feff}b".to_owned())]));
        assert_eq!(lines("\u{feff}".as_bytes()), Ok(vec![]));
    }

    #[test]
    fn a_line_without_end_is_an_error_before_memory_ends() {
        let problem = |error: io::Error| error.to_string();
        let read = for_each_part(io::repeat(b'x'), PART, |_| Ok(()), |()| (), problem);
        assert_eq!(
            read,
            Err("a line has more than 268435456 bytes, which no line may have".into())
        );
    }

    #[test]
    fn the_first_error_in_the_order_of_the_file_is_returned_on_any_number_of_threads() {
        let mut text = "good\n".repeat(700);
        text.push_str("bad\nbad\n");
        text.push_str(&"good\n".repeat(700));
        text.push_str("bad\n");
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| lines(text.as_bytes())), Err(701));
        }
    }
}
