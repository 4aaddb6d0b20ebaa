//! The default estimator: what it promises, and simulations whose truth is known.
//!
//! The simulations take 200 seeds in a release build, and a few with wider tolerances in a debug build.

use budget_estimation::{
    AbortLimit, BudgetEstimator, Estimate, Estimator, PastQuantiles, Resource, Rollouts, Sample,
    Seed,
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, Exp1, LogNormal, Pareto};

use crate::common::{after_a_turn, interval, learnt, level, runs, uniform};

const SEEDS: u64 = if cfg!(debug_assertions) { 1 } else { 200 };

/// What is added to a tolerance because there are few seeds.
const FEW: f64 = if cfg!(debug_assertions) { 0.1 } else { 0.0 };

/// Runs with a pace of their own, of 4 turns and a geometric number of further ones.
fn run(generator: &mut ChaCha8Rng, heavy: bool) -> Vec<f64> {
    let mut turns = 4;
    while turns < 40 && uniform(generator) < 0.85 {
        turns += 1;
    }
    let pace: f64 = LogNormal::new(4.0, 0.6).unwrap().sample(generator);
    let cost = |_| {
        let noise: f64 = if heavy {
            Pareto::new(1.0, 1.2).unwrap().sample(generator)
        } else {
            Exp1.sample(generator)
        };
        pace * noise
    };
    (0..turns).map(cost).collect()
}

/// Some runs that all succeed.
fn some(n: usize, generator: &mut ChaCha8Rng, heavy: bool) -> Vec<Vec<f64>> {
    (0..n).map(|_| run(generator, heavy)).collect()
}

fn successes(all: &[Vec<f64>]) -> Rollouts {
    runs(all.iter().map(|costs| (costs, true))).0
}

/// Hits and prefixes by turns: 1 to 4, 5 to 9, later.
#[derive(Clone, Copy, Default)]
struct Hits {
    by_turn: [[f64; 2]; 3],
    width: f64,
}

impl Hits {
    fn add(&mut self, turn: usize, estimate: Estimate, remaining: f64) {
        let ends = estimate.ends().unwrap();
        let sums = &mut self.by_turn[[5, 10].iter().filter(|&&start| turn >= start).count()];
        sums[0] += f64::from(u8::from(ends.contains(remaining)));
        sums[1] += 1.0;
        self.width += ends.high() - ends.low();
    }

    fn prefixes(&self) -> f64 {
        self.by_turn.iter().map(|sums| sums[1]).sum()
    }

    fn coverage(&self) -> f64 {
        self.by_turn.iter().map(|sums| sums[0]).sum::<f64>() / self.prefixes()
    }

    fn mean_width(&self) -> f64 {
        self.width / self.prefixes()
    }

    fn print(&self, what: &str) {
        let by_turn = self.by_turn.map(|[hits, all]| format!("{:.3}", hits / all));
        println!("{what}: coverage {:.3}, by turn {by_turn:?}", self.coverage());
    }

    fn assert_covered(&self, tolerance: f64) {
        for [hits, all] in self.by_turn {
            assert!((hits / all - 0.8).abs() <= tolerance + FEW, "{:?}", self.by_turn);
        }
    }
}

/// Learns the first of each pair of runs and is scored on the second, from run `first` on.
fn scored(
    hits: &mut Hits,
    seed: u64,
    (learnt, whole): (&Rollouts, &Rollouts),
    scored: std::ops::Range<usize>,
) {
    let tokens = whole.resource("tokens").unwrap();
    let mut estimator = BudgetEstimator::default().with_seed(Seed(seed));
    for (known, rollout) in learnt.iter().zip(whole.iter()) {
        if scored.contains(&rollout.index()) {
            for prefix in rollout.replay(tokens).unwrap() {
                let estimate = estimator.estimate(&prefix).unwrap();
                let remaining = rollout.remaining(tokens, prefix.turns()).unwrap();
                hits.add(prefix.turns(), estimate, remaining);
            }
        }
        estimator.learn(&known, tokens).unwrap();
    }
}

/// Learns these runs and is scored on them, from run `first` on, for each seed.
fn simulated(
    seeds: u64,
    first: usize,
    all: impl Fn(&mut ChaCha8Rng) -> Vec<Vec<f64>>,
    what: &str,
) -> Hits {
    let mut hits = Hits::default();
    for seed in 0..seeds {
        let rollouts = successes(&all(&mut ChaCha8Rng::seed_from_u64(seed)));
        scored(&mut hits, seed, (&rollouts, &rollouts), first..rollouts.len());
    }
    hits.print(what);
    hits
}

#[test]
fn exchangeable_runs_are_covered_at_each_stage() {
    simulated(SEEDS, 100, |of| some(220, of, false), "exchangeable").assert_covered(0.02);
}

/// From 1,000 runs on, the ends are chosen from few of the runs.
#[test]
fn runs_after_many_others_are_covered() {
    let (seeds, tolerance) = if cfg!(debug_assertions) { (2, 0.05) } else { (20, 0.02) };
    let hits = simulated(seeds, 1_400, |of| some(2_400, of, false), "after 1,400 runs");
    assert!((hits.coverage() - 0.8).abs() <= tolerance, "{}", hits.coverage());
}

#[test]
fn runs_with_heavy_tails_are_covered_at_each_stage() {
    simulated(SEEDS, 100, |of| some(220, of, true), "heavy tails").assert_covered(0.02);
}

#[test]
fn after_costs_have_tripled_the_coverage_comes_back() {
    let drift = |generator: &mut ChaCha8Rng| {
        let mut all = some(280, generator, false);
        all.iter_mut().skip(140).flatten().for_each(|cost| *cost *= 3.0);
        all
    };
    simulated(SEEDS, 180, drift, "drift, from 40 runs after it").assert_covered(0.04);
}

/// Runs are cut off after a turn that does not depend on what they cost later.
#[test]
fn runs_cut_off_at_random_leave_the_coverage_of_whole_runs() {
    let cut = |costs: &[f64], generator: &mut ChaCha8Rng| {
        let after = 2 + (uniform(generator) * 25.0) as usize;
        (after < costs.len()).then_some(after)
    };
    let hits = cut_off(cut);
    hits.print("cut off at random");
    hits.assert_covered(0.05);
}

/// Runs that go on for long are stopped at a total that the estimator is not told.
#[test]
fn runs_cut_off_because_of_their_cost_bias_the_coverage_by_a_bounded_amount() {
    let cut = |costs: &[f64], generator: &mut ChaCha8Rng| {
        let limit = 1_200.0 * (0.5 + uniform(generator));
        let mut total = 0.0;
        let after = costs.iter().position(|cost| {
            total += cost;
            total > limit
        });
        after.map(|at| at + 1).filter(|&turns| turns < costs.len())
    };
    let hits = cut_off(cut);
    hits.print("cut off by cost");
    assert!(hits.coverage() > 0.6 && hits.coverage() < 0.9, "{}", hits.coverage());
}

fn cut_off(cut: impl Fn(&[f64], &mut ChaCha8Rng) -> Option<usize>) -> Hits {
    let mut hits = Hits::default();
    for seed in 0..SEEDS {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let all = some(260, &mut generator, false);
        let whole = successes(&all);
        let ends: Vec<_> = all.iter().map(|costs| cut(costs, &mut generator)).collect();
        let known = all.iter().zip(&ends);
        let known = known.map(|(run, end)| (&run[..end.unwrap_or(run.len())], end.is_none()));
        let (mut learnt, _) = runs(known);
        for (at, _) in ends.iter().enumerate().filter(|(_, end)| end.is_some()) {
            learnt.set_censored(at).unwrap();
        }
        scored(&mut hits, seed, (&learnt, &whole), 120..260);
    }
    hits
}

/// A run of 3 to 96 turns, whose size doubles again and again with a chance of one half, and whether it succeeds.
/// Failed runs are half as long again, and one turn in ten is expensive.
fn doubling(generator: &mut ChaCha8Rng) -> (Vec<f64>, bool) {
    let mut doublings = 0;
    while doublings < 4 && uniform(generator) < 0.5 {
        doublings += 1;
    }
    let size = 3_usize << doublings;
    let mut turns = size + (uniform(generator) * (size + 1) as f64) as usize;
    let succeeds = uniform(generator) < 0.9 - 0.12 * f64::from(doublings);
    if !succeeds {
        turns += turns / 2;
    }
    let mut cost = || {
        let burst = if uniform(generator) < 0.1 { 10.0 } else { 1.0 };
        burst * (20.0 + 100.0 * uniform(generator))
    };
    ((0..turns).map(|_| cost()).collect(), succeeds)
}

/// The interval loss at 0.8, the number of hits and the number of prefixes, of the successful runs from the 31st on.
fn scores_of(rollouts: &Rollouts, estimator: &mut dyn Estimator) -> [f64; 3] {
    let tokens = rollouts.resource("tokens").unwrap();
    let samples = rollouts.score(tokens, estimator).unwrap();
    let scored = |it: &&Sample| it.rollout() >= 30 && it.is_feasible();
    let mut sums = [0.0; 3];
    for sample in samples.iter().filter(scored) {
        let Estimate::Interval(ends) = sample.estimate() else { continue };
        let y = sample.remaining();
        let outside = (ends.low() - y).max(y - ends.high()).max(0.0);
        sums[0] += ends.high() - ends.low() + 10.0 * outside;
        sums[1] += f64::from(u8::from(sample.is_hit()));
        sums[2] += 1.0;
    }
    sums
}

/// The estimator is not told that no run goes on beyond the limit. An estimator that is told learns the same runs
/// as failures, and shows what can be reached.
#[test]
fn a_limit_on_turns_that_no_run_exceeds_does_not_widen_the_intervals() {
    let mut sums = [[0.0; 3]; 3];
    for seed in 0..SEEDS.max(4) {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let [mut cut_off, mut failed] = [(); 2].map(|()| Rollouts::new(["tokens"]).unwrap());
        for at in 0..100 {
            let (mut costs, succeeds) = doubling(&mut generator);
            let is_cut_off = costs.len() > 64;
            costs.truncate(64);
            for rollouts in [&mut cut_off, &mut failed] {
                rollouts.push(&costs, succeeds && !is_cut_off).unwrap();
            }
            if is_cut_off {
                cut_off.set_censored(at).unwrap();
            }
        }
        let default = || BudgetEstimator::default().with_seed(Seed(seed));
        let all = [
            scores_of(&cut_off, &mut default()),
            scores_of(&failed, &mut default()),
            scores_of(&cut_off, &mut PastQuantiles::survival_aware(level(0.8))),
        ];
        for (sums, more) in sums.iter_mut().flatten().zip(all.into_iter().flatten()) {
            *sums += more;
        }
    }
    let [unknown, told, past] = sums;
    let coverage = unknown[1] / unknown[2];
    let [of_told, of_past] = [told, past].map(|other| unknown[0] / other[0]);
    println!(
        "limit on turns: coverage {coverage:.3} ({:.3} told), loss {of_told:.2} of that if told, \
         {of_past:.2} of that of past quantiles",
        told[1] / told[2]
    );
    assert!((coverage - 0.8).abs() < 0.03 + FEW, "{coverage}");
    assert!(of_told < 1.05 + FEW && of_past < 0.9 + FEW, "{of_told} {of_past}");
}

/// A feature that is known before the first turn is close to the number of turns.
#[test]
fn the_width_follows_a_feature_that_tells_much() {
    let [mut with, mut without] = [Hits::default(), Hits::default()];
    for seed in 0..SEEDS.min(40) {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let all = some(200, &mut generator, false);
        let plain = successes(&all);
        let mut telling = plain.clone().with_features(["plan"]).unwrap();
        for (at, costs) in all.iter().enumerate() {
            let plan = costs.len() as f64 + 2.0 * uniform(&mut generator) - 1.0;
            telling.set_feature(at, 0, "plan", plan).unwrap();
        }
        scored(&mut without, seed, (&plain, &plain), 100..200);
        scored(&mut with, seed, (&telling, &telling), 100..200);
    }
    let ratio = with.mean_width() / without.mean_width();
    with.print(&format!("telling feature, {ratio:.2} of the width"));
    assert!(ratio < 0.85, "{ratio}");
    with.assert_covered(0.04);
}

/// A small collection for the promises below.
fn some_runs(n: usize, cap: Option<f64>) -> (Rollouts, Resource) {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap().with_keys(["model"]).unwrap();
    for at in 0..n {
        let costs = run(&mut generator, false);
        let both: Vec<f64> = costs.iter().flat_map(|&cost| [cost, 0.01 * cost + 0.001]).collect();
        rollouts.push(&both, at % 4 > 0).unwrap();
        rollouts.set_key(at, "model", ["small", "large"][at % 2]).unwrap();
    }
    let tokens = rollouts.resource("tokens").unwrap();
    if let Some(cap) = cap {
        rollouts.set_cap(tokens, cap).unwrap();
    }
    (rollouts, tokens)
}

#[test]
fn every_prefix_has_an_answer_from_the_first_run_on() {
    let (rollouts, tokens) = some_runs(40, None);
    let samples = rollouts.score(tokens, &mut BudgetEstimator::default()).unwrap();
    assert!(samples.iter().all(|sample| sample.estimate().ends().is_some()));
    // Tails of 10 %: from one ninth of what was spent to nine times as much.
    let first = samples.first().unwrap();
    let ends = first.estimate().ends().unwrap();
    assert!((ends.low() - first.used() / 9.0).abs() < 1e-9 * first.used());
    assert!((ends.high() - first.used() * 9.0).abs() < 1e-9 * first.used());
}

#[test]
fn the_same_runs_and_seed_give_the_same_bits_and_another_seed_others() {
    let (rollouts, tokens) = some_runs(40, None);
    let estimates = |seed| {
        let mut estimator = BudgetEstimator::default().with_seed(Seed(seed));
        rollouts.score(tokens, &mut estimator).unwrap()
    };
    assert_eq!(estimates(1), estimates(1));
    assert_ne!(estimates(1), estimates(2));
}

#[test]
fn each_resource_is_estimated_by_what_was_learnt_of_it() {
    let (rollouts, tokens) = some_runs(40, None);
    let usd = rollouts.resource("usd").unwrap();
    let mut one = learnt(BudgetEstimator::default(), &rollouts, tokens);
    let mut both = learnt(BudgetEstimator::default(), &rollouts, usd);
    both = learnt(both, &rollouts, tokens);
    let rollout = rollouts.get(3).unwrap();
    for (prefix, of_usd) in rollout.replay(tokens).unwrap().zip(rollout.replay(usd).unwrap()) {
        let estimate = both.estimate(&prefix).unwrap();
        assert_eq!(estimate, one.estimate(&prefix).unwrap());
        assert!(both.estimate(&of_usd).unwrap().ends().unwrap().high() < 200.0);
    }
}

/// Runs of one key take 3 turns, of the other 20; after one turn, they look alike.
#[test]
fn keys_tell_runs_apart_that_look_alike() {
    let (mut rollouts, tokens) = runs((0..80).map(|at| (vec![100.0; [3, 20][at % 2]], true)));
    for at in 0..80 {
        rollouts.set_key(at, "task", ["short", "long"][at % 2]).unwrap();
    }
    let mut estimator = learnt(BudgetEstimator::default(), &rollouts, tokens);
    let mut first = |run: usize| {
        estimator.estimate(&after_a_turn(&rollouts, run, tokens)).unwrap().ends().unwrap()
    };
    assert!(first(0).high() < first(1).low());
}

#[test]
fn runs_of_one_turn_and_runs_without_costs_are_learnt() {
    let pair = [(vec![0.0; 3], true), (vec![5.0], false)];
    let (rollouts, tokens) = runs((0..30).flat_map(|_| pair.clone()));
    let samples = rollouts.score(tokens, &mut BudgetEstimator::default()).unwrap();
    // Nothing was spent, and nothing is known: no answer at first, later the right one.
    assert_eq!(samples[0].estimate(), Estimate::NoAnswer);
    assert_eq!(samples.last().unwrap().estimate(), interval(0.0, 0.0));
}

#[test]
fn the_coverage_and_the_limit_are_as_set() {
    let (rollouts, tokens) = some_runs(60, None);
    let width = |coverage| {
        let samples = rollouts.score(tokens, &mut BudgetEstimator::new(level(coverage))).unwrap();
        let ends = samples.iter().filter_map(|sample| sample.estimate().ends());
        ends.map(|ends| ends.high() - ends.low()).sum::<f64>()
    };
    assert!(width(0.5) < width(0.8) && width(0.8) < width(0.95));
    // Runs over their cap aside, no run is impossible under a limit that needs more runs than there are.
    let (rollouts, tokens) = some_runs(120, Some(400.0));
    let called = |rate| {
        let limit = AbortLimit { rate: level(rate), ..AbortLimit::default() };
        let mut estimator = BudgetEstimator::default().with_abort_limit(limit);
        let samples = rollouts.score(tokens, &mut estimator).unwrap();
        let within = samples.iter().filter(|sample| sample.left().unwrap() >= 0.0);
        within.filter(|sample| sample.estimate() == Estimate::Impossible).count()
    };
    assert!(called(0.5) > 0);
    assert_eq!(called(0.01), 0);
}

/// One number of each part that was learnt, and a part of another estimator.
#[test]
fn a_state_that_was_changed_is_refused() {
    let (rollouts, tokens) = some_runs(40, None);
    let state = |n: usize| {
        let first = rollouts.filter(|rollout| rollout.index() < n);
        serde_json::to_value(learnt(BudgetEstimator::default(), &first, tokens)).unwrap()
    };
    let (state, other) = (state(40), state(39));
    let read = |state| serde_json::from_value::<BudgetEstimator>(state);
    assert!(read(state.clone()).is_ok());
    for path in [
        "cost/state/share",
        "cost/state/ends/0/lows/0",
        "cost/state/rows/weights/0",
        "cost/state/forests/0/weights/0",
        "cost/fingerprint",
        "success/learnt/state/past/runs/0/rows/0",
        "success/learnt/state/effects/runs",
    ] {
        let mut changed = state.clone();
        let number = changed.pointer_mut(&format!("/resources/tokens/{path}")).unwrap();
        *number = (number.as_f64().unwrap() as u64 + 1).into();
        let error = read(changed).unwrap_err().to_string();
        assert!(error.contains("the state was changed"), "{path}: {error}");
    }
    let mut mixed = state;
    mixed["resources"]["tokens"]["cost"]["state"] =
        other["resources"]["tokens"]["cost"]["state"].clone();
    assert!(read(mixed).is_err());
}
