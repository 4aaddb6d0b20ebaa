use std::{
    fmt::Write as _,
    io::{self, Read},
};

use crate::{
    error::{Error, Place, Problem},
    format::ReadLimits,
};

/// Reads an object: the names of its fields, each with the code that reads its value.
///
/// An arm may have several names and a condition. A field whose condition does not hold is skipped, like fields without an arm.
/// With `given`, fields whose value is null are skipped, too. A last arm `in LIST` takes the fields of a list that
/// [`named_fields`] makes.
///
/// ```ignore
/// fields!(given |json, field| {
///     "id" => id = Some(json.name()?),
///     "cost" | "price" if is_priced => cost = Some(json.amount()?),
///     in Rest::FIELDS => rest.field(json, field)?,
/// })?;
/// ```
macro_rules! fields {
    (given |$json:ident| $arms:tt) => {
        fields!(@object $json, field, { if $json.null()? { return Ok(()); } }, $arms)
    };
    (given |$json:ident, $field:ident| $arms:tt) => {
        fields!(@object $json, $field, { if $json.null()? { return Ok(()); } }, $arms)
    };
    (|$json:ident| $arms:tt) => { fields!(@object $json, field, {}, $arms) };
    (|$json:ident, $field:ident| $arms:tt) => { fields!(@object $json, $field, {}, $arms) };
    (@object $json:ident, $field:ident, $first:block, {
        $($name:literal $(| $other:literal)* $(if $condition:expr)? => $read:expr,)*
        $(in $list:expr => $rest:expr,)?
    }) => {
        $json.object(&[&[$($name, $($other,)*)*], $($list)?], |$json, $field| {
            $first
            match $field {
                $($name $(| $other)* $(if $condition)? => { $read; })*
                _ => fields!(@rest $json $($rest)?),
            }
            Ok(())
        })
    };
    (@rest $json:ident) => { $json.skip()? };
    (@rest $json:ident $rest:expr) => { $rest };
}
pub(crate) use fields;

/// Declares a list of fields, with arms as in [`fields`], and the function that reads one of them.
macro_rules! named_fields {
    (
        $(#[$doc:meta])*
        $seen:vis const $list:ident, fn $name:ident($($parameters:tt)*), |$json:ident, $field:ident| {
            $($field_name:literal $(| $other:literal)* $(if $condition:expr)? => $read:expr,)*
        }
    ) => {
        $seen const $list: &'static [&'static str] = &[$($field_name, $($other,)*)*];

        $(#[$doc])*
        $seen fn $name($($parameters)*) -> Result<(), Error> {
            match $field {
                $($field_name $(| $other)* $(if $condition)? => { $read; })*
                _ => $json.skip()?,
            }
            Ok(())
        }
    };
}
pub(crate) use named_fields;

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

/// An open object or list.
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
    /// Whether half of a surrogate pair is read as U+FFFD: JavaScript cuts texts between the halves.
    pub(crate) replaces_halves: bool,
    /// The number of bytes of strings and values in the current run.
    held: usize,
    place: Place,
}

impl<'a> Json<'a> {
    pub(crate) fn new(reader: impl Read + 'a, limits: ReadLimits) -> Self {
        Self {
            source: Source::new(reader),
            // A depth that every thread's stack can hold.
            limits: ReadLimits { max_depth: limits.max_depth.min(512), ..limits },
            path: Vec::new(),
            open: Vec::new(),
            scratch: Vec::new(),
            replaces_halves: false,
            held: 0,
            place: Place::default(),
        }
    }

    /// Starts the next of several consecutive values, as in JSON Lines. Returns false at the end of the input. Errors then name
    /// its line, and the count of its run is 0.
    pub(crate) fn next_document(&mut self) -> Result<bool, Error> {
        self.begin_run();
        self.next_line()
    }

    /// Starts the next value of the same run. Returns false at the end of the input.
    pub(crate) fn next_line(&mut self) -> Result<bool, Error> {
        self.place.line = None;
        let more = self.after_space()?.is_some();
        self.place.line = more.then(|| self.source.line());
        Ok(more)
    }

    /// Returns the part of a place that the reader of a format knows: entry and sample.
    pub(crate) fn place_mut(&mut self) -> &mut Place {
        &mut self.place
    }

    /// Resets the count of bytes that a run holds.
    pub(crate) fn begin_run(&mut self) {
        self.held = 0;
        self.place.sample = None;
    }

    /// Continues a run of which another input was read: sets its sample, and the number of bytes that it holds.
    pub(crate) fn continue_run(&mut self, sample: Option<String>, held: usize) {
        self.place.sample = sample;
        self.held = held;
    }

    /// Returns the sample and the bytes that the current run holds, for [`Json::continue_run`].
    pub(crate) fn into_run(self) -> (Option<String>, usize) {
        (self.place.sample, self.held)
    }

    /// Counts bytes that the run will hold.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.held = self.held.saturating_add(bytes);
        let limit = self.limits.max_run;
        if self.held > limit { Err(self.too_large("a run holds more", limit)) } else { Ok(()) }
    }

    /// Returns an error that a part has more bytes than its limit.
    pub(crate) fn too_large(&self, what: &'static str, limit: usize) -> Error {
        self.error(Problem::TooLarge { what, limit: limit as u64, unit: "bytes" })
    }

    /// Returns an error at the current value.
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

    /// Returns an error at a field of the current object.
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

    fn io(&self, error: &io::Error) -> Error {
        match Error::io(error) {
            Error::Invalid { problem, .. } => self.error(problem),
            _ if error.kind() == io::ErrorKind::UnexpectedEof => self.error(Problem::Truncated),
            Error::Io { kind, message, .. } => {
                Error::Io { place: Box::new(self.place.clone()), kind, message }
            }
            other => other,
        }
    }

    /// Returns the next byte, or an error at the end of the input.
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

    /// Returns the first byte after white space; `None` at the end of the input.
    pub(crate) fn after_space(&mut self) -> Result<Option<u8>, Error> {
        loop {
            match self.source.peek() {
                Ok(Some(b' ' | b'\n' | b'\r' | b'\t')) => self.source.consume(1),
                Ok(byte) => return Ok(byte),
                Err(error) => return Err(self.io(&error)),
            }
        }
    }

    /// Returns the first byte of the next token, or an error at the end of the input.
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

    /// Checks that the input has ended.
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

impl Json<'_> {
    fn begin(&mut self, is_list: bool, segment: Segment) -> Result<(), Error> {
        let limit = self.limits.max_depth;
        if self.open.len() >= limit {
            return Err(self.error(Problem::TooDeep { limit }));
        }
        self.source.consume(1);
        self.open.push(Open { is_list, started: false, seen: 0 });
        self.path.push(segment);
        Ok(())
    }

    /// Opens an object, or returns an error if the value is of another type.
    pub(crate) fn begin_object(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'{' => self.begin(false, Segment::Field("")),
            _ => Err(self.type_error("an object")),
        }
    }

    /// Opens a list, or returns an error if the value is of another type.
    pub(crate) fn begin_list(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'[' => self.begin(true, Segment::Index(0)),
            _ => Err(self.type_error("a list")),
        }
    }

    /// Moves to the next entry of the innermost open object or list. Returns false at its end, which is then consumed and closes it.
    pub(crate) fn next_element(&mut self) -> Result<bool, Error> {
        let Some(Open { is_list, started, .. }) = self.open.last().copied() else {
            return Ok(false);
        };
        let (closer, expected) =
            if is_list { (b']', "a comma or `]`") } else { (b'}', "a comma or `}`") };
        let byte = self.token()?;
        if byte == closer {
            self.source.consume(1);
            self.open.pop();
            self.path.pop();
            return Ok(false);
        }
        if started {
            if byte != b',' {
                return Err(self.syntax(expected));
            }
            self.source.consume(1);
            // No comma before the closing bracket.
            if self.token()? == closer {
                return Err(self.syntax("another entry after the comma"));
            }
        }
        if let Some(open) = self.open.last_mut() {
            open.started = true;
        }
        if is_list
            && started
            && let Some(Segment::Index(index)) = self.path.last_mut()
        {
            *index += 1;
        }
        Ok(true)
    }

    /// Reads a key into the scratch buffer; false at the end of the object, which closes it.
    fn next_raw_key(&mut self) -> Result<bool, Error> {
        // Until the key is read, errors name the object.
        if let Some(segment) = self.path.last_mut() {
            *segment = Segment::Field("");
        }
        if !self.next_element()? {
            return Ok(false);
        }
        if self.token()? != b'"' {
            return Err(self.syntax("a key in quotes"));
        }
        self.string_to_scratch()?;
        self.expect(b':', "a colon after the key")?;
        Ok(true)
    }

    /// Moves to the next field of the innermost object whose name is in one of the lists, and skips all others. The lists have at
    /// most 64 names together. Returns `None` at the end of the object, which closes it.
    ///
    /// A known field that occurs twice is an error.
    pub(crate) fn next_field(
        &mut self,
        lists: &[&'static [&'static str]],
    ) -> Result<Option<&'static str>, Error> {
        while self.next_raw_key()? {
            let mut names = lists.iter().copied().flatten().copied().enumerate();
            let Some((index, name)) = names.find(|(_, name)| name.as_bytes() == self.scratch)
            else {
                self.skip()?;
                continue;
            };
            if let Some(segment) = self.path.last_mut() {
                *segment = Segment::Field(name);
            }
            let bit = 1_u64 << (index % 64);
            if let Some(open) = self.open.last_mut() {
                if open.seen & bit != 0 {
                    return Err(self.error(Problem::DuplicateKey { key: name.to_owned() }));
                }
                open.seen |= bit;
            }
            return Ok(Some(name));
        }
        Ok(None)
    }

    /// Moves to the next entry of the innermost object, whatever its key. `None` at the end of the object, which closes it.
    /// Callers check for repeated keys.
    pub(crate) fn next_key(&mut self) -> Result<Option<String>, Error> {
        if !self.next_raw_key()? {
            return Ok(None);
        }
        let key = self.scratch_text()?;
        if let Some(segment) = self.path.last_mut() {
            *segment = Segment::Key(key.clone());
        }
        Ok(Some(key))
    }

    /// Reads an object: calls `read` at each field that is in one of the lists. The function must read or skip the value. See
    /// [`fields`], which keeps names and reading together.
    pub(crate) fn object(
        &mut self,
        lists: &[&'static [&'static str]],
        mut read: impl FnMut(&mut Self, &'static str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_object()?;
        while let Some(field) = self.next_field(lists)? {
            read(self, field)?;
        }
        Ok(())
    }

    /// Reads a list: calls `read` at each element.
    pub(crate) fn list(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_list()?;
        while self.next_element()? {
            read(self)?;
        }
        Ok(())
    }

    /// Reads a list: collects the result of `read` for each element, and counts its size as held.
    pub(crate) fn list_of<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut values = Vec::new();
        self.list(|json| {
            json.hold(size_of::<T>())?;
            values.push(read(json)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Reads a map with any keys: calls `read` at each value. The caller handles repeated keys, as in [`Json::next_key`].
    pub(crate) fn map(
        &mut self,
        mut read: impl FnMut(&mut Self, String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_object()?;
        while let Some(key) = self.next_key()? {
            read(self, key)?;
        }
        Ok(())
    }
}

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// A buffered source of bytes that counts lines.
pub(crate) struct Source<'a> {
    reader: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Newlines before `counted`.
    newlines: u64,
    counted: usize,
}

impl<'a> Source<'a> {
    pub(crate) fn new(reader: impl Read + 'a) -> Self {
        let reader = Box::new(reader);
        Self { reader, buffer: Vec::new(), at: 0, end: 0, newlines: 0, counted: 0 }
    }

    /// Returns the bytes that are in the buffer; empty only at the end of the input.
    pub(crate) fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end {
            self.count();
            self.buffer.resize(CHUNK, 0);
            (self.at, self.counted) = (0, 0);
            self.end = loop {
                match self.reader.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // A reader that claims more bytes than the buffer holds is wrong.
                    read => break read?.min(self.buffer.len()),
                }
            };
        }
        Ok(self.buffer.get(self.at..self.end).unwrap_or_default())
    }

    /// Returns the next byte, which stays in the source; `None` at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> io::Result<Option<u8>> {
        match self.buffer.get(self.at) {
            Some(&byte) if self.at < self.end => Ok(Some(byte)),
            _ => Ok(self.chunk()?.first().copied()),
        }
    }

    /// Drops bytes of the last chunk.
    #[inline]
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.end);
    }

    /// Returns the line of the next byte, from 1.
    pub(crate) fn line(&mut self) -> u64 {
        self.count();
        self.newlines + 1
    }

    fn count(&mut self) {
        let passed = self.buffer.get(self.counted..self.at).unwrap_or_default();
        self.newlines += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.counted = self.at;
    }
}
