//! Calibration maps against scikit-learn and mpmath (`golden/calibration.py`), and what must hold
//! of them whatever the data are.

use proptest::prelude::*;
use scoring_rules::Error as Shared;
use serde_json::Value;
use trajectory_metrics::{
    CalibrationMap, Calibrator, CrossFit, Folds, Isotonic, Platt, PlattMap, Traces, WeightSchedule,
};

use crate::common::{json_numbers, probability, ps, ws};
use crate::weighted_records::{Row, fit_rows, forecast, rows};

fn cases(kind: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../golden/calibration.json")).unwrap();
    file[kind].as_array().unwrap().clone()
}

fn fit<C: Calibrator>(calibrator: &C, case: &Value, forecasts: &str) -> C::Map {
    let outcomes = case["outcome"].as_array().unwrap();
    let outcomes: Vec<bool> = outcomes.iter().map(|y| y.as_bool().unwrap()).collect();
    let forecasts = json_numbers(&case[forecasts]);
    let forecasts = ps(&forecasts);
    calibrator.fit(forecasts, &outcomes, Some(ws(&json_numbers(&case["weights"])))).unwrap()
}

/// The largest error so far, relative for numbers beyond 1 and absolute below.
#[derive(Default)]
struct Worst(f64);

impl Worst {
    fn see(&mut self, value: f64, exact: f64, limit: f64, what: &str) {
        let error = (value - exact).abs() / exact.abs().max(1.0);
        assert!(error <= limit, "{what}: {value:e} instead of {exact:e}");
        self.0 = self.0.max(error);
    }
}

#[test]
fn isotonic_maps_equal_scikit_learns() {
    let cases = cases("isotonic");
    assert!(cases.len() >= 9);
    let mut worst = Worst::default();
    for case in cases {
        let map = fit(&Isotonic, &case, "confidence");
        for (forecast, fitted) in
            json_numbers(&case["confidence"]).into_iter().zip(json_numbers(&case["fitted"]))
        {
            worst.see(
                map.apply(probability(forecast)).get(),
                fitted,
                1e-14,
                &case["name"].to_string(),
            );
        }
    }
    println!("isotonic: largest error {:.1e}", worst.0);
}

#[test]
fn platt_fits_equal_those_with_50_digits() {
    let (mut seen_fallback, mut worst) = (0, Worst::default());
    for case in cases("platt") {
        let name = case["name"].to_string();
        let number = |field: &str| case[field].as_f64().unwrap();
        let map = fit(&Platt::default(), &case, "forecasts");
        worst.see(map.mean(), number("mean"), 1e-14, &name);
        worst.see(map.scale(), number("std").max(1e-6), 1e-14, &name);
        assert_eq!(map.is_degenerate(), number("std") < 1e-6, "{name}");
        assert_eq!(map.is_fallback(), number("b") < 0.0, "{name}");
        if map.is_fallback() {
            seen_fallback += 1;
            the_map_is_the_base_rate(&map, &case);
            continue;
        }
        worst.see(map.intercept(), number("a"), 1e-13, &name);
        worst.see(map.slope(), number("b"), 1e-13, &name);
        for pair in case["calibrated_at"].as_array().unwrap() {
            let pair = json_numbers(pair);
            worst.see(map.apply(probability(pair[0])).get(), pair[1], 1e-14, &name);
        }
    }
    assert_eq!(seen_fallback, 2);
    println!("platt: largest error {:.1e}", worst.0);
}

fn the_map_is_the_base_rate(map: &PlattMap, case: &Value) {
    let weights = json_numbers(&case["weights"]);
    let outcomes = case["outcome"].as_array().unwrap();
    let won: f64 = weights.iter().zip(outcomes).filter(|(_, y)| **y == true).map(|(w, _)| w).sum();
    let base_rate = won / weights.iter().sum::<f64>();
    assert_eq!(map.slope(), 0.0);
    for forecast in [0.0, 0.1, 0.5, 1.0] {
        assert!(
            (map.apply(probability(forecast)).get() - base_rate).abs() < 1e-14,
            "{}",
            case["name"]
        );
    }
}

/// Every row as often as its weight says.
fn copied(rows: &[Row]) -> Vec<Row> {
    rows.iter().flat_map(|&(p, y, n)| (0..n).map(move |_| (p, y, 1))).collect()
}

/// The isotonic fit by its formula: the largest over starts of the smallest over ends of the mean.
fn max_of_min_means(rows: &[Row], at: f64) -> f64 {
    let mean = |low: f64, high: f64| {
        let inside = rows.iter().filter(|row| (low..=high).contains(&row.0));
        let (won, all) =
            inside.fold((0, 0), |(won, all), row| (won + u32::from(row.1) * row.2, all + row.2));
        f64::from(won) / f64::from(all)
    };
    let starts = rows.iter().map(|row| row.0).filter(|&low| low <= at);
    starts
        .map(|low| {
            let ends = rows.iter().map(|row| row.0).filter(|&high| high >= at);
            ends.map(|high| mean(low, high)).fold(1.0, f64::min)
        })
        .fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn maps_never_fall_and_stay_in_range(
        rows in rows(),
        mut at in prop::collection::vec(forecast(), 2..50),
    ) {
        at.sort_unstable_by(f64::total_cmp);
        let platt = fit_rows(&Platt::default(), &rows);
        let isotonic = fit_rows(&Isotonic, &rows);
        for pair in at.windows(2) {
            for map in [&platt as &dyn CalibrationMap, &isotonic] {
                prop_assert!(map.apply(probability(pair[0])) <= map.apply(probability(pair[1])));
            }
            let calibrated = platt.apply(probability(pair[0])).get();
            prop_assert!((1e-6..=1.0 - 1e-6).contains(&calibrated));
        }
    }

    #[test]
    fn the_order_of_records_leaves_no_trace((rows, shuffled) in rows().prop_flat_map(|rows| {
        (Just(rows.clone()), Just(rows).prop_shuffle())
    })) {
        prop_assert_eq!(fit_rows(&Isotonic, &rows), fit_rows(&Isotonic, &shuffled));
        prop_assert_eq!(fit_rows(&Platt::default(), &rows), fit_rows(&Platt::default(), &shuffled));
    }

    #[test]
    fn a_whole_weight_is_that_many_records(rows in rows()) {
        prop_assert_eq!(fit_rows(&Isotonic, &rows), fit_rows(&Isotonic, &copied(&rows)));
        let weighted = fit_rows(&Platt::default(), &rows);
        let copied = fit_rows(&Platt::default(), &copied(&rows));
        prop_assert_eq!(weighted, copied);
    }

    #[test]
    fn pooling_neighbours_finds_the_isotonic_fit(rows in rows()) {
        let map = fit_rows(&Isotonic, &rows);
        for row in &rows {
            prop_assert!((map.apply(probability(row.0)).get() - max_of_min_means(&rows, row.0)).abs() < 1e-15);
        }
    }
}

/// Streams of a few forecasts, at least four of each outcome, and an id each.
fn traces() -> impl Strategy<Value = (Traces, Vec<u32>)> {
    let stream = || prop::collection::vec(forecast(), 1..6);
    let ids = (8_usize..30).prop_flat_map(|n| Just((0..n as u32).collect()).prop_shuffle());
    ids.prop_flat_map(move |ids: Vec<u32>| {
        let n = ids.len();
        (prop::collection::vec((stream(), any::<bool>()), n), Just(ids))
    })
    .prop_map(|(runs, ids)| {
        let mut traces = Traces::default();
        for (i, (stream, outcome)) in runs.iter().enumerate() {
            let outcome = if i < 8 { i % 2 == 0 } else { *outcome };
            traces.push(ps(stream), outcome).unwrap();
        }
        (traces, ids)
    })
}

proptest! {
    #[test]
    fn halves_are_stratified_and_do_not_depend_on_the_order_of_traces((traces, ids) in traces()) {
        let schedule = WeightSchedule::LinearFront;
        let halves = |traces: &Traces, ids: &[u32]| {
            let folds = Folds::halves(traces.outcomes(), ids).unwrap();
            CrossFit::new(&Platt::default(), traces, &folds, &schedule).unwrap()
        };
        let fitted = halves(&traces, &ids);
        for outcome in [false, true] {
            let both = traces.outcomes().iter().zip(fitted.folds.of_each());
            let in_b: Vec<bool> =
                both.filter(|(y, _)| **y == outcome).map(|(_, fold)| *fold == 1).collect();
            let b = in_b.iter().filter(|b| **b).count();
            prop_assert!((in_b.len() - b) - b <= 1, "A has as many or one more");
        }
        let mut mirrored = Traces::default();
        for trace in traces.iter().collect::<Vec<_>>().into_iter().rev() {
            mirrored.push(trace.forecasts(), trace.outcome()).unwrap();
        }
        let back: Vec<u32> = ids.iter().rev().copied().collect();
        let mirrored = halves(&mirrored, &back);
        prop_assert_eq!(mirrored.maps, fitted.maps);
        prop_assert!(mirrored.folds.of_each().iter().rev().eq(fitted.folds.of_each()));
        prop_assert!(mirrored.traces.iter().eq(fitted
            .traces
            .iter()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()));
    }

    #[test]
    fn no_trace_is_calibrated_by_a_map_that_saw_it(
        (traces, ids) in traces(),
        change in forecast(),
        isotonic in any::<bool>(),
    ) {
        fn check<C: Calibrator<Map: PartialEq + std::fmt::Debug>>(
            calibrator: &C,
            traces: &Traces,
            ids: &[u32],
            change: f64,
        ) -> Result<(), TestCaseError> {
            let folds = Folds::new(traces.outcomes(), ids, 3).unwrap();
            let cross = |traces: &Traces| {
                CrossFit::new(calibrator, traces, &folds, &WeightSchedule::LinearFront).unwrap()
            };
            let fitted = cross(traces);
            for fold in 0..3 {
                let changed = traces.map_forecasts(|i, forecast| {
                    if folds.of_each()[i] == fold { probability(change) } else { forecast }
                });
                let again = cross(&changed);
                // The map applied to this fold comes from the others, which have not changed.
                prop_assert_eq!(&again.maps[fold], &fitted.maps[fold]);
                let expected = changed.map_forecasts(|i, forecast| {
                    again.maps[folds.of_each()[i]].apply(forecast)
                });
                prop_assert_eq!(again.traces, expected);
            }
            Ok(())
        }
        if isotonic {
            check(&Isotonic, &traces, &ids, change)?;
        } else {
            check(&Platt::default(), &traces, &ids, change)?;
        }
    }
}

#[test]
fn confidences_near_one_are_shrunk_towards_the_base_rate_and_keep_their_order() {
    // As in the paper's table 1 (made-up runs): 0.90, 0.95 and 1.00, and little behind it.
    let mut traces = Traces::default();
    for i in 0..200 {
        let said = [0.9, 0.95, 1.0][i % 3];
        let success = i * 7 % 25 < if i % 3 == 2 { 13 } else { 10 };
        traces.push(&[probability(0.9), probability(said), probability(said)], success).unwrap();
    }
    let ids: Vec<usize> = (0..200).collect();
    let folds = Folds::halves(traces.outcomes(), &ids).unwrap();
    let schedule = WeightSchedule::LinearFront;
    let fitted = CrossFit::new(&Platt::default(), &traces, &folds, &schedule).unwrap();
    for map in fitted.maps {
        assert!(!map.is_fallback() && !map.is_degenerate());
        let [low, middle, high] = [0.9, 0.95, 1.0].map(|said| map.apply(probability(said)).get());
        assert!(0.3 < low && low < middle && middle < high && high < 0.6, "{map:?}");
        assert!(middle - low < 0.1 * (high - low), "the jump at the clip dominates");
    }
    let short = Folds::halves(&traces.outcomes()[1..], &ids[1..]).unwrap();
    let error = CrossFit::new(&Isotonic, &traces, &short, &schedule).unwrap_err();
    assert_eq!(error, Shared::Length { what: "folds", expected: 200, found: 199 }.into());
}
