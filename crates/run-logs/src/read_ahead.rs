//! Reads the files of a folder by several threads, in advance of the caller, who takes their runs in the order of the files.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
};

use crate::{
    engines::folder::open_file,
    error::Error,
    format::{Format, ReadOptions},
    formats::{lines::LineFields, log_reader::LogFacts, open},
    values::{evaluation::Evaluation, run::Run},
};

/// What a thread finds in a file, in its order.
pub(crate) enum Found {
    Opened(LogFacts),
    /// A run, and the head of its log as far as it has been read.
    Run(Box<Run>, Option<Arc<Evaluation>>),
    /// The end of the log.
    End(Option<Arc<Evaluation>>),
    /// The file is no log; what it looks like.
    Unrecognized(Option<String>),
    Failed(Error),
}

/// The number of runs that a thread reads from a file before the caller takes them.
const MOST_RUNS: usize = 1;

/// The files of a folder that have not been taken.
pub(crate) struct Ahead {
    files: VecDeque<PathBuf>,
    n_files: usize,
    /// Files that are being read.
    started: VecDeque<(PathBuf, Receiver<Found>)>,
    jobs: Sender<Job>,
    most_started: usize,
}

type Job = (PathBuf, SyncSender<Found>);

impl Ahead {
    /// Starts the threads: one for each core, and no more than there are files.
    pub(crate) fn new(
        files: VecDeque<PathBuf>,
        format: Format,
        options: &ReadOptions,
        fields: Option<&LineFields>,
    ) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from).min(files.len());
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..cores {
            let (waiting, options, fields) = (Arc::clone(&waiting), *options, fields.cloned());
            // The threads end when the jobs do, or when nobody takes what they find.
            thread::spawn(move || {
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok((path, found)) = next() {
                    read_file(&path, format, &options, fields.as_ref(), &found);
                }
            });
        }
        let (n_files, started) = (files.len(), VecDeque::new());
        Self { files, n_files, started, jobs, most_started: cores + 1 }
    }

    /// Returns the next file and its content; the threads go on to later files.
    pub(crate) fn next_file(&mut self) -> Option<(PathBuf, Receiver<Found>)> {
        while self.started.len() < self.most_started
            && let Some(path) = self.files.pop_front()
        {
            let (sender, found) = sync_channel(MOST_RUNS);
            // Sending fails only if all threads have ended, which the receiver reports.
            let _ = self.jobs.send((path.clone(), sender));
            self.started.push_back((path, found));
        }
        self.started.pop_front()
    }

    /// Returns the number of files that were taken, and of all files.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.n_files - self.files.len() - self.started.len(), self.n_files)
    }
}

/// Reads a file to its end, or until nobody takes its runs.
fn read_file(
    path: &Path,
    format: Format,
    options: &ReadOptions,
    fields: Option<&LineFields>,
    found: &SyncSender<Found>,
) {
    // A pipe could keep the reader waiting forever, and a device has no end.
    if let Ok(metadata) = fs::metadata(path)
        && !metadata.is_file()
    {
        let is_link = "a link to a folder, which is not followed";
        let like = if metadata.is_dir() { is_link } else { "a pipe, a socket or a device" };
        let _ = found.send(Found::Unrecognized(Some(like.to_owned())));
        return;
    }
    let opened = open_file(path)
        .map_err(|error| Error::io(&error))
        .and_then(|file| open(file, format, Some(path), true, options, fields));
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let _ = found.send(match error {
                Error::UnknownFormat { problem: None, looks_like, .. } => {
                    Found::Unrecognized(looks_like)
                }
                error => Found::Failed(error),
            });
            return;
        }
    };
    let mut event = Found::Opened(opened.facts());
    loop {
        let is_last = matches!(event, Found::End(_) | Found::Failed(_));
        if found.send(event).is_err() || is_last {
            return;
        }
        event = match opened.reader.next_run() {
            Ok(Some(run)) => Found::Run(Box::new(run), opened.reader.head().cloned()),
            Ok(None) => Found::End(opened.reader.head().cloned()),
            Err(error) => Found::Failed(error),
        };
    }
}
