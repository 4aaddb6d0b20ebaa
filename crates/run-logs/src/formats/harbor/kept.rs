//! The data that [`to_atif`](crate::to_atif) adds to a trajectory under `extra.run_logs`: facts for later analyses without a
//! field in the format.

use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::{harbor::metrics::metrics, inspect::sample::limit},
    values::run::{Caller, Run, Score},
};

/// Reads `extra` of any writer: calls `read` at the value of `run_logs`, if it is an object.
pub(crate) fn kept(
    json: &mut Json<'_>,
    mut read: impl FnMut(&mut Json<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if json.token()? != b'{' {
        return json.skip();
    }
    fields!(|json| { "run_logs" if json.token()? == b'{' => read(json)?, })
}

/// The data added to a step.
#[derive(Debug, Default)]
pub(crate) struct KeptStep {
    /// The position of the turn in its run.
    pub(crate) position: Option<u64>,
    /// Whether the turn has no reply.
    pub(crate) has_failed: bool,
    pub(crate) error: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) stop: Option<String>,
}

impl KeptStep {
    pub(crate) fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        fields!(|json| {
            "turn" => self.position = Some(json.count()?),
            "failed" => self.has_failed = json.boolean()?,
            "error" => self.error = Some(json.text()?),
            "refusal" => self.refusal = Some(json.text()?),
            "stop" => self.stop = Some(json.text()?),
        })
    }
}

/// Reads the data added to a trajectory: the facts of its run other than scores and turns.
pub(crate) fn kept_run(json: &mut Json<'_>, run: &mut Run) -> Result<(), Error> {
    fields!(|json| {
        "task" => run.task = Some(json.text()?),
        "trial" => run.trial = Some(json.count()?),
        "outcome" => run.outcome = Some(json.boolean()?),
        "stop" => run.stop = Some(json.text()?.into()),
        "horizon" => run.horizon = Some(json.count()?),
        "limit" => run.limit = Some(limit(json)?),
        "error" => run.error = Some(json.text()?),
        "excluded" => run.excluded = Some(json.text()?),
        "usage" => run.usage = metrics(json)?.usage,
        "metadata" => run.metadata = json.value_map()?,
    })
}

/// Returns who made the calls of an embedded trajectory that our own writer marks, by the name of its agent.
pub(crate) fn caller(name: &str) -> Option<Caller> {
    match name {
        "grader" => Some(Caller::Grader),
        "user" => Some(Caller::User),
        "failed attempt" => Some(Caller::FailedAttempt),
        _ => name.strip_prefix(ROLE).map(|role| Caller::Role(role.to_owned())),
    }
}

/// Before the name of a role.
pub(crate) const ROLE: &str = "role ";

/// Reads a score: an object with a `value`, or only the value.
pub(crate) fn score(json: &mut Json<'_>) -> Result<Score, Error> {
    let score = match json.value()? {
        Value::Map(mut fields) if fields.contains_key("value") => {
            let mut text = |name: &str| match fields.remove(name) {
                Some(Value::Text(text)) => Some(text),
                _ => None,
            };
            let (answer, explanation) = (text("answer"), text("explanation"));
            let metadata = match fields.remove("metadata") {
                Some(Value::Map(metadata)) => metadata,
                _ => BTreeMap::new(),
            };
            let value = fields.remove("value").unwrap_or_default();
            Score { value, answer, explanation, metadata }
        }
        value => Score { value, ..Score::default() },
    };
    // NaN marks a score that was not given.
    let is_nan = matches!(score.value, Value::Real(value) if value.is_nan());
    Ok(if is_nan { Score { value: Value::Null, ..score } } else { score })
}
