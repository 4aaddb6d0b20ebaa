//! Plans out of a model's text: a plan names items of the pool, each once, says whether it is within the
//! budget, and is read without a repair where it is written as the prompt asks for.

#![no_main]

use knapsack_oracle::{Item, PlanReading, Pool};
use libfuzzer_sys::fuzz_target;

const BUDGET: u64 = 40;
const IDS: [&str; 4] = ["a", "b", "p-1", "1"];

fuzz_target!(|text: &str| {
    let items = IDS.map(|id| Item::new(id, 1.0, 10, true).expect("an item"));
    let pool = Pool::new(items.to_vec()).expect("a pool");
    let reading = PlanReading::new(text, &pool, BUDGET);
    let Some(plan) = reading.plan() else { return };
    let mut seen = [false; IDS.len()];
    for step in plan.steps() {
        assert!(!std::mem::replace(&mut seen[step.position], true));
    }
    let allocated: u128 = plan.steps().iter().map(|step| u128::from(step.allocation)).sum();
    assert_eq!(plan.allocated(), allocated);
    assert_eq!(matches!(reading, PlanReading::Plan { .. }), allocated <= u128::from(BUDGET));

    let steps = plan
        .steps()
        .iter()
        .map(|step| serde_json::json!({ "id": IDS[step.position], "allocation": step.allocation }));
    let written = serde_json::json!({ "plan": steps.collect::<Vec<_>>() }).to_string();
    let again = PlanReading::new(&written, &pool, BUDGET);
    assert_eq!((again.plan(), again.repairs()), (Some(plan), &[][..]));
});
