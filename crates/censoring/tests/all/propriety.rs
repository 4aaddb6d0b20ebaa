//! What the censored scores elicit, by adding up every path of small random worlds: a task, a tree
//! of histories, and stops that depend on nothing but the history.

use censoring::{
    Error, Probability, ScoringRule, StopReason, Stopped, Tps, WeightSchedule, exact_score,
    plug_in_regret_bound, simple_score,
};
use trajectory_metrics::{BetaScore, BrierScore, LogScore, Trace};

use crate::{Draws, p};

/// A history of some steps.
#[derive(Debug, Default)]
struct Node {
    parent: Option<usize>,
    /// Steps so far, at least 1.
    step: usize,
    /// Known from the start, as it belongs to the task.
    horizon: usize,
    /// Chance to get here if nothing is ever cut off.
    reach: f64,
    /// Chance that a run which got here is cut off here. 0 at the horizon, where the outcome comes.
    cut: f64,
    /// Chance that a run which got here was not cut off before.
    seen: f64,
    /// The true chance of success.
    q: f64,
    /// The chance of being complete and successful, given that the run was seen up to here.
    m: f64,
}

#[derive(Debug, Default)]
struct World {
    nodes: Vec<Node>,
}

impl World {
    /// One to three tasks, each with a horizon of one to four steps and up to three ways on at every
    /// step. With `hopeless` runs are cut off only where they can no longer succeed.
    fn new(draws: &mut Draws, hopeless: bool) -> Self {
        let mut world = Self::default();
        let tasks = 1 + draws.below(3);
        for _ in 0..tasks {
            let horizon = 1 + draws.below(4);
            let at_start =
                Node { horizon, reach: 1.0 / tasks as f64, seen: 1.0, ..Node::default() };
            world.grow(draws, None, &at_start, hopeless, false);
        }
        world
    }

    /// Adds all ways on from a history; returns the chances of success and of seeing it.
    fn grow(
        &mut self,
        draws: &mut Draws,
        parent: Option<usize>,
        from: &Node,
        hopeless: bool,
        lost: bool,
    ) -> (f64, f64) {
        if from.step == from.horizon {
            let q = if lost { 0.0 } else { draws.between(0.02, 0.98) };
            return (q, q);
        }
        let ways = 1 + draws.below(3);
        let shares: Vec<f64> = (0..ways).map(|_| draws.between(0.1, 1.0)).collect();
        let total: f64 = shares.iter().sum();
        let (mut q, mut m) = (0.0, 0.0);
        for share in shares {
            let lost = lost || (hopeless && draws.unit() < 0.3);
            let (step, horizon) = (from.step + 1, from.horizon);
            let stops = step < horizon && (lost || !hopeless);
            let cut = if stops { draws.between(0.05, 0.6) } else { 0.0 };
            let (reach, seen) = (from.reach * share / total, from.seen * (1.0 - from.cut));
            let node = Node { parent, step, horizon, reach, cut, seen, q: 0.0, m: 0.0 };
            let place = self.nodes.len();
            self.nodes.push(Node { ..node });
            let (after_q, after_m) = self.grow(draws, Some(place), &node, hopeless, lost);
            self.nodes[place].q = after_q;
            self.nodes[place].m = (1.0 - cut) * after_m;
            q += share / total * after_q;
            m += share / total * (1.0 - cut) * after_m;
        }
        (q, m)
    }

    fn of(&self, value: impl Fn(&Node) -> f64) -> Vec<Probability> {
        self.nodes.iter().map(|node| p(value(node).clamp(0.0, 1.0))).collect()
    }

    fn path(&self, mut place: usize, forecasts: &[Probability]) -> Vec<Probability> {
        let mut path = vec![forecasts[place]];
        while let Some(parent) = self.nodes[place].parent {
            place = parent;
            path.push(forecasts[place]);
        }
        path.reverse();
        path
    }

    /// The expected score of forecasts, one a history. `score` gets the run and where it stopped.
    fn expected(&self, forecasts: &[Probability], score: &dyn Fn(&Stopped, usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for (place, node) in self.nodes.iter().enumerate() {
            let path = self.path(place, forecasts);
            let (reach, reason) = (node.reach * node.seen, Some(StopReason::MaxSteps));
            if node.step == node.horizon {
                // An outcome of probability 0 does not count, even if its score is infinite.
                let either = [(true, node.q), (false, 1.0 - node.q)];
                for (outcome, chance) in either.into_iter().filter(|each| each.1 > 0.0) {
                    let run = Stopped::new(&path, Some(outcome), None).unwrap();
                    sum += reach * chance * score(&run, place);
                }
            } else if node.cut > 0.0 {
                let run = Stopped::new(&path, None, reason).unwrap();
                let run = run.with_horizon(node.horizon).unwrap();
                sum += reach * node.cut * score(&run, place);
            }
        }
        sum
    }

    /// What forecasts lose against other ones, step by step, where `truth` is the chance that counts.
    fn lost<R: ScoringRule>(
        &self,
        tps: &Tps<R>,
        forecasts: &[Probability],
        truth: &[Probability],
    ) -> f64 {
        let each = self.nodes.iter().zip(forecasts.iter().zip(truth)).map(|(node, (&p, &q))| {
            let weight = tps.schedule.weights(node.horizon).unwrap()[node.step - 1];
            node.reach * node.seen * weight * tps.rule.divergence(p, q)
        });
        each.sum()
    }

    /// The chance that a run is cut off which would have succeeded.
    fn missing_success(&self) -> f64 {
        self.nodes.iter().map(|node| node.reach * node.seen * node.cut * node.q).sum()
    }
}

const WORLDS: u64 = 60;

fn for_each_rule(mut check: impl FnMut(&Tps<&dyn ScoringRule>)) {
    let (log, beta) = (LogScore::exact(), BetaScore::new(2.0, 4.0).unwrap());
    let rules: [&dyn ScoringRule; 3] = [&log, &BrierScore, &beta];
    for (rule, schedule) in rules.into_iter().zip(WeightSchedule::NAMED) {
        check(&Tps::new(rule, schedule));
    }
}

/// Forecasts of anything, and forecasts that are off at one history only.
fn others(draws: &mut Draws, best: &[Probability]) -> Vec<Vec<Probability>> {
    let anything: Vec<f64> = best.iter().map(|_| draws.between(0.01, 0.99)).collect();
    let mut one = best.to_vec();
    one[draws.below(best.len())] = p(draws.between(0.01, 0.99));
    vec![Probability::from_slice(&anything).unwrap().to_vec(), one]
}

/// Checks for each rule that the forecasts `best` have the best expected score, and that others lose what each observed step
/// loses: never less than 0, and 0 only where all steps lose nothing. Returns what the true chances lose by each rule.
fn check_regrets(
    draws: &mut Draws,
    world: &World,
    best: &[Probability],
    score: impl Fn(&Tps<&dyn ScoringRule>, &Stopped<'_>, usize) -> f64,
) -> Vec<f64> {
    let mut of_truth = Vec::new();
    for_each_rule(|tps| {
        let expected = |forecasts: &[Probability]| {
            world.expected(forecasts, &|run, place| score(tps, run, place))
        };
        let most = expected(best);
        for other in others(draws, best) {
            let (regret, lost) = (most - expected(&other), world.lost(tps, &other, best));
            assert!((regret - lost).abs() < 1e-13, "{regret} {lost} {world:?}");
            assert!(other == best || lost > 0.0);
        }
        of_truth.push(most - expected(&world.of(|node| node.q)));
    });
    of_truth
}

#[test]
fn the_exact_score_is_strictly_proper_for_the_chance_of_success_on_every_observed_step() {
    let mut draws = Draws(1);
    for _ in 0..WORLDS {
        let world = World::new(&mut draws, false);
        let q = world.of(|node| node.q);
        check_regrets(&mut draws, &world, &q, |tps, run, place| {
            exact_score(tps, run, q[place]).unwrap()
        });
    }
}

#[test]
fn the_simple_score_is_strictly_proper_for_being_complete_and_successful() {
    let (mut draws, mut worlds) = (Draws(2), 0);
    for _ in 0..WORLDS {
        let world = World::new(&mut draws, false);
        if world.missing_success() < 1e-3 {
            continue;
        }
        worlds += 1;
        let m = world.of(|node| node.m);
        // So the truth itself loses.
        let lost =
            check_regrets(&mut draws, &world, &m, |tps, run, _| simple_score(tps, run).unwrap());
        assert!(lost.iter().all(|lost| *lost > 1e-9), "{world:?}");
    }
    assert!(worlds > WORLDS / 3, "{worlds}");
}

#[test]
fn the_simple_score_is_proper_where_no_cut_off_run_would_have_succeeded() {
    let (mut draws, mut with_stops) = (Draws(3), 0);
    for _ in 0..WORLDS {
        let world = World::new(&mut draws, true);
        with_stops += usize::from(world.nodes.iter().any(|node| node.cut > 0.0));
        assert_eq!(world.missing_success(), 0.0);
        let q = world.of(|node| node.q);
        check_regrets(&mut draws, &world, &q, |tps, run, _| simple_score(tps, run).unwrap());
    }
    assert!(with_stops > 10, "{with_stops}");
}

#[test]
fn a_plug_in_elicits_the_truth_plus_its_bias_and_costs_no_more_than_its_bound() {
    let mut draws = Draws(4);
    for _ in 0..WORLDS {
        let world = World::new(&mut draws, false);
        let q = world.of(|node| node.q);
        let estimates = world.nodes.iter().map(|_| p(draws.unit())).collect::<Vec<_>>();
        // What the surrogate outcome is on average: estimates where runs are cut off, outcomes where
        // not. Children stand behind their parents.
        let mut a: Vec<f64> = world.nodes.iter().map(|node| node.q).collect();
        for (place, node) in world.nodes.iter().enumerate().rev() {
            if node.step < node.horizon {
                let children = world.nodes.iter().zip(&a).filter(|(n, _)| n.parent == Some(place));
                let on: f64 = children.map(|(n, a)| n.reach / node.reach * a).sum();
                a[place] = node.cut * estimates[place].get() + (1.0 - node.cut) * on;
            }
        }
        let a = Probability::from_slice(&a).unwrap().to_vec();
        for_each_rule(|tps| {
            let expected = |forecasts: &[Probability]| {
                world.expected(forecasts, &|run, place| {
                    exact_score(tps, run, estimates[place]).unwrap()
                })
            };
            for other in others(&mut draws, &q) {
                let (regret, lost) = (expected(&a) - expected(&other), world.lost(tps, &other, &a));
                assert!((regret - lost).abs() < 1e-13, "{regret} {lost}");

                let perturbed = (expected(&q) - expected(&other)) - world.lost(tps, &other, &q);
                let mut most = 0.0;
                for ((node, a), q) in world.nodes.iter().zip(&a).zip(&q) {
                    let weight = tps.schedule.weights(node.horizon).unwrap()[node.step - 1];
                    match plug_in_regret_bound(&tps.rule, a.get() - q.get()) {
                        Ok(bound) => most += node.reach * node.seen * weight * bound,
                        Err(error) => {
                            assert!(matches!(error, Error::Undetermined { .. }));
                            most = f64::INFINITY;
                        }
                    }
                }
                assert!(perturbed.abs() <= most + 1e-13, "{perturbed} {most}");
            }
        });
    }
}

#[test]
fn weights_over_a_length_related_to_the_outcome_are_not_proper_for_the_truth() {
    // Half of the runs fail after one step, half succeed after two. Normalised over their own
    // length, the first step of a failure weighs 1 and that of a success 1/2: 1/3 beats the truth.
    let expected = |first: f64, schedule: WeightSchedule| {
        let tps = Tps::new(BrierScore, schedule);
        let first = p(first);
        let failure = tps.score(Trace::new(&[first], false).unwrap()).unwrap();
        let success = tps.score(Trace::new(&[first, Probability::ONE], true).unwrap()).unwrap();
        f64::midpoint(failure, success)
    };
    let uniform = |first| expected(first, WeightSchedule::Uniform);
    assert!(uniform(1.0 / 3.0) > uniform(0.5) + 0.02);
    assert!(uniform(1.0 / 3.0) > uniform(0.3) && uniform(1.0 / 3.0) > uniform(0.37));
}
