//! An agent that does not always report a usable confidence, scored as it runs under a policy that says
//! what is done about the values that are missing, NaN or outside 0 to 1.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use trajectory_metrics::{
    ForecastCounts, ForecastPolicy, LogScore, OnlineTps, Tps, WeightSchedule,
};

/// What the agent reported at each step of each run, and whether the run succeeded.
const RUNS: [(&[Option<f64>], bool); 4] = [
    (&[Some(0.6), Some(0.7), Some(0.9)], true),
    (&[Some(0.6), None, Some(0.8), Some(f64::NAN)], true),
    (&[Some(0.5), Some(1.2), Some(0.3)], false),
    (&[None, Some(0.4)], false),
];

fn main() -> Result<(), Box<dyn Error>> {
    let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);

    for policy in ForecastPolicy::ALL {
        println!("policy {policy}");
        let mut counts = ForecastCounts::default();
        for (number, (reported, succeeded)) in (1..).zip(RUNS) {
            let mut run = OnlineTps::new(tps.clone()).with_policy(policy);
            // An agent's loop would act here and ask for a confidence after each step.
            let pushed = reported.iter().try_for_each(|&confidence| run.push_raw(confidence));
            if let Err(error) = pushed {
                println!("  run {number}: refused, {error}");
                continue;
            }
            counts.merge(run.forecast_counts());
            match run.left_out() {
                Some((step, fault)) => println!("  run {number}: left out, step {step} is {fault}"),
                None => println!("  run {number}: {:.3} nats", run.finish(succeeded)?),
            }
        }
        println!("  {counts}");
    }
    Ok(())
}
