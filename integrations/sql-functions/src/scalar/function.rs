use std::{
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    sync::Arc,
};

use arrow::{
    array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray},
    datatypes::DataType,
};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

use crate::{columns::Arguments, specification::Specification};

/// A function of one row. It is not asked about rows in which an argument is NULL: their result is
/// NULL.
pub(crate) trait RowFunction: Send + Sync + 'static {
    /// The typed columns of the arguments.
    type Columns<'a>;
    /// The type of the result.
    type Output: ArrowPrimitiveType;
    const SPECIFICATION: Specification;

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>>;

    fn value(
        columns: &mut Self::Columns<'_>,
        row: usize,
    ) -> Result<<Self::Output as ArrowPrimitiveType>::Native>;
}

/// The function of the engine that calls a [`RowFunction`].
pub(crate) struct Scalar<F> {
    signature: Signature,
    documentation: Documentation,
    function: PhantomData<fn() -> F>,
}

impl<F: RowFunction> Scalar<F> {
    pub(crate) fn udf() -> Arc<ScalarUDF> {
        Arc::new(ScalarUDF::new_from_impl(Self {
            signature: Specification::signature(),
            documentation: F::SPECIFICATION.documentation(),
            function: PhantomData,
        }))
    }
}

impl<F: RowFunction> fmt::Debug for Scalar<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scalar").field("name", &F::SPECIFICATION.name).finish_non_exhaustive()
    }
}

// There is one value of each type `Scalar<F>`.
impl<F> PartialEq for Scalar<F> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<F> Eq for Scalar<F> {}

impl<F: RowFunction> Hash for Scalar<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        F::SPECIFICATION.name.hash(state);
    }
}

impl<F: RowFunction> ScalarUDFImpl for Scalar<F> {
    fn name(&self) -> &str {
        F::SPECIFICATION.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(F::Output::DATA_TYPE)
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        F::SPECIFICATION.coerce(given)
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = call.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { call.number_rows };
        let arrays: Vec<ArrayRef> =
            call.args.into_iter().map(|value| value.into_array(rows)).collect::<Result<_>>()?;
        let specification = F::SPECIFICATION;
        let arguments = Arguments::new(&specification, &arrays);
        let complete = arguments.complete_rows();
        let mut columns = F::columns(&arguments)?;
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let is_null = complete.as_ref().is_some_and(|complete| complete.is_null(row));
            values.push(if is_null { Default::default() } else { F::value(&mut columns, row)? });
        }
        let array = PrimitiveArray::<F::Output>::try_new(values.into(), complete)?;
        Ok(if constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)
        } else {
            ColumnarValue::Array(Arc::new(array))
        })
    }
}
