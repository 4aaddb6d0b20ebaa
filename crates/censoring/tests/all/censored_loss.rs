//! The training loss of censored runs: against scores, complete runs and finite differences.

use censoring::{
    Error, LossDerivatives, Probability, SmoothRule, Tps, Weight, WeightSchedule,
    censored_loss_in_logits, exact_score,
};
use proptest::prelude::*;
use trajectory_metrics::{BetaScore, BrierScore, LogScore};

use crate::{EMPTY, censored, length, p, w};

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn forecasts(logits: &[f64]) -> Vec<Probability> {
    logits.iter().map(|&logit| p(1.0 / (1.0 + (-logit).exp()))).collect()
}

/// The loss of a run that was cut off after these logits, and its derivatives.
fn loss_of<R: SmoothRule>(
    tps: &Tps<R>,
    logits: &[f64],
    horizon: usize,
    success_probability: f64,
) -> (f64, Vec<LossDerivatives>) {
    let mut steps = vec![LossDerivatives::default(); logits.len()];
    let q = p(success_probability);
    let loss = censored_loss_in_logits(tps, logits, horizon, q, &mut steps).unwrap();
    (loss, steps)
}

fn schedules() -> impl Iterator<Item = WeightSchedule> {
    let weights = [1.0, 5.0, 2.0, 0.5, 0.1, 3.0, 1.0, 1.0, 2.0, 4.0, 1.0];
    let custom = WeightSchedule::custom(w(&weights)).unwrap();
    WeightSchedule::NAMED.into_iter().chain([custom])
}

fn is_minus_the_exact_score<R: SmoothRule>(tps: &Tps<R>, logits: &[f64], horizon: usize, q: f64) {
    let forecasts = forecasts(logits);
    let run = censored(&forecasts).with_horizon(horizon).unwrap();
    let (loss, steps) = loss_of(tps, logits, horizon, q);
    let score = exact_score(tps, &run, p(q)).unwrap();
    assert!((loss + score).abs() <= 1e-12 * score.abs(), "{loss} {score}");
    let sum: f64 = steps.iter().map(|step| step.loss).sum();
    assert_eq!(loss, sum);
}

fn has_the_derivatives_of_finite_differences<R: SmoothRule>(
    tps: &Tps<R>,
    logits: &[f64],
    horizon: usize,
    q: f64,
) {
    let (_, steps) = loss_of(tps, logits, horizon, q);
    for (t, step) in steps.iter().enumerate() {
        let moved = |by: f64| {
            let mut logits = logits.to_vec();
            logits[t] += by;
            let (loss, steps) = loss_of(tps, &logits, horizon, q);
            (loss, steps[t].gradient)
        };
        let h = 1e-5;
        let ((low, falling), (high, rising)) = (moved(-h), moved(h));
        let (slope, bend) = ((high - low) / (2.0 * h), (rising - falling) / (2.0 * h));
        assert!((step.gradient - slope).abs() < 2e-9, "{} {slope}", step.gradient);
        assert!((step.curvature - bend).abs() < 2e-9, "{} {bend}", step.curvature);
    }
}

fn is_the_loss_of_a_complete_run_at_its_ends<R: SmoothRule>(tps: &Tps<R>, logits: &[f64]) {
    for (outcome, q) in [(false, 0.0), (true, 1.0)] {
        let mut complete = vec![LossDerivatives::default(); logits.len()];
        let loss = tps.loss_in_logits(logits, outcome, logits.len(), &mut complete).unwrap();
        assert_eq!(loss_of(tps, logits, logits.len(), q), (loss, complete));
    }
}

fn is_linear_in_the_success_probability<R: SmoothRule>(
    tps: &Tps<R>,
    logits: &[f64],
    horizon: usize,
    q: f64,
) {
    let [(failure, of_failure), (success, of_success)] =
        [0.0, 1.0].map(|q| loss_of(tps, logits, horizon, q));
    let (loss, steps) = loss_of(tps, logits, horizon, q);
    let near = |found: f64, success: f64, failure: f64| {
        let want = q * success + (1.0 - q) * failure;
        assert!((found - want).abs() <= 1e-14 * (success.abs() + failure.abs()));
    };
    near(loss, success, failure);
    for ((step, success), failure) in steps.iter().zip(&of_success).zip(&of_failure) {
        near(step.gradient, success.gradient, failure.gradient);
        near(step.curvature, success.curvature, failure.curvature);
    }
}

/// Calls a check with three strictly proper rules under each schedule.
macro_rules! with_each_tps {
    ($check:ident($($argument:expr),*)) => {
        for schedule in schedules() {
            $check(&Tps::new(LogScore::exact(), schedule.clone()), $($argument),*);
            $check(&Tps::new(BrierScore, schedule.clone()), $($argument),*);
            $check(&Tps::new(BetaScore::new(2.0, 4.0).unwrap(), schedule), $($argument),*);
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_loss_of_a_censored_run_is_minus_its_score(
        logits in prop::collection::vec(-4.0..4.0_f64, 1..7),
        beyond in 0..5_usize,
        q in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64],
    ) {
        with_each_tps!(is_minus_the_exact_score(&logits, logits.len() + beyond, q));
    }

    #[test]
    fn the_derivatives_of_a_censored_loss_are_finite_differences(
        logits in prop::collection::vec(-4.0..4.0_f64, 1..5),
        beyond in 0..5_usize,
        q in 0.0..=1.0_f64,
    ) {
        with_each_tps!(has_the_derivatives_of_finite_differences(&logits, logits.len() + beyond, q));
    }

    #[test]
    fn a_run_whose_outcome_is_certain_has_the_loss_of_a_complete_run_to_the_bit(
        logits in prop::collection::vec(-40.0..40.0_f64, 1..9),
    ) {
        with_each_tps!(is_the_loss_of_a_complete_run_at_its_ends(&logits));
    }

    #[test]
    fn a_censored_loss_and_its_derivatives_are_linear_in_the_success_probability(
        logits in prop::collection::vec(-4.0..4.0_f64, 1..7),
        beyond in 0..5_usize,
        q in 0.0..=1.0_f64,
    ) {
        with_each_tps!(is_linear_in_the_success_probability(&logits, logits.len() + beyond, q));
    }
}

/// The gradient of the expected loss in the first of two steps, where the probability of success
/// after that step is 0.6 and half of the runs are cut off there, at a forecast of `probability`.
fn expected_gradient<R: SmoothRule>(tps: &Tps<R>, probability: f64, q: f64) -> f64 {
    let logits = [logit(probability), 0.3];
    let (_, censored) = loss_of(tps, &logits[..1], 2, q);
    let complete = |outcome| {
        let mut steps = [LossDerivatives::default(); 2];
        tps.loss_in_logits(&logits, outcome, logits.len(), &mut steps).unwrap();
        steps[0].gradient
    };
    0.5 * censored[0].gradient + 0.5 * (0.6 * complete(true) + 0.4 * complete(false))
}

fn leads_to<R: SmoothRule>(tps: &Tps<R>, success_probability: f64, probability: f64) {
    let gradient = |probability| expected_gradient(tps, probability, success_probability);
    assert!(gradient(probability).abs() < 1e-15, "{}", gradient(probability));
    assert!(gradient(probability - 0.05) < 0.0 && gradient(probability + 0.05) > 0.0);
}

#[test]
fn training_with_the_exact_loss_leads_to_the_probability_of_success() {
    with_each_tps!(leads_to(0.6, 0.6));
}

#[test]
fn training_with_the_simple_loss_leads_to_the_probability_of_completing_and_succeeding() {
    // Half of the runs complete, and 0.6 of them succeed.
    with_each_tps!(leads_to(0.0, 0.3));
}

#[test]
fn an_outcome_of_probability_0_does_not_count_even_if_its_loss_is_infinite() {
    let tps = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
    for (logit, q) in [(f64::NEG_INFINITY, 0.0), (f64::INFINITY, 1.0)] {
        let (loss, steps) = loss_of(&tps, &[logit, 0.0], 4, q);
        assert_eq!(loss, 0.25 * 2.0_f64.ln());
        assert_eq!(steps[0].loss, 0.0);
        assert!(steps[0].gradient.abs() < 1e-300, "{}", steps[0].gradient);
    }
    let (loss, steps) = loss_of(&tps, &[f64::INFINITY], 4, 0.5);
    assert_eq!((loss, steps[0].gradient), (f64::INFINITY, 0.25 * 0.5));
}

#[test]
fn invalid_logits_lengths_and_horizons_are_refused_and_nothing_is_written() {
    let tps = Tps::new(BrierScore, WeightSchedule::custom(&[Weight::ONE; 3]).unwrap());
    let untouched = LossDerivatives::default();
    let mut steps = [untouched; 2];
    let mut refused = |logits: &[f64], horizon| {
        censored_loss_in_logits(&tps, logits, horizon, Probability::HALF, &mut steps).unwrap_err()
    };
    use trajectory_metrics::Error as Metrics;
    assert_eq!(refused(&[0.0], 3), length("steps", 1, 2));
    assert!(matches!(
        refused(&[0.0, f64::NAN], 3),
        Error::TrajectoryMetrics(Metrics::Logit { step: 2, .. })
    ));
    assert!(matches!(
        refused(&[0.0, 0.0], 1),
        Error::TrajectoryMetrics(Metrics::Horizon { horizon: 1, steps: 2, .. })
    ));
    assert!(matches!(
        refused(&[0.0, 0.0], 4),
        Error::TrajectoryMetrics(Metrics::ScheduleTooShort { horizon: 4, weights: 3, .. })
    ));
    assert_eq!(steps, [untouched; 2]);
    let empty = censored_loss_in_logits(&tps, &[], 3, Probability::HALF, &mut []);
    assert_eq!(empty, Err(EMPTY));
}
