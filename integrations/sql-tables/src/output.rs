//! Writes rows to a new file.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use datafusion::{
    arrow::{csv, datatypes::SchemaRef, json, record_batch::RecordBatch},
    common::DataFusionError,
    parquet::arrow::ArrowWriter,
};

use crate::{error::Problem, files::Kind};

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

    /// Where rows are until all of them are written. Folders are read without such files.
    pub(crate) fn unfinished(path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!(".{name}.{}.partial", process::id()))
    }

    /// Writes the rows and says so. After an error the file is gone.
    pub(crate) fn write(&self, schema: SchemaRef, rows: &[RecordBatch]) -> Result<String, Problem> {
        let path = &self.path;
        let file = match File::create_new(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Problem::OutputExists(path.clone()));
            }
            Err(error) => return Err(Problem::File(path.clone(), error)),
        };
        if let Err(error) = self.write_to(file, schema, rows) {
            // The first error is the one to report.
            let _ = fs::remove_file(path);
            return Err(error.into());
        }
        let count: usize = rows.iter().map(RecordBatch::num_rows).sum();
        Ok(format!("rows written to {}: {count}", path.display()))
    }

    fn write_to(
        &self,
        file: File,
        schema: SchemaRef,
        rows: &[RecordBatch],
    ) -> Result<(), DataFusionError> {
        let mut file = BufWriter::new(file);
        match self.kind {
            Kind::Parquet => {
                let mut writer = ArrowWriter::try_new(&mut file, schema, None)?;
                rows.iter().try_for_each(|batch| writer.write(batch))?;
                writer.close()?;
            }
            Kind::Csv => {
                let mut writer = csv::Writer::new(&mut file);
                // Without rows, too, the header is written.
                writer.write(&RecordBatch::new_empty(schema))?;
                rows.iter().try_for_each(|batch| writer.write(batch))?;
            }
            Kind::JsonLines => {
                let builder = json::WriterBuilder::new().with_explicit_nulls(true);
                let mut writer = builder.build::<_, json::writer::LineDelimited>(&mut file);
                rows.iter().try_for_each(|batch| writer.write(batch))?;
                writer.finish()?;
            }
        }
        Ok(file.flush()?)
    }
}
