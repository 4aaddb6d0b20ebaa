use std::collections::BTreeMap;

use censoring::StopReason;
use run_logs::{Arguments, Reply};
use trajectory_metrics::tool_calls::Value;

use crate::{error::Error, values::request::Request};

/// Something about a reply that keeps it, or a part of it, from being used as it is.
///
/// `call` is the position of the call in the reply, from 0.
///
/// ```
/// use agent_benchmarks::{Reply, ReplyEvent, Request, reply_events};
///
/// let events = reply_events(&Request::default(), &Reply::default());
/// assert_eq!(events, [ReplyEvent::EmptyText]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyEvent {
    /// The model refused, and the provider marks the reply as a refusal.
    Refusal {
        /// The text of the refusal.
        text: String,
    },
    /// The reply has neither text nor calls.
    EmptyText,
    /// The reply ends because it reached the limit of its tokens.
    CutOff,
    /// The reply makes several calls where one is allowed.
    SeveralCalls {
        /// The number of calls.
        made: usize,
    },
    /// A call names a tool that the request does not offer.
    UnknownTool {
        /// The call.
        call: usize,
        /// The name that it gives.
        tool: String,
    },
    /// The arguments of a call are not one JSON object.
    InvalidArguments {
        /// The call.
        call: usize,
        /// The tool's name.
        tool: String,
        /// What is wrong with them.
        problem: String,
    },
    /// A call lacks an argument that its tool requires.
    MissingArgument {
        /// The call.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// A call has an argument that its tool does not take.
    UnexpectedArgument {
        /// The call.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// An argument of a call has a value that its tool does not take.
    InvalidValue {
        /// The call.
        call: usize,
        /// The tool's name.
        tool: String,
        /// The argument.
        argument: String,
        /// What is wrong with the value.
        problem: String,
    },
    /// The text does not hold what the protocol asks for, such as an answer between tags.
    Unreadable {
        /// What is missing or wrong.
        problem: String,
    },
    /// A part of the text is left out or asks for what cannot be done; the rest is used.
    NotCarriedOut {
        /// What is left out, and why.
        problem: String,
    },
    /// The model gave no reply.
    NoReply {
        /// The driver's message.
        problem: String,
    },
}

/// A [`ReplyEvent`] of one turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEvent {
    /// The turn, from 0.
    pub turn: usize,
    /// What happened.
    pub event: ReplyEvent,
}

/// What is wrong with a reply to a request, in the order refusal, text, calls.
///
/// Each call is compared with the definition of its tool. Several calls are no event by themselves;
/// a protocol that allows only one adds [`ReplyEvent::SeveralCalls`].
///
/// ```
/// use agent_benchmarks::{
///     Arguments, Parameter, ParameterKind, RecordedCall, Reply, ReplyEvent, Request, ToolDefinition,
///     reply_events,
/// };
///
/// let mut request = Request::default();
/// request.tools.push(ToolDefinition {
///     name: "search".to_owned(),
///     description: "Searches.".to_owned(),
///     parameters: vec![Parameter::new("query", "What to look for.", ParameterKind::Text)],
///     takes_more: false,
/// });
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
        let given = match &made.arguments {
            Arguments::Parsed(Value::Map(given)) => given,
            Arguments::Parsed(_) => {
                let problem = "the arguments are not a JSON object".to_owned();
                events.push(ReplyEvent::InvalidArguments { call, tool, problem });
                continue;
            }
            Arguments::Unparsed { problem, .. } => {
                let problem = problem.clone();
                events.push(ReplyEvent::InvalidArguments { call, tool, problem });
                continue;
            }
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
    /// The name of the kind, from `refusal` to `no_reply`.
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

    /// The call that the event is about; `None` if it is about the whole reply.
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

impl TurnEvent {
    /// The event as a map of its fields, which a log can hold.
    pub(crate) fn to_value(&self) -> Value {
        let mut fields = BTreeMap::from([
            ("turn".to_owned(), number(self.turn)),
            ("event".to_owned(), self.event.name().into()),
        ]);
        if let Some(call) = self.event.call() {
            fields.insert("call".to_owned(), number(call));
        }
        let mut text = |name: &str, text: &str| fields.insert(name.to_owned(), text.into());
        match &self.event {
            ReplyEvent::EmptyText | ReplyEvent::CutOff => {}
            ReplyEvent::Refusal { text: refusal } => drop(text("text", refusal)),
            ReplyEvent::UnknownTool { tool, .. } => drop(text("tool", tool)),
            ReplyEvent::InvalidArguments { tool, problem, .. } => {
                text("tool", tool);
                text("problem", problem);
            }
            ReplyEvent::MissingArgument { tool, argument, .. }
            | ReplyEvent::UnexpectedArgument { tool, argument, .. } => {
                text("tool", tool);
                text("argument", argument);
            }
            ReplyEvent::InvalidValue { tool, argument, problem, .. } => {
                text("tool", tool);
                text("argument", argument);
                text("problem", problem);
            }
            ReplyEvent::Unreadable { problem }
            | ReplyEvent::NotCarriedOut { problem }
            | ReplyEvent::NoReply { problem } => {
                text("problem", problem);
            }
            ReplyEvent::SeveralCalls { made } => {
                fields.insert("made".to_owned(), number(*made));
            }
        }
        Value::Map(fields)
    }

    /// Reads what [`Self::to_value`] wrote.
    pub(crate) fn from_value(value: &Value) -> Result<Self, Error> {
        let invalid = |problem: String| Error::StoredValue { problem };
        let Value::Map(fields) = value else {
            return Err(invalid("an event of a reply must be an object".to_owned()));
        };
        let number = |name: &str| match fields.get(name) {
            Some(Value::Integer(number)) => usize::try_from(*number).ok(),
            _ => None,
        };
        let number = |name: &str| {
            number(name).ok_or_else(|| invalid(format!("{name} of an event must be a count")))
        };
        let text = |name: &str| match fields.get(name) {
            Some(Value::Text(text)) => Ok(text.clone()),
            _ => Err(invalid(format!("{name} of an event must be text"))),
        };
        let (turn, kind) = (number("turn")?, text("event")?);
        let call = || number("call");
        let tool = || text("tool");
        let argument = || text("argument");
        let problem = || text("problem");
        let event = match kind.as_str() {
            "refusal" => ReplyEvent::Refusal { text: text("text")? },
            "empty_text" => ReplyEvent::EmptyText,
            "cut_off" => ReplyEvent::CutOff,
            "several_calls" => ReplyEvent::SeveralCalls { made: number("made")? },
            "unknown_tool" => ReplyEvent::UnknownTool { call: call()?, tool: tool()? },
            "invalid_arguments" => {
                ReplyEvent::InvalidArguments { call: call()?, tool: tool()?, problem: problem()? }
            }
            "missing_argument" => {
                ReplyEvent::MissingArgument { call: call()?, tool: tool()?, argument: argument()? }
            }
            "unexpected_argument" => ReplyEvent::UnexpectedArgument {
                call: call()?,
                tool: tool()?,
                argument: argument()?,
            },
            "invalid_value" => ReplyEvent::InvalidValue {
                call: call()?,
                tool: tool()?,
                argument: argument()?,
                problem: problem()?,
            },
            "unreadable" => ReplyEvent::Unreadable { problem: problem()? },
            "not_carried_out" => ReplyEvent::NotCarriedOut { problem: problem()? },
            "no_reply" => ReplyEvent::NoReply { problem: problem()? },
            other => return Err(invalid(format!("{other:?} is not an event of a reply"))),
        };
        Ok(Self { turn, event })
    }
}

fn number(number: usize) -> Value {
    Value::Integer(number as i128)
}
