use scoring_rules::Error as Shared;
use trajectory_metrics::{Bootstrap, Error, Level, Replicates, Seed};

#[test]
fn infinite_values_have_a_percentile_interval_and_nothing_else() {
    let values = vec![f64::NEG_INFINITY, 1.0, 2.0, f64::NAN];
    let replicates = Replicates::new(f64::NEG_INFINITY, values).unwrap();
    let found = replicates.percentile_interval(Level::HALF);
    assert_eq!((found.low(), found.high()), (f64::NEG_INFINITY, 1.5));
    assert_eq!((replicates.standard_error(), replicates.undefined()), (None, 1));
    assert!(matches!(replicates.basic_interval(Level::HALF), Err(Error::ScoringRules(_))));
    assert!(matches!(
        replicates.bca_interval(&[1.0, f64::NAN], Level::HALF),
        Err(Error::ScoringRules(_))
    ));
    assert_eq!(replicates.bca_interval(&[], Level::HALF), Err(Shared::Empty.into()));
    assert!(matches!(replicates.minus(&replicates), Err(Error::ScoringRules(_))));
}

#[test]
fn replicates_that_are_all_undefined_or_of_other_draws_are_refused() {
    let of = |values: &[f64]| Replicates::new(0.5, values.to_vec()).unwrap();
    assert_eq!(of(&[1.0, f64::NAN]), of(&[1.0, f64::NAN]));
    assert_ne!(of(&[1.0, f64::NAN]), of(&[1.0, 1.0]));
    let none = Replicates::new(0.5, vec![f64::NAN; 3]).unwrap_err();
    assert!(matches!(none, Error::ScoringRules(Shared::Undefined { .. })));
    assert!(matches!(Replicates::new(f64::NAN, vec![1.0]), Err(Error::ScoringRules(_))));
    let one = Replicates::new(0.5, vec![1.0]).unwrap();
    assert_eq!(one.standard_error(), None);
    let pair = Replicates::new(0.5, vec![1.0, 3.0]).unwrap();
    assert_eq!(pair.standard_error(), Some(2.0_f64.sqrt()));
    let two = Replicates::new(0.5, vec![1.0; 2]).unwrap();
    assert!(matches!(
        one.minus(&two),
        Err(Error::ScoringRules(Shared::Length { what: "replicates", .. }))
    ));
    let drawn = Bootstrap::rows(2, Seed::new(7)).unwrap().mean(&[0.0, 1.0], None, 1).unwrap();
    assert!(matches!(one.minus(&drawn), Err(Error::OtherDraws)));
}
