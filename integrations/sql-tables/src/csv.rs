//! The columns of CSV files, from every row.

use std::fs::File;

use datafusion::arrow::{
    csv::reader::Format,
    datatypes::{DataType, Field},
    error::ArrowError,
};

use crate::{error::Error, files::DataFile};

/// Reads all rows and returns the columns in the order of the header, which all files must share.
pub(crate) fn columns(files: &[DataFile]) -> Result<Vec<Field>, Error> {
    let mut columns: Vec<Field> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let path = &file.path;
        let opened = File::open(path).map_err(|error| Error::Read { path: path.clone(), error })?;
        let (schema, _) = Format::default()
            .with_header(true)
            .infer_schema(opened, None)
            .map_err(|error: ArrowError| Error::Engine(error.into()))?;
        let found = schema.fields().iter().map(|field| field.as_ref().clone());
        if index == 0 {
            columns = found.collect();
            continue;
        }
        let names = |field: &Field| field.name().clone();
        if !columns.iter().map(names).eq(schema.fields().iter().map(|field| names(field))) {
            let (first, other) = (files[0].path.clone(), path.clone());
            return Err(Error::Headers { first, other });
        }
        for (column, found) in columns.iter_mut().zip(found) {
            let data_type = widest(column.data_type(), found.data_type());
            column.set_data_type(data_type);
        }
    }
    Ok(columns)
}

/// The type that holds the values of both; a text holds all.
fn widest(one: &DataType, other: &DataType) -> DataType {
    match (one, other) {
        _ if one == other => one.clone(),
        (DataType::Null, known) | (known, DataType::Null) => known.clone(),
        (DataType::Int64, DataType::Float64) | (DataType::Float64, DataType::Int64) => {
            DataType::Float64
        }
        _ => DataType::Utf8,
    }
}
