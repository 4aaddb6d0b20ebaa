//! The best value for every budget.

use knapsack_oracle::{BudgetStaircase, Error};
use proptest::prelude::*;

use crate::{knapsack_items, table};

proptest! {
    #[test]
    fn the_value_is_that_of_the_best_set_at_every_budget(
        items in prop::collection::vec((0_u64..25, 0_u64..25), 0..9),
    ) {
        let (costs, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let stairs = BudgetStaircase::new(&knapsack_items(&values, &costs)).unwrap();
        for (budget, best) in (0..).zip(table(costs.iter().sum(), &values, &costs)) {
            prop_assert_eq!(stairs.value_at(budget), best, "budget {}", budget);
        }
        prop_assert_eq!(stairs.value_at(u64::MAX), values.iter().sum::<u64>());
    }

    #[test]
    fn the_staircase_equals_a_table_over_budgets_and_goes_up_at_each_step(
        items in prop::collection::vec((1_u64..200, 1_u64..1_000), 30),
    ) {
        let (costs, values): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let stairs = BudgetStaircase::new(&knapsack_items(&values, &costs)).unwrap();
        let table = table(costs.iter().sum(), &values, &costs);
        prop_assert_eq!(stairs.steps().next(), Some((0, 0)));
        prop_assert_eq!(stairs.steps().map(|step| step.1).last(), table.last().copied());
        for (budget, value) in stairs.steps().skip(1) {
            prop_assert_eq!(value, table[budget as usize]);
            // A budget that is smaller by 1 has the value of the step before.
            prop_assert!(table[budget as usize - 1] < value);
            prop_assert_eq!(stairs.value_at(budget - 1), table[budget as usize - 1]);
        }
    }
}

#[test]
fn sums_are_checked() {
    let sum = |profits: &[u64; 2], weights: &[u64; 2]| match BudgetStaircase::new(&knapsack_items(
        profits, weights,
    )) {
        Err(Error::Sum { what, item: 1, limit: u64::MAX, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(sum(&[1, 1], &[u64::MAX, 1]), "weights");
    assert_eq!(sum(&[1, u64::MAX], &[1, 1]), "profits");
    let stairs = BudgetStaircase::new(&knapsack_items(&[u64::MAX], &[u64::MAX])).unwrap();
    assert_eq!((stairs.value_at(u64::MAX - 1), stairs.value_at(u64::MAX)), (0, u64::MAX));
}

#[cfg(feature = "serde")]
#[test]
fn a_staircase_is_stored_as_a_list_of_budgets_and_values() {
    let stairs = BudgetStaircase::new(&knapsack_items(&[1, 1], &[2, 3])).unwrap();
    assert_eq!(serde_json::to_string(&stairs).unwrap(), r#"{"steps":[[0,0],[2,1],[5,2]]}"#);
}
