use std::{fmt::Write as _, io::Read};

use crate::{
    engines::json::source::Source,
    error::{Error, Place, Problem},
    values::read_limits::ReadLimits,
};

/// A part of the path to a value.
#[derive(Debug)]
pub(crate) enum Segment {
    /// A known field.
    Field(&'static str),
    /// A key of a map.
    Key(String),
    /// A position in a list.
    Index(usize),
}

/// An object or list that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) is_list: bool,
    /// Whether an entry has been read.
    pub(crate) started: bool,
    /// One bit for each known field that has been read.
    pub(crate) seen: u64,
}

/// A pull reader of JSON.
pub(crate) struct Json<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) limits: ReadLimits,
    /// The path to the current value: one segment per open object or list.
    pub(crate) path: Vec<Segment>,
    pub(crate) open: Vec<Open>,
    pub(crate) scratch: Vec<u8>,
    /// Bytes of strings and values that the current run holds.
    held: usize,
    place: Place,
}

impl<'a> Json<'a> {
    pub(crate) fn new(reader: impl Read + 'a, limits: ReadLimits) -> Self {
        Self {
            source: Source::new(reader),
            // What every thread's stack can hold.
            limits: ReadLimits { max_depth: limits.max_depth.min(512), ..limits },
            path: Vec::new(),
            open: Vec::new(),
            scratch: Vec::new(),
            held: 0,
            place: Place::default(),
        }
    }

    /// Starts the next of several values that follow each other, as in JSON Lines. False at the end
    /// of the input. Its line stands in errors, and its run holds nothing yet.
    pub(crate) fn next_document(&mut self) -> Result<bool, Error> {
        self.begin_run();
        self.place.line = None;
        let more = self.after_space()?.is_some();
        self.place.line = more.then(|| self.source.line());
        Ok(more)
    }

    /// The part of a place that the reader of a format knows: entry and sample.
    pub(crate) fn place_mut(&mut self) -> &mut Place {
        &mut self.place
    }

    /// Starts the count of bytes that a run holds anew.
    pub(crate) fn begin_run(&mut self) {
        self.held = 0;
        self.place.sample = None;
    }

    /// Goes on with a run of which another input was read: its sample, and the bytes that it holds.
    #[cfg(feature = "archives")]
    pub(crate) fn continue_run(&mut self, sample: Option<String>, held: usize) {
        self.place.sample = sample;
        self.held = held;
    }

    /// The sample and the bytes that the current run holds, for [`Json::continue_run`].
    #[cfg(feature = "archives")]
    pub(crate) fn into_run(self) -> (Option<String>, usize) {
        (self.place.sample, self.held)
    }

    /// Counts bytes that the run will hold.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.held = self.held.saturating_add(bytes);
        let limit = self.limits.max_run;
        if self.held > limit { Err(self.error(Problem::RunTooLarge { limit })) } else { Ok(()) }
    }

    /// An error at the current value.
    pub(crate) fn error(&self, problem: Problem) -> Error {
        let mut place = self.place.clone();
        for segment in &self.path {
            // Writing to a string cannot fail.
            let _ = match segment {
                Segment::Index(index) => write!(place.field, "[{index}]"),
                Segment::Field("") => Ok(()),
                Segment::Field(name) => push_name(&mut place.field, name),
                Segment::Key(name) => push_name(&mut place.field, name),
            };
        }
        Error::invalid(place, problem)
    }

    /// An error at a field of the current object.
    pub(crate) fn error_at(&self, field: &str, problem: Problem) -> Error {
        let mut error = self.error(problem);
        if let Error::Invalid { place, .. } = &mut error {
            // Writing to a string cannot fail.
            let _ = push_name(&mut place.field, field);
        }
        error
    }

    pub(crate) fn syntax(&self, expected: &'static str) -> Error {
        self.error(Problem::Syntax { expected })
    }

    fn io(&self, error: &std::io::Error) -> Error {
        // Archives report their own problems through the reader.
        if let Some(problem) = error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>()) {
            return self.error(problem.clone());
        }
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return self.error(Problem::Truncated);
        }
        Error::io(self.place.clone(), error)
    }

    /// The next byte, or an error at the end of the input.
    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        match self.source.peek() {
            Ok(Some(byte)) => Ok(byte),
            Ok(None) => Err(self.error(Problem::Truncated)),
            Err(error) => Err(self.io(&error)),
        }
    }

    #[inline]
    pub(crate) fn next_byte(&mut self) -> Result<u8, Error> {
        let byte = self.byte()?;
        self.source.consume(1);
        Ok(byte)
    }

    /// The first byte after white space; `None` at the end of the input.
    pub(crate) fn after_space(&mut self) -> Result<Option<u8>, Error> {
        loop {
            match self.source.peek() {
                Ok(Some(b' ' | b'\n' | b'\r' | b'\t')) => self.source.consume(1),
                Ok(byte) => return Ok(byte),
                Err(error) => return Err(self.io(&error)),
            }
        }
    }

    /// The first byte of the next token, or an error at the end of the input.
    pub(crate) fn token(&mut self) -> Result<u8, Error> {
        self.after_space()?.ok_or_else(|| self.error(Problem::Truncated))
    }

    pub(crate) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Error> {
        if self.token()? != byte {
            return Err(self.syntax(expected));
        }
        self.source.consume(1);
        Ok(())
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match self.after_space()? {
            None => Ok(()),
            Some(_) => Err(self.error(Problem::Trailing)),
        }
    }
}

/// Appends a key to a path. Keys with a dot are quoted.
fn push_name(path: &mut String, name: &str) -> std::fmt::Result {
    let dot = if path.is_empty() { "" } else { "." };
    // Keys of a log can be long.
    let short: String = name.chars().take(80).collect();
    if short.contains(['.', '[', '"']) || short.is_empty() {
        write!(path, "{dot}{short:?}")
    } else {
        write!(path, "{dot}{short}")
    }
}
