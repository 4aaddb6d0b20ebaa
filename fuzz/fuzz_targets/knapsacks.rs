//! Knapsack instances: what is chosen fits, is worth what it says, and is the best of all choices.

#![no_main]

use agent_scorecard::knapsack::solve;
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;

#[derive(Deserialize)]
struct Instance {
    capacity: u64,
    profits: Vec<u64>,
    weights: Vec<u64>,
}

impl Instance {
    fn sums(&self, items: impl Iterator<Item = usize>) -> (u64, u64) {
        items.fold((0, 0), |(profit, weight), item| {
            (profit + self.profits[item], weight + self.weights[item])
        })
    }
}

fuzz_target!(|bytes: &[u8]| {
    if bytes.len() >= 2_000 {
        return;
    }
    let Ok(solved) = solve("f", bytes) else { return };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let instance: Instance = serde_json::from_slice(bytes).expect("it was read once");
    assert!(solved.chosen.is_sorted_by(|a, b| a < b));
    let (profit, weight) = instance.sums(solved.chosen.iter().copied());
    assert!(profit == solved.value && weight <= instance.capacity);
    let items = instance.profits.len();
    if items <= 10 && solved.optimal {
        let choices = (0_usize..1 << items)
            .map(|set| instance.sums((0..items).filter(|item| set >> item & 1 == 1)));
        let best = choices.filter(|&(_, weight)| weight <= instance.capacity).max();
        assert_eq!(best.map(|(profit, _)| profit), Some(profit));
    }
});
