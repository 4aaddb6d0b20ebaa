//! A stored calibration map is refused, or its values are probabilities that do not decrease.

#![no_main]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use trajectory_metrics::{
    BetaCalibrationMap, CalibrationMap, IsotonicMap, PlattMap, Probability, TemperatureMap,
    VennAbersMap,
};

fn check<M>(stored: Value)
where
    M: CalibrationMap + Debug + DeserializeOwned + PartialEq + Serialize,
{
    let Ok(map) = serde_json::from_value::<M>(stored) else { return };
    let written = serde_json::to_string(&map).expect("what was read can be written");
    assert_eq!(serde_json::from_str::<M>(&written).expect("our own text"), map, "{written}");
    let grid = (0..=64).map(|i| Probability::new(f64::from(i) / 64.0).expect("in range"));
    let values: Vec<f64> = grid.map(|p| map.apply(p).get()).collect();
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)), "{map:?}");
    // Up to rounding in the last digit.
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-15), "{map:?} {values:?}");
}

/// A number from 0 to 1, or any number.
fn number(word: &[u8; 8]) -> f64 {
    let bits = u64::from_le_bytes(*word);
    if bits % 4 == 0 { f64::from_bits(bits) } else { (bits >> 11) as f64 / (1_u64 << 53) as f64 }
}

fuzz_target!(|bytes: &[u8]| {
    let mut x: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(number).collect();
    if let [mean, scale, intercept, slope, clip, mean_b, scale_b, slope_b, ..] = x[..] {
        let (fallback, degenerate) = (slope == 0.0, scale < 0.5);
        check::<PlattMap>(json!({
            "standard": { "mean": mean, "scale": scale, "degenerate": degenerate },
            "intercept": intercept, "slope": slope, "clip": clip, "fallback": fallback,
        }));
        check::<TemperatureMap>(json!({
            "slope": slope, "clip": clip, "fallback": fallback, "degenerate": degenerate,
        }));
        check::<BetaCalibrationMap>(json!({
            "standards": [
                { "mean": mean, "scale": scale, "degenerate": degenerate },
                { "mean": mean_b, "scale": scale_b, "degenerate": degenerate },
            ],
            "intercept": intercept, "slopes": [slope, slope_b], "clip": clip, "fallback": fallback,
        }));
    }
    // In the given order, and sorted, so that fewer are refused.
    for _ in 0..2 {
        check::<IsotonicMap>(json!({ "knots": x.as_chunks::<2>().0 }));
        let (knots, numbers) = x.split_at(x.len() / 7);
        let cells = &numbers.as_chunks::<3>().0;
        let cells = &cells[..cells.len().min(2 * knots.len() + 1)];
        check::<VennAbersMap>(json!({ "knots": knots, "cells": cells }));
        x.sort_by(f64::total_cmp);
    }
});
