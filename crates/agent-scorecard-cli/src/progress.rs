//! Progress bars on standard error, if it is a terminal. A bar is cleared when it is dropped.

use std::{io::Read, time::Duration};

use indicatif::{ProgressBar, ProgressBarIter, ProgressStyle};

use crate::plain;

/// The time between two updates of a bar for work of unknown length.
const TICK: Duration = Duration::from_millis(200);

const BYTES: &str = "{msg} {bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
const OPEN_BYTES: &str = "{msg} {bytes}, {bytes_per_sec}";
#[cfg(feature = "client")]
const STEPS: &str = "{msg} {bar:30} {pos}/{len}, {per_sec}, {eta} left";
const WORK: &str = "{spinner} {msg}, {elapsed}";
const RUNS: &str = "{msg} {human_pos} runs, {per_sec}";
const FILES: &str = "{msg} {bar:30} {human_pos}/{human_len} files, {eta} left";

fn bar(length: Option<u64>, style: &str, what: &str) -> ProgressBar {
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let style = ProgressStyle::with_template(style);
    debug_assert!(style.is_ok(), "the templates of this file are valid");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.with_message(plain::line(what).into_owned())
}

/// Returns a bar of work in steps.
#[cfg(feature = "client")]
pub(crate) fn steps(what: &str, length: usize) -> ProgressBar {
    bar(Some(length as u64), STEPS, what)
}

/// Returns a bar for the runs of a log, whose number is unknown, or for the files of a folder, of which `files` gives the
/// number read and the number of all.
pub(crate) fn runs(what: &str, files: Option<(usize, usize)>) -> ProgressBar {
    match files {
        Some((_, all)) => bar(Some(all as u64), FILES, what),
        None => bar(None, RUNS, what),
    }
}

/// Shows a further run.
pub(crate) fn next_run(bar: &ProgressBar, files: Option<(usize, usize)>) {
    match files {
        Some((read, _)) => bar.set_position(read as u64),
        None => bar.inc(1),
    }
}

/// Returns a source whose bytes are counted as they are read. `length` is in bytes, or `None` for a source without a
/// length, such as a pipe.
pub(crate) fn reading<R: Read>(what: &str, length: Option<u64>, source: R) -> ProgressBarIter<R> {
    let style = if length.is_some() { BYTES } else { OPEN_BYTES };
    bar(length, style, what).wrap_read(source)
}

/// Does work of unknown length, and shows a clock.
pub(crate) fn working<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let bar = bar(None, WORK, what);
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
    work()
}
