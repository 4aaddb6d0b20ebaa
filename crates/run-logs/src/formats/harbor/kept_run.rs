use std::collections::BTreeMap;

use censoring::StopReason;
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::harbor::metrics::usage_back,
    values::{
        caller::Caller,
        expected_call::ExpectedCall,
        run::{Run, RunLimit, Score},
        usage::Usage,
    },
};

/// What our own writer keeps of a run beyond the format.
#[derive(Debug, Default)]
pub(crate) struct KeptRun {
    /// The run without its scores and turns.
    pub(crate) run: Run,
    /// Who made the calls of an embedded trajectory.
    pub(crate) caller: Option<Caller>,
}

/// Reads `extra.run_logs` of a trajectory.
pub(crate) fn kept_run(json: &mut Json<'_>) -> Result<KeptRun, Error> {
    const KEPT: &[&str] = &[
        "caller",
        "id",
        "task",
        "trial",
        "model",
        "outcome",
        "stop",
        "horizon",
        "limit",
        "error",
        "excluded",
        "usage",
        "usage_by_model",
        "expected_calls",
        "metadata",
    ];
    let mut kept = KeptRun::default();
    let run = &mut kept.run;
    json.object(&[KEPT], |json, field| {
        match field {
            "caller" => kept.caller = Some(caller(json)?),
            "id" => run.id = json.text()?,
            "task" => run.task = Some(json.text()?),
            "trial" => run.trial = Some(json.count()?),
            "model" => run.model = Some(json.text()?),
            "outcome" => run.outcome = Some(json.boolean()?),
            "stop" => run.stop = Some(StopReason::from(json.text()?)),
            "horizon" => run.horizon = Some(json.count()?),
            "limit" => run.limit = Some(limit(json)?),
            "error" => run.error = Some(json.text()?),
            "excluded" => run.excluded = Some(json.text()?),
            "usage" => run.usage = usage_back(json)?,
            "usage_by_model" => run.usage_by_model = usages(json)?,
            "expected_calls" => run.expected_calls = json.list_of(expected_call)?,
            _ => run.metadata = json.value_map()?,
        }
        Ok(())
    })?;
    Ok(kept)
}

fn usages(json: &mut Json<'_>) -> Result<BTreeMap<String, Usage>, Error> {
    let mut usages = BTreeMap::new();
    json.map(|json, model| {
        usages.insert(model, usage_back(json)?);
        Ok(())
    })?;
    Ok(usages)
}

fn caller(json: &mut Json<'_>) -> Result<Caller, Error> {
    json.word("agent, grader, user or failed_attempt", |word| match word {
        "agent" => Some(Caller::Agent),
        "grader" => Some(Caller::Grader),
        "user" => Some(Caller::User),
        "failed_attempt" => Some(Caller::FailedAttempt),
        _ => None,
    })
}

fn limit(json: &mut Json<'_>) -> Result<RunLimit, Error> {
    let mut limit = RunLimit { kind: String::new(), limit: None, reason: None };
    json.object(&[&["kind", "limit", "reason"]], |json, field| {
        match field {
            "kind" => limit.kind = json.text()?,
            "limit" => limit.limit = Some(json.any_real()?),
            _ => limit.reason = Some(json.text()?),
        }
        Ok(())
    })?;
    Ok(limit)
}

fn expected_call(json: &mut Json<'_>) -> Result<ExpectedCall, Error> {
    const CALL: &[&str] = &["caller", "name", "arguments", "compared", "matched"];
    let call = ToolCall { name: String::new(), arguments: Value::Null };
    let mut expected = ExpectedCall { caller: Caller::Agent, call, compared: None, matched: None };
    json.object(&[CALL], |json, field| {
        match field {
            "caller" => expected.caller = caller(json)?,
            "name" => expected.call.name = json.text()?,
            "arguments" => expected.call.arguments = json.value()?,
            "compared" => expected.compared = Some(json.list_of(Json::text)?),
            _ => expected.matched = Some(json.boolean()?),
        }
        Ok(())
    })?;
    Ok(expected)
}

/// Reads a score: an object with a `value`, or the value alone.
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
    // NaN stands for a score that was not given.
    let is_nan = matches!(score.value, Value::Real(value) if value.is_nan());
    Ok(if is_nan { Score { value: Value::Null, ..score } } else { score })
}
