//! Baselines: planners that see what a model sees, and references that see more.

pub(crate) mod informed;
pub(crate) mod prospective;

pub use informed::{
    CheapestFirst, ForecastThreshold, InformedPlanner, OraclePlanner, ValuePerCost,
};
pub use prospective::{InOrder, ProspectiveItem, ProspectivePlanner, RandomOrder};
