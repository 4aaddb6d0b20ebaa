//! Values, rules, weighted rows and golden files that several tests share.

use std::collections::HashMap;

use proptest::prelude::*;
use scoring_rules::{AnyRule, Level, PooledBlocks, Probability, ScoringRule, TiedBlocks, Weight};

pub(crate) fn prob(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

pub(crate) fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

pub(crate) fn weight_of(value: f64) -> Weight {
    Weight::new(value).unwrap()
}

pub(crate) fn probabilities(values: &[f64]) -> &[Probability] {
    Probability::from_slice(values).unwrap()
}

pub(crate) fn weights_of(values: &[f64]) -> &[Weight] {
    Weight::from_slice(values).unwrap()
}

/// A rule, and its name in messages.
pub(crate) type Named = (String, Box<dyn ScoringRule>);

/// The rules with these names, such as `brier beta:2,4`.
pub(crate) fn named(names: &str) -> Vec<Named> {
    let rule = |name: &str| -> Box<dyn ScoringRule> { Box::new(name.parse::<AnyRule>().unwrap()) };
    names.split_whitespace().map(|name| (name.to_owned(), rule(name))).collect()
}

/// The rule of a golden row, whose parameters are empty fields if it has none.
pub(crate) fn rule(name: &str, parameters: &[&str]) -> AnyRule {
    let given = parameters.iter().filter(|field| !field.is_empty());
    AnyRule::named(name, &given.map(|field| number(field)).collect::<Vec<_>>()).unwrap()
}

/// Whether two numbers are equal up to a share of the second.
pub(crate) fn close(a: f64, b: f64, relative: f64) -> bool {
    a == b || (a - b).abs() <= relative * b.abs()
}

/// Checks that two numbers are equal up to a share of them.
#[track_caller]
pub(crate) fn assert_near(value: f64, exact: f64, relative: f64) {
    approx::assert_relative_eq!(value, exact, epsilon = 0.0, max_relative = relative);
}

/// A forecast, an outcome and a weight.
pub(crate) type Row = (f64, bool, f64);

pub(crate) fn blocks(rows: &[Row]) -> TiedBlocks {
    let (forecasts, outcomes, weights): (Vec<_>, Vec<_>, Vec<_>) = rows.iter().copied().collect();
    TiedBlocks::new(probabilities(&forecasts), &outcomes, Some(weights_of(&weights))).unwrap()
}

pub(crate) fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), (1..6_u32).prop_map(f64::from), 0.01..3.0_f64]
}

/// Each row as many times as its weight, with the weight 1.
pub(crate) fn copied(rows: &[Row]) -> Vec<Row> {
    let copies = |&(p, y, w): &Row| std::iter::repeat_n((p, y, 1.0), w as usize);
    rows.iter().flat_map(copies).collect()
}

/// Each row with the rate of its pool as its forecast.
pub(crate) fn recalibrated(rows: &[Row]) -> Vec<Row> {
    let blocks = blocks(rows);
    let pools = blocks.pool_adjacent_violators();
    let rate = |p: f64| {
        let holds = |pool: &&PooledBlocks| {
            blocks.as_slice()[pool.blocks.clone()].iter().any(|block| block.confidence.get() == p)
        };
        pools.iter().find(holds).unwrap().rate()
    };
    rows.iter().map(|&(p, y, w)| (rate(p), y, w)).collect()
}

/// The rows of a golden file, without its origin line and its header.
pub(crate) fn golden(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

/// The rows of each data set of `golden/decomposition.py`, which that of `golden/murphy.py` reads.
pub(crate) fn data_sets() -> HashMap<&'static str, Vec<Row>> {
    let mut sets: HashMap<_, Vec<_>> = HashMap::new();
    for line in golden(include_str!("../golden/decomposition.csv")) {
        if let ["data", set, p, y, w] = line[..] {
            sets.entry(set).or_default().push((number(p), y == "1", number(w)));
        }
    }
    sets
}

pub(crate) fn number(field: &str) -> f64 {
    field.parse().unwrap()
}

/// The numbers of a field, which are separated by spaces.
pub(crate) fn numbers(field: &str) -> Vec<f64> {
    field.split_whitespace().map(number).collect()
}

pub(crate) fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |x| x.is_finite())
}
