use scoring_rules::{Error, Level, Probability};

#[test]
fn every_constructor_refuses_numbers_that_are_not_strictly_between_0_and_1() {
    for value in [0.0, -0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        let refused = |level| matches!(level, Err(Error::Setting { name: "level", .. }));
        assert!(refused(Level::new(value)) && refused(Level::try_from(value)), "{value}");
    }
    assert!(Level::try_from(Probability::ONE).is_err());
    assert_eq!(Level::try_from(Probability::HALF), Ok(Level::HALF));
    for value in [0.0_f64.next_up(), 1.0_f64.next_down()] {
        assert_eq!(f64::from(Level::try_from(value).unwrap()), value);
    }
}

#[test]
fn levels_are_ordered_and_shown_as_their_numbers() {
    let [low, high] = [0.25, 0.75].map(|value| Level::new(value).unwrap());
    assert!(low < Level::HALF && Level::HALF < high && low == low.min(high));
    assert_eq!((low.to_string(), format!("{high:?}")), ("0.25".into(), "0.75".into()));
}

#[cfg(feature = "serde")]
#[test]
fn json_is_checked_as_new_checks() {
    let read = serde_json::from_str::<Level>("0.25").unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), "0.25");
    let message = serde_json::from_str::<Level>("1.0").unwrap_err().to_string();
    assert!(message.contains("it must be above 0 and below 1"), "{message}");
}
