//! Long runs take time in proportion to their turns, and numbers about their turns are those of all turns.

use std::time::{Duration, Instant};

use budget_estimation::{BudgetEstimator, Estimator, StopRule, early_stopping};

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
            forest.estimate(&prefix).unwrap();
        }
        let rule = StopRule::first_impossible();
        early_stopping(&rollouts, usd, &samples, None, &[rule]).unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}
