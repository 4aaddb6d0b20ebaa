//! The solvers, pools, plans and scores of this crate.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod budget_staircase;
mod every_solver;
mod knapsack;
mod knapsack_hard;
mod most_solved;
mod multidimensional;
mod plan_texts;
mod plans;
mod pools;
mod published;
mod random;
mod scores;
#[cfg(feature = "serde")]
mod stored;
mod unsolvable;

use knapsack_oracle::{
    BudgetStaircase, Error, Execution, InjectedPool, Item, Knapsack, KnapsackItem, PlanReading,
    Pool, SampledRandom, Solution, VariantScores,
};

/// Items of a knapsack with the given profits and weights.
fn knapsack_items<W: Copy>(profits: &[u64], weights: &[W]) -> Vec<KnapsackItem<W>> {
    assert_eq!(profits.len(), weights.len());
    let pairs = profits.iter().zip(weights);
    pairs.map(|(&profit, &weight)| KnapsackItem { profit, weight }).collect()
}

/// The best value at each capacity, by the textbook algorithm.
fn table(capacity: u64, profits: &[u64], weights: &[u64]) -> Vec<u64> {
    let mut best = vec![0; usize::try_from(capacity).unwrap() + 1];
    for (&profit, &weight) in profits.iter().zip(weights) {
        for room in (weight as usize..best.len()).rev() {
            best[room] = best[room].max(best[room - weight as usize] + profit);
        }
    }
    best
}

/// The best value of all sets that fit.
fn brute_force<const R: usize>(capacities: [u64; R], profits: &[u64], weights: &[[u64; R]]) -> u64 {
    // Each choice differs from the one before by one item.
    let (mut value, mut used, mut best) = (0_u128, [0_u128; R], 0);
    let mut taken = vec![false; profits.len()];
    for step in 1_u32..1 << profits.len() {
        let item = step.trailing_zeros() as usize;
        taken[item] = !taken[item];
        let change = |sum: &mut u128, number: u64| match taken[item] {
            true => *sum += u128::from(number),
            false => *sum -= u128::from(number),
        };
        change(&mut value, profits[item]);
        used.iter_mut().zip(weights[item]).for_each(|(used, weight)| change(used, weight));
        if used.iter().zip(capacities).all(|(&used, capacity)| used <= capacity.into()) {
            best = best.max(value);
        }
    }
    best.try_into().unwrap()
}

/// An item with a value of 1.
fn item(id: impl Into<String>, cost: u64, solved: bool) -> Item {
    Item::new(id, 1.0, cost, solved).unwrap()
}

fn pool(items: impl IntoIterator<Item = Item>) -> Pool {
    Pool::new(items.into_iter().collect()).unwrap()
}

const EMPTY: Error = Error::ScoringRules(scoring_rules::Error::Empty);

fn length(what: &'static str, expected: usize, found: usize) -> Error {
    Error::ScoringRules(scoring_rules::checks::length(what, expected, found))
}

/// Returns the name of the setting that an error refuses.
fn setting<T: std::fmt::Debug>(refused: Result<T, Error>) -> &'static str {
    match refused {
        Err(Error::ScoringRules(scoring_rules::Error::Setting { name, .. })) => name,
        other => panic!("{other:?}"),
    }
}

/// Returns what and where the entry is that an error refuses.
fn entry<T: std::fmt::Debug>(refused: Result<T, Error>) -> (&'static str, usize) {
    match refused {
        Err(Error::ScoringRules(scoring_rules::Error::Entry { what, index, .. })) => (what, index),
        other => panic!("{other:?}"),
    }
}

fn is_undefined<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::ScoringRules(scoring_rules::Error::Undefined { .. })))
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<(Pool, PlanReading, Execution, InjectedPool, SampledRandom, VariantScores, Error)>();
    check::<(Knapsack<'_, [u64; 3]>, Solution<[u64; 3]>, BudgetStaircase)>();
}
