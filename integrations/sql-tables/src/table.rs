//! A table over exactly the data files that were found.

use std::{
    fs, io,
    path::{self, Component},
    sync::Arc,
};

use async_trait::async_trait;
use datafusion::{
    arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef},
    catalog::{Session, TableProvider},
    common::{DFSchema, DataFusionError, ScalarValue},
    datasource::{
        TableType,
        file_format::{FileFormat, csv::CsvFormat, json::JsonFormat, parquet::ParquetFormat},
        listing::PartitionedFile,
        physical_plan::{FileGroup, FileScanConfigBuilder},
        table_schema::TableSchema,
    },
    execution::object_store::ObjectStoreUrl,
    logical_expr::{Expr, ident},
    object_store,
    physical_plan::{ExecutionPlan, projection::ProjectionExec},
};

use crate::{
    csv,
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
    /// The columns of CSV, in order. Columns of keys come last and are not in this list.
    csv: Vec<csv::Column>,
}

impl Table {
    pub(crate) async fn open(session: &dyn Session, found: &DataFiles) -> Result<Self, Problem> {
        let files = found.files.iter().map(partitioned).collect::<Result<Vec<_>, _>>()?;
        let (mut refused, mut csv) = (Vec::new(), Vec::new());
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
                csv = csv::columns(&found.files)?;
                let fields: Vec<Field> = csv.iter().map(csv::Column::field).collect();
                (Arc::new(format), Arc::new(Schema::new(fields)))
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
        Ok(Self { format, schema, files, refused, csv })
    }
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
    read.object_meta.last_modified = file.modified.into();
    Ok(read)
}

#[async_trait]
impl TableProvider for Table {
    fn schema(&self) -> SchemaRef {
        let mut fields = self.schema.table_schema().fields().to_vec();
        for (field, column) in fields.iter_mut().zip(&self.csv) {
            *field = Arc::new(field.as_ref().clone().with_data_type(column.data_type.clone()));
        }
        Arc::new(Schema::new(fields))
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
        let plan = self.format.create_physical_plan(session, scan).await?;
        let read = plan.schema();
        let value = |name: &String| self.csv.iter().find(|it| it.name == *name)?.value();
        if read.fields().iter().all(|field| value(field.name()).is_none()) {
            return Ok(plan);
        }
        let names = DFSchema::try_from(read.as_ref().clone())?;
        let columns = read.fields().iter().map(|field| {
            let value = value(field.name()).unwrap_or_else(|| ident(field.name()));
            Ok((session.create_physical_expr(value, &names)?, field.name().clone()))
        });
        let columns = columns.collect::<Result<Vec<_>, DataFusionError>>()?;
        Ok(Arc::new(ProjectionExec::try_new(columns, plan)?))
    }
}
