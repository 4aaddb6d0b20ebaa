use trajectory_metrics::{Calibrator, Platt};

use crate::common::{ps, refused};
use crate::weighted_records::mapped;

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
