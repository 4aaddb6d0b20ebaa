use std::ops::Range;

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{Error, ExactMean};

use crate::{
    aggregate::{
        group_state::GroupState,
        stored_state::{read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers},
    specification::Specification,
};

/// `exact_mean(x [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactMeanOfRows(ExactMean);

impl GroupState for ExactMeanOfRows {
    type Columns<'a> = (Numbers<'a>, Option<Numbers<'a>>);

    const SPECIFICATION: Specification = Specification {
        name: "exact_mean",
        arguments: &[
            Argument::new("x", Kind::Number, "The values. Infinite values count; NaN is an error."),
            Argument::WEIGHT,
        ],
        required: 1,
        description: "The mean, with an exact sum that is rounded once, so that the result has the same bits \
                      for any order and partition of the rows. NULL without rows of positive weight.",
        example: "SELECT model, exact_mean(log_score(p, y)) FROM runs GROUP BY model",
    };

    fn output() -> DataType {
        DataType::Float64
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.numbers(0)?, arguments.optional(1, Arguments::numbers)?))
    }

    fn update(&mut self, (x, w): &Self::Columns<'_>, row: usize) -> Result<()> {
        match w {
            None => self.0.update(x.number(row)?),
            Some(w) => self
                .0
                .update_weighted(x.number(row)?, w.weight(row)?)
                .map_err(|error| Self::SPECIFICATION.failed(error))?,
        }
        Ok(())
    }

    fn update_all(&mut self, columns: &Self::Columns<'_>, mut rows: Range<usize>) -> Result<()> {
        match columns {
            (x, None) => x.add_to(&mut self.0, rows),
            _ => rows.try_for_each(|row| self.update(columns, row)),
        }
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(&other.0);
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        match self.0.finish() {
            // Values that are infinite with both signs have no sum to be written.
            Err(error @ Error::Undefined { .. }) => Err(Self::SPECIFICATION.failed(error)),
            // The sum of a part may exceed the largest number when the sum of all rows does not.
            _ => write_json(Self::SPECIFICATION, &self.0),
        }
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        read_json(Self::SPECIFICATION, bytes).map(Self)
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        match self.0.finish() {
            Ok(mean) => Ok(ScalarValue::Float64(Some(mean))),
            Err(Error::Empty) => Ok(ScalarValue::Float64(None)),
            Err(error) => Err(Self::SPECIFICATION.failed(error)),
        }
    }
}
