//! Curves, weights and losses where being cut off is the event: against scikit-survival
//! (`golden/survival.py`), and what must hold whatever the runs are.

use censoring::{CensoringCurves, Error, IpcwWeights, KaplanMeier, StopTimes, Weight};
use proptest::prelude::*;

use crate::{EMPTY, entry, length, position, stops, w};

fn ipcw(stops: &StopTimes, max_weight: f64) -> IpcwWeights {
    let g = KaplanMeier::censoring_curve(stops);
    IpcwWeights::new(stops, |_| &g, max_weight).unwrap()
}

fn numbers(list: &str) -> Vec<f64> {
    list.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// The inverse-probability-weighted Brier loss of scikit-survival from our curve, at the left limits or at the times
/// themselves. The latter leaves out the runs that were cut off at the horizon, and counts what cannot be seen as 0.
fn brier(
    (forecasts, times, censored): (&[f64], &[f64], &[bool]),
    g: &KaplanMeier,
    horizon: f64,
    left_limits: bool,
) -> f64 {
    let at = |time| if left_limits { g.before(time) } else { g.at(time) };
    let rows = times.iter().zip(censored).zip(forecasts);
    let losses = rows.map(|((&time, &cut_off), forecast)| {
        let (known_at, outcome) = match (time > horizon, cut_off) {
            (true, _) => (horizon, 1.0),
            (false, true) if left_limits && time == horizon => (horizon, 1.0),
            (false, true) => return 0.0,
            (false, false) => (time, 0.0),
        };
        if at(known_at) == 0.0 { 0.0 } else { (outcome - forecast).powi(2) / at(known_at) }
    });
    losses.sum::<f64>() / forecasts.len() as f64
}

#[test]
fn curves_and_brier_losses_are_those_of_scikit_survival_to_1e_12() {
    let (mut worst, mut sets, mut values, mut apart) = ([0.0_f64; 3], 0, 0, 0);
    for line in include_str!("../golden/survival.csv").lines().skip(2) {
        let [_, times, flags, forecasts, steps, curve, horizons, before, at] =
            line.split(';').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let (times, forecasts) = (numbers(times), numbers(forecasts));
        let cut_off: Vec<bool> = flags.chars().map(|flag| flag == '1').collect();
        let g = KaplanMeier::censoring_curve(&stops(&times, &cut_off));
        for (step, value) in numbers(steps).into_iter().zip(numbers(curve)) {
            worst[0] = worst[0].max((g.at(step) - value).abs());
            values += 1;
        }
        let losses = numbers(before).into_iter().zip(numbers(at));
        for (horizon, (before, at)) in numbers(horizons).into_iter().zip(losses) {
            for (at, want, left_limits) in [(1, before, true), (2, at, false)] {
                let loss = brier((&forecasts, &times, &cut_off), &g, horizon, left_limits);
                worst[at] = worst[at].max((loss - want).abs());
            }
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
    /// IPCW mean, normalised, coverage.
    values: [f64; 3],
}

fn compute(rows: &[Row], weights: bool) -> Numbers {
    let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
    let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
    let of_rows: Vec<f64> = rows.iter().map(|row| f64::from(row.2) / 3.0).collect();
    let scores: Vec<Option<f64>> = rows.iter().map(|row| (!row.1).then_some(row.3)).collect();
    let stops = StopTimes::new(&times, &cut_off, weights.then_some(w(&of_rows[..]))).unwrap();
    let ipcw = ipcw(&stops, 3.0);
    let values = [
        ipcw.mean_score(&scores).unwrap(),
        ipcw.normalized_mean_score(&scores).unwrap(),
        ipcw.coverage(),
    ];
    let curves = [KaplanMeier::censoring_curve(&stops), KaplanMeier::event_curve(&stops)];
    Numbers { curves, values }
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
    fn whole_weights_are_that_many_copies_in_any_order_and_zero_leaves_no_trace(
        rows in rows(),
        by in 0_usize..40,
    ) {
        let thirds: Vec<Row> = rows.iter().map(|row| (row.0, row.1, 3 * row.2, row.3)).collect();
        let copies = rows.iter().rev().flat_map(|row| std::iter::repeat_n(*row, row.2.into()));
        let mut copies: Vec<Row> = copies.collect();
        let by = by % copies.len();
        copies.rotate_left(by);
        same_bits(&compute(&thirds, true), &compute(&copies, false))?;
        let mut with_none = rows.clone();
        with_none.insert(0, (20, true, 0, -0.3));
        with_none.push((30, false, 0, -0.3));
        same_bits(&compute(&with_none, true), &compute(&rows, true))?;
    }

    #[test]
    fn no_order_of_the_runs_matters_to_the_bit_and_a_weight_of_two_is_the_run_twice(
        rows in rows(),
        by in 0_usize..40,
    ) {
        let mut others: Vec<Row> = rows.iter().rev().copied().collect();
        others.rotate_left(by % rows.len());
        same_bits(&compute(&rows, true), &compute(&others, true))?;
        others.extend(&rows);
        let doubled: Vec<Row> = rows.iter().map(|row| (row.0, row.1, 2 * row.2, row.3)).collect();
        same_bits(&compute(&doubled, true), &compute(&others, true))?;
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
        prop_assert!(g.steps().len() == 0);
        let total: f64 = rows.iter().map(|row| f64::from(row.2)).sum();
        let mean = |of: &dyn Fn(&Row) -> f64| {
            rows.iter().map(|row| f64::from(row.2) * of(row)).sum::<f64>() / total
        };
        for time in 0..10 {
            let share = mean(&|row| f64::from(row.0 > time));
            prop_assert!(close(going_on.at(time.into()), share));
        }
        let score = mean(&|row| row.3);
        for (value, plain) in values.into_iter().zip([score, score, 1.0]) {
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
        let stops = stops(&times, &cut_off);
        let weights = ipcw(&stops, f64::INFINITY);
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
    fn truncated_weights_are_at_the_limit(rows in rows(), max_weight in 1.0..4.0_f64) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let cut_off: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let stops = stops(&times, &cut_off);
        let (whole, capped) = (ipcw(&stops, f64::INFINITY), ipcw(&stops, max_weight));
        for ((whole, capped), cut_off) in whole.as_slice().iter().zip(capped.as_slice()).zip(&cut_off) {
            prop_assert_eq!(capped.get(), whole.get().min(max_weight));
            prop_assert_eq!(*whole == Weight::ZERO, *cut_off);
        }
    }
}

fn survival(curve: &KaplanMeier) -> Vec<f64> {
    curve.steps().map(|(_, survival)| survival).collect()
}

#[test]
fn an_outcome_at_the_time_of_a_cut_off_came_first_and_time_zero_is_a_time() {
    let tied = stops(&[1.0, 1.0, 2.0], &[false, true, false]);
    assert_eq!(survival(&KaplanMeier::censoring_curve(&tied)), [0.5]);
    assert_eq!(survival(&KaplanMeier::event_curve(&tied)), [2.0 / 3.0, 0.0]);
    let g = KaplanMeier::censoring_curve(&stops(&[1.0, 3.0], &[false; 2]));
    assert_eq!((g.at(0.0), g.before(3.0), g.at(f64::INFINITY)), (1.0, 1.0, 1.0));
    let g = KaplanMeier::censoring_curve(&stops(&[0.0, -0.0, 3.0], &[true; 3]));
    assert_eq!((g.before(0.0), g.at(0.0), g.at(3.0)), (1.0, 1.0 / 3.0, 0.0));
}

#[test]
#[should_panic(expected = "the time is NaN")]
fn the_curve_at_no_time_panics() {
    let stops = stops(&[1.0], &[true]);
    let _ = KaplanMeier::censoring_curve(&stops).at(f64::NAN);
}

#[test]
fn runs_that_are_none_are_named() {
    let of = |times: &[f64], weights: Option<&[Weight]>| {
        StopTimes::new(times, &[false, true], weights).map(|_| ()).unwrap_err()
    };
    for value in [-1e-300, f64::INFINITY, f64::NEG_INFINITY] {
        let range = "finite and at least 0";
        let wrong = scoring_rules::checks::entry("stop time of run", 1, value, range);
        assert_eq!(of(&[0.0, value], None), wrong.into());
    }
    assert_eq!(entry(of(&[f64::NAN, -1.0], None)), 0);
    assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ONE])), length("weights", 2, 1));
    let three = StopTimes::new(&[1.0, 2.0], &[true; 3], None).unwrap_err();
    assert_eq!(three, length("censored", 2, 3));
    assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ZERO; 2])), EMPTY);
    assert_eq!(StopTimes::new(&[], &[], None), Err(EMPTY));
}

#[test]
fn complete_runs_and_only_those_have_a_score() {
    let stops = stops(&[1.0, 2.0], &[false, true]);
    let weights = ipcw(&stops, f64::INFINITY);
    assert_eq!(weights.mean_score(&[Some(-0.5), None]), Ok(-0.25));
    for (scores, run, problem) in
        [([None, None], 0, "has no score"), ([Some(1.0), Some(1.0)], 1, "has a score")]
    {
        let error = weights.mean_score(&scores).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
        assert_eq!(position(error), run);
    }
    for score in [f64::NEG_INFINITY, f64::INFINITY, -1.1e100, f64::NAN] {
        let error = weights.mean_score(&[Some(score), None]).unwrap_err();
        assert_eq!(entry(error), 0);
    }
}

#[test]
fn a_run_that_could_not_be_seen_is_an_error_with_its_time() {
    let earlier = stops(&[1.0, 3.0], &[false, true]);
    let g = KaplanMeier::censoring_curve(&earlier);
    let of = |last_is_censored, weights| {
        let stops = StopTimes::new(&[3.0, 3.5], &[false, last_is_censored], weights).unwrap();
        IpcwWeights::new(&stops, |_| &g, 10.0).map(|weights| weights.as_slice().to_vec())
    };
    assert!(matches!(of(false, None), Err(Error::ZeroSurvival { run: 1, time: 3.5, .. })));
    // A run that was cut off or has weight 0 needs no curve.
    let one = vec![Weight::ONE, Weight::ZERO];
    assert_eq!((of(true, None), of(false, Some(w(&[1.0, 0.0])))), (Ok(one.clone()), Ok(one)));
}

#[test]
fn one_budget_for_all_shows_in_the_coverage() {
    let stops = stops(&[1.0, 2.0, 30.0, 30.0], &[false, false, true, true]);
    let weights = ipcw(&stops, f64::INFINITY);
    assert_eq!(weights.coverage(), 0.5);
    assert!(weights.are_uniform());
    let scores = [Some(-0.25), Some(-0.75), None, None];
    assert_eq!(weights.normalized_mean_score(&scores), Ok(-0.5));
}

#[test]
fn a_truncation_below_one_and_a_sample_without_a_complete_run_are_errors() {
    let stops = stops(&[1.0], &[true]);
    let g = KaplanMeier::censoring_curve(&stops);
    for value in [0.5, -1.0, f64::NEG_INFINITY, f64::NAN] {
        let error = IpcwWeights::new(&stops, |_| &g, value).unwrap_err();
        assert!(error.to_string().starts_with("max_weight is"), "{error}");
    }
    let weights = IpcwWeights::new(&stops, |_| &g, 1.0).unwrap();
    assert!(weights.are_uniform());
    assert_eq!(weights.normalized_mean_score(&[None]), Err(EMPTY));
    assert_eq!(weights.mean_score(&[None]), Ok(0.0));
}

#[test]
fn each_group_has_the_curve_that_it_has_alone() {
    // With weights, ties and a group whose runs have no weight.
    let n = 200;
    let times: Vec<f64> = (0..n).map(|run| (run * 37 % 23) as f64).collect();
    let cut_off: Vec<bool> = (0..n).map(|run| run * 11 % 7 < 3).collect();
    let groups: Vec<usize> = (0..n).map(|run| run * 13 % 9).collect();
    let weights: Vec<Weight> = (0..n)
        .map(|run| Weight::new(if groups[run] == 4 { 0.0 } else { (run % 5) as f64 }).unwrap())
        .collect();
    let stops = StopTimes::new(&times, &cut_off, Some(&weights)).unwrap();
    let curves = CensoringCurves::new(&stops, &groups).unwrap();
    for group in (0..9).filter(|&group| group != 4) {
        let of_group = |run: &usize| groups[*run] == group;
        let own: Vec<usize> = (0..n).filter(of_group).collect();
        let weights: Vec<Weight> = own.iter().map(|&run| weights[run]).collect();
        let times: Vec<f64> = own.iter().map(|&run| times[run]).collect();
        let cut_off: Vec<bool> = own.iter().map(|&run| cut_off[run]).collect();
        let alone = StopTimes::new(&times, &cut_off, Some(&weights)).unwrap();
        assert_eq!(*curves.of_run(own[0]), KaplanMeier::censoring_curve(&alone));
    }
}

/// A curve per run would visit the square of the number of runs, 4e10 stops.
#[test]
fn a_group_per_run_takes_time_in_proportion_to_the_runs() {
    let n = 200_000_u32;
    let times: Vec<f64> = (0..n).map(f64::from).collect();
    let cut_off: Vec<bool> = (0..n).map(|run| run % 2 == 0).collect();
    let stops = StopTimes::new(&times, &cut_off, None).unwrap();
    let groups: Vec<u32> = (0..n).collect();
    let curves = CensoringCurves::new(&stops, &groups).unwrap();
    assert_eq!(survival(curves.of_run(8)), [0.0]);
    assert_eq!(survival(curves.of_run(9)), [0.0; 0]);
}
