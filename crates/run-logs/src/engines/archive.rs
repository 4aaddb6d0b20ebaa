//! Zip archives, streamed with limits.
//!
//! Entries are never written to a disk, so their names cannot lead out of a folder; names that try are refused anyway.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    ops::Bound,
};

use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, ErrorKind, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipArchive,
    ZipArchiveEntryWayfinder, ZipLocator,
};
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use crate::{
    error::{Error, Place, Problem},
    format::ReadLimits,
};

/// An archive and its entries.
pub(crate) struct Directory<R> {
    archive: ZipArchive<Positioned<R>>,
    /// The entries by name; of several entries with the same name, the last.
    entries: BTreeMap<String, Entry>,
    limits: ReadLimits,
}

#[derive(Clone, Copy)]
struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl<R: Read + Seek> Directory<R> {
    pub(crate) fn open(mut source: R, limits: ReadLimits) -> Result<Self, Error> {
        let invalid = |problem| Error::invalid(Place::default(), problem);
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let end = source.seek(SeekFrom::End(0)).map_err(|e| Error::io(&e))?;
        let archive = ZipLocator::new()
            .locate_in_reader(Positioned(RefCell::new(source)), &mut buffer, end)
            .map_err(|(_, error)| wrong(&error))?;
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let mut ranges = Vec::new();
        let mut found = archive.entries(&mut buffer);
        while let Some(entry) = found.next_entry().map_err(|e| wrong(&e))? {
            let path = entry.file_path();
            let name = str::from_utf8(path.as_bytes()).map_err(|_| invalid(Problem::NotUtf8))?;
            if leaves_folder(name) {
                let value: String = name.chars().take(80).collect();
                let place = Place { entry: Some(value.clone()), ..Place::default() };
                let expected = "a name inside the archive, without `..`";
                return Err(Error::invalid(place, Problem::Value { value, expected }));
            }
            ranges.push((entry.local_header_offset(), entry.compressed_size_hint()));
            let found = Entry { place: entry.wayfinder(), method: entry.compression_method() };
            entries.insert(name.to_owned(), found);
        }
        if ranges.len() as u64 != archive.entries_hint() {
            return Err(invalid(Problem::Truncated));
        }
        // The directory repeats the name before the content. If they differ, a damaged or forged name would hide a sample.
        for (name, entry) in &entries {
            let local = archive.get_entry(entry.place).and_then(|content| {
                let header = content.local_header(&mut buffer)?;
                Ok(header.file_path().as_bytes() == name.as_bytes())
            });
            if !local.map_err(|e| wrong(&e).in_entry(name))? {
                let reason = "its name differs between the directory and the entry".to_owned();
                return Err(invalid(Problem::Archive { reason }).in_entry(name));
            }
        }
        // Overlapping entries can expand to far more than the file.
        ranges.sort_unstable();
        let ends = ranges.iter().map(|(start, length)| start.saturating_add(*length));
        if ends.zip(ranges.iter().skip(1)).any(|(end, (next, _))| end > *next) {
            return Err(invalid(Problem::Archive { reason: "entries overlap".to_owned() }));
        }
        Ok(Self { archive, entries, limits })
    }

    /// The names of the entries, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the names from `first` on, sorted.
    pub(crate) fn names_from(&self, first: &str) -> impl Iterator<Item = &str> {
        let range = (Bound::Included(first), Bound::Unbounded);
        self.entries.range::<str, _>(range).map(|(name, _)| name.as_str())
    }

    /// Returns whether there is an entry of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Reads an entry to its end, checked against its checksum and the limits while it is read. `None` if there is no such entry.
    pub(crate) fn read_whole<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(Entry { place, method }) = self.entries.get(name).copied() else {
            return Ok(None);
        };
        let entry = self.archive.get_entry(place).map_err(|e| wrong(&e).in_entry(name))?;
        let packed = BufReader::with_capacity(64 << 10, entry.reader());
        let unpacked: Box<dyn Read + '_> = match method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
            CompressionMethod::ZSTD => Box::new(ZstdFrames::new(packed)),
            _ => {
                let what = "an entry packed by another method than deflate and zstd";
                let error = Error::invalid(Place::default(), Problem::Unsupported { what });
                return Err(error.in_entry(name));
            }
        };
        let size = place.compressed_size_hint();
        let verified = entry.verifying_reader(unpacked);
        let mut content = CheckedReader::new(verified, size, self.limits);
        let found = read(&mut content)?;
        io::copy(&mut content, &mut io::sink())
            .map_err(|error| Error::io(&error).in_entry(name))?;
        Ok(Some(found))
    }
}

/// Returns whether the name of an entry would lead out of the folder that the archive is unpacked to.
fn leaves_folder(name: &str) -> bool {
    name.starts_with(['/', '\\'])
        || name.contains('\0')
        || name.get(1..2) == Some(":")
        || name.split(['/', '\\']).any(|part| part == "..")
}

fn wrong(error: &rawzip::Error) -> Error {
    let problem = match error.kind() {
        ErrorKind::IO(error) if error.kind() == io::ErrorKind::UnexpectedEof => Problem::Truncated,
        ErrorKind::IO(error) => return Error::io(error),
        ErrorKind::MissingEndOfCentralDirectory | ErrorKind::Eof => Problem::Truncated,
        _ => Problem::Archive { reason: error.to_string() },
    };
    Error::invalid(Place::default(), problem)
}

/// A source that is read at given positions.
pub(crate) struct Positioned<R>(RefCell<R>);

impl<R: Read + Seek> ReaderAt for Positioned<R> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let busy = |_| io::Error::from(io::ErrorKind::ResourceBusy);
        let mut source = self.0.try_borrow_mut().map_err(busy)?;
        source.seek(SeekFrom::Start(offset))?;
        source.read(buffer)
    }
}

/// The number of bytes of an entry to which the limit on the ratio does not apply.
const FREE: u64 = 16 << 20;

/// Stops an entry that grows beyond its limits, and turns unpacking errors into problems.
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
            return Err(too_large("an entry is larger", limit, "bytes"));
        }
        let limit = self.limits.max_ratio;
        if self.unpacked > FREE && self.unpacked / limit.max(1) > self.packed {
            return Err(too_large("an entry expands more", limit, "times"));
        }
        Ok(read)
    }
}

fn too_large(what: &'static str, limit: u64, unit: &'static str) -> io::Error {
    io::Error::other(Problem::TooLarge { what, limit, unit })
}

/// Errors about the content of the archive are problems; errors of the file system stay unchanged.
fn unpacking(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidData
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::Other => io::Error::other(Problem::Archive { reason: error.to_string() }),
        _ => error,
    }
}

/// Unpacks consecutive zstd frames, and skips skippable ones.
pub(crate) struct ZstdFrames<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Starts the next frame; false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut frame = self.source.by_ref().take(u64::from(length));
                    io::copy(&mut frame, &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame && !self.next_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.source, one);
                decoded.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.in_frame = false;
        }
    }
}
