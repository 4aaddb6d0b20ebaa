//! Long runs take time in proportion to their turns, and numbers about their turns are those of all turns.

use std::time::{Duration, Instant};

use budget_estimation::{
    BudgetEstimator, BudgetMonitor, Estimator, Prefix, RecordedRun, StopRule, early_stopping,
    forest::PrefixFeatures,
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
