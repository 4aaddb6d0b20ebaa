use std::io::{self, Read};

use crate::{error::Problem, values::read_limits::ReadLimits};

/// Bytes of an entry that the limit on the ratio leaves free.
const FREE: u64 = 16 << 20;

/// Stops an entry that grows beyond its limits, and turns errors of unpacking into problems.
pub(crate) struct CheckedReader<R> {
    reader: R,
    packed: u64,
    unpacked: u64,
    limits: ReadLimits,
}

impl<R: Read> CheckedReader<R> {
    pub(crate) fn new(reader: R, packed: u64, limits: ReadLimits) -> Self {
        Self { reader, packed, unpacked: 0, limits }
    }
}

impl<R: Read> Read for CheckedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer).map_err(unpacking)?;
        self.unpacked += read as u64;
        let limit = self.limits.max_entry;
        if self.unpacked > limit {
            return Err(io::Error::other(Problem::EntryTooLarge { limit }));
        }
        let limit = self.limits.max_ratio;
        if self.unpacked > FREE && self.unpacked / limit.max(1) > self.packed {
            return Err(io::Error::other(Problem::Ratio { limit }));
        }
        Ok(read)
    }
}

/// Errors about the content of the archive are problems; those of the file system stay.
fn unpacking(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidData
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::Other => io::Error::other(Problem::Archive { reason: error.to_string() }),
        _ => error,
    }
}
