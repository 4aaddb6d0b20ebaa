//! What is read is what could have been built: no door lets a wrong value in.

#![no_main]

use libfuzzer_sys::fuzz_target;
use scoring_rules::{Interval, Level, Probability};

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
});
