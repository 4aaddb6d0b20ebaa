//! What several files of tests need.

use budget_estimation::{
    Error, Estimate, Estimator, Level, Probability, Resource, Rollouts, estimator_from_fn,
};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardUniform};
use serde::{Serialize, de::DeserializeOwned};

pub(crate) fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

pub(crate) fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

pub(crate) fn interval(low: f64, high: f64) -> Estimate {
    Estimate::interval(low, high).unwrap()
}

/// Runs of one resource: the costs of their turns, and whether they succeeded.
pub(crate) fn runs<C: AsRef<[f64]>>(
    runs: impl IntoIterator<Item = (C, bool)>,
) -> (Rollouts, Resource) {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    for (costs, succeeded) in runs {
        rollouts.push(costs.as_ref(), succeeded).unwrap();
    }
    let tokens = rollouts.resource("tokens").unwrap();
    (rollouts, tokens)
}

/// The same for whole costs.
pub(crate) fn whole_runs<C: Copy + Into<f64>>(all: &[(Vec<C>, bool)]) -> (Rollouts, Resource) {
    let costs = |run: &[C]| run.iter().map(|&cost| cost.into()).collect::<Vec<f64>>();
    runs(all.iter().map(|(run, succeeded)| (costs(run), *succeeded)))
}

/// An estimator that always gives this answer.
pub(crate) fn always(answer: Estimate) -> impl Estimator + Clone {
    estimator_from_fn(move |_| Ok(answer))
}

/// Lets an estimator learn from all runs.
pub(crate) fn learnt<E: Estimator>(mut estimator: E, rollouts: &Rollouts, of: Resource) -> E {
    rollouts.iter().for_each(|rollout| estimator.learn(&rollout, of).unwrap());
    estimator
}

/// Asserts that the error of a result has this text in its message.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(text), "{error}");
}

/// Writes a value and reads it back.
pub(crate) fn stored<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// One entry per resource.
pub(crate) fn turn(costs: &[f64], estimates: &[Estimate]) -> Vec<(f64, Estimate)> {
    assert_eq!(costs.len(), estimates.len());
    costs.iter().copied().zip(estimates.iter().copied()).collect()
}

pub(crate) fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    StandardUniform.sample(generator)
}

pub(crate) fn exponential(generator: &mut ChaCha8Rng) -> f64 {
    Exp1.sample(generator)
}
