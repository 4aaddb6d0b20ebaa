//! Quantile regression forests against scikit-learn and against known distributions.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    quantile_forest::QuantileForest,
    training_rows::{ForestSettings, TrainingRows},
};

fn stored(forest: &QuantileForest) -> QuantileForest {
    serde_json::from_str(&serde_json::to_string(forest).unwrap()).unwrap()
}

/// Rows that are split by their targets.
#[derive(Clone, Default)]
struct Rows {
    columns: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
    split_targets: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    censored: Option<Vec<bool>>,
    cluster_ends: Option<Vec<usize>>,
}

impl Rows {
    /// Rows with equal weights, each its own cluster.
    fn plain(columns: usize, features: &[f64], targets: &[f64]) -> Self {
        let (features, targets) = (features.to_vec(), targets.to_vec());
        Self { columns, features, targets, ..Self::default() }
    }

    fn fit(&self, settings: ForestSettings) -> QuantileForest {
        let n = self.targets.len();
        let rows = TrainingRows {
            columns: self.columns,
            features: &self.features,
            targets: &self.targets,
            split_targets: self.split_targets.as_ref().unwrap_or(&self.targets),
            weights: &self.weights.clone().unwrap_or(vec![1.0; n]),
            censored: &self.censored.clone().unwrap_or(vec![false; n]),
            cluster_ends: &self.cluster_ends.clone().unwrap_or((1..=n).collect()),
        };
        QuantileForest::fit(&rows, &settings)
    }
}

/// One tree of all rows and all features.
fn one_tree(smallest_leaf: f64) -> ForestSettings {
    let whole = ForestSettings::default();
    ForestSettings { trees: 1, smallest_leaf, tried: 1.0, sampled: 1.0, ..whole }
}

fn quantiles(forest: &QuantileForest, row: &[f64], levels: &[f64]) -> Vec<f64> {
    let mut space = Vec::new();
    let distribution = forest.distribution(row, &mut space);
    levels.iter().map(|&level| distribution.quantile(level)).collect()
}

/// Numbers in [0, 1) that look random.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let word = |i: u64| {
        let mut word = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed << 32);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    (0..n as u64).map(|i| (word(i) >> 11) as f64 / (1_u64 << 53) as f64).collect()
}

/// A part of the golden numbers.
struct Golden(Value);

impl Golden {
    fn of(part: &str) -> Self {
        let all: Value =
            serde_json::from_str(include_str!("../../tests/golden/forest.json")).unwrap();
        Self(all[part].clone())
    }

    fn get<T: DeserializeOwned>(&self, name: &str) -> T {
        serde_json::from_value(self.0[name].clone()).unwrap()
    }

    fn parts(self) -> impl Iterator<Item = Self> {
        self.0.as_array().unwrap().clone().into_iter().map(Self)
    }

    fn features(&self, name: &str) -> Vec<f64> {
        let features: Vec<Option<f64>> = self.get(name);
        features.into_iter().map(|value| value.unwrap_or(f64::NEG_INFINITY)).collect()
    }
}

#[test]
fn a_tree_of_all_rows_and_features_splits_as_scikit_learn_does() {
    let tree = Golden::of("tree");
    let (columns, targets): (usize, Vec<f64>) = (tree.get("columns"), tree.get("targets"));
    let features = tree.features("features");
    for case in Golden(tree.get("cases")).parts() {
        let weights: Option<Vec<f64>> = case.get("weights");
        let rows = Rows { weights: weights.clone(), ..Rows::plain(columns, &features, &targets) };
        let forest = rows.fit(one_tree(case.get("smallest_leaf")));
        let stored = Golden(serde_json::to_value(&forest).unwrap());
        let nodes: Vec<Option<(u32, f64, usize)>> = stored.get("nodes");
        let expected: Vec<Option<(u32, f64)>> = case.get("nodes");
        assert_eq!(nodes.len(), expected.len());
        let (mut in_order, mut left) = (Vec::new(), vec![0]);
        while let Some(at) = left.pop() {
            in_order.push(nodes[at].map(|(column, threshold, _)| (column, threshold)));
            left.extend(nodes[at].iter().flat_map(|&(_, _, left)| [left + 1, left]));
        }
        // Both separate missing values from all others, at thresholds of their own.
        let same = |node: Option<(u32, f64)>| node.map(|(column, at)| (column, at.max(-1e20)));
        assert!(in_order.into_iter().map(same).eq(expected.into_iter().map(same)));
        // Rows are in the same leaves: the median of each is that of its leaf.
        let leaves: Vec<u32> = case.get("leaves");
        for (row, &leaf) in features.chunks(columns).zip(&leaves) {
            let mut mine: Vec<(f64, f64)> = Vec::new();
            for (at, _) in leaves.iter().enumerate().filter(|other| *other.1 == leaf) {
                mine.push((targets[at], weights.as_ref().map_or(1.0, |weights| weights[at])));
            }
            mine.sort_by(|a, b| a.0.total_cmp(&b.0));
            let total: f64 = mine.iter().map(|entry| entry.1).sum();
            let mut sum = 0.0;
            let median = mine.iter().find(|entry| {
                sum += entry.1;
                2.0 * sum >= total
            });
            assert_eq!(quantiles(&forest, row, &[0.5]), [median.unwrap().0]);
        }
    }
}

#[test]
fn a_forest_of_scikit_learn_has_the_quantiles_of_its_weights_here() {
    let golden = Golden::of("forest");
    let (stored, levels): (QuantileForest, Vec<f64>) = (golden.get("stored"), golden.get("levels"));
    let expected: Vec<Vec<f64>> = golden.get("quantiles");
    for (row, expected) in golden.features("queries").chunks(golden.get("columns")).zip(&expected) {
        assert_eq!(&quantiles(&stored, row, &levels), expected);
    }
    assert_eq!(expected.len(), 20);
}

#[test]
fn losses_on_rows_of_a_known_distribution_are_those_of_scikit_learn() {
    let golden = Golden::of("losses");
    let (columns, levels): (usize, Vec<f64>) = (golden.get("columns"), golden.get("levels"));
    // By sample, seed and level.
    let losses: Vec<Vec<Vec<f64>>> = golden.get("losses");
    for (sample, losses) in Golden(golden.get("samples")).parts().zip(&losses) {
        let (features, targets): (Vec<f64>, Vec<f64>) =
            (sample.get("features"), sample.get("targets"));
        let (features, test) = features.split_at(800 * columns);
        let (targets, outcomes) = targets.split_at(800);
        let logs: Vec<f64> = targets.iter().map(|target| target.ln()).collect();
        let rows = Rows::plain(columns, features, targets);
        let rows = Rows { split_targets: Some(logs), ..rows };
        let seeds = losses.len() as f64;
        let mut found = vec![0.0; levels.len()];
        for seed in 0..losses.len() as u64 {
            let (trees, tried) = (golden.get("trees"), golden.get("tried"));
            let settings = one_tree(golden.get("smallest_leaf"));
            let forest = rows.fit(ForestSettings { trees, tried, seed, ..settings });
            for (row, outcome) in test.chunks(columns).zip(outcomes) {
                let quantiles = quantiles(&forest, row, &levels);
                for ((p, q), mean) in levels.iter().zip(quantiles).zip(&mut found) {
                    let loss = (p - f64::from(u8::from(*outcome < q))) * (outcome - q);
                    *mean += loss / outcomes.len() as f64 / seeds;
                }
            }
        }
        for (at, found) in found.iter().enumerate() {
            let mean = losses.iter().map(|losses| losses[at]).sum::<f64>() / seeds;
            let squares = losses.iter().map(|losses| (losses[at] - mean).powi(2)).sum::<f64>();
            // Two means over five seeds each; four standard errors of their difference.
            let error = (squares / (seeds - 1.0) * 2.0 / seeds).sqrt();
            assert!((found - mean).abs() < 4.0 * error, "{found}, expected {mean} +- {error}");
            assert!(4.0 * error < 0.06 * mean, "{error} of {mean} is too much to tell anything");
        }
    }
}

#[test]
fn a_leaf_with_rows_that_were_cut_off_is_the_kaplan_meier_estimate_of_scipy() {
    for case in Golden::of("censored").parts() {
        let (targets, at): (Vec<f64>, Vec<f64>) = (case.get("targets"), case.get("at"));
        let (weights, censored): (_, Option<Vec<bool>>) =
            (case.get("weights"), case.get("censored"));
        let rows = Rows::plain(1, &vec![1.0; targets.len()], &targets);
        let rows = Rows { weights, censored, ..rows };
        let forest = stored(&rows.fit(one_tree(5.0)));
        let mut space = Vec::new();
        let found = forest.distribution(&[1.0], &mut space);
        let largest = targets.iter().copied().fold(0.0, f64::max);
        for (&at, expected) in at.iter().zip(case.get::<Vec<f64>>("cumulative")) {
            // The rest of the probability belongs to the largest target.
            let expected = if at == largest { 1.0 } else { expected };
            let found = found.probability_up_to(at);
            assert!((found - expected).abs() < 1e-12, "{found} at {at}, expected {expected}");
        }
        assert!(rows.censored.unwrap().contains(&true) && !at.is_empty());
    }
}

/// A forest whose first tree begins with a split.
fn small() -> Value {
    let features = numbers(120, 3);
    let targets: Vec<f64> = features.chunks(2).map(|row| (8.0 * row[0]).floor()).collect();
    let settings = ForestSettings { trees: 3, smallest_leaf: 6.0, ..ForestSettings::default() };
    let forest = Rows::plain(2, &features, &targets).fit(settings);
    assert_eq!(stored(&forest), forest);
    serde_json::to_value(forest).unwrap()
}

#[test]
fn stored_forests_that_break_a_rule_are_refused() {
    let leaf = small()["nodes"].as_array().unwrap().iter().position(Value::is_null).unwrap();
    let edits: [(&str, usize, Value); 12] = [
        ("values", 1, (-1.0).into()),
        ("roots", 0, u32::MAX.into()),
        ("nodes", 0, serde_json::json!([0, 0.5, 0])),
        ("nodes", 1, serde_json::json!([0, 0.5, 0])),
        ("nodes", leaf, serde_json::json!([0, 0.5, leaf])),
        ("nodes", leaf, serde_json::json!([0, 0.5, u32::MAX])),
        ("nodes", 0, serde_json::json!([0, 0.5, small()["nodes"].as_array().unwrap().len() - 1])),
        ("ends", leaf + 1, 0.into()),
        ("ends", 0, u32::MAX.into()),
        ("groups", 0, u16::MAX.into()),
        ("weights", 0, (-1.0).into()),
        ("weights", 0, 1e60.into()),
    ];
    for (field, at, value) in edits {
        let mut forest = small();
        forest[field][at] = value;
        let error = serde_json::from_value::<QuantileForest>(forest).unwrap_err().to_string();
        assert!(error.contains("a stored value is invalid"), "{field} {at}: {error}");
    }
    for field in ["values", "nodes", "ends", "groups", "weights"] {
        let mut forest = small();
        forest[field].as_array_mut().unwrap().clear();
        assert!(serde_json::from_value::<QuantileForest>(forest).is_err(), "{field}");
    }
    // The children of the first two splits are these splits.
    let circle = r#"{"values":[1],"roots":[0],"nodes":[[0,0.5,1],[0,0.5,0]],"ends":[0,0],"groups":[],"weights":[]}"#;
    assert!(serde_json::from_str::<QuantileForest>(circle).is_err());
}

#[test]
fn quantiles_follow_a_distribution_that_depends_on_a_feature() {
    // Uniform from 0 to the first feature; the second feature tells nothing, the third is missing for some.
    let n = 6000;
    let (scale, noise, share) = (numbers(n, 1), numbers(n, 2), numbers(n, 3));
    let mut features = Vec::new();
    for at in 0..n {
        let third = if share[at] < 0.5 { f64::NEG_INFINITY } else { 1.0 };
        features.extend([1.0 + (9.0 * scale[at]).floor(), noise[at], third]);
    }
    let shares = numbers(n, 5);
    let targets: Vec<f64> = features.chunks(3).zip(&shares).map(|(row, u)| row[0] * u).collect();
    let settings = ForestSettings { tried: 1.0, smallest_leaf: 150.0, ..ForestSettings::default() };
    let forest = Rows::plain(3, &features, &targets).fit(settings);
    for scale in [2.0, 5.0, 9.0] {
        let levels = [0.1, 0.5, 0.9];
        let mut means = [0.0; 3];
        for noise in 0..20 {
            let row = [scale, f64::from(noise) / 20.0, 1.0];
            for (mean, found) in means.iter_mut().zip(quantiles(&forest, &row, &levels)) {
                *mean += found / 20.0;
            }
        }
        for (mean, level) in means.iter().zip(levels) {
            // The share below the quantile is the level, up to 4 points.
            assert!((mean / scale - level).abs() < 0.04, "{mean} at {scale}, level {level}");
        }
    }
    // The groups of 6,000 distinct targets are fine enough to tell probabilities.
    let mut space = Vec::new();
    let distribution = forest.distribution(&[5.0, 0.5, 1.0], &mut space);
    assert!((distribution.probability_up_to(2.5) - 0.5).abs() < 0.05);
    assert_eq!(distribution.probability_up_to(-1.0), 0.0);
    assert_eq!(distribution.probability_up_to(1e9), 1.0);
}

#[test]
fn a_missing_value_is_a_value_of_its_own() {
    let features: Vec<f64> = (0..200)
        .map(|i| if i % 2 == 0 { f64::NEG_INFINITY } else { f64::from(i) - 100.0 })
        .collect();
    let targets: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
    let forest = Rows::plain(1, &features, &targets).fit(one_tree(10.0));
    assert_eq!(quantiles(&forest, &[f64::NEG_INFINITY], &[0.01, 0.99]), [0.0, 0.0]);
    assert_eq!(quantiles(&forest, &[-1e100], &[0.01, 0.99]), [1.0, 1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_row_of_weight_2_is_two_rows(
        rows in prop::collection::vec((0_u8..20, 0_u8..20, 0_u16..500, 1_u8..4), 20..80),
        query in (0.0..20.0_f64, 0.0..20.0_f64),
    ) {
        let (mut once, mut weights, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        let (mut often, mut targets_often) = (Vec::new(), Vec::new());
        for &(a, b, target, weight) in &rows {
            let features = [f64::from(a), f64::from(b)];
            once.extend(features);
            weights.push(f64::from(weight));
            targets.push(f64::from(target));
            for _ in 0..weight {
                often.extend(features);
                targets_often.push(f64::from(target));
            }
        }
        let settings = ForestSettings { trees: 4, tried: 0.5, ..one_tree(3.0) };
        let weighted = Rows { weights: Some(weights), ..Rows::plain(2, &once, &targets) };
        let [weighted, repeated] =
            [weighted, Rows::plain(2, &often, &targets_often)].map(|rows| rows.fit(settings));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let row = [query.0, query.1];
        let weighted = weighted.distribution(&row, &mut a);
        let repeated = repeated.distribution(&row, &mut b);
        for x in 0..500 {
            let [one, other] = [weighted, repeated].map(|of| of.probability_up_to(f64::from(x)));
            prop_assert!((one - other).abs() < 1e-9, "{} and {} up to {}", one, other, x);
        }
    }
}

#[test]
fn a_tree_depends_on_the_seed_and_its_number_only() {
    let features = numbers(900, 7);
    let targets: Vec<f64> = features.chunks(3).map(|row| row[0] + row[1]).collect();
    let ends: Vec<usize> = (1..=60).map(|run| 5 * run).collect();
    let rows = Rows { cluster_ends: Some(ends), ..Rows::plain(3, &features, &targets) };
    let grown = |trees, seed| {
        rows.fit(ForestSettings { trees, seed, smallest_leaf: 8.0, ..Default::default() })
    };
    assert_eq!(grown(5, 1), grown(5, 1));
    assert_ne!(grown(5, 1), grown(5, 2));
    // The distribution of four trees is the average of three and of the fourth.
    let (mut three, mut four) = (Vec::new(), Vec::new());
    let row = [0.4, 0.6, 0.5];
    grown(3, 1).distribution(&row, &mut three);
    grown(4, 1).distribution(&row, &mut four);
    let fourth: Vec<f64> =
        three.iter().zip(&four).map(|(three, four)| 4.0 * four - 3.0 * three).collect();
    assert!(fourth.iter().all(|sum| (-1e-9..1.0 + 1e-9).contains(sum)));
    assert!(fourth.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9));
    assert!((fourth.last().unwrap() - 1.0).abs() < 1e-9);
}

/// Runs of random length, cut off at random budgets, whose turns cost about as much as their first turn. Rows of
/// their prefixes: turns, spent, mean cost. Returns rows, what remained or was known to remain, whether the run was cut
/// off, and what really remained.
fn cut_off_rows(runs: usize, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<bool>, Vec<f64>) {
    let u = numbers(40 * runs, seed);
    let (mut rows, mut known, mut cut, mut real) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for u in u.chunks(40) {
        let scale = 50.0 + 400.0 * u[0];
        // Geometric lengths of 10 turns on average, and budgets of 3,000 on average.
        let turns = ((1.0 - u[1]).ln() / 0.9_f64.ln()).ceil().clamp(1.0, 36.0) as usize;
        let budget = -3000.0 * (1.0 - u[2]).ln();
        let costs: Vec<f64> = (0..turns).map(|turn| scale * (0.5 + u[3 + turn])).collect();
        let total: f64 = costs.iter().sum();
        let mut spent = 0.0;
        for (turn, cost) in costs.iter().enumerate().take(turns - 1) {
            spent += cost;
            if spent >= budget {
                break;
            }
            rows.extend([turn as f64 + 1.0, spent, spent / (turn as f64 + 1.0)]);
            known.push(total.min(budget) - spent);
            cut.push(budget < total);
            real.push(total - spent);
        }
    }
    (rows, known, cut, real)
}

#[test]
fn intervals_cover_what_runs_would_have_spent_although_many_were_cut_off() {
    let (mut aware, mut left_out, mut as_ended, mut tested) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..8 {
        let (features, targets, cut, _) = cut_off_rows(400, 10 + seed);
        let settings = ForestSettings { seed, trees: 20, ..ForestSettings::default() };
        let logs: Vec<f64> = targets.iter().map(|target| target.ln_1p()).collect();
        let rows = Rows::plain(3, &features, &targets);
        let rows = Rows { split_targets: Some(logs.clone()), ..rows };
        let (mut kept, mut ended, mut ended_logs) = (Vec::new(), Vec::new(), Vec::new());
        for (at, row) in features.chunks(3).enumerate().filter(|(at, _)| !cut[*at]) {
            kept.extend(row);
            ended.push(targets[at]);
            ended_logs.push(logs[at]);
        }
        let kept = Rows::plain(3, &kept, &ended);
        let kept = Rows { split_targets: Some(ended_logs), ..kept };
        let share = 1.0 - ended.len() as f64 / targets.len() as f64;
        assert!((0.2..0.7).contains(&share), "{share} of the rows were cut off");
        let aware_rows = Rows { censored: Some(cut), ..rows.clone() };
        let [with, without, wrong] = [aware_rows, kept, rows].map(|rows| rows.fit(settings));
        // Rows of other runs, of which it is known what really remained.
        let (features, _, _, real) = cut_off_rows(300, 100 + seed);
        for (row, real) in features.chunks(3).zip(&real) {
            // The upper end is what cut-offs hide; below it should lie 80 %.
            let below = |forest| f64::from(u8::from(*real <= quantiles(forest, row, &[0.8])[0]));
            aware += below(&with);
            left_out += below(&without);
            as_ended += below(&wrong);
            tested += 1.0;
        }
    }
    let [aware, left_out, as_ended] = [aware, left_out, as_ended].map(|count| count / tested);
    assert!((0.76..=0.84).contains(&aware), "{aware} of {tested}");
    assert!(left_out < 0.7, "{left_out}");
    assert!(as_ended < 0.7, "{as_ended}");
}
