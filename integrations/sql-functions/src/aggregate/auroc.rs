use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use trajectory_metrics::auroc;

use crate::{
    aggregate::{
        group_state::GroupState,
        ranked_state::{RankedColumns, RankedState},
    },
    columns::Arguments,
    specification::{Argument, Kind, Specification},
};

/// `auroc(p, y [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AurocOfRows(RankedState);

impl GroupState for AurocOfRows {
    type Columns<'a> = RankedColumns<'a>;

    const SPECIFICATION: Specification = Specification {
        name: "auroc",
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
        description: "The area under the ROC curve: the probability that a success has a higher confidence than a failure, a tie counting one half. Higher is better, from 0 to 1. NULL unless both outcomes occur. Memory: 16 bytes per distinct (p, y); auroc(round(p, 4), y) needs at most 20002 of them.",
        example: "SELECT model, auroc(p, y) FROM runs GROUP BY model",
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
        self.0.finish(Self::SPECIFICATION, auroc)
    }

    fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
