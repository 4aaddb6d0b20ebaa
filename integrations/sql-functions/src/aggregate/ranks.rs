use std::{fmt::Debug, marker::PhantomData};

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::TiedBlocks;
use trajectory_metrics::{Error, PositiveClass, aurc, auroc, average_precision};

use crate::{
    aggregate::{
        group_state::GroupState,
        ranked_state::{RankedColumns, RankedState},
    },
    argument_kinds::Argument,
    arguments::Arguments,
    specification::Specification,
};

/// A metric of rows that are ranked by their confidence.
pub(crate) trait RankMetric: Clone + Debug + Default + Send + Sync + 'static {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const EXAMPLE: &'static str;

    fn value(blocks: &TiedBlocks) -> std::result::Result<f64, Error>;
}

/// `auroc(p, y [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Auroc;

impl RankMetric for Auroc {
    const NAME: &'static str = "auroc";
    const DESCRIPTION: &'static str = "The area under the ROC curve: the probability that a success has a higher confidence than a failure, a tie counting one half. Higher is better, from 0 to 1. NULL unless both outcomes occur. Memory: 16 bytes per distinct (p, y); auroc(round(p, 4), y) needs at most 20002 of them.";
    const EXAMPLE: &'static str = "SELECT model, auroc(p, y) FROM runs GROUP BY model";

    fn value(blocks: &TiedBlocks) -> std::result::Result<f64, Error> {
        auroc(blocks)
    }
}

/// `average_precision(p, y [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AveragePrecision;

impl RankMetric for AveragePrecision {
    const NAME: &'static str = "average_precision";
    const DESCRIPTION: &'static str = "The average precision of finding successes by their confidence; equal confidences are one threshold. Higher is better, from 0 to 1. NULL without a success. Memory as auroc.";
    const EXAMPLE: &'static str = "SELECT average_precision(p, y) FROM runs";

    fn value(blocks: &TiedBlocks) -> std::result::Result<f64, Error> {
        average_precision(blocks, PositiveClass::Success)
    }
}

/// `aurc(p, y [, w])`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aurc;

impl RankMetric for Aurc {
    const NAME: &'static str = "aurc";
    const DESCRIPTION: &'static str = "The area under the risk-coverage curve: the mean failure rate among the most confident rows, over all coverages. Lower is better, from 0 to 1. Memory as auroc.";
    const EXAMPLE: &'static str = "SELECT aurc(p, y) FROM runs";

    fn value(blocks: &TiedBlocks) -> std::result::Result<f64, Error> {
        aurc(blocks)
    }
}

/// The state of a rank metric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranked<M>(RankedState, PhantomData<fn() -> M>);

impl<M: RankMetric> GroupState for Ranked<M> {
    type Columns<'a> = RankedColumns<'a>;

    const SPECIFICATION: Specification = Specification {
        name: M::NAME,
        arguments: &[Argument::CONFIDENCE, Argument::OUTCOME, Argument::WEIGHT],
        required: 2,
        description: M::DESCRIPTION,
        example: M::EXAMPLE,
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
        Ok(Self(RankedState::read(Self::SPECIFICATION, bytes)?, PhantomData))
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        self.0.finish(Self::SPECIFICATION, M::value)
    }

    fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
