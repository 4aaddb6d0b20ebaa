//! A table over exactly the data files that were found.

use std::{
    fs::{self, File},
    io,
    path::{self, Component},
    sync::Arc,
};

use async_trait::async_trait;
use datafusion::{
    arrow::{
        csv::reader::Format,
        datatypes::{DataType, Field, FieldRef, Schema, SchemaRef},
    },
    catalog::{Session, TableProvider},
    common::{DataFusionError, ScalarValue},
    datasource::{
        TableType,
        file_format::{FileFormat, csv::CsvFormat, json::JsonFormat, parquet::ParquetFormat},
        listing::PartitionedFile,
        physical_plan::{FileGroup, FileScanConfigBuilder},
        table_schema::TableSchema,
    },
    execution::object_store::ObjectStoreUrl,
    logical_expr::Expr,
    object_store,
    physical_plan::ExecutionPlan,
};

use crate::{
    error::Problem,
    files::{DataFile, DataFiles, Kind},
    json_lines,
};

/// The engine's own table of files leaves out files with other endings and on other levels.
#[derive(Debug)]
pub(crate) struct Table {
    format: Arc<dyn FileFormat>,
    schema: TableSchema,
    files: Vec<PartitionedFile>,
    /// For each column why no query may read it. Columns of keys come last and are not in this list.
    pub(crate) refused: Vec<Option<String>>,
}

impl Table {
    pub(crate) async fn open(session: &dyn Session, found: &DataFiles) -> Result<Self, Problem> {
        let files = found.files.iter().map(partitioned).collect::<Result<Vec<_>, _>>()?;
        let mut refused = Vec::new();
        let (format, columns): (Arc<dyn FileFormat>, _) = match found.kind {
            Kind::Parquet => {
                let format = ParquetFormat::default();
                let store =
                    session.runtime_env().object_store(ObjectStoreUrl::local_filesystem())?;
                let objects: Vec<_> = files.iter().map(|file| file.object_meta.clone()).collect();
                let columns = format.infer_schema(session, &store, &objects).await?;
                (Arc::new(format), columns)
            }
            Kind::Csv => {
                let format =
                    CsvFormat::default().with_has_header(true).with_newlines_in_values(true);
                (Arc::new(format), csv_columns(&found.files)?)
            }
            Kind::JsonLines => {
                let fields: Vec<Field>;
                (fields, refused) = json_lines::columns(&found.files)?.into_iter().unzip();
                (Arc::new(JsonFormat::default()), Arc::new(Schema::new(fields)))
            }
        };
        let mut keys: Vec<FieldRef> = Vec::new();
        for (key, _) in found.files.iter().take(1).flat_map(|file| &file.keys) {
            if columns.field_with_name(key).is_ok() {
                return Err(Problem::KeyTwice(found.files[0].path.clone(), key.clone()));
            }
            keys.push(Arc::new(Field::new(key, DataType::Utf8, true)));
        }
        let schema = TableSchema::builder(columns).with_table_partition_cols(keys).build();
        Ok(Self { format, schema, files, refused })
    }
}

/// The columns of CSV files, with types from all rows. The engine reads them by position.
fn csv_columns(files: &[DataFile]) -> Result<SchemaRef, Problem> {
    let mut columns: Option<(SchemaRef, &DataFile)> = None;
    for file in files {
        let read = |error| Problem::File(file.path.clone(), error);
        let opened = File::open(&file.path).map_err(read)?;
        let inferred = Format::default().with_header(true).infer_schema(opened, None);
        let (found, _) = inferred.map_err(|error| read(io::Error::other(error)))?;
        match &columns {
            Some((schema, first)) if **schema != found => {
                return Err(Problem::Columns(first.path.clone(), file.path.clone()));
            }
            Some(_) => {}
            None => columns = Some((Arc::new(found), file)),
        }
    }
    Ok(columns.map_or_else(|| Arc::new(Schema::empty()), |(schema, _)| schema))
}

/// A file as the engine reads it. Links stay, because another host may resolve them in another way.
fn partitioned(file: &DataFile) -> Result<PartitionedFile, Problem> {
    let read = |error| Problem::File(file.path.clone(), error);
    let goes_up = file.path.components().any(|part| part == Component::ParentDir);
    let absolute = if goes_up { fs::canonicalize(&file.path) } else { path::absolute(&file.path) };
    let location = object_store::path::Path::from_absolute_path(absolute.map_err(read)?)
        .map_err(|error| read(io::Error::other(error)))?;
    let values = file.keys.iter().map(|(_, value)| ScalarValue::Utf8(value.clone())).collect();
    let mut read = PartitionedFile::new("", file.size).with_partition_values(values);
    read.object_meta.location = location;
    Ok(read)
}

#[async_trait]
impl TableProvider for Table {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.schema.table_schema())
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let is_read = |column: &usize| projection.is_none_or(|read| read.contains(column));
        let refused = self.refused.iter().enumerate().filter(|(column, _)| is_read(column));
        if let Some(problem) = refused.filter_map(|(_, problem)| problem.clone()).next() {
            return Err(DataFusionError::External(Box::new(Problem::Column(problem))));
        }
        let groups =
            FileGroup::new(self.files.clone()).split_files(session.config().target_partitions());
        let source = self.format.file_source(self.schema.clone());
        let scan = FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), source)
            .with_file_groups(groups)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        self.format.create_physical_plan(session, scan).await
    }
}
