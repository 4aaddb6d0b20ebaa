use trajectory_metrics::{CalibrationMap, Isotonic, Probability};

use crate::common::probability;
use crate::weighted_records::fit;

#[test]
fn only_the_inner_ends_of_the_outer_pools_are_kept() {
    let forecasts = [0.0, 0.1, 0.2, 0.5, 0.6, 0.7, 0.9, 1.0];
    let outcomes = [false, false, false, true, false, true, true, true];
    let map = fit(&Isotonic, &forecasts, &outcomes);
    let half = Probability::HALF;
    let knots = [
        (probability(0.2), Probability::ZERO),
        (half, half),
        (probability(0.6), half),
        (probability(0.7), Probability::ONE),
    ];
    assert_eq!(map.knots(), knots);
    for (&forecast, value) in forecasts.iter().zip([0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0]) {
        assert_eq!(map.apply(probability(forecast)).get(), value);
    }
    assert!((map.apply(probability(0.65)).get() - 0.75).abs() < 1e-15);
}

#[test]
fn decreasing_rates_and_equal_outcomes_give_a_constant() {
    let falling = fit(&Isotonic, &[0.1, 0.5, 0.9, 0.9], &[true, true, false, false]);
    assert_eq!(falling.knots(), [(probability(0.9), Probability::HALF)]);
    let failures = fit(&Isotonic, &[0.1, 0.8], &[false, false]);
    for forecast in [0.0, 0.1, 0.5, 1.0] {
        assert_eq!(falling.apply(probability(forecast)), Probability::HALF);
        assert_eq!(failures.apply(probability(forecast)), Probability::ZERO);
    }
}

#[test]
fn a_pool_of_one_forecast_is_one_knot() {
    let map = fit(&Isotonic, &[0.2, 0.5, 0.5, 0.9], &[false, true, false, true]);
    let half = Probability::HALF;
    assert_eq!(
        map.knots(),
        [(probability(0.2), Probability::ZERO), (half, half), (probability(0.9), probability(1.0))]
    );
}

#[test]
fn knots_may_be_adjacent_numbers() {
    let (low, high) = (0.3, 0.3_f64.next_up());
    let map = fit(&Isotonic, &[low, high], &[false, true]);
    assert_eq!(map.apply(probability(low)), Probability::ZERO);
    assert_eq!(map.apply(probability(high)), Probability::ONE);
    let tiny = fit(&Isotonic, &[0.0, f64::from_bits(2)], &[false, true]);
    assert_eq!(tiny.apply(probability(f64::from_bits(1))), Probability::HALF);
}
