//! What must hold whatever the data are.
use proptest::prelude::*;
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    BetaScore, Binning, BrierScore, Diagnostics, Error, ExactMean, LogScore, OnlineTps,
    PositiveClass, Probability, Ranking, ScoringRule, TiedBlocks, Tps, Trace, Traces,
    WeightSchedule, aurc, auroc, average_precision, expected_calibration_error,
};

use crate::common::{probability, ps, refused, traces_of, ws};
use crate::weighted_records::rows;

proptest! {
    #[test]
    fn a_resample_is_its_rows_with_their_counts_as_weights(rows in rows(), seed in any::<u64>()) {
        let (confidence, outcomes, _): (Vec<f64>, Vec<bool>, Vec<u32>) = rows.iter().copied().collect();
        let confidence = ps(&confidence);
        let counts: Vec<u32> = (0..rows.len()).map(|i| (seed >> (i % 60)) as u32 % 3).collect();
        let weights: Vec<f64> = counts.iter().map(|&count| count.into()).collect();
        let ranking = Ranking::new(confidence, &outcomes).unwrap();
        let mut resampled = TiedBlocks::default();
        let filled = ranking.resample(&counts, &mut resampled);
        match TiedBlocks::new(confidence, &outcomes, Some(ws(&weights))) {
            Ok(direct) => {
                prop_assert_eq!(filled, Ok(()));
                prop_assert_eq!(resampled, direct);
            }
            Err(error) => prop_assert_eq!(filled, Err(error.into())),
        }
    }

    #[test]
    fn metrics_of_ranks_in_one_pass_have_the_bits_of_the_separate_ones(
        // With and without ties, of one class or of both.
        rows in prop_oneof![
            prop::collection::vec((0.0..=1.0_f64, any::<bool>(), 0.0..3.0_f64), 1..300),
            prop::collection::vec((prop_oneof![Just(0.0), Just(-0.0), Just(0.5), Just(1.0)], any::<bool>(), 0.0..3.0_f64), 1..300),
        ],
        only in prop::option::of(any::<bool>()),
        weighted in any::<bool>(),
    ) {
        let (values, outcomes, weights): (Vec<f64>, Vec<bool>, Vec<f64>) =
            rows.into_iter().map(|(p, y, w)| (p, only.unwrap_or(y), w)).collect();
        let weights = weighted.then(|| ws(&weights));
        let blocks = TiedBlocks::new(ps(&values), &outcomes, weights).unwrap_or_default();
        let bits = |found: Result<f64, Error>| found.map(f64::to_bits);
        let separate =
            [auroc(&blocks), average_precision(&blocks, PositiveClass::Failure), aurc(&blocks)];
        prop_assert_eq!(Diagnostics::of_ranks(&blocks).map(bits), separate.clone().map(bits));
        let scores = TiedBlocks::from_scores(&values, &outcomes, weights).unwrap_or_default();
        prop_assert_eq!(Diagnostics::of_ranks(&scores).map(bits), separate.map(bits));
    }

    #[test]
    fn the_score_is_the_sum_of_steps_under_the_printed_weights(
        stream in prop::collection::vec(0.0..=1.0_f64, 1..60),
        outcome in any::<bool>(),
    ) {
        let forecasts = ps(&stream);
        for schedule in WeightSchedule::NAMED {
            // They are those of the printed formulas in a golden file.
            let weights = schedule.weights(stream.len()).unwrap();
            let score = |p: f64| -(p - f64::from(outcome)).powi(2);
            let sum: f64 = weights.iter().zip(&stream).map(|(weight, p)| weight * score(*p)).sum();
            let tps = Tps::new(BrierScore, schedule);
            let score = tps.score(Trace::new(forecasts, outcome).unwrap()).unwrap();
            prop_assert!((score - sum).abs() < 1e-13, "{score}, {sum}");
        }
    }

    #[test]
    fn a_grade_of_1_or_0_is_a_success_or_a_failure_to_the_bit_and_the_score_is_linear_between(
        stream in prop::collection::vec(0.0..=1.0_f64, 1..60),
        grade in 0.0..=1.0_f64,
    ) {
        let forecasts = ps(&stream);
        for schedule in WeightSchedule::NAMED {
            let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule.clone());
            let [failure, success] =
                [false, true].map(|outcome| tps.score(Trace::new(forecasts, outcome).unwrap()).unwrap());
            let graded = |grade| tps.graded_score(forecasts, probability(grade)).unwrap();
            prop_assert_eq!([graded(0.0), graded(1.0)].map(f64::to_bits), [failure, success].map(f64::to_bits));
            prop_assert!((graded(grade) - grade * success - (1.0 - grade) * failure).abs() < 1e-12);
            // A certain forecast scores minus infinity, and not NaN, unless its outcome does not count.
            let exact = Tps::new(LogScore::exact(), schedule);
            let sure = exact.graded_score(&[Probability::ONE], Probability::ONE);
            prop_assert_eq!(sure, Ok(0.0));
            prop_assert_eq!(exact.graded_score(&[Probability::ONE], Probability::HALF), Ok(f64::NEG_INFINITY));
        }
    }

    #[test]
    fn online_equals_batch(
        stream in prop::collection::vec(0.0..=1.0_f64, 1..200),
        outcome in any::<bool>(),
        beyond in 0..50_usize,
    ) {
        let custom: Vec<f64> = (0..300).map(|i| 1.0 + f64::from(i % 7)).collect();
        let mut schedules = WeightSchedule::NAMED.to_vec();
        schedules.push(WeightSchedule::custom(ws(&custom)).unwrap());
        // As many custom weights as the run has steps.
        let just_enough = WeightSchedule::custom(ws(&custom[..stream.len()])).unwrap();
        check_online(BrierScore, &just_enough, &stream, outcome, 0)?;
        for schedule in schedules {
            check_online(LogScore::exact(), &schedule, &stream, outcome, beyond)?;
            check_online(LogScore::clipped(1e-6).unwrap(), &schedule, &stream, outcome, beyond)?;
            check_online(BrierScore, &schedule, &stream, outcome, beyond)?;
            check_online(BetaScore::new(2.0, 4.0).unwrap(), &schedule, &stream, outcome, beyond)?;
        }
    }

    #[test]
    fn the_mean_score_is_its_parts_merged_in_any_order(
        streams in prop::collection::vec((prop::collection::vec(0.0..=1.0_f64, 1..12), any::<bool>()), 2..40),
        at in any::<prop::sample::Index>(),
    ) {
        let traces = traces_of(streams);
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
        let scores = tps.scores(&traces).unwrap();
        let (left, right) = scores.split_at(at.index(scores.len()));
        let mut merged: ExactMean = right.iter().rev().copied().collect();
        merged.merge(&left.iter().copied().collect());
        let whole = tps.mean(&traces, None).unwrap();
        prop_assert_eq!(merged.finish().unwrap().to_bits(), whole.to_bits());

        let twice = vec![2.0; scores.len()];
        prop_assert_eq!(tps.mean(&traces, Some(ws(&twice))).unwrap().to_bits(), whole.to_bits());
    }
}

fn check_online<R: ScoringRule + Clone>(
    rule: R,
    schedule: &WeightSchedule,
    stream: &[f64],
    outcome: bool,
    beyond: usize,
) -> Result<(), TestCaseError> {
    let tps = Tps::new(rule, schedule.clone());
    let stream = ps(stream);
    let mut online = OnlineTps::new(tps.clone());
    stream.iter().for_each(|&forecast| online.push(forecast));
    let horizon = stream.len() + beyond;
    let pairs = [
        (online.finish(outcome), tps.score(Trace::new(stream, outcome).unwrap())),
        (online.finish_prefix(outcome, horizon), tps.prefix_score(stream, outcome, horizon)),
    ];
    for (online, batch) in pairs {
        let (online, batch) = (online.unwrap(), batch.unwrap());
        let close = online == batch || (online - batch).abs() <= 1e-12 * batch.abs();
        prop_assert!(close, "{schedule}: {online} {batch}");
    }
    Ok(())
}

#[test]
fn a_success_with_forecast_0_scores_minus_infinity_in_every_way_of_scoring() {
    let stream = ps(&[0.5, 0.0, 0.5]);
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(LogScore::exact(), schedule);
        let mut online = OnlineTps::new(tps.clone());
        stream.iter().for_each(|&forecast| online.push(forecast));
        assert_eq!(online.finish(true), Ok(f64::NEG_INFINITY));
        assert_eq!(tps.score(Trace::new(stream, true).unwrap()), Ok(f64::NEG_INFINITY));
        assert!(online.finish(false).unwrap().is_finite());
    }
}

#[test]
fn every_trace_has_the_weight_at_its_position() {
    // More than are scored at a time.
    let values: Vec<f64> = (0..200).map(|i| f64::from(i) / 200.0).collect();
    let ends: Vec<usize> = (1..=200).collect();
    let traces = Traces::from_flat(&values, &ends, &[true; 200]).unwrap();
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(BrierScore, schedule);
        for i in [0, 63, 64, 65, 130, 199] {
            let mut weights = [0.0; 200];
            weights[i] = 3.0;
            let p = values[i];
            assert!(
                (tps.mean(&traces, Some(ws(&weights))).unwrap() + (1.0 - p) * (1.0 - p)).abs()
                    < 1e-15
            );
        }
    }
}

#[test]
fn inconsistent_input_is_a_typed_error() {
    let tps = Tps::new(BrierScore, WeightSchedule::custom(ws(&[1.0, 2.0])).unwrap());
    let stream = [Probability::HALF; 3];
    assert!(matches!(
        tps.score(Trace::new(&stream, true).unwrap()),
        Err(Error::ScheduleTooShort { horizon: 3, weights: 2, .. })
    ));
    assert!(matches!(
        tps.prefix_score(&stream, true, 2),
        Err(Error::Horizon { horizon: 2, steps: 3, .. })
    ));
    assert_eq!(tps.prefix_score(&[], true, 0), Err(Shared::Empty.into()));
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(BrierScore, schedule.clone());
        let horizon = usize::MAX;
        for too_long in [
            tps.prefix_score(&stream, false, horizon),
            OnlineTps::new(tps.clone()).finish_prefix(false, horizon),
            schedule.weights(horizon).map(|_| 0.0),
        ] {
            assert!(matches!(too_long, Err(Error::HorizonTooLong { horizon: usize::MAX, .. })));
        }
        let longest = tps.prefix_score(&stream, false, u32::MAX as usize).unwrap();
        assert!((-0.25..=0.0).contains(&longest), "{schedule}: {longest}");
    }

    let mut online = OnlineTps::new(tps.clone());
    assert_eq!(online.finish(true), Err(Shared::Empty.into()));
    stream.iter().for_each(|&forecast| online.push(forecast));
    assert!(matches!(
        online.finish(true),
        Err(Error::ScheduleTooShort { horizon: 3, weights: 2, .. })
    ));
    assert!(matches!(
        online.finish_prefix(true, 2),
        Err(Error::Horizon { horizon: 2, steps: 3, .. })
    ));

    let traces = Traces::from_flat(&[0.5, 0.5], &[1, 2], &[true, true]).unwrap();
    assert_eq!(
        tps.mean(&traces, Some(ws(&[1.0]))),
        Err(scoring_rules::checks::length("weights", 2, 1).into())
    );
    let no_rows = tps.mean(&Traces::default(), None);
    assert_eq!(no_rows, Err(Shared::Empty.into()));
    let blocks = TiedBlocks::new(&stream, &[true; 3], None).unwrap();
    assert!(matches!(auroc(&blocks), Err(Error::OneClass { outcome: true, .. })));
    assert!(matches!(
        average_precision(&blocks, PositiveClass::Failure),
        Err(Error::OneClass { outcome: true, .. })
    ));
    let weightless = TiedBlocks::new(&stream, &[true; 3], Some(ws(&[0.0; 3])));
    assert_eq!(weightless, Err(Shared::Empty));
    assert_eq!(refused(expected_calibration_error(&blocks, Binning::Quantile { bins: 0 })), "bins");
}

#[test]
fn weights_of_any_size_give_the_same_ranks() {
    let confidence = ps(&[0.1, 0.4, 0.4, 0.8]);
    let outcomes = [false, true, false, true];
    let of = |weight: f64| TiedBlocks::new(confidence, &outcomes, Some(ws(&[weight; 4])));
    for weight in [1e-100, 1e-90, 1.0, 1e100] {
        let blocks = of(weight).unwrap();
        assert!((auroc(&blocks).unwrap() - 0.875).abs() < 1e-15, "{weight}");
        assert!(
            (average_precision(&blocks, PositiveClass::Failure).unwrap() - 5.0 / 6.0).abs() < 1e-15,
            "{weight}"
        );
        assert!(aurc(&blocks).unwrap() <= 1.0, "{weight}");
    }
}
