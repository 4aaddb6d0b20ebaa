//! Counts of how runs ended.

use std::collections::BTreeSet;

use approx::assert_relative_eq;
use censoring::{
    Error, Exclusion, Observation, Probability, StopClass, StopReason, Stopped, TerminationAudit,
    Weight,
};
use proptest::prelude::*;

use crate::{EMPTY, censored, p};

type Run = (Vec<f64>, Option<bool>, Option<StopReason>);

fn stopped((forecasts, outcome, reason): &Run) -> Stopped<'_> {
    let forecasts = Probability::from_slice(forecasts).unwrap();
    Stopped::new(forecasts, *outcome, reason.clone()).unwrap()
}

fn audit(runs: &[Run]) -> TerminationAudit {
    let mut audit = TerminationAudit::default();
    runs.iter().for_each(|run| audit.update(&stopped(run), Weight::ONE));
    audit
}

fn run() -> impl Strategy<Value = Run> {
    let words = vec!["max_steps", "max_cost", "parse_error", "user_stop", "gave up"];
    let reason = prop::option::of(prop::sample::select(words));
    (prop::collection::vec(0.0..=1.0_f64, 1..9), prop::option::of(any::<bool>()), reason).prop_map(
        |(forecasts, outcome, word)| (forecasts, outcome, word.map(|w| w.parse().unwrap())),
    )
}

proptest! {
    #[test]
    fn rows_say_what_counting_by_hand_says(runs in prop::collection::vec(run(), 0..30)) {
        let audit = audit(&runs);
        let mut seen = BTreeSet::new();
        for (class, reason, group) in audit.rows() {
            prop_assert!(seen.insert((class, reason.cloned())));
            let alike = runs.iter().filter(|run| {
                let is = match (run.1, &run.2) {
                    (Some(_), _) => StopClass::Complete,
                    (None, Some(StopReason::MaxSteps | StopReason::MaxCost)) => StopClass::Censored,
                    (None, _) => StopClass::Excluded,
                };
                is == class && run.2.as_ref() == reason
            });
            let means: Vec<f64> =
                alike.clone().map(|run| run.0.iter().sum::<f64>() / run.0.len() as f64).collect();
            let steps: usize = alike.map(|run| run.0.len()).sum();
            prop_assert_eq!(group.runs, means.len() as u64);
            prop_assert!(group.runs > 0);
            let mean_length = steps as f64 / means.len() as f64;
            assert_relative_eq!(group.mean_length, mean_length, epsilon = 0.0);
            let mean = means.iter().sum::<f64>() / means.len() as f64;
            assert_relative_eq!(group.mean_forecast, mean, epsilon = 1e-14);
        }
        prop_assert_eq!(audit.total(), runs.len() as u64);
        prop_assert_eq!(audit.total(), audit.count(StopClass::Complete) + audit.count(StopClass::Censored) + audit.count(StopClass::Excluded));
        prop_assert_eq!(audit.exclusions().values().sum::<u64>(), audit.count(StopClass::Excluded));
        for class in [StopClass::Complete, StopClass::Censored, StopClass::Excluded] {
            let of_class: u64 = audit.rows().filter(|row| row.0 == class).map(|row| row.2.runs).sum();
            prop_assert_eq!(audit.group(class).map_or(0, |group| group.runs), of_class);
        }
    }

    #[test]
    fn parts_order_and_copies_leave_no_trace(
        runs in prop::collection::vec(run(), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = audit(&runs);
        let (first, second) = runs.split_at(cut.index(runs.len()));
        let mut merged = audit(second);
        merged.merge(&audit(first));
        prop_assert_eq!(&merged, &whole);
        let mut reversed = runs.clone();
        reversed.reverse();
        prop_assert_eq!(&audit(&reversed), &whole);

        merged.merge(&whole);
        let mut copies = TerminationAudit::default();
        for run in &runs {
            copies.update(&stopped(run), Weight::ONE);
            copies.update(&stopped(run), Weight::ONE);
        }
        prop_assert_eq!(&merged, &copies);
        prop_assert_ne!(&merged, &whole);
    }
}

#[test]
fn a_run_of_weight_two_is_two_runs_in_means_and_rates_and_one_in_counts() {
    let forecasts = [0.1, 0.3, 0.8].map(p);
    let run = |steps: usize, outcome| {
        Stopped::new(&forecasts[..steps], outcome, Some(StopReason::MaxSteps)).unwrap()
    };
    let runs = [run(1, Some(true)), run(2, None), run(3, None), run(3, Some(false))];
    let (mut weighted, mut copied) = (TerminationAudit::default(), TerminationAudit::default());
    for (run, copies) in runs.iter().zip([1_u32, 2, 0, 3]) {
        weighted.update(run, copies.into());
        (0..copies).for_each(|_| copied.update(run, Weight::ONE));
    }
    assert_eq!(weighted.censoring_rate(), Ok(2.0 / 6.0));
    assert_eq!(copied.censoring_rate(), Ok(2.0 / 6.0));
    let counts = |audit: &TerminationAudit| {
        [audit.count(StopClass::Complete), audit.count(StopClass::Censored), audit.total()]
    };
    assert_eq!([counts(&weighted), counts(&copied)], [[2, 1, 3], [4, 2, 6]]);
    for class in [StopClass::Complete, StopClass::Censored] {
        let [mut weighted, copied] = [&weighted, &copied].map(|audit| audit.group(class).unwrap());
        assert_eq!(copied.weight, copied.runs as f64);
        weighted.runs = copied.runs;
        assert_eq!(weighted, copied);
    }
}

#[test]
fn an_empty_audit_has_no_rate_and_no_group() {
    let mut audit = TerminationAudit::default();
    assert_eq!(audit.censoring_rate(), Err(EMPTY));
    let forecasts = [Probability::HALF];
    let unknown = Stopped::new(&forecasts, None, None).unwrap();
    audit.update(&unknown, Weight::ONE);
    assert_eq!(audit.censoring_rate(), Err(EMPTY));
    assert_eq!((audit.group(StopClass::Complete), audit.count(StopClass::Excluded)), (None, 1));
}

#[test]
fn a_policy_of_your_own_decides_on_unknown_outcomes_alone() {
    let forecasts = [Probability::HALF; 2];
    let reversed = |reason: &StopReason| match reason.class() {
        StopClass::Censored => StopClass::Excluded,
        StopClass::Excluded => StopClass::Censored,
        StopClass::Complete => StopClass::Complete,
    };
    let run = |outcome, reason: &StopReason| {
        Stopped::with_policy(&forecasts, outcome, Some(reason.clone()), reversed)
    };
    let parse_error = run(None, &StopReason::ParseError).unwrap();
    assert_eq!(parse_error.observation(), Observation::Censored);
    assert_eq!(parse_error.reason(), Some(&StopReason::ParseError));
    let budget = run(None, &StopReason::MaxSteps).unwrap();
    let exclusion = Exclusion::Stopped(StopReason::MaxSteps);
    assert_eq!(budget.observation(), Observation::Excluded(&exclusion));
    assert!(matches!(run(None, &StopReason::Completed), Err(Error::Undetermined { .. })));
    // An outcome that was observed counts under any policy.
    let judged = run(Some(false), &StopReason::MaxSteps).unwrap();
    assert_eq!((judged.class(), judged.outcome()), (StopClass::Complete, Some(false)));
    assert_eq!(judged.reason(), Some(&StopReason::MaxSteps));
    // The policy is not asked where there is no reason.
    let unknown = Stopped::with_policy(&forecasts, None, None, |_| StopClass::Censored).unwrap();
    assert_eq!(unknown.observation(), Observation::Excluded(&Exclusion::NoReason));
}

#[cfg(feature = "serde")]
#[test]
fn an_audit_writes_counts_rate_and_rows() {
    let runs = [
        (vec![0.5, 1.0], Some(true), None),
        (vec![0.25; 4], None, Some(StopReason::MaxSteps)),
        (vec![0.5], None, Some(StopReason::Other("gave up".to_owned()))),
    ];
    let row = |class: &str, reason: serde_json::Value, mean_length: f64, mean_forecast: f64| {
        serde_json::json!({
            "class": class, "reason": reason, "runs": 1, "weight": 1.0,
            "mean_length": mean_length, "mean_forecast": mean_forecast,
        })
    };
    let want = serde_json::json!({
        "complete": 1, "censored": 1, "excluded": 1, "censoring_rate": 0.5,
        "rows": [
            row("complete", serde_json::Value::Null, 2.0, 0.75),
            row("censored", "max_steps".into(), 4.0, 0.25),
            row("excluded", "gave up".into(), 1.0, 0.5),
        ],
    });
    let mut found = serde_json::to_value(audit(&runs)).unwrap();
    for row in found["rows"].as_array_mut().unwrap() {
        // From these it is read back, exactly.
        let row = row.as_object_mut().unwrap();
        for sum in ["weight_sum", "step_sum", "forecast_sum"] {
            assert!(row.remove(sum).is_some(), "{sum}");
        }
    }
    assert_eq!(found, want);
    let nothing = serde_json::to_value(TerminationAudit::default()).unwrap();
    assert_eq!(nothing["censoring_rate"], serde_json::Value::Null);
}

/// Merging an audit with itself doubles it: 70 times is beyond the largest count.
#[test]
fn counts_at_the_end_of_their_range_stay_there() {
    let forecasts = [Probability::HALF];
    let known = Stopped::new(&forecasts, Some(true), None).unwrap();
    let cut_off = censored(&forecasts);
    let mut audit: TerminationAudit = [&known, &cut_off].into_iter().collect();
    for _ in 0..70 {
        let same = audit.clone();
        audit.merge(&same);
    }
    assert_eq!((audit.count(StopClass::Complete), audit.total()), (u64::MAX, u64::MAX));
    assert_eq!(audit.censoring_rate(), Ok(0.5));
}
