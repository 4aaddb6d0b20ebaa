//! Archives of logs: any bytes are read or refused, with small limits, and twice alike.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use run_logs::{Error, Format, ReadLimits, ReadOptions, Run, read};

fn all(bytes: &[u8]) -> Result<Vec<Run>, Error> {
    let limits = ReadLimits { max_string: 1 << 16, max_run: 1 << 20, ..ReadLimits::default() };
    let options = ReadOptions {
        limits: ReadLimits { max_entry: 8 << 20, ..limits },
        ..ReadOptions::default()
    };
    read(Cursor::new(bytes), Format::Auto, &options)?.collect()
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(format!("{:?}", all(bytes)), format!("{:?}", all(bytes)));
});
