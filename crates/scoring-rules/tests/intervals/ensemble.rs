use scoring_rules::{Ensemble, Error, Weight};

#[test]
fn an_ensemble_without_members_or_with_a_member_that_is_not_finite_is_refused() {
    assert_eq!(
        Ensemble::new(&[], None),
        Err(Error::TooFew { what: "ensemble members", least: 1, found: 0 })
    );
    assert!(matches!(
        Ensemble::new(&[1.0, 0.0, f64::NAN], None),
        Err(Error::NotFiniteAt { what: "ensemble members", index: 2, value }) if value.is_nan()
    ));
}

#[test]
fn weights_are_one_per_member_and_members_of_weight_zero_are_left_out() {
    let weights = |weights: &'static [f64]| Weight::from_slice(weights).unwrap();
    let ensemble = |each| Ensemble::new(&[7.0, 5.0, 6.0], Some(weights(each)));
    let length = Error::Length { what: "weights", expected: 3, found: 2 };
    assert_eq!(ensemble(&[1.0, 1.0]), Err(length));
    assert_eq!(ensemble(&[0.0; 3]), Err(Error::Empty));
    let left = ensemble(&[2.0, 0.0, 1.0]).unwrap();
    assert_eq!((left.members(), left.weights()), (&[6.0, 7.0][..], Some(weights(&[1.0, 2.0]))));
    assert!(matches!(
        Ensemble::new(&[f64::NAN], Some(&[Weight::ZERO])),
        Err(Error::NotFiniteAt { index: 0, .. })
    ));
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    let read = serde_json::from_str::<Ensemble>("[2.0,1.0]").unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), "[1.0,2.0]");
    let text = r#"{"members":[2.0,1.0],"weights":[3.0,1.0]}"#;
    let weighted = serde_json::from_str::<Ensemble>(text).unwrap();
    assert_eq!(weighted.weights(), Some(Weight::from_slice(&[1.0, 3.0]).unwrap()));
    assert_eq!(
        serde_json::to_string(&weighted).unwrap(),
        r#"{"members":[1.0,2.0],"weights":[1.0,3.0]}"#
    );
    for (text, says) in [
        (r#"{"members":[1.0],"weights":[1.0,1.0]}"#, "weights: expected 1, found 2"),
        (r#"{"members":[1.0],"weights":[-1.0]}"#, "row 0: weight is -1"),
        (r#"{"members":[1.0],"weights":[0.0]}"#, "the input is empty"),
        (r#"{"members":[1.0]}"#, "a list of members, or an object"),
    ] {
        let message = serde_json::from_str::<Ensemble>(text).unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
    }
    let message = serde_json::from_str::<Ensemble>("[]").unwrap_err().to_string();
    assert!(message.contains("ensemble members: 0 given, at least 1 needed"), "{message}");
}
