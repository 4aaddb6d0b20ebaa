use std::{collections::BTreeMap, io::Cursor};

use run_logs::{Format, ReadOptions, Reply, read};
use serde::{Serialize, Serializer};
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::{anthropic, openai_chat, openai_responses},
    error::Error,
    values::{macros::names, request::Request},
};

/// The format of a server's requests and replies.
///
/// Settings without a place in a format are left out of a request: temperature, `top_p`, log-probabilities and the seed for
/// Anthropic, and the seed for OpenAI's Responses. Thoughts of earlier turns are not sent back in any of them.
///
/// ```
/// use agent_benchmarks::{Api, Message, Request, Role};
///
/// let request = Request::new(vec![
///     Message::new(Role::System, "Add."),
///     Message::new(Role::User, "12 + 6"),
/// ]);
/// assert_eq!(
///     Api::OpenAiResponses.body(&request, "my-model"),
///     r#"{"input":[{"content":"Add.","role":"system"},{"content":"12 + 6","role":"user"}],"model":"my-model","store":false}"#
/// );
/// let reply = br#"{"type": "message", "content": [{"type": "text", "text": "18"}], "stop_reason": "end_turn"}"#;
/// assert_eq!(Api::Anthropic.read_reply(reply)?.text, "18");
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's Chat Completions, which most servers accept.
    #[default]
    OpenAiChat,
    /// OpenAI's Responses. The server stores nothing, so that each request has the whole dialogue.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
}

names!(Api, OpenAiChat "openai-chat", OpenAiResponses "openai-responses", Anthropic "anthropic");

impl Api {
    /// Returns the path of a request after the base URL.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/chat/completions",
            Self::OpenAiResponses => "/responses",
            Self::Anthropic => "/messages",
        }
    }

    /// Writes a request as the JSON body of this format.
    ///
    /// Calls without an id get one. Arguments that are not a JSON object are sent as an object with the field
    /// `unreadable_arguments`, because many servers refuse a history with other arguments.
    #[must_use]
    pub fn body(self, request: &Request, model: &str) -> String {
        body_text(&Value::Map(self.fields(request, model)))
    }

    pub(crate) fn fields(self, request: &Request, model: &str) -> BTreeMap<String, Value> {
        let fields = match self {
            Self::OpenAiChat => openai_chat::fields(request),
            Self::OpenAiResponses => openai_responses::fields(request),
            Self::Anthropic => anthropic::fields(request),
        };
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let all = given.chain([("model", model.into())]);
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Reads the reply from a JSON response in this format. If the response has several choices, the first is taken.
    ///
    /// # Errors
    ///
    /// [`Error::RunLogs`] for text that is not such a response, and [`Error::Invalid`] with the server's message for a
    /// response without a reply.
    pub fn read_reply(self, response: &[u8]) -> Result<Reply, Error> {
        let format = match self {
            Self::OpenAiChat => Format::OpenAiChat,
            Self::OpenAiResponses => Format::OpenAiResponses,
            Self::Anthropic => Format::Anthropic,
        };
        let mut runs = read(Cursor::new(response), format, &ReadOptions::default())?;
        let run = runs.next().transpose()?.unwrap_or_default();
        let turn = run.turns.into_iter().next().unwrap_or_default();
        turn.reply.ok_or_else(|| {
            let problem = turn.error.or(run.error);
            let problem = problem.unwrap_or_else(|| "there is no choice".to_owned());
            Error::invalid(format!("the response has no reply: {problem}"))
        })
    }
}

/// The usual order of a tool's fields. Other fields follow.
const USUAL: [&str; 7] =
    ["type", "function", "name", "enum", "description", "parameters", "properties"];

/// Writes a body as JSON. Models read the text of a tool, so its fields are in their usual order, and the properties of a schema
/// are in the order of its required properties.
pub(crate) fn body_text(value: &Value) -> String {
    serde_json::to_string(&Ordered(value, &USUAL)).unwrap_or_default()
}

/// A value whose integers keep all digits, with the keys that come first.
struct Ordered<'a>(&'a Value, &'a [&'a str]);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Integer(number) => serializer.serialize_i128(*number),
            Value::List(values) => {
                serializer.collect_seq(values.iter().map(|value| Ordered(value, &USUAL)))
            }
            Value::Map(fields) => {
                let required = match fields.get("required") {
                    Some(Value::List(names)) => names.as_slice(),
                    _ => &[],
                };
                let required = required.iter().filter_map(|name| match name {
                    Value::Text(name) => Some(name.as_str()),
                    _ => None,
                });
                let required: Vec<&str> = required.collect();
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                let place = |name: &str| self.1.iter().position(|known| *known == name);
                fields.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
                serializer.collect_map(fields.into_iter().map(|(name, value)| {
                    let order = if name == "properties" { &required[..] } else { &USUAL };
                    (name, Ordered(value, order))
                }))
            }
            value => value.serialize(serializer),
        }
    }
}

/// Writes a request as the JSON body of OpenAI's chat completions, like [`Api::body`] for [`Api::OpenAiChat`].
///
/// ```
/// use agent_benchmarks::{Message, Request, Role, openai_chat_body};
///
/// let request = Request::new(vec![Message::new(Role::User, "What is 12 + 6?")]);
/// assert_eq!(
///     openai_chat_body(&request, "my-model"),
///     r#"{"messages":[{"content":"What is 12 + 6?","role":"user"}],"model":"my-model"}"#
/// );
/// ```
#[must_use]
pub fn openai_chat_body(request: &Request, model: &str) -> String {
    Api::OpenAiChat.body(request, model)
}

/// Reads the reply from a JSON response of OpenAI's chat completions.
///
/// # Errors
///
/// The errors of [`Api::read_reply`].
///
/// ```
/// use agent_benchmarks::{Error, StopReason, read_openai_chat};
///
/// let response = br#"{"choices": [{"message": {"role": "assistant", "content": "18"},
///     "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}"#;
/// let reply = read_openai_chat(response)?;
/// assert_eq!((reply.text.as_str(), reply.stop), ("18", Some(StopReason::Completed)));
/// assert_eq!(reply.usage.and_then(|usage| usage.total_tokens()), Some(10));
///
/// let error = read_openai_chat(br#"{"error": {"message": "too many requests"}}"#).unwrap_err();
/// assert!(matches!(&error, Error::Invalid { problem } if problem.contains("too many requests")));
/// # Ok::<(), Error>(())
/// ```
pub fn read_openai_chat(response: &[u8]) -> Result<Reply, Error> {
    Api::OpenAiChat.read_reply(response)
}
