use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::ReadOptions,
    formats::{
        inspect::sample::limit,
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{
            Arguments, Caller, Message, RecordedCall, Reply, Role, Run, Score, Turn, Usage, text_of,
        },
        tokens::Tokens,
    },
};

/// A trajectory, with its embedded trajectories.
#[derive(Debug, Default)]
pub(crate) struct Trajectory {
    pub(crate) version: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) agent_version: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) totals: Option<Usage>,
    /// The file in which the trajectory continues.
    pub(crate) continued: Option<String>,
    /// The files of subagents.
    pub(crate) files: Vec<String>,
    pub(crate) scores: BTreeMap<String, Score>,
    /// The facts of the run that our own writer adds.
    pub(crate) kept: Option<Run>,
    pub(crate) subagents: Vec<Trajectory>,
    pub(crate) turns: Vec<PlacedTurn>,
    pub(crate) n_copied: u64,
}

/// A turn, and the embedded subagents that it called.
#[derive(Debug)]
pub(crate) struct PlacedTurn {
    pub(crate) turn: Turn,
    /// The position in the run, if the log says so.
    pub(crate) position: Option<u64>,
    pub(crate) called: Vec<String>,
}

impl Trajectory {
    /// The sum of the steps, without subagents.
    pub(crate) fn step_usage(&self) -> Usage {
        sum(self.turns.iter().filter_map(|placed| placed.turn.usage()))
    }

    /// The usage of the trajectory and its subagents: the log's totals if it has them, otherwise the sum of the steps. The totals
    /// leave out the subagents.
    pub(crate) fn usage(&self) -> Usage {
        let own = or_else(self.totals.as_ref().unwrap_or(&Usage::default()), &self.step_usage());
        let parts: Vec<Usage> =
            std::iter::once(own).chain(self.subagents.iter().map(Self::usage)).collect();
        sum(&parts)
    }

    /// Adds the usage of each model by the steps, subagents included.
    pub(crate) fn add_usage_by_model<'a>(&'a self, models: &mut BTreeMap<String, Vec<&'a Usage>>) {
        for placed in &self.turns {
            if let (Some(model), Some(usage)) = (&placed.turn.model, placed.turn.usage()) {
                models.entry(model.clone()).or_default().push(usage);
            }
        }
        self.subagents.iter().for_each(|subagent| subagent.add_usage_by_model(models));
    }

    /// Returns the turns of the trajectory and its subagents. The turns of a subagent follow the turn that called the subagent,
    /// or the last turn if no turn names it.
    pub(crate) fn into_turns(self, caller: &Caller) -> Vec<(Option<u64>, Turn)> {
        let mut turns = Vec::new();
        let mut subagents: Vec<Option<Self>> = self.subagents.into_iter().map(Some).collect();
        for placed in self.turns {
            let turn = Turn { caller: caller.clone(), ..placed.turn };
            turns.push((placed.position, turn));
            for id in placed.called {
                let is_called = |subagent: &&mut Option<Self>| {
                    subagent.as_ref().is_some_and(|subagent| subagent.id.as_ref() == Some(&id))
                };
                if let Some(subagent) = subagents.iter_mut().find(is_called).and_then(Option::take)
                {
                    turns.extend(subagent.into_turns_of_subagent());
                }
            }
        }
        let rest = subagents.into_iter().flatten();
        turns.extend(rest.flat_map(Self::into_turns_of_subagent));
        turns
    }

    fn into_turns_of_subagent(self) -> Vec<(Option<u64>, Turn)> {
        let name = self.agent.clone().or_else(|| self.id.clone()).unwrap_or_default();
        let caller = self.kept.as_ref().and_then(|_| caller(&name));
        self.into_turns(&caller.unwrap_or(Caller::Subagent(name)))
    }
}

/// Reads a trajectory.
pub(crate) fn trajectory(
    json: &mut Json<'_>,
    options: &ReadOptions,
    is_embedded: bool,
) -> Result<Trajectory, Error> {
    let (mut read, mut steps) = (Trajectory::default(), None);
    fields!(given |json| {
        "schema_version" => read.version = Some(version(json)?),
        "session_id" => {
            read.session = Some(json.name()?);
            if !is_embedded {
                json.place_mut().sample = read.session.clone();
            }
        },
        "trajectory_id" => read.id = Some(json.name()?),
        "agent" => fields!(|json| {
            "name" => read.agent = json.optional(Json::name)?,
            "version" => read.agent_version = json.optional(Json::name)?,
            "model_name" => read.model = json.optional(Json::name)?,
        })?,
        "steps" => steps = Some(json.list_of(step)?),
        "final_metrics" => read.totals = Some(final_metrics(json)?),
        "continued_trajectory_ref" => read.continued = Some(json.text()?),
        // Other writers may use other keys and types.
        "extra" if json.token()? == b'{' => fields!(|json| {
            "scores" if json.token()? == b'{' => json.map(|json, name| {
                read.scores.insert(name, score(json)?);
                Ok(())
            })?,
            "run_logs" if json.token()? == b'{' => {
                kept_run(json, read.kept.get_or_insert_default())?;
            },
        })?,
        "subagent_trajectories" => {
            read.subagents = json.list_of(|json| trajectory(json, options, true))?;
        },
    })?;
    let steps = steps.ok_or_else(|| json.error_at("steps", Problem::Missing))?;
    place(json, &mut read, steps, options)?;
    Ok(read)
}

/// Reads the version: any minor version of 1.
fn version(json: &mut Json<'_>) -> Result<String, Error> {
    json.word("a version from ATIF-v1.0 on, before 2.0", |version| {
        let number = version.strip_prefix("ATIF-v").or_else(|| version.strip_prefix("ATIF-"))?;
        (number == "1" || number.starts_with("1.")).then(|| version.to_owned())
    })
}

/// Turns steps into turns. Steps copied from another trajectory are only context.
fn place(
    json: &mut Json<'_>,
    read: &mut Trajectory,
    steps: Vec<Step>,
    options: &ReadOptions,
) -> Result<(), Error> {
    let mut seen: Vec<Message> = Vec::new();
    for step in steps {
        read.n_copied += u64::from(step.is_copied);
        if let Some(mut turn) = step.turn {
            turn.model = turn.model.or_else(|| read.model.clone());
            if options.requests {
                json.hold(seen.iter().map(Message::size).sum())?;
                turn.request.clone_from(&seen);
            }
            let called = step.results.iter().flat_map(|result| result.subagents.iter().cloned());
            let called = called.collect();
            read.turns.push(PlacedTurn { turn, position: step.position, called });
            read.files.extend(step.results.iter().flat_map(|result| result.files.iter().cloned()));
        }
        if options.requests {
            seen.push(step.message);
            seen.extend(step.results.into_iter().map(|result| Message {
                tool_call_id: result.call_id,
                ..Message::new(Role::Tool, result.text)
            }));
        }
    }
    Ok(())
}

impl Trajectory {
    /// Creates the run of a trajectory that is not part of a trial. `number` names a trajectory without ids.
    pub(crate) fn into_run(mut self, number: u64) -> Run {
        let mut run = self.kept.take().unwrap_or_else(|| {
            let mut run = Run::default();
            self.describe(&mut run);
            run.usage = self.usage();
            run
        });
        run.scores = std::mem::take(&mut self.scores);
        let id = self.session.clone().or_else(|| self.id.clone());
        run.id = id.unwrap_or_else(|| number.to_string());
        run.model.clone_from(&self.model);
        run.usage_by_model = self.usage_by_model();
        let mut turns = self.into_turns(&Caller::Agent);
        // Turns without a position keep their places.
        if turns.iter().all(|(position, _)| position.is_some()) {
            turns.sort_by_key(|(position, _)| *position);
        }
        run.turns = turns.into_iter().map(|(_, turn)| turn).collect();
        run
    }

    /// The usage of each model by the steps, subagents included.
    pub(crate) fn usage_by_model(&self) -> BTreeMap<String, Usage> {
        let mut models = BTreeMap::new();
        self.add_usage_by_model(&mut models);
        models.into_iter().map(|(model, usages)| (model, sum(usages))).collect()
    }

    /// Notes further facts of the format: the log's own totals in addition to the sum of the steps, which may differ.
    pub(crate) fn describe(&self, run: &mut Run) {
        let texts = [
            ("schema_version", &self.version),
            ("trajectory_id", &self.id),
            ("agent", &self.agent),
            ("agent_version", &self.agent_version),
            ("continued_trajectory_ref", &self.continued),
        ];
        for (name, text) in texts {
            text.iter().for_each(|text| run.note(name, text.as_str()));
        }
        if let Some(totals) = &self.totals {
            run.note("final_metrics", value(totals));
        }
        run.note("step_metrics", value(&self.step_usage()));
        if self.n_copied > 0 {
            run.note("n_copied_steps", number(self.n_copied));
        }
    }
}

/// A step of a trajectory.
#[derive(Debug)]
pub(crate) struct Step {
    /// The text of the step and the role of its author.
    pub(crate) message: Message,
    /// The turn of a step of the agent that was not copied.
    pub(crate) turn: Option<Turn>,
    /// The position of the turn in its run, if the step says so.
    pub(crate) position: Option<u64>,
    pub(crate) is_copied: bool,
    pub(crate) results: Vec<StepResult>,
}

/// A result in an observation.
#[derive(Debug, Default)]
pub(crate) struct StepResult {
    pub(crate) call_id: Option<String>,
    pub(crate) text: String,
    /// The trajectories of subagents: embedded ones by id, and files.
    pub(crate) subagents: Vec<String>,
    pub(crate) files: Vec<String>,
}

/// Reads a step.
pub(crate) fn step(json: &mut Json<'_>) -> Result<Step, Error> {
    let (mut role, mut text, mut tool_calls) = (None, String::new(), Vec::new());
    let (mut turn, mut reply, mut results) = (Turn::default(), Reply::default(), Vec::new());
    let (mut position, mut has_failed, mut is_copied) = (None, false, false);
    fields!(given |json| {
        "source" => role = Some(source(json)?),
        "message" => text = content(json)?,
        "model_name" => turn.model = Some(json.text()?),
        "tool_calls" => tool_calls = json.list_of(tool_call)?,
        "observation" => results = observation(json)?,
        "metrics" => {
            let (usage, logprobs) = metrics(json)?;
            reply.usage = Some(usage);
            reply.tokens = logprobs.as_deref().map(tokens_without_text);
        },
        "extra" => kept(json, |json| fields!(|json| {
            // The position of the turn in its run.
            "turn" => position = Some(json.count()?),
            "failed" => has_failed = json.boolean()?,
            "error" => turn.error = Some(json.text()?),
            "refusal" => reply.refusal = Some(json.text()?),
            "stop" => reply.stop = Some(json.text()?.into()),
            "reply" => reply.id = Some(json.text()?),
            "seconds" => turn.seconds = Some(json.amount()?),
        }))?,
        "llm_call_count" => turn.model_calls = Some(json.count()?),
        "is_copied_context" => is_copied = json.boolean()?,
    })?;
    let role = role.ok_or_else(|| json.error_at("source", Problem::Missing))?;
    let turn = (role == Role::Assistant && !is_copied).then(|| {
        (reply.text, reply.tool_calls) = (text.clone(), tool_calls.clone());
        Turn { reply: (!has_failed).then_some(reply), ..turn }
    });
    let message = Message { tool_calls, ..Message::new(role, text) };
    Ok(Step { message, turn, position, is_copied, results })
}

fn source(json: &mut Json<'_>) -> Result<Role, Error> {
    json.word("system, user or agent", |word| match word {
        "agent" => Some(Role::Assistant),
        "user" => Some(Role::User),
        "system" => Some(Role::System),
        _ => None,
    })
}

/// Reads a text, or a list of parts of which the texts are kept.
fn content(json: &mut Json<'_>) -> Result<String, Error> {
    match json.token()? {
        b'"' => json.text(),
        b'[' => {
            let mut text = String::new();
            json.list(|json| fields!(given |json| { "text" => text.push_str(&json.text()?), }))?;
            Ok(text)
        }
        _ => Err(json.type_error("a string or a list of parts")),
    }
}

fn observation(json: &mut Json<'_>) -> Result<Vec<StepResult>, Error> {
    let mut results = Vec::new();
    fields!(given |json| { "results" => results = json.list_of(result)?, })?;
    Ok(results)
}

fn result(json: &mut Json<'_>) -> Result<StepResult, Error> {
    let mut result = StepResult::default();
    fields!(given |json| {
        "source_call_id" => result.call_id = Some(json.name()?),
        "content" => result.text = content(json)?,
        "subagent_trajectory_ref" => json.list(|json| {
            let (mut id, mut path) = (None, None);
            fields!(given |json| {
                "trajectory_id" => id = Some(json.name()?),
                "trajectory_path" => path = Some(json.name()?),
            })?;
            // A path has priority: an embedded trajectory has none.
            match (id, path) {
                (_, Some(path)) => result.files.push(path),
                (Some(id), None) => result.subagents.push(id),
                (None, None) => {}
            }
            Ok(())
        })?,
    })?;
    Ok(result)
}

fn tool_call(json: &mut Json<'_>) -> Result<RecordedCall, Error> {
    let (mut name, mut call) = (None, RecordedCall::new("", Arguments::default()));
    let (mut own_arguments, mut is_nameless) = (None, false);
    let (mut unparsed, mut problem) = (None, String::new());
    fields!(given |json| {
        "tool_call_id" => call.id = Some(json.name()?).filter(|id| !id.is_empty()),
        "function_name" => name = Some(json.text()?),
        // An object. Some writers keep text that they could not read.
        "arguments" => call.arguments = match json.token()? {
            b'{' => Arguments::Parsed(json.value()?),
            b'"' => Arguments::from_text(json.text()?, json.limits),
            _ => return Err(json.type_error("an object")),
        },
        "extra" => kept(json, |json| fields!(|json| {
            "arguments" => own_arguments = Some(Arguments::Parsed(json.value()?)),
            "unparsed" => unparsed = Some(json.text()?),
            "problem" => problem = json.text()?,
            "without_id" => is_nameless = json.boolean()?,
            "ok" => call.ok = Some(json.boolean()?),
            "error" => call.error = Some(json.text()?),
            "seconds" => call.seconds = Some(json.amount()?),
        }))?,
    })?;
    call.name = name.ok_or_else(|| json.error_at("function_name", Problem::Missing))?;
    call.id = call.id.filter(|_| !is_nameless);
    call.arguments = match unparsed {
        Some(text) => Arguments::Unparsed { text, problem },
        None => own_arguments.unwrap_or(call.arguments),
    };
    Ok(call)
}

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

/// Reads the data added to a trajectory: the facts of its run other than scores and turns.
pub(crate) fn kept_run(json: &mut Json<'_>, run: &mut Run) -> Result<(), Error> {
    fields!(|json| {
        "task" => run.task = Some(json.text()?),
        "trial" => run.trial = Some(json.count()?),
        "outcome" => run.outcome = Some(json.boolean()?),
        "stop" => run.stop = Some(json.text()?.into()),
        "horizon" => run.horizon = Some(json.count()?),
        "started" => run.started = Some(json.real()?),
        "seconds" => run.seconds = Some(json.amount()?),
        "limit" => run.limit = Some(limit(json)?),
        "error" => run.error = Some(json.text()?),
        "excluded" => run.excluded = Some(json.text()?),
        "usage" => run.usage = metrics(json)?.0,
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
            let text = |name: &str| fields.get(name).and_then(text_of).map(str::to_owned);
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

/// Reads `metrics` of a step: its usage, and the log-probabilities of its reply.
pub(crate) fn metrics(json: &mut Json<'_>) -> Result<(Usage, Option<Vec<f64>>), Error> {
    let (mut counts, mut logprobs) = (Counts::default(), None);
    fields!(|json, field| {
        "logprobs" => logprobs = json.optional(reals)?,
        // Counts that providers add; fields of other types are left out.
        "extra" if json.token()? == b'{' => fields!(|json, field| {
            "reasoning_tokens" | "cache_write_tokens" | "cache_creation_input_tokens"
            | "total_tokens" if json.token()?.is_ascii_digit() => counts.field(json, field)?,
        })?,
        "extra" => json.skip()?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    Ok((counts.usage(Dialect::Atif), logprobs))
}

/// Reads `final_metrics`.
pub(crate) fn final_metrics(json: &mut Json<'_>) -> Result<Usage, Error> {
    Ok(Counts::read(json)?.usage(Dialect::Atif))
}

/// Reads a list of numbers; NaN and null mark unknown ones.
pub(crate) fn reals(json: &mut Json<'_>) -> Result<Vec<f64>, Error> {
    json.list_of(|json| Ok(json.optional(Json::any_real)?.unwrap_or(f64::NAN)))
}

/// Tokens of which only the log-probabilities are known.
pub(crate) fn tokens_without_text(logprobs: &[f64]) -> Tokens {
    let mut tokens = Tokens::default();
    logprobs.iter().for_each(|&logprob| tokens.push(b"", logprob));
    tokens
}

/// Returns the sum of usages as Harbor counts it: a missing count adds nothing if another one is known, but the cost is known
/// only if every part with tokens has a cost.
pub(crate) fn sum<'a>(usages: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let mut sum = Usage::default();
    let mut is_priced = true;
    for usage in usages {
        sum = sum.and(usage);
        let tokens = usage.input_tokens.unwrap_or(0) | usage.output_tokens.unwrap_or(0);
        is_priced &= usage.cost_usd.is_some() || tokens == 0;
    }
    sum.cost_usd = sum.cost_usd.filter(|_| is_priced);
    sum
}

/// Returns the totals of a log, with the sum of its steps for missing counts.
pub(crate) fn or_else(totals: &Usage, steps: &Usage) -> Usage {
    totals.with_counts_of(steps, Option::or, totals.cost_usd.or(steps.cost_usd))
}

/// Returns the known counts as a value for [`Run::metadata`](crate::Run::metadata).
pub(crate) fn value(usage: &Usage) -> Value {
    map([
        ("input_tokens", usage.input_tokens.map(number)),
        ("cached_tokens", usage.cached_tokens.map(number)),
        ("cache_write_tokens", usage.cache_write_tokens.map(number)),
        ("output_tokens", usage.output_tokens.map(number)),
        ("reasoning_tokens", usage.reasoning_tokens.map(number)),
        ("cost_usd", usage.cost_usd.map(Value::Real)),
    ])
}

/// Returns an object of the fields that have a value.
pub(crate) fn map<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter().filter_map(|(name, field)| Some((name.to_owned(), field?)));
    Value::Map(fields.collect())
}

pub(crate) fn number(number: u64) -> Value {
    Value::Integer(i128::from(number))
}
