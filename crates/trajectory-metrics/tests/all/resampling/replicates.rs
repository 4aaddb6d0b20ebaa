use scoring_rules::Error as Shared;
use trajectory_metrics::{Bootstrap, Error, Level, Replicates, Seed};

use crate::common::{refused, shared};

#[test]
fn infinite_values_have_an_interval_and_nothing_else() {
    let values = vec![f64::NEG_INFINITY, 1.0, 2.0, f64::NAN];
    let replicates = Replicates::new(f64::NEG_INFINITY, values).unwrap();
    let found = replicates.figure(Level::HALF).interval.unwrap();
    assert_eq!((found.low(), found.high()), (f64::NEG_INFINITY, 1.5));
    assert_eq!((replicates.standard_error(), replicates.undefined()), (None, 1));
    shared(replicates.minus(&replicates));
    // All on one side of the estimate, and a constant with its standard error.
    let above = Replicates::new(0.0, vec![1.0, 2.0]).unwrap();
    assert_eq!(above.figure(Level::HALF).interval.unwrap().low(), 1.25);
    let constant = Replicates::new(0.1, vec![0.1; 9]).unwrap();
    assert_eq!((constant.standard_error(), constant.in_standard_errors()), (Some(0.0), None));
}

#[test]
fn replicates_that_are_all_undefined_or_of_other_draws_are_refused() {
    let of = |values: &[f64]| Replicates::new(0.5, values.to_vec()).unwrap();
    assert_eq!(of(&[1.0, f64::NAN]), of(&[1.0, f64::NAN]));
    assert_ne!(of(&[1.0, f64::NAN]), of(&[1.0, 1.0]));
    let none = shared(Replicates::new(0.5, vec![f64::NAN; 3]));
    assert!(matches!(none, Shared::Undefined { .. }));
    shared(Replicates::new(f64::NAN, vec![1.0]));
    let one = Replicates::new(0.5, vec![1.0]).unwrap();
    assert_eq!(one.standard_error(), None);
    let pair = Replicates::new(0.5, vec![1.0, 3.0]).unwrap();
    assert_eq!(pair.standard_error(), Some(2.0_f64.sqrt()));
    let two = Replicates::new(0.5, vec![1.0; 2]).unwrap();
    assert_eq!(refused(one.minus(&two)), "replicates");
    let drawn = Bootstrap::rows(2, Seed(7)).unwrap().mean(&[0.0, 1.0], None, 1).unwrap();
    assert!(matches!(one.minus(&drawn), Err(Error::Invalid(_))));
}
