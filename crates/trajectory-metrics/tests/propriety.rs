//! Theorem 4.1: on random trees of histories, where the true probability of success is known at
//! every node, no other stream of forecasts expects a better trajectory score.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use trajectory_metrics::{
    BetaScore, BrierScore, LogScore, Probability, ScoringRule, Tps, Trace, Weight, WeightSchedule,
};

const DEPTH: usize = 4;
/// Nodes below the root of a binary tree of that depth, in heap order with the root at 1.
const NODES: usize = 1 << (DEPTH + 1);

/// A filtration: at each inner node the probability of going left, at each leaf of succeeding.
#[derive(Clone, Debug)]
struct Tree {
    left: Vec<f64>,
    success: Vec<f64>,
}

impl Tree {
    /// The true probability of success at each node.
    fn truth(&self) -> Vec<f64> {
        let mut q = self.success.clone();
        for node in (1..NODES / 2).rev() {
            let left = self.left[node];
            q[node] = left * q[2 * node] + (1.0 - left) * q[2 * node + 1];
        }
        q
    }

    /// The expected score of a forecaster who reports `forecasts[node]`, over all paths and both
    /// outcomes.
    fn expected<R: ScoringRule>(&self, tps: &Tps<R>, forecasts: &[f64]) -> f64 {
        self.expected_over_leaves(forecasts, |stream, q| {
            let score = |outcome| tps.score(Trace::new(stream, outcome).unwrap()).unwrap();
            q * score(true) + (1.0 - q) * score(false)
        })
    }

    /// The expected score over all paths, where each leaf has the mean grade of its success.
    fn expected_graded<R: ScoringRule>(&self, tps: &Tps<R>, forecasts: &[f64]) -> f64 {
        self.expected_over_leaves(forecasts, |stream, mean| {
            let score = |grade| tps.graded_score(stream, Probability::new(grade).unwrap()).unwrap();
            grades(mean).iter().map(|&(chance, grade)| chance * score(grade)).sum()
        })
    }

    fn expected_over_leaves(
        &self,
        forecasts: &[f64],
        score: impl Fn(&[Probability], f64) -> f64,
    ) -> f64 {
        let mut sum = 0.0;
        for leaf in NODES / 2..NODES {
            let path: Vec<usize> = (0..=DEPTH).rev().map(|up| leaf >> up).collect();
            let reach: f64 = path
                .windows(2)
                .map(|step| {
                    let left = self.left[step[0]];
                    if step[1] % 2 == 0 { left } else { 1.0 - left }
                })
                .product();
            let stream: Vec<f64> = path.iter().map(|&node| forecasts[node]).collect();
            let stream = Probability::from_slice(&stream).unwrap();
            sum += reach * score(stream, self.success[leaf]);
        }
        sum
    }
}

fn inner() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.02..0.98_f64, NODES)
}

fn tree() -> impl Strategy<Value = Tree> {
    (inner(), inner()).prop_map(|(left, success)| Tree { left, success })
}

fn schedule() -> impl Strategy<Value = WeightSchedule> {
    prop_oneof![
        prop::sample::select(WeightSchedule::NAMED.to_vec()),
        prop::collection::vec(0.01..5.0_f64, DEPTH + 1)
            .prop_map(
                |weights| WeightSchedule::custom(Weight::from_slice(&weights).unwrap()).unwrap()
            ),
    ]
}

/// The grade of a run at a leaf: none or full, or a third between, so that its mean is the leaf's own.
fn grades(mean: f64) -> [(f64, f64); 3] {
    // Half of the weight is on the mean itself, and half is spread to both ends.
    [(0.5, mean), (0.5 * mean, 1.0), (0.5 * (1.0 - mean), 0.0)]
}

/// The true stream beats the one that differs from it at the given node only, and the one that
/// differs everywhere.
fn truth_wins<R: ScoringRule>(
    rule: R,
    schedule: WeightSchedule,
    tree: &Tree,
    reports: &[f64],
    node: usize,
) -> Result<(), TestCaseError> {
    let tps = Tps::new(rule, schedule);
    let truth = tree.truth();
    let best = tree.expected(&tps, &truth);
    prop_assert!(best > tree.expected(&tps, reports), "another stream is as good");

    let mut changed = truth.clone();
    // Off by at least 0.01, so that the loss stands out from the rounding of the sums.
    changed[node] = if truth[node] < 0.5 { truth[node] + 0.01 } else { truth[node] - 0.01 };
    prop_assert!(best > tree.expected(&tps, &changed), "node {node} can lie unseen");
    Ok(())
}

proptest! {
    #[test]
    fn only_the_true_stream_has_the_best_expected_score(
        tree in tree(),
        schedule in schedule(),
        reports in inner(),
        node in 1..NODES,
        alpha in -0.9..4.0_f64,
        beta in -0.9..4.0_f64,
    ) {
        truth_wins(LogScore::exact(), schedule.clone(), &tree, &reports, node)?;
        truth_wins(LogScore::clipped(1e-6).unwrap(), schedule.clone(), &tree, &reports, node)?;
        truth_wins(BrierScore, schedule.clone(), &tree, &reports, node)?;
        truth_wins(BetaScore::new(2.0, 4.0).unwrap(), schedule.clone(), &tree, &reports, node)?;
        truth_wins(BetaScore::new(alpha, beta).unwrap(), schedule, &tree, &reports, node)?;
    }
}

proptest! {
    #[test]
    fn of_graded_runs_only_the_mean_grade_at_each_step_has_the_best_expected_score(
        tree in tree(),
        schedule in schedule(),
        reports in inner(),
        node in 1..NODES,
    ) {
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), schedule.clone());
        let truth = tree.truth();
        let best = tree.expected_graded(&tps, &truth);
        prop_assert!(best > tree.expected_graded(&tps, &reports));
        let mut changed = truth.clone();
        changed[node] += if truth[node] < 0.5 { 0.01 } else { -0.01 };
        prop_assert!(best > tree.expected_graded(&tps, &changed));
        // The mode of the grades of a leaf, none or full, is not elicited.
        let rounded: Vec<f64> = truth.iter().map(|p| if *p < 0.5 { 0.05 } else { 0.95 }).collect();
        let brier = Tps::new(BrierScore, schedule);
        prop_assert!(tree.expected_graded(&brier, &truth) > tree.expected_graded(&brier, &rounded));
    }
}

#[test]
fn weights_over_the_own_length_are_proper_only_where_length_tells_nothing() {
    // A run that succeeds has one step, and a run that fails has two. Both are equally likely.
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    let forecasts = |p: f64| [p, 0.0].map(|p| Probability::new(p).unwrap());
    let expected = |p: f64, score: &dyn Fn(&[Probability], bool) -> f64| {
        0.5 * score(&forecasts(p)[..1], true) + 0.5 * score(&forecasts(p), false)
    };
    let own_length = |forecasts: &[Probability], outcome: bool| {
        tps.score(Trace::new(forecasts, outcome).unwrap()).unwrap()
    };
    let one_horizon =
        |forecasts: &[Probability], outcome: bool| tps.prefix_score(forecasts, outcome, 2).unwrap();
    let best = |score: &dyn Fn(&[Probability], bool) -> f64| {
        let reports = (0..=1000).map(|i| f64::from(i) / 1000.0);
        reports.max_by(|&a, &b| expected(a, score).total_cmp(&expected(b, score))).unwrap()
    };
    // The first step weighs 1 in a success and 2/3 in a failure.
    assert_eq!(best(&own_length), 0.6);
    assert_eq!(best(&one_horizon), 0.5);
}
