use trajectory_metrics::{CalibrationMap, Calibrator, Error, TemperatureMap, TemperatureScaling};

use crate::common::{probability, ps, ws};

fn fit(forecasts: &[f64], outcomes: &[bool]) -> Result<TemperatureMap, Error> {
    let forecasts = ps(forecasts);
    TemperatureScaling::default().fit(forecasts, outcomes, Some(ws(&vec![1.0; forecasts.len()])))
}

fn mapped(map: &TemperatureMap, forecast: f64) -> f64 {
    map.apply(probability(forecast)).get()
}

#[test]
fn forecasts_on_the_wrong_side_of_one_half_become_one_half() {
    let map = fit(&[0.9, 0.2], &[false, true]).unwrap();
    assert!(map.is_fallback() && !map.is_degenerate());
    assert_eq!(map.temperature(), f64::INFINITY);
    assert_eq!((mapped(&map, 0.0), mapped(&map, 0.9)), (0.5, 0.5));
}

#[test]
fn forecasts_without_information_about_the_outcome_become_one_half() {
    let map = fit(&[0.9, 0.9, 0.2, 0.2], &[false, true, false, true]).unwrap();
    assert!(map.is_fallback() && !map.is_degenerate());
    assert_eq!((mapped(&map, 0.0), mapped(&map, 0.9)), (0.5, 0.5));
}

#[test]
fn odds_below_one_take_the_temperature_that_gives_them_the_rate_of_success() {
    // The forecast odds are 2 to 3, the observed ones 1 to 3.
    let map = fit(&[0.4; 4], &[true, false, false, false]).unwrap();
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
    let map = fit(&[0.5, 0.5, 0.5], &[true, false, true]).unwrap();
    assert!(map.is_degenerate() && !map.is_fallback());
    assert_eq!(map.temperature(), 1.0);
    assert!((mapped(&map, 0.3) - 0.3).abs() < 1e-15);
    assert!((mapped(&map, 0.0) - 1e-6).abs() < 1e-20);
    assert_eq!(mapped(&map, 0.5), 0.5);
}

#[test]
fn forecasts_on_the_correct_side_have_a_low_and_positive_temperature() {
    let map = fit(&[0.2, 0.4, 0.6, 0.8], &[false, false, true, true]).unwrap();
    assert!(map.temperature() > 1e-3 && map.temperature() < 0.1, "{map:?}");
    assert_eq!(mapped(&map, 0.5), 0.5);
}

#[test]
fn one_outcome_alone_is_an_error() {
    let one_class = |outcome| Err(Error::OneClass { outcome });
    assert_eq!(fit(&[0.4, 0.6], &[true, true]), one_class(true));
    assert_eq!(fit(&[0.4, 0.6], &[false, false]), one_class(false));
}
