use scoring_rules::{Error, Level, Observed, Quantiles};

fn quantiles(levels: &[f64], values: &[f64]) -> Result<Quantiles, Error> {
    let levels: Vec<Level> = levels.iter().map(|&l| Level::new(l).unwrap()).collect();
    Quantiles::new(&levels, values)
}

#[test]
fn invalid_levels_and_values_are_refused_with_their_entry() {
    assert_eq!(
        quantiles(&[0.1, 0.2], &[1.0]),
        Err(Error::Length { what: "values", expected: 2, found: 1 })
    );
    assert_eq!(quantiles(&[], &[]), Err(Error::TooFew { what: "quantiles", least: 1, found: 0 }));
    assert!(matches!(
        quantiles(&[0.1, 0.2, 0.3], &[1.0, 2.0, f64::NAN]),
        Err(Error::NotFiniteAt { what: "values", index: 2, value }) if value.is_nan()
    ));
    assert_eq!(
        quantiles(&[0.1, 0.2, 0.2], &[1.0, 2.0, 3.0]),
        Err(Error::OutOfOrder { what: "levels", index: 2, before: 0.2, value: 0.2 })
    );
    assert_eq!(
        quantiles(&[0.1, 0.2, 0.3], &[1.0, 0.5, 3.0]),
        Err(Error::OutOfOrder { what: "values", index: 1, before: 1.0, value: 0.5 })
    );
    assert!(quantiles(&[0.1, 0.2, 0.3], &[1.0, 1.0, 1.0]).is_ok());
}

#[test]
fn central_intervals_are_found_for_any_rounding_of_the_levels() {
    let forecast = quantiles(
        &[0.005, 0.025, 0.05, 0.5, 0.95, 0.975, 0.995],
        &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    )
    .unwrap();
    let ends = |coverage| {
        let interval = forecast.interval(Level::new(coverage).unwrap());
        interval.map(|i| (i.low(), i.high()))
    };
    assert_eq!(ends(0.99), Some((0.0, 6.0)));
    assert_eq!(ends(0.95), Some((1.0, 5.0)));
    assert_eq!(ends(0.9), Some((2.0, 4.0)));
    assert_eq!(ends(0.8), None);
}

#[test]
fn a_quantile_without_a_partner_is_named() {
    let central = |levels: &[f64]| {
        let forecast = quantiles(levels, &vec![0.0; levels.len()]).unwrap();
        forecast.weighted_interval_loss(Observed::exact(0.0).unwrap()).map(drop)
    };
    assert_eq!(central(&[0.1, 0.3, 0.5, 0.7, 1.0 - 0.1]), Ok(()));
    assert_eq!(central(&[0.5]), Ok(()));
    assert_eq!(central(&[0.1, 0.9]), Err(Error::NoMedian));
    assert_eq!(central(&[0.1, 0.5]), Err(Error::NoPartner { index: 0, level: 0.1 }));
    assert_eq!(central(&[0.5, 0.9]), Err(Error::NoPartner { index: 1, level: 0.9 }));
    assert_eq!(central(&[0.4]), Err(Error::NoPartner { index: 0, level: 0.4 }));
    assert_eq!(
        central(&[0.1, 0.2, 0.5, 0.75, 0.9]),
        Err(Error::NoPartner { index: 1, level: 0.2 })
    );
    assert_eq!(
        central(&[0.1, 0.25, 0.5, 0.8, 0.9]),
        Err(Error::NoPartner { index: 3, level: 0.8 })
    );
}

#[test]
fn there_is_a_median_only_if_it_was_forecast() {
    let [with, without] = [[0.25, 0.5, 0.75], [0.25, 0.499, 0.75]]
        .map(|levels| quantiles(&levels, &[3.0, 5.0, 9.0]).unwrap());
    assert_eq!((with.median(), without.median()), (Some(5.0), None));
    assert_eq!(with.values(), [3.0, 5.0, 9.0]);
    assert_eq!(with.levels(), [0.25, 0.5, 0.75].map(|level| Level::new(level).unwrap()));
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    let text = "[[0.25,3.0],[0.5,5.0]]";
    let read = serde_json::from_str::<Quantiles>(text).unwrap();
    assert_eq!(read, quantiles(&[0.25, 0.5], &[3.0, 5.0]).unwrap());
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    for (text, says) in [
        ("[[0.25,3.0],[0.5,2.0]]", "values, entry 1: 2 after 3"),
        ("[[0.0,3.0]]", "it must be above 0 and below 1"),
        ("[]", "at least 1"),
    ] {
        let message = serde_json::from_str::<Quantiles>(text).unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
    }
}
