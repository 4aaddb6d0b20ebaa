use std::{
    cell::RefCell,
    io::{self, Read, Seek, SeekFrom},
};

use rawzip::ReaderAt;

/// A source that is read at positions.
pub(crate) struct Positioned<R>(RefCell<R>);

impl<R: Read + Seek> Positioned<R> {
    pub(crate) const fn new(source: R) -> Self {
        Self(RefCell::new(source))
    }
}

impl<R: Read + Seek> ReaderAt for Positioned<R> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let busy = |_| io::Error::from(io::ErrorKind::ResourceBusy);
        let mut source = self.0.try_borrow_mut().map_err(busy)?;
        source.seek(SeekFrom::Start(offset))?;
        source.read(buffer)
    }
}
