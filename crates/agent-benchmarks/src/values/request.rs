use run_logs::Message;
use trajectory_metrics::tool_calls::Value;

use crate::values::tool_definition::ToolDefinition;

/// The sampling settings of a model. If a setting is `None`, the provider's default applies.
///
/// ```
/// use agent_benchmarks::Sampling;
///
/// let sampling = Sampling { temperature: Some(0.0), ..Sampling::default() };
/// assert_eq!(sampling.max_output_tokens, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampling {
    /// The temperature, at least 0.
    pub temperature: Option<f64>,
    /// The probability mass of the most probable tokens from which a token is drawn, in (0, 1].
    pub top_p: Option<f64>,
    /// The maximum number of tokens in a reply.
    pub max_output_tokens: Option<u64>,
    /// The seed, for providers that accept one.
    pub seed: Option<u64>,
    /// The effort of a reasoning model, in the provider's own word, such as `low` or `high`.
    pub reasoning_effort: Option<String>,
}

/// A request that a conversation sends to a model.
///
/// ```
/// use agent_benchmarks::{Message, Request, Role};
///
/// let request = Request::new(vec![Message::new(Role::User, "What is 12 + 6?")]);
/// assert!(request.tools.is_empty() && request.top_logprobs.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The whole dialogue so far.
    pub messages: Vec<Message>,
    /// The tools available to the model, in the order in which they are shown.
    pub tools: Vec<ToolDefinition>,
    /// Whether the reply may make several calls; `None` for the provider's own default.
    pub parallel_tool_calls: Option<bool>,
    /// The settings of sampling.
    pub sampling: Sampling,
    /// The number of most probable tokens per position whose log-probabilities are requested, in addition to those of
    /// the reply's own tokens; `None` if no log-probabilities are requested.
    pub top_logprobs: Option<u8>,
    /// The JSON Schema for the text of the reply; `None` for free text. A driver whose provider cannot enforce a schema may omit
    /// the schema, because the messages describe it.
    pub response_schema: Option<Value>,
}

impl Request {
    /// The number of characters per token in English text, by the usual rule of thumb.
    pub const CHARACTERS_PER_TOKEN: usize = 4;

    /// Creates a request with these messages, without tools and with the provider's own settings.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Returns the tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolDefinition> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
