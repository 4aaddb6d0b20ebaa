//! Trajectories, trials of Harbor and results of tau2: what is read does not depend on how the bytes
//! arrive, and a run of any format that is written as a trajectory is read back with its turns.

#![no_main]

use std::io::{Cursor, Read, Result as IoResult, Seek, SeekFrom};

use libfuzzer_sys::fuzz_target;
use run_logs::{Error, Format, Problem, ReadLimits, ReadOptions, Run, read, to_atif};

/// Bytes that arrive a few at a time.
struct Slowly<'a>(Cursor<&'a [u8]>);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let few = buffer.len().min(3);
        self.0.read(&mut buffer[..few])
    }
}

impl Seek for Slowly<'_> {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.0.seek(to)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits { max_string: 1 << 12, max_run: 1 << 20, ..ReadLimits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    for format in [Format::Auto, Format::Atif, Format::Harbor, Format::Tau2] {
        let requests = ReadOptions { requests: true, ..options };
        let whole = read(Cursor::new(bytes), format, &requests).and_then(Iterator::collect);
        let slowly =
            read(Slowly(Cursor::new(bytes)), format, &requests).and_then(Iterator::collect);
        let whole: Result<Vec<Run>, Error> = whole;
        assert_eq!(format!("{whole:?}"), format!("{:?}", slowly as Result<Vec<Run>, Error>));
        if let Ok(runs) = read(Cursor::new(bytes), format, &options) {
            runs.map_while(Result::ok).for_each(|run| check(&run));
        }
    }
});

fn check(run: &Run) {
    let text = to_atif(run);
    let mut back =
        read(Cursor::new(text), Format::Auto, &ReadOptions::default()).expect("a trajectory");
    match back.next().expect("one run") {
        Ok(back) => {
            let kept = |run: &Run| (run.id.clone(), run.outcome, run.stop.clone(), run.turns.len());
            assert_eq!(kept(&back), kept(run));
        }
        // What was nested almost too deeply is nested more deeply in a trajectory.
        Err(Error::Invalid { problem: Problem::TooDeep { .. }, .. }) => {}
        Err(error) => panic!("{error}"),
    }
}
