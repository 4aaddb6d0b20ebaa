//! Coverage in each stage of a run, by simulations whose truth is known.

#![allow(clippy::unwrap_used)]

use budget_estimation::{
    AdaptiveConformal, Calibrated, Error, Estimate, Estimator, Level, LinearEstimator, MarginUnit,
    OnlineCalibrator, Resource, Rollouts, Sample, SplitConformal, estimator_from_fn,
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, Exp1, Pareto, StandardUniform};

/// The number of turns that the linear estimator assumes.
const ASSUMED: f64 = 8.0;
const COVERAGE: f64 = 0.8;

fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    StandardUniform.sample(generator)
}

/// A run of `shortest` turns or up to seven more, whose first turns cost more than its last.
fn run(generator: &mut ChaCha8Rng, shortest: usize, heavy: bool) -> Vec<f64> {
    let turns = shortest + (uniform(generator) * 8.0) as usize;
    let dear: f64 = 1.0 + 4.0 * uniform(generator);
    let cost = |turn: usize| {
        let noise: f64 = if heavy {
            // No finite variance.
            Pareto::new(1.0, 1.2).unwrap().sample(generator)
        } else {
            let more: f64 = Exp1.sample(generator);
            1.0 + more
        };
        noise * if turn < 3 { dear } else { 1.0 }
    };
    (0..turns).map(cost).collect()
}

fn runs(lists: impl IntoIterator<Item = Vec<f64>>) -> (Rollouts, Resource) {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    lists.into_iter().for_each(|costs| {
        rollouts.push(&costs, true).unwrap();
    });
    let tokens = rollouts.resource("tokens").unwrap();
    (rollouts, tokens)
}

fn starts() -> [Level; 2] {
    [level(0.3), level(0.6)]
}

/// The stage of a sample of the linear estimator, by the definition.
fn stage(sample: &Sample) -> usize {
    let (used, turns) = (sample.used(), sample.turn() as f64);
    let past = used / (used + used / turns * (ASSUMED - turns).max(1.0));
    starts().iter().filter(|start| past >= start.get()).count()
}

fn linear() -> LinearEstimator {
    LinearEstimator::new(ASSUMED, 0.2).unwrap()
}

/// For each stage, the sums over runs of the shares of prefixes for which `counts`, and of runs.
#[derive(Default)]
struct ByStage([[f64; 2]; 3]);

impl ByStage {
    /// Adds the samples of the runs from `first` on.
    fn add(&mut self, samples: &[Sample], first: usize, counts: impl Fn(&Sample) -> bool) {
        for run in samples.chunk_by(|a, b| a.rollout() == b.rollout()) {
            if run[0].rollout() < first {
                continue;
            }
            for (at, sums) in self.0.iter_mut().enumerate() {
                let here: Vec<&Sample> = run.iter().filter(|it| stage(it) == at).collect();
                if !here.is_empty() {
                    let counted = here.iter().filter(|sample| counts(sample)).count();
                    sums[0] += counted as f64 / here.len() as f64;
                    sums[1] += 1.0;
                }
            }
        }
    }

    /// Adds one prefix, so that a run counts as often as it has prefixes.
    fn add_prefix(&mut self, sample: &Sample, counted: bool) {
        let sums = &mut self.0[stage(sample)];
        sums[0] += f64::from(u8::from(counted));
        sums[1] += 1.0;
    }

    fn shares(&self) -> [f64; 3] {
        self.0.map(|[counted, runs]| counted / runs)
    }
}

/// Samples of runs that are all alike in distribution, for one seed.
fn exchangeable(seed: u64, heavy: bool, estimator: &mut impl Estimator) -> Vec<Sample> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let (rollouts, tokens) = runs((0..140).map(|_| run(&mut generator, 4, heavy)));
    rollouts.score(tokens, estimator).unwrap()
}

/// Split conformal prediction covers between c and c + 1 / (K + 1) after K runs, here 80 or more.
#[test]
fn a_margin_per_stage_covers_each_stage_of_exchangeable_runs_as_claimed() {
    for heavy in [false, true] {
        let (mut staged, mut plain) = (ByStage::default(), ByStage::default());
        for seed in 0..200 {
            let split = SplitConformal::new(level(COVERAGE));
            let one = Calibrated::new(linear(), split, MarginUnit::Resource);
            let mut three = one.clone().with_stages(&starts()).unwrap();
            staged.add(&exchangeable(seed, heavy, &mut three), 80, Sample::is_hit);
            plain.add(&exchangeable(seed, heavy, &mut one.clone()), 80, Sample::is_hit);
        }
        let (staged, plain) = (staged.shares(), plain.shares());
        assert!(staged.iter().all(|it| (it - COVERAGE).abs() < 0.02), "{staged:?} {heavy}");
        // One margin for all stages is wrong in some of them.
        assert!(plain.iter().any(|it| (it - COVERAGE).abs() > 0.06), "{plain:?} {heavy}");
    }
}

#[test]
fn separate_ends_miss_equally_often_on_both_sides_in_each_stage() {
    let [mut below, mut above] = [ByStage::default(), ByStage::default()];
    let mut below_of_one_margin = ByStage::default();
    let is_below = |sample: &Sample| sample.estimate().ends().unwrap().high() < sample.remaining();
    for seed in 0..200 {
        let one_end = SplitConformal::new(level(0.5 + COVERAGE / 2.0));
        let mut separate = Calibrated::new(linear(), one_end.clone(), MarginUnit::Midpoint)
            .with_separate_ends(one_end)
            .with_stages(&starts())
            .unwrap();
        let samples = exchangeable(seed, false, &mut separate);
        below.add(&samples, 80, is_below);
        above.add(&samples, 80, |sample| {
            sample.estimate().ends().unwrap().low() > sample.remaining()
        });
        let split = SplitConformal::new(level(COVERAGE));
        let mut one =
            Calibrated::new(linear(), split, MarginUnit::Midpoint).with_stages(&starts()).unwrap();
        below_of_one_margin.add(&exchangeable(seed, false, &mut one), 80, is_below);
    }
    for misses in [below.shares(), above.shares()] {
        assert!(misses.iter().all(|it| (it - 0.1).abs() < 0.02), "{misses:?}");
    }
    let one = below_of_one_margin.shares();
    assert!(one.iter().any(|it| (it - 0.1).abs() > 0.04), "{one:?}");
}

/// Half way, runs become twice as long. The guarantee of the adaptive rule is over prefixes.
#[test]
fn after_a_drift_adaptive_margins_restore_the_coverage_of_each_stage() {
    let (mut adaptive, mut split) = (ByStage::default(), ByStage::default());
    for seed in 0..10 {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let lists =
            (0..2_000).map(|at| run(&mut generator, if at < 1_000 { 4 } else { 12 }, false));
        let (rollouts, tokens) = runs(lists);
        let late = |estimator: &mut dyn Estimator, into: &mut ByStage| {
            let samples = rollouts.score(tokens, estimator).unwrap();
            let late = samples.iter().filter(|sample| sample.rollout() >= 1_200);
            late.for_each(|sample| into.add_prefix(sample, sample.is_hit()));
        };
        let rule = AdaptiveConformal::new(level(COVERAGE), 0.01).unwrap();
        let calibrated = Calibrated::new(linear(), rule, MarginUnit::Midpoint);
        late(&mut calibrated.with_stages(&starts()).unwrap(), &mut adaptive);
        let rule = SplitConformal::new(level(COVERAGE));
        let calibrated = Calibrated::new(linear(), rule, MarginUnit::Midpoint);
        late(&mut calibrated.with_stages(&starts()).unwrap(), &mut split);
    }
    let (adaptive, split) = (adaptive.shares(), split.shares());
    assert!(adaptive.iter().all(|it| (it - COVERAGE).abs() < 0.02), "{adaptive:?}");
    assert!(split.iter().any(|it| *it < COVERAGE - 0.1), "{split:?}");
}

#[test]
fn clipped_ends_stay_within_what_is_left_and_hit_as_often() {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let lists: Vec<_> = (0..200).map(|_| run(&mut generator, 4, true)).collect();
    let (mut rollouts, tokens) = runs([]);
    rollouts.set_cap(tokens, 90.0).unwrap();
    for costs in lists {
        rollouts.push(&costs, true).unwrap();
    }
    let split = SplitConformal::new(level(COVERAGE));
    let mut open = Calibrated::new(linear(), split, MarginUnit::Midpoint);
    let mut clipped = open.clone().with_clipped_ends();
    let open = rollouts.score(tokens, &mut open).unwrap();
    let clipped = rollouts.score(tokens, &mut clipped).unwrap();
    let mut lowered = 0;
    for (open, clipped) in open.iter().zip(&clipped) {
        assert_eq!(clipped.estimate(), open.estimate().clipped(open.left()));
        if let Some(ends) = clipped.estimate().ends() {
            assert!(ends.high() <= clipped.left().unwrap());
            lowered += usize::from(clipped.estimate() != open.estimate());
        }
        if open.is_feasible() {
            assert_eq!(open.is_hit(), clipped.is_hit());
        }
    }
    assert!(lowered > 100, "{lowered}");
}

#[test]
fn equal_starts_of_stages_are_refused_and_one_stage_is_none() {
    let split = SplitConformal::new(level(COVERAGE));
    let calibrated = Calibrated::new(linear(), split, MarginUnit::Midpoint);
    let refused = calibrated.clone().with_stages(&[Level::HALF; 2]);
    assert!(
        matches!(
            refused,
            Err(Error::ScoringRules(scoring_rules::Error::Setting { value: 0.5, .. }))
        ),
        "{refused:?}"
    );
    assert_eq!(calibrated.clone().with_stages(&[]).unwrap(), calibrated);
}

/// Both orders of the two settings give the same calibrators.
#[test]
fn separate_ends_and_stages_can_be_set_in_either_order() {
    let [lower, upper] = [0.9, 0.95].map(|share| SplitConformal::new(level(share)));
    let calibrated = Calibrated::new(linear(), lower, MarginUnit::Midpoint);
    let first =
        calibrated.clone().with_stages(&starts()).unwrap().with_separate_ends(upper.clone());
    let second = calibrated.with_separate_ends(upper).with_stages(&starts()).unwrap();
    assert_eq!(first, second);
    assert_eq!(first.calibrators().count(), 6);
}

/// A run that spends nothing at first is in its first stage, and a margin that nothing bounds gives
/// no answer.
#[test]
fn a_prefix_that_spent_nothing_is_in_the_first_stage() {
    let (rollouts, tokens) = runs([vec![0.0, 0.0, 5.0]]);
    let zero = estimator_from_fn(|_| Estimate::interval(0.0, 0.0));
    let split = SplitConformal::new(level(0.4));
    let mut calibrated =
        Calibrated::new(zero, split, MarginUnit::Resource).with_stages(&[Level::HALF]).unwrap();
    let samples = rollouts.score(tokens, &mut calibrated).unwrap();
    assert_eq!(samples[0].estimate(), Estimate::NoAnswer);
    let margins: Vec<f64> = calibrated.calibrators().map(OnlineCalibrator::margin).collect();
    assert_eq!(margins, [5.0, f64::INFINITY]);
}
