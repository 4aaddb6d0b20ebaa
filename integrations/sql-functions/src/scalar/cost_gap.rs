use datafusion_common::Result;
use trajectory_metrics::tool_calls::cost_gap;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, NumberLists},
    scalar::function::RowFunction,
    specification::Specification,
};

/// `cost_gap(actual, reference)`.
pub(crate) struct CostGapOfRow;

impl RowFunction for CostGapOfRow {
    type Columns<'a> = [NumberLists<'a>; 2];
    type Output = f64;

    const SPECIFICATION: Specification = Specification {
        name: "cost_gap",
        arguments: &[
            Argument::new("actual", Kind::Numbers, "The costs of the agent's calls; finite."),
            Argument::new(
                "reference",
                Kind::Numbers,
                "The costs of the reference's calls; finite.",
            ),
        ],
        required: 2,
        description: "The sum of the costs of the agent's calls minus that of the reference, in the unit of \
                      the costs, exact and rounded once. Lower is better.",
        example: "SELECT cost_gap([22.22, 38.55, 23.56], [40.73, 42.67])",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok([arguments.number_lists(0)?, arguments.number_lists(1)?])
    }

    fn value([actual, reference]: &mut Self::Columns<'_>, row: usize) -> Result<f64> {
        cost_gap(actual.finite(row)?, reference.finite(row)?)
            .map_err(|error| Self::SPECIFICATION.failed(error))
    }
}
