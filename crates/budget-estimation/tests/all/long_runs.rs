//! Long runs take time in proportion to their turns, and numbers about their turns are those of all turns.

use std::time::{Duration, Instant};

use budget_estimation::{
    BudgetEstimator, BudgetMonitor, DetectionSummary, Estimate, Estimator, Prefix, ProgressMetrics,
    RecordedRun, Sample, StopRule, early_stopping, forest::PrefixFeatures,
};
use proptest::prelude::*;

use crate::common::{level, runs};

/// A quadratic loop over the turns takes minutes.
#[test]
fn a_run_of_400_000_turns_is_learnt_from_and_replayed_in_seconds() {
    let began = Instant::now();
    // Whole numbers, and costs whose sums have more than 15 digits.
    for unit in [1.0, 0.123_456_789_012_3] {
        let costs: Vec<f64> = (0..400_000_u32).map(|turn| unit * f64::from(turn % 7 + 1)).collect();
        let (mut rollouts, usd) = runs([(&costs, true), (&costs, false)]);
        rollouts.set_cap(usd, 1e9).unwrap();
        let mut forest = BudgetEstimator::new(level(0.5));
        let samples = rollouts.score(usd, &mut forest).unwrap();
        for prefix in rollouts.get(1).unwrap().replay(usd).unwrap() {
            forest.forecast_success(&prefix).unwrap();
            forest.estimate(&prefix).unwrap();
        }
        let rule = StopRule::first_impossible();
        early_stopping(&rollouts, usd, &samples, None, &[rule]).unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

fn row(features: &PrefixFeatures, prefix: Prefix<'_>) -> Vec<f64> {
    let mut row = Vec::new();
    features.append_to(&mut row, &prefix).unwrap();
    row
}

proptest! {
    #[test]
    fn features_and_what_is_left_are_those_of_all_costs_live_and_in_a_copy(
        all in prop::collection::vec(prop::collection::vec(0.0..1e3_f64, 1..40), 1..4),
        is_long in any::<bool>(),
    ) {
        let cost = |cost: f64| if is_long { cost } else { cost.round() };
        let costs = |costs: &Vec<f64>| costs.iter().map(|it| cost(*it)).collect::<Vec<_>>();
        let (mut rollouts, usd) = runs(all.iter().map(|run| (costs(run), true)));
        rollouts.set_cap(usd, 1234.5).unwrap();
        let mut copies = rollouts.filter(|_| true);
        copies.append(&rollouts).unwrap();
        for (at, rollout) in rollouts.iter().enumerate() {
            let monitor = BudgetMonitor::new([("tokens", Some(1234.5))]).unwrap();
            let mut live = RecordedRun::new(monitor).unwrap();
            let features = PrefixFeatures::new(&rollout, usd).unwrap();
            let copies = [at, at + all.len()].map(|at| copies.get(at).unwrap());
            let mut copies = copies.map(|copy| copy.replay(usd).unwrap());
            for prefix in rollout.replay(usd).unwrap() {
                let (costs, k) = (prefix.usage().costs(), prefix.turns());
                live.push(&[costs[k - 1]]).unwrap();
                let found = row(&features, prefix);
                prop_assert_eq!(&found, &row(&features, live.prefix(usd).unwrap()));
                for copy in &mut copies {
                    prop_assert_eq!(&found, &row(&features, copy.next().unwrap()));
                }
                let [largest_cost, spread_of_costs, left] = [5, 7, 8].map(|at| found[at]);
                let largest = costs.iter().copied().fold(0.0, f64::max);
                let mean = costs.iter().sum::<f64>() / k as f64;
                prop_assert_eq!(largest_cost, largest);
                if mean > 0.0 {
                    let squares: f64 = costs.iter().map(|it| (it - mean).powi(2)).sum();
                    let spread = (squares / k as f64).sqrt() / mean;
                    prop_assert!((spread_of_costs - spread).abs() < 1e-13, "{spread}");
                }
                prop_assert_eq!(Some(left), live.monitor().left().next().unwrap());
            }
        }
    }
}

/// Failed runs with a first alarm after `alarm` of their turns, each of which costs as much as its number.
fn detection(alarms: &[(usize, usize)]) -> DetectionSummary {
    let costs = |turns: usize| (1..=turns as u32).map(f64::from).collect::<Vec<_>>();
    let (rollouts, tokens) = runs(alarms.iter().map(|&(turns, _)| (costs(turns), false)));
    let mut metrics = ProgressMetrics::new(1).unwrap();
    for (run, &(turns, alarm)) in rollouts.iter().zip(alarms) {
        for turn in 1..turns {
            let is_alarm = turn >= alarm;
            let estimate = if is_alarm { Estimate::Impossible } else { Estimate::NoAnswer };
            metrics.update(&Sample::new(&run, tokens, turn, estimate).unwrap()).unwrap();
        }
    }
    metrics.finish().unwrap().detection.unwrap()
}

/// Alarms after 2 of 5 and 6 of 8 turns, and none: 3 of 15 and 21 of 36 are spent, by hand.
#[test]
fn the_delay_of_detection_is_the_share_of_turns_and_of_costs_before_the_first_alarm() {
    let found = detection(&[(5, 2), (8, 6), (4, 9)]);
    assert_eq!((found.failed, found.detected, found.mean_turns), (3, 2, Some(4.0)));
    assert!((found.mean_turn_share - (0.4 + 0.75 + 1.0) / 3.0).abs() < 1e-15);
    assert!((found.mean_spent_share - (0.2 + 21.0 / 36.0 + 1.0) / 3.0).abs() < 1e-15);
    assert_eq!(found.median_spent_share, 21.0 / 36.0);
}

proptest! {
    #[test]
    fn the_delay_of_detection_has_the_same_bits_in_any_order_of_runs(
        runs in prop::collection::vec((2_usize..30, 1_usize..30), 1..30).prop_shuffle(),
    ) {
        let mut sorted = runs.clone();
        sorted.sort_unstable();
        prop_assert_eq!(detection(&runs), detection(&sorted));
    }
}
