use std::{
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    sync::Arc,
};

use arrow::{
    array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array},
    buffer::NullBuffer,
    compute::filter,
    datatypes::DataType,
};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

use crate::{arguments::Arguments, specification::Specification};

/// The result of a row.
pub(crate) trait Output: Copy + Default {
    const TYPE: DataType;

    /// The column of the results, NULL where `nulls` is and where a result is.
    fn column(values: Vec<Self>, nulls: Option<NullBuffer>) -> Result<ArrayRef>;
}

impl Output for f64 {
    const TYPE: DataType = DataType::Float64;

    fn column(values: Vec<Self>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(Arc::new(Float64Array::try_new(values.into(), nulls)?))
    }
}

impl Output for i64 {
    const TYPE: DataType = DataType::Int64;

    fn column(values: Vec<Self>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(Arc::new(Int64Array::try_new(values.into(), nulls)?))
    }
}

impl Output for Option<bool> {
    const TYPE: DataType = DataType::Boolean;

    /// A row that has no value has no result either.
    fn column(values: Vec<Self>, _: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(Arc::new(BooleanArray::from(values)))
    }
}

/// A function of one row. It is not asked about rows in which an argument is NULL: their result is
/// NULL.
pub(crate) trait RowFunction: Send + Sync + 'static {
    /// The typed columns of the arguments.
    type Columns<'a>;
    type Output: Output;
    const SPECIFICATION: Specification;

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>>;

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<Self::Output>;

    /// Sets the values of all rows, with the bits and the first error of [`RowFunction::value`].
    fn fill(columns: &mut Self::Columns<'_>, values: &mut [Self::Output]) -> Result<()> {
        for (row, value) in values.iter_mut().enumerate() {
            *value = Self::value(columns, row)?;
        }
        Ok(())
    }
}

/// The function of the engine that calls a [`RowFunction`].
pub(crate) struct Scalar<F> {
    specification: Specification,
    /// Whether a row that the function refuses has the result NULL.
    tries: bool,
    signature: Signature,
    documentation: Documentation,
    function: PhantomData<fn() -> F>,
}

impl<F: RowFunction> Scalar<F> {
    /// The function, and the function of the name `tries` that gives NULL for a row with an error.
    pub(crate) fn udfs(tries: &'static str) -> [Arc<ScalarUDF>; 2] {
        let specification = F::SPECIFICATION;
        let name = specification.name;
        let udf = |specification: Specification, description: String, tries| {
            Arc::new(ScalarUDF::new_from_impl(Self {
                specification,
                tries,
                signature: Specification::signature(),
                documentation: specification.documentation(description),
                function: PhantomData,
            }))
        };
        let description = format!("As {name}, but NULL for a row that {name} refuses.");
        let own = udf(specification, specification.description.to_owned(), false);
        [own, udf(Specification { name: tries, ..specification }, description, true)]
    }

    /// Sets the values of all rows, and returns which rows have one; `None` if all have.
    fn fill(
        &self,
        columns: &mut F::Columns<'_>,
        values: &mut [F::Output],
    ) -> Result<Option<NullBuffer>> {
        match F::fill(columns, values) {
            Err(_) if self.tries => {
                let rows = values.iter_mut().enumerate();
                let found = rows.map(|(row, value)| {
                    let found = F::value(columns, row).ok();
                    *value = found.unwrap_or_default();
                    found.is_some()
                });
                Ok(Some(NullBuffer::from_iter(found)))
            }
            filled => filled.map(|()| None),
        }
    }
}

impl<F: RowFunction> fmt::Debug for Scalar<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scalar").field("name", &self.specification.name).finish_non_exhaustive()
    }
}

// There are two values of each type `Scalar<F>`.
impl<F> PartialEq for Scalar<F> {
    fn eq(&self, other: &Self) -> bool {
        self.tries == other.tries
    }
}

impl<F> Eq for Scalar<F> {}

impl<F: RowFunction> Hash for Scalar<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.specification.name.hash(state);
    }
}

impl<F: RowFunction> ScalarUDFImpl for Scalar<F> {
    fn name(&self) -> &str {
        self.specification.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(F::Output::TYPE)
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        self.specification.coerce(given)
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = call.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { call.number_rows };
        let arrays: Vec<ArrayRef> =
            call.args.into_iter().map(|value| value.into_array(rows)).collect::<Result<_>>()?;
        let complete = Arguments::new(&self.specification, &arrays).complete_rows();
        // The function reads only the rows without NULL.
        let read = match &complete {
            None => arrays,
            Some(complete) => {
                let complete = BooleanArray::new(complete.inner().clone(), None);
                let read = arrays.iter().map(|array| filter(array, &complete));
                read.collect::<std::result::Result<_, _>>()?
            }
        };
        let specification = F::SPECIFICATION;
        let mut columns = F::columns(&Arguments::new(&specification, &read))?;
        let mut values =
            vec![F::Output::default(); read.first().map_or(rows, |column| column.len())];
        let mut valid = self.fill(&mut columns, &mut values)?;
        if let Some(complete) = complete {
            let mut all = vec![F::Output::default(); rows];
            let mut good = vec![false; rows];
            for ((row, value), read) in complete.valid_indices().zip(values).zip(0..) {
                all[row] = value;
                good[row] = valid.as_ref().is_none_or(|valid| valid.is_valid(read));
            }
            (values, valid) = (all, Some(NullBuffer::from(good)));
        }
        let array = F::Output::column(values, valid)?;
        Ok(if constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)
        } else {
            ColumnarValue::Array(array)
        })
    }
}
