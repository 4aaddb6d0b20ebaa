//! All runs of a file, also those that were left out on the way to it: how many succeeded, and why others are
//! not scored.
//!
//! A run that `convert` leaves out is a line with the reason in place of what is missing, such as
//! `{"id", "task"?, "outcome": true|false|null, "stop"?, "left_out": "no_confidence"}`. The outcome has the
//! name that it has in other lines of the file. Such a line is counted and never scored.

use std::{borrow::Cow, path::Path};

pub(crate) use agent_scorecard::RunCounts;
use memchr::memmem;
use run_logs::json_lines::LeftOut;

use crate::files::json_lines::{InputError, in_file};

/// Counts the run of a line that says why it was left out; `false` for any other line.
///
/// # Errors
///
/// [`InputError`] for a line with `left_out` whose other fields are wrong.
pub(crate) fn take(
    counts: &mut RunCounts,
    path: &Path,
    number: usize,
    line: &[u8],
) -> Result<bool, InputError> {
    let found = run_logs::json_lines::left_out(number as u64, line).map_err(in_file(path))?;
    if let Some(LeftOut { outcome, stop, reason, .. }) = found {
        counts.add_left_out(outcome, stop.as_ref(), reason);
        return Ok(true);
    }
    Ok(false)
}

/// Counts the lines of runs that were left out and blanks them, so that other lines keep their numbers.
///
/// # Errors
///
/// As [`take`].
pub(crate) fn take_all<'a>(
    counts: &mut RunCounts,
    path: &Path,
    bytes: Cow<'a, [u8]>,
) -> Result<Cow<'a, [u8]>, InputError> {
    if memmem::find(&bytes, b"\"left_out\"").is_none() {
        return Ok(bytes);
    }
    let mut bytes = bytes.into_owned();
    for (number, line) in (1..).zip(bytes.split_mut(|&byte| byte == b'\n')) {
        if take(counts, path, number, line)? {
            line.fill(b' ');
        }
    }
    Ok(Cow::Owned(bytes))
}

/// A line for each file.
pub(crate) fn lines<'a>(files: impl ExactSizeIterator<Item = (&'a str, &'a RunCounts)>) -> String {
    let several = files.len() > 1;
    let line = |(name, counts): (&str, &RunCounts)| match several {
        true => format!("{name}: {}\n", counts.line()),
        false => counts.line() + "\n",
    };
    files.map(line).collect()
}
