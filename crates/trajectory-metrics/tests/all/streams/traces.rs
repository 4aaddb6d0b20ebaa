use scoring_rules::Error as Shared;
use trajectory_metrics::{Error, Probability, Traces};

use crate::common::refused;

#[test]
fn inconsistent_flat_arrays_are_refused() {
    let values = [0.1, 0.2, 0.3];
    let flat = |ends: &[usize], outcomes: &[bool]| Traces::from_flat(&values, ends, outcomes);
    let both = [true, false];
    assert!(matches!(flat(&[0, 3], &both), Err(Error::EmptyTrace { index: 0, .. })));
    assert!(matches!(flat(&[3, 3], &both), Err(Error::EmptyTrace { index: 1, .. })));
    // The first wrong end is named, even if a later one is valid.
    for (ends, start) in [
        (&[2, 1][..], "trace 1 ends at 1; "),
        (&[2, 4], "trace 1 ends at 4; "),
        (&[2, 1, 3], "trace 1 ends at 1; "),
        (&[4, 3], "trace 0 ends at 4; "),
        (&[1, 2], "trace 1 ends at 2; "),
    ] {
        let error = flat(ends, &[true; 3][..ends.len()]).unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
    assert_eq!(refused(flat(&[3], &both)), "outcomes");
    assert!(Traces::from_flat(&[], &[], &[]).unwrap().is_empty());
    assert!(matches!(
        Traces::from_flat(&[0.5, 1.2], &[2], &[true]),
        Err(Error::ScoringRules(Shared::NotAProbabilityAt { index: 1, .. }))
    ));
}

#[test]
fn an_empty_trace_is_refused_and_nothing_is_appended() {
    let mut traces = Traces::default();
    traces.push(&[Probability::HALF], true).unwrap();
    assert!(matches!(traces.push(&[], true), Err(Error::EmptyTrace { index: 1, .. })));
    assert_eq!((traces.len(), traces.steps()), (1, 1));
}
