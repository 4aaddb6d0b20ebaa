//! Rows with weights, and their blocks of ties.
#![allow(dead_code)]

use proptest::prelude::*;
use scoring_rules::{Probability, TiedBlocks, Weight};

/// A forecast, an outcome and a weight.
pub(crate) type Row = (f64, bool, f64);

pub(crate) fn blocks(rows: &[Row]) -> TiedBlocks {
    let forecasts: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
    let forecasts = Probability::from_slice(&forecasts).unwrap();
    TiedBlocks::new(forecasts, &outcomes, Some(Weight::from_slice(&weights).unwrap())).unwrap()
}

pub(crate) fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), (1..6_u32).prop_map(f64::from), 0.01..3.0_f64]
}
