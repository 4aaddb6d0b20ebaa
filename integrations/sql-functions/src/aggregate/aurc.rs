use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use trajectory_metrics::aurc;

use crate::{
    aggregate::{
        group_state::GroupState,
        ranked_state::{RankedColumns, RankedState},
    },
    columns::Arguments,
    specification::{Argument, Kind, Specification},
};

/// `aurc(p, y [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AurcOfRows(RankedState);

impl GroupState for AurcOfRows {
    type Columns<'a> = RankedColumns<'a>;

    const SPECIFICATION: Specification = Specification {
        name: "aurc",
        arguments: &[
            Argument::new("p", Kind::Number, "The confidence in success, from 0 to 1."),
            Argument::new("y", Kind::Outcome, "The outcome; true is success."),
            Argument::new(
                "w",
                Kind::Number,
                "The weights, 0 or from 1e-100 to 1e100. Without them 1.",
            ),
        ],
        required: 2,
        description: "The area under the risk-coverage curve: the mean failure rate among the most confident rows, over all coverages. Lower is better, from 0 to 1. Memory as auroc.",
        example: "SELECT aurc(p, y) FROM runs",
    };

    fn output() -> DataType {
        DataType::Float64
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        RankedColumns::new(arguments)
    }

    fn update(&mut self, columns: &Self::Columns<'_>, row: usize) -> Result<()> {
        self.0.update(columns, row)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(Self::SPECIFICATION, other.0)
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        Ok(self.0.write())
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        RankedState::read(Self::SPECIFICATION, bytes).map(Self)
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        self.0.finish(Self::SPECIFICATION, aurc)
    }

    fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
