use std::io::Read;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::ReadLimits,
    formats::otlp::{read_span::span, span::Span, step::Dialect},
};

/// The spans of a file in their order. No more than one is held, however long a document is.
pub(crate) struct Spans<'a> {
    json: Json<'a>,
    /// Reads a span that is a document; `None` for the nested lists of OTLP.
    line: Option<Line>,
    /// The number of objects and lists of OTLP that are open.
    level: usize,
    is_event: bool,
    dialects: &'static [Dialect],
    /// The number of documents that have been read to their end.
    complete: u64,
    /// Whether the last document is cut off.
    pub(crate) is_cut: bool,
}

/// Reads a document that is a span, or none.
pub(crate) type Line = fn(&mut Json<'_>) -> Result<Option<Span>, Error>;

/// The fields that lead to spans and to records, by the number of objects and lists around them.
const FIELDS: [&[&str]; 3] =
    [&["resourceSpans", "resourceLogs"], &["scopeSpans", "scopeLogs"], &["spans", "logRecords"]];

impl<'a> Spans<'a> {
    /// Reads the spans of OTLP. Without a dialect, a span has no attribute except its session.
    pub(crate) fn otlp(
        source: impl Read + 'a,
        limits: ReadLimits,
        dialects: &'static [Dialect],
    ) -> Self {
        let mut json = Json::new(source, limits);
        json.replaces_halves = true;
        Self { json, line: None, level: 0, is_event: false, dialects, complete: 0, is_cut: false }
    }

    /// Reads spans that are one document each.
    pub(crate) fn lines(source: impl Read + 'a, limits: ReadLimits, line: Line) -> Self {
        Self { line: Some(line), ..Self::otlp(source, limits, &[]) }
    }

    /// Returns the next span; `None` at the end. A last document that is cut off ends there, unless it is the only one.
    pub(crate) fn next_span(&mut self) -> Result<Option<Span>, Error> {
        match self.read() {
            Err(Error::Invalid { problem: Problem::Truncated, .. }) if self.complete > 0 => {
                self.is_cut = true;
                Ok(None)
            }
            read => read,
        }
    }

    fn read(&mut self) -> Result<Option<Span>, Error> {
        let json = &mut self.json;
        loop {
            json.begin_run();
            let is_object = self.level % 2 == 1;
            if self.level == 0 {
                if !json.next_document()? {
                    return Ok(None);
                }
                if let Some(line) = self.line {
                    let found = line(json)?;
                    self.complete += 1;
                    if found.is_some() {
                        return Ok(found);
                    }
                    continue;
                }
                json.begin_object()?;
                self.level = 1;
            } else if is_object {
                let fields = FIELDS.get(self.level / 2).copied().unwrap_or_default();
                match json.next_field(&[fields])? {
                    None => {
                        self.level -= 1;
                        self.complete += u64::from(self.level == 0);
                    }
                    Some(_) if json.null()? => {}
                    Some(field) => {
                        self.is_event = field == "logRecords";
                        json.begin_list()?;
                        self.level += 1;
                    }
                }
            } else if !json.next_element()? {
                self.level -= 1;
            } else if self.level == 6 {
                return span(json, self.is_event, self.dialects).map(Some);
            } else {
                json.begin_object()?;
                self.level += 1;
            }
        }
    }
}
