use trajectory_metrics::{BetaCalibration, CalibrationMap};

use crate::weighted_records::{fit, mapped};

#[test]
fn forecasts_near_one_end_that_differ_there_are_not_degenerate() {
    // From 2e-6 to 3e-6, -ln(1-p) changes by 1e-6, and ln p by 0.4.
    for near in [|p| p, |p| 1.0 - p] {
        let forecasts: [f64; 4] = [2e-6, 2e-6, 3e-6, 3e-6].map(near);
        assert!(
            !fit(&BetaCalibration::default(), &forecasts, &[true, false, true, false])
                .is_degenerate()
        );
    }
}

#[test]
fn separated_outcomes_give_a_steep_and_finite_curve() {
    let map = fit(&BetaCalibration::default(), &[0.2, 0.3, 0.7, 0.8], &[false, false, true, true]);
    assert!(map.coefficients().iter().all(|value| value.is_finite()));
    assert!(mapped(&map, 0.3) < 1e-4 && mapped(&map, 0.7) > 1.0 - 1e-4, "{map:?}");
    // Separated by two thresholds: one slope is set to 0.
    let hump = fit(
        &BetaCalibration::default(),
        &[0.1, 0.2, 0.5, 0.6, 0.9],
        &[false, false, true, true, false],
    );
    let [a, b, _] = hump.coefficients();
    assert!((a == 0.0) != (b == 0.0), "{hump:?}");
}

#[test]
fn the_coefficients_are_the_curve() {
    let map = fit(
        &BetaCalibration::default(),
        &[0.2, 0.4, 0.4, 0.7, 0.9, 0.9],
        &[false, true, false, false, true, true],
    );
    let [a, b, c] = map.coefficients();
    for p in [0.1, 0.5, 0.93_f64] {
        let logit = c + a * p.ln() - b * (1.0 - p).ln();
        assert!((1.0 / (1.0 + (-logit).exp()) - mapped(&map, p)).abs() < 1e-13);
    }
}
