//! Coverage that holds: against an adversary, under exchangeability, and under cut-offs.

#![allow(clippy::unwrap_used)]

use std::f64::consts::FRAC_PI_2;

use budget_estimation::{
    AdaptiveConformal, Calibrated, Calibrator, ConformalPid, Error, Estimate, Estimator, Level,
    MarginUnit, PastQuantiles, Prefix, Rollouts, SplitConformal, probe, replay, score_rollouts,
};
use proptest::prelude::*;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// How an adversary who knows the margin sets the next score.
#[derive(Clone, Copy, Debug)]
enum Move {
    JustMiss,
    JustHold,
    Far(i8),
}

fn moves() -> impl Strategy<Value = Vec<Vec<Move>>> {
    let one = prop_oneof![
        Just(Move::JustMiss),
        Just(Move::JustHold),
        (-100_i8..=100).prop_map(Move::Far),
    ];
    // Stretches of the same move are what a slow learner is worst at.
    let stretch = (one, 1_usize..40).prop_map(|(one, n)| vec![one; n]);
    let run = prop_oneof![
        4 => prop::collection::vec(stretch.clone(), 1..2).prop_map(|s| s.concat()),
        1 => prop::collection::vec(stretch, 1..4).prop_map(|s| s.concat()),
    ];
    prop::collection::vec(run, 1..60)
}

/// Plays the runs, with scores within `most`; gives misses, scores and the longest run.
fn play(calibrator: &mut impl Calibrator, runs: &[Vec<Move>], most: f64) -> (f64, f64, f64) {
    let (mut misses, mut n, mut longest) = (0.0, 0.0, 0.0_f64);
    for run in runs {
        let margin = calibrator.margin();
        let scores: Vec<f64> = run
            .iter()
            .map(|&one| match one {
                Move::JustMiss => margin.next_up().clamp(-most, most),
                Move::JustHold => margin.clamp(-most, most),
                Move::Far(far) => f64::from(far) / 100.0 * most,
            })
            .collect();
        misses += scores
            .iter()
            .filter(|&&score| {
                margin != f64::INFINITY && (margin == f64::NEG_INFINITY || score > margin)
            })
            .count() as f64;
        n += scores.len() as f64;
        longest = longest.max(scores.len() as f64);
        calibrator.update(&scores);
    }
    (misses, n, longest)
}

proptest! {
    #[test]
    fn adaptive_conformal_inference_keeps_its_bound_against_an_adversary(
        runs in moves(),
        coverage in 0.05_f64..0.95,
        step in 0.001_f64..0.5,
    ) {
        let miss = 1.0 - coverage;
        let mut calibrator =
            AdaptiveConformal::new(Level::new(coverage).unwrap(), step).unwrap();
        let (misses, n, longest) = play(&mut calibrator, &runs, 1e6);
        let published = (miss.max(1.0 - miss) + step * longest) / (step * n);
        prop_assert!((misses / n - miss).abs() <= published * (1.0 + 1e-9));
        prop_assert!((calibrator.bound() / published - 1.0).abs() < 1e-9);
    }

    /// One score a run: the bound as it was published.
    #[test]
    fn adaptive_conformal_inference_keeps_the_published_bound_score_by_score(
        runs in moves(),
        step in 0.001_f64..0.5,
    ) {
        let single: Vec<Vec<Move>> = runs.concat().into_iter().map(|one| vec![one]).collect();
        let mut calibrator = AdaptiveConformal::new(Level::new(0.8).unwrap(), step).unwrap();
        let (misses, n, _) = play(&mut calibrator, &single, 1e6);
        prop_assert!((misses / n - 0.2).abs() <= (0.8 + step) / (step * n) * (1.0 + 1e-9));
    }

    #[test]
    fn quantile_tracking_keeps_its_bound_against_an_adversary(
        runs in moves(),
        coverage in 0.05_f64..0.95,
        step in 0.01_f64..5.0,
        first in -3.0_f64..3.0,
    ) {
        let mut calibrator =
            ConformalPid::new(Level::new(coverage).unwrap(), first, step).unwrap();
        let (misses, n, longest) = play(&mut calibrator, &runs, 3.0);
        let published = (3.0 + first.abs() + step * longest) / (step * n);
        prop_assert!((misses / n - (1.0 - coverage)).abs() <= published * (1.0 + 1e-9));
    }

    #[test]
    fn an_integrator_keeps_its_bound_whatever_the_scores(
        runs in moves(),
        coverage in 0.05_f64..0.95,
        saturation in 0.01_f64..1.0,
    ) {
        let mut calibrator = ConformalPid::new(Level::new(coverage).unwrap(), 0.0, 0.01)
            .unwrap()
            .with_integrator(10.0, saturation)
            .unwrap();
        let (misses, n, longest) = play(&mut calibrator, &runs, 1e9);
        let published = saturation * FRAC_PI_2 / (n + 1.0).ln() + longest / n;
        prop_assert!((misses / n - (1.0 - coverage)).abs() <= published * (1.0 + 1e-9));
    }
}

fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn exponential(generator: &mut ChaCha8Rng) -> f64 {
    -(1.0 - uniform(generator)).ln()
}

/// Exchangeable runs of very different lengths; a prefix of the last one, picked at random. The chance
/// is within four standard errors of at least what is claimed, and not far above it.
#[test]
fn split_conformal_covers_a_random_prefix_of_the_next_run_as_often_as_claimed() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let (repeats, runs) = (4_000, 19);
    let mut covered = 0.0;
    for _ in 0..repeats {
        let mut calibrator = SplitConformal::new(Level::new(0.8).unwrap());
        let mut next = || {
            // Scores of one run share a level, and long runs have higher ones.
            let length = 1 + (uniform(&mut generator) * uniform(&mut generator) * 30.0) as usize;
            let level = 5.0 * exponential(&mut generator) + length as f64;
            (0..length).map(|_| level + exponential(&mut generator)).collect::<Vec<_>>()
        };
        for _ in 0..runs {
            calibrator.update(&next());
        }
        let last = next();
        let held = last.iter().filter(|&&score| score <= calibrator.margin()).count();
        covered += held as f64 / last.len() as f64;
    }
    let coverage = covered / f64::from(repeats);
    let error = 4.0 * (0.16 / f64::from(repeats)).sqrt();
    assert!(coverage >= 0.8 - error, "{coverage}");
    assert!(coverage <= 0.8 + 1.0 / 20.0 + error, "{coverage}");
}

/// Runs of turns with exponential costs that succeed after five, cut off by a random cap.
#[test]
fn survival_aware_quantiles_are_right_under_random_caps_and_naive_ones_too_low() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let coverage = Level::new(0.6).unwrap();
    let mut aware = PastQuantiles::survival_aware(coverage);
    let mut naive = PastQuantiles::new(coverage);
    let n = 6_000;
    for _ in 0..n {
        let costs: Vec<f64> = (0..5).map(|_| exponential(&mut generator)).collect();
        let cap = 2.0 + 8.0 * uniform(&mut generator);
        let mut kept = costs.clone();
        let (mut spent, mut succeeded) = (0.0, true);
        for (turn, cost) in costs.iter().enumerate() {
            if spent + cost > cap {
                kept.truncate(turn);
                kept.push(cap - spent);
                succeeded = false;
                break;
            }
            spent += cost;
        }
        let mut rollouts = Rollouts::new(["tokens"]).unwrap();
        rollouts.push(&kept, succeeded).unwrap();
        if !succeeded {
            rollouts.set_cut_off(0).unwrap();
        }
        let tokens = rollouts.resource("tokens").unwrap();
        aware.learn(&rollouts.get(0).unwrap(), tokens).unwrap();
        naive.learn(&rollouts.get(0).unwrap(), tokens).unwrap();
    }
    let mut probe_of = Rollouts::new(["tokens"]).unwrap();
    probe_of.push(&[1.0, 1.0], true).unwrap();
    let tokens = probe_of.resource("tokens").unwrap();
    let run = probe_of.get(0).unwrap();
    let prefix = replay(&run, tokens).unwrap().next().unwrap();
    let ends = |estimator: &mut PastQuantiles| estimator.estimate(&prefix).unwrap().ends().unwrap();
    // The other four turns: a gamma distribution of shape 4.
    let share_below = |x: f64| 1.0 - (-x).exp() * (1.0 + x + x.powi(2) / 2.0 + x.powi(3) / 6.0);
    let (right, wrong) = (ends(&mut aware), ends(&mut naive));
    // 0.02 is three standard errors at the upper end, where a third of the runs is left at risk.
    assert!((share_below(right.low()) - 0.2).abs() < 0.02, "{right:?}");
    assert!((share_below(right.high()) - 0.8).abs() < 0.02, "{right:?}");
    assert!(share_below(wrong.high()) < 0.72, "{wrong:?}");
    assert!(share_below(wrong.low()) < 0.19, "{wrong:?}");
    assert_eq!(aware.estimate(&probe(&run, tokens).unwrap()).unwrap(), Estimate::NoAnswer);
}

#[test]
fn only_a_run_that_failed_can_have_been_cut_off() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    rollouts.push(&[1.0], true).unwrap();
    assert_eq!(rollouts.set_cut_off(0), Err(Error::CutOffSuccess { rollout: 0 }));
    assert!(matches!(rollouts.set_cut_off(1), Err(Error::NoSuchRollout { .. })));
}

/// A drift that doubles costs half way: the adaptive rules follow, split conformal does not.
#[test]
fn adaptive_rules_keep_their_coverage_when_runs_change() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    for run in 0..600 {
        let scale = if run < 300 { 1.0 } else { 3.0 };
        let turns = 3 + (uniform(&mut generator) * 8.0) as usize;
        let costs: Vec<f64> =
            (0..turns).map(|_| scale * (1.0 + exponential(&mut generator))).collect();
        rollouts.push(&costs, true).unwrap();
    }
    let tokens = rollouts.resource("tokens").unwrap();
    let coverage = Level::new(0.8).unwrap();
    let late = |estimator: &mut dyn Estimator| {
        let samples = score_rollouts(&rollouts, tokens, estimator).unwrap();
        let late: Vec<_> = samples.iter().filter(|sample| sample.rollout() >= 350).collect();
        late.iter().filter(|sample| sample.is_hit()).count() as f64 / late.len() as f64
    };
    let ten = |_: &Prefix<'_>| Estimate::interval(10.0, 10.0);
    let unit = MarginUnit::Resource;
    let split = late(&mut Calibrated::new(ten, SplitConformal::new(coverage), unit));
    let adaptive = AdaptiveConformal::new(coverage, 0.01).unwrap();
    let adaptive = late(&mut Calibrated::new(ten, adaptive, unit));
    let pid = ConformalPid::new(coverage, 0.0, 0.5).unwrap();
    let pid = late(&mut Calibrated::new(ten, pid, unit));
    assert!(split < 0.7, "{split}");
    assert!((adaptive - 0.8).abs() < 0.04, "{adaptive}");
    assert!((pid - 0.8).abs() < 0.04, "{pid}");
}
