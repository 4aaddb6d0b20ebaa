use scoring_rules::Error as Shared;
use trajectory_metrics::Error;
use trajectory_metrics::tool_calls::TrialCounts;

#[test]
fn counts_saturate_and_more_trials_than_are_supported_are_an_error() {
    use trajectory_metrics::tool_calls::TrialOutcome::{Censored, Failure, NotRun, Success};
    let most = u64::MAX;
    let all = TrialCounts { successes: most, failures: most, censored: most, not_run: most };
    let mut counts = all;
    counts.extend([Success, Failure, Censored, NotRun]);
    assert_eq!(counts, all);
    assert_eq!((counts.trials(), counts.unknown()), (most, most));
    assert_eq!(counts.with_planned(most), counts);
    for counts in [counts, TrialCounts { successes: most, ..TrialCounts::default() }] {
        for result in [counts.pass_at_k(1), counts.pass_hat_k(1)] {
            let is_sum = matches!(
                result,
                Err(Error::ScoringRules(Shared::Setting { name: "number of trials", .. }))
            );
            assert!(is_sum, "{result:?}");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn counts_are_read_back() {
    let counts = TrialCounts { successes: 1, failures: 2, censored: 3, not_run: 4 };
    let written = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<TrialCounts>(&written).unwrap(), counts);
}
