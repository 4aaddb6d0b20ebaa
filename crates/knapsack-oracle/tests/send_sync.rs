//! Every type can be sent to and shared between threads.

use knapsack_oracle::{
    Alpha, BudgetAware, BudgetStaircase, Efficiency, Error, ExactRandom, Execution,
    ForecastThreshold, InjectedPool, Item, Knapsack, KnapsackItem, MeanEfficiency, MeanRegret,
    Oracle, Plan, PlanReading, Pool, ProspectiveItem, RandomOrder, SampledRandom, Solution,
    UnsolvableCounts, VariantPair, VariantScores,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(
        Alpha,
        Item<[u64; 3]>,
        Pool<[u64; 3]>,
        Error,
        Oracle,
        ExactRandom,
        SampledRandom,
    )>();
    assert_send_sync::<(Knapsack<'_>, KnapsackItem, Solution, BudgetStaircase)>();
    assert_send_sync::<(Knapsack<'_, [u64; 3]>, Solution<[u64; 3]>)>();
    assert_send_sync::<(Plan, PlanReading, Execution<[u64; 3]>)>();
    assert_send_sync::<(ForecastThreshold, RandomOrder, ProspectiveItem<'_>)>();
    assert_send_sync::<(Efficiency, MeanEfficiency, MeanRegret, BudgetAware)>();
    assert_send_sync::<(InjectedPool, UnsolvableCounts, VariantScores, VariantPair)>();
}
