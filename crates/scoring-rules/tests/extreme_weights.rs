//! Decompositions of rows whose weights differ by hundreds of powers of ten.
#![allow(clippy::unwrap_used)]

mod weighted_rows;

use proptest::prelude::*;
use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, Corp, Decomposition, Error, LogScore,
    Probability, ScoringRule, SphericalScore,
};
use weighted_rows::{Row, blocks};

/// Checks that the terms sum to the mean loss, which may be infinite.
fn adds_up(mean_loss: f64, terms: &[f64]) -> Result<(), String> {
    let sum: f64 = terms.iter().sum();
    let size = terms.iter().fold(mean_loss.abs(), |size, term| size.max(term.abs()));
    let close = sum == mean_loss || (sum - mean_loss).abs() <= 1e-12 * size;
    if close { Ok(()) } else { Err(format!("{mean_loss:e} is not {sum:e}, the sum of {terms:?}")) }
}

fn rules() -> Vec<Box<dyn ScoringRule>> {
    vec![
        Box::new(LogScore::exact()),
        Box::new(LogScore::clipped(1e-6).unwrap()),
        Box::new(BrierScore),
        Box::new(SphericalScore),
        Box::new(BoostingScore),
        Box::new(BetaScore::new(0.0, 2.0).unwrap()),
        Box::new(BetaScore::new(-0.5, -0.5).unwrap()),
        Box::new(BetaScore::new(2.0, 4.0).unwrap()),
    ]
}

/// Checks that the terms of `Corp::new` and `Decomposition::new` sum to the mean loss for each rule.
fn check(rows: &[Row]) -> Result<(), String> {
    let blocks = blocks(rows);
    for (i, rule) in rules().iter().enumerate() {
        let context = |error: String| format!("rule {i}, {rows:?}: {error}");
        let parts = Corp::new(&**rule, &blocks).map_err(|error| context(error.to_string()))?;
        let terms = [parts.miscalibration, -parts.discrimination, parts.uncertainty];
        adds_up(parts.mean_loss, &terms).map_err(context)?;
        let none_negative = parts.miscalibration >= 0.0 && parts.discrimination >= 0.0;
        if !none_negative || !parts.discrimination.is_finite() || !parts.uncertainty.is_finite() {
            return Err(context(format!("{parts:?}")));
        }
        for binning in [Binning::Distinct, Binning::EqualWidth { bins: 3 }] {
            let parts = Decomposition::new(&**rule, &blocks, binning)
                .map_err(|error| context(error.to_string()))?;
            let terms = [parts.reliability, -parts.resolution, parts.uncertainty, parts.within_bin];
            adds_up(parts.mean_loss, &terms).map_err(context)?;
        }
    }
    Ok(())
}

#[test]
fn a_base_rate_with_one_failure_is_not_rounded_to_1() {
    let rows = [(0.2, false, 1.0), (0.9, true, 1e50)];
    let parts = Corp::new(&LogScore::exact(), &blocks(&rows)).unwrap();
    assert!(parts.discrimination.is_finite(), "{parts:?}");
    check(&rows).unwrap();
    for weight in [1e10, 1e15, 1e16, 1e17, 1e30, 1e100] {
        for last in [0.9, 1.0] {
            check(&[(0.2, false, 1.0), (last, true, weight)]).unwrap();
            check(&[(1.0 - last, false, weight), (0.8, true, 1.0)]).unwrap();
            check(&[(0.2, false, weight), (last, true, 1.0)]).unwrap();
        }
    }
}

#[test]
fn a_pool_with_one_failure_is_not_merged_with_certain_successes_above_it() {
    let rows = [(0.9, false, 1.0), (0.9, true, 1e50), (1.0, true, 1.0)];
    let blocks = blocks(&rows);
    let rates: Vec<f64> = blocks.pool_adjacent_violators().iter().map(|pool| pool.rate()).collect();
    assert_eq!(rates, [1.0_f64.next_down(), 1.0]);
    check(&rows).unwrap();
}

#[test]
fn a_divergence_that_does_not_follow_from_the_scores_is_an_error() {
    struct Broken;
    impl ScoringRule for Broken {
        fn score(&self, forecast: Probability, outcome: bool) -> f64 {
            BrierScore.score(forecast, outcome)
        }
        fn divergence(&self, _: Probability, _: Probability) -> f64 {
            7.0
        }
    }
    let blocks = blocks(&[(0.2, false, 1.0), (0.9, true, 1.0), (0.9, false, 1.0)]);
    let error = Corp::new(&Broken, &blocks).unwrap_err();
    assert!(matches!(error, Error::TermsDoNotAddUp { .. }), "{error}");
    let error = Decomposition::new(&Broken, &blocks, Binning::Distinct).unwrap_err();
    assert!(matches!(error, Error::TermsDoNotAddUp { .. }), "{error}");
}

fn forecast() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => 0.0..=1.0_f64,
        3 => (0..=10_u32).prop_map(|p| f64::from(p) / 10.0),
        1 => (-60.0..0.0_f64).prop_map(f64::exp),
        1 => (-40.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        1 => (0..4_u32).prop_map(|ulps| f64::from(ulps).mul_add(-f64::EPSILON / 2.0, 1.0)),
    ]
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => (-99.0..99.0_f64).prop_map(|x| 10.0_f64.powf(x)),
        1 => (-9..=9_i32).prop_map(|x| 10.0_f64.powi(2 * x)),
        1 => (1..6_u32).prop_map(f64::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn terms_sum_to_the_mean_loss_for_any_weights(
        rows in prop::collection::vec((forecast(), any::<bool>(), weight()), 1..12),
    ) {
        check(&rows).map_err(TestCaseError::fail)?;
    }
}
