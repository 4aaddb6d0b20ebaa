//! Plans out of a model's text: no panic, and a plan that is read names items of the pool, each once.

#![no_main]

use knapsack_oracle::{Item, Pool, repair_plan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let item = |id: &str, cost| Item::new(id, 1.0, cost, true);
    let items: Result<Vec<_>, _> =
        [("a", 10), ("b", 20), ("p-1", 30), ("1", 5)].map(|(id, cost)| item(id, cost)).into_iter().collect();
    let Ok(pool) = items.and_then(Pool::new) else { return };
    let reading = repair_plan(text, &pool, 40);
    if let Some(plan) = reading.plan() {
        let mut seen = [false; 4];
        for step in plan.steps() {
            assert!(!std::mem::replace(&mut seen[step.position], true));
        }
    }
});
