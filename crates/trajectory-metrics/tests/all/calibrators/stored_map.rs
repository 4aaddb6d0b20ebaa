use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::fmt::Debug;
use trajectory_metrics::{
    BetaCalibration, BetaCalibrationMap, Calibrator, Isotonic, IsotonicMap, Platt, PlattMap,
    TemperatureMap, TemperatureScaling, VennAbers, VennAbersMap,
};

use crate::common::{ps, ws};

const SAID: [f64; 8] = [0.0, 0.1, 0.1, 0.35, 0.6, 0.6, 0.93, 1.0];
const OUTCOMES: [bool; 8] = [false, false, true, false, true, false, true, true];

/// Writes a map and reads it, without keys that are not known; returns the stored form.
fn stored_as_it_is<M: Serialize + DeserializeOwned + PartialEq + Debug>(map: &M) -> Value {
    let text = serde_json::to_string(map).unwrap();
    let back = serde_json::from_str::<M>(&text).map_err(|e| e.to_string());
    assert_eq!(back.as_ref(), Ok(map), "{text}");
    let stored: Value = serde_json::from_str(&text).unwrap();
    let mut more = stored.clone();
    more["not_a_field"] = json!(1);
    assert!(serde_json::from_value::<M>(more).is_err(), "{text}");
    stored
}

fn stored<C: Calibrator>(calibrator: &C) -> Value
where
    C::Map: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let said = ps(&SAID);
    stored_as_it_is(&calibrator.fit(said, &OUTCOMES, None).unwrap())
}

/// Why a stored map is refused after one of its entries was changed.
fn refusal<M: DeserializeOwned + Debug>(stored: &Value, entry: &str, value: Value) -> String {
    let mut changed = stored.clone();
    *changed.pointer_mut(entry).unwrap() = value;
    serde_json::from_value::<M>(changed).unwrap_err().to_string()
}

#[test]
fn a_curve_with_a_number_out_of_its_range_is_refused_by_name() {
    let platt = stored(&Platt::default());
    for (name, values) in [
        ("standard/mean", ["-1e101", "1e101"]),
        ("standard/scale", ["0", "1e101"]),
        ("intercept", ["-1e101", "1e101"]),
        ("slope", ["-0.1", "1e101"]),
        ("clip", ["1e-17", "0.5"]),
    ] {
        for value in values {
            let number: f64 = value.parse().unwrap();
            let said = refusal::<PlattMap>(&platt, &format!("/{name}"), json!(number));
            assert!(said.contains(&format!(" is {value}; it must be ")), "{said}");
        }
    }
    let temperature = stored(&TemperatureScaling::default());
    let said = refusal::<TemperatureMap>(&temperature, "/slope", json!(-1));
    assert_eq!(said, "slope is -1; it must be from 0 to 1e100");
    let beta = stored(&BetaCalibration::default());
    let said = refusal::<BetaCalibrationMap>(&beta, "/slopes/1", json!(-1));
    assert_eq!(said, "slope is -1; it must be from 0 to 1e100");
    let said = refusal::<BetaCalibrationMap>(&beta, "/standards/0/scale", json!(0));
    assert_eq!(said, "scale is 0; it must be from 1e-6 to 1e100");
}

#[test]
fn knots_and_cells_out_of_order_are_refused_with_their_position() {
    let isotonic = stored(&Isotonic);
    let said = refusal::<IsotonicMap>(&isotonic, "/knots/1/0", json!(0.0));
    assert_eq!(said, "knots, entry 1: 0 after 0; give the entries in ascending order");
    let said = refusal::<IsotonicMap>(&isotonic, "/knots/0/1", json!(1.0));
    assert!(said.starts_with("values, entry 1: "), "{said}");
    let said = refusal::<IsotonicMap>(&isotonic, "/knots", json!([]));
    assert_eq!(said, "knots: 0 given, at least 1 needed");

    let venn_abers = stored(&VennAbers);
    let said = refusal::<VennAbersMap>(&venn_abers, "/knots/2", json!(0.1));
    assert_eq!(said, "knots, entry 2: 0.1 after 0.1; give the entries in ascending order");
    let said = refusal::<VennAbersMap>(&venn_abers, "/cells/0/2", json!(1.0));
    assert!(said.starts_with("cells, entry 1: "), "{said}");
    let cells = json!([[0, 0, 0]]);
    let said = refusal::<VennAbersMap>(&venn_abers, "/cells", cells);
    assert_eq!(said, "cells: expected 13, found 1");
    let one =
        json!({ "knots": [0.5], "cells": [[0.3, 0.2, 0.2], [0.3, 0.4, 0.4], [0.3, 0.4, 0.4]] });
    let said = serde_json::from_value::<VennAbersMap>(one).unwrap_err().to_string();
    assert!(said.starts_with("the pair of a cell, entry 1: "), "{said}");
    let none = json!({ "knots": [], "cells": [[0, 0, 0]] });
    assert!(serde_json::from_value::<VennAbersMap>(none).is_err());
}

/// A record, with forecasts at 0 and 1, close to them and close to one another.
fn record() -> impl Strategy<Value = (f64, bool, f64)> {
    let next_to = |p: f64| (0..4).prop_map(move |i| p + f64::from(i) * f64::EPSILON);
    let forecast = prop_oneof![
        0.0..=1.0,
        next_to(0.7),
        (-320..0_i32).prop_map(|digits| 10_f64.powi(digits)),
        (0..4).prop_map(|i| 1.0 - f64::from(i) * f64::EPSILON),
        Just(0.0),
    ];
    let weight = prop_oneof![
        Just(1.0),
        0.1..10.0,
        (-5..=5_i32).prop_map(|digits| 1.1 * 10_f64.powi(digits)),
    ];
    (forecast, any::<bool>(), weight)
}

proptest! {
    #[test]
    fn every_fitted_map_can_be_read(
        records in prop::collection::vec(record(), 1..20),
        clip in prop_oneof![Just(f64::EPSILON / 2.0), Just(1e-6), Just(0.49)],
    ) {
        let said: Vec<_> = records.iter().map(|record| record.0).collect();
        let outcomes: Vec<_> = records.iter().map(|record| record.1).collect();
        let weights: Vec<_> = records.iter().map(|record| record.2).collect();
        let said = ps(&said);
        stored_as_it_is(&Isotonic.fit(said, &outcomes, Some(ws(&weights))).unwrap());
        stored_as_it_is(&VennAbers.fit(said, &outcomes, Some(ws(&weights))).unwrap());
        if outcomes.contains(&true) && outcomes.contains(&false) {
            for penalty in [1e-20, 1.0, 1e20] {
                let platt = Platt::new(penalty, clip).unwrap();
                stored_as_it_is(&platt.fit(said, &outcomes, Some(ws(&weights))).unwrap());
            }
            let temperature = TemperatureScaling::new(clip).unwrap();
            stored_as_it_is(&temperature.fit(said, &outcomes, Some(ws(&weights))).unwrap());
            let beta = BetaCalibration::new(clip).unwrap();
            stored_as_it_is(&beta.fit(said, &outcomes, Some(ws(&weights))).unwrap());
        }
    }
}
