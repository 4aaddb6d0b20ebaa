//! Estimates from runs that were cut off, drawn from worlds whose true mean is known. Every
//! comparison is in Monte Carlo standard errors of the mean over replicates.

use crate::{Draws, p, stops};
use censoring::{
    CensoringAnalysis, CensoringAssumption, IpcwWeights, KaplanMeier, Seed, StopReason, Stopped,
    WeightSchedule,
};

/// How far the mean of estimates is from the truth, in standard errors of that mean.
fn standard_errors(name: &str, estimates: &[f64], truth: f64) -> f64 {
    let n = estimates.len() as f64;
    let mean = estimates.iter().sum::<f64>() / n;
    let variance = estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    let off = (mean - truth) / error;
    println!(
        "{name}: truth {truth:.5}, mean {mean:.5}, standard error {error:.5}, off by {off:.2}"
    );
    off
}

/// Runs end at this step at the latest.
const LAST: usize = 8;

/// Chance that a run which got to a step ends there, by kind of task: easy, hard.
const END: [f64; 2] = [0.4, 0.15];

/// Expected score of a run by its kind and the step at which it ends; noise comes on top.
fn expected_score(hard: bool, end: f64) -> f64 {
    -0.1 - 0.5 * f64::from(hard) - 0.02 * end
}

/// The expected step at which a run ends that has got beyond step t.
fn expected_end(hard: bool, t: usize) -> f64 {
    let (mut left, mut mean) = (1.0, 0.0);
    for step in t + 1..=LAST {
        let ends = if step == LAST { left } else { left * END[usize::from(hard)] };
        mean += ends * step as f64;
        left -= ends;
    }
    mean
}

fn true_mean() -> f64 {
    let of = |hard| expected_score(hard, expected_end(hard, 0));
    f64::midpoint(of(false), of(true))
}

#[derive(Default)]
struct Sample {
    hard: Vec<bool>,
    times: Vec<f64>,
    cut_off: Vec<bool>,
    scores: Vec<Option<f64>>,
}

/// Half of the tasks are hard. At each step a run ends or else is cut off with the chance given for
/// its kind.
fn sample(draws: &mut Draws, n: usize, cut: [f64; 2]) -> Sample {
    let mut sample = Sample::default();
    for _ in 0..n {
        let hard = draws.chance(0.5);
        let kind = usize::from(hard);
        let mut step = 1;
        let cut_off = loop {
            if step == LAST || draws.chance(END[kind]) {
                break false;
            }
            if draws.chance(cut[kind]) {
                break true;
            }
            step += 1;
        };
        let noise = 0.2 * (draws.unit() - 0.5);
        sample.hard.push(hard);
        sample.times.push(step as f64);
        sample.cut_off.push(cut_off);
        sample.scores.push((!cut_off).then(|| expected_score(hard, step as f64) + noise));
    }
    sample
}

fn mean_of_complete(sample: &Sample) -> f64 {
    let complete: Vec<f64> = sample.scores.iter().flatten().copied().collect();
    complete.iter().sum::<f64>() / complete.len() as f64
}

#[test]
fn inverse_probability_weights_are_unbiased_where_complete_runs_alone_are_not() {
    let mut draws = Draws(1);
    let mut estimates = [const { Vec::new() }; 3];
    for _ in 0..600 {
        let sample = sample(&mut draws, 150, [0.15; 2]);
        let stops = stops(&sample.times, &sample.cut_off);
        let g = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
        estimates[0].push(mean_of_complete(&sample));
        estimates[1].push(weights.mean_score(&sample.scores).unwrap());
        estimates[2].push(weights.normalized_mean_score(&sample.scores).unwrap());
    }
    let [naive, ipcw, normalized] = ["complete only", "weighted", "normalised"];
    assert!(standard_errors(naive, &estimates[0], true_mean()) > 20.0);
    assert!(standard_errors(ipcw, &estimates[1], true_mean()).abs() < 4.0);
    assert!(standard_errors(normalized, &estimates[2], true_mean()).abs() < 4.0);
}

/// Chance of success and forecast of a run, by kind of task: easy, hard.
const SUCCESS: [f64; 2] = [0.8, 0.3];
const FORECAST: [f64; 2] = [0.7, 0.4];

/// How often the interval of the weighted mean of the report covers the true mean Brier score. Runs are cut off at each
/// step with the chance given for their kind.
fn coverage(seed: u64, cut: [f64; 2]) -> f64 {
    let score = |kind: usize| {
        let (q, f) = (SUCCESS[kind], FORECAST[kind]);
        -(q * (1.0 - f).powi(2) + (1.0 - q) * f.powi(2))
    };
    let truth = f64::midpoint(score(0), score(1));
    let forecasts = FORECAST.map(|forecast| [p(forecast); LAST]);
    let (mut draws, mut covered, worlds) = (Draws(seed), 0_u32, 300);
    for world in 0..worlds {
        let sample = sample(&mut draws, 120, cut);
        let run = |run: usize| {
            let kind = usize::from(sample.hard[run]);
            let outcome = (!sample.cut_off[run]).then(|| draws.chance(SUCCESS[kind]));
            let seen = &forecasts[kind][..sample.times[run] as usize];
            Stopped::new(seen, outcome, Some(StopReason::MaxTime)).unwrap()
        };
        let runs: Vec<Stopped<'_>> = (0..120).map(run).collect();
        let report = CensoringAnalysis::new(CensoringAssumption::NonInformative)
            .with_schedules(&[WeightSchedule::Uniform])
            .with_resamples(150)
            .with_seed(Seed::new(world))
            .report(&runs, None, None, &(0..120).collect::<Vec<_>>())
            .unwrap();
        let row = report.comparison("brier", "uniform").unwrap();
        covered += u32::from(row.ipcw.unwrap().interval.unwrap().contains(truth));
    }
    let share = f64::from(covered) / worlds as f64;
    println!("cut off with chances {cut:?}: intervals of 95 % cover {share}");
    share
}

#[test]
fn intervals_of_weighted_means_cover_as_often_as_they_say() {
    // 0.0126 is the standard error of a share of 95 % of 300 worlds.
    assert!((coverage(5, [0.15; 2]) - 0.95).abs() < 3.0 * 0.0126);
    // Hard tasks are cut off more, and one curve for all is wrong.
    assert!(coverage(6, [0.02, 0.35]) < 0.9);
}
