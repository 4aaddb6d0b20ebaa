//! Knapsack instances: what is chosen fits, is worth what it says, and is the best of all choices.

#![no_main]

use knapsack_oracle::{Knapsack, KnapsackItem};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;

#[derive(Deserialize)]
struct Instance {
    capacity: u64,
    profits: Vec<u64>,
    weights: Vec<u64>,
}

fn sums<'a>(items: impl Iterator<Item = &'a KnapsackItem>) -> (u64, u64) {
    items.fold((0, 0), |(profit, weight), item| (profit + item.profit, weight + item.weight))
}

fuzz_target!(|bytes: &[u8]| {
    if bytes.len() >= 2_000 {
        return;
    }
    let Ok(instance) = serde_json::from_slice::<Instance>(bytes) else { return };
    let pairs = instance.profits.into_iter().zip(instance.weights);
    let items: Vec<KnapsackItem> =
        pairs.map(|(profit, weight)| KnapsackItem { profit, weight }).collect();
    let Ok(knapsack) = Knapsack::new(instance.capacity, &items) else { return };
    let solved = knapsack.solve();
    assert!(solved.chosen.is_sorted_by(|a, b| a < b));
    let (profit, weight) = sums(solved.chosen.iter().map(|&item| &items[item]));
    assert!(profit == solved.value && weight <= instance.capacity);
    if items.len() <= 10 && solved.value == solved.upper_bound {
        let choices = (0_usize..1 << items.len()).map(|set| {
            let chosen = items.iter().enumerate().filter(|(item, _)| set >> item & 1 == 1);
            sums(chosen.map(|(_, item)| item))
        });
        let best = choices.filter(|&(_, weight)| weight <= instance.capacity).max();
        assert_eq!(best.map(|(profit, _)| profit), Some(profit));
    }
});
