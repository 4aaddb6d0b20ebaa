use scoring_rules::{Error, Weight};

#[test]
fn a_weight_is_zero_or_from_1e_minus_100_to_1e100() {
    for value in [0.0, -0.0, 1e-100, 1.0, 1e100] {
        assert_eq!(Weight::new(value).map(Weight::get), Ok(value), "{value:e}");
    }
    for value in [
        -1e-300,
        f64::MIN_POSITIVE,
        1e-100_f64.next_down(),
        1e100_f64.next_up(),
        -1.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        assert_eq!(Weight::new(value), Err(Error::Weight { value }));
    }
    let nan = Weight::new(f64::NAN);
    assert!(matches!(nan, Err(Error::Weight { value }) if value.is_nan()), "{nan:?}");
}

#[test]
fn the_first_invalid_entry_of_a_slice_is_named() {
    for value in [-1.0, f64::INFINITY, 1e101, 1e-101] {
        let error = Weight::from_slice(&[1.0, 0.0, value, -7.0]).unwrap_err();
        assert_eq!(error, Error::WeightAt { index: 2, value });
    }
    let error = Weight::from_slice(&[f64::NAN]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 0: weight is NaN; weights must be 0 or from 1e-100 to 1e100"
    );
}

#[test]
fn a_slice_is_viewed_not_copied() {
    let values = [0.0, 0.3, 2.0];
    let view = Weight::from_slice(&values).unwrap();
    assert_eq!(view.as_ptr().cast::<f64>(), values.as_ptr());
    assert_eq!(Weight::as_f64_slice(view), values);
}

#[test]
fn a_weight_is_shown_as_its_number_and_zero_without_a_sign() {
    let zero = Weight::new(-0.0).unwrap();
    assert_eq!((zero.to_string(), format!("{zero:?}")), ("0".into(), "0.0".into()));
    assert!(zero == Weight::ZERO && zero < Weight::ONE);
}

#[test]
fn a_very_large_or_small_number_in_a_message_is_short() {
    let shown = [
        (1e300, "1e300"),
        (-1.5e-7, "-1.5e-7"),
        (1e16, "1e16"),
        (f64::NEG_INFINITY, "-inf"),
        (-123_456.5, "-123456.5"),
        (-1e-5, "-0.00001"),
    ];
    for (value, text) in shown {
        let setting = Error::Setting { name: "alpha", value, range: "in (0, 1)" };
        assert_eq!(setting.to_string(), format!("alpha is {text}; it must be in (0, 1)"));
        let weight = Error::Weight { value }.to_string();
        assert!(weight.starts_with(&format!("weight is {text};")), "{weight}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    assert_eq!(serde_json::from_str::<Weight>("0.25").unwrap().get(), 0.25);
    let message = serde_json::from_str::<Weight>("-1.0").unwrap_err().to_string();
    assert!(message.contains("weight is -1; weights must be 0 or"), "{message}");
    assert_eq!(serde_json::to_string(&Weight::ONE).unwrap(), "1.0");
}
