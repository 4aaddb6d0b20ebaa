use proptest::prelude::*;
use trajectory_metrics::{
    CheckedRun, Error, ForecastCounts, ForecastFault, ForecastPolicy, Probability,
};

use crate::common::ps;

/// The counts of one kept run with these repairs.
fn repaired(clipped: u64, carried: u64, skipped: u64) -> ForecastCounts {
    let mut counts = ForecastCounts::default();
    counts.runs = 1;
    counts.repaired_runs = u64::from(clipped + carried + skipped > 0);
    (counts.clipped, counts.carried, counts.skipped) = (clipped, carried, skipped);
    counts
}

/// The counts of one run that is left out.
fn left_out() -> ForecastCounts {
    let mut counts = ForecastCounts::default();
    (counts.runs, counts.left_out_runs) = (1, 1);
    counts
}

const FAULTS: [(Option<f64>, ForecastFault); 5] = [
    (None, ForecastFault::Missing),
    (Some(f64::NAN), ForecastFault::Nan),
    (Some(1.5), ForecastFault::OutOfRange(1.5)),
    (Some(-1e-300), ForecastFault::OutOfRange(-1e-300)),
    (Some(f64::INFINITY), ForecastFault::OutOfRange(f64::INFINITY)),
];

/// The forecasts of a run that is kept.
fn forecasts(checked: CheckedRun) -> Vec<Probability> {
    match checked {
        CheckedRun::Kept(forecasts) => forecasts,
        CheckedRun::LeftOut { .. } => panic!("{checked:?}"),
    }
}

#[test]
fn every_policy_treats_every_fault_as_in_its_table() {
    for (value, fault) in FAULTS {
        let run = [Some(0.25), value];
        let mut counts = ForecastCounts::default();
        let refused = ForecastPolicy::Refuse.check_run(&run, &mut counts);
        assert!(
            matches!(refused, Err(Error::Forecast { step: 2, fault: found, .. }) if found == fault)
        );
        assert_eq!(counts, ForecastCounts::default());

        let checked = ForecastPolicy::LeaveOut.check_run(&run, &mut counts).unwrap();
        assert_eq!(checked, CheckedRun::LeftOut { step: 2, fault });
        assert_eq!(counts, left_out());

        let mut counts = ForecastCounts::default();
        let carried = ForecastPolicy::CarryForward.check_run(&run, &mut counts).unwrap();
        assert_eq!(forecasts(carried)[1].get(), 0.25);
        assert_eq!(counts, repaired(0, 1, 0));

        let mut counts = ForecastCounts::default();
        let clipped = ForecastPolicy::Clip.check_run(&run, &mut counts);
        if let ForecastFault::OutOfRange(value) = fault {
            let end = if value > 1.0 { 1.0 } else { 0.0 };
            assert_eq!(forecasts(clipped.unwrap())[1].get(), end);
            assert_eq!(counts, repaired(1, 0, 0));
        } else {
            assert_eq!(clipped, refused);
        }
    }
}

#[test]
fn a_faulty_first_forecast_cannot_be_carried_forward_and_the_run_is_left_out() {
    for (value, fault) in FAULTS {
        let mut counts = ForecastCounts::default();
        let run = [value, Some(0.5)];
        let checked = ForecastPolicy::CarryForward.check_run(&run, &mut counts).unwrap();
        assert_eq!(checked, CheckedRun::LeftOut { step: 1, fault });
        assert_eq!(counts, left_out());
    }
}

#[test]
fn a_missing_first_forecast_discards_no_run_that_is_skipped_or_carried_from_a_value() {
    let run = [None, Some(0.5), Some(f64::NAN), Some(0.7)];
    let kept = |policy: &str| {
        let mut counts = ForecastCounts::default();
        let policy: ForecastPolicy = policy.parse().unwrap();
        let checked = policy.check_run(&run, &mut counts).unwrap();
        (forecasts(checked).iter().map(|p| p.get()).collect::<Vec<_>>(), counts)
    };
    assert_eq!(kept("skip"), (vec![0.5, 0.7], repaired(0, 0, 2)));
    let carried = (vec![0.25, 0.5, 0.5, 0.7], repaired(0, 2, 0));
    assert_eq!(kept("carry_forward_from=0.25"), carried);
    assert!("carry_forward_from=1.5".parse::<ForecastPolicy>().is_err());

    let mut counts = ForecastCounts::default();
    let silent = ForecastPolicy::Skip.check_run(&[None, None], &mut counts).unwrap();
    assert_eq!(silent, CheckedRun::LeftOut { step: 1, fault: ForecastFault::Missing });
    assert_eq!(counts, left_out());
}

#[test]
fn names_are_parsed_and_unknown_names_are_refused() {
    for policy in ForecastPolicy::ALL {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    let error = "drop".parse::<ForecastPolicy>().unwrap_err();
    assert!(matches!(error, Error::UnknownName { what: "forecast policy", .. }));
}

#[test]
fn a_single_run_and_a_single_forecast_are_printed_in_the_singular() {
    let counts = repaired(1, 0, 0);
    let text = "1 run: 1 repaired (1 forecast clipped, 0 carried forward, 0 skipped), 0 left out";
    assert_eq!(counts.to_string(), text);
}

proptest! {
    #[test]
    fn valid_forecasts_are_unchanged_under_every_policy(
        values in prop::collection::vec(0.0..=1.0_f64, 0..40),
    ) {
        let run: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        for policy in ForecastPolicy::ALL {
            let mut counts = ForecastCounts::default();
            let kept = CheckedRun::Kept(ps(&values).to_vec());
            prop_assert_eq!(policy.check_run(&run, &mut counts), Ok(kept));
            prop_assert_eq!(counts, repaired(0, 0, 0));
        }
    }
}
