//! Files of tool calls: one run a line, `{"id", "task", "agent_calls": [{"name", "args"?, "ok"?}, …],
//! "expected_calls": [{"name", "args"?}, …], "success"}`. Calls may also be written as OpenAI, Anthropic and
//! others write them: see "Spellings that are read" in the documentation of [`ToolCall`]. Numbers of 2^63 or
//! more in size that are not whole numbers of 64 bits are refused, as they may have lost digits.

use std::{collections::BTreeMap, error::Error, fmt, path::Path};

use agent_scorecard::paths::{AgentCall, PathRun, PathTally};
use run_logs::json_lines::{fold, parse_line};
use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer},
};
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::files::{
    json_lines::{self, InputError},
    run_counts::RunCounts,
};

/// One run as a line has it.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    task: String,
    agent_calls: Vec<Call>,
    #[serde(deserialize_with = "expected_calls")]
    expected_calls: Vec<ToolCall>,
    #[serde(deserialize_with = "yes_or_no")]
    success: bool,
    model: Option<String>,
    domain: Option<String>,
}

impl From<Row> for PathRun {
    fn from(row: Row) -> Self {
        let Row { id, task, agent_calls, expected_calls, success, model, domain } = row;
        let agent_calls = agent_calls.into_iter().map(|Call(call)| call).collect();
        Self { id, task, agent_calls, expected_calls, success, model, domain }
    }
}

/// A call of the agent.
#[derive(Debug)]
struct Call(AgentCall);

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        // Only an object: a derived reader would also take a list of the fields.
        impl<'de> de::Visitor<'de> for Object {
            type Value = Call;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a call with its name")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, entries: A) -> Result<Call, A::Error> {
                let mut ok = None;
                let call = WithoutOk { entries, ok: &mut ok };
                let call = ToolCall::deserialize(de::value::MapAccessDeserializer::new(call))?;
                check_digits(&call.arguments)?;
                Ok(Call(AgentCall { call, ok: ok.flatten() }))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// The entries of a call except `ok`, which is taken out on the way.
struct WithoutOk<'a, A> {
    entries: A,
    /// `None` until it was there.
    ok: &'a mut Option<Option<bool>>,
}

impl<'de, A: de::MapAccess<'de>> de::MapAccess<'de> for WithoutOk<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.entries.next_key::<String>()? {
            if key != "ok" {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            if self.ok.replace(self.entries.next_value()?).is_some() {
                return Err(de::Error::duplicate_field("ok"));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

fn expected_calls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolCall>, D::Error> {
    struct Checked(ToolCall);

    impl<'de> Deserialize<'de> for Checked {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let call = ToolCall::deserialize(deserializer)?;
            check_digits(&call.arguments)?;
            Ok(Self(call))
        }
    }

    let calls = Vec::<Checked>::deserialize(deserializer)?;
    Ok(calls.into_iter().map(|Checked(call)| call).collect())
}

/// Refuses what may have been a whole number beyond 64 bits: it comes from the reader as a real number
/// of about 16 digits, so that two different identifiers could be equal.
fn check_digits<E: de::Error>(value: &Value) -> Result<(), E> {
    match value {
        Value::Real(number) if number.abs() >= TWO_TO_63 => Err(E::custom(format_args!(
            "number {number:e} may have lost digits, as it is beyond 64 bits: give it as text"
        ))),
        Value::List(values) => values.iter().try_for_each(check_digits),
        Value::Map(values) => values.values().try_for_each(check_digits),
        _ => Ok(()),
    }
}

/// No smaller number of either sign is handed on as a real one.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// True and false, or 1 and 0 as some benchmarks write them.
fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    struct YesOrNo;

    impl de::Visitor<'_> for YesOrNo {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("true, false, 1 or 0")
        }

        fn visit_bool<E: de::Error>(self, value: bool) -> Result<bool, E> {
            Ok(value)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<bool, E> {
            match value {
                0 | 1 => Ok(value == 1),
                _ => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
            }
        }
    }

    deserializer.deserialize_any(YesOrNo)
}

/// The runs of a part of a file by model, and those that were left out before.
#[derive(Default)]
struct Models {
    models: BTreeMap<Option<String>, PathTally>,
    left_out: RunCounts,
}

/// The runs of each model; of a single model, which is not named.
pub(crate) type ByModel = Vec<(Option<String>, PathTally)>;

/// Reads the runs of a file with all threads, model by model; a single model is not named.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub(crate) fn read(path: &Path, ignore_arguments: bool) -> Result<ByModel, Box<dyn Error>> {
    let (mut models, mut left_out) = (BTreeMap::<_, PathTally>::new(), RunCounts::default());
    let file = path.display().to_string();
    fold(
        &file,
        json_lines::open(path)?,
        |part: &mut Models, number, line| {
            if part.left_out.take_left_out(&file, number, line)? {
                return Ok(());
            }
            let run = PathRun::from(parse_line::<Row>(&file, number, line)?);
            let models = &mut part.models;
            if !models.contains_key(&run.model) {
                models.insert(run.model.clone(), PathTally::default());
            }
            match models.get_mut(&run.model) {
                Some(tally) => Ok(tally.update(&run, ignore_arguments)?),
                None => Ok(()),
            }
        },
        Ok,
        |part: Models| {
            left_out.append(&part.left_out);
            for (model, tally) in part.models {
                models.entry(model).or_default().append(&tally);
            }
        },
    )
    .map_err(|error: Box<dyn Error + Send + Sync>| -> Box<dyn Error> { error })?;
    // The line of a run that was left out names no model.
    let is_one = models.len() <= 1;
    if models.is_empty() || !is_one && left_out != RunCounts::default() {
        models.entry(None).or_default();
    }
    if let Some(first) = models.values_mut().next() {
        first.runs_mut().append(&left_out);
    }
    let named = models.into_iter().map(|(model, tally)| match is_one {
        true => (None, tally),
        false => (Some(model.unwrap_or_else(|| "unknown model".to_owned())), tally),
    });
    Ok(named.collect())
}

/// Reads every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub fn runs(path: &Path) -> Result<Vec<PathRun>, InputError> {
    Ok(json_lines::read::<Row>(path)?.into_iter().map(|line| line.value.into()).collect())
}
