use scoring_rules::Error as Shared;
use scoring_rules::SphericalScore;
use trajectory_metrics::{
    BrierScore, Error, LogScore, LossDerivatives, SmoothRule, Tps, Trace, WeightSchedule,
};

use crate::common::{ps, ws};

const LOGITS: [f64; 4] = [0.3, -1.2, 2.0, -0.1];

fn check(rule: impl SmoothRule + Copy) {
    for schedule in [
        WeightSchedule::LinearFront,
        WeightSchedule::Uniform,
        WeightSchedule::ExponentialFront,
        WeightSchedule::custom(ws(&[1.0, 5.0, 2.0, 0.5])).unwrap(),
    ] {
        let tps = Tps::new(rule, schedule);
        for outcome in [false, true] {
            let mut steps = [LossDerivatives::default(); 4];
            let loss = tps.loss_in_logits(&LOGITS, outcome, LOGITS.len(), &mut steps).unwrap();
            let forecasts = LOGITS.map(|z: f64| 1.0 / (1.0 + (-z).exp()));
            let trace = Trace::new(ps(&forecasts), outcome).unwrap();
            approx::assert_relative_eq!(
                loss,
                -tps.score(trace).unwrap(),
                epsilon = 0.0,
                max_relative = 1e-14
            );
            for t in 0..4 {
                let moved = |by: f64| {
                    let mut logits = LOGITS;
                    logits[t] += by;
                    let mut steps = [LossDerivatives::default(); 4];
                    let loss =
                        tps.loss_in_logits(&logits, outcome, logits.len(), &mut steps).unwrap();
                    (loss, steps[t].gradient)
                };
                let h = 1e-5;
                let ((low, falling), (high, rising)) = (moved(-h), moved(h));
                let (slope, bend) = ((high - low) / (2.0 * h), (rising - falling) / (2.0 * h));
                assert!((steps[t].gradient - slope).abs() < 1e-9);
                assert!((steps[t].curvature - bend).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_loss_is_minus_the_score_and_its_derivatives_are_finite_differences() {
    check(LogScore::exact());
    check(BrierScore);
    check(SphericalScore);
}

#[test]
fn the_loss_of_a_prefix_is_minus_its_score_under_the_weights_of_the_whole_run() {
    let forecasts = LOGITS.map(|z: f64| 1.0 / (1.0 + (-z).exp()));
    let forecasts = ps(&forecasts);
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(SphericalScore, schedule);
        for (outcome, horizon) in [(false, 4), (true, 5), (false, 40)] {
            let mut steps = [LossDerivatives::default(); 4];
            let loss = tps.loss_in_logits(&LOGITS, outcome, horizon, &mut steps);
            let score = tps.prefix_score(forecasts, outcome, horizon).unwrap();
            approx::assert_relative_eq!(loss.unwrap(), -score, max_relative = 1e-13);
            // Only the weights of the steps differ from those of a run that ends here.
            let mut alone = [LossDerivatives::default(); 4];
            tps.loss_in_logits(&LOGITS, outcome, LOGITS.len(), &mut alone).unwrap();
            let weights = tps.schedule.weights(horizon).unwrap();
            let own = tps.schedule.weights(4).unwrap();
            for t in 0..4 {
                let want = alone[t].gradient / own[t] * weights[t];
                assert!((steps[t].gradient - want).abs() < 1e-14);
            }
        }
        let mut steps = [LossDerivatives::default(); 4];
        let short = tps.loss_in_logits(&LOGITS, true, 3, &mut steps);
        assert!(matches!(short, Err(Error::Horizon { horizon: 3, steps: 4, .. })));
    }
}

#[test]
fn invalid_logits_and_lengths_are_refused() {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let untouched = LossDerivatives::default();
    let mut steps = [untouched; 2];
    let error = tps.loss_in_logits(&[0.0], true, 1, &mut steps).unwrap_err();
    assert_eq!(error, scoring_rules::checks::length("steps", 1, 2).into());
    let error = tps.loss_in_logits(&[0.0, f64::NAN], true, 2, &mut steps).unwrap_err();
    assert!(matches!(error, Error::Logit { step: 2, .. }));
    assert_eq!(steps, [untouched; 2]);
    assert_eq!(tps.loss_in_logits(&[], true, 0, &mut []).unwrap_err(), Shared::Empty.into());
}
