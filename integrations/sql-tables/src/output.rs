//! Writes rows to a new file.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use datafusion::{
    arrow::{
        array::{Array, ArrayRef, AsArray},
        compute::cast,
        csv,
        datatypes::{DataType, Float32Type, Float64Type, SchemaRef},
        error::ArrowError,
        json::{self, writer::LineDelimited},
        record_batch::{RecordBatch, RecordBatchWriter},
    },
    common::DataFusionError,
    parquet::arrow::ArrowWriter,
};
use futures::{Stream, StreamExt};

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

    /// Writes the rows to a file next to the output, which takes its name when all are written, and says so.
    pub(crate) async fn write(
        self,
        schema: SchemaRef,
        rows: impl Stream<Item = Result<RecordBatch, Problem>> + Unpin,
    ) -> Result<String, Problem> {
        let mut names = BTreeSet::new();
        if let Some(field) = schema.fields().iter().find(|it| !names.insert(it.name())) {
            return Err(Problem::OutputTwice(self.path, field.name().clone()));
        }
        let unfinished = Self::unfinished(&self.path, RUNS.fetch_add(1, Ordering::SeqCst));
        // Nothing that exists is written to, and no link is followed.
        let file = File::create_new(&unfinished)
            .map_err(|error| Problem::File(self.path.clone(), error))?;
        let unfinished = Unfinished(unfinished);
        let rows = match self.kind {
            Kind::Parquet => {
                let writer = ArrowWriter::try_new(file, Arc::clone(&schema), None);
                self.fill(writer.map_err(DataFusionError::from)?, schema, rows).await?
            }
            Kind::Csv => {
                if let Some(field) = schema.fields().iter().find(|it| it.data_type().is_nested()) {
                    return Err(Problem::Nested(self.path, field.name().clone()));
                }
                self.fill(csv::Writer::new(file), schema, rows).await?
            }
            Kind::JsonLines => {
                let builder = json::WriterBuilder::new().with_explicit_nulls(true);
                self.fill(builder.build::<_, LineDelimited>(file), schema, rows).await?
            }
        };
        let path = self.path;
        let linked = match fs::hard_link(&unfinished.0, &path) {
            // Not every file system has links. There, an empty file reserves the name.
            Err(error) if error.kind() != ErrorKind::AlreadyExists && unfinished.0.exists() => {
                File::create_new(&path).and_then(|_| fs::rename(&unfinished.0, &path))
            }
            linked => linked,
        };
        linked.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Problem::OutputExists(path.clone()),
            _ => Problem::File(path.clone(), error),
        })?;
        Ok(format!("rows written to {}: {rows}", path.display()))
    }

    /// Writes the rows and returns their number.
    async fn fill(
        &self,
        mut writer: impl RecordBatchWriter,
        schema: SchemaRef,
        mut batches: impl Stream<Item = Result<RecordBatch, Problem>> + Unpin,
    ) -> Result<usize, Problem> {
        let failed =
            |error| Problem::File(self.path.clone(), io::Error::other::<ArrowError>(error));
        // Without rows, too, the header of CSV is written.
        writer.write(&RecordBatch::new_empty(schema)).map_err(failed)?;
        let mut rows = 0;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            if self.kind == Kind::JsonLines {
                self.check_finite(&batch, rows)?;
            }
            rows += batch.num_rows();
            writer.write(&batch).map_err(failed)?;
        }
        writer.close().map_err(failed)?;
        Ok(rows)
    }

    /// Refuses a number that JSON would turn into null. `rows` come before those of the batch.
    fn check_finite(&self, batch: &RecordBatch, rows: usize) -> Result<(), Problem> {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if is_finite(column) {
                continue;
            }
            if let Some(row) = (0..column.len()).find(|&row| !is_finite(&column.slice(row, 1))) {
                let name = field.name().clone();
                return Err(Problem::NotFinite(self.path.clone(), name, rows + row + 1));
            }
        }
        Ok(())
    }
}

/// Whether no number of the column, at any depth, is infinite or NaN.
fn is_finite(column: &dyn Array) -> bool {
    let is_list_finite = |items: Option<ArrayRef>| items.is_none_or(|items| is_finite(&items));
    match column.data_type() {
        DataType::Float64 => {
            column.as_primitive::<Float64Type>().iter().flatten().all(f64::is_finite)
        }
        DataType::Float32 => {
            column.as_primitive::<Float32Type>().iter().flatten().all(f32::is_finite)
        }
        DataType::Struct(_) => {
            let record = column.as_struct();
            let parts = |row| record.columns().iter().all(|part| is_finite(&part.slice(row, 1)));
            record.columns().iter().all(|part| is_finite(part))
                || (0..record.len()).all(|row| record.is_null(row) || parts(row))
        }
        DataType::List(_) => column.as_list::<i32>().iter().all(is_list_finite),
        DataType::LargeList(_) => column.as_list::<i64>().iter().all(is_list_finite),
        DataType::FixedSizeList(..) => column.as_fixed_size_list().iter().all(is_list_finite),
        DataType::Map(..) => column.as_map().iter().flatten().all(|items| is_finite(&items)),
        // Types in which JSON writes no fractions, and rare ones that are written out by a cast.
        other => match plain(other) {
            Some(to) => cast(column, &to).is_ok_and(|column| is_finite(&column)),
            None => true,
        },
    }
}

/// The type in which the numbers of a rare type can be read.
fn plain(it: &DataType) -> Option<DataType> {
    match it {
        DataType::Float16 => Some(DataType::Float64),
        DataType::Dictionary(_, values) => Some(DataType::clone(values)),
        DataType::ListView(items) | DataType::LargeListView(items) => {
            Some(DataType::LargeList(Arc::clone(items)))
        }
        DataType::RunEndEncoded(_, values) => Some(values.data_type().clone()),
        _ => None,
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
