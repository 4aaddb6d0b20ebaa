//! Writes rows to a new file.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use datafusion::{
    arrow::{csv, datatypes::SchemaRef, json, record_batch::RecordBatch},
    common::DataFusionError,
    parquet::arrow::ArrowWriter,
};

use crate::{error::Problem, files::Kind};

/// The number of files that this process began to write.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A file that does not exist yet, outside of the folders that are read.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    kind: Kind,
}

impl Output {
    pub(crate) fn new(path: &Path, read_folders: &[PathBuf]) -> Result<Self, Problem> {
        let path = path.to_owned();
        let Some(kind) = Kind::of(&path) else {
            return Err(Problem::Ending(path));
        };
        if path.symlink_metadata().is_ok() {
            return Err(Problem::OutputExists(path));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match fs::canonicalize(folder.unwrap_or(Path::new("."))) {
            Ok(folder) if read_folders.iter().any(|read| folder.starts_with(read)) => {
                Err(Problem::OutputInData(path))
            }
            Ok(_) => Ok(Self { path, kind }),
            Err(error) => Err(Problem::File(path, error)),
        }
    }

    /// Where rows are until all of them are written, in each of the runs so far. Folders are read without such files.
    fn unfinished(path: &Path, run: usize) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!(".{name}.{}.{run}.partial", process::id()))
    }

    /// Removes the rows of all runs so far, so that no run that goes on can give them the name of the output.
    pub(crate) fn discard(path: &Path) {
        for run in 0..RUNS.load(Ordering::SeqCst) {
            // Most are gone already.
            let _ = fs::remove_file(Self::unfinished(path, run));
        }
    }

    /// Opens a file beside the output, which takes its name when all rows are written.
    pub(crate) fn create(self, schema: SchemaRef) -> Result<Writer, Problem> {
        let unfinished = Self::unfinished(&self.path, RUNS.fetch_add(1, Ordering::SeqCst));
        // Nothing that exists is written to, and no link is followed.
        let file = File::create_new(&unfinished)
            .map_err(|error| Problem::File(self.path.clone(), error))
            .map(BufWriter::new)?;
        let unfinished = Unfinished(unfinished);
        let format = match self.kind {
            Kind::Parquet => ArrowWriter::try_new(file, Arc::clone(&schema), None)
                .map(Format::Parquet)
                .map_err(DataFusionError::from)?,
            Kind::Csv => Format::Csv(csv::Writer::new(file)),
            Kind::JsonLines => {
                Format::JsonLines(json::WriterBuilder::new().with_explicit_nulls(true).build(file))
            }
        };
        let mut writer = Writer { output: self, unfinished, format, rows: 0 };
        // Without rows, too, the header of CSV is written.
        writer.write(&RecordBatch::new_empty(schema))?;
        Ok(writer)
    }
}

/// A file that is removed unless it gets its name before.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // The error that led here is the one to report.
        let _ = fs::remove_file(&self.0);
    }
}

#[derive(Debug)]
enum Format {
    Parquet(ArrowWriter<BufWriter<File>>),
    Csv(csv::Writer<BufWriter<File>>),
    JsonLines(json::LineDelimitedWriter<BufWriter<File>>),
}

/// Writes rows, batch by batch.
#[derive(Debug)]
pub(crate) struct Writer {
    output: Output,
    format: Format,
    rows: usize,
    unfinished: Unfinished,
}

impl Writer {
    fn problem(path: &Path) -> impl Fn(DataFusionError) -> Problem {
        |error| Problem::File(path.to_owned(), io::Error::other(error.strip_backtrace()))
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Problem> {
        self.rows += batch.num_rows();
        let written = match &mut self.format {
            Format::Parquet(writer) => writer.write(batch).map_err(DataFusionError::from),
            Format::Csv(writer) => writer.write(batch).map_err(DataFusionError::from),
            Format::JsonLines(writer) => writer.write(batch).map_err(DataFusionError::from),
        };
        written.map_err(Self::problem(&self.output.path))
    }

    /// Gives the file its name, unless another file has it now, and says so.
    pub(crate) fn finish(self) -> Result<String, Problem> {
        let Self { output: Output { path, .. }, unfinished, format, rows } = self;
        let flushed = match format {
            Format::Parquet(mut writer) => {
                writer.finish().map_err(DataFusionError::from).map(|_| writer.inner_mut().flush())
            }
            Format::Csv(writer) => Ok(writer.into_inner().flush()),
            Format::JsonLines(mut writer) => {
                writer.finish().map_err(DataFusionError::from).map(|()| writer.into_inner().flush())
            }
        };
        flushed.and_then(|flushed| Ok(flushed?)).map_err(Self::problem(&path))?;
        match fs::hard_link(&unfinished.0, &path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Problem::OutputExists(path));
            }
            // Not every file system has links. There, an empty file reserves the name.
            Err(_) if unfinished.0.exists() => match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(Problem::OutputExists(path));
                }
                reserved => reserved
                    .and_then(|_| fs::rename(&unfinished.0, &path))
                    .map_err(|error| Problem::File(path.clone(), error))?,
            },
            linked => linked.map_err(|error| Problem::File(path.clone(), error))?,
        }
        Ok(format!("rows written to {}: {rows}", path.display()))
    }
}
