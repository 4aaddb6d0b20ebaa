#![doc = include_str!("../README.md")]

mod error;
mod exact;
mod execution;
mod gcd;
mod planners;
mod plans;
mod pools;
mod random;
mod scores;
mod several;
mod staircase;
mod stored;
mod unit;

pub use error::Error;
pub use exact::{Knapsack, Proof, Solution};
pub use execution::{Attempt, Execution, OrderedRun, Regime, execute};
pub use planners::{
    CheapestFirst, ForecastThreshold, InOrder, InformedPlanner, OraclePlanner, ProspectiveItem,
    ProspectivePlanner, RandomOrder, ValuePerCost,
};
pub use plans::{DropReason, Plan, PlanReading, Repair, Step, UnreadableReason, repair_plan};
pub use pools::{Alpha, Item, Oracle, Pool};
pub use random::{ExactRandom, FitRule, SampledRandom};
pub use scores::{
    BudgetAware, Efficiency, MeanEfficiency, MeanRegret, ReSolve, detection_rate, kendall_tau_b,
    mean_efficiency_score, mean_regret, normalized_regret, triage_efficiency_score, waste_rate,
};
pub use several::{MultidimensionalKnapsack, MultidimensionalSolution};
pub use staircase::BudgetStaircase;
pub use unit::{most_solved, most_solved_items};
