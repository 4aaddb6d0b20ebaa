use std::ops::Range;

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, exec_err};
use scoring_rules::ExactSum;

use crate::{
    aggregate::{
        group_state::GroupState,
        stored_state::{read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers},
    specification::Specification,
};

/// `exact_sum(x)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactSumOfRows(ExactSum);

impl ExactSumOfRows {
    fn value(&self) -> Result<f64> {
        let value = self.0.value();
        if value.is_nan() {
            return exec_err!("exact_sum is undefined: values are infinite with both signs");
        }
        Ok(value)
    }
}

impl GroupState for ExactSumOfRows {
    type Columns<'a> = Numbers<'a>;

    const SPECIFICATION: Specification = Specification {
        name: "exact_sum",
        arguments: &[Argument::new(
            "x",
            Kind::Number,
            "The values. Infinite values count; NaN is an error.",
        )],
        required: 1,
        description: "The exact sum, rounded once, so that the result has the same bits for any order and \
                      partition of the rows. NULL without rows.",
        example: "SELECT exact_sum(cost) FROM runs",
    };

    fn output() -> DataType {
        DataType::Float64
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        arguments.numbers(0)
    }

    fn update(&mut self, x: &Self::Columns<'_>, row: usize) -> Result<()> {
        self.0.add(x.number(row)?);
        Ok(())
    }

    fn update_all(&mut self, x: &Self::Columns<'_>, rows: Range<usize>) -> Result<()> {
        x.add_to(&mut self.0, rows)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(&other.0);
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        self.value()?;
        write_json(Self::SPECIFICATION, &self.0)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        read_json(Self::SPECIFICATION, bytes).map(Self)
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Float64(Some(self.value()?)))
    }
}
