//! Theorem 4.1: on random trees of histories, where the true probability of success is known at
//! every node, no other stream of forecasts expects a better trajectory score.
use proptest::prelude::*;
use trajectory_metrics::{
    BetaScore, BrierScore, LogScore, Probability, ScoringRule, Tps, Trace, WeightSchedule,
};

use crate::common::{probability, ps, ws};

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
            let score = |grade| tps.graded_score(stream, probability(grade)).unwrap();
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
            let stream = ps(&stream);
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
            .prop_map(|weights| WeightSchedule::custom(ws(&weights)).unwrap()),
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

/// All distributions over four ordered marks in steps of a quarter.
fn stated_distributions() -> Vec<[f64; 4]> {
    let all = (0..5 * 5 * 5).map(|i| [i % 5, i / 5 % 5, i / 25]);
    let all = all.filter_map(|[a, b, c]: [u8; 3]| Some([a, b, c, 4_u8.checked_sub(a + b + c)?]));
    all.map(|quarters| quarters.map(|quarters| f64::from(quarters) / 4.0)).collect()
}

/// The probability of at least this mark.
fn at_least(mark: usize, weights: &[f64]) -> f64 {
    weights[mark..].iter().sum::<f64>() / weights.iter().sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn of_ordered_grades_the_true_distribution_has_a_better_sum_over_thresholds_than_any_other_of_a_grid(
        left in inner(),
        marks in prop::collection::vec(prop::array::uniform4(0.02..1.0_f64), NODES),
        schedule in schedule(),
        node in 1..NODES,
    ) {
        let stated = stated_distributions();
        prop_assert_eq!(stated.len(), 35);
        // The tree of each threshold: whether a run gets at least this mark.
        let trees = [1, 2, 3].map(|mark| {
            let success = marks.iter().map(|weights| at_least(mark, weights)).collect();
            (mark, Tree { left: left.clone(), success })
        });
        let rules: [&dyn ScoringRule; 3] =
            [&BrierScore, &LogScore::clipped(1e-6).unwrap(), &BetaScore::new(2.0, 4.0).unwrap()];
        for rule in rules {
            let tps = Tps::new(rule, schedule.clone());
            let total = |stated: Option<&[f64; 4]>| -> f64 {
                let of_threshold = |(mark, tree): &(usize, Tree)| {
                    let mut forecasts = tree.truth();
                    if let Some(stated) = stated {
                        forecasts[node] = at_least(*mark, stated);
                    }
                    tree.expected(&tps, &forecasts)
                };
                trees.iter().map(of_threshold).sum()
            };
            let best = total(None);
            for stated in &stated {
                let off = |(mark, tree): &(usize, Tree)| {
                    (tree.truth()[node] - at_least(*mark, stated)).abs()
                };
                // The loss must stand out from the rounding of the sums.
                if trees.iter().map(off).fold(0.0, f64::max) > 0.01 {
                    prop_assert!(best > total(Some(stated)), "{stated:?} at node {node}");
                }
            }
        }
    }
}

#[test]
fn weights_over_the_own_length_are_proper_only_where_length_tells_nothing() {
    // A run that succeeds has one step, and a run that fails has two. Both are equally likely.
    let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    let forecasts = |p: f64| [p, 0.0].map(probability);
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
