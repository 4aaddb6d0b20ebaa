use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::Binning;
use trajectory_metrics::expected_calibration_error;

use crate::{
    aggregate::{
        binned_state::{BinnedColumns, BinnedState},
        group_state::GroupState,
        stored_state::write_json,
    },
    argument_kinds::{Argument, Kind},
    arguments::Arguments,
    specification::Specification,
};

/// `calibration_error(p, y, bins [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct CalibrationErrorOfRows(BinnedState);

impl GroupState for CalibrationErrorOfRows {
    type Columns<'a> = BinnedColumns<'a>;

    const SPECIFICATION: Specification = Specification {
        name: "calibration_error",
        arguments: &[
            Argument::CONFIDENCE,
            Argument::OUTCOME,
            Argument::new(
                "bins",
                Kind::Integer,
                "The number of bins of equal width on [0, 1], each with its upper end, from 1 to 10000, the same in all rows of a group.",
            ),
            Argument::WEIGHT,
        ],
        required: 3,
        description: "The expected calibration error: the mean distance, over bins of equal width, between \
                      mean confidence and success rate. Lower is better, from 0 to 1.",
        example: "SELECT calibration_error(p, y, 10) FROM runs",
    };

    fn output() -> DataType {
        DataType::Float64
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        BinnedColumns::new(arguments)
    }

    fn update(&mut self, columns: &Self::Columns<'_>, row: usize) -> Result<()> {
        self.0.update(Self::SPECIFICATION, columns, row)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(Self::SPECIFICATION, other.0)
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.0)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        BinnedState::read(Self::SPECIFICATION, bytes).map(Self)
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        let failed = |error| Self::SPECIFICATION.failed(error);
        let Some(bins) = self.0.blocks().map_err(|error| failed(error.into()))? else {
            return Ok(ScalarValue::Float64(None));
        };
        let error = expected_calibration_error(&bins.blocks, Binning::Distinct).map_err(failed)?;
        Ok(ScalarValue::Float64(Some(error)))
    }

    fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
