use trajectory_metrics::{CalibrationMap, TemperatureScaling};

use crate::weighted_records::{fit, mapped};

#[test]
fn forecasts_on_the_wrong_side_of_one_half_or_without_information_become_one_half() {
    for (forecasts, outcomes) in [
        (&[0.9, 0.2][..], &[false, true][..]),
        (&[0.9, 0.9, 0.2, 0.2], &[false, true, false, true]),
    ] {
        let map = fit(&TemperatureScaling::default(), forecasts, outcomes);
        assert!(map.is_fallback() && !map.is_degenerate());
        assert_eq!(map.temperature(), f64::INFINITY);
        assert_eq!((mapped(&map, 0.0), mapped(&map, 0.9)), (0.5, 0.5));
    }
}

#[test]
fn odds_below_one_take_the_temperature_that_gives_them_the_rate_of_success() {
    // The forecast odds are 2 to 3, the observed ones 1 to 3.
    let map = fit(&TemperatureScaling::default(), &[0.4; 4], &[true, false, false, false]);
    approx::assert_relative_eq!(
        map.temperature(),
        1.5_f64.ln() / 3.0_f64.ln(),
        epsilon = 0.0,
        max_relative = 1e-9
    );
    assert!((mapped(&map, 0.4) - 0.25).abs() < 1e-9);
}

#[test]
fn forecasts_of_one_half_leave_every_forecast_as_it_is() {
    let map = fit(&TemperatureScaling::default(), &[0.5, 0.5, 0.5], &[true, false, true]);
    assert!(map.is_degenerate() && !map.is_fallback());
    assert_eq!(map.temperature(), 1.0);
    assert!((mapped(&map, 0.3) - 0.3).abs() < 1e-15);
    assert!((mapped(&map, 0.0) - 1e-6).abs() < 1e-20);
    assert_eq!(mapped(&map, 0.5), 0.5);
}

#[test]
fn forecasts_on_the_correct_side_have_a_low_and_positive_temperature() {
    let map =
        fit(&TemperatureScaling::default(), &[0.2, 0.4, 0.6, 0.8], &[false, false, true, true]);
    assert!(map.temperature() > 1e-3 && map.temperature() < 0.1, "{map:?}");
    assert_eq!(mapped(&map, 0.5), 0.5);
}
