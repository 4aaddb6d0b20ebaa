//! Curves, weights and losses where being cut off is the event: against scikit-survival
//! (`golden/survival.py`), and what must hold whatever the runs are.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use censoring::{
    Error, IpcwWeights, KaplanMeier, Probability, RunEnd, StopTimes, Weight,
    doubly_robust_mean_score, ipcw_brier_loss,
};
use proptest::prelude::*;

/// The estimate with predictions that cannot fail.
fn doubly_robust<'g>(
    scores: &[Option<f64>],
    stops: &StopTimes,
    survival: impl Fn(usize) -> &'g KaplanMeier,
    prediction: impl Fn(usize, f64) -> f64,
) -> Result<f64, Error> {
    doubly_robust_mean_score(scores, stops, survival, |run, t| Ok(prediction(run, t)))
}

fn numbers(list: &str) -> Vec<f64> {
    list.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Scikit-survival's loss from our curve: weights at the times themselves, and without the runs
/// that were cut off at the horizon.
fn brier_without_left_limits(
    forecasts: &[f64],
    stops: &StopTimes,
    g: &KaplanMeier,
    horizon: f64,
) -> f64 {
    let rows = stops.times().iter().zip(stops.censored()).zip(forecasts);
    let losses = rows.map(|((&time, &cut_off), forecast)| {
        let (known_at, outcome) = match (time > horizon, cut_off) {
            (true, _) => (horizon, 1.0),
            (false, false) => (time, 0.0),
            (false, true) => return 0.0,
        };
        // It counts what cannot be seen as nothing.
        if g.at(known_at) == 0.0 { 0.0 } else { (outcome - forecast).powi(2) / g.at(known_at) }
    });
    losses.sum::<f64>() / forecasts.len() as f64
}

/// Every pair of an outcome and a cut-off, at 1, 2 or 3, as often as it is expected: the sample is the
/// truth, and G is estimated without an error.
#[test]
fn an_ipcw_brier_loss_with_left_limits_is_the_loss_of_all_runs_where_times_are_shared() {
    let (outcomes, cut_offs) = ([(1.0_f64, 3), (2.0, 2), (3.0, 1)], [(1.0, 1), (2.0, 2), (3.0, 3)]);
    // What is forecast of a run depends on when its outcome would come.
    let forecast = |outcome: f64| 0.2 * outcome;
    for horizon in [1.0, 2.0, 2.5] {
        let (mut times, mut flags, mut forecasts, mut truth) = (vec![], vec![], vec![], 0.0);
        for (outcome, often) in outcomes {
            for (cut_off, times_often) in cut_offs {
                for _ in 0..often * times_often {
                    times.push(outcome.min(cut_off));
                    // An outcome comes before a cut-off at the same time.
                    flags.push(cut_off < outcome);
                    forecasts.push(forecast(outcome));
                    truth += (forecast(outcome) - f64::from(outcome > horizon)).powi(2) / 36.0;
                }
            }
        }
        let stops =
            StopTimes::new(&times, flags.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let checked = Probability::from_slice(&forecasts).unwrap();
        let loss = ipcw_brier_loss(checked, &stops, |_| &g, horizon).unwrap();
        assert!((loss - truth).abs() < 1e-14, "{horizon}: {loss}, truth {truth}");
        let other = brier_without_left_limits(&forecasts, &stops, &g, horizon);
        assert!((other - truth).abs() > 0.003, "{horizon}: {other}, truth {truth}");
    }
}

#[test]
fn curves_and_brier_losses_are_those_of_scikit_survival_to_1e_12() {
    let (mut worst, mut sets, mut values, mut apart) = ([0.0_f64; 3], 0, 0, 0);
    for line in include_str!("golden/survival.csv").lines().skip(2) {
        let [_, times, flags, forecasts, steps, curve, horizons, before, at] =
            line.split(';').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let (times, forecasts) = (numbers(times), numbers(forecasts));
        let cut_off: Vec<bool> = flags.chars().map(|flag| flag == '1').collect();
        let stops =
            StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None)
                .unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        for (step, value) in numbers(steps).into_iter().zip(numbers(curve)) {
            worst[0] = worst[0].max((g.at(step) - value).abs());
            values += 1;
        }
        let checked = Probability::from_slice(&forecasts).unwrap();
        let losses = numbers(before).into_iter().zip(numbers(at));
        for (horizon, (before, at)) in numbers(horizons).into_iter().zip(losses) {
            let loss = ipcw_brier_loss(checked, &stops, |_| &g, horizon).unwrap();
            worst[1] = worst[1].max((loss - before).abs());
            let loss = brier_without_left_limits(&forecasts, &stops, &g, horizon);
            worst[2] = worst[2].max((loss - at).abs());
            apart += usize::from((before - at).abs() > 1e-3);
            values += 2;
        }
        sets += 1;
    }
    println!("{sets} sets, {values} values, worst {worst:?}; left limits matter in {apart}");
    assert_eq!(sets, 200);
    assert!(values > 2_000 && apart > 200);
    assert!(worst.iter().all(|worst| *worst < 1e-12), "{worst:?}");
}

/// Time, whether cut off, weight, score or prediction.
type Row = (u8, bool, u8, f64);

/// What there is to compute from rows.
#[derive(Debug)]
struct Numbers {
    curves: [KaplanMeier; 2],
    /// IPCW mean, normalised, coverage, doubly robust, Brier.
    values: [f64; 5],
}

fn compute(rows: &[Row], weights: bool) -> Numbers {
    let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
    let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
    let of_rows: Vec<f64> = rows.iter().map(|row| f64::from(row.2) / 3.0).collect();
    let scores: Vec<Option<f64>> = rows.iter().map(|row| (!row.1).then_some(row.3)).collect();
    let forecasts: Vec<f64> = rows.iter().map(|row| row.3 * row.3).collect();
    let stops = StopTimes::new(
        &times,
        cut_off.iter().map(|&end| RunEnd::cut_off_if(end)),
        weights.then_some(Weight::from_slice(&of_rows[..]).unwrap()),
    )
    .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let ipcw = IpcwWeights::new(&stops, |_| &g, 3.0).unwrap();
    let forecasts = Probability::from_slice(&forecasts).unwrap();
    let values = [
        ipcw.mean_score(&scores).unwrap(),
        ipcw.normalized_mean_score(&scores).unwrap(),
        ipcw.coverage(),
        doubly_robust(&scores, &stops, |_| &g, |run, t| rows[run].3 / (1.0 + t)).unwrap(),
        ipcw_brier_loss(forecasts, &stops, |_| &g, 4.0).unwrap(),
    ];
    Numbers { curves: [g, KaplanMeier::event_curve(&stops)], values }
}

fn same_bits(a: &Numbers, b: &Numbers) -> Result<(), TestCaseError> {
    prop_assert_eq!(&a.curves, &b.curves);
    prop_assert_eq!(a.values.map(f64::to_bits), b.values.map(f64::to_bits));
    Ok(())
}

/// The last row is complete and later than all others, so that the longest run can be seen.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0_u8..9, any::<bool>(), 1_u8..5, -1.0..0.0_f64), 1..40).prop_map(
        |mut rows| {
            rows.push((9, false, 1, -0.5));
            rows
        },
    )
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

proptest! {
    #[test]
    fn a_weight_of_two_is_the_run_twice_and_zero_leaves_no_trace(rows in rows()) {
        let once: Vec<Row> = rows.iter().map(|row| (row.0, row.1, 2 * row.2, row.3)).collect();
        let twice: Vec<Row> = rows.iter().chain(&rows).copied().collect();
        same_bits(&compute(&once, true), &compute(&twice, true))?;
        let mut with_none = rows.clone();
        with_none.insert(0, (20, true, 0, -0.3));
        with_none.push((30, false, 0, -0.3));
        same_bits(&compute(&with_none, true), &compute(&rows, true))?;
    }

    #[test]
    fn whole_weights_are_that_many_copies(rows in rows()) {
        let thirds: Vec<Row> = rows.iter().map(|row| (row.0, row.1, 3 * row.2, row.3)).collect();
        let copies: Vec<Row> =
            rows.iter().flat_map(|row| std::iter::repeat_n(*row, row.2.into())).collect();
        same_bits(&compute(&thirds, true), &compute(&copies, false))?;
    }

    #[test]
    fn no_order_of_the_runs_matters_to_the_bit(rows in rows(), by in 0_usize..40) {
        let mut others = rows.clone();
        others.reverse();
        let by = by % others.len();
        others.rotate_left(by);
        same_bits(&compute(&rows, true), &compute(&others, true))?;
    }

    #[test]
    fn the_product_of_both_curves_is_the_share_of_runs_that_had_not_stopped(rows in rows()) {
        let Numbers { curves: [g, going_on], .. } = compute(&rows, true);
        let total: f64 = rows.iter().map(|row| f64::from(row.2)).sum();
        for time in 0..10 {
            let left: u32 = rows.iter().filter(|row| row.0 > time).map(|row| u32::from(row.2)).sum();
            let share = f64::from(left) / total;
            let time = f64::from(time);
            prop_assert!(close(g.at(time) * going_on.at(time), share), "{time}");
        }
    }

    #[test]
    fn without_cut_offs_the_curve_is_the_share_left_and_every_estimate_the_plain_one(rows in rows()) {
        let rows: Vec<Row> = rows.into_iter().map(|row| (row.0, false, row.2, row.3)).collect();
        let Numbers { curves: [g, going_on], values } = compute(&rows, true);
        prop_assert!(g.times().is_empty());
        let total: f64 = rows.iter().map(|row| f64::from(row.2)).sum();
        let mean = |of: &dyn Fn(&Row) -> f64| {
            rows.iter().map(|row| f64::from(row.2) * of(row)).sum::<f64>() / total
        };
        for time in 0..10 {
            let share = mean(&|row| f64::from(row.0 > time));
            prop_assert!(close(going_on.at(time.into()), share));
        }
        let score = mean(&|row| row.3);
        let brier = mean(&|row| (row.3 * row.3 - f64::from(row.0 > 4)).powi(2));
        for (value, plain) in values.into_iter().zip([score, score, 1.0, score, brier]) {
            prop_assert!(close(value, plain), "{value} {plain}");
        }
    }

    #[test]
    fn one_minus_kaplan_meier_is_a_mean_under_inverse_probability_weights(
        rows in rows(),
        last_is_cut_off in any::<bool>(),
    ) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let mut cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
        *cut_off.last_mut().unwrap() = last_is_cut_off;
        let stops = StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
        prop_assert_eq!(weights.truncated(), 0);
        let going_on = KaplanMeier::event_curve(&stops);
        for time in 0..10 {
            let ended: Vec<Option<f64>> = rows.iter().zip(&cut_off)
                .map(|(row, cut_off)| (!cut_off).then(|| f64::from(row.0 <= time)))
                .collect();
            let share = weights.mean_score(&ended).unwrap();
            prop_assert!(close(share, 1.0 - going_on.at(time.into())), "{time}: {share}");
        }
        // What can never be seen is missing in the coverage.
        prop_assert!(close(weights.coverage(), 1.0 - going_on.at(9.0)));
    }

    #[test]
    fn truncated_weights_are_counted(rows in rows(), max_weight in 1.0..4.0_f64) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let stops = StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let whole = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
        let capped = IpcwWeights::new(&stops, |_| &g, max_weight).unwrap();
        let above = whole.as_slice().iter().filter(|weight| weight.get() > max_weight).count();
        prop_assert_eq!(capped.truncated(), above);
        for ((whole, capped), cut_off) in whole.as_slice().iter().zip(capped.as_slice()).zip(&cut_off) {
            prop_assert_eq!(capped.get(), whole.get().min(max_weight));
            prop_assert_eq!(*whole == Weight::ZERO, *cut_off);
        }
    }

    #[test]
    fn a_constant_prediction_adds_nothing_to_inverse_probability_weights(
        rows in rows(),
        constant in -2.0..2.0_f64,
    ) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let scores: Vec<Option<f64>> = rows.iter().map(|row| (!row.1).then_some(row.3)).collect();
        let stops = StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let ipcw = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
        let robust = doubly_robust(&scores, &stops, |_| &g, |_, _| constant).unwrap();
        prop_assert!((robust - ipcw.mean_score(&scores).unwrap()).abs() < 1e-11, "{robust}");
    }

    #[test]
    fn with_the_score_itself_predicted_the_curve_does_not_matter(
        rows in rows(),
        hazards in prop::collection::vec(0.0..0.9_f64, 10),
    ) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let scores: Vec<Option<f64>> = rows.iter().map(|row| (!row.1).then_some(row.3)).collect();
        let stops = StopTimes::new(&times, cut_off.iter().map(|&end| RunEnd::cut_off_if(end)), None).unwrap();
        let steps: Vec<f64> = (0_u8..10).map(f64::from).collect();
        let g = KaplanMeier::from_hazards(&steps, Probability::from_slice(&hazards).unwrap());
        let g = g.unwrap();
        let mean = rows.iter().map(|row| row.3).sum::<f64>() / rows.len() as f64;
        let robust = doubly_robust(&scores, &stops, |_| &g, |run, _| rows[run].3);
        // Inverse chances of up to 1e9 cancel.
        prop_assert!((robust.unwrap() - mean).abs() < 1e-5);
    }
}

#[test]
fn a_common_budget_may_be_the_horizon() {
    let stops = StopTimes::new(
        &[2.0, 30.0, 30.0],
        [RunEnd::Outcome, RunEnd::Outcome, RunEnd::CutOff],
        None,
    )
    .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let forecasts = Probability::from_slice(&[0.5, 0.5, 0.0]).unwrap();
    let loss = ipcw_brier_loss(forecasts, &stops, |_| &g, 30.0).unwrap();
    assert_eq!(loss, (0.25 + 0.25 + 1.0) / 3.0);
}

#[test]
fn what_does_not_fit_is_refused() {
    let stops = StopTimes::new(&[2.0, 3.0], [RunEnd::CutOff, RunEnd::CutOff], None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let p = [Probability::HALF; 2];
    for horizon in [-1.0, f64::INFINITY, f64::NAN] {
        let error = ipcw_brier_loss(&p, &stops, |_| &g, horizon).unwrap_err();
        assert!(error.to_string().starts_with("horizon is"), "{error}");
    }
    let error = ipcw_brier_loss(&p[1..], &stops, |_| &g, 1.0).unwrap_err();
    let length = Error::ScoringRules(scoring_rules::Error::Length {
        what: "forecasts",
        expected: 2,
        found: 1,
    });
    assert_eq!(error, length);
    let later = StopTimes::new(&[4.0, 9.0], [RunEnd::CutOff, RunEnd::CutOff], None).unwrap();
    let error = ipcw_brier_loss(&p, &later, |_| &g, 5.0).unwrap_err();
    assert_eq!(error, Error::ZeroSurvival { run: 1, time: 5.0 });
}

#[test]
fn every_bad_input_names_its_run() {
    let stops =
        StopTimes::new(&[1.0, 2.0, 3.0], [RunEnd::Outcome, RunEnd::CutOff, RunEnd::Outcome], None)
            .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let scores = [Some(0.0), None, Some(0.0)];
    let of = |scores: &[Option<f64>], m: &dyn Fn(usize, f64) -> f64| {
        doubly_robust(scores, &stops, |_| &g, m)
    };
    assert_eq!(of(&scores, &|_, _| 0.0), Ok(0.0));
    let error = of(&scores, &|run, _| if run == 2 { f64::INFINITY } else { 0.0 });
    assert_eq!(error, Err(Error::Prediction { run: 2, time: 2.0, value: f64::INFINITY }));
    let error = of(&scores, &|_, _| f64::NAN).unwrap_err();
    assert!(matches!(error, Error::Prediction { run: 1, time: 2.0, .. }), "{error}");
    assert_eq!(of(&[None; 3], &|_, _| 0.0), Err(Error::MissingScore { run: 0 }));
    assert_eq!(of(&[Some(0.0); 3], &|_, _| 0.0), Err(Error::CensoredWithScore { run: 1 }));
    let length =
        Error::ScoringRules(scoring_rules::Error::Length { what: "scores", expected: 3, found: 2 });
    assert_eq!(of(&scores[1..], &|_, _| 0.0), Err(length));

    let later = StopTimes::new(&[4.0], [RunEnd::CutOff], None).unwrap();
    let gone = StopTimes::new(&[3.0], [RunEnd::CutOff], None).unwrap();
    let zero = KaplanMeier::censoring_curve(&gone);
    let error = doubly_robust(&[None], &later, |_| &zero, |_, _| 0.0);
    assert_eq!(error, Err(Error::ZeroSurvival { run: 0, time: 4.0 }));
}

#[test]
fn the_error_of_a_model_is_returned() {
    let stops = StopTimes::new(&[1.0, 2.0], [RunEnd::CutOff, RunEnd::Outcome], None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let failing = |run: usize, _| if run == 1 { Err(Error::NoBranch) } else { Ok(0.0) };
    let mean = doubly_robust_mean_score(&[None, Some(0.0)], &stops, |_| &g, failing);
    assert_eq!(mean, Err(Error::NoBranch));
}

#[test]
fn a_prediction_that_is_right_costs_no_digits_however_unlikely_it_was_to_see_the_end() {
    for steps in [8_u32, 16, 20, 39, 90] {
        let times: Vec<f64> = (1..=steps).map(f64::from).collect();
        let hazards = vec![Probability::new(0.9).unwrap(); times.len()];
        let g = KaplanMeier::from_hazards(&times, &hazards).unwrap();
        let stops = [f64::from(steps) + 0.5];
        let stops = StopTimes::new(&stops, [RunEnd::Outcome], None).unwrap();
        let mean = doubly_robust(&[Some(-0.3)], &stops, |_| &g, |_, _| -0.3);
        assert_eq!(mean, Ok(-0.3), "{steps} steps");
    }
}

#[test]
fn where_no_run_is_lost_no_prediction_is_asked_for() {
    let hazards = [Probability::ZERO, Probability::HALF];
    let g = KaplanMeier::from_hazards(&[1.0, 2.0], &hazards).unwrap();
    let stops = StopTimes::new(&[3.0], [RunEnd::Outcome], None).unwrap();
    let m = |_, t| if t == 2.0 { -0.5 } else { f64::NAN };
    // 2 * the score - 1 * the prediction at 2.
    let mean = doubly_robust(&[Some(-0.25)], &stops, |_| &g, m);
    assert_eq!(mean, Ok(0.0));
}

#[test]
fn at_a_common_budget_the_model_stands_alone() {
    let stops =
        StopTimes::new(&[5.0, 30.0, 30.0], [RunEnd::Outcome, RunEnd::CutOff, RunEnd::CutOff], None)
            .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let m = |run, _| [0.0, -0.25, -0.75][run];
    let mean = doubly_robust(&[Some(-0.5), None, None], &stops, |_| &g, m);
    assert_eq!(mean, Ok(-0.5));
}

#[test]
fn an_outcome_at_the_time_of_a_cut_off_came_first() {
    let stops =
        StopTimes::new(&[1.0, 1.0, 2.0], [RunEnd::Outcome, RunEnd::CutOff, RunEnd::Outcome], None)
            .unwrap();
    assert_eq!(KaplanMeier::censoring_curve(&stops).survival(), [0.5]);
    assert_eq!(KaplanMeier::event_curve(&stops).survival(), [2.0 / 3.0, 0.0]);
}

#[test]
fn without_a_cut_off_nothing_is_lost() {
    let stops = StopTimes::new(&[1.0, 3.0], [RunEnd::Outcome; 2], None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    assert_eq!((g.at(0.0), g.before(3.0), g.at(f64::INFINITY)), (1.0, 1.0, 1.0));
    assert!(g.times().is_empty());
}

#[test]
fn time_zero_is_a_time() {
    let stops =
        StopTimes::new(&[0.0, -0.0, 3.0], [RunEnd::CutOff, RunEnd::CutOff, RunEnd::CutOff], None)
            .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    assert_eq!((g.before(0.0), g.at(0.0), g.at(3.0)), (1.0, 1.0 / 3.0, 0.0));
}

#[test]
fn times_of_hazards_must_rise() {
    let p = [Probability::HALF; 2];
    for (times, index) in [
        ([-1.0, 2.0], 0),
        ([f64::NAN, 2.0], 0),
        ([2.0, 2.0], 1),
        ([2.0, f64::NAN], 1),
        ([2.0, f64::INFINITY], 1),
    ] {
        let error = KaplanMeier::from_hazards(&times, &p).unwrap_err();
        let Error::ScoringRules(scoring_rules::Error::OutOfOrder { index: at, .. }) = error else {
            panic!("{error}");
        };
        assert_eq!(at, index);
    }
    assert!(KaplanMeier::from_hazards(&[0.0, 1.0], &p).is_ok());
    let error = KaplanMeier::from_hazards(&[0.0], &p).unwrap_err();
    let length = Error::ScoringRules(scoring_rules::Error::Length {
        what: "hazards",
        expected: 1,
        found: 2,
    });
    assert_eq!(error, length);
}

#[test]
#[should_panic(expected = "the time is a NaN")]
fn the_curve_at_no_time_panics() {
    let stops = StopTimes::new(&[1.0], [RunEnd::CutOff], None).unwrap();
    let _ = KaplanMeier::censoring_curve(&stops).at(f64::NAN);
}

#[test]
fn runs_that_are_none_are_named() {
    let of = |times: &[f64], weights: Option<&[Weight]>| {
        StopTimes::new(times, [RunEnd::Outcome, RunEnd::CutOff], weights).map(|_| ()).unwrap_err()
    };
    for value in [-1e-300, f64::INFINITY, f64::NEG_INFINITY] {
        let range = "finite and at least 0";
        let wrong =
            scoring_rules::Error::Entry { what: "stop time of run", index: 1, value, range };
        assert_eq!(of(&[0.0, value], None), wrong.into());
    }
    assert!(matches!(
        of(&[f64::NAN, -1.0], None),
        Error::ScoringRules(scoring_rules::Error::Entry { index: 0, .. })
    ));
    let length = |what, found| {
        Error::ScoringRules(scoring_rules::Error::Length { what, expected: 2, found })
    };
    assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ONE])), length("weights", 1));
    let three = StopTimes::new(&[1.0, 2.0], [RunEnd::CutOff; 3], None).unwrap_err();
    assert_eq!(three, length("ends", 3));
    let empty = Error::ScoringRules(scoring_rules::Error::Empty);
    assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ZERO; 2])), empty);
    assert_eq!(StopTimes::new(&[], [], None), Err(empty));
}

#[test]
fn complete_runs_and_only_those_have_a_score() {
    let stops = StopTimes::new(&[1.0, 2.0], [RunEnd::Outcome, RunEnd::CutOff], None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
    assert_eq!(weights.mean_score(&[Some(-0.5), None]), Ok(-0.25));
    assert_eq!(weights.mean_score(&[None, None]), Err(Error::MissingScore { run: 0 }));
    let both = [Some(1.0), Some(1.0)];
    assert_eq!(weights.mean_score(&both), Err(Error::CensoredWithScore { run: 1 }));
    for score in [f64::NEG_INFINITY, f64::INFINITY, -1.1e100, f64::NAN] {
        let error = weights.mean_score(&[Some(score), None]).unwrap_err();
        assert!(
            matches!(error, Error::ScoringRules(scoring_rules::Error::Entry { index: 0, .. })),
            "{error}"
        );
    }
}

#[test]
fn a_run_that_could_not_be_seen_is_an_error_with_its_time() {
    let earlier = StopTimes::new(&[1.0, 3.0], [RunEnd::Outcome, RunEnd::CutOff], None).unwrap();
    let g = KaplanMeier::censoring_curve(&earlier);
    let stops = StopTimes::new(&[3.0, 3.5], [RunEnd::Outcome; 2], None).unwrap();
    let error = IpcwWeights::new(&stops, |_| &g, 10.0).unwrap_err();
    assert_eq!(error, Error::ZeroSurvival { run: 1, time: 3.5 });
    // A run that was cut off or has weight 0 needs no curve.
    let stops = StopTimes::new(&[3.0, 3.5], [RunEnd::Outcome, RunEnd::CutOff], None).unwrap();
    assert!(IpcwWeights::new(&stops, |_| &g, 10.0).is_ok());
    let stops = StopTimes::new(
        &[3.0, 3.5],
        [RunEnd::Outcome; 2],
        Some(Weight::from_slice(&[1.0, 0.0]).unwrap()),
    )
    .unwrap();
    assert_eq!(
        IpcwWeights::new(&stops, |_| &g, 10.0).unwrap().as_slice(),
        [Weight::ONE, Weight::ZERO]
    );
}

#[test]
fn one_budget_for_all_shows_in_the_coverage() {
    let stops = StopTimes::new(
        &[1.0, 2.0, 30.0, 30.0],
        [RunEnd::Outcome, RunEnd::Outcome, RunEnd::CutOff, RunEnd::CutOff],
        None,
    )
    .unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
    assert_eq!(weights.coverage(), 0.5);
    assert!(weights.are_uniform());
    let scores = [Some(-0.25), Some(-0.75), None, None];
    assert_eq!(weights.normalized_mean_score(&scores), Ok(-0.5));
}

#[test]
fn a_truncation_below_one_and_a_sample_without_a_complete_run_are_errors() {
    let stops = StopTimes::new(&[1.0], [RunEnd::CutOff], None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    for value in [0.5, -1.0, f64::NEG_INFINITY, f64::NAN] {
        let error = IpcwWeights::new(&stops, |_| &g, value).unwrap_err();
        assert!(error.to_string().starts_with("max_weight is"), "{error}");
    }
    let weights = IpcwWeights::new(&stops, |_| &g, 1.0).unwrap();
    assert!(weights.are_uniform());
    let empty = Error::ScoringRules(scoring_rules::Error::Empty);
    assert_eq!(weights.normalized_mean_score(&[None]), Err(empty));
    assert_eq!(weights.mean_score(&[None]), Ok(0.0));
}
