//! What the tests share: checked values of numbers, fields of golden files, and names of refused settings.

use std::{fmt::Debug, str::FromStr};

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardUniform};
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Arm, Bootstrap, CrossFit, Error, ExactMean, Folds, Interval, Level, MetricChange, Platt,
    Probability, Replicates, Traces, Weight, WeightSchedule,
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

pub(crate) fn json_bools(value: &serde_json::Value) -> Vec<bool> {
    value.as_array().unwrap().iter().map(|outcome| outcome.as_bool().unwrap()).collect()
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
    unknown.confidence_interval(level).unwrap()
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
