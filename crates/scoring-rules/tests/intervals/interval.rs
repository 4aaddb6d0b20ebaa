use scoring_rules::{Error, Interval, Probability};

#[test]
fn an_interval_contains_its_ends_and_all_numbers_between_them() {
    let interval = Interval::new(-2.0, 5.0).unwrap();
    for inside in [-2.0, 0.0, 5.0] {
        assert!(interval.contains(inside), "{inside}");
    }
    for outside in [-2.1, 5.1, f64::NEG_INFINITY, f64::INFINITY, f64::NAN] {
        assert!(!interval.contains(outside), "{outside}");
    }
    let point = Interval::new(5.0, 5.0).unwrap();
    assert!(point.contains(5.0) && point.width() == 0.0);
}

#[test]
fn an_end_may_be_infinite_but_not_nan() {
    let below = Interval::new(f64::NEG_INFINITY, 0.0).unwrap();
    assert_eq!((below.width(), below.as_point()), (f64::INFINITY, None));
    assert!(matches!(below.finite(), Err(Error::NotFinite { what: "the low end", .. })));
    for end in [f64::NEG_INFINITY, f64::INFINITY] {
        let point = Interval::point(end).unwrap();
        assert_eq!((point.width(), point.as_point()), (0.0, Some(end)));
    }
    for (low, high, what) in [(f64::NAN, 0.0, "the low end"), (0.0, f64::NAN, "the high end")] {
        assert_eq!(Interval::new(low, high), Err(Error::NotANumber { what }));
    }
    assert_eq!(Interval::new(2.0, 1.0), Err(Error::Reversed { low: 2.0, high: 1.0 }));
    for (a, b) in [(f64::NAN, 0.0), (0.0, f64::NAN), (f64::NAN, f64::NAN)] {
        assert_eq!(Interval::between(a, b), Interval::ALL);
    }
}

#[test]
fn reversed_probabilities_and_invalid_widths_are_refused() {
    let reversed = Interval::new(Probability::ONE, Probability::HALF).unwrap_err();
    assert_eq!(reversed, Error::Reversed { low: 1.0, high: 0.5 });
    for width in [-1e-300, f64::NEG_INFINITY, f64::NAN] {
        let error = Interval::around(Probability::HALF, width).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "width", .. }), "{error}");
    }
}

#[test]
fn a_width_of_two_gives_all_probabilities_and_a_width_of_zero_one() {
    for q in [0.0, 0.3, 1.0] {
        let q = Probability::new(q).unwrap();
        for width in [2.0, 1e300, f64::INFINITY] {
            assert_eq!(Interval::around(q, width), Ok(Interval::UNKNOWN));
        }
        assert_eq!(Interval::around(q, 0.0), Ok(q.into()));
    }
}

#[test]
fn the_loss_of_an_infinite_interval_is_infinite_unless_a_cap_replaces_the_end() {
    use scoring_rules::{Level, Observed, empirical_coverage, interval_loss, mean_width};
    let infinity = f64::INFINITY;
    let exact = Observed::exact(3.0).unwrap();
    let capped = Observed::capped(3.0, 10.0).unwrap();
    for (low, high) in
        [(-infinity, 5.0), (0.0, infinity), (-infinity, -infinity), (infinity, infinity)]
    {
        let interval = Interval::new(low, high).unwrap();
        assert_eq!(interval_loss(interval, exact, Level::HALF), infinity, "{interval}");
        let width = if low == high { 0.0 } else { infinity };
        assert_eq!(mean_width(&[interval], None), Ok(width));
        assert!(empirical_coverage(&[interval], &[3.0], None).is_ok());
    }
    let never = Interval::new(0.0, infinity).unwrap();
    assert_eq!(interval_loss(never, capped, Level::HALF), 10.0);
}

#[test]
fn an_interval_is_shown_as_its_two_ends() {
    let interval = Interval::new(2.0, 5.5).unwrap();
    assert_eq!(
        (interval.to_string(), format!("{interval:?}")),
        ("[2, 5.5]".into(), "[2.0, 5.5]".into())
    );
}

#[cfg(feature = "serde")]
#[test]
fn json_is_the_list_of_ends_and_is_checked_as_new_checks() {
    for json in ["[2.0,5.5]", r#"["-inf",5.5]"#, r#"["-inf","inf"]"#] {
        let read = serde_json::from_str::<Interval>(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
    let message = serde_json::from_str::<Interval>("[5.5,2.0]").unwrap_err().to_string();
    assert!(message.contains("the low end 5.5 is above the high end 2"), "{message}");
    let interval: Interval<Probability> = serde_json::from_str("[0.25,0.5]").unwrap();
    assert_eq!(serde_json::to_string(&interval).unwrap(), "[0.25,0.5]");
    for wrong in ["[0.5,0.25]", "[-0.1,0.5]", "0.5"] {
        assert!(serde_json::from_str::<Interval<Probability>>(wrong).is_err(), "{wrong}");
    }
}
