//! Logs of inspect_ai: what is read does not depend on how the bytes arrive, JSON is never called
//! anything else, and no run is larger than its limit.

#![no_main]

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use libfuzzer_sys::fuzz_target;
use run_logs::{Error, Format, Problem, ReadLimits, ReadOptions, Run, read};

/// Returns one byte per read.
struct Slow<'a>(Cursor<&'a [u8]>);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

impl Seek for Slow<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn all(source: impl Read + Seek, format: Format) -> Result<Vec<Run>, Error> {
    let limits = ReadLimits { max_string: 1 << 16, max_run: 1 << 20, ..ReadLimits::default() };
    let options = ReadOptions { limits, requests: true, ..ReadOptions::default() };
    read(source, format, &options)?.collect()
}

fuzz_target!(|bytes: &[u8]| {
    let found = all(Cursor::new(bytes), Format::Inspect);
    let slow = all(Slow(Cursor::new(bytes)), Format::Inspect);
    // NaN differs from itself, so the forms are compared.
    assert_eq!(format!("{found:?}"), format!("{slow:?}"));
    let _ = all(Cursor::new(bytes), Format::Auto);
    if let Err(Error::Invalid { problem: Problem::Syntax { .. } | Problem::Truncated, .. }) = found
    {
        let is_archive = bytes.starts_with(b"PK");
        assert!(is_archive || serde_json::from_slice::<serde_json::Value>(bytes).is_err());
    }
});
