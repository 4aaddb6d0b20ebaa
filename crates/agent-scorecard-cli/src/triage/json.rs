//! The figures of `triage` as JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::triage::figures::{AtAlpha, Estimate, REGIMES};

impl AtAlpha {
    /// One flat object, every figure by its name.
    #[must_use]
    pub(crate) fn to_json(&self) -> Value {
        let mut map = Map::new();
        let mut put = |name: String, value: Value| map.insert(name, value);
        if let Some(ratio) = self.ratio {
            put("ratio".into(), json!(ratio));
        }
        put("alpha".into(), json!(self.alpha));
        put("pools".into(), json!(self.pools));
        put("planned_pools".into(), json!(self.planned));
        let kinds = ["informative_pools", "nothing_solvable_pools", "random_is_optimal_pools"];
        for (name, count) in kinds.into_iter().zip(self.kinds) {
            put(name.into(), json!(count));
        }
        for (name, estimate) in self.regime_estimates() {
            put_estimate(&mut put, &name, estimate);
        }
        for (figures, (_, regime)) in self.figures.iter().zip(REGIMES) {
            if let Some(se) = figures.order_se {
                put(format!("eta_{regime}_informative_order_se"), json!(se));
            }
        }
        put("oracle".into(), json!(self.oracle));
        put("random_exact".into(), json!(self.random_exact));
        put("random_sampled".into(), json!(self.random_sampled));
        put("random_sampled_se".into(), json!(self.random_sampled_se));
        if let Some(counts) = &self.unsolvable {
            put("unsolvable".into(), json!(counts.unsolvable));
            put("left_out".into(), json!(counts.left_out));
            for (name, estimate) in self.rates() {
                put_estimate(&mut put, name, estimate);
            }
        }
        if let Some((used, assumed)) = self.capped {
            put("capped_attempts".into(), json!(used));
            put("assumed_attempts".into(), json!(assumed));
        }
        if !self.readings.is_empty() {
            put("plans".into(), json!(self.readings));
            put("repairs".into(), json!(self.repairs));
        }
        Value::Object(map)
    }
}

/// The value under its name, and its standard error and interval under names that begin with it.
fn put_estimate<T>(
    put: &mut impl FnMut(String, Value) -> T,
    name: &str,
    estimate: Option<Estimate>,
) {
    put(name.to_owned(), json!(estimate.map(|e| e.value)));
    put(format!("{name}_se"), json!(estimate.and_then(|e| e.se)));
    put(format!("{name}_ci_low"), json!(estimate.and_then(|e| e.ci_low)));
    put(format!("{name}_ci_high"), json!(estimate.and_then(|e| e.ci_high)));
}

/// The whole report as written with `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Output<'a> {
    /// The file of problems.
    pub file: &'a str,
    /// Problems.
    pub problems: usize,
    /// Of these solved.
    pub solved: usize,
    /// Problems in a pool; the last may have fewer.
    pub pool_size: usize,
    /// Who planned.
    pub planner: &'a str,
    /// Whether the planner sees costs or outcomes.
    pub informed: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// One object for each share, without injected problems.
    pub alphas: Vec<Value>,
    /// One object for each ratio of injected problems and each share. `None` if none were injected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub injections: Option<Vec<Value>>,
    /// What should be known about the figures.
    pub notes: &'a [String],
}
