//! One reader per format.

pub mod bagen;
pub(crate) mod chat;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod copies;
pub(crate) mod gemini_cli;
pub(crate) mod harbor;
pub(crate) mod inspect;
pub(crate) mod langchain;
pub(crate) mod likely_format;
pub(crate) mod lines;
pub(crate) mod lm_eval;
pub(crate) mod log_reader;
pub(crate) mod mini_swe_agent;
pub(crate) mod mlflow;
pub(crate) mod models;
pub(crate) mod openai_agents;
pub(crate) mod opencode;
pub(crate) mod otlp;
pub(crate) mod paths;
pub(crate) mod pools;
pub(crate) mod rollouts;
pub(crate) mod session_lines;
pub(crate) mod steps;
pub(crate) mod tau2;
pub(crate) mod token_counts;
pub(crate) mod trace_line;
pub(crate) mod trace_rules;
pub(crate) mod trace_runs;
pub(crate) mod traces;

use std::{
    io::{BufReader, Chain, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

use flate2::read::MultiGzDecoder;

use crate::{
    engines::{
        archive::{CheckedReader, ZstdFrames},
        folder::open_file,
    },
    error::Error,
    format::{About, Format, ReadLimits, ReadOptions, known, table_of_formats},
    formats::{
        inspect::archive_log::ArchiveLog,
        lines::LineFields,
        log_reader::{Log, Opened, Reader, Shape},
    },
};

/// The number of bytes that are examined to recognize a format.
const PREFIX: u64 = 64 << 10;

/// Finds the readers of the formats of the table.
macro_rules! readers {
    ($($(#[$doc:meta])* $variant:ident $name:literal $reader:expr,)*) => {
        /// Returns the reader of a format; `Auto` has none.
        const fn reader_of(format: Format) -> Option<&'static Reader> {
            match format {
                Format::Auto => None,
                $(Format::$variant => Some(&$reader),)*
            }
        }
    };
}

table_of_formats!(readers);

impl Format {
    /// Returns the description of the format from the table of formats; `None` for `Auto`.
    #[must_use]
    pub fn about(self) -> Option<&'static About> {
        reader_of(self).map(|reader| &reader.about)
    }
}

/// Opens a log: recognizes its format if it is not given, and passes the log to its reader. The path of the file, if there is
/// one, leads to the other files of a log with several files; it may be one of a folder of which all files are read. With
/// `fields`, the source holds lines of another program.
pub(crate) fn open<'a>(
    mut source: impl Read + Seek + 'a,
    format: Format,
    path: Option<&Path>,
    is_in_folder: bool,
    options: &ReadOptions,
    fields: Option<&LineFields>,
) -> Result<Opened<'a>, Error> {
    let start = start_of(&mut source)?;
    if is_archive(&start) && fields.is_none() && matches!(format, Format::Auto | Format::Inspect) {
        source.seek(SeekFrom::Start(0)).map_err(|error| Error::io(&error))?;
        return Ok(Opened::new(Format::Inspect, ArchiveLog::open(source, options)?));
    }
    let (prefix, source, shape) = content(start, source, options.limits)?;
    if let Some(fields) = fields {
        return fields.open(Box::new(Cursor::new(prefix).chain(source)), options);
    }
    let format = match format {
        Format::Auto => recognize(&shape),
        format => Some(format),
    };
    let Some((format, reader)) = format.and_then(|format| Some((format, reader_of(format)?)))
    else {
        let looks_like = likely_format::looks_like(&prefix, &shape);
        let (place, problem) = shape.into_fault().unzip();
        let place = Box::new(place.unwrap_or_default());
        return Err(Error::UnknownFormat { place, problem, looks_like, known: known() });
    };
    let source = Box::new(Cursor::new(prefix).chain(source));
    let path = path.map(Path::to_owned);
    let (recognizes, options) = (reader.recognizes, *options);
    (reader.open)(Log { source, shape, format, recognizes, path, is_in_folder, options })
}

/// Returns the content of a file from its start, and what its first bytes show.
pub(crate) fn content_of(path: &Path, limits: ReadLimits) -> Result<(Box<dyn Read>, Shape), Error> {
    let read = || {
        let mut file = open_file(path).map_err(|error| Error::io(&error))?;
        let (prefix, rest, shape) = content(start_of(&mut file)?, file, limits)?;
        Ok((Box::new(Cursor::new(prefix).chain(rest)) as Box<dyn Read>, shape))
    };
    read().map_err(|error: Error| error.in_file(path))
}

type Content<'a> = (Vec<u8>, Box<dyn Read + 'a>, Shape);

/// Returns the first bytes of a source, unpacked and without a byte-order mark, the rest, and the findings in the first bytes.
fn content<'a>(
    start: Vec<u8>,
    rest: impl Read + 'a,
    limits: ReadLimits,
) -> Result<Content<'a>, Error> {
    let mut source = unpacked(start, rest, limits);
    let mut prefix = start_of(&mut source)?;
    let is_whole = (prefix.len() as u64) < PREFIX;
    // Some editors write a byte-order mark.
    if prefix.starts_with(b"\xef\xbb\xbf") {
        prefix.drain(..3);
    }
    let shape = Shape::of(&prefix, is_whole);
    Ok((prefix, source, shape))
}

fn start_of(source: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut start = Vec::new();
    let read = source.take(PREFIX).read_to_end(&mut start);
    read.map_err(|error| Error::io(&error))?;
    Ok(start)
}

fn is_archive(prefix: &[u8]) -> bool {
    prefix.starts_with(b"PK\x03\x04") || prefix.starts_with(b"PK\x05\x06")
}

/// Returns a source whose first bytes have been read as a whole, and unpacked if it is packed with gzip or zstd.
pub(crate) fn unpacked<'a>(
    start: Vec<u8>,
    rest: impl Read + 'a,
    limits: ReadLimits,
) -> Box<dyn Read + 'a> {
    let is_gzip = start.starts_with(b"\x1f\x8b");
    let is_zstd = start.starts_with(b"\x28\xb5\x2f\xfd");
    let packed: Chain<_, _> = Cursor::new(start).chain(rest);
    // The size of the source is not known, so that the limit on the ratio does not apply.
    let checked = |source| CheckedReader::new(source, u64::MAX, limits);
    match (is_gzip, is_zstd) {
        (true, _) => {
            let content: Box<dyn Read + 'a> = Box::new(MultiGzDecoder::new(packed));
            Box::new(checked(content))
        }
        (_, true) => {
            let content: Box<dyn Read + 'a> = Box::new(ZstdFrames::new(BufReader::new(packed)));
            Box::new(checked(content))
        }
        _ => Box::new(packed),
    }
}

fn recognize(shape: &Shape) -> Option<Format> {
    let is_of = |format: &Format| reader_of(*format).is_some_and(|it| (it.recognizes)(shape));
    Format::ALL.iter().copied().find(is_of)
}
