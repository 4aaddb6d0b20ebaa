//! Archives of logs: any bytes are read or refused, with small limits, and twice alike.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use run_logs::{Error, Format, ReadLimits, ReadOptions, Run, read};

fn all(bytes: &[u8]) -> Result<Vec<Run>, Error> {
    let limits = ReadLimits::default().with_max_string(1 << 16).with_max_run(1 << 20);
    let options = ReadOptions::default().with_limits(limits.with_max_entry(8 << 20));
    read(Cursor::new(bytes), Format::Auto, &options)?.collect()
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(format!("{:?}", all(bytes)), format!("{:?}", all(bytes)));
});
