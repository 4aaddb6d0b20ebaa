//! Progress on standard error: after two seconds of work, and only if standard error is a terminal.

use std::{
    io::{self, Read},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::plain;

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two drawings of work that does not say how far it is.
const TICK: Duration = Duration::from_millis(200);

const BYTES: &str = "{msg} {bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
#[cfg(any(feature = "client", test))]
const STEPS: &str = "{msg} {bar:30} {pos}/{len}, {per_sec}, {eta} left";
const OPEN: &str = "{spinner} {msg}, {elapsed}";
const RUNS: &str = "{msg} {human_pos} runs, {per_sec}";

/// A bar that is cleared at its end.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Work in steps.
    #[cfg(feature = "client")]
    pub(crate) fn steps(what: &str, length: usize) -> Self {
        Self::new(Some(length as u64), STEPS, what)
    }

    /// Runs of a log, whose number is not known.
    pub(crate) fn runs(what: &str) -> Self {
        Self::new(None, RUNS, what)
    }

    fn new(length: Option<u64>, style: &str, what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        // A template of this file is valid; the default would be shown for one that is not.
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self(bar.with_message(plain::line(what).into_owned()))
    }

    /// Notes that so much more is done.
    pub(crate) fn add(&mut self, done: u64) {
        self.0.inc(done);
        if self.0.is_hidden() && self.0.elapsed() >= PATIENCE {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// A source whose bytes are counted as they are read.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    source: R,
    progress: Progress,
}

impl<R> Counted<R> {
    /// `length` is in bytes, or `None` for a source without a length, such as a pipe.
    pub(crate) fn new(what: &str, length: Option<u64>, source: R) -> Self {
        let style = if length.is_some() { BYTES } else { "{msg} {bytes}, {bytes_per_sec}" };
        Self { source, progress: Progress::new(length, style, what) }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

/// Does work that does not say how far it is, beside a clock.
pub(crate) fn working<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let mut progress = Progress::new(None, OPEN, what);
        // The end of the work closes the channel.
        let clock = move || {
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                progress.add(1);
            }
        };
        // Without a thread of its own for the clock, the work is done without one.
        let _ = thread::Builder::new().spawn_scoped(scope, clock);
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid() {
        for template in [BYTES, STEPS, OPEN, RUNS, "{msg} {bytes}, {bytes_per_sec}"] {
            ProgressStyle::with_template(template).unwrap();
        }
    }

    #[test]
    fn counted_bytes_are_those_of_the_source() {
        let mut counted = Counted::new("file", Some(5), &b"bytes"[..]);
        let mut read = Vec::new();
        counted.read_to_end(&mut read).unwrap();
        assert_eq!((read.as_slice(), counted.progress.0.position()), (&b"bytes"[..], 5));
    }

    #[test]
    fn work_returns_its_result_even_if_it_is_slow() {
        let slow = || {
            thread::sleep(PATIENCE + TICK);
            7
        };
        assert_eq!((working("fast", || 6), working("slow", slow)), (6, 7));
    }
}
