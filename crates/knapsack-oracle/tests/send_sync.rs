//! Every type can be sent to and shared between threads.

use knapsack_oracle::{
    Alpha, BudgetAware, BudgetStaircase, Efficiency, Error, ExactRandom, Execution, InjectedPool,
    Item, Knapsack, KnapsackItem, MeanEfficiency, MeanRegret, Oracle, Plan, PlanReading, Pool,
    ProspectiveItem, RandomOrder, SampledRandom, Solution, UnsolvableCounts, VariantPair,
    VariantScores,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Alpha, Item, Pool, Error, Oracle, ExactRandom, SampledRandom)>();
    assert_send_sync::<(Knapsack<'_>, KnapsackItem, Solution, BudgetStaircase)>();
    assert_send_sync::<(Plan, PlanReading, Execution)>();
    assert_send_sync::<(RandomOrder, ProspectiveItem<'_>)>();
    assert_send_sync::<(Efficiency, MeanEfficiency, MeanRegret, BudgetAware)>();
    assert_send_sync::<(InjectedPool, UnsolvableCounts, VariantScores, VariantPair)>();
}
