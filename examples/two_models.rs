//! Two models on the same tasks: the difference of their trajectory proper scores and of their AUROCs,
//! with intervals that treat the runs of one task as dependent.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use trajectory_metrics::{
    Arm, BrierScore, ClusterEstimate, Level, Probability, Summary, Tps, Traces, WeightSchedule,
};

/// One run: its task, the confidence reported at each step, and whether it succeeded.
type Run = (&'static str, &'static [f64], bool);

const FIRST: [Run; 12] = [
    ("parser", &[0.6, 0.7, 0.8], true),
    ("parser", &[0.6, 0.5], true),
    ("docs", &[0.7, 0.8], true),
    ("docs", &[0.6, 0.6, 0.7], false),
    ("race", &[0.6, 0.7, 0.6], false),
    ("race", &[0.5, 0.6], false),
    ("typo", &[0.8, 0.9], true),
    ("typo", &[0.7, 0.6], false),
    ("cache", &[0.6, 0.5, 0.6], true),
    ("cache", &[0.7, 0.8], false),
    ("login", &[0.5, 0.4], false),
    ("login", &[0.7, 0.7, 0.9], true),
];
const SECOND: [Run; 12] = [
    ("parser", &[0.7, 0.8, 0.9], true),
    ("parser", &[0.5, 0.6, 0.8], true),
    ("docs", &[0.7, 0.9], true),
    ("docs", &[0.6, 0.4, 0.2], false),
    ("race", &[0.4, 0.3], false),
    ("race", &[0.5, 0.2, 0.1], false),
    ("typo", &[0.9, 0.9], true),
    ("typo", &[0.8, 0.9], true),
    ("cache", &[0.6, 0.7], true),
    ("cache", &[0.5, 0.4, 0.3], false),
    ("login", &[0.6, 0.7], false),
    ("login", &[0.5, 0.7, 0.8], true),
];

fn main() -> Result<(), Box<dyn Error>> {
    // All runs in one list; `arms` tells which model made which.
    let (mut traces, mut tasks, mut arms) = (Traces::default(), Vec::new(), Vec::new());
    for (runs, is_second) in [(FIRST, false), (SECOND, true)] {
        for (task, confidence, succeeded) in runs {
            traces.push(Probability::from_slice(confidence)?, succeeded)?;
            tasks.push(task);
            arms.push(Arm::second_if(is_second));
        }
    }
    let schedule = WeightSchedule::LinearFront;
    let level = Level::new(0.95)?;

    let scores = Tps::new(BrierScore, schedule.clone()).scores(&traces)?;
    let gain = ClusterEstimate::difference(&scores, &arms, None, &tasks)?;
    let interval = gain.interval(level)?;
    println!("second model minus first, {} tasks, 95 % intervals", gain.clusters);
    println!("tps_brier {:+.3} [{:+.3}, {:+.3}]", gain.estimate, interval.low(), interval.high());

    let confidence = Summary::Weighted(schedule).forecasts(&traces)?;
    let gain =
        ClusterEstimate::auroc_difference(&confidence, traces.outcomes(), &arms, None, &tasks)?;
    let interval = gain.interval(level)?;
    println!("auroc     {:+.3} [{:+.3}, {:+.3}]", gain.estimate, interval.low(), interval.high());
    Ok(())
}
