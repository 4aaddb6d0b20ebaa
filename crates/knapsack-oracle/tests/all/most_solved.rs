//! The oracle for items of equal value.

use knapsack_oracle::{most_solved, most_solved_items};
use proptest::prelude::*;

/// The size of the largest set of solved items that fits.
fn brute_force(items: &[(u64, bool)], budget: u64) -> usize {
    let fits = |set: &u32| {
        let mut members = items.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        let cost = members.clone().map(|(_, item)| u128::from(item.0)).sum::<u128>();
        members.all(|(_, item)| item.1) && cost <= u128::from(budget)
    };
    (0..1_u32 << items.len()).filter(fits).map(|set| set.count_ones() as usize).max().unwrap()
}

proptest! {
    #[test]
    fn no_set_of_solved_items_that_fits_is_larger(
        items in prop::collection::vec((0_u64..20, any::<bool>()), 0..11),
        budget in 0_u64..120,
    ) {
        let most = most_solved(items.iter().copied(), budget);
        prop_assert_eq!(most, brute_force(&items, budget));
        let chosen = most_solved_items(items.iter().copied(), budget);
        prop_assert_eq!(chosen.len(), most);
        prop_assert!(chosen.iter().all(|&position| items[position].1));
        prop_assert!(chosen.iter().map(|&position| items[position].0).sum::<u64>() <= budget);
        prop_assert!(chosen.is_sorted_by_key(|&position| (items[position].0, position)));
    }

    #[test]
    fn many_items_are_counted_like_few_items(
        items in prop::collection::vec((0_u64..1_000, prop::bool::weighted(0.7)), 0..200),
        alpha in 0.0..1.1_f64,
    ) {
        let total: u64 = items.iter().filter(|item| item.1).map(|item| item.0).sum();
        let budget = (alpha * total as f64) as u64;
        let (mut costs, mut left) = (Vec::new(), budget);
        costs.extend(items.iter().filter(|item| item.1).map(|item| item.0));
        costs.sort_unstable();
        let fit = costs.iter().take_while(|&&cost| {
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        });
        prop_assert_eq!(fit.count(), most_solved(items.iter().copied(), budget));
    }
}

#[test]
fn costs_that_sum_to_more_than_64_bits_do_not_overflow() {
    let half = 1 << 63;
    for items in [[(half, true); 3], [(half, true), (half + 1, true), (u64::MAX, true)]] {
        assert_eq!(most_solved(items, u64::MAX), 1);
        assert_eq!(most_solved_items(items, u64::MAX), [0]);
    }
    // The sum below the pivot alone overflows.
    assert_eq!(most_solved([(half, true), (half, true), (half + 1, true)], u64::MAX), 1);
    assert_eq!(most_solved([(half, true), (half + 1, true), (half, true)], u64::MAX), 1);
}

#[test]
fn nothing_solved_earns_nothing_at_any_budget() {
    assert_eq!(most_solved([(0, false), (1, false)], u64::MAX), 0);
    assert_eq!(most_solved([], u64::MAX), 0);
    assert_eq!(most_solved([(0, true), (1, true)], 0), 1);
}
