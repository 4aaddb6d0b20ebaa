use scoring_rules::{Error, Probability};

#[test]
fn numbers_outside_0_to_1_are_refused() {
    for value in [-1e-300, 1.0 + f64::EPSILON, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Probability::new(value), Err(Error::NotAProbability { value }));
    }
    assert!(matches!(
        Probability::new(f64::NAN),
        Err(Error::NotAProbability { value }) if value.is_nan()
    ));
}

#[test]
fn the_first_invalid_entry_of_a_slice_is_named_at_any_position() {
    for n in [1, 63, 64, 65, 130] {
        for (bad, wrong) in
            (0..n).flat_map(|bad| [f64::NAN, -1e-300, 1.5].map(|wrong| (bad, wrong)))
        {
            let mut values = vec![0.5; n];
            values[bad] = wrong;
            if bad + 1 < n {
                values[n - 1] = 7.0;
            }
            match Probability::from_slice(&values) {
                Err(Error::NotAProbabilityAt { index, value }) => {
                    assert_eq!(index, bad);
                    assert_eq!(value.to_bits(), wrong.to_bits());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_slice_is_viewed_not_copied() {
    let values = [0.0, 0.3, 1.0];
    let view = Probability::from_slice(&values).unwrap();
    assert_eq!(view.as_ptr().cast::<f64>(), values.as_ptr());
    assert_eq!(Probability::as_f64_slice(view), values);
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    assert_eq!(serde_json::from_str::<Probability>("0.25").unwrap().get(), 0.25);
    let message = serde_json::from_str::<Probability>("1.2").unwrap_err().to_string();
    assert!(message.contains("1.2 is not a probability"), "{message}");
    assert_eq!(serde_json::to_string(&Probability::HALF).unwrap(), "0.5");
}

#[test]
fn a_probability_is_shown_as_its_number_and_zero_without_a_sign() {
    let [zero, quarter] = [-0.0, 0.25].map(|value| Probability::new(value).unwrap());
    assert_eq!((zero.to_string(), format!("{zero:?}")), ("0".into(), "0.0".into()));
    assert_eq!((quarter.to_string(), format!("{quarter:?}")), ("0.25".into(), "0.25".into()));
}
