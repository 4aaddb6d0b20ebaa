use trajectory_metrics::{CalibrationMap, Calibrator, Platt};

use crate::common::{ps, refused};
use crate::weighted_records::{fit, mapped};

#[test]
fn settings_outside_their_range_are_refused() {
    for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let (penalty, clip) = (Platt::new(bad, 1e-6), Platt::new(1.0, bad));
        assert_eq!((refused(penalty), refused(clip)), ("penalty", "clip"));
    }
    assert!(Platt::new(1.0, 1e-17).is_err() && Platt::new(1.0, 0.5).is_err());
    assert!(Platt::new(1e21, 1e-6).is_err());
    assert!(Platt::new(1e-20, f64::EPSILON / 2.0).is_ok());
}

#[test]
fn a_falling_forecast_falls_back_to_the_base_rate() {
    let map = fit(&Platt::default(), &[0.9, 0.9, 0.8, 0.2], &[false, false, true, true]);
    assert!(map.is_fallback() && !map.is_degenerate());
    assert_eq!(map.slope(), 0.0);
    for forecast in [0.0, 0.2, 0.85, 1.0] {
        assert!((mapped(&map, forecast) - 0.5).abs() < 1e-15);
    }
}

#[test]
fn a_constant_stream_is_degenerate_and_gives_the_base_rate_without_a_fallback() {
    // Forecasts beyond the clip count as one value.
    for forecasts in [[0.7; 4], [1.0, 1.0, 0.999_999_9, 1.0]] {
        let map = fit(&Platt::default(), &forecasts, &[true, false, true, true]);
        assert!(map.is_degenerate() && !map.is_fallback());
        assert_eq!(map.slope(), 0.0);
        for forecast in [0.0, 0.7, 1.0] {
            assert!((mapped(&map, forecast) - 0.75).abs() < 1e-15);
        }
    }
}

#[test]
fn separated_outcomes_have_a_finite_slope_whatever_the_penalty() {
    let forecasts = ps(&[0.2, 0.3, 0.7, 0.8]);
    let outcomes = [false, false, true, true];
    let mut before = 0.0;
    for penalty in [1e20, 1e3, 1.0, 1e-3, 1e-9, 1e-20] {
        let platt = Platt::new(penalty, 1e-6).unwrap();
        let map = platt.fit(forecasts, &outcomes, None).unwrap();
        assert!(map.slope() > before && map.slope() < 1e3, "{penalty:e}: {map:?}");
        before = map.slope();
    }
}

#[test]
fn the_result_is_clipped_as_the_forecast_is() {
    let forecasts = ps(&[0.1, 0.9]);
    let platt = Platt::new(1e-9, 0.05).unwrap();
    let map = platt.fit(forecasts, &[false, true], None).unwrap();
    assert_eq!((mapped(&map, 0.0), mapped(&map, 1.0)), (0.05, 0.95));
    assert_eq!(mapped(&map, 0.01), mapped(&map, 0.05));
}
