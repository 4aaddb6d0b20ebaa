use std::sync::Arc;

use arrow::{
    array::{ArrayRef, StructArray},
    datatypes::{DataType, Field, Fields},
};
use datafusion_common::{Result, ScalarValue};

/// The type of a result with named parts, each of which may be NULL.
pub(crate) fn record_type(parts: &[(&str, DataType)]) -> DataType {
    DataType::Struct(fields(parts))
}

fn fields(parts: &[(&str, DataType)]) -> Fields {
    parts.iter().map(|(name, part)| Field::new(*name, part.clone(), true)).collect()
}

/// A result with named parts.
pub(crate) fn record(parts: &[(&str, DataType)], values: Vec<ScalarValue>) -> Result<ScalarValue> {
    let columns = values.iter().map(|value| value.to_array_of_size(1));
    let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
    let array = StructArray::try_new(fields(parts), columns, None)?;
    Ok(ScalarValue::Struct(Arc::new(array)))
}
