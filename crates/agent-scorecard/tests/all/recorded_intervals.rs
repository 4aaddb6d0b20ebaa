//! The default estimator and its references on recorded runs; prints the table of `docs/findings.md`.
//!
//! `REAL_RUNS=… cargo test --release -p agent-scorecard --test all -- recorded_intervals:: --nocapture`

use std::collections::BTreeSet;

use agent_scorecard::budget_estimation::{
    AdaptiveConformal, BudgetEstimator, Calibrated, Estimate, Estimator, Level, LinearEstimator,
    Metrics, PastQuantiles, Reading, Rollouts, Sample, Seed, StopRule, Weight, early_stopping,
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use trajectory_metrics::ClusterEstimate;

use crate::common;

const COVERAGE: f64 = 0.8;

/// For each of the 195 tasks of tau2-bench, in the order of `domain/task`, whether its runs were used to choose the
/// settings of the default estimator. Four tasks per digit; drawn by NumPy 2, `default_rng(0).permutation(195)[:97]`.
const CHOSEN_ON: &str = "e634e00a19688600cb90a97e73658f2a59cddef3bd172537c";

fn recorded(name: &str, keys: &[&str]) -> Option<Rollouts> {
    common::recorded(name, &["output_tokens", "input_tokens"], &[&["domain"], keys].concat())
}

/// The runs at these places, with the values of these keys.
fn copied(rollouts: &Rollouts, places: impl Iterator<Item = usize>, keys: &[&str]) -> Rollouts {
    let copy = Rollouts::new(["output_tokens", "input_tokens"]).unwrap();
    let mut copy = copy.with_keys(keys.iter().copied().filter(|key| *key != "task")).unwrap();
    let resources: Vec<_> = rollouts.resources().map(|(resource, _)| resource).collect();
    for place in places {
        let rollout = rollouts.get(place).unwrap();
        let costs = |resource| rollout.usage(resource).unwrap().costs();
        let (output, input) = (costs(resources[0]), costs(resources[1]));
        let both: Vec<f64> = output.iter().zip(input).flat_map(|(&o, &i)| [o, i]).collect();
        let at = copy.push(&both, rollout.succeeded()).unwrap();
        if let Some(cap) = rollout.cap(resources[0]).unwrap() {
            copy.set_cap_of(at, copy.resource("output_tokens").unwrap(), cap).unwrap();
        }
        for key in keys {
            copy.set_key(at, key, rollout.key(key).unwrap()).unwrap();
        }
    }
    copy
}

/// One list of runs in one order, of which the first are only learnt.
struct Order {
    rollouts: Rollouts,
    warm_up: usize,
}

/// One estimator on some orders: scored samples with the name of their task.
#[derive(Default)]
struct Scored {
    samples: Vec<(Sample, String)>,
    macro_f1: Vec<f64>,
    saved: Vec<f64>,
    lost: Vec<f64>,
    false_aborts: Vec<f64>,
}

impl Scored {
    fn add(&mut self, order: &Order, runs: &Rollouts, estimator: &mut dyn Estimator) {
        let tokens = runs.resource("output_tokens").unwrap();
        let mut samples = runs.score(tokens, estimator).unwrap();
        samples.retain(|sample| sample.rollout() >= order.warm_up);
        let mut metrics = Metrics::default();
        samples.iter().for_each(|sample| metrics.update(sample, Weight::ONE).unwrap());
        self.macro_f1.extend(metrics.finish().unwrap().feasibility.macro_f1);
        let first = StopRule::first_impossible().with_reading(Reading::Cap);
        let later = runs.filter(|rollout| rollout.index() >= order.warm_up);
        let later_samples: Vec<Sample> = samples
            .iter()
            .map(|sample| {
                let rollout = later.get(sample.rollout() - order.warm_up).unwrap();
                Sample::new(&rollout, tokens, sample.turn(), sample.estimate()).unwrap()
            })
            .collect();
        let stops = early_stopping(&later, tokens, &later_samples, None, &[first]).unwrap();
        self.saved.extend(stops.saved_share());
        self.lost.extend(stops.success_rate_lost());
        self.false_aborts.extend(stops.false_abort_rate());
        self.samples.extend(samples.into_iter().map(|sample| {
            let rollout = order.rollouts.get(sample.rollout()).unwrap();
            (sample, rollout.key("task").unwrap().to_owned())
        }));
    }

    /// The loss of each feasible sample; `None` without an interval.
    fn losses(&self) -> Vec<Option<f64>> {
        let feasible = self.samples.iter().filter(|(sample, _)| sample.is_feasible());
        let loss = |(sample, _): &(Sample, String)| {
            let Estimate::Interval(ends) = sample.estimate() else { return None };
            // An end that is not known.
            if ends.high() == f64::MAX {
                return None;
            }
            let y = sample.remaining();
            let outside = (ends.low() - y).max(y - ends.high()).max(0.0);
            Some(ends.high() - ends.low() + 2.0 / (1.0 - COVERAGE) * outside)
        };
        feasible.map(loss).collect()
    }

    fn tasks(&self) -> Vec<&str> {
        let feasible = self.samples.iter().filter(|(sample, _)| sample.is_feasible());
        feasible.map(|(_, task)| task.as_str()).collect()
    }

    fn mean_of(&self, value: impl Fn(usize) -> Option<f64>) -> ClusterEstimate {
        let tasks = self.tasks();
        let known: Vec<_> =
            (0..tasks.len()).filter_map(|i| value(i).map(|value| (value, tasks[i]))).collect();
        let (values, tasks): (Vec<f64>, Vec<_>) = known.into_iter().unzip();
        ClusterEstimate::mean(&values, None, &tasks).unwrap()
    }

    fn hits(&self) -> Vec<(usize, bool)> {
        let feasible = self.samples.iter().map(|(sample, _)| sample).filter(|it| it.is_feasible());
        feasible.map(|sample| (sample.turn() * 5 / sample.turns(), sample.is_hit())).collect()
    }

    /// Prints a row of the table.
    fn print(&self, name: &str, reference: &Self) -> Figures {
        let (losses, past, hits) = (self.losses(), reference.losses(), self.hits());
        let loss = self.mean_of(|i| losses[i]);
        let more = self.mean_of(|i| losses[i].zip(past[i]).map(|(own, past)| own - past));
        let base = self.mean_of(|i| losses[i].and(past[i]));
        let hit = |i: usize| losses[i].map(|_| f64::from(u8::from(hits[i].1)));
        let coverage = self.mean_of(hit);
        let fifth = |fifth| self.mean_of(|i| hit(i).filter(|_| hits[i].0 == fifth)).estimate;
        let fifths = [0, 1, 2, 3, 4].map(fifth);
        let level = Level::new(0.95).unwrap();
        let ci = |estimate: &ClusterEstimate, digits| {
            // The difference of an estimator from itself does not vary.
            estimate.interval(level).map_or_else(
                |_| "[]".to_owned(),
                |interval| format!("[{:.digits$}, {:.digits$}]", interval.low(), interval.high()),
            )
        };
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        println!(
            "| {name} | {:.0} {} | {:+.1} % {} | {:.3} {} | {} | {:.3} | {:.3} | {:.3} | {:.1} |",
            loss.estimate,
            ci(&loss, 0),
            100.0 * more.estimate / base.estimate,
            ci(&more, 0),
            coverage.estimate,
            ci(&coverage, 3),
            fifths.map(|share| format!("{share:.2}")).join(" "),
            mean(&self.macro_f1),
            mean(&self.false_aborts),
            mean(&self.saved),
            100.0 * mean(&self.lost),
        );
        Figures { ratio: 1.0 + more.estimate / base.estimate, coverage: coverage.estimate, fifths }
    }
}

struct Figures {
    ratio: f64,
    coverage: f64,
    fifths: [f64; 5],
}

/// Prints all estimators; returns the figures of the default without keys and with them.
fn table(title: &str, orders: &[Order]) -> [Figures; 2] {
    println!(
        "\n{title}\n\n| estimator | interval loss | against past quantiles | coverage | by fifth of the run | macro-F1 | \
         false aborts | saved | points lost |\n|---|---|---|---|---|---|---|---|---|"
    );
    let level = Level::new(COVERAGE).unwrap();
    let mut all: [Scored; 5] = Default::default();
    for (seed, order) in (0..).zip(orders) {
        // Names of tasks remain for the clusters.
        let plain = copied(&order.rollouts, 0..order.rollouts.len(), &[]);
        let adaptive = AdaptiveConformal::new(level, 0.002).unwrap();
        let past = PastQuantiles::new(level);
        let conformal = Calibrated::new(past.clone(), adaptive);
        let estimators: [Box<dyn Estimator>; 5] = [
            Box::new(past),
            Box::new(LinearEstimator::learning(20.0, 0.5).unwrap()),
            Box::new(conformal),
            Box::new(BudgetEstimator::default().with_seed(Seed(seed))),
            Box::new(BudgetEstimator::default().with_seed(Seed(seed))),
        ];
        for (at, (scored, mut estimator)) in all.iter_mut().zip(estimators).enumerate() {
            let runs = if at == 4 { &order.rollouts } else { &plain };
            scored.add(order, runs, &mut *estimator);
        }
    }
    let names =
        ["past quantiles", "linear", "conformal", "quantile-forest", "quantile-forest with keys"];
    let [.., plain, keys] = [0, 1, 2, 3, 4].map(|at: usize| all[at].print(names[at], &all[0]));
    [plain, keys]
}

/// The runs of some tasks in random orders; the first two thirds are only learnt.
fn shuffled(rollouts: &Rollouts, keep: impl Fn(&str) -> bool, orders: u64) -> Vec<Order> {
    let tasks = |at: usize| rollouts.get(at).unwrap().key("task").unwrap().to_owned();
    let kept: Vec<usize> = (0..rollouts.len()).filter(|&at| keep(&tasks(at))).collect();
    let order = |seed| {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut order = kept.clone();
        for at in (1..order.len()).rev() {
            order.swap(at, (generator.next_u64() % (at as u64 + 1)) as usize);
        }
        let warm_up = order.len() * 2 / 3;
        let rollouts = copied(rollouts, order.into_iter(), &["domain", "model", "task"]);
        Order { rollouts, warm_up }
    };
    (0..orders).map(order).collect()
}

/// Orders of which the figures are averages.
const ORDERS: u64 = if cfg!(debug_assertions) { 1 } else { 8 };

#[test]
fn on_shuffled_runs_of_unused_tasks_the_loss_is_a_third_below_that_of_past_quantiles() {
    let Some(rollouts) = recorded("tau2.jsonl", &["model"]) else { return };
    let tasks: BTreeSet<String> =
        rollouts.iter().map(|rollout| rollout.key("task").unwrap().to_owned()).collect();
    assert_eq!(tasks.len(), 195);
    let used = tasks.iter().enumerate().filter(|(at, _)| {
        let digit = u8::from_str_radix(&CHOSEN_ON[at / 4..=at / 4], 16).unwrap();
        digit & (8 >> (at % 4)) != 0
    });
    let used: BTreeSet<&String> = used.map(|(_, task)| task).collect();
    assert_eq!(used.len(), 97);
    let orders = shuffled(&rollouts, |task| !used.contains(&task.to_owned()), ORDERS);
    let [plain, keys] = table("tau2-bench, shuffled, tasks not used for settings", &orders);
    if ORDERS > 1 {
        assert!(plain.ratio < 0.7 && keys.ratio < 0.64, "{} {}", plain.ratio, keys.ratio);
        for figures in [plain, keys] {
            assert!((figures.coverage - COVERAGE).abs() < 0.03, "{}", figures.coverage);
        }
    }
}

#[test]
fn in_the_order_of_the_file_the_coverage_is_kept_while_models_change() {
    let Some(rollouts) = recorded("tau2.jsonl", &["model"]) else { return };
    let [plain, keys] = table("tau2-bench, file order", &[Order { rollouts, warm_up: 50 }]);
    for figures in [plain, keys] {
        assert!((figures.coverage - COVERAGE).abs() < 0.03, "{}", figures.coverage);
        assert!(figures.ratio < 0.9, "{}", figures.ratio);
    }
}

#[test]
fn on_one_model_and_kind_of_task_the_loss_is_near_that_of_past_quantiles() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl", &["model", "repo"]) else { return };
    let order = |rollouts| Order { rollouts, warm_up: 50 };
    let [plain, keys] = table("SWE-bench, no cap", &[order(rollouts.clone())]);
    for figures in [plain, keys] {
        assert!((figures.coverage - COVERAGE).abs() < 0.05, "{}", figures.coverage);
        assert!(figures.ratio < 1.06, "{}", figures.ratio);
    }
    let mut capped = rollouts;
    let tokens = capped.resource("output_tokens").unwrap();
    capped.set_cap(tokens, 8417.0).unwrap();
    let [plain, keys] = table("SWE-bench, cap 8,417", &[order(capped)]);
    for figures in [plain, keys] {
        assert!((figures.coverage - COVERAGE).abs() < 0.03, "{}", figures.coverage);
        assert!(figures.ratio < 0.97, "{}", figures.ratio);
        assert!(figures.fifths.iter().all(|share| (0.74..=0.86).contains(share)));
    }
}
