use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    formats::inspect::messages::{self, Attachments, Output, Parts},
    values::run::{Arguments, Caller, Turn, Usage},
};

/// A model call before references are resolved.
pub(crate) struct ReadTurn {
    pub(crate) turn: Turn,
    /// The parts of the reply's text.
    pub(crate) texts: Vec<String>,
    /// The messages that were sent, where the event holds them.
    pub(crate) request: Vec<Parts>,
    /// Ranges of the pool of messages that were sent.
    pub(crate) request_ranges: Vec<(usize, usize)>,
}

/// The content of a sample's events.
#[derive(Default)]
pub(crate) struct Events {
    pub(crate) turns: Vec<ReadTurn>,
    pub(crate) intermediate_scores: Vec<Value>,
    /// The usage of callers other than the agent: by role, then by model.
    pub(crate) others: BTreeMap<String, BTreeMap<String, Usage>>,
    spans: Spans,
    /// The latest turn and position of each call, by the call's id.
    calls: BTreeMap<String, (usize, usize)>,
}

/// An event while its fields are read.
#[derive(Default)]
struct Event {
    kind: Option<String>,
    span: Option<String>,
    id: Option<String>,
    parent: Option<String>,
    span_kind: Option<String>,
    name: Option<String>,
    model: Option<String>,
    role: Option<String>,
    /// Whether the reply was cached from an earlier call, so that nothing was used.
    is_kept: bool,
    request: Vec<Parts>,
    ranges: Vec<(usize, usize)>,
    output: Output,
    error: Option<String>,
    seconds: Option<f64>,
    failed: bool,
    intermediate: bool,
    score: Option<Value>,
}

impl Events {
    /// Reads the next event. `attempt` marks an event of a failed attempt.
    pub(crate) fn read_one(
        &mut self,
        json: &mut Json<'_>,
        attachments: &mut Attachments,
        with_requests: bool,
        attempt: bool,
    ) -> Result<(), Error> {
        json.hold(size_of::<ReadTurn>())?;
        let mut event = Event::default();
        fields!(|json, field| { in Event::FIELDS => event.field(json, field, with_requests)?, })?;
        self.add(json, event, attachments, attempt)
    }

    fn add(
        &mut self,
        json: &Json<'_>,
        event: Event,
        attachments: &mut Attachments,
        attempt: bool,
    ) -> Result<(), Error> {
        match event.kind.as_deref() {
            Some("span_begin") => {
                let id = event.id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
                let parent = event.parent.as_deref();
                self.spans.begin(id, parent, event.span_kind.as_deref(), event.name);
            }
            Some("model") => self.add_turn(event, attachments, attempt),
            Some("tool") => {
                let at = event.id.and_then(|id| self.calls.get(&id)).copied();
                if let Some(call) =
                    at.and_then(|(turn, call)| self.turns.get_mut(turn)?.turn.call_mut(call))
                {
                    call.ok = Some(event.error.is_none() && !event.failed);
                    attachments.want(event.error.as_deref().unwrap_or_default());
                    call.error = event.error;
                    call.seconds = event.seconds;
                }
            }
            Some("score") if event.intermediate => self.intermediate_scores.extend(event.score),
            _ => {}
        }
        Ok(())
    }

    fn add_turn(&mut self, event: Event, attachments: &mut Attachments, attempt: bool) {
        let caller = match self.spans.caller(event.span.as_deref(), event.role.as_deref()) {
            caller @ (Caller::Grader | Caller::User | Caller::Role(_)) => caller,
            _ if attempt => Caller::FailedAttempt,
            caller => caller,
        };
        let Output { texts, reply } = event.output;
        if let (Some(role), false, Some(model)) = (caller.role(), event.is_kept, &event.model)
            && let Some(usage) = reply.as_ref().and_then(|reply| reply.usage.as_ref())
        {
            let role = event.role.as_deref().unwrap_or(role);
            let of_model = self.others.entry(role.to_owned()).or_default();
            let sum = of_model.entry(model.clone()).or_default();
            *sum = sum.and(usage);
        }
        // A failed call has an empty choice.
        let reply = reply.filter(|_| event.error.is_none());
        texts.iter().for_each(|text| attachments.want(text));
        for (at, call) in reply.iter().flat_map(|reply| &reply.tool_calls).enumerate() {
            if let Arguments::Parsed(arguments) = &call.arguments {
                attachments.want_in(arguments);
            }
            if let Some(id) = &call.id {
                self.calls.insert(id.clone(), (self.turns.len(), at));
            }
        }
        for message in &event.request {
            message.texts.iter().for_each(|text| attachments.want(text));
        }
        let turn = Turn {
            model: event.model,
            caller,
            request: Vec::new(),
            reply,
            error: event.error,
            seconds: event.seconds,
            ..Turn::default()
        };
        let (request, request_ranges) = (event.request, event.ranges);
        self.turns.push(ReadTurn { turn, texts, request, request_ranges });
    }
}

impl Event {
    /// Returns whether the event is of one of these kinds, as far as is known. Fields of the same name have other meanings in
    /// events of other kinds.
    fn is(&self, kinds: &[&str]) -> bool {
        self.kind.as_deref().is_none_or(|kind| kinds.contains(&kind))
    }

    named_fields! {
        const FIELDS, fn field(
            &mut self,
            json: &mut Json<'_>,
            field: &str,
            with_requests: bool
        ), |json, field| {
            "event" => self.kind = Some(json.text()?),
            "span_id" => self.span = json.optional(Json::name)?,
            "id" if self.is(&["span_begin", "tool"]) => self.id = json.optional(Json::name)?,
            "parent_id" if self.is(&["span_begin"]) => self.parent = json.optional(Json::name)?,
            "type" if self.is(&["span_begin"]) => self.span_kind = json.optional(Json::text)?,
            "name" if self.is(&["span_begin"]) => self.name = json.optional(Json::text)?,
            "model" if self.is(&["model"]) => self.model = json.optional(Json::text)?,
            "working_time" if self.is(&["model", "tool"]) && json.token()?.is_ascii_digit() => {
                self.seconds = Some(json.amount()?);
            },
            "role" if self.is(&["model"]) => self.role = json.optional(Json::text)?,
            "cache" if self.is(&["model"]) && json.token()? == b'"' => {
                self.is_kept = json.text()? == "read";
            },
            "input" if with_requests && self.kind.as_deref() == Some("model") => {
                self.request = json.list_of(messages::message)?;
            },
            "input_refs" if with_requests && self.is(&["model"]) => {
                let ranges = json.optional(|json| json.list_of(range))?;
                self.ranges = ranges.unwrap_or_default();
            },
            "output" if self.is(&["model"]) => {
                self.output = json.optional(messages::output)?.unwrap_or_default();
            },
            "error" if self.is(&["model", "tool"]) => self.error = error(json)?,
            "failed" if self.is(&["tool"]) => {
                self.failed = json.optional(Json::boolean)?.unwrap_or(false);
            },
            "intermediate" if self.is(&["score"]) => {
                self.intermediate = json.optional(Json::boolean)?.unwrap_or(false);
            },
            "score" if self.is(&["score"]) => json.optional(|json| {
                fields!(|json| { "value" => self.score = Some(without_nan(json.value()?)), })
            })?,
        }
    }
}

/// Reads an error: its text, or an object with the text as `message`.
fn error(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    if json.token()? != b'{' {
        return json.optional(Json::text);
    }
    message(json).map(Some)
}

/// Reads the `message` of an error.
pub(crate) fn message(json: &mut Json<'_>) -> Result<String, Error> {
    let mut message = None;
    fields!(|json| { "message" => message = json.optional(Json::text)?, })?;
    Ok(message.unwrap_or_default())
}

/// Reads the start and the end of a range.
pub(crate) fn range(json: &mut Json<'_>) -> Result<(usize, usize), Error> {
    let ends = json.list_of(|json| Ok(usize::try_from(json.count()?).unwrap_or(usize::MAX)))?;
    match ends.as_slice() {
        [start, end] if start <= end => Ok((*start, *end)),
        _ => Err(json.wrong_value(format!("{ends:?}"), "the start and the end of a range")),
    }
}

/// Returns the value with each NaN replaced by null. In logs of inspect_ai, NaN marks a missing score.
pub(crate) fn without_nan(value: Value) -> Value {
    match value {
        Value::Real(number) if number.is_nan() => Value::Null,
        Value::List(values) => Value::List(values.into_iter().map(without_nan).collect()),
        Value::Map(values) => {
            Value::Map(values.into_iter().map(|(name, value)| (name, without_nan(value))).collect())
        }
        value => value,
    }
}

/// The spans of a sample's events, which determine the caller of a model.
#[derive(Default)]
pub(crate) struct Spans {
    by_id: BTreeMap<String, Kind>,
}

/// The facts about an event from the spans around it, from the outermost to the innermost.
#[derive(Clone, Debug, Default)]
struct Kind {
    is_grader: bool,
    /// Whether the span is inside an agent or a tool, so that a further agent is a subagent.
    in_agent: bool,
    subagent: Option<String>,
}

impl Spans {
    /// Notes the beginning of a span, which inherits the known facts of its parent.
    pub(crate) fn begin(
        &mut self,
        id: String,
        parent: Option<&str>,
        kind: Option<&str>,
        name: Option<String>,
    ) {
        let mut span = parent.and_then(|id| self.by_id.get(id)).cloned().unwrap_or_default();
        match kind {
            Some("scorers" | "scorer") => span.is_grader = true,
            Some("agent" | "handoff") if span.in_agent => span.subagent = name.or(span.subagent),
            Some("agent" | "handoff" | "tool") => span.in_agent = true,
            _ => {}
        }
        self.by_id.insert(id, span);
    }

    /// Returns the caller of a model in a span; `role` is the role of the model.
    pub(crate) fn caller(&self, span: Option<&str>, role: Option<&str>) -> Caller {
        let span = span.and_then(|id| self.by_id.get(id));
        match span {
            _ if role == Some("grader") => Caller::Grader,
            Some(span) if span.is_grader => Caller::Grader,
            _ if role == Some("user") => Caller::User,
            _ if role.is_some() => Caller::Role(role.unwrap_or_default().to_owned()),
            Some(Kind { subagent: Some(name), .. }) => Caller::Subagent(name.clone()),
            _ => Caller::Agent,
        }
    }
}
