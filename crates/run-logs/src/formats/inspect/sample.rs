use std::{collections::BTreeMap, sync::Arc};

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    format::ReadOptions,
    formats::inspect::{
        events::{self, Events, ReadTurn, without_nan},
        header::Header,
        messages::{self, Attachments, Parts},
    },
    values::run::{Caller, Message, Reply, Role, Run, RunLimit, Score, Turn, Usage},
};

/// A sample while its fields are read.
#[derive(Default)]
pub(crate) struct Sample {
    /// Whether the sample is in chunks, so that its lists are read from separate entries.
    is_chunked: bool,
    id: Option<String>,
    run: Run,
    events: Events,
    attempts: Events,
    retried: Vec<Value>,
    /// Whether the sample has totals by model, even if it has them for no model.
    has_totals: bool,
    role_usage: BTreeMap<String, Usage>,
    pub(crate) attachments: Attachments,
    /// The final conversation, for logs without events.
    conversation: Vec<Parts>,
    /// The messages that requests refer to.
    pub(crate) pool: Vec<Parts>,
    /// Ranges of these messages that are the final conversation, in a sample in chunks.
    conversation_ranges: Vec<(usize, usize)>,
}

/// Reads one sample.
pub(crate) fn sample(
    json: &mut Json<'_>,
    header: &Header,
    options: &ReadOptions,
) -> Result<Run, Error> {
    let mut sample = Sample::default();
    fields!(|json, field| { in Sample::FIELDS => sample.field(json, field, options)?, })?;
    sample.finish(json, header)
}

impl Sample {
    /// Reads the first entry of a sample in chunks.
    pub(crate) fn shell(json: &mut Json<'_>, options: &ReadOptions) -> Result<Self, Error> {
        let mut sample = Self { is_chunked: true, ..Self::default() };
        fields!(|json, field| { in Self::FIELDS => sample.field(json, field, options)?, })?;
        Ok(sample)
    }

    /// Reads the metadata, if there are any.
    pub(crate) fn metadata(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        if let Some(value) = json.optional(Json::value)? {
            self.run.note("metadata", value);
        }
        Ok(())
    }

    /// Reads the next event.
    pub(crate) fn event(
        &mut self,
        json: &mut Json<'_>,
        options: &ReadOptions,
    ) -> Result<(), Error> {
        self.events.read_one(json, &mut self.attachments, options.requests, false)
    }

    /// Returns whether messages must be read after all events.
    pub(crate) fn needs_messages(&self, options: &ReadOptions) -> bool {
        options.requests || self.events.turns.is_empty()
    }

    named_fields! {
        const FIELDS, fn field(
            &mut self,
            json: &mut Json<'_>,
            field: &str,
            options: &ReadOptions
        ), |json, field| {
            "id" => {
                let id = json.name()?;
                json.place_mut().sample = Some(id.clone());
                self.id = Some(id);
            },
            "epoch" => {
                let epoch = json.count()?;
                self.run.trial = Some(epoch);
                if let Some(id) = &self.id {
                    json.place_mut().sample = Some(format!("{id}, epoch {epoch}"));
                }
            },
            "messages" if !self.is_chunked => json.optional(|json| {
                json.list(|json| {
                    let message = messages::message(json)?;
                    if message.message.role == Role::Assistant {
                        self.conversation.push(message);
                    }
                    Ok(())
                })
            })?,
            "message_refs" if self.is_chunked => {
                let ranges = json.optional(|json| json.list_of(events::range))?;
                self.conversation_ranges = ranges.unwrap_or_default();
            },
            "uuid" => self.run.uuid = json.optional(Json::text)?,
            "scores" => {
                self.run.scores = json.optional(|json| json.entries(score))?.unwrap_or_default();
                for score in self.run.scores.values() {
                    let texts = score.answer.iter().chain(&score.explanation);
                    texts.for_each(|text| self.attachments.want(text));
                }
            },
            "metadata" if !self.is_chunked => self.metadata(json)?,
            "events" if !self.is_chunked => {
                json.optional(|json| json.list(|json| self.event(json, options)))?;
                if !self.needs_messages(options) {
                    self.attachments.complete();
                }
            },
            "model_usage" => {
                let used = json.optional(|json| json.entries(messages::usage))?;
                self.has_totals = used.is_some();
                self.run.usage_by_model = used.unwrap_or_default();
            },
            "role_usage" => {
                let used = json.optional(|json| json.entries(messages::usage))?;
                self.role_usage = used.unwrap_or_default();
            },
            "total_time" if json.token()?.is_ascii_digit() => {
                self.run.seconds = Some(json.amount()?);
            },
            "error" => self.run.error = json.optional(events::message)?,
            "error_retries" => {
                json.optional(|json| json.list(|json| self.failed_attempt(json, options)))?
            },
            "attachments" if !self.is_chunked => {
                json.optional(|json| self.attachments.read(json))?
            },
            "events_data" if options.requests && !self.is_chunked => json.optional(|json| {
                fields!(|json| { "messages" => self.pool = json.list_of(messages::message)?, })
            })?,
            "limit" => self.run.limit = json.optional(limit)?,
            "invalidation" => self.run.excluded = json.optional(invalidation)?,
        }
    }

    /// Reads an attempt that ended with an error and was repeated.
    fn failed_attempt(&mut self, json: &mut Json<'_>, options: &ReadOptions) -> Result<(), Error> {
        fields!(|json| {
            "message" => {
                let message = json.optional(Json::text)?.unwrap_or_default();
                self.retried.push(Value::Text(message));
            },
            "events" => json.optional(|json| {
                json.list(|json| {
                    self.attempts.read_one(json, &mut self.attachments, options.requests, true)
                })
            })?,
        })
    }

    pub(crate) fn finish(mut self, json: &mut Json<'_>, header: &Header) -> Result<Run, Error> {
        let evaluation = &header.evaluation;
        self.run.model.clone_from(&evaluation.model);
        self.run.evaluation = Some(Arc::clone(evaluation));
        let id = self.id.take().ok_or_else(|| json.error_at("id", Problem::Missing))?;
        self.run.task = Some(evaluation.task_of(&id));
        self.run.id = id;
        if self.run.trial.is_none() {
            return Err(json.error_at("epoch", Problem::Missing));
        }
        if !self.retried.is_empty() {
            self.run.note("error_retries", std::mem::take(&mut self.retried));
        }
        let intermediate = std::mem::take(&mut self.events.intermediate_scores);
        if !intermediate.is_empty() {
            self.run.note("intermediate_scores", intermediate);
        }
        self.run.stop = Some(match (&self.run.limit, &self.run.error) {
            (Some(limit), _) => limit.kind.clone().into(),
            (None, Some(_)) => StopReason::Other("error".to_owned()),
            (None, None) => StopReason::Completed,
        });
        for score in self.run.scores.values_mut() {
            let texts = [&mut score.answer, &mut score.explanation];
            self.attachments.resolve_all(json, texts.into_iter().flatten())?;
        }
        let attempts = std::mem::take(&mut self.attempts.turns);
        let turns = std::mem::take(&mut self.events.turns);
        let conversation = std::mem::take(&mut self.conversation);
        for turn in attempts.into_iter().chain(turns) {
            let turn = self.resolved(json, turn)?;
            self.run.turns.push(turn);
        }
        if self.run.turns.is_empty() {
            let from_pool = self.conversation_from_pool(json)?;
            for parts in conversation.into_iter().chain(from_pool) {
                let Message { text, tool_calls, .. } = self.message(json, parts)?;
                let reply = Some(Reply { text, tool_calls, ..Reply::default() });
                self.run.turns.push(Turn { reply, ..Turn::default() });
            }
        }
        self.set_callers(header);
        self.run.usage = self.usage();
        Ok(self.run)
    }

    /// Sets the usage of callers other than the agent.
    fn set_callers(&mut self, header: &Header) {
        let run = &mut self.run;
        if !run.turns.iter().any(|turn| turn.caller.is_agent()) {
            // Only roles: they are the agent.
            for turn in &mut run.turns {
                if let Caller::Role(role) = &turn.caller {
                    self.events.others.remove(role);
                    turn.caller = Caller::Subagent(role.clone());
                }
            }
        }
        run.other_usage = std::mem::take(&mut self.events.others);
        let is_without_events = run.turns.iter().all(|turn| turn.model.is_none());
        if let (true, Some(agents)) = (is_without_events, &header.evaluation.model)
            && run.usage_by_model.contains_key(agents)
        {
            // Nothing says who called the other models.
            let others = run.usage_by_model.iter().filter(|(model, _)| *model != agents);
            let others: BTreeMap<_, _> = others.map(|(a, b)| (a.clone(), b.clone())).collect();
            if others.is_empty() {
                let of_roles = std::mem::take(&mut self.role_usage).into_iter();
                let of_roles = of_roles.map(|(role, used)| (role, [(agents.clone(), used)].into()));
                run.other_usage.extend(of_roles);
            } else {
                run.other_usage.insert("other models".to_owned(), others);
            }
        }
    }

    /// The total usage of the agent: from the totals of the sample, otherwise from its turns. Totals do not count failed
    /// attempts.
    fn usage(&self) -> Usage {
        let sum = |sum: Usage, used: &Usage| sum.plus(used);
        let totals = self.run.agent_usage_by_model();
        let mut totals = totals.values();
        if let Some(first) = totals.next() {
            return totals.fold(first.clone(), sum);
        }
        if self.has_totals {
            return messages::nothing();
        }
        let unknown = Usage::default();
        let mut used = self.run.agent_turns().map(|turn| turn.usage().unwrap_or(&unknown));
        used.next().map_or_else(Usage::default, |first| used.fold(first.clone(), sum))
    }

    /// Returns the replies of a conversation whose messages are in the pool.
    fn conversation_from_pool(&self, json: &mut Json<'_>) -> Result<Vec<Parts>, Error> {
        let mut replies = Vec::new();
        for range in &self.conversation_ranges {
            for parts in self.of_pool(json, "message_refs", *range)? {
                if parts.message.role == Role::Assistant {
                    replies.push(copy(json, parts)?);
                }
            }
        }
        Ok(replies)
    }

    /// Returns a range of the messages in the pool, to which a field refers.
    fn of_pool(
        &self,
        json: &Json<'_>,
        field: &str,
        (start, end): (usize, usize),
    ) -> Result<&[Parts], Error> {
        self.pool.get(start..end).ok_or_else(|| {
            let what = format!("message {end} of the sample's messages");
            json.error_at(field, Problem::Dangling { what })
        })
    }

    /// Returns a turn with its references replaced by their texts.
    fn resolved(&self, json: &mut Json<'_>, read: ReadTurn) -> Result<Turn, Error> {
        let ReadTurn { mut turn, mut texts, request, request_ranges } = read;
        self.attachments.resolve_all(json, &mut texts)?;
        if let Some(reply) = &mut turn.reply {
            reply.text = texts.join("\n");
            for call in &mut reply.tool_calls {
                self.attachments.resolve_arguments(json, &mut call.arguments)?;
                self.attachments.resolve_all(json, &mut call.error)?;
            }
        }
        self.attachments.resolve_all(json, &mut turn.error)?;
        for parts in request {
            turn.request.push(self.message(json, parts)?);
        }
        for range in request_ranges {
            for parts in self.of_pool(json, "events", range)? {
                let copy = copy(json, parts)?;
                turn.request.push(self.message(json, copy)?);
            }
        }
        Ok(turn)
    }

    fn message(&self, json: &mut Json<'_>, mut parts: Parts) -> Result<Message, Error> {
        self.attachments.resolve_all(json, &mut parts.texts)?;
        parts.message.text = parts.texts.join("\n");
        for call in &mut parts.message.tool_calls {
            self.attachments.resolve_arguments(json, &mut call.arguments)?;
        }
        Ok(parts.message)
    }
}

/// Copies a message of the pool, which the run then holds too.
fn copy(json: &mut Json<'_>, parts: &Parts) -> Result<Parts, Error> {
    let texts: usize = parts.texts.iter().map(String::len).sum();
    json.hold(texts + parts.message.size())?;
    Ok(Parts { texts: parts.texts.clone(), message: parts.message.clone() })
}

/// Reads a score. After edits, the last value counts.
fn score(json: &mut Json<'_>) -> Result<Score, Error> {
    let mut score = Score::default();
    fields!(|json| {
        "value" => score.value = without_nan(json.value()?),
        "answer" => score.answer = json.optional(Json::text)?,
        "explanation" => score.explanation = json.optional(Json::text)?,
        "metadata" => score.metadata = json.optional(Json::value_map)?.unwrap_or_default(),
    })?;
    Ok(score)
}

/// Reads why a sample was cut off.
pub(crate) fn limit(json: &mut Json<'_>) -> Result<RunLimit, Error> {
    let (mut kind, mut limit, mut reason) = (None, None, None);
    fields!(|json| {
        "type" => kind = Some(json.text()?),
        "limit" => limit = json.optional(Json::any_real)?.filter(|limit| limit.is_finite()),
        "reason" => reason = json.optional(Json::text)?,
    })?;
    let kind = kind.ok_or_else(|| json.error_at("type", Problem::Missing))?;
    Ok(RunLimit { kind, limit, reason })
}

/// Reads the reason why a sample was declared invalid.
fn invalidation(json: &mut Json<'_>) -> Result<String, Error> {
    let mut reason = None;
    fields!(|json| { "reason" => reason = json.optional(Json::text)?, })?;
    Ok(reason.map_or("invalidated".to_owned(), |reason| format!("invalidated: {reason}")))
}
