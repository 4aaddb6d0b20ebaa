use std::{collections::BTreeMap, sync::Arc};

use censoring::StopReason;
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::values::{evaluation::Evaluation, tokens::Tokens};

/// One run of an agent on one task, as a log describes it.
///
/// A run holds the facts of the log without a judgement: the rules for what counts are in [`FactRules`](crate::FactRules).
///
/// ```
/// use run_logs::{Run, Turn};
///
/// let mut run = Run::new("sample-1");
/// run.task = Some("arithmetic/sample-1".to_owned());
/// run.turns.push(Turn::default());
/// assert_eq!((run.id.as_str(), run.turns.len(), run.stop), ("sample-1", 1, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The name of the sample, trial or simulation within its log.
    pub id: String,
    /// Whether the log has no name for the run, so that the id is a position.
    pub is_numbered: bool,
    /// A unique name of the run, which identifies a copy of it.
    pub uuid: Option<String>,
    /// The position of the run's log among the logs that are read together.
    pub log: usize,
    /// The evaluation of the run.
    pub evaluation: Option<Arc<Evaluation>>,
    /// The task, if the log names one: for inspect_ai the name of the evaluation and the sample, such as
    /// `arith/prime-0`.
    pub task: Option<String>,
    /// The repetition of the task: the epoch of inspect_ai, the trial of tau2.
    pub trial: Option<u64>,
    /// The model of the agent, if the log names one.
    pub model: Option<String>,
    /// The values of the scorers by name. A value that is NaN in the log is [`Value::Null`].
    pub scores: BTreeMap<String, Score>,
    /// The outcome, if the log itself says whether the run succeeded. Most logs hold scores
    /// instead.
    pub outcome: Option<bool>,
    /// The grade that a judgement outside the log gives the run, from 0 to 1. It overrides everything in the log.
    pub grade: Option<f64>,
    /// The reason for the end of the run.
    pub stop: Option<StopReason>,
    /// The number of turns over which a cut-off run would have been scored, if the log gives it.
    pub horizon: Option<u64>,
    /// The limit that ended the run.
    pub limit: Option<RunLimit>,
    /// The message of the error that ended the run.
    pub error: Option<String>,
    /// The reason why the log itself does not count the run, such as an infrastructure error.
    pub excluded: Option<String>,
    /// The time of the start in seconds since 1970 (UTC), if the log has times.
    pub started: Option<f64>,
    /// The wall time of the run in seconds, from its start to its end, if the log has times.
    pub seconds: Option<f64>,
    /// The total usage of the agent and its subagents, from the log's own totals if it has them.
    pub usage: Usage,
    /// The usage of each model by all callers, if the log has totals by model.
    pub usage_by_model: BTreeMap<String, Usage>,
    /// The usage of callers other than the agent, such as graders and simulated users: by role, then by model. It is included in
    /// [`Self::usage_by_model`].
    pub other_usage: BTreeMap<String, BTreeMap<String, Usage>>,
    /// The model calls in their order.
    pub turns: Vec<Turn>,
    /// The calls that the task expects from the agent and from the simulated user, if the log holds them.
    pub expected_calls: Vec<ExpectedCall>,
    /// Other facts of the log that a format defines, by name.
    pub metadata: BTreeMap<String, Value>,
}

impl Run {
    /// Creates a run of which only the name is known.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Returns the turns of the agent itself, excluding turns of failed attempts, of graders and of simulated users.
    pub fn agent_turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(|turn| turn.caller.is_agent())
    }

    /// Notes a fact of the log that has no field.
    pub(crate) fn note(&mut self, name: &str, fact: impl Into<Value>) {
        self.metadata.insert(name.to_owned(), fact.into());
    }

    /// Returns the usage of each model by the agent and its subagents, if the log has totals by model.
    #[must_use]
    pub fn agent_usage_by_model(&self) -> BTreeMap<String, Usage> {
        let mut models = self.usage_by_model.clone();
        for (model, used) in self.other_usage.values().flatten() {
            if let Some(usage) = models.get_mut(model) {
                *usage = usage.without(used);
                if usage.total_tokens() == Some(0) {
                    models.remove(model);
                }
            }
        }
        models
    }

    /// Returns the number of model calls of the agent and its subagents that returned a reply.
    #[must_use]
    pub fn n_model_calls(&self) -> u64 {
        let replied = self.agent_turns().filter(|turn| turn.reply.is_some());
        replied.fold(0, |sum: u64, turn| sum.saturating_add(turn.model_calls.unwrap_or(1)))
    }
}

/// The value that a scorer gave a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The value: a number, a boolean, a word such as `C` or `I`, a list or a map. NaN is null.
    pub value: Value,
    /// The answer that was scored.
    pub answer: Option<String>,
    /// The explanation of the value.
    pub explanation: Option<String>,
    /// Further notes of the scorer.
    pub metadata: BTreeMap<String, Value>,
}

/// A limit that ended a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLimit {
    /// The kind of the limit as the log names it, such as `token` or `time`.
    pub kind: String,
    /// The limit in the unit of its kind; `None` if the log has no number.
    pub limit: Option<f64>,
    /// The limit that was reached, in words.
    pub reason: Option<String>,
}

/// One call of a model: the request and the reply.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The model that was called.
    pub model: Option<String>,
    /// The caller of the model.
    pub caller: Caller,
    /// The messages that were sent. Empty unless [`ReadOptions::requests`](crate::ReadOptions::requests) is set, because each
    /// turn repeats the conversation before it.
    pub request: Vec<Message>,
    /// The reply; `None` if the call failed.
    pub reply: Option<Reply>,
    /// Further replies to the same request, if several were requested.
    pub other_replies: Vec<Reply>,
    /// The message of the error of a call that failed.
    pub error: Option<String>,
    /// The number of model calls that the log counts for the turn; `None` means one. Zero marks a step that the agent's program
    /// took without a model.
    pub model_calls: Option<u64>,
    /// The time of the model call in seconds, if the log states it.
    pub seconds: Option<f64>,
}

impl Turn {
    /// Returns the usage of the call, if the log has it.
    pub(crate) fn usage(&self) -> Option<&Usage> {
        self.reply.as_ref()?.usage.as_ref()
    }

    /// Returns the tool calls of the reply.
    pub(crate) fn calls(&self) -> &[RecordedCall] {
        self.reply.as_ref().map(|reply| reply.tool_calls.as_slice()).unwrap_or_default()
    }

    /// Returns a tool call of the reply by its position.
    pub(crate) fn call_mut(&mut self, at: usize) -> Option<&mut RecordedCall> {
        self.reply.as_mut()?.tool_calls.get_mut(at)
    }
}

/// The caller of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The agent.
    #[default]
    Agent,
    /// An agent that the agent called, by name.
    Subagent(String),
    /// A scorer that grades the run with a model.
    Grader,
    /// A simulated user.
    User,
    /// A model with a role other than the agent's, such as a critic.
    Role(String),
    /// The agent in an attempt that failed and was repeated.
    FailedAttempt,
}

impl Caller {
    /// Returns true if the agent or one of its subagents made the call, and false for other roles, such as scorers.
    pub(crate) const fn is_agent(&self) -> bool {
        matches!(self, Self::Agent | Self::Subagent(_))
    }

    /// The role of a caller other than the agent.
    pub(crate) fn role(&self) -> Option<&str> {
        match self {
            Self::Grader => Some("grader"),
            Self::User => Some("user"),
            Self::Role(role) => Some(role),
            _ => None,
        }
    }
}

/// The usage of a model call or of a whole run. A count that the log does not give is `None`.
///
/// Input tokens include cached ones in every format: readers add them if a log counts them separately, as inspect_ai does, so
/// that runs of different formats can be compared.
///
/// ```
/// use run_logs::Usage;
///
/// let call = Usage { input_tokens: Some(900), output_tokens: Some(50), ..Usage::default() };
/// let both = call.plus(&call);
/// assert_eq!((both.input_tokens, both.total_tokens()), (Some(1_800), Some(1_900)));
/// assert_eq!(both.cost_usd, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the prompt, including tokens read from and written to a cache.
    pub input_tokens: Option<u64>,
    /// The part of the input tokens that was read from a cache.
    pub cached_tokens: Option<u64>,
    /// The part of the input tokens that was written to a cache.
    pub cache_write_tokens: Option<u64>,
    /// Tokens of the reply, including reasoning tokens.
    pub output_tokens: Option<u64>,
    /// The part of the output tokens that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// The cost in US dollars, at least 0.
    pub cost_usd: Option<f64>,
    /// The log's own number of all tokens, if it differs from the sum of input and output, or if the log has no number
    /// of input tokens.
    pub total: Option<u64>,
    /// A remark about the counts.
    pub remark: Option<UsageRemark>,
}

/// A remark about the counts of a [`Usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum UsageRemark {
    /// Counts in the log contradict each other, so that all of them are treated as unknown.
    Contradictory,
    /// The log's total exceeds the sum of input and output, and no other count explains the difference.
    LargerTotal,
}

impl Usage {
    /// Returns the number of all tokens: the log's own total if it has one, otherwise the sum of input and output
    /// tokens, which is `None` unless both are known.
    #[must_use]
    pub fn total_tokens(&self) -> Option<u64> {
        self.total.or_else(|| self.input_tokens?.checked_add(self.output_tokens?))
    }

    /// Returns the sum of two usages. A count is known if it is known in both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let cost_usd = self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b);
        self.with_counts_of(other, |a, b| a?.checked_add(b?), cost_usd)
    }

    /// Returns the sum of the known counts of two usages. A count is known if it is known in one of them, unless counts of one
    /// contradict each other.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let plus = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => a.checked_add(b),
            (a, b) => a.or(b),
        };
        let cost_usd = self.cost_usd.into_iter().chain(other.cost_usd).reduce(|a, b| a + b);
        let contradictory = Some(UsageRemark::Contradictory);
        if [self.remark, other.remark].contains(&contradictory) {
            return Self { cost_usd, remark: contradictory, ..Self::default() };
        }
        self.with_counts_of(other, plus, cost_usd)
    }

    /// Returns the usage minus a part of it. An unknown count of the part is taken as 0.
    fn without(&self, part: &Self) -> Self {
        let minus = |whole: Option<u64>, part: Option<u64>| whole?.checked_sub(part.unwrap_or(0));
        let cost = self.cost_usd.map(|cost| (cost - part.cost_usd.unwrap_or(0.0)).max(0.0));
        self.with_counts_of(part, minus, cost)
    }

    /// Returns a usage with this cost, in which each count is derived from the counts of two others.
    pub(crate) fn with_counts_of(
        &self,
        other: &Self,
        count: impl Fn(Option<u64>, Option<u64>) -> Option<u64>,
        cost_usd: Option<f64>,
    ) -> Self {
        let has_total = self.total.is_some() || other.total.is_some();
        let total = has_total.then(|| count(self.total_tokens(), other.total_tokens())).flatten();
        let sum = Self {
            input_tokens: count(self.input_tokens, other.input_tokens),
            cached_tokens: count(self.cached_tokens, other.cached_tokens),
            cache_write_tokens: count(self.cache_write_tokens, other.cache_write_tokens),
            output_tokens: count(self.output_tokens, other.output_tokens),
            reasoning_tokens: count(self.reasoning_tokens, other.reasoning_tokens),
            cost_usd,
            total: None,
            remark: self.remark.or(other.remark),
        };
        Self { total: total.filter(|_| sum.total_tokens() != total), ..sum }
    }
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The system or its developer, who gives instructions.
    System,
    /// The user, real or simulated.
    User,
    /// The model.
    Assistant,
    /// A tool that returns its result.
    Tool,
}

impl Role {
    /// Returns the word that chat formats use: `system`, `user`, `assistant` or `tool`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A message of a conversation, in the form that is sent to a model.
///
/// ```
/// use run_logs::{Message, Role};
///
/// let question = Message::new(Role::User, "What is 12 + 6?");
/// assert_eq!((question.role.name(), question.text.as_str()), ("user", "What is 12 + 6?"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text; the texts of several parts are joined without a separator. Images and other parts
    /// are left out.
    pub text: String,
    /// The calls that a message of the model makes.
    pub tool_calls: Vec<RecordedCall>,
    /// The id of the call that a message of a tool answers.
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Creates a message without calls.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// The bytes that a copy holds.
    pub(crate) fn size(&self) -> usize {
        let calls: usize = self.tool_calls.iter().map(RecordedCall::size).sum();
        size_of::<Self>() + self.text.len() + calls
    }
}

/// The reply of a model to one request.
///
/// ```
/// use run_logs::Reply;
///
/// let reply = Reply::from("18");
/// assert!(reply.tool_calls.is_empty() && reply.tokens.is_none());
/// assert_eq!(reply, Reply { text: "18".to_owned(), ..Reply::default() });
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The provider's id of the reply. A copy of the reply in another log has the same id.
    pub id: Option<String>,
    /// The text, without reasoning; parts are joined without a separator.
    pub text: String,
    /// The text of a refusal, if the provider marks it as one.
    pub refusal: Option<String>,
    /// The tool calls, in their order.
    pub tool_calls: Vec<RecordedCall>,
    /// The tokens with their log-probabilities; `None` if the log has none.
    pub tokens: Option<Tokens>,
    /// The reason why the model stopped, such as [`StopReason::Completed`] or [`StopReason::MaxTokens`].
    pub stop: Option<StopReason>,
    /// The usage of the call. If one request has several replies, only the first has it.
    pub usage: Option<Usage>,
}

impl From<String> for Reply {
    /// Creates a reply of this text.
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Reply {
    /// Creates a reply of this text.
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// The arguments of a tool call as a log records them.
///
/// A model may write arguments that are not a JSON object. This is a fact about the model and not an error of the log: the
/// arguments are kept as text with the problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// Arguments that were read; usually a [`Value::Map`].
    Parsed(Value),
    /// Text that cannot be parsed as one JSON object.
    Unparsed {
        /// The text as the model wrote it.
        text: String,
        /// The problem with the text.
        problem: String,
    },
}

impl Default for Arguments {
    /// Creates the arguments of a call without any: an empty map.
    fn default() -> Self {
        Self::Parsed(Value::Map(BTreeMap::new()))
    }
}

impl Arguments {
    /// Returns the argument of this name; `None` if the call has none, or if its arguments are not a map.
    ///
    /// ```
    /// use run_logs::{Arguments, Value};
    ///
    /// let arguments = Arguments::Parsed(Value::Map([("seats".to_owned(), 2.into())].into()));
    /// assert_eq!(arguments.get("seats"), Some(&Value::Integer(2)));
    /// assert_eq!(arguments.get("class"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Parsed(Value::Map(given)) => given.get(name),
            _ => None,
        }
    }

    /// Returns the arguments as a value: unreadable text is a [`Value::Text`].
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Self::Parsed(value) => value.clone(),
            Self::Unparsed { text, .. } => Value::Text(text.clone()),
        }
    }
}

/// A tool call that a model made, and whether it worked.
///
/// ```
/// use run_logs::{Arguments, RecordedCall};
/// use trajectory_metrics::tool_calls::{ToolCall, Value};
///
/// let mut call = RecordedCall::new("search", Arguments::Parsed(Value::Map(Default::default())));
/// call.error = Some("timeout".to_owned());
/// call.ok = Some(false);
/// let none: [(&str, Value); 0] = [];
/// assert_eq!(call.tool_call(), ToolCall::new("search", none));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedCall {
    /// The id by which results refer to the call.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
    /// The text of arguments that were parsed, as the model wrote it; `None` if the log has a value instead.
    pub written: Option<String>,
    /// Whether the tool accepted the call without an error; `None` if the log does not say.
    pub ok: Option<bool>,
    /// The tool's error.
    pub error: Option<String>,
    /// The time of the tool in seconds, if the log states it.
    pub seconds: Option<f64>,
}

impl RecordedCall {
    /// Creates a call whose success is unknown.
    #[must_use]
    pub fn new(name: impl Into<String>, arguments: Arguments) -> Self {
        Self {
            id: None,
            name: name.into(),
            arguments,
            written: None,
            ok: None,
            error: None,
            seconds: None,
        }
    }

    /// Returns the call in the form of the measures of trajectory-metrics.
    #[must_use]
    pub fn tool_call(&self) -> ToolCall {
        ToolCall { name: self.name.clone(), arguments: self.arguments.value() }
    }

    /// The bytes that a copy holds.
    pub(crate) fn size(&self) -> usize {
        let arguments = match &self.arguments {
            Arguments::Parsed(value) => value_size(value),
            Arguments::Unparsed { text, .. } => text.len(),
        };
        let written = self.written.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.name.len() + written + arguments
    }
}

/// Returns the text that a value is.
pub(crate) fn text_of(value: &Value) -> Option<&str> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

/// Returns the number that a value is, of either kind.
pub(crate) fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        _ => None,
    }
}

/// The bytes that a value holds.
pub(crate) fn value_size(value: &Value) -> usize {
    let content = match value {
        Value::Text(text) => text.len(),
        Value::List(values) => values.iter().map(value_size).sum(),
        Value::Map(values) => values.iter().map(|(key, value)| key.len() + value_size(value)).sum(),
        _ => 0,
    };
    size_of::<Value>() + content
}

/// A call that the author of a task expects.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Caller, Error, Format, ReadOptions, read};
///
/// let log = br#"{"info": {"num_trials": 1, "user_info": {}, "agent_info": {"llm": "m"}},
///     "tasks": [{"id": "t", "evaluation_criteria": {"actions": [
///         {"action_id": "a", "name": "search", "arguments": {"city": "Oslo"}}]}}],
///     "simulations": [{"id": "s", "task_id": "t", "termination_reason": "user_stop"}]}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let runs = runs.collect::<Result<Vec<_>, Error>>()?;
/// let expected = &runs[0].expected_calls[0];
/// assert_eq!((expected.call.name.as_str(), &expected.caller), ("search", &Caller::Agent));
/// assert_eq!(expected.matched, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExpectedCall {
    /// The expected caller: [`Caller::Agent`] or [`Caller::User`].
    pub caller: Caller,
    /// The call.
    pub call: ToolCall,
    /// The names of the arguments that the benchmark compares; `None` if the task does not restrict
    /// them.
    pub compared: Option<Vec<String>>,
    /// Whether the benchmark found the call among the calls of the run; `None` if the benchmark did not look for it.
    pub matched: Option<bool>,
}
