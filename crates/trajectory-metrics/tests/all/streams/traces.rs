use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use scoring_rules::{AnyRule, Error as Shared};
use trajectory_metrics::{Error, Probability, Tps, Traces, Weight, WeightSchedule};

use crate::common::{refused, uniform};

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

#[test]
fn many_traces_are_scored_as_each_alone_at_the_limits_of_a_batch() {
    let mut generator = ChaCha8Rng::seed_from_u64(17);
    let custom: Vec<f64> = (1..=200).map(f64::from).collect();
    let custom = WeightSchedule::custom(Weight::from_slice(&custom).unwrap()).unwrap();
    for n in [1, 63, 64, 65, 128, 129] {
        let lengths = [1, 62, 63, 64, 65, 200].into_iter().cycle().take(n);
        let add = |end: &mut usize, length| {
            *end += length;
            Some(*end)
        };
        let ends: Vec<usize> = lengths.scan(0, add).collect();
        let values: Vec<f64> = (0..ends[n - 1]).map(|_| uniform(&mut generator)).collect();
        let outcomes: Vec<bool> = (0..n).map(|_| uniform(&mut generator) < 0.5).collect();
        let traces = Traces::from_flat(&values, &ends, &outcomes).unwrap();
        for schedule in WeightSchedule::NAMED.into_iter().chain([custom.clone()]) {
            for rule in ["log:1e-6", "brier", "beta:2,4", "beta:0.5,1.7", "spherical"] {
                let tps = Tps::new(rule.parse::<AnyRule>().unwrap(), schedule.clone());
                let together = tps.scores(&traces).unwrap();
                assert_eq!(together.len(), n);
                for (score, trace) in together.iter().zip(traces.iter()) {
                    let alone = tps.score(trace).unwrap();
                    assert_eq!(score.to_bits(), alone.to_bits(), "{rule}, {schedule}, {n} traces");
                }
            }
        }
    }
}
