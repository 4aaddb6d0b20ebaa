//! What the tests share: checked values of numbers, fields of golden files, and names of refused settings.

use std::{fmt::Debug, str::FromStr};

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardUniform};
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Arm, Bootstrap, CrossFit, Error, ExactMean, Folds, Interval, Level, MetricChange, Platt,
    Probability, Replicates, TiedBlocks, Traces, Weight, WeightSchedule,
};

pub(crate) fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

pub(crate) fn ps(values: &[f64]) -> &[Probability] {
    Probability::from_slice(values).unwrap()
}

pub(crate) fn ws(values: &[f64]) -> &[Weight] {
    Weight::from_slice(values).unwrap()
}

pub(crate) fn level_of(value: f64) -> Level {
    Level::new(value).unwrap()
}

/// Streams with their outcomes.
pub(crate) fn traces_of<S: AsRef<[f64]>>(runs: impl IntoIterator<Item = (S, bool)>) -> Traces {
    let mut traces = Traces::default();
    for (stream, outcome) in runs {
        traces.push(ps(stream.as_ref()), outcome).unwrap();
    }
    traces
}

/// Rows of a confidence, an outcome and a weight.
pub(crate) fn blocks_of(rows: impl IntoIterator<Item = (f64, bool, f64)>) -> TiedBlocks {
    let (confidence, outcomes, weights): (Vec<f64>, Vec<bool>, Vec<f64>) =
        rows.into_iter().collect();
    TiedBlocks::new(ps(&confidence), &outcomes, Some(ws(&weights))).unwrap()
}

/// The arms of rows, the second where marked.
pub(crate) fn arms(second: &[bool]) -> Vec<Arm> {
    second.iter().map(|&second| Arm::second_if(second)).collect()
}

/// Uniform numbers for simulations.
pub(crate) fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    StandardUniform.sample(generator)
}

/// The rows of a golden file without comments and header, as fields.
pub(crate) fn golden_rows(file: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = file.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect())
}

/// The numbers of a field, separated by spaces.
pub(crate) fn numbers<T: FromStr<Err: Debug>>(field: &str) -> Vec<T> {
    field.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// The numbers of a list in JSON.
pub(crate) fn json_numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The confidences, the outcomes and, if there are any, the weights of a golden case with these names.
pub(crate) fn json_rows(
    case: &serde_json::Value,
    [confidence, outcome]: [&str; 2],
) -> (Vec<f64>, Vec<bool>, Option<Vec<f64>>) {
    let weights = case["weights"].as_array().map(|_| json_numbers(&case["weights"]));
    let outcomes = case[outcome].as_array().unwrap().iter();
    let outcomes = outcomes.map(|outcome| outcome.as_bool().unwrap());
    (json_numbers(&case[confidence]), outcomes.collect(), weights)
}

/// The largest error so far, relative for numbers beyond 1 and absolute below.
#[derive(Default)]
pub(crate) struct Worst(pub(crate) f64);

impl Worst {
    pub(crate) fn see(&mut self, value: f64, exact: f64, limit: f64, what: &str) {
        let error = (value - exact).abs() / exact.abs().max(1.0);
        assert!(error <= limit, "{what}: {value:e} instead of {exact:e}");
        self.0 = self.0.max(error);
    }
}

/// The error of the shared crate.
pub(crate) fn shared<T: Debug>(result: Result<T, Error>) -> Shared {
    match result {
        Err(Error::ScoringRules(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// The name of the setting, or of the list of another length, that is refused.
pub(crate) fn refused<T: Debug>(result: Result<T, Error>) -> &'static str {
    match shared(result) {
        Shared::Setting { name, .. } | Shared::Length { what: name, .. } => name,
        other => panic!("{other:?}"),
    }
}

/// Whether an error says that there is one of what must be at least two.
pub(crate) fn is_one<T: Debug>(result: Result<T, Error>, what: &str) -> bool {
    matches!(shared(result), Shared::TooFew { what: name, least: 2, found: 1, .. } if name == what)
}

/// The mean by a closure on counts.
pub(crate) fn counted_mean(values: &[f64], weights: &[f64], counts: &[u32]) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    for ((&value, &weight), &count) in values.iter().zip(weights).zip(counts) {
        mean.update_weighted(value, Weight::new(weight * f64::from(count)).unwrap())?;
    }
    Ok(mean.finish()?)
}

/// The percentile interval: that of replicates of an unknown number of clusters.
pub(crate) fn percentile(replicates: &Replicates, level: Level) -> Interval {
    let values = replicates.values().map(|value| value.unwrap_or(f64::NAN)).collect();
    let unknown = Replicates::new(replicates.estimate(), values).unwrap();
    unknown.figure(level).interval.unwrap()
}

/// The changes from raw to calibrated traces.
pub(crate) fn changes(
    [raw, calibrated]: [&Traces; 2],
    folds: &Folds,
    schedule: &WeightSchedule,
    bootstrap: &Bootstrap,
    resamples: usize,
) -> Result<Vec<MetricChange>, Error> {
    let mut fit = CrossFit::new(&Platt::default(), raw, folds, schedule)?;
    fit.traces = calibrated.clone();
    fit.raw_against_calibrated(raw, schedule, bootstrap, resamples)
}
