use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;

use crate::json_lines::parsing::InputError;

/// The size of a part in bytes, up to the end of its last line.
const PART: usize = 1 << 18;

/// The number of parts per thread that are in memory at a time.
const PARTS_PER_THREAD: usize = 4;

/// The length in bytes of the longest accepted line.
pub(crate) const LONGEST_LINE: usize = 1 << 28;

/// Reads the lines of a source once, from start to end, in parts that are processed on all threads. `add` adds a line,
/// with its number counted from 1, to the value of its part. `finish` turns this value into a result, and `take`
/// receives the results in the order of the lines. Blank lines and a UTF-8 byte-order mark at the start are skipped.
/// `file` names the source in errors.
///
/// Memory: about 1 MiB per thread, or twice the longest line, plus the results.
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
    mut source: impl Read,
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
    let least = PART * PARTS_PER_THREAD * rayon::current_num_threads();
    let (mut lines, mut first_line, mut rows, mut is_start) = (Vec::new(), 1, 0, true);
    loop {
        // An incomplete line comes first.
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
                let problem = format!(
                    "a line has more than {LONGEST_LINE} bytes, the most that a line may have"
                );
                return Err(InputError::of_file(file, problem).into());
            }
            None => continue,
        };
        let mut parts = Vec::new();
        let mut rest = &lines[..end];
        while !rest.is_empty() {
            let end = rest.get(PART..).and_then(|rest| memchr(b'\n', rest));
            let (part, after) = rest.split_at(end.map_or(rest.len(), |end| PART + end + 1));
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
