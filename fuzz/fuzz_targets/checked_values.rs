//! What is read is what could have been built: no door lets a wrong value in.

#![no_main]

use censoring::{StopClass, StopReason};
use knapsack_oracle::{Item, Pool};
use libfuzzer_sys::fuzz_target;
use scoring_rules::{Interval, Level, Observed, Probability, Quantiles};

fuzz_target!(|text: &str| {
    if let Ok(value) = serde_json::from_str::<Probability>(text) {
        assert!((0.0..=1.0).contains(&value.get()));
    }
    if let Ok(value) = serde_json::from_str::<Level>(text) {
        assert!(value.get() > 0.0 && value.get() < 1.0);
    }
    if let Ok(value) = serde_json::from_str::<Interval>(text) {
        assert!(value.low() <= value.high());
    }
    if let Ok(item) = serde_json::from_str::<Item>(text) {
        assert!(item.value() > 0.0 && item.cost() > 0);
    }
    if let Ok(pool) = serde_json::from_str::<Pool>(text) {
        assert!(pool.total_cost() > 0);
    }
    let _ = serde_json::from_str::<Observed>(text);
    let _ = serde_json::from_str::<Quantiles>(text);
    let _ = serde_json::from_str::<StopReason>(text).map(|reason| reason.class());
    let _ = serde_json::from_str::<StopClass>(text);
});
