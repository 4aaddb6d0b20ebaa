//! One reader per format.

pub mod bagen;
pub(crate) mod chat;
pub(crate) mod counts;
pub(crate) mod harbor;
pub(crate) mod inspect;
pub(crate) mod log_reader;
pub(crate) mod models;
pub(crate) mod paths;
pub(crate) mod pools;
pub(crate) mod rollouts;
pub(crate) mod steps;
pub(crate) mod tau2;
pub(crate) mod trace_line;
pub(crate) mod trace_rules;
pub(crate) mod trace_runs;
pub(crate) mod traces;

use std::{
    io::{Cursor, Read, Seek, SeekFrom},
    path::Path,
};

use crate::{
    engines::folder::Folder,
    error::{Error, Place},
    format::{Format, ReadOptions, known},
    formats::{
        inspect::{JsonLog, archive_log::ArchiveLog},
        log_reader::{Opened, Shape},
    },
};

/// The number of bytes that are examined to recognize a format.
const PREFIX: u64 = 64 << 10;

/// Opens a log: recognizes its format if it is not given, and passes the log to its reader. The path of the file, if there is
/// one, leads to the other files of a log with several files.
pub(crate) fn open<'a>(
    mut source: impl Read + Seek + 'a,
    format: Format,
    path: Option<&Path>,
    options: &ReadOptions,
) -> Result<Opened<'a>, Error> {
    let io = |error: &std::io::Error| Error::io(Place::default(), error);
    let mut prefix = Vec::new();
    source.by_ref().take(PREFIX).read_to_end(&mut prefix).map_err(|error| io(&error))?;
    let is_whole = (prefix.len() as u64) < PREFIX;
    if is_archive(&prefix) && matches!(format, Format::Auto | Format::Inspect) {
        source.seek(SeekFrom::Start(0)).map_err(|error| io(&error))?;
        let reader = Box::new(ArchiveLog::open(source, options)?);
        return Ok(Opened { format: Format::Inspect, reader, owned: None });
    }
    // Some editors write a byte-order mark.
    if prefix.starts_with(b"\xef\xbb\xbf") {
        prefix.drain(..3);
    }
    let shape = Shape::of(&prefix, is_whole);
    let format = match (format, recognize(&shape)) {
        (Format::Auto, Some(recognized)) => recognized,
        (Format::Auto, None) => {
            let (place, problem) = shape.into_fault().unzip();
            let place = Box::new(place.unwrap_or_default());
            return Err(Error::UnknownFormat { place, problem, known: known() });
        }
        (format, _) => format,
    };
    let source = Cursor::new(prefix).chain(source);
    let folder = path.and_then(Folder::of);
    match format {
        Format::Auto | Format::Inspect => {
            let reader = Box::new(JsonLog::open(source, options)?);
            Ok(Opened { format, reader, owned: None })
        }
        Format::Exchanges
        | Format::OpenAiChat
        | Format::OpenAiResponses
        | Format::Anthropic
        | Format::Gemini
        | Format::Ollama => chat::read(source, format, options),
        Format::Atif | Format::Harbor => harbor::read(source, format, &shape, folder, options),
        Format::Tau2 => tau2::read(source, &shape, folder, options),
    }
}

fn is_archive(prefix: &[u8]) -> bool {
    prefix.starts_with(b"PK\x03\x04") || prefix.starts_with(b"PK\x05\x06")
}

fn recognize(shape: &Shape) -> Option<Format> {
    if inspect::recognizes(shape) {
        return Some(Format::Inspect);
    }
    chat::recognizes(shape)
        .or_else(|| harbor::recognizes(shape))
        .or_else(|| tau2::recognizes(shape).then_some(Format::Tau2))
}
