//! No door lets a wrong value in, and what was read comes back from what is written of it.

#![no_main]

use std::fmt::Debug;

use censoring::{Continuations, StopClass, StopReason};
use knapsack_oracle::{Alpha, Item, Pool};
use libfuzzer_sys::fuzz_target;
use scoring_rules::{Ensemble, Interval, Level, Observed, Probability, Quantiles, Weight};
use serde::{Serialize, de::DeserializeOwned};
use tool_graph::Tool;
use trajectory_metrics::{
    WeightSchedule,
    tool_calls::{ToolCall, Value},
};

/// The value that the text says, if it says one.
fn read<T: Debug + DeserializeOwned + PartialEq + Serialize>(text: &str) -> Option<T> {
    let value: T = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&value).expect("what was read can be written");
    let again: T = serde_json::from_str(&written).expect("our own text");
    assert_eq!(again, value, "{written}");
    Some(value)
}

fuzz_target!(|text: &str| {
    if let Some(value) = read::<Probability>(text) {
        assert!((0.0..=1.0).contains(&value.get()) && value.get().is_sign_positive());
    }
    if let Some(value) = read::<Level>(text) {
        assert!(value.get() > 0.0 && value.get() < 1.0);
    }
    if let Some(value) = read::<Weight>(text) {
        assert!(value.get() >= 0.0 && value.get() <= 1e100);
    }
    if let Some(value) = read::<Interval>(text) {
        assert!(value.low() <= value.high());
    }
    if let Some(value) = read::<Interval<Probability>>(text) {
        assert!(value.low() <= value.high());
    }
    if let Some(value) = read::<Alpha>(text) {
        assert!(value.get() > 0.0 && value.budget(u64::MAX) <= u64::MAX && value.budget(0) == 0);
    }
    if let Some(item) = read::<Item>(text) {
        assert!(item.value() > 0.0 && item.cost() > 0);
    }
    if let Ok(pool) = serde_json::from_str::<Pool>(text) {
        assert!(pool.total_cost() > 0);
    }
    if let Some(Ok(estimate)) = read::<Continuations>(text).map(|branches| branches.estimate()) {
        assert!(estimate.interval.low() <= estimate.probability);
        assert!(estimate.probability <= estimate.interval.high());
    }
    if let Some(reason) = read::<StopReason>(text) {
        assert_eq!(reason.to_string().parse(), Ok(reason));
    }
    if let Ok(schedule) = text.parse::<WeightSchedule>() {
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    read::<Ensemble>(text);
    read::<Observed>(text);
    read::<Quantiles>(text);
    read::<StopClass>(text);
    read::<Tool>(text);
    read::<ToolCall>(text);
    read::<Value>(text);
});
