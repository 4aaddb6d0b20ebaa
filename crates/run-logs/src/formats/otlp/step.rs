use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    formats::{
        chat::response::Response,
        otlp::{
            attributes::{Fact, Kind},
            message::reply,
            reading::Reading,
            span::{Span, real, text},
        },
        token_counts::{Counts, Dialect as Rule},
    },
    values::run::{Arguments, Caller, Reply, Usage},
};

/// A convention for the attributes of spans: the names that it has besides those of the table, and what they need beyond a name.
pub(crate) struct Dialect {
    /// The attributes that are read of all spans. A name that ends with a dot stands for all that start with it.
    pub(crate) names: &'static [&'static str],
    /// The input of a tool; other spans repeat it.
    pub(crate) inputs: &'static [&'static str],
    /// The output of a model; other spans repeat it.
    pub(crate) outputs: &'static [&'static str],
    /// Counts of a model call, as JSON in a text.
    pub(crate) counts: &'static str,
    /// The parts of the cost of a model call in US dollars, as JSON in a text.
    pub(crate) costs: &'static str,
    /// Adds what else a span says.
    pub(crate) read: fn(&Span, &mut Step, &mut Reading) -> Result<(), Error>,
    /// Moves what one span says about another one of its run.
    pub(crate) prepare: fn(&mut [Span]),
}

/// A convention without a name.
pub(crate) const NO_DIALECT: Dialect = Dialect {
    names: &[],
    inputs: &[],
    outputs: &[],
    counts: "",
    costs: "",
    read: |_, _, _| Ok(()),
    prepare: |_| {},
};

/// What a span says, in the terms that all dialects share.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) kind: Option<Kind>,
    /// The caller of the model, if the span names one.
    pub(crate) caller: Option<Caller>,
    /// The name of the tool or of the agent.
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) reply: Option<Reply>,
    pub(crate) other_replies: Vec<Reply>,
    /// The id of the tool call, or of the reply.
    pub(crate) id: Option<String>,
    pub(crate) arguments: Option<Arguments>,
    pub(crate) error: Option<String>,
    /// Whether the log has no end of it.
    pub(crate) is_open: bool,
    pub(crate) start: u64,
    pub(crate) seconds: Option<f64>,
}

impl Step {
    /// Reads a span by the table of attributes, and then by each dialect.
    pub(crate) fn of(
        span: &Span,
        reading: &mut Reading,
        dialects: &[Dialect],
    ) -> Result<Self, Error> {
        let kind = span.kind();
        let id = if kind == Some(Kind::Tool) { Fact::ToolCallId } else { Fact::ResponseId };
        let name = if kind == Some(Kind::Tool) { Fact::ToolName } else { Fact::AgentName };
        let facts = [
            Fact::InputTokens,
            Fact::OutputTokens,
            Fact::TotalTokens,
            Fact::CachedTokens,
            Fact::CacheWriteTokens,
            Fact::ReasoningTokens,
        ];
        let cost_usd = span.real(Fact::CostUsd).filter(|cost| *cost >= 0.0);
        let mut step = Self {
            kind,
            name: span.text(name),
            model: span.text(Fact::Model),
            usage: Counts::of(facts.map(|fact| span.whole(fact)), cost_usd).usage(Rule::OpenAi),
            id: span.text(id),
            arguments: span.fact(Fact::ToolArguments).map(|it| reading.arguments(it)),
            error: span.error.clone(),
            is_open: span.is_open(),
            start: span.start,
            seconds: span.seconds(),
            ..Self::default()
        };
        for dialect in dialects {
            step.take(dialect, span, reading)?;
            (dialect.read)(span, &mut step, reading)?;
        }
        step.error = step.error.map(|error| match span.get("exception.message").and_then(text) {
            Some(message) if error.is_empty() => message,
            _ if error.is_empty() => "an error without a message".to_owned(),
            _ => error,
        });
        match step.kind {
            Some(Kind::ModelCall) => step.complete_call(span, reading)?,
            Some(Kind::Tool | Kind::Agent) => step.name = step.name.or(Some(span.name.clone())),
            None => {}
        }
        Ok(step)
    }

    /// Takes what goes in and out, and the counts and the cost, under the names of a dialect.
    fn take(&mut self, dialect: &Dialect, span: &Span, reading: &mut Reading) -> Result<(), Error> {
        let first = |names: &[&str]| names.iter().find_map(|name| span.get(name));
        if self.kind == Some(Kind::Tool) && self.arguments.is_none() {
            self.arguments = first(dialect.inputs).map(|input| reading.arguments(input));
        }
        if self.kind != Some(Kind::ModelCall) {
            return Ok(());
        }
        if let Some(output) = first(dialect.outputs) {
            self.take_output(output, reading)?;
        }
        if let Some(Value::Text(counts)) = span.get(dialect.counts) {
            let counts = reading.json(counts, Counts::read)?.unwrap_or_default();
            self.usage = filled(&self.usage, &counts.usage(Rule::OpenAi));
        }
        if let Some(Value::Map(parts)) =
            span.get(dialect.costs).map(|it| reading.value(it)).transpose()?
        {
            let total = ["total", "total_cost"].iter().find_map(|name| parts.get(*name));
            let sum = || parts.values().filter_map(real).reduce(|a, b| a + b);
            let cost = total.and_then(real).or_else(sum).filter(|cost| *cost >= 0.0);
            self.usage.cost_usd = self.usage.cost_usd.or(cost);
        }
        Ok(())
    }

    /// Completes a model call. A call that did not fail has a reply, even if its text was not recorded.
    fn complete_call(&mut self, span: &Span, reading: &mut Reading) -> Result<(), Error> {
        let is_charged = self.usage.input_tokens.is_some() || self.usage.output_tokens.is_some();
        if self.reply.is_none() && (self.error.is_none() || is_charged) {
            self.reply = Some(Reply::default());
        }
        let Some(reply) = &mut self.reply else { return Ok(()) };
        if reply.stop.is_none()
            && let Some(reasons) = span.fact(Fact::FinishReason)
        {
            let reasons = reading.value(reasons)?;
            let first = if let Value::List(all) = &reasons { all.first() } else { Some(&reasons) };
            reply.stop = first.and_then(text).map(StopReason::from);
        }
        if let Some(usage) = reply.usage.take() {
            self.usage = filled(&self.usage, &usage);
        }
        reply.id = reply.id.take().or(self.id.clone());
        reply.usage = (self.usage != Usage::default()).then(|| self.usage.clone());
        Ok(())
    }

    /// Takes what a model returned: the whole reply of a provider, a message, or a text.
    pub(crate) fn take_output(
        &mut self,
        output: &Value,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        if self.reply.is_some() {
            return Ok(());
        }
        if let Value::Text(text) = output {
            let read = reading.json(text, |json| {
                let mut response = Response::default();
                response.read(json).map(|()| response)
            })?;
            if let Some(response) = read.filter(Response::is_any) {
                let read = response.turn(Vec::new());
                (self.reply, self.other_replies) = (read.turn.reply, read.turn.other_replies);
                self.model = self.model.take().or(read.turn.model);
                self.error = self.error.take().or(read.turn.error);
                return Ok(());
            }
        }
        let output = reading.value(output)?;
        let all = if let Value::List(all) = &output { all.as_slice() } else { &[output] };
        for message in all {
            let reply = reply(message, reading)?;
            match &self.reply {
                None => self.reply = Some(reply),
                Some(_) => self.other_replies.push(reply),
            }
        }
        Ok(())
    }

    /// Takes what another span of the same call states in addition.
    pub(crate) fn add(&mut self, other: Self) {
        self.usage = filled(&self.usage, &other.usage);
        self.model = self.model.take().or(other.model);
        self.id = self.id.take().or(other.id);
        self.error = self.error.take().or(other.error);
        self.is_open &= other.is_open;
        self.arguments = self.arguments.take().or(other.arguments);
        match (&mut self.reply, other.reply) {
            (Some(reply), Some(more)) => {
                if reply.text.is_empty() && reply.tool_calls.is_empty() {
                    (reply.text, reply.tool_calls) = (more.text, more.tool_calls);
                }
                reply.tokens = reply.tokens.take().or(more.tokens);
                reply.stop = reply.stop.take().or(more.stop);
                reply.id = reply.id.take().or(more.id);
                reply.usage = (self.usage != Usage::default()).then(|| self.usage.clone());
            }
            (None, more) if self.error.is_none() => self.reply = more,
            _ => {}
        }
    }
}

/// Returns a usage, with the counts of another one where it has none.
pub(crate) fn filled(usage: &Usage, other: &Usage) -> Usage {
    if usage.input_tokens.is_none() && usage.output_tokens.is_none() {
        return Usage { cost_usd: usage.cost_usd.or(other.cost_usd), ..other.clone() };
    }
    usage.with_counts_of(other, Option::or, usage.cost_usd.or(other.cost_usd))
}
