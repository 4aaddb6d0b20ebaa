use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;

use crate::json_lines::parsing::InputError;

/// Bytes of a part, up to the end of its last line.
const PART: usize = 1 << 18;

/// Parts of a thread that are in memory at a time.
const PARTS_PER_THREAD: usize = 4;

/// Bytes of the longest line that is held.
const LONGEST_LINE: usize = 1 << 28;

/// Reads lines from a source, once and from its start to its end, in parts that all threads work on: `add`
/// adds a line, with its number from 1, to its part, `finish` works on the whole part, and `take` gets the
/// results in the order of the lines. Blank lines are passed over, and a UTF-8 byte-order mark in front is
/// left out. `file` names the source in errors.
///
/// Memory: about 1 MiB per thread, or twice the longest line, and the results.
///
/// # Errors
///
/// The first error in the order of the lines, whatever the number of threads: of `add` or `finish`, or an
/// [`InputError`] for a source that cannot be read, has a line of more than 2^28 bytes, or has no line.
///
/// ```
/// use run_logs::json_lines::{InputError, fold};
///
/// let mut longest = 0;
/// fold(
///     "words.txt",
///     "a\n\nlong\n".as_bytes(),
///     |part: &mut usize, _number, line| {
///         *part = line.len().max(*part);
///         Ok::<_, InputError>(())
///     },
///     Ok,
///     |part| longest = part.max(longest),
/// )?;
/// assert_eq!(longest, 4);
/// # Ok::<(), InputError>(())
/// ```
pub fn fold<P: Default, T: Send, E: From<InputError> + Send>(
    file: &str,
    source: impl Read,
    add: impl Fn(&mut P, usize, &[u8]) -> Result<(), E> + Sync,
    finish: impl Fn(P) -> Result<T, E> + Sync,
    take: impl FnMut(T),
) -> Result<(), E> {
    fold_parts(file, source, PART, add, finish, take)
}

fn fold_parts<P: Default, T: Send, E: From<InputError> + Send>(
    file: &str,
    mut source: impl Read,
    length: usize,
    add: impl Fn(&mut P, usize, &[u8]) -> Result<(), E> + Sync,
    finish: impl Fn(P) -> Result<T, E> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), E> {
    let cannot = |problem: io::Error| E::from(InputError::of_file(file, problem.to_string()));
    let parse = |(first, bytes): (usize, &[u8])| {
        let (mut part, mut rows) = (P::default(), 0_usize);
        let mut start = 0;
        for (number, end) in (first..).zip(memchr_iter(b'\n', bytes).chain([bytes.len()])) {
            let line = &bytes[start..end];
            start = end + 1;
            if !line.trim_ascii().is_empty() {
                rows += 1;
                add(&mut part, number, line)?;
            }
        }
        Ok((rows, finish(part)?))
    };
    let least = length * PARTS_PER_THREAD * rayon::current_num_threads();
    let (mut lines, mut first_line, mut rows, mut is_start) = (Vec::new(), 1, 0, true);
    loop {
        // A line that has not ended comes first.
        let known = lines.len();
        lines.try_reserve(least).map_err(|_| cannot(io::ErrorKind::OutOfMemory.into()))?;
        let read = source.by_ref().take(least as u64).read_to_end(&mut lines).map_err(cannot)?;
        if std::mem::take(&mut is_start) && lines.starts_with(b"\xef\xbb\xbf") {
            lines.drain(..3);
        }
        let end = match memrchr(b'\n', &lines[known.min(lines.len())..]) {
            _ if read == 0 => lines.len(),
            Some(end) => known + end + 1,
            None if lines.len() > LONGEST_LINE => {
                let problem =
                    format!("a line has more than {LONGEST_LINE} bytes, which no line may have");
                return Err(InputError::of_file(file, problem).into());
            }
            None => continue,
        };
        let mut parts = Vec::new();
        let mut rest = &lines[..end];
        while !rest.is_empty() {
            let end = rest.get(length..).and_then(|rest| memchr(b'\n', rest));
            let (part, after) = rest.split_at(end.map_or(rest.len(), |end| length + end + 1));
            parts.push((first_line, part));
            first_line += memchr_iter(b'\n', part).count();
            rest = after;
        }
        let parsed: Vec<Result<(usize, T), E>> = parts.into_par_iter().map(parse).collect();
        for part in parsed {
            let (more, part) = part?;
            rows += more;
            take(part);
        }
        lines.drain(..end);
        if read == 0 {
            return if rows == 0 { Err(InputError::of_empty(file).into()) } else { Ok(()) };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The lines of a file in parts of about eight bytes, each with its number; a line "bad" is an error with
    /// its number.
    fn lines(file: &[u8]) -> Result<Vec<(usize, String)>, InputError> {
        let mut all = Vec::new();
        let add = |part: &mut Vec<(usize, String)>, number, line: &[u8]| match line {
            b"bad" => Err(InputError::of_field("f", number, "x", "bad")),
            line => {
                part.push((number, String::from_utf8(line.to_vec()).unwrap()));
                Ok(())
            }
        };
        fold_parts("f", file, 8, add, Ok, |part| all.extend(part))?;
        Ok(all)
    }

    fn numbered(text: &str) -> Vec<(usize, String)> {
        let lines = (1..).zip(text.lines().map(str::to_owned));
        lines.filter(|(_, line)| !line.is_empty()).collect()
    }

    #[test]
    fn all_lines_come_in_order_with_their_numbers_whatever_their_lengths() {
        for step in 1..40 {
            let mut text = String::new();
            for line in 0..400 {
                text.push_str(&"x".repeat(1 + line * step % 37));
                text.push('\n');
            }
            assert_eq!(lines(text.as_bytes()), Ok(numbered(&text)));
            assert_eq!(lines(text.trim_end().as_bytes()), Ok(numbered(text.trim_end())));
        }
        let long = format!("a\n{}\nb\n{}", "y".repeat(5_000), "z".repeat(5_000));
        assert_eq!(lines(long.as_bytes()), Ok(numbered(&long)));
    }

    #[test]
    fn a_byte_order_mark_is_left_out_at_the_start_only() {
        let marked = lines("\u{feff}a\n\u{feff}b".as_bytes());
        assert_eq!(marked, Ok(vec![(1, "a".to_owned()), (2, "\u{feff}b".to_owned())]));
        for empty in ["", "\u{feff}", "\u{feff}\n\n"] {
            assert_eq!(lines(empty.as_bytes()), Err(InputError::of_empty("f")));
        }
    }

    #[test]
    fn a_line_without_end_is_an_error_before_memory_ends() {
        let endless =
            fold("f", io::repeat(b'x'), |_: &mut (), _, _| Ok::<_, InputError>(()), Ok, |()| ());
        assert_eq!(
            endless.unwrap_err().problem,
            "a line has more than 268435456 bytes, which no line may have"
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
            let read = pool.install(|| lines(text.as_bytes()));
            assert_eq!(read.unwrap_err().line, Some(701));
        }
    }
}
