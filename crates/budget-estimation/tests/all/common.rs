//! What several files of tests need.

use budget_estimation::{
    Error, Estimate, Estimator, Level, Prefix, Probability, Resource, Rollouts, estimator_from_fn,
};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardUniform};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use trajectory_metrics::random::fnv1a;

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

pub(crate) fn can_be_read<T: DeserializeOwned>(value: Value) -> bool {
    serde_json::from_value::<T>(value).is_ok()
}

/// Asserts that a stored value can be read, and cannot after any of these edits.
#[track_caller]
pub(crate) fn assert_guarded<const N: usize>(
    whole: &Value,
    can_be_read: impl Fn(Value) -> bool,
    edits: [(&str, Value); N],
) {
    assert!(can_be_read(whole.clone()), "{whole}");
    for (path, hostile) in edits {
        let mut changed = whole.clone();
        *changed.pointer_mut(path).unwrap_or_else(|| panic!("{path} in {whole}")) = hostile.clone();
        assert!(!can_be_read(changed), "{path} {hostile}");
    }
}

/// The prefix of a run after its first turn.
pub(crate) fn after_a_turn(rollouts: &Rollouts, run: usize, of: Resource) -> Prefix<'_> {
    rollouts.get(run).unwrap().replay(of).unwrap().next().unwrap()
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

/// The hash of a value that a fingerprint is made of: lists in their order, objects in any order.
fn hash(value: &Value) -> u64 {
    let leaf = |kind: u8, bytes: &[u8]| fnv1a([kind].into_iter().chain(bytes.iter().copied()));
    let pair = |a: u64, b: u64| fnv1a(a.to_le_bytes().into_iter().chain(b.to_le_bytes()));
    match value {
        Value::Null => leaf(0, &[]),
        Value::Number(number) if number.is_f64() => {
            leaf(2, &number.as_f64().unwrap().to_le_bytes())
        }
        Value::String(text) => leaf(1, text.as_bytes()),
        Value::Bool(_) | Value::Number(_) => leaf(1, value.to_string().as_bytes()),
        Value::Array(all) => all.iter().fold(0, |before, it| pair(before, hash(it))),
        Value::Object(all) => all.iter().fold(0, |sum: u64, (name, it)| {
            sum.wrapping_add(pair(leaf(1, name.as_bytes()), hash(it)))
        }),
    }
}

/// Returns a state as it would be stored, with the fingerprint that fits.
pub(crate) fn forge(state: Value) -> Value {
    let fingerprint = hash(&state) >> 11;
    serde_json::json!({ "state": state, "fingerprint": fingerprint })
}
