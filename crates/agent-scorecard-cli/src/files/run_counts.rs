//! All runs of a file, also those that were left out on the way to it: how many succeeded, and why others are
//! not scored.
//!
//! A run that `convert` leaves out is a line with the reason in place of what is missing, such as
//! `{"id", "task"?, "outcome": true|false|null, "stop"?, "left_out": "no_confidence"}`. The outcome has the
//! name that it has in other lines of the file. Such a line is counted and never scored.

use std::{borrow::Cow, path::Path};

pub(crate) use agent_scorecard::RunCounts;
use censoring::StopReason;
use memchr::memmem;
use serde::Deserialize;

use crate::files::json_lines::{self, InputError};

/// A line of a run that was left out.
#[derive(Debug, Deserialize)]
struct LeftOut {
    #[serde(alias = "success", alias = "solved")]
    outcome: Option<bool>,
    #[serde(alias = "stop_reason")]
    stop: Option<StopReason>,
    left_out: String,
}

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
    #[derive(Deserialize)]
    struct Mark {
        left_out: Option<serde_json::Value>,
    }
    // The key may also stand deeper, such as in the arguments of a call.
    let has_key = memmem::find(line, b"\"left_out\"").is_some();
    let is_marked = || serde_json::from_slice(line).is_ok_and(|it: Mark| it.left_out.is_some());
    if !has_key || !is_marked() {
        return Ok(false);
    }
    let LeftOut { outcome, stop, left_out } = json_lines::read_line(path, number, line)?;
    counts.add_left_out(outcome, stop.as_ref(), left_out);
    Ok(true)
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
