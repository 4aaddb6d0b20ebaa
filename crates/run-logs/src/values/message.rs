use censoring::StopReason;

use crate::values::{recorded_call::RecordedCall, tokens::Tokens, usage::Usage};

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The instructions of the system or of its developer.
    System,
    /// The user, real or simulated.
    User,
    /// The model.
    Assistant,
    /// A tool that returns its result.
    Tool,
}

impl Role {
    /// The word that chat formats use: `system`, `user`, `assistant` or `tool`.
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

/// A message of a conversation, as it is sent to a model.
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
    /// A message without calls.
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

/// What a model returned for one request.
///
/// ```
/// use run_logs::Reply;
///
/// let reply = Reply { text: "18".to_owned(), ..Reply::default() };
/// assert!(reply.tool_calls.is_empty() && reply.tokens.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The text, without reasoning; parts are joined without a separator.
    pub text: String,
    /// The text of a refusal, if the provider marks it as one.
    pub refusal: Option<String>,
    /// The tool calls, in their order.
    pub tool_calls: Vec<RecordedCall>,
    /// The tokens with their log-probabilities; `None` if the log has none.
    pub tokens: Option<Tokens>,
    /// Why the model stopped, such as [`StopReason::Completed`] or [`StopReason::MaxTokens`].
    pub stop: Option<StopReason>,
    /// What the call used. Of several replies to one request, only the first has it.
    pub usage: Option<Usage>,
}
