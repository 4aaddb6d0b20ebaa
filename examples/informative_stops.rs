//! A stream of forecasts in which runs of tasks that are rated hard are cut off more often, so that a cut-off says something
//! about the outcome. Four estimates of the mean score of all runs are compared with the truth, which a simulation knows.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use censoring::{
    CensoringAnalysis, CensoringAssumption, CensoringCurves, CrossFitSuccess, Folds, IpcwWeights,
    LogisticSuccess, Probability, StopReason, StopTimes, Stopped, Tps, Trace, WeightSchedule,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scoring_rules::BrierScore;

const SAMPLES: u64 = 40;
const RUNS: usize = 1200;

/// A run as it would be without a budget, and the step after which a budget cut it off.
struct Simulated {
    forecasts: Vec<Probability>,
    outcome: bool,
    cut_off_after: Option<usize>,
    /// The share of tests that fail after each step: a feature that is not one of the scored forecasts.
    failing: Vec<f64>,
}

impl Simulated {
    fn new(task: (f64, bool), rng: &mut ChaCha8Rng) -> Result<Self, Box<dyn Error>> {
        let (difficulty, is_rated_hard) = task;
        let steps = 3 + (9.0 * difficulty) as usize;
        let mut noisy = |mean: f64, noise: f64| mean + noise * (rng.random::<f64>() - 0.5);
        let forecasts = (0..steps).map(|_| Probability::new(noisy(0.75 - 0.3 * difficulty, 0.3)));
        let forecasts = forecasts.collect::<Result<_, _>>()?;
        let failing = (0..steps).map(|_| noisy(difficulty, 0.1)).collect();
        let outcome = rng.random_bool(1.0 - 0.9 * difficulty);
        let chance = if is_rated_hard { 0.2 } else { 0.02 };
        let cut_off_after = (1..steps).find(|_| rng.random_bool(chance));
        Ok(Self { forecasts, outcome, cut_off_after, failing })
    }

    fn stopped(&self) -> Result<Stopped<'_>, censoring::Error> {
        match self.cut_off_after {
            None => Stopped::new(&self.forecasts, Some(self.outcome), None),
            Some(at) => Stopped::new(&self.forecasts[..at], None, Some(StopReason::MaxTokens)),
        }
    }
}

/// Returns the errors of the four estimates in one sample, and the coverage of the weights from one curve.
fn errors(seed: u64) -> Result<([f64; 4], f64), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Nobody observes the difficulty of a task. Its rating is rough, and known before its runs.
    let task = |_| {
        let difficulty: f64 = rng.random();
        (difficulty, difficulty + 0.4 * (rng.random::<f64>() - 0.5) > 0.5)
    };
    let rated = Vec::from_iter((0..RUNS / 5).map(task));
    let tasks: Vec<usize> = (0..RUNS).map(|run| run / 5).collect();
    let all = tasks.iter().map(|&task| Simulated::new(rated[task], &mut rng));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let full = |run: &Simulated| tps.score(Trace::new(&run.forecasts, run.outcome)?);
    let truth = all.iter().map(full).sum::<Result<f64, _>>()? / RUNS as f64;

    let runs = all.iter().map(Simulated::stopped).collect::<Result<Vec<_>, _>>()?;
    // Each complete run also stands for the cut-off runs of its rating.
    let ratings: Vec<bool> = tasks.iter().map(|&task| rated[task].1).collect();
    let stops = StopTimes::from_runs(&runs, None)?;
    let curves = CensoringCurves::new(&stops, &ratings)?;
    let weights = IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY)?;
    // The probability of success of each run after its last step, from a model of the other tasks' runs.
    let features = |run: usize, steps: usize| {
        let failing: f64 = all[run].failing[..steps].iter().sum();
        vec![failing / steps as f64, steps as f64 / 12.0]
    };
    // This only balances the folds; the model learns from complete runs.
    let known_successes: Vec<bool> = runs.iter().map(|run| run.outcome() == Some(true)).collect();
    let folds = Folds::clustered(&known_successes, &tasks, 5)?;
    let (learner, weights) = (LogisticSuccess::new(1e-3)?, Some(weights.as_slice()));
    let model = CrossFitSuccess::new(&learner, &runs, features, &folds, None, weights)?;
    let at_stop = |run: usize| features(run, runs[run].forecasts().len());
    let chances = (0..RUNS).map(|run| model.success_probability(run, &at_stop(run)));
    let chances = chances.collect::<Result<Vec<_>, _>>()?;

    let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative).with_intervals(None);
    let by_rating = analysis.clone().with_curve_groups(&ratings);
    let one_curve = analysis.report(&runs, Some(&chances), None, &tasks)?;
    let by_rating = by_rating.report(&runs, Some(&chances), None, &tasks)?;
    let [row, by_rating] = [&one_curve, &by_rating].map(|it| it.comparison("brier", "uniform"));
    let (row, by_rating) = row.zip(by_rating).ok_or("no such row")?;
    let means = [row.complete_only, row.ipcw, by_rating.ipcw, row.exact];
    let biases = means.map(|mean| mean.map_or(f64::NAN, |it| it.value - truth));
    Ok((biases, one_curve.ipcw_coverage))
}

fn main() -> Result<(), Box<dyn Error>> {
    let samples = (0..SAMPLES).map(errors).collect::<Result<Vec<_>, _>>()?;
    let names =
        ["complete runs only", "one curve for all runs", "a curve by rating", "cross-fitted model"];
    for (at, name) in names.into_iter().enumerate() {
        let mean = samples.iter().map(|(found, _)| found[at]).sum::<f64>() / SAMPLES as f64;
        let squares = samples.iter().map(|(found, _)| (found[at] - mean).powi(2)).sum::<f64>();
        let error = (squares / (SAMPLES * (SAMPLES - 1)) as f64).sqrt();
        println!("{name}: bias {mean:+.4}, standard error {error:.4}");
    }
    let coverage = samples.iter().map(|(_, coverage)| coverage).sum::<f64>() / SAMPLES as f64;
    println!("coverage of the weights from one curve: {coverage:.3}");
    Ok(())
}
