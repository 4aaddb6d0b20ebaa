//! Published figures of the TPS paper (arXiv:2605.24756) on runs that were resumed after the cut-off.
#![allow(clippy::unwrap_used)]

use censoring::{
    Probability, StopReason, Stopped, Tps, WeightSchedule, exact_mean_score, simple_mean_score,
};
use trajectory_metrics::LogScore;

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

/// Chances of success of 87 prefixes with all figures of table 7: the mean, the share of zeros and the
/// share above one half. A constant forecast depends on nothing but the mean.
fn chances() -> Vec<Probability> {
    let (mean, zeros, low, high) = (0.240, 59, 8, 20);
    let total = mean * f64::from(zeros + low + high);
    let above = (total - 0.5 * f64::from(low)) / f64::from(high);
    let parts = [(zeros, 0.0), (low, 0.5), (high, above)];
    parts.iter().flat_map(|&(count, q)| (0..count).map(move |_| probability(q))).collect()
}

#[test]
fn the_base_rate_row_of_table_9_comes_out_to_the_printed_digits() {
    let chances = chances();
    let share = |some: &dyn Fn(f64) -> bool| {
        let count = chances.iter().filter(|q| some(q.get())).count();
        format!("{:.1} %", 100.0 * count as f64 / chances.len() as f64)
    };
    assert_eq!(chances.len(), 87);
    assert_eq!(share(&|q| q == 0.0), "67.8 %");
    assert_eq!(share(&|q| q > 0.5), "23.0 %");

    // Successes among complete runs, over complete runs and those at the budget of 7 steps: table 6.
    // The paper prints no number of successes; 892 gives the base-rate rows of tables 2 to 4.
    let forecasts = [probability(892.0 / (1529.0 + 458.0)); 7];
    let run = Stopped::new(&forecasts, None, Some(StopReason::MaxSteps)).unwrap();
    let runs = vec![run; chances.len()];
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule);
        let simple = simple_mean_score(&tps, &runs, None).unwrap();
        let exact = exact_mean_score(&tps, &runs, &chances, None).unwrap();
        let row = [simple, exact, exact - simple].map(|score| format!("{score:.3}"));
        assert_eq!(row, ["-0.596", "-0.645", "-0.049"]);
    }
}
