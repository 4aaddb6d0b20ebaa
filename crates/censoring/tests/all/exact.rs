//! The exact censored score, its bounds, and the difference of two streams.

use censoring::{
    Continuations, Error, Exclusion, Interval, Probability, RunScore, ScoringRule, StopReason,
    Stopped, StreamDifference, TiltedMean, Tps, WeightSchedule, exact_mean_score, exact_score,
    from_fn, mean_score_bounds, simple_score,
};
use proptest::prelude::*;
use trajectory_metrics::{BetaScore, BrierScore, LogScore};

use crate::{EMPTY, censored, entry, length, p, position, w};

/// Forecasts of a run, its outcome if it is known, its weight.
type Row = (Vec<f64>, Option<bool>, u8);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let outcome = prop_oneof![Just(None), any::<bool>().prop_map(Some)];
    let row = (prop::collection::vec(0.01..0.99_f64, 1..6), outcome, 1..4_u8);
    prop::collection::vec(row, 1..7)
}

fn runs(rows: &[Row]) -> Vec<Stopped<'_>> {
    rows.iter().map(run_of).collect()
}

fn run_of((forecasts, outcome, _): &Row) -> Stopped<'_> {
    let forecasts = Probability::from_slice(forecasts).unwrap();
    let run = Stopped::new(forecasts, *outcome, Some(StopReason::MaxSteps)).unwrap();
    run.with_horizon(forecasts.len() + 2).unwrap()
}

/// All chances of 0 and 1 for some runs.
fn corners(n: usize) -> impl Iterator<Item = Vec<Probability>> {
    (0..1_u32 << n).map(move |bits| {
        (0..n)
            .map(|i| if bits >> i & 1 == 1 { Probability::ONE } else { Probability::ZERO })
            .collect()
    })
}

#[test]
fn an_outcome_of_probability_zero_is_ignored_even_if_its_score_is_infinite() {
    let tps = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
    let sure = [Probability::ONE];
    assert_eq!(exact_score(&tps, &censored(&sure), Probability::ONE), Ok(0.0));
    let score = exact_score(&tps, &censored(&sure), p(1.0 - 1e-12));
    assert_eq!(score, Ok(f64::NEG_INFINITY));
    let lost = [Probability::ZERO];
    assert_eq!(exact_score(&tps, &censored(&lost), Probability::ZERO), Ok(0.0));
    let bounds = Interval::new(f64::NEG_INFINITY, 0.0).unwrap();
    assert_eq!(mean_score_bounds(&tps, &[censored(&lost)], None, None), Ok(bounds));
    let runs = [censored(&lost), censored(&[Probability::HALF])];
    let bounds = mean_score_bounds(&tps, &runs, None, None).unwrap();
    assert_eq!((bounds.low(), bounds.high()), (f64::NEG_INFINITY, 0.5_f64.ln() / 2.0));
    assert_eq!(entry(StreamDifference::new(&tps, &runs, &runs, None).unwrap_err()), 0);
}

#[test]
fn a_run_without_a_score_is_named_and_a_run_of_weight_zero_has_no_effect() {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let half = [Probability::HALF];
    let runs = [censored(&half), Stopped::new(&half, None, Some(StopReason::ParseError)).unwrap()];
    let chances = [Probability::HALF; 2];
    let excluded = Error::Excluded(Exclusion::Stopped(StopReason::ParseError));
    assert_eq!(exact_score(&tps, &runs[1], chances[1]), Err(excluded.clone()));
    let error = exact_mean_score(&tps, &runs, &chances, None).unwrap_err();
    assert!(
        matches!(&error, Error::At { what: "run", index: 1, source, .. } if **source == excluded)
    );
    assert_eq!(error.to_string(), "run 1 is invalid");
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.to_string().starts_with("a run that is excluded"), "{source}");
    assert_eq!(mean_score_bounds(&tps, &runs, None, None), Err(error.clone()));
    assert_eq!(StreamDifference::new(&tps, &runs, &runs, None), Err(error));

    let weights = Some(w(&[2.0, 0.0]));
    assert_eq!(exact_mean_score(&tps, &runs, &chances, weights), Ok(-0.25));
    assert_eq!(mean_score_bounds(&tps, &runs, None, weights).unwrap().width(), 0.0);
    let difference = |second, weights| StreamDifference::new(&tps, &runs, second, weights);
    assert!(difference(&runs, weights).is_ok());

    assert_eq!(exact_mean_score(&tps, &[], &[], None), Err(EMPTY));
    assert_eq!(mean_score_bounds(&tps, &runs, None, Some(w(&[0.0; 2]))), Err(EMPTY));
    assert_eq!(difference(&runs, Some(w(&[0.0; 2]))), Err(EMPTY));
    let short = length("success_probabilities", 2, 1);
    assert_eq!(exact_mean_score(&tps, &runs, &chances[..1], weights), Err(short.clone()));
    let intervals = [Interval::UNKNOWN];
    assert_eq!(mean_score_bounds(&tps, &runs, Some(&intervals), weights), Err(short));
    let one_weight = mean_score_bounds(&tps, &runs, None, Some(w(&[1.0])));
    assert_eq!(one_weight, Err(length("weights", 2, 1)));
    assert_eq!(difference(&runs[..1], None), Err(length("second", 2, 1)));
    // A common way to write the log score gives NaN, 0 ln 0, for a sure forecast.
    let sure = [Probability::ONE];
    for runs in [vec![censored(&sure)], vec![censored(&half), censored(&sure)]] {
        for value in [f64::NAN, f64::INFINITY] {
            let odd =
                from_fn(|p: Probability, _: bool| if p < Probability::ONE { -1.0 } else { value });
            let odd = Tps::new(odd, WeightSchedule::Uniform);
            let error = exact_mean_score(&odd, &runs, &chances[..runs.len()], None).unwrap_err();
            assert_eq!(entry(error), runs.len() - 1);
            let error = mean_score_bounds(&odd, &runs, None, None).unwrap_err();
            assert_eq!(entry(error), runs.len() - 1);
        }
    }
}

#[test]
fn streams_of_other_runs_are_not_compared() {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let half = [Probability::HALF; 2];
    let success = Stopped::new(&half, Some(true), None).unwrap();
    let failure = Stopped::new(&half, Some(false), None).unwrap();
    let short = Stopped::new(&half[..1], Some(true), None).unwrap();
    let longer = censored(&half).with_horizon(3).unwrap();
    for other in [&failure, &short, &censored(&half), &longer] {
        let pair = [[success.clone(), success.clone()], [success.clone(), other.clone()]];
        let error = StreamDifference::new(&tps, &pair[0], &pair[1], None);
        assert_eq!(position(error.unwrap_err()), 1);
    }
}

#[test]
fn a_stream_cannot_be_told_from_itself_and_a_complete_lead_holds_whatever_the_chances() {
    let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
    let (forecasts, better) = ([p(0.3), p(0.7)], [p(0.4), p(0.8)]);
    let run = |forecasts, outcome| Stopped::new(forecasts, outcome, Some(StopReason::MaxSteps));
    let first = [run(&better, Some(true)).unwrap(), run(&forecasts, None).unwrap()];
    let second = [run(&forecasts, Some(true)).unwrap(), run(&forecasts, None).unwrap()];
    let chances = [Probability::HALF; 2];
    let same = StreamDifference::new(&tps, &second, &second, None).unwrap();
    assert!(!same.keeps_sign());
    assert_eq!(same.bounds(), Interval::new(0.0, 0.0).unwrap());
    assert_eq!(same.largest_width(&chances), Ok(Some(0.0)));
    let lead = StreamDifference::new(&tps, &first, &second, None).unwrap();
    assert!(lead.keeps_sign());
    assert_eq!(lead.bounds().width(), 0.0);
    assert_eq!(lead.largest_width(&chances), Ok(None));
}

#[test]
fn streams_that_are_both_always_right_cannot_be_told_apart() {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let right = [Stopped::new(&[Probability::ONE], Some(true), None).unwrap()];
    let difference = StreamDifference::new(&tps, &right, &right, None).unwrap();
    assert_eq!(difference.bounds(), Interval::new(0.0, 0.0).unwrap());
    assert!(!difference.keeps_sign());
}

#[test]
fn a_lead_that_is_gone_only_where_success_is_impossible_is_lost_at_that_width() {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let [careful, bold] = [[Probability::HALF], [p(0.75)]];
    let failed = |forecast| Stopped::new(forecast, Some(false), None).unwrap();
    // The first stream gains 5/16 by each failure. By each other run it gains 3/16 or loses 5/16.
    let first = [failed(&careful), failed(&careful), censored(&bold), censored(&bold)];
    let second = [failed(&bold), failed(&bold), censored(&careful), censored(&careful)];
    // Weights have no unit.
    for weight in [1.0, 2.0_f64.powi(-60), 2.0_f64.powi(60)] {
        let difference =
            StreamDifference::new(&tps, &first, &second, Some(w(&[weight; 4]))).unwrap();
        assert_eq!(difference.bounds().low(), 0.0);
        for (a, b, width) in [(0.25, 0.75, 1.5), (0.5, 0.5, 1.0), (1.0, 0.0, 2.0)] {
            let estimates = [Probability::ZERO, Probability::ZERO, p(a), p(b)];
            assert_eq!(difference.largest_width(&estimates), Ok(Some(width)));
        }
    }
}

#[test]
fn the_mean_over_branches_is_the_exact_score_to_1e_15() {
    let mut worst = 0.0_f64;
    let beta = BetaScore::new(2.0, 4.0).unwrap();
    let log = LogScore::exact();
    let rules: [&dyn ScoringRule; 3] = [&log, &BrierScore, &beta];
    for steps in 1..12_usize {
        // Forecasts that score no worse than -2.
        let forecasts: Vec<_> = (0..steps)
            .map(|t| p(0.15 + 0.7 * ((7 * t * t + 3 * steps) % 11) as f64 / 10.0))
            .collect();
        let run = censored(&forecasts).with_horizon(steps + steps % 3).unwrap();
        for (rule, schedule) in
            rules.into_iter().flat_map(|r| WeightSchedule::NAMED.map(|s| (r, s)))
        {
            let tps = Tps::new(rule, schedule);
            for valid in 1..=10_u64 {
                for successes in 0..=valid {
                    let branches = Continuations {
                        successes,
                        failures: valid - successes,
                        unresolved: valid % 3,
                        invalid: 1,
                    };
                    let chance = branches.estimate().unwrap().probability;
                    let exact = exact_score(&tps, &run, chance).unwrap();
                    let branch =
                        |outcome| tps.prefix_score(&forecasts, outcome, run.horizon()).unwrap();
                    let sum: f64 = (0..valid).map(|m| branch(m < successes)).sum();
                    worst = worst.max((exact - sum / valid as f64).abs());
                }
            }
        }
    }
    println!("largest difference from the mean over branches: {worst:e}");
    assert!(worst <= 1e-15, "{worst:e}");
}

#[test]
fn the_correction_of_the_log_score_is_the_chance_times_the_weighted_log_odds() {
    // Equation 17 of the paper.
    let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
    let forecasts = [p(0.2), p(0.6), p(0.45)];
    let run = censored(&forecasts);
    let weights = tps.schedule.weights(3).unwrap();
    let log_odds = forecasts.iter().map(|p| (p.get() / (1.0 - p.get())).ln());
    let sum: f64 = weights.iter().zip(log_odds).map(|(weight, z)| weight * z).sum();
    let shift = exact_score(&tps, &run, p(0.24)).unwrap() - simple_score(&tps, &run).unwrap();
    assert!((shift - 0.24 * sum).abs() < 1e-15);
}

proptest! {
    #[test]
    fn simple_is_exact_with_a_chance_of_zero(rows in rows()) {
        let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearBack);
        for run in runs(&rows) {
            let exact = exact_score(&tps, &run, Probability::ZERO).unwrap();
            prop_assert_eq!(exact.to_bits(), simple_score(&tps, &run).unwrap().to_bits());
        }
    }

    #[test]
    fn means_bounds_and_widths_know_no_order_and_a_weight_of_two_is_the_run_twice(
        rows in rows(),
        other in prop::collection::vec(0.01..0.99_f64, 5),
        // Few values, so that some are equal.
        q in prop::collection::vec((0..5_u8).prop_map(|q| f64::from(q) / 4.0), 7),
    ) {
        let tps = Tps::new(BetaScore::new(2.0, 4.0).unwrap(), WeightSchedule::LinearFront);
        let figures = |rows: &[Row], q: &[f64], weights: Option<&[f64]>| {
            let others: Vec<Row> =
                rows.iter().map(|row| (other[..row.0.len()].to_vec(), row.1, row.2)).collect();
            let (first, second) = (runs(rows), runs(&others));
            let chances = Probability::from_slice(q).unwrap();
            let bounds = mean_score_bounds(&tps, &first, None, weights.map(w)).unwrap();
            let intervals: Vec<Interval<Probability>> =
                q.iter().map(|q| {
                    let end = |distance: f64| Probability::new((q + distance).clamp(0.0, 1.0));
                    Interval::new(end(-0.15).unwrap(), end(0.15).unwrap()).unwrap()
                }).collect();
            let within = mean_score_bounds(&tps, &first, Some(&intervals), weights.map(w)).unwrap();
            let difference = StreamDifference::new(&tps, &first, &second, weights.map(w)).unwrap();
            [
                within.low(),
                within.high(),
                exact_mean_score(&tps, &first, chances, weights.map(w)).unwrap(),
                bounds.low(),
                bounds.high(),
                difference.at(chances).unwrap(),
                difference.bounds().low(),
                difference.bounds().high(),
                difference.largest_width(chances).unwrap().unwrap_or(-1.0),
            ].map(f64::to_bits)
        };
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let weighted = figures(&rows, &q[..rows.len()], Some(&weights));
        let (mut copies, mut chances) = (Vec::new(), Vec::new());
        for (row, &q) in rows.iter().zip(&q).rev() {
            for _ in 0..row.2 {
                copies.push(row.clone());
                chances.push(q);
            }
        }
        prop_assert_eq!(weighted, figures(&copies, &chances, None));
    }

    #[test]
    fn the_difference_of_two_streams_is_bounded_by_its_corners_and_flips_at_its_width(
        rows in rows(),
        other in prop::collection::vec(0.01..0.99_f64, 5),
        q in prop::collection::vec(0.0..=1.0_f64, 7),
    ) {
        let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
        let others: Vec<Row> =
            rows.iter().map(|row| (other[..row.0.len()].to_vec(), row.1, row.2)).collect();
        let (first, second) = (runs(&rows), runs(&others));
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let difference = StreamDifference::new(&tps, &first, &second, Some(w(&weights))).unwrap();
        let estimates = Probability::from_slice(&q[..rows.len()]).unwrap();

        let mean = |runs: &[Stopped<'_>], chances: &[Probability]| {
            exact_mean_score(&tps, runs, chances, Some(w(&weights))).unwrap()
        };
        let at = difference.at(estimates).unwrap();
        prop_assert!((at - (mean(&first, estimates) - mean(&second, estimates))).abs() < 1e-14);
        let bounds = difference.bounds();
        let ends: Vec<f64> = corners(rows.len()).map(|chances| difference.at(&chances).unwrap()).collect();
        prop_assert_eq!(ends.iter().copied().fold(f64::INFINITY, f64::min), bounds.low());
        prop_assert_eq!(ends.iter().copied().fold(f64::NEG_INFINITY, f64::max), bounds.high());
        prop_assert_eq!(difference.keeps_sign(), bounds.low() > 1e-15 || bounds.high() < -1e-15);

        // The worst for the stream that is ahead, over all ends of intervals of some width.
        let worst = |width: f64| {
            let end = |q: &Probability, up: bool| {
                let moved = if up { q.get() + width / 2.0 } else { q.get() - width / 2.0 };
                p(moved.clamp(0.0, 1.0))
            };
            corners(rows.len())
                .map(|ups| estimates.iter().zip(ups).map(|(q, up)| end(q, up.get() > 0.5)).collect())
                .map(|chances: Vec<_>| at.signum() * difference.at(&chances).unwrap())
                .fold(f64::INFINITY, f64::min)
        };
        match difference.largest_width(estimates).unwrap() {
            None => prop_assert!(difference.keeps_sign() && worst(2.0) > 0.0),
            Some(width) => {
                prop_assert!(!difference.keeps_sign() && (0.0..=2.0).contains(&width));
                prop_assert!(worst(width).abs() < 1e-14, "{width} {}", worst(width));
                prop_assert!(worst(width * 0.999) > 0.0 || at.abs() < 1e-14);
            }
        }
    }

    #[test]
    fn bounds_over_intervals_are_those_of_their_corners_and_of_no_less(
        rows in rows(),
        // Few values, so that some intervals are points and some reach 0 or 1.
        ends in prop::collection::vec((0..9_u8, 0..9_u8), 7),
        inside in prop::collection::vec(0.0..=1.0_f64, 7),
    ) {
        let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
        let runs = runs(&rows);
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        let intervals: Vec<Interval<Probability>> = ends[..rows.len()]
            .iter()
            .map(|&(a, b)| {
                let end = |eighths: u8| p(f64::from(eighths) / 8.0);
                Interval::new(end(a.min(b)), end(a.max(b))).unwrap()
            })
            .collect();
        let bounds_of = |intervals: Option<&[Interval<Probability>]>| {
            mean_score_bounds(&tps, &runs, intervals, Some(w(&weights))).unwrap()
        };
        prop_assert_eq!(bounds_of(None), bounds_of(Some(&vec![Interval::UNKNOWN; runs.len()])));
        let bounds = bounds_of(Some(&intervals));
        let mean = |share: &dyn Fn(usize) -> f64| {
            let at = |(run, interval): (usize, &Interval<Probability>)| {
                let (low, high) = (interval.low().get(), interval.high().get());
                p((low + share(run) * (high - low)).min(high))
            };
            let chances: Vec<Probability> = intervals.iter().enumerate().map(at).collect();
            exact_mean_score(&tps, &runs, &chances, Some(w(&weights))).unwrap()
        };
        let means: Vec<f64> =
            corners(rows.len()).map(|corner| mean(&|run| corner[run].get())).collect();
        prop_assert_eq!(bounds.low(), means.iter().copied().fold(f64::INFINITY, f64::min));
        prop_assert_eq!(bounds.high(), means.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let value = mean(&|run| inside[run]);
        prop_assert!(bounds.low() - 1e-13 <= value && value <= bounds.high() + 1e-13);
    }

    #[test]
    fn the_mean_of_run_scores_tilted_by_nothing_is_the_exact_mean(
        rows in rows(),
        q in prop::collection::vec(0.0..=1.0_f64, 7),
    ) {
        let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
        let runs = runs(&rows);
        let chances = Probability::from_slice(&q[..runs.len()]).unwrap();
        let scores: Vec<RunScore> = runs
            .iter()
            .zip(chances)
            .map(|(run, &q)| RunScore::new(&tps, run, q).unwrap())
            .collect();
        let tilted = TiltedMean::new(&scores, None).unwrap().score(1.0).unwrap();
        let exact = exact_mean_score(&tps, &runs, chances, None).unwrap();
        prop_assert!((tilted - exact).abs() < 1e-14);
    }
}
