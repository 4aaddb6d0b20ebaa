use scoring_rules::{Error, Observed};

#[test]
fn an_outcome_above_its_cap_or_not_finite_is_refused() {
    assert!(matches!(
        Observed::capped(5.0, 4.0),
        Err(Error::Setting { name: "outcome", value: 5.0, .. })
    ));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused =
            |result, name| matches!(result, Err(Error::NotFinite { what, .. }) if what == name);
        assert!(refused(Observed::exact(bad), "the outcome"));
        assert!(refused(Observed::capped(bad, 4.0), "the outcome"));
        assert!(refused(Observed::capped(4.0, bad), "the cap"));
    }
}

#[test]
fn an_outcome_is_censored_only_at_its_cap() {
    let at = Observed::capped(4.0, 4.0).unwrap();
    let below = Observed::capped(3.0, 4.0).unwrap();
    let free = Observed::exact(4.0).unwrap();
    assert_eq!([at, below, free].map(Observed::is_censored), [true, false, false]);
    assert_eq!([at, below, free].map(Observed::cap), [Some(4.0), Some(4.0), None]);
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    let read = |text| serde_json::from_str::<Observed>(text);
    assert_eq!(read("[3.0, 4.0]").unwrap(), Observed::capped(3.0, 4.0).unwrap());
    assert_eq!(read("[3.0, null]").unwrap(), Observed::exact(3.0).unwrap());
    let message = read("[5.0, 4.0]").unwrap_err().to_string();
    assert!(message.contains("it must be at most its cap"), "{message}");
    let exact = Observed::exact(3.0).unwrap();
    assert_eq!(serde_json::to_string(&exact).unwrap(), "[3.0,null]");
}
