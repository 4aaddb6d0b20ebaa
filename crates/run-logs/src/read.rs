use std::{
    collections::{HashSet, VecDeque},
    fmt,
    io::{self, Read, Seek},
    path::{Path, PathBuf},
    sync::{Arc, mpsc::Receiver},
};

use crate::{
    engines::folder::{entries, open_file},
    error::{Error, Place},
    format::{Format, ReadLimits, ReadOptions, known},
    formats::{
        content_of,
        copies::Copies,
        lines::{LineFields, SuggestedField},
        log_reader::{LogFacts, LogReader},
        open,
    },
    read_ahead::{Ahead, Found},
    values::{evaluation::Evaluation, run::Run},
};

/// The runs of one log or of all logs in a folder, read one after the other.
///
/// Only a few runs are held at a time. The files of a folder are read by all cores, and their runs are returned in the order of
/// the files. After an error there are no more runs.
pub struct Runs<'a> {
    current: Option<Current<'a>>,
    /// The head of each opened log, as far as it has been read.
    heads: Vec<Option<Arc<Evaluation>>>,
    /// The files of the folder that are still to be opened.
    files: Option<Ahead>,
    /// The current file, for errors.
    file: Option<PathBuf>,
    format: Format,
    unrecognized: Vec<Unrecognized>,
    /// Files and folders that were read with other logs.
    owned: HashSet<PathBuf>,
    /// Whether runs of the current log may repeat replies of other runs.
    has_copies: bool,
    /// The replies of such logs.
    copies: Copies,
}

/// The log that is being read, here or by another thread.
enum Current<'a> {
    Here(Box<dyn LogReader + 'a>),
    Ahead(Receiver<Found>),
}

impl Current<'_> {
    /// Returns the next run, and the head of the log as far as it is known.
    fn next(&mut self) -> (Result<Option<Run>, Error>, Option<Arc<Evaluation>>) {
        match self {
            Self::Here(reader) => {
                let run = reader.next_run();
                (run, reader.head().cloned())
            }
            Self::Ahead(found) => match found.recv() {
                Ok(Found::Run(run, head)) => (Ok(Some(*run)), head),
                Ok(Found::End(head)) => (Ok(None), head),
                Ok(Found::Failed(error)) => (Err(error), None),
                Ok(Found::Opened(_) | Found::Unrecognized(_)) | Err(_) => (Err(has_ended()), None),
            },
        }
    }
}

fn has_ended() -> Error {
    Error::io(&io::Error::other("the thread that reads the file has ended early"))
}

/// A file of a folder that is left out because its format is not recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unrecognized {
    /// The file.
    pub path: PathBuf,
    /// What it looks like, in words such as `an SQLite database`, if that is known.
    pub looks_like: Option<String>,
}

/// Reads the runs of one log from a source, such as an open file.
///
/// The source is read once, from its current position; an archive is read from its start.
///
/// # Errors
///
/// [`Error::UnknownFormat`] if the format is [`Format::Auto`] and not recognized, and an error with the place if the beginning of
/// the log is invalid. The iterator returns the errors of runs.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Error, Format, ReadOptions, read};
///
/// let log = br#"{"version": 2, "status": "success",
///     "eval": {"task": "sums", "model": "mockllm/model"},
///     "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// assert_eq!(runs.format(), Format::Inspect);
/// let runs = runs.collect::<Result<Vec<_>, Error>>()?;
/// assert_eq!((runs[0].id.as_str(), runs[0].trial), ("1", Some(1)));
/// assert_eq!(runs[0].scores["match"].value, "C".into());
/// # Ok::<(), Error>(())
/// ```
pub fn read<'a>(
    source: impl Read + Seek + 'a,
    format: Format,
    options: &ReadOptions,
) -> Result<Runs<'a>, Error> {
    let mut runs = Runs::new(format);
    let opened = open(source, format, None, false, options, None)?;
    runs.begin(opened.facts(), Current::Here(opened.reader), None);
    Ok(runs)
}

/// Reads the runs of a file, or of all files in a folder and its subfolders. In a folder, files are read before
/// subfolders, and both are sorted by name.
///
/// A log may consist of several files: the `result.json` of a Harbor trial is read with the trajectories in its folder, and the
/// `results.json` of tau2 with the folder `simulations` next to it. These files are not read again on their own.
///
/// In a folder, files of an unrecognized format, pipes and devices are left out and listed by [`Runs::unrecognized`]. A file that
/// starts with an object and is invalid JSON before its format can be recognized is an error. Files and folders whose names start
/// with a dot are ignored.
///
/// # Errors
///
/// [`Error::Io`] if the file or folder cannot be read, [`Error::NoLog`] for a folder without a log; the errors of
/// [`read`].
pub fn read_path(
    path: &Path,
    format: Format,
    options: &ReadOptions,
) -> Result<Runs<'static>, Error> {
    read_files(path, format, options, None)
}

/// Reads the runs of a file, or of all files in a folder and its subfolders. The files are JSON Lines of any program,
/// and `fields` names the fields of their lines. See [`read_path`] for folders.
///
/// # Errors
///
/// [`Error::Io`] if the file or folder cannot be read, [`Error::NoLog`] for a folder without a file; the errors of
/// [`LineFields::read`].
pub fn read_path_by(
    path: &Path,
    fields: &LineFields,
    options: &ReadOptions,
) -> Result<Runs<'static>, Error> {
    read_files(path, Format::Lines, options, Some(fields))
}

/// Proposes which fields of a file to pass to [`read_path_by`]. Works like [`LineFields::suggest`], and also reads files
/// compressed with gzip or zstd.
///
/// # Errors
///
/// [`Error::Io`] if the file cannot be read, and the errors of [`LineFields::suggest`].
pub fn suggest_fields(path: &Path) -> Result<Vec<SuggestedField>, Error> {
    let (source, _) = content_of(path, ReadLimits::default())?;
    LineFields::suggest(source).map_err(|error| error.in_file(path))
}

fn read_files(
    path: &Path,
    format: Format,
    options: &ReadOptions,
    fields: Option<&LineFields>,
) -> Result<Runs<'static>, Error> {
    let mut runs = Runs::new(format);
    if !path.is_dir() {
        let opened = open_file(path)
            .map_err(|error| Error::io(&error))
            .and_then(|file| open(file, format, Some(path), false, options, fields))
            .map_err(|error| error.in_file(path))?;
        runs.begin(opened.facts(), Current::Here(opened.reader), Some(path.to_owned()));
        return Ok(runs);
    }
    let mut files = VecDeque::new();
    files_in(path, &mut files)?;
    runs.files = Some(Ahead::new(files, format, options, fields));
    if !runs.open_next()? {
        let file = Some(path.display().to_string());
        let place = Box::new(Place { file, ..Place::default() });
        let n_files = runs.unrecognized.len();
        let looks_like = runs.unrecognized.into_iter().find_map(|file| file.looks_like);
        return Err(Error::NoLog { place, n_files, looks_like, known: known() });
    }
    Ok(runs)
}

/// Lists the files of a folder, sorted by name, and then the files of its subfolders.
fn files_in(folder: &Path, files: &mut VecDeque<PathBuf>) -> Result<(), Error> {
    let is_hidden = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    // Links to folders are not followed, because they may form a cycle.
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let paths = entries(folder)?.into_iter().filter(|path| !is_hidden(path));
    let (folders, own): (Vec<_>, Vec<_>) = paths.partition(is_folder);
    files.extend(own);
    folders.iter().try_for_each(|folder| files_in(folder, files))
}

impl<'a> Runs<'a> {
    fn new(format: Format) -> Self {
        Self {
            current: None,
            heads: Vec::new(),
            files: None,
            file: None,
            format,
            unrecognized: Vec::new(),
            owned: HashSet::new(),
            has_copies: false,
            copies: Copies::default(),
        }
    }

    /// Makes a log the current one.
    fn begin(&mut self, facts: LogFacts, current: Current<'a>, file: Option<PathBuf>) {
        let LogFacts { format, owned, has_copies, head } = facts;
        self.heads.push(head);
        (self.format, self.current, self.file) = (format, Some(current), file);
        self.has_copies = has_copies;
        for owned in owned {
            while self.unrecognized.pop_if(|it| it.path.starts_with(&owned)).is_some() {}
            self.owned.insert(owned);
        }
    }

    /// Returns the format of the log that is being read.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The evaluation of each log opened so far, if the log names one, including evaluations without a run.
    pub(crate) fn heads(&self) -> impl Iterator<Item = Option<&Arc<Evaluation>>> {
        self.heads.iter().map(Option::as_ref)
    }

    /// Returns the files of a folder that have been left out so far because of an unrecognized format.
    #[must_use]
    pub fn unrecognized(&self) -> &[Unrecognized] {
        &self.unrecognized
    }

    /// Returns how many files of the folder have been read or left out so far, and how many there are; `None` for a single file.
    #[must_use]
    pub fn progress(&self) -> Option<(usize, usize)> {
        self.files.as_ref().map(Ahead::progress)
    }

    /// Opens the next file with a recognized format; returns false if no such file is left.
    fn open_next(&mut self) -> Result<bool, Error> {
        while let Some((path, found)) = self.files.as_mut().and_then(Ahead::next_file) {
            if path.ancestors().any(|folder| self.owned.contains(folder)) {
                continue;
            }
            match found.recv() {
                Ok(Found::Opened(facts)) => {
                    self.begin(facts, Current::Ahead(found), Some(path));
                    return Ok(true);
                }
                Ok(Found::Failed(error)) => return Err(error.in_file(&path)),
                Ok(Found::Unrecognized(looks_like)) => {
                    self.unrecognized.push(Unrecognized { path, looks_like });
                }
                _ => return Err(has_ended().in_file(&path)),
            }
        }
        Ok(false)
    }
}

impl Iterator for Runs<'_> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (next, known) = self.current.as_mut()?.next();
            if let Some(head) = self.heads.last_mut() {
                *head = head.take().or(known);
            }
            match next {
                Ok(Some(run)) => {
                    let log = self.heads.len() - 1;
                    let run = if self.has_copies { self.copies.without(run) } else { run };
                    return Some(Ok(Run { log, ..run }));
                }
                Err(error) => {
                    (self.current, self.files) = (None, None);
                    return Some(Err(match &self.file {
                        Some(file) => error.in_file(file),
                        None => error,
                    }));
                }
                Ok(None) => self.current = None,
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.files = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl fmt::Debug for Runs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs = f.debug_struct("Runs");
        runs.field("file", &self.file).field("format", &self.format);
        runs.field("progress", &self.progress()).finish_non_exhaustive()
    }
}
