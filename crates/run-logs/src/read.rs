use std::{
    collections::{HashSet, VecDeque},
    fmt, fs,
    io::{Read, Seek},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    engines::folder::open_file,
    error::{Error, Place},
    format::{Format, ReadOptions, known},
    formats::{
        copies::Copies,
        log_reader::{LogReader, Opened},
        open,
    },
    values::{evaluation::Evaluation, run::Run},
};

/// The runs of one log or of all logs in a folder, read one after the other.
///
/// Only one run is held at a time. After an error there are no more runs.
pub struct Runs<'a> {
    current: Option<Box<dyn LogReader + 'a>>,
    /// The head of each opened log, as far as it has been read.
    heads: Vec<Option<Arc<Evaluation>>>,
    /// The files still to be opened.
    files: VecDeque<PathBuf>,
    /// The name of the current file, for errors.
    file: Option<String>,
    asked: Format,
    format: Format,
    options: ReadOptions,
    unrecognized: Vec<PathBuf>,
    /// Files and folders that were read with other logs.
    owned: HashSet<PathBuf>,
    /// Whether runs of the current log may repeat replies of other runs.
    has_copies: bool,
    /// The replies of such logs.
    copies: Copies,
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
    let mut runs = Runs::new(format, options);
    runs.begin(open(source, format, None, options)?, None);
    Ok(runs)
}

/// Reads the runs of a file, or of all files in a folder and its subfolders: in the order of their
/// names, the files of a folder before its subfolders.
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
    let name = path.display().to_string();
    let io = |error: &std::io::Error| Error::io(Place::default(), error).in_file(Some(&name));
    let mut runs = Runs::new(format, options);
    if !path.is_dir() {
        let file = open_file(path).map_err(|error| io(&error))?;
        let opened = open(file, format, Some(path), options);
        runs.begin(opened.map_err(|error| error.in_file(Some(&name)))?, Some(name));
        return Ok(runs);
    }
    files_in(path, &mut runs.files)?;
    if !runs.open_next()? {
        let place = Box::new(Place { file: Some(name), ..Place::default() });
        return Err(Error::NoLog { place, known: known() });
    }
    Ok(runs)
}

/// Lists the files of a folder, sorted by name, and then the files of its subfolders.
fn files_in(folder: &Path, files: &mut VecDeque<PathBuf>) -> Result<(), Error> {
    let name = folder.display().to_string();
    let io = |error: &std::io::Error| Error::io(Place::default(), error).in_file(Some(&name));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| io(&error))? {
        let entry = entry.map_err(|error| io(&error))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            // Links to folders are not followed, because they may form a cycle.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            paths.push((entry.path(), is_folder));
        }
    }
    paths.sort_by(|(a, a_is_folder), (b, b_is_folder)| (a_is_folder, a).cmp(&(b_is_folder, b)));
    for (path, is_folder) in paths {
        if is_folder {
            files_in(&path, files)?;
        } else {
            files.push_back(path);
        }
    }
    Ok(())
}

impl<'a> Runs<'a> {
    fn new(asked: Format, options: &ReadOptions) -> Self {
        Self {
            current: None,
            heads: Vec::new(),
            files: VecDeque::new(),
            file: None,
            asked,
            format: asked,
            options: *options,
            unrecognized: Vec::new(),
            owned: HashSet::new(),
            has_copies: false,
            copies: Copies::default(),
        }
    }

    /// Makes a log the current one.
    fn begin(&mut self, opened: Opened<'a>, file: Option<String>) {
        let Opened { format, reader, owned, has_copies } = opened;
        self.heads.push(reader.head().cloned());
        (self.format, self.current, self.file) = (format, Some(reader), file);
        self.has_copies = has_copies;
        for owned in owned {
            while self.unrecognized.pop_if(|file| file.starts_with(&owned)).is_some() {}
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
    pub fn unrecognized(&self) -> &[PathBuf] {
        &self.unrecognized
    }

    /// Opens the next file with a recognized format; returns false if there is none.
    fn open_next(&mut self) -> Result<bool, Error> {
        while let Some(path) = self.files.pop_front() {
            if path.ancestors().any(|folder| self.owned.contains(folder)) {
                continue;
            }
            // A pipe could keep the reader waiting forever, and a device has no end.
            if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                self.unrecognized.push(path);
                continue;
            }
            let name = path.display().to_string();
            let opened = open_file(&path)
                .map_err(|error| Error::io(Place::default(), &error))
                .and_then(|file| open(file, self.asked, Some(&path), &self.options));
            match opened {
                Ok(opened) => {
                    self.begin(opened, Some(name));
                    return Ok(true);
                }
                Err(Error::UnknownFormat { problem: None, .. }) => self.unrecognized.push(path),
                Err(error) => return Err(error.in_file(Some(&name))),
            }
        }
        Ok(false)
    }
}

impl Iterator for Runs<'_> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let reader = self.current.as_mut()?;
            let next = reader.next_run();
            if let Some(head) = self.heads.last_mut() {
                *head = head.take().or_else(|| reader.head().cloned());
            }
            match next {
                Ok(Some(run)) => {
                    let log = self.heads.len() - 1;
                    let run = if self.has_copies { self.copies.without(run) } else { run };
                    return Some(Ok(Run { log, ..run }));
                }
                Err(error) => {
                    self.current = None;
                    return Some(Err(error.in_file(self.file.as_deref())));
                }
                Ok(None) => self.current = None,
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.files.clear();
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
        runs.field("files", &self.files).finish_non_exhaustive()
    }
}
