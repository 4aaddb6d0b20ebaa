//! What each treatment of cut-off runs makes of the mean score of all runs, where the truth is known.
//! `cargo test --release -p censoring cut_off_biases -- --nocapture` prints the table of the README.

use censoring::{
    CensoringAnalysis, CensoringAssumption, CrossFitSuccess, Folds, LogisticSuccess, Probability,
    StopReason, Stopped, TerminationAudit, Tps, Trace, WeightSchedule,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scoring_rules::BrierScore;

const SAMPLES: u64 = 60;
const RUNS: usize = 300;

/// A run as it would be without a budget, and the step after which it was cut off, if it was.
struct Simulated {
    forecasts: Vec<Probability>,
    outcome: bool,
    cut_off_after: Option<usize>,
    /// What is known of its difficulty before it starts.
    is_hard: bool,
    /// What is seen of its difficulty at each step.
    seen: Vec<f64>,
}

impl Simulated {
    /// Hard runs are longer and fail more often; if stops are not `independent` of that, they are cut off more often too.
    fn new(generator: &mut ChaCha8Rng, independent: bool) -> Self {
        let difficulty: f64 = generator.random();
        let is_hard = difficulty > 0.5;
        let steps = 3 + (9.0 * difficulty) as usize;
        let outcome = generator.random_bool(1.0 - 0.9 * difficulty);
        let hazard = match (independent, is_hard) {
            (true, _) => 0.08,
            (false, true) => 0.2,
            (false, false) => 0.02,
        };
        let mut noise = |size: f64| generator.random_range(-0.5 * size..0.5 * size);
        let forecast = |noise: f64| (0.75 - 0.3 * difficulty + noise).clamp(0.01, 0.99);
        let forecasts =
            (0..steps).map(|_| Probability::new(forecast(noise(0.3))).unwrap()).collect();
        let seen = (0..steps).map(|_| difficulty + noise(0.1)).collect();
        let cut_off_after = (1..steps).find(|_| generator.random_bool(hazard));
        Self { forecasts, outcome, cut_off_after, is_hard, seen }
    }

    fn stopped(&self) -> Stopped<'_> {
        match self.cut_off_after {
            Some(steps) => {
                Stopped::new(&self.forecasts[..steps], None, Some(StopReason::MaxTokens))
            }
            None => Stopped::new(&self.forecasts, Some(self.outcome), None),
        }
        .unwrap()
    }
}

/// The mean share of runs that are cut off, the mean bias of each treatment, and how often the bounds miss the truth.
fn biases(independent: bool) -> (f64, [f64; 6], u64) {
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let (mut rate, mut sums, mut missed) = (0.0, [0.0; 6], 0);
    for sample in 0..SAMPLES {
        let mut generator = ChaCha8Rng::seed_from_u64(sample);
        let all: Vec<Simulated> =
            (0..RUNS).map(|_| Simulated::new(&mut generator, independent)).collect();
        let score = |run: &Simulated| tps.score(Trace::new(&run.forecasts, run.outcome).unwrap());
        let truth = all.iter().map(|run| score(run).unwrap()).sum::<f64>() / RUNS as f64;
        let runs: Vec<Stopped<'_>> = all.iter().map(Simulated::stopped).collect();
        rate += runs.iter().collect::<TerminationAudit>().censoring_rate().unwrap();

        let tasks: Vec<usize> = (0..RUNS).map(|run| run / 5).collect();
        let features = |run: usize, steps: usize| {
            vec![all[run].seen[..steps].iter().sum::<f64>() / steps as f64, steps as f64 / 12.0]
        };
        let outcomes: Vec<bool> = runs.iter().map(|run| run.outcome() == Some(true)).collect();
        let folds = Folds::clustered(&outcomes, &tasks, 5).unwrap();
        let learner = LogisticSuccess::new(1e-3).unwrap();
        let success = CrossFitSuccess::new(&learner, &runs, features, &folds, None, None).unwrap();
        let chance =
            |run: usize, steps: usize| success.success_probability(run, &features(run, steps));
        let chances: Vec<Probability> =
            (0..RUNS).map(|run| chance(run, runs[run].forecasts().len()).unwrap()).collect();

        let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative)
            .with_schedules(&[WeightSchedule::Uniform])
            .with_intervals(None);
        let is_hard: Vec<bool> = all.iter().map(|run| run.is_hard).collect();
        let by_group = analysis.clone().with_curve_groups(&is_hard);
        let [one, grouped] = [analysis, by_group].map(|analysis| {
            let report = analysis.report(&runs, Some(&chances), None, &tasks).unwrap();
            report.comparison("brier", "uniform").unwrap().clone()
        });
        let means = [
            one.complete_only.unwrap(),
            one.simple,
            one.as_success,
            one.ipcw.unwrap(),
            grouped.ipcw.unwrap(),
            one.exact.unwrap(),
        ];
        sums.iter_mut().zip(means).for_each(|(sum, mean)| *sum += mean.value - truth);
        missed += u64::from(!one.bounds.contains(truth));
    }
    (rate / SAMPLES as f64, sums.map(|sum| sum / SAMPLES as f64), missed)
}

#[test]
fn the_exact_mean_is_right_and_one_curve_of_cut_offs_is_not() {
    println!(
        "| cut-offs | share | complete only | as failures | as successes | weighted, one curve | weighted, a curve per group | exact, cross-fitted |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (name, independent) in [("whatever the difficulty", true), ("hard runs more often", false)]
    {
        let (rate, found, missed) = biases(independent);
        let cells = found.map(|bias| format!("{bias:+.4}")).join(" | ");
        println!("| {name} | {rate:.2} | {cells} |");
        let [complete, failures, successes, one, grouped, exact] = found;
        assert_eq!(missed, 0);
        for right in [grouped, exact] {
            assert!(right.abs() < 0.003, "{right}");
        }
        for wrong in [complete, failures, successes] {
            assert!(wrong.abs() > 0.008, "{wrong}");
        }
        assert_eq!(one.abs() < 0.003, independent, "{one}");
    }
}
