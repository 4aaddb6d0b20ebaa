use std::sync::Arc;

use arrow::{
    array::{ArrayRef, Float64Array, ListArray, StructArray},
    buffer::OffsetBuffer,
    datatypes::{DataType, Field, Fields},
};
use datafusion_common::{Result, ScalarValue};
use scoring_rules::Binning;
use trajectory_metrics::reliability_diagram;

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

/// `reliability(p, y, bins [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReliabilityOfRows(BinnedState);

const FIELDS: [&str; 5] = ["lowest", "highest", "weight", "mean_confidence", "success_rate"];

fn fields() -> Fields {
    FIELDS.iter().map(|&name| Field::new(name, DataType::Float64, false)).collect()
}

fn item() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::Struct(fields()), true))
}

impl GroupState for ReliabilityOfRows {
    type Columns<'a> = BinnedColumns<'a>;

    const SPECIFICATION: Specification = Specification {
        name: "reliability",
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
        description: "The bins of a reliability diagram that are not empty, in ascending order, each with its \
                      lowest and highest confidence, weight, mean confidence and success rate.",
        example: "SELECT unnest(reliability(p, y, 10)) FROM runs",
    };

    fn output() -> DataType {
        DataType::List(item())
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
            return ScalarValue::try_from(&Self::output());
        };
        let diagram = reliability_diagram(&bins.blocks, Binning::Distinct).map_err(failed)?;
        let numbers = diagram.iter().zip(&bins.ends).map(|(bin, (lowest, highest))| {
            [lowest.get(), highest.get(), bin.weight, bin.mean_confidence, bin.success_rate]
        });
        let numbers: Vec<[f64; FIELDS.len()]> = numbers.collect();
        let column = |field: usize| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(numbers.iter().map(|bin| bin[field])))
        };
        let columns = (0..FIELDS.len()).map(column).collect();
        let structs = StructArray::try_new(fields(), columns, None)?;
        let offsets = OffsetBuffer::from_lengths([numbers.len()]);
        let list = ListArray::try_new(item(), offsets, Arc::new(structs), None)?;
        Ok(ScalarValue::List(Arc::new(list)))
    }

    fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
