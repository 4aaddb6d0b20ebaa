use censoring::StopReason;
use run_logs::{Arguments, Reply, Run, Score, to_atif};
use trajectory_metrics::{Figure, Measure, Undefined, tool_calls::Value};

use crate::values::request::Request;

/// A problem that prevents a reply, or a part of it, from being used as it is.
///
/// `call` is the position of the call in the reply, from 0.
///
/// ```
/// use agent_benchmarks::{Reply, ReplyEvent, Request, reply_events};
///
/// let events = reply_events(&Request::default(), &Reply::default());
/// assert_eq!(events, [ReplyEvent::EmptyText]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyEvent {
    /// The model refused, and the provider marks the reply as a refusal.
    Refusal {
        /// The text of the refusal.
        text: String,
    },
    /// The reply has neither text nor calls.
    EmptyText,
    /// The reply was truncated at the maximum number of tokens.
    CutOff,
    /// The reply makes several calls where one is allowed.
    SeveralCalls {
        /// The number of calls.
        made: usize,
    },
    /// A call names a tool that the request does not have.
    UnknownTool {
        /// The position of the call in the reply, from 0.
        call: usize,
        /// The name in the call.
        tool: String,
    },
    /// The arguments of a call are not one JSON object.
    InvalidArguments {
        /// The position of the call in the reply, from 0.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The problem with them.
        problem: String,
    },
    /// A call lacks an argument that its tool requires.
    MissingArgument {
        /// The position of the call in the reply, from 0.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// A call has an argument that its tool does not take.
    UnexpectedArgument {
        /// The position of the call in the reply, from 0.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// An argument of a call has a value that its tool does not take.
    InvalidValue {
        /// The position of the call in the reply, from 0.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
        /// The problem with the value.
        problem: String,
    },
    /// The text lacks the content that the protocol requires, such as an answer between tags.
    Unreadable {
        /// The missing or wrong part.
        problem: String,
    },
    /// A part of the text is left out or requests something impossible; the rest is used.
    NotCarriedOut {
        /// The omitted part, and the reason.
        problem: String,
    },
    /// The model gave no reply.
    NoReply {
        /// The driver's message.
        problem: String,
    },
}

/// A [`ReplyEvent`] of one turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TurnEvent {
    /// The turn, from 0.
    pub turn: usize,
    /// The event.
    #[serde(flatten)]
    pub event: ReplyEvent,
}

/// Returns the problems with a reply to a request: first a refusal, then problems with the text, then problems with the
/// calls.
///
/// Each call is compared with the definition of its tool. Several calls by themselves are not an event; a protocol that allows
/// only one adds [`ReplyEvent::SeveralCalls`].
///
/// ```
/// use agent_benchmarks::{
///     Arguments, Parameter, ParameterKind, RecordedCall, Reply, ReplyEvent, Request, ToolDefinition,
///     reply_events,
/// };
///
/// let mut request = Request::default();
/// let parameters = vec![Parameter::new("query", "What to look for.", ParameterKind::Text)];
/// request.tools.push(ToolDefinition::new("search", "Searches.", parameters));
/// let call = RecordedCall::new("search", Arguments::Parsed(Default::default()));
/// let reply = Reply { tool_calls: vec![call], ..Reply::default() };
/// let events = reply_events(&request, &reply);
/// assert!(matches!(&events[..], [ReplyEvent::InvalidArguments { call: 0, .. }]), "no object");
/// ```
#[must_use]
pub fn reply_events(request: &Request, reply: &Reply) -> Vec<ReplyEvent> {
    let mut events = Vec::new();
    if let Some(text) = &reply.refusal {
        events.push(ReplyEvent::Refusal { text: text.clone() });
    }
    if reply.stop == Some(StopReason::MaxTokens) {
        events.push(ReplyEvent::CutOff);
    }
    let is_empty = reply.text.trim().is_empty() && reply.refusal.is_none();
    if is_empty && reply.tool_calls.is_empty() {
        events.push(ReplyEvent::EmptyText);
    }
    for (call, made) in reply.tool_calls.iter().enumerate() {
        let tool = made.name.clone();
        let Some(definition) = request.tool(&made.name) else {
            events.push(ReplyEvent::UnknownTool { call, tool });
            continue;
        };
        let problem = match &made.arguments {
            Arguments::Parsed(_) => "the arguments are not a JSON object",
            Arguments::Unparsed { problem, .. } => problem,
        };
        let Arguments::Parsed(Value::Map(given)) = &made.arguments else {
            let problem = problem.to_owned();
            events.push(ReplyEvent::InvalidArguments { call, tool, problem });
            continue;
        };
        for parameter in &definition.parameters {
            let (tool, argument) = (tool.clone(), parameter.name.clone());
            match given.get(&parameter.name) {
                None if parameter.required => {
                    events.push(ReplyEvent::MissingArgument { call, tool, argument });
                }
                None => {}
                Some(value) => {
                    if let Some(problem) = parameter.problem(value) {
                        events.push(ReplyEvent::InvalidValue { call, tool, argument, problem });
                    }
                }
            }
        }
        let is_known = |name: &String| definition.parameters.iter().any(|it| it.name == *name);
        for argument in given.keys().filter(|name| !is_known(name)) {
            let (tool, argument) = (tool.clone(), argument.clone());
            events.push(ReplyEvent::UnexpectedArgument { call, tool, argument });
        }
    }
    events
}

impl ReplyEvent {
    /// Returns the name of this kind of event, such as `refusal` or `no_reply`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refusal { .. } => "refusal",
            Self::EmptyText => "empty_text",
            Self::CutOff => "cut_off",
            Self::SeveralCalls { .. } => "several_calls",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::MissingArgument { .. } => "missing_argument",
            Self::UnexpectedArgument { .. } => "unexpected_argument",
            Self::InvalidValue { .. } => "invalid_value",
            Self::Unreadable { .. } => "unreadable",
            Self::NotCarriedOut { .. } => "not_carried_out",
            Self::NoReply { .. } => "no_reply",
        }
    }

    /// Returns the position of the call that the event is about; `None` if it is about the whole reply.
    #[must_use]
    pub const fn call(&self) -> Option<usize> {
        match self {
            Self::UnknownTool { call, .. }
            | Self::InvalidArguments { call, .. }
            | Self::MissingArgument { call, .. }
            | Self::UnexpectedArgument { call, .. }
            | Self::InvalidValue { call, .. } => Some(*call),
            _ => None,
        }
    }
}

/// The record of a conversation: a run that every tool for logs can read, and the problems of the replies in it.
///
/// ```
/// use agent_benchmarks::{Record, ReplyEvent, Run, TurnEvent};
///
/// let events = vec![TurnEvent { turn: 0, event: ReplyEvent::SeveralCalls { made: 2 } }];
/// let log = Record { run: Run::new("query-1"), events }.to_atif();
/// assert!(log.contains("several_calls"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The run, with one turn for each request. Its metadata has the field `requests`: for each turn, the `messages`
    /// of its request with `role` and `content`. The number `repeats` counts the first messages, which repeat the
    /// previous request and its reply and are left out.
    pub run: Run,
    /// The problems of the replies, in the order of the turns.
    pub events: Vec<TurnEvent>,
}

impl Record {
    /// Adds a fact to the metadata of the run.
    pub(crate) fn keep(&mut self, name: &str, value: impl Into<Value>) {
        self.run.metadata.insert(name.to_owned(), value.into());
    }

    /// Adds a score to the run.
    pub(crate) fn score(&mut self, name: &str, value: impl Into<Value>) {
        let score = Score { value: value.into(), ..Score::default() };
        self.run.scores.insert(name.to_owned(), score);
    }

    /// Returns the run, with the events in its metadata, as a trajectory of the Agent Trajectory Interchange Format;
    /// see [`to_atif`].
    #[must_use]
    pub fn to_atif(&self) -> String {
        let mut run = self.run.clone();
        if !self.events.is_empty() {
            // Words and counts, which every format can represent.
            let events = serde_json::to_value(&self.events).and_then(serde_json::from_value);
            run.metadata.insert("reply_events".to_owned(), events.unwrap_or_default());
        }
        to_atif(&run)
    }
}

/// A list of metrics, each with its figure and interval, or with the reason why the figure is undefined.
pub type Figures = Vec<(Measure, Result<Figure, Undefined>)>;

/// Returns the figure with this key, if it is defined.
pub(crate) fn figure(figures: &Figures, key: &str) -> Option<Figure> {
    let (_, figure) = figures.iter().find(|(measure, _)| measure.key == key)?;
    figure.as_ref().ok().copied()
}
