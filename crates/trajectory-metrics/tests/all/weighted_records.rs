//! Records to fit a calibration map to.

use proptest::prelude::*;
use trajectory_metrics::{CalibrationMap, Calibrator, Weight};

use crate::common::{blocks_of, probability, ps};

/// A forecast with ties, an outcome, a whole weight.
pub(crate) type Row = (f64, bool, u32);

pub(crate) fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0_f64, (0..=10_u32).prop_map(|p| f64::from(p) / 10.0)]
}

/// Rows of both outcomes.
pub(crate) fn rows() -> impl Strategy<Value = Vec<Row>> {
    let rows = prop::collection::vec((forecast(), any::<bool>(), 1..6_u32), 2..60);
    rows.prop_map(|mut rows| {
        (rows[0].1, rows[1].1) = (true, false);
        rows
    })
}

pub(crate) fn fit_rows<C: Calibrator>(calibrator: &C, rows: &[Row]) -> C::Map {
    calibrator.fit_blocks(&blocks_of(rows.iter().map(|&(p, y, n)| (p, y, n.into())))).unwrap()
}

/// A fit to records of weight 1.
pub(crate) fn fit<C: Calibrator>(calibrator: &C, forecasts: &[f64], outcomes: &[bool]) -> C::Map {
    calibrator.fit(ps(forecasts), outcomes, Some(&vec![Weight::ONE; outcomes.len()])).unwrap()
}

pub(crate) fn mapped(map: &(impl CalibrationMap + ?Sized), forecast: f64) -> f64 {
    map.apply(probability(forecast)).get()
}
