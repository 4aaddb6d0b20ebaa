#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod engines;
mod error;
mod execution;
mod knapsacks;
mod planners;
mod plans;
mod pools;
mod references;
mod scores;
mod values;

pub use error::Error;
pub use execution::{Attempt, Execution, Regime};
pub use knapsacks::{
    budget_staircase::BudgetStaircase,
    knapsack::{Knapsack, Solution},
    most_solved::{most_solved, most_solved_items},
};
pub use planners::{
    informed::{InformedPlanner, ReferencePlanner},
    prospective::{EqualShares, ProspectiveItem, ProspectivePlanner},
};
pub use plans::{
    plan::{Plan, Step},
    plan_reading::PlanReading,
    repair::{DropReason, Repair},
};
pub use pools::{alpha::Alpha, injection::InjectedPool, item::Item, pool::Pool};
pub use references::{
    exact_random::ExactRandom,
    oracle::Oracle,
    sampled_random::{FitRule, SampledRandom},
};
pub use scores::{
    efficiency::{Efficiency, PoolValues, normalized_regret},
    kendall::kendall_tau_b,
    pool_means::{MeanEfficiency, MeanRegret},
    re_solving::{BudgetAware, ReSolve},
    unsolvable::UnsolvableCounts,
    variants::{VariantPair, VariantScores},
};
pub use scoring_rules::{self, Seed};
pub use values::{knapsack_item::KnapsackItem, proof::Proof, unreadable_reason::UnreadableReason};
