//! Intervals from runs that were cut off, drawn from worlds whose true mean is known.

use crate::{Draws, p};
use censoring::{
    CensoringAnalysis, CensoringAssumption, Intervals, Seed, StopReason, Stopped, WeightSchedule,
};

/// Runs end at this step at the latest.
const LAST: usize = 8;

/// Chance that a run which got to a step ends there, by kind of task: easy, hard.
const END: [f64; 2] = [0.4, 0.15];

/// Half of the tasks are hard. At each step a run ends or else is cut off with the chance given for its kind. Returns the
/// kind, the steps, and whether the run was cut off.
fn run(draws: &mut Draws, cut: [f64; 2]) -> (usize, usize, bool) {
    let kind = usize::from(draws.chance(0.5));
    for step in 1..LAST {
        if draws.chance(END[kind]) {
            return (kind, step, false);
        }
        if draws.chance(cut[kind]) {
            return (kind, step, true);
        }
    }
    (kind, LAST, false)
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
        let all: Vec<_> = (0..120).map(|_| run(&mut draws, cut)).collect();
        let stopped = |&(kind, steps, cut_off): &(usize, usize, bool)| {
            let outcome = (!cut_off).then(|| draws.chance(SUCCESS[kind]));
            Stopped::new(&forecasts[kind][..steps], outcome, Some(StopReason::MaxTime)).unwrap()
        };
        let runs: Vec<Stopped<'_>> = all.iter().map(stopped).collect();
        let report = CensoringAnalysis::new(CensoringAssumption::NonInformative)
            .with_schedules(&[WeightSchedule::Uniform])
            .with_intervals(Some(Intervals {
                resamples: 150,
                seed: Seed(world),
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
