//! The best value for every budget.
#![allow(clippy::unwrap_used)]

use knapsack_oracle::{BudgetStaircase, Error, KnapsackItem, most_solved};
use proptest::prelude::*;

/// Items with the given costs and values.
fn knapsack_items(costs: &[u64], values: &[u64]) -> Vec<KnapsackItem> {
    assert_eq!(costs.len(), values.len());
    let pairs = costs.iter().zip(values);
    pairs.map(|(&weight, &profit)| KnapsackItem { profit, weight }).collect()
}

/// The best value for each budget up to the sum of costs, by trying every set.
fn brute_force(costs: &[u64], values: &[u64]) -> Vec<u64> {
    let total: u64 = costs.iter().sum();
    let mut best = vec![0; total as usize + 1];
    for set in 0..1_u32 << costs.len() {
        let sum = |numbers: &[u64]| -> u64 {
            (0..costs.len()).filter(|i| set >> i & 1 == 1).map(|i| numbers[i]).sum()
        };
        let at = &mut best[sum(costs) as usize];
        *at = sum(values).max(*at);
    }
    for budget in 1..best.len() {
        best[budget] = best[budget].max(best[budget - 1]);
    }
    best
}

/// The best value for each budget, by the textbook algorithm with a table over budgets.
fn table(costs: &[u64], values: &[u64], largest: usize) -> Vec<u64> {
    let mut best = vec![0; largest + 1];
    for (&cost, &value) in costs.iter().zip(values) {
        for budget in (cost as usize..=largest).rev() {
            best[budget] = best[budget].max(best[budget - cost as usize] + value);
        }
    }
    best
}

proptest! {
    #[test]
    fn the_value_is_that_of_the_best_set_at_every_budget(
        items in prop::collection::vec((0_u64..25, 0_u64..25), 0..9),
    ) {
        let (costs, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let stairs = BudgetStaircase::new(&knapsack_items(&costs, &values)).unwrap();
        for (budget, best) in (0..).zip(brute_force(&costs, &values)) {
            prop_assert_eq!(stairs.value_at(budget), best, "budget {}", budget);
        }
        prop_assert_eq!(stairs.value_at(u64::MAX), values.iter().sum::<u64>());
    }

    #[test]
    fn the_staircase_equals_a_table_over_budgets_and_goes_up_at_each_step(
        items in prop::collection::vec((1_u64..200, 1_u64..1_000), 30),
    ) {
        let (costs, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let stairs = BudgetStaircase::new(&knapsack_items(&costs, &values)).unwrap();
        let table = table(&costs, &values, costs.iter().sum::<u64>() as usize);
        prop_assert_eq!(stairs.steps().next(), Some((0, 0)));
        prop_assert_eq!(stairs.steps().map(|step| step.1).last(), table.last().copied());
        for (budget, value) in stairs.steps().skip(1) {
            prop_assert_eq!(value, table[budget as usize]);
            // A budget that is smaller by 1 has the value of the step before.
            prop_assert!(table[budget as usize - 1] < value);
            prop_assert_eq!(stairs.value_at(budget - 1), table[budget as usize - 1]);
        }
    }

    #[test]
    fn for_items_of_equal_value_the_staircase_counts_the_cheapest(
        costs in prop::collection::vec(0_u64..50, 0..40),
        value in 1_u64..10,
    ) {
        let stairs = BudgetStaircase::new(&knapsack_items(&costs, &vec![value; costs.len()])).unwrap();
        for budget in 0..=costs.iter().sum() {
            let items = costs.iter().map(|&cost| (cost, true));
            prop_assert_eq!(stairs.value_at(budget), value * most_solved(items, budget) as u64);
        }
    }
}

#[test]
fn sums_are_checked() {
    let sum = |what| Err(Error::Sum { what, item: 1, limit: u64::MAX });
    assert_eq!(BudgetStaircase::new(&knapsack_items(&[u64::MAX, 1], &[1, 1])), sum("weights"));
    assert_eq!(BudgetStaircase::new(&knapsack_items(&[1, 1], &[1, u64::MAX])), sum("profits"));
    let stairs = BudgetStaircase::new(&knapsack_items(&[u64::MAX], &[u64::MAX])).unwrap();
    assert_eq!((stairs.value_at(u64::MAX - 1), stairs.value_at(u64::MAX)), (0, u64::MAX));
}

#[cfg(feature = "serde")]
#[test]
fn a_staircase_is_stored_as_a_list_of_budgets_and_values() {
    let stairs = BudgetStaircase::new(&knapsack_items(&[2, 3], &[1, 1])).unwrap();
    assert_eq!(serde_json::to_string(&stairs).unwrap(), r#"{"steps":[[0,0],[2,1],[5,2]]}"#);
}
