//! Means and intervals from runs that were cut off, drawn from worlds whose true mean is known.

use crate::{Draws, p, stops};
use censoring::{
    CensoringAnalysis, CensoringAssumption, Intervals, IpcwWeights, KaplanMeier, Seed, StopReason,
    Stopped, WeightSchedule,
};

/// Runs end at this step at the latest.
const LAST: usize = 8;

/// Chance that a run which got to a step ends there, by kind of task: easy, hard.
const END: [f64; 2] = [0.4, 0.15];

#[derive(Default)]
struct Sample {
    hard: Vec<bool>,
    times: Vec<f64>,
    cut_off: Vec<bool>,
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
        sample.hard.push(hard);
        sample.times.push(step as f64);
        sample.cut_off.push(cut_off);
    }
    sample
}

/// The score of a run is the step at which it ends.
#[test]
fn inverse_probability_weights_are_unbiased_where_complete_runs_alone_are_not() {
    let truth = END.map(|end| (1.0 - (1.0 - end).powi(LAST as i32)) / end);
    let truth = f64::midpoint(truth[0], truth[1]);
    let (mut draws, mut off) = (Draws(1), [const { Vec::new() }; 3]);
    for _ in 0..600 {
        let Sample { times, cut_off, .. } = sample(&mut draws, 150, [0.15; 2]);
        let stops = stops(&times, &cut_off);
        let g = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
        let runs = times.iter().zip(&cut_off);
        let scores: Vec<_> = runs.map(|(&time, cut_off)| (!cut_off).then_some(time)).collect();
        let complete: Vec<f64> = scores.iter().flatten().copied().collect();
        off[0].push(complete.iter().sum::<f64>() / complete.len() as f64 - truth);
        off[1].push(weights.mean_score(&scores).unwrap() - truth);
        off[2].push(weights.normalized_mean_score(&scores).unwrap() - truth);
    }
    let in_standard_errors = off.map(|off| {
        let n = off.len() as f64;
        let mean = off.iter().sum::<f64>() / n;
        let squares: f64 = off.iter().map(|value| (value - mean).powi(2)).sum();
        mean / (squares / (n - 1.0) / n).sqrt()
    });
    println!("off by standard errors: {in_standard_errors:?}");
    let [alone, weighted, normalized] = in_standard_errors.map(f64::abs);
    assert!(alone > 20.0 && weighted < 4.0 && normalized < 4.0, "{in_standard_errors:?}");
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
            .with_intervals(Some(Intervals {
                resamples: 150,
                seed: Seed::new(world),
                ..Intervals::default()
            }))
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
