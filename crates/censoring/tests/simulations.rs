//! Estimates from runs that were cut off, drawn from worlds whose true mean is known. Every
//! comparison is in Monte Carlo standard errors of the mean over replicates.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod draws;

use censoring::{
    CensoringAnalysis, CensoringAssumption, Error, IpcwWeights, KaplanMeier, Probability, RunEnd,
    Seed, StopReason, StopTimes, Stopped, Weight, WeightSchedule, doubly_robust_mean_score,
};
use draws::Draws;

/// The estimate with predictions that cannot fail.
fn doubly_robust<'g>(
    scores: &[Option<f64>],
    stops: &StopTimes,
    survival: impl Fn(usize) -> &'g KaplanMeier,
    prediction: impl Fn(usize, f64) -> f64,
) -> Result<f64, Error> {
    doubly_robust_mean_score(scores, stops, survival, |run, t| Ok(prediction(run, t)))
}

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
        let stops = StopTimes::new(
            &sample.times,
            sample.cut_off.iter().map(|&end| RunEnd::cut_off_if(end)),
            None,
        )
        .unwrap();
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

#[test]
fn either_model_may_be_wrong_but_not_both() {
    let mut draws = Draws(2);
    let mut estimates = [const { Vec::new() }; 6];
    for _ in 0..600 {
        // Hard tasks are cut off more: one curve for all is wrong, one for each kind is right.
        let sample = sample(&mut draws, 200, [0.05, 0.25]);
        let stops = StopTimes::new(
            &sample.times,
            sample.cut_off.iter().map(|&end| RunEnd::cut_off_if(end)),
            None,
        )
        .unwrap();
        let for_all = KaplanMeier::censoring_curve(&stops);
        let by_kind = [false, true].map(|hard| {
            let of_kind: Vec<f64> = sample.hard.iter().map(|h| f64::from(*h == hard)).collect();
            let stops = StopTimes::new(
                &sample.times,
                sample.cut_off.iter().map(|&end| RunEnd::cut_off_if(end)),
                Some(Weight::from_slice(&of_kind).unwrap()),
            )
            .unwrap();
            KaplanMeier::censoring_curve(&stops)
        });
        let right_g = |run: usize| &by_kind[usize::from(sample.hard[run])];
        let wrong_g = |_| &for_all;
        let right_m = |run: usize, t: f64| {
            let hard = sample.hard[run];
            expected_score(hard, expected_end(hard, t as usize))
        };
        // A wrong model: it predicts the score of an easy run for every run.
        let wrong_m = |_, t: f64| expected_score(false, expected_end(false, t as usize));
        let scores = &sample.scores;
        let all = [
            doubly_robust(scores, &stops, right_g, right_m),
            doubly_robust(scores, &stops, right_g, wrong_m),
            doubly_robust(scores, &stops, wrong_g, right_m),
            doubly_robust(scores, &stops, wrong_g, wrong_m),
            IpcwWeights::new(&stops, wrong_g, f64::INFINITY).unwrap().mean_score(scores),
            Ok(mean_of_complete(&sample)),
        ];
        for (estimates, estimate) in estimates.iter_mut().zip(all) {
            estimates.push(estimate.unwrap());
        }
    }
    let names =
        ["both right", "score wrong", "curve wrong", "both wrong", "weights, curve wrong", "naive"];
    for (i, (name, estimates)) in names.into_iter().zip(&estimates).enumerate() {
        let off = standard_errors(name, estimates, true_mean());
        assert_eq!(off.abs() < 4.0, i < 3, "{name}");
        assert!(i < 3 || off > 20.0, "{name}");
    }
}

#[test]
fn a_monitor_that_cuts_off_what_looks_bad_needs_a_curve_for_each_run() {
    const CALM: f64 = 0.05;
    const ALARM: f64 = 0.4;
    let mut draws = Draws(3);
    let mut estimates = [const { Vec::new() }; 5];
    let mut truths = Vec::new();
    for _ in 0..300 {
        let (mut sample, mut curves, mut truth) = (Sample::default(), Vec::new(), 0.0);
        for _ in 0..100 {
            // At each step the run looks bad or not; the more it does, the worse it scores. All
            // runs end at step 4 unless a monitor that sees the looks cuts them off before.
            let bad: [bool; 4] = std::array::from_fn(|_| draws.chance(0.4));
            let score = -0.1 - 0.2 * bad.iter().filter(|bad| **bad).count() as f64;
            let hazards = bad.map(|bad| if bad { ALARM } else { CALM });
            let stop = (0..3).find(|&t| draws.chance(hazards[t]));
            let steps = [1.0, 2.0, 3.0, 4.0];
            let hazards = Probability::from_slice(&hazards).unwrap();
            curves.push(KaplanMeier::from_hazards(&steps, hazards).unwrap());
            sample.times.push(stop.map_or(4.0, |t| steps[t]));
            sample.cut_off.push(stop.is_some());
            sample.scores.push(stop.is_none().then_some(score));
            truth += score / 100.0;
        }
        let stops = StopTimes::new(
            &sample.times,
            sample.cut_off.iter().map(|&end| RunEnd::cut_off_if(end)),
            None,
        )
        .unwrap();
        let for_all = KaplanMeier::censoring_curve(&stops);
        let own = IpcwWeights::new(&stops, |run| &curves[run], f64::INFINITY).unwrap();
        let pooled = IpcwWeights::new(&stops, |_| &for_all, f64::INFINITY).unwrap();
        let scores = &sample.scores;
        let robust = doubly_robust(scores, &stops, |run| &curves[run], |_, _| -0.5);
        estimates[0].push(own.mean_score(scores).unwrap());
        estimates[1].push(robust.unwrap());
        estimates[2].push(own.normalized_mean_score(scores).unwrap());
        estimates[3].push(pooled.mean_score(scores).unwrap());
        estimates[4].push(mean_of_complete(&sample));
        truths.push(truth);
    }
    let truth = -0.1 - 0.2 * 4.0 * 0.4;
    assert!(standard_errors("all runs seen", &truths, truth).abs() < 4.0);
    assert!(standard_errors("own curves", &estimates[0], truth).abs() < 4.0);
    assert!(standard_errors("own curves, doubly robust", &estimates[1], truth).abs() < 4.0);
    assert!(standard_errors("own curves, normalised", &estimates[2], truth).abs() < 4.0);
    assert!(standard_errors("one curve for all", &estimates[3], truth) > 20.0);
    assert!(standard_errors("complete only", &estimates[4], truth) > 20.0);
}

/// Chance of success and forecast of a run, by kind of task: easy, hard.
const SUCCESS: [f64; 2] = [0.8, 0.3];
const FORECAST: [f64; 2] = [0.7, 0.4];

/// How often the intervals of the report cover the true mean Brier score: weighted and doubly robust.
/// Runs are cut off at each step with the chance given for their kind.
fn coverage(seed: u64, cut: [f64; 2]) -> [f64; 2] {
    let score = |kind: usize| {
        let (q, f) = (SUCCESS[kind], FORECAST[kind]);
        -(q * (1.0 - f).powi(2) + (1.0 - q) * f.powi(2))
    };
    let truth = f64::midpoint(score(0), score(1));
    let forecasts = FORECAST.map(|forecast| [Probability::new(forecast).unwrap(); LAST]);
    let (mut draws, mut covered, worlds) = (Draws(seed), [0_u32; 2], 300);
    for world in 0..worlds {
        let sample = sample(&mut draws, 120, cut);
        let run = |run: usize| {
            let kind = usize::from(sample.hard[run]);
            let outcome = (!sample.cut_off[run]).then(|| draws.chance(SUCCESS[kind]));
            let seen = &forecasts[kind][..sample.times[run] as usize];
            Stopped::new(seen, outcome, Some(StopReason::MaxTime)).unwrap()
        };
        let runs: Vec<Stopped<'_>> = (0..120).map(run).collect();
        let model =
            |run: usize, _: usize| Ok(Probability::new(SUCCESS[usize::from(sample.hard[run])])?);
        let report = CensoringAnalysis::new(CensoringAssumption::NonInformative)
            .with_schedules(&[WeightSchedule::Uniform])
            .with_resamples(150)
            .with_seed(Seed::new(world))
            .with_success_model(&model)
            .report(&runs, None, None, &(0..120).collect::<Vec<_>>())
            .unwrap();
        let row = report.comparison("brier", "uniform").unwrap();
        for (covered, figure) in covered.iter_mut().zip([row.ipcw, row.doubly_robust]) {
            *covered += u32::from(figure.unwrap().interval.unwrap().contains(truth));
        }
    }
    let shares = covered.map(|covered| f64::from(covered) / worlds as f64);
    println!("cut off with chances {cut:?}: intervals of 95 % cover {shares:?}");
    shares
}

#[test]
fn intervals_of_weighted_means_cover_as_often_as_they_say() {
    // 0.0126 is the standard error of a share of 95 % of 300 worlds.
    let [ipcw, robust] = coverage(5, [0.15; 2]);
    assert!((ipcw - 0.95).abs() < 3.0 * 0.0126 && (robust - 0.95).abs() < 3.0 * 0.0126);
    // Hard tasks are cut off more, and one curve for all is wrong: only the model of success is right.
    let [ipcw, robust] = coverage(6, [0.02, 0.35]);
    assert!(ipcw < robust - 0.05 && (robust - 0.95).abs() < 3.0 * 0.0126);
}
