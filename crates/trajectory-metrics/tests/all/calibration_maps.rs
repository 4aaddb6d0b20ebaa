//! Calibration maps against SciPy, scikit-learn and mpmath (`golden/calibration_maps.py`, `golden/calibration.py`), and
//! what must hold of maps and folds whatever the data are.

use std::{collections::BTreeMap, fmt::Debug};

use proptest::prelude::*;
use serde_json::Value;
use trajectory_metrics::{
    BetaCalibration, CalibrationMap, Calibrator, CrossFit, Error, Folds, Isotonic, Platt, PlattMap,
    TemperatureScaling, Traces, VennAbers, WeightSchedule, logistic::fit_standardised,
};

use crate::common::{
    Worst, blocks_of, json_numbers, json_rows, numbers, probability, ps, traces_of, ws,
};
use crate::weighted_records::{Row, fit_rows, forecast, rows};

/// What our map makes of each forecast, in the same form as the golden file.
fn ours(map: &str, rows: [&[f64]; 3], at: &[f64]) -> Vec<f64> {
    let [forecasts, outcomes, weights] = rows;
    let forecasts = ps(forecasts);
    let outcomes: Vec<bool> = outcomes.iter().map(|&y| y == 1.0).collect();
    let at = ps(at);
    let apply = |map: &dyn CalibrationMap| at.iter().map(|&p| map.apply(p).get()).collect();
    let weights = Some(ws(weights));
    match map {
        "beta" => apply(&beta().fit(forecasts, &outcomes, weights).unwrap()),
        "temperature" => apply(&temperature().fit(forecasts, &outcomes, weights).unwrap()),
        "platt" => {
            let platt = Platt::new(1e-12, 1e-6).unwrap();
            apply(&platt.fit(forecasts, &outcomes, weights).unwrap())
        }
        "isotonic" => apply(&Isotonic.fit(forecasts, &outcomes, weights).unwrap()),
        "venn_abers" => {
            let map = VennAbers.fit(forecasts, &outcomes, weights).unwrap();
            let pairs = at.iter().map(|&p| map.pair(p));
            pairs.flat_map(|(p0, p1)| [p0.get(), p1.get()]).collect()
        }
        other => panic!("no map is called {other}"),
    }
}

#[test]
fn maps_equal_those_of_scipy_and_scikit_learn() {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    let rows = include_str!("../golden/calibration_maps.csv").lines().skip(2);
    let mut seen = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [map, case, forecasts, outcomes, weights, at, expected] = fields[..] else {
            panic!("{row}");
        };
        let [forecasts, outcomes, weights, at] =
            [forecasts, outcomes, weights, at].map(numbers::<f64>);
        let ours = ours(map, [&forecasts, &outcomes, &weights], &at);
        let expected: Vec<f64> = numbers(&expected.replace('/', " "));
        assert_eq!(ours.len(), expected.len(), "{map}: {case}");
        let limit = match map {
            "isotonic" | "venn_abers" => 1e-12,
            _ => 1e-8,
        };
        for (ours, expected) in ours.into_iter().zip(expected) {
            let error = (ours - expected).abs();
            assert!(error <= limit, "{map}: {case}: {ours} instead of {expected}");
            let worst = worst.entry(map).or_default();
            *worst = worst.max(error);
        }
        seen += 1;
    }
    assert!(seen >= 60, "{seen}");
    println!("{seen} fits, largest errors {worst:?}");
}

fn cases(kind: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../golden/calibration.json")).unwrap();
    file[kind].as_array().unwrap().clone()
}

fn fit_case<C: Calibrator>(calibrator: &C, case: &Value, forecasts: &str) -> C::Map {
    let (forecasts, outcomes, weights) = json_rows(case, [forecasts, "outcome"]);
    calibrator.fit(ps(&forecasts), &outcomes, weights.as_deref().map(ws)).unwrap()
}

#[test]
fn isotonic_maps_equal_scikit_learns() {
    let cases = cases("isotonic");
    assert!(cases.len() >= 9);
    let mut worst = Worst::default();
    for case in cases {
        let map = fit_case(&Isotonic, &case, "confidence");
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
        let map = fit_case(&Platt::default(), &case, "forecasts");
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
    let (_, outcomes, weights) = json_rows(case, ["forecasts", "outcome"]);
    let weights = weights.unwrap();
    let won: f64 = weights.iter().zip(outcomes).filter(|(_, y)| *y).map(|(w, _)| w).sum();
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

fn beta() -> BetaCalibration {
    BetaCalibration::default()
}

fn temperature() -> TemperatureScaling {
    TemperatureScaling::default()
}

/// Checks that the fits of all calibrators to two lists of records are the same.
fn same_fits(a: &[Row], b: &[Row]) -> Result<(), TestCaseError> {
    fn check<C>(calibrator: &C, a: &[Row], b: &[Row]) -> Result<(), TestCaseError>
    where
        C: Calibrator<Map: PartialEq + Debug>,
    {
        prop_assert_eq!(fit_rows(calibrator, a), fit_rows(calibrator, b));
        Ok(())
    }
    check(&Platt::default(), a, b)?;
    check(&beta(), a, b)?;
    check(&temperature(), a, b)?;
    check(&Isotonic, a, b)?;
    check(&VennAbers, a, b)
}

proptest! {
    #[test]
    fn maps_never_fall(rows in rows(), mut at in prop::collection::vec(forecast(), 2..50)) {
        at.sort_unstable_by(f64::total_cmp);
        let (platt, isotonic) = (fit_rows(&Platt::default(), &rows), fit_rows(&Isotonic, &rows));
        let (beta, temperature) = (fit_rows(&beta(), &rows), fit_rows(&temperature(), &rows));
        let venn_abers = fit_rows(&VennAbers, &rows);
        prop_assert!(beta.coefficients()[..2].iter().all(|slope| *slope >= 0.0) && temperature.temperature() > 0.0);
        for pair in at.windows(2) {
            let [low, high] = [probability(pair[0]), probability(pair[1])];
            for map in [&platt as &dyn CalibrationMap, &isotonic, &beta, &temperature, &venn_abers] {
                prop_assert!(map.apply(low) <= map.apply(high));
            }
            prop_assert!((1e-6..=1.0 - 1e-6).contains(&platt.apply(low).get()));
            let [(low0, low1), (high0, high1)] = [low, high].map(|p| venn_abers.pair(p));
            prop_assert!(low0 <= high0 && low1 <= high1 && low0 <= low1);
        }
    }

    #[test]
    fn the_order_of_records_leaves_no_trace((rows, shuffled) in rows().prop_flat_map(|rows| {
        (Just(rows.clone()), Just(rows).prop_shuffle())
    })) {
        same_fits(&rows, &shuffled)?;
    }

    #[test]
    fn a_whole_weight_is_that_many_records(rows in rows()) {
        let copied: Vec<Row> =
            rows.iter().flat_map(|&(p, y, n)| (0..n).map(move |_| (p, y, 1))).collect();
        same_fits(&rows, &copied)?;
    }

    #[test]
    fn weights_of_any_size_leave_curves_finite_and_a_common_factor_leaves_them_alone(
        rows in rows(),
        powers in prop::collection::vec(-100.0..100.0_f64, 60),
        wild in any::<bool>(),
    ) {
        let (forecasts, outcomes): (Vec<f64>, Vec<bool>) =
            rows.iter().map(|row| (row.0.powf(if wild { 9.0 } else { 1.0 }), row.1)).collect();
        let forecasts = ps(&forecasts);
        let spread: Vec<f64> =
            powers[..rows.len()].iter().map(|power| 10.0_f64.powf(*power)).collect();
        if let Ok(map) = beta().fit(forecasts, &outcomes, Some(ws(&spread))) {
            prop_assert!(map.coefficients().iter().all(|value| value.is_finite()));
        }
        if let Ok(map) = temperature().fit(forecasts, &outcomes, Some(ws(&spread))) {
            prop_assert!(map.temperature() > 0.0);
        }
        // Factors that are powers of two do not change any rounding.
        let [small, large] = [-200, 200].map(|power| {
            let weights: Vec<f64> =
                rows.iter().map(|row| f64::from(row.2) * 2.0_f64.powi(power)).collect();
            let beta = beta().fit(forecasts, &outcomes, Some(ws(&weights))).unwrap();
            (beta, temperature().fit(forecasts, &outcomes, Some(ws(&weights))).unwrap())
        });
        prop_assert_eq!(small, large);
    }

    #[test]
    fn a_venn_abers_pair_is_two_isotonic_fits_with_the_forecast_among_the_records(
        rows in rows(),
        at in forecast(),
    ) {
        let map = fit_rows(&VennAbers, &rows);
        for at in [at, rows[0].0] {
            let with = |outcome: bool| {
                let mut rows = rows.clone();
                rows.push((at, outcome, 1));
                fit_rows(&Isotonic, &rows).apply(probability(at)).get()
            };
            let (p0, p1) = map.pair(probability(at));
            prop_assert!((p0.get() - with(false)).abs() < 1e-15);
            prop_assert!((p1.get() - with(true)).abs() < 1e-15);
            let merged = p1.get() / (1.0 - p0.get() + p1.get());
            prop_assert!((map.apply(probability(at)).get() - merged).abs() < 1e-15);
        }
    }

    #[test]
    fn no_rising_beta_curve_has_less_loss_than_the_fitted_one(
        rows in rows(),
        factors in (0.0..3.0_f64, 0.0..3.0_f64, -3.0..3.0_f64),
    ) {
        let map = fit_rows(&beta(), &rows);
        let loss = |a: f64, b: f64, c: f64| -> f64 {
            rows.iter().map(|&(p, y, weight)| {
                let p = p.clamp(1e-6, 1.0 - 1e-6);
                let z = c + a * p.ln() - b * (-p).ln_1p();
                let signed = if y { -z } else { z };
                f64::from(weight) * (signed.max(0.0) + (-signed.abs()).exp().ln_1p())
            }).sum()
        };
        let [own_a, own_b, own_c] = map.coefficients();
        let best = loss(own_a, own_b, own_c);
        let (a, b, c) = factors;
        let others = [
            (own_a * a, own_b * b, own_c + c),
            (own_a + a, own_b + b, own_c + c),
            (own_a + 1e-3 * a, own_b + 1e-3 * b, own_c + 1e-3 * c),
        ];
        for (a, b, c) in others {
            prop_assert!(loss(a, b, c) >= best - 1e-6, "{map:?}");
        }
    }
}

#[test]
fn what_is_calibrated_already_stays_where_it_is() {
    // The whole population: records that say p succeed with weight p.
    let grid: Vec<f64> = (1..20).map(|i| f64::from(i) / 20.0).collect();
    let of_each = |&p: &f64| [(p, true, 1e4 * p), (p, false, 1e4 * (1.0 - p))];
    let records = blocks_of(grid.iter().flat_map(of_each));
    let fitted = beta().fit_blocks(&records).unwrap();
    let [a, b, c] = fitted.coefficients();
    assert!((a - 1.0).abs() < 1e-9 && (b - 1.0).abs() < 1e-9 && c.abs() < 1e-9, "{fitted:?}");
    let scaled = temperature().fit_blocks(&records).unwrap();
    assert!((scaled.temperature() - 1.0).abs() < 1e-9, "{scaled:?}");
    let venn_abers = VennAbers.fit_blocks(&records).unwrap();
    let isotonic = Isotonic.fit_blocks(&records).unwrap();
    for &said in &grid {
        let moved = |map: &dyn CalibrationMap| (map.apply(probability(said)).get() - said).abs();
        assert!(moved(&fitted) < 1e-9 && moved(&scaled) < 1e-9 && moved(&isotonic) < 1e-12);
        assert!(moved(&venn_abers) < 1e-4, "one record among ten thousand");
    }
}

#[test]
fn two_forecasts_get_the_rates_of_their_records_however_rare_one_of_them_is() {
    // A whole step of Newton's method goes far too far where hardly anything speaks for the one.
    for rare in [1e-2, 1e-4, 1e-8] {
        let said = [0.1, 0.1, 0.999, 0.999].map(probability);
        let weights = [1.0, rare * f64::sqrt(rare), rare, rare];
        let outcomes = [false, true, false, true];
        // The clip of the result.
        let low = (weights[1] / (1.0 + weights[1])).max(1e-6);
        let curve = beta().fit(&said, &outcomes, Some(ws(&weights))).unwrap();
        let platt = Platt::new((1e-12 * rare * rare).max(1e-20), 1e-6).unwrap();
        let line = platt.fit(&said, &outcomes, Some(ws(&weights))).unwrap();
        for map in [&curve as &dyn CalibrationMap, &line] {
            let (found, half) = (map.apply(said[0]).get(), map.apply(said[2]).get());
            assert!((found / low - 1.0).abs() < 1e-6, "{rare:e}: {found:e}");
            assert!((half - 0.5).abs() < 1e-6, "{rare:e}: {half}");
        }
    }
}

/// Runs of few steps, an outcome, a task that some share; enough of both outcomes.
fn runs() -> impl Strategy<Value = Vec<(Vec<f64>, bool, u32)>> {
    let run = (prop::collection::vec(forecast(), 1..4), any::<bool>(), 0..12_u32);
    prop::collection::vec(run, 1..40)
}

proptest! {
    #[test]
    fn folds_partition_traces_keep_groups_whole_and_know_no_order(
        (runs, shuffled) in runs().prop_flat_map(|runs| {
            let order: Vec<usize> = (0..runs.len()).collect();
            (Just(runs), Just(order).prop_shuffle())
        }),
        k in 2..6_usize,
    ) {
        let outcomes: Vec<bool> = runs.iter().map(|run| run.1).collect();
        let tasks: Vec<u32> = runs.iter().map(|run| run.2).collect();
        let ids: Vec<usize> = (0..runs.len()).collect();
        let grouped = Folds::clustered(&outcomes, &tasks, k).unwrap();
        let single = Folds::new(&outcomes, &ids, k).unwrap();
        for folds in [&grouped, &single] {
            prop_assert_eq!(folds.of_each().len(), runs.len());
            prop_assert!(folds.of_each().iter().all(|&fold| fold < k));
        }
        for (i, task) in tasks.iter().enumerate() {
            let first = tasks.iter().position(|other| other == task).unwrap();
            prop_assert_eq!(grouped.of_each()[i], grouped.of_each()[first]);
        }
        for outcome in [false, true] {
            let size = |fold: usize| {
                single.of_each().iter().zip(&outcomes).filter(|(f, y)| **f == fold && **y == outcome).count()
            };
            let sizes: Vec<usize> = (0..k).map(size).collect();
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
        fn moved<T: Clone>(order: &[usize], of: &[T]) -> Vec<T> {
            order.iter().map(|&i| of[i].clone()).collect()
        }
        let again = Folds::clustered(&moved(&shuffled, &outcomes), &moved(&shuffled, &tasks), k).unwrap();
        prop_assert_eq!(again.of_each(), moved(&shuffled, grouped.of_each()));
        let again = Folds::new(&moved(&shuffled, &outcomes), &moved(&shuffled, &ids), k).unwrap();
        prop_assert_eq!(again.of_each(), moved(&shuffled, single.of_each()));
    }

    #[test]
    fn what_happened_in_a_task_does_not_reach_its_own_forecasts(runs in runs(), task in 0..12_u32) {
        let traces = |runs: &[(Vec<f64>, bool, u32)]| {
            traces_of(runs.iter().map(|(stream, outcome, _)| (stream, *outcome)))
        };
        let tasks: Vec<u32> = runs.iter().map(|run| run.2).collect();
        let before = traces(&runs);
        let mut changed = runs.clone();
        changed.iter_mut().filter(|run| run.2 == task).for_each(|run| run.1 = !run.1);
        // The same folds, so that all that differs is what happened.
        let folds = Folds::clustered(before.outcomes(), &tasks, 3).unwrap();
        let schedule = WeightSchedule::LinearFront;
        let fit = |traces: &Traces| CrossFit::new(&VennAbers, traces, &folds, &schedule);
        if let (Ok(a), Ok(b)) = (fit(&before), fit(&traces(&changed))) {
            for ((a, b), of) in a.traces.iter().zip(b.traces.iter()).zip(&tasks) {
                prop_assert!(*of != task || a.forecasts() == b.forecasts());
            }
        }
    }
}

#[test]
fn folds_of_whole_tasks_are_balanced_in_size_and_outcome() {
    // 60 tasks of 1 to 5 runs, harder and easier ones.
    let tasks: Vec<usize> = (0..60).flat_map(|task| vec![task; 1 + task % 5]).collect();
    let outcomes: Vec<bool> =
        tasks.iter().enumerate().map(|(i, task)| (i * 7 + task * 3) % 10 < task % 10).collect();
    for k in [2, 3, 5] {
        let folds = Folds::clustered(&outcomes, &tasks, k).unwrap();
        for outcome in [false, true] {
            let mut sizes = vec![0_usize; k];
            for (&fold, _) in folds.of_each().iter().zip(&outcomes).filter(|(_, y)| **y == outcome)
            {
                sizes[fold] += 1;
            }
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 2, "{k}: {sizes:?}");
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
        let of_run = |(i, (stream, outcome))| (stream, if i < 8 { i % 2 == 0 } else { outcome });
        (traces_of(runs.into_iter().enumerate().map(of_run)), ids)
    })
}

proptest! {
    #[test]
    fn halves_are_stratified_and_do_not_depend_on_the_order_of_traces((traces, ids) in traces()) {
        let schedule = WeightSchedule::LinearFront;
        let halves = |traces: &Traces, ids: &[u32]| {
            let folds = Folds::new(traces.outcomes(), ids, 2).unwrap();
            CrossFit::new(&Platt::default(), traces, &folds, &schedule).unwrap()
        };
        let fitted = halves(&traces, &ids);
        // Half A has as many of each outcome as half B, or one more.
        for outcome in [false, true] {
            let both = traces.outcomes().iter().zip(fitted.folds.of_each());
            let of_outcome = both.filter(|(y, _)| **y == outcome);
            let excess: isize = of_outcome.map(|(_, fold)| 1 - 2 * *fold as isize).sum();
            prop_assert!((0..=1).contains(&excess));
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
        fn check<C: Calibrator<Map: PartialEq + Debug>>(
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
    let traces = traces_of((0..200).map(|i| {
        let said = [0.9, 0.95, 1.0][i % 3];
        ([0.9, said, said], i * 7 % 25 < if i % 3 == 2 { 13 } else { 10 })
    }));
    let ids: Vec<usize> = (0..200).collect();
    let folds = Folds::new(traces.outcomes(), &ids, 2).unwrap();
    let schedule = WeightSchedule::LinearFront;
    let fitted = CrossFit::new(&Platt::default(), &traces, &folds, &schedule).unwrap();
    for map in fitted.maps {
        assert!(!map.is_fallback() && !map.is_degenerate());
        let [low, middle, high] = [0.9, 0.95, 1.0].map(|said| map.apply(probability(said)).get());
        assert!(0.3 < low && low < middle && middle < high && high < 0.6, "{map:?}");
        assert!(middle - low < 0.1 * (high - low), "the jump at the clip dominates");
    }
    let short = Folds::new(&traces.outcomes()[1..], &ids[1..], 2).unwrap();
    let error = CrossFit::new(&Isotonic, &traces, &short, &schedule).unwrap_err();
    assert_eq!(error, scoring_rules::checks::length("folds", 200, 199).into());
}

#[test]
fn a_logistic_fit_refuses_numbers_that_have_no_line() {
    let fit = |feature: f64, failures: f64, penalty: f64| {
        let (first, second) = ([feature], [3.0]);
        let rows: [(&[f64], f64, f64); 2] = [(&first, failures, 1.0), (&second, 1.0, 3.0)];
        fit_standardised(1, rows, penalty).map(|(line, ..)| line.slopes[0] > 0.0)
    };
    assert_eq!(fit(1.0, 3.0, 1e-9), Ok(true));
    let message = |found: Result<bool, Error>| found.unwrap_err().to_string();
    for feature in [f64::NAN, f64::INFINITY, 1e200] {
        let expected = format!("feature of row 0 is {feature:e}; it must be from -1e30 to 1e30");
        assert!(message(fit(feature, 3.0, 1e-9)).starts_with(&expected));
    }
    assert!(message(fit(1.0, -1.0, 1e-9)).starts_with("weight is -1; "));
    for penalty in [f64::NAN, 0.0, 1e21] {
        assert!(message(fit(1.0, 3.0, penalty)).contains("from 1e-20 to 1e20"));
    }
}
