use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io::Read,
    iter,
    path::{Path, PathBuf},
};

use crate::{
    engines::folder::entries,
    error::{Error, Place, Problem},
    format::{ReadLimits, ReadOptions, RunsBy},
    formats::{
        content_of,
        log_reader::{Log, LogReader, Opened, Shape},
        otlp::{
            span::Span,
            spans::Spans,
            step::Dialect,
            trace::{Trace, run},
        },
    },
    values::run::Run,
};

/// Opens a source of spans; without a dialect only their traces and sessions are of interest.
pub(crate) type OpenSpans =
    for<'a> fn(Box<dyn Read + 'a>, ReadLimits, &'static [Dialect]) -> Spans<'a>;

/// Opens a log whose traces are spread over it, and over the other files of its folder if all of these are read.
///
/// A first pass over the files finds the last span of each trace, so that the second one can give out a trace when it is complete.
/// Open traces are held, and no document or file. A source that cannot be read twice is held.
pub(crate) fn open<'a>(
    log: Log<'a>,
    spans: OpenSpans,
    dialects: &'static [Dialect],
) -> Result<Opened<'a>, Error> {
    let (format, options) = (log.format, log.options);
    let mut index = Index { by: options.runs_by, ..Index::default() };
    let mut files = VecDeque::new();
    let path = log.path.as_deref().filter(|path| path.is_file());
    if let (Some(path), true) = (path, log.is_in_folder) {
        match others(path, log.recognizes, options.limits)? {
            Some(others) => files = others.into(),
            // It is read with the first file.
            None => return Ok(Opened::new(format, iter::empty())),
        }
    }
    let owned: Vec<PathBuf> = files.iter().cloned().collect();
    let (limits, mut source) = (options.limits, spans(log.source, options.limits, dialects));
    let input: Input<'a> = if let Some(path) = path {
        for path in [path].into_iter().chain(files.iter().map(PathBuf::as_path)) {
            // The second pass meets the same errors.
            index.add(&mut spans(content_of(path, limits)?.0, limits, &[]), |_| {}).ok();
        }
        let later = files.into_iter().flat_map(move |path| {
            let mut source =
                content_of(&path, limits).map(|(source, _)| spans(source, limits, dialects));
            iter::from_fn(move || match &mut source {
                Ok(source) => source.next_span().map_err(|it| it.in_file(&path)).transpose(),
                Err(error) => Some(Err(error.clone())),
            })
        });
        Box::new(iter::from_fn(move || source.next_span().transpose()).chain(later))
    } else {
        let mut held = Vec::new();
        index.add(&mut source, |span| held.push(Ok(span)))?;
        Box::new(held.into_iter())
    };
    index.join();
    let traces = Traces { input, index, number: 0, open: BTreeMap::new(), options, dialects };
    Ok(Opened { owned, ..Opened::new(format, traces) })
}

/// The spans of all files.
type Input<'a> = Box<dyn Iterator<Item = Result<Span, Error>> + 'a>;

/// Returns the later files of the folder that are of the same format; `None` if the file is not the first of them.
fn others(
    path: &Path,
    recognizes: fn(&Shape) -> bool,
    limits: ReadLimits,
) -> Result<Option<Vec<PathBuf>>, Error> {
    let mut all = entries(path.parent().unwrap_or(path))?;
    let later = all.split_off(all.partition_point(|other| other.as_path() < path));
    let is_same = |other: &PathBuf| {
        let is_hidden = other.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."));
        // A file that cannot be opened is an error in its turn.
        !is_hidden
            && other.is_file()
            && content_of(other, limits).is_ok_and(|(_, shape)| recognizes(&shape))
    };
    // The nearest first, so that the files of a folder are opened a few times each and not once per file after them.
    if all.iter().rev().any(is_same) {
        return Ok(None);
    }
    Ok(Some(later.into_iter().filter(|other| other != path && is_same(other)).collect()))
}

/// The positions of the last spans.
#[derive(Debug, Default)]
struct Index {
    by: RunsBy,
    /// The number of spans so far.
    number: u64,
    /// The session of each trace, if sessions are runs.
    sessions: HashMap<String, String>,
    /// The number of the last span of each run.
    last: HashMap<String, u64>,
    /// Whether a file ends in the middle of a document.
    is_cut: bool,
}

impl Index {
    /// Takes the spans of a file, to its end or to an error.
    fn add(&mut self, spans: &mut Spans<'_>, mut keep: impl FnMut(Span)) -> Result<(), Error> {
        while let Some(span) = spans.next_span()? {
            self.number += 1;
            let unit = span.unit();
            if let Some(session) = span.session(self.by) {
                self.sessions.entry(unit.to_owned()).or_insert(session);
            }
            match self.last.get_mut(unit) {
                Some(last) => *last = self.number,
                None => _ = self.last.insert(unit.to_owned(), self.number),
            }
            keep(span);
        }
        self.is_cut |= spans.is_cut;
        Ok(())
    }

    /// Joins the traces of each session.
    fn join(&mut self) {
        for (unit, session) in &self.sessions {
            let last = self.last.remove(unit).unwrap_or_default();
            let joined = self.last.entry(session.clone()).or_default();
            *joined = last.max(*joined);
        }
    }

    /// Returns the name of the run of a span; empty if the span belongs to none.
    fn run_of<'b>(&'b self, span: &'b Span) -> &'b str {
        self.sessions.get(span.unit()).map_or_else(|| span.unit(), String::as_str)
    }
}

/// The runs of a log, each at its last span.
struct Traces<'a> {
    input: Input<'a>,
    index: Index,
    number: u64,
    /// The spans of traces that go on, and their size in bytes.
    open: BTreeMap<String, (Vec<Span>, usize)>,
    options: ReadOptions,
    dialects: &'static [Dialect],
}

impl Traces<'_> {
    fn finish(&self, id: String, spans: Vec<Span>) -> Result<Option<Run>, Error> {
        let is_last = self.index.last.get(&id) == Some(&self.index.number);
        let is_cut =
            self.index.is_cut && (is_last || spans.iter().all(|span| !span.parent.is_empty()));
        run(Trace { id, spans, is_cut }, self.options.limits, self.dialects)
    }
}

impl LogReader for Traces<'_> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        loop {
            let Some(span) = self.input.next().transpose()? else {
                // A file that has grown between the passes has further traces.
                let Some((id, (spans, _))) = self.open.pop_first() else { return Ok(None) };
                match self.finish(id, spans)? {
                    None => continue,
                    run => return Ok(run),
                }
            };
            self.number += 1;
            let id = self.index.run_of(&span).to_owned();
            if id.is_empty() {
                continue;
            }
            let limit = self.options.limits.max_run;
            let (spans, size) = self.open.entry(id.clone()).or_default();
            *size += span.size();
            if *size > limit {
                let place = Place { sample: Some(id), ..Place::default() };
                let what = "a run holds more";
                return Err(Error::invalid(
                    place,
                    Problem::TooLarge { what, limit: limit as u64, unit: "bytes" },
                ));
            }
            spans.push(span);
            if self.index.last.get(&id) == Some(&self.number)
                && let Some((spans, _)) = self.open.remove(&id)
                && let Some(run) = self.finish(id, spans)?
            {
                return Ok(Some(run));
            }
        }
    }
}
