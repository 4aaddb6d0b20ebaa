use scoring_rules::Error as Shared;
use trajectory_metrics::{
    BetaCalibration, CalibrationMap, Calibrator, Error, Isotonic, Platt, TemperatureScaling,
    VennAbers, Weight,
};

use crate::{
    common::{ps, ws},
    weighted_records::{fit, mapped},
};

/// The errors of all calibrators for one input.
fn refusals(outcomes: &[bool], weights: &[f64]) -> [Option<Error>; 5] {
    let forecasts = ps(&[0.5, 0.6]);
    let weights = Some(ws(weights));
    [
        Platt::default().fit(forecasts, outcomes, weights).err(),
        TemperatureScaling::default().fit(forecasts, outcomes, weights).err(),
        BetaCalibration::default().fit(forecasts, outcomes, weights).err(),
        Isotonic.fit(forecasts, outcomes, weights).err(),
        VennAbers.fit(forecasts, outcomes, weights).err(),
    ]
}

#[test]
fn every_calibrator_refuses_the_same_invalid_input() {
    let length = |what, found| scoring_rules::checks::length(what, 2, found);
    for (outcomes, weights, error) in [
        (&[true][..], &[1.0, 1.0][..], length("outcomes", 1)),
        (&[true, false], &[1.0], length("weights", 1)),
        (&[true, false], &[0.0, 0.0], Shared::Empty),
    ] {
        let error: Error = error.into();
        assert_eq!(refusals(outcomes, weights), [(); 5].map(|()| Some(error.clone())));
    }
}

#[test]
fn without_weights_every_record_has_weight_one() {
    fn check<C: Calibrator<Map: PartialEq + std::fmt::Debug>>(calibrator: &C) {
        let forecasts = ps(&[0.5, 0.6, 0.6, 0.9]);
        let outcomes = [false, false, true, true];
        let fit = |weights: Option<&[Weight]>| calibrator.fit(forecasts, &outcomes, weights);
        let plain = fit(None).unwrap();
        assert_eq!(plain, fit(Some(&[Weight::ONE; 4])).unwrap());
        let heavier = [Weight::ONE, Weight::ONE, 2.into(), Weight::ONE];
        assert_ne!(plain, fit(Some(&heavier)).unwrap());
    }
    check(&Platt::default());
    check(&TemperatureScaling::default());
    check(&BetaCalibration::default());
    check(&Isotonic);
    check(&VennAbers);
}

#[test]
fn curves_need_both_outcomes_and_steps_do_not() {
    let one_class = |refusals: [Option<Error>; 5], class| {
        let [curves @ .., isotonic, venn_abers] = refusals;
        let found = curves.map(|error| match error {
            Some(Error::OneClass { outcome, .. }) => Some(outcome),
            _ => None,
        });
        found == [Some(class); 3] && isotonic.is_none() && venn_abers.is_none()
    };
    assert!(one_class(refusals(&[true, true], &[1.0, 1.0]), true));
    assert!(one_class(refusals(&[true, false], &[0.0, 1.0]), false));
    // Less than 1e-12 of the weight is too little.
    assert!(one_class(refusals(&[true, false], &[1.0, 1e-13]), true));
    assert_eq!(refusals(&[true, false], &[1e-11, 1.0]), [(); 5].map(|()| None));
}

/// The line and the beta curve, each with whether it has no slope.
fn curves(forecasts: &[f64], outcomes: &[bool]) -> [(Box<dyn CalibrationMap>, bool); 2] {
    let line = fit(&Platt::default(), forecasts, outcomes);
    let curve = fit(&BetaCalibration::default(), forecasts, outcomes);
    let flat = [line.slope() == 0.0, curve.coefficients()[..2] == [0.0, 0.0]];
    [(Box::new(line), flat[0]), (Box::new(curve), flat[1])]
}

#[test]
fn a_falling_forecast_falls_back_to_the_base_rate() {
    for (map, is_flat) in curves(&[0.9, 0.9, 0.8, 0.2], &[false, false, true, true]) {
        assert!(map.is_fallback() && !map.is_degenerate() && is_flat);
        for forecast in [0.0, 0.2, 0.85, 1.0] {
            assert!((mapped(&*map, forecast) - 0.5).abs() < 1e-15);
        }
    }
}

#[test]
fn a_constant_stream_is_degenerate_and_gives_the_base_rate_without_a_fallback() {
    // Forecasts beyond the clip count as one value.
    for forecasts in [[0.7; 4], [1.0, 1.0, 0.999_999_9, 1.0]] {
        for (map, is_flat) in curves(&forecasts, &[true, false, true, true]) {
            assert!(map.is_degenerate() && !map.is_fallback() && is_flat);
            for forecast in [0.0, 0.7, 1.0] {
                assert!((mapped(&*map, forecast) - 0.75).abs() < 1e-15);
            }
        }
    }
}
