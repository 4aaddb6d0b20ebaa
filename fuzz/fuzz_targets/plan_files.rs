//! Recorded plans: a pool that is there has at most one text, and whatever it says can be read.

#![no_main]

use agent_scorecard::triage::Answers;
use knapsack_oracle::{Alpha, Item, PlanReading, Pool};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(plans) = Answers::read("f", bytes, &[(None, 3)]) else { return };
    let plans = &plans[0];
    let items =
        [("a", 10), ("b", 20)].map(|(id, cost)| Item::new(id, 1.0, cost, true).expect("an item"));
    let pool = Pool::new(items.to_vec()).expect("a pool");
    for pool_number in 0..3 {
        for alpha in [0.25, 1.0].map(|alpha| Alpha::new(alpha).expect("a share")) {
            if let Some(text) = plans.get(pool_number, 0.0, alpha)
                && let Some(plan) = PlanReading::new(text, &pool, 30).plan()
            {
                assert!(plan.steps().len() <= 2);
            }
        }
    }
    if matches!(plans, Answers::Each(_)) {
        assert_eq!(plans.get(3, 0.0, Alpha::SWEEP[0]), None);
    }
});
