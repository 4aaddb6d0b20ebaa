//! A stream of forecasts in which hard runs are cut off more often, so that a cut-off says something about the outcome. Four
//! estimates of the mean score of all runs are compared with the truth, which a simulation knows.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use censoring::{
    CensoringAnalysis, CensoringAssumption, CrossFitSuccess, Folds, LogisticSuccess, Probability,
    StopReason, Stopped, Tps, Trace, WeightSchedule,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scoring_rules::BrierScore;

const SAMPLES: u64 = 40;
const RUNS: usize = 300;

/// A run as it would be without a budget, and the step after which a budget cut it off.
struct Simulated {
    forecasts: Vec<Probability>,
    outcome: bool,
    cut_off_after: Option<usize>,
    is_hard: bool,
    /// The share of tests that fail after each step: a feature that is not one of the scored forecasts.
    failing: Vec<f64>,
}

impl Simulated {
    fn new(rng: &mut ChaCha8Rng) -> Result<Self, Box<dyn Error>> {
        let difficulty: f64 = rng.random();
        let (is_hard, steps) = (difficulty > 0.5, 3 + (9.0 * difficulty) as usize);
        let mut noisy = |mean: f64, noise: f64| mean + noise * (rng.random::<f64>() - 0.5);
        let forecasts = (0..steps).map(|_| Probability::new(noisy(0.75 - 0.3 * difficulty, 0.3)));
        let forecasts = forecasts.collect::<Result<_, _>>()?;
        let failing = (0..steps).map(|_| noisy(difficulty, 0.1)).collect();
        let outcome = rng.random_bool(1.0 - 0.9 * difficulty);
        let chance = if is_hard { 0.2 } else { 0.02 };
        let cut_off_after = (1..steps).find(|_| rng.random_bool(chance));
        Ok(Self { forecasts, outcome, cut_off_after, is_hard, failing })
    }

    fn stopped(&self) -> Result<Stopped<'_>, censoring::Error> {
        match self.cut_off_after {
            None => Stopped::new(&self.forecasts, Some(self.outcome), None),
            Some(at) => Stopped::new(&self.forecasts[..at], None, Some(StopReason::MaxTokens)),
        }
    }
}

/// Returns the errors of the four estimates in one sample, and the coverage of the weights from one curve.
fn errors(seed: u64) -> Result<[f64; 5], Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let all = (0..RUNS).map(|_| Simulated::new(&mut rng)).collect::<Result<Vec<_>, _>>()?;
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let full = |run: &Simulated| tps.score(Trace::new(&run.forecasts, run.outcome)?);
    let truth = all.iter().map(full).sum::<Result<f64, _>>()? / RUNS as f64;

    let runs = all.iter().map(Simulated::stopped).collect::<Result<Vec<_>, _>>()?;
    let tasks: Vec<usize> = (0..RUNS).map(|run| run / 5).collect();
    // The probability of success of each run after its last step, from a model of the other tasks' runs.
    let features = |run: usize, steps: usize| {
        let failing: f64 = all[run].failing[..steps].iter().sum();
        vec![failing / steps as f64, steps as f64 / 12.0]
    };
    let outcomes: Vec<bool> = runs.iter().map(|run| run.outcome() == Some(true)).collect();
    let folds = Folds::clustered(&outcomes, &tasks, 5)?;
    let learner = LogisticSuccess::new(1e-3)?;
    let model = CrossFitSuccess::new(&learner, &runs, features, &folds, None, None)?;
    let chances = runs.iter().enumerate().map(|(run, stopped)| {
        model.success_probability(run, &features(run, stopped.forecasts().len()))
    });
    let chances = chances.collect::<Result<Vec<_>, _>>()?;

    let one_curve = CensoringAnalysis::new(CensoringAssumption::NonInformative).with_resamples(0);
    let is_hard: Vec<bool> = all.iter().map(|run| run.is_hard).collect();
    let by_group = one_curve.clone().with_curve_groups(&is_hard);
    let [one, grouped] =
        [one_curve, by_group].map(|it| it.report(&runs, Some(&chances), None, &tasks));
    let (one, grouped) = (one?, grouped?);
    let [row, in_groups] = [&one, &grouped].map(|it| it.comparison("brier", "uniform"));
    let means = row
        .zip(in_groups)
        .map(|(row, in_groups)| [row.complete_only, row.ipcw, in_groups.ipcw, row.exact]);
    let means =
        means.ok_or("no such row")?.map(|mean| mean.map_or(f64::NAN, |it| it.value - truth));
    let [complete_only, ipcw, by_group, exact] = means;
    Ok([complete_only, ipcw, by_group, exact, one.ipcw_coverage])
}

fn main() -> Result<(), Box<dyn Error>> {
    let samples = (0..SAMPLES).map(errors).collect::<Result<Vec<_>, _>>()?;
    let names =
        ["complete runs only", "one curve for all runs", "a curve per group", "cross-fitted model"];
    for (at, name) in names.into_iter().enumerate() {
        let mean = samples.iter().map(|found| found[at]).sum::<f64>() / SAMPLES as f64;
        let squares = samples.iter().map(|found| (found[at] - mean).powi(2)).sum::<f64>();
        let error = (squares / (SAMPLES * (SAMPLES - 1)) as f64).sqrt();
        println!("{name}: bias {mean:+.4}, standard error {error:.4}");
    }
    let coverage = samples.iter().map(|found| found[4]).sum::<f64>() / SAMPLES as f64;
    println!("coverage of the weights from one curve: {coverage:.3}");
    Ok(())
}
