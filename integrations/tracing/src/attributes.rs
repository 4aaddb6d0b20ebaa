//! The names of the attributes that are read. This file needs nothing, so that a reader of recorded spans can include it.

/// What an attribute of a span states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The kind of the span; [`KINDS`] lists the values.
    Kind,
    /// The name of the agent.
    AgentName,
    /// The model of a call.
    Model,
    /// The id of a reply. Two spans with the same id and the same counts are one call.
    ResponseId,
    /// All input tokens, including those from a cache.
    InputTokens,
    /// Input tokens that were read from a cache.
    CachedTokens,
    /// Input tokens that were written to a cache.
    CacheWriteTokens,
    /// All output tokens, including those of reasoning.
    OutputTokens,
    /// Input and output tokens together.
    TotalTokens,
    /// The cost of a call in US dollars.
    CostUsd,
    /// The name of a tool.
    ToolName,
    /// The id of a tool call.
    ToolCallId,
    /// The arguments of a tool call, as JSON text.
    ToolArguments,
    /// The probability of success that the agent states after a turn.
    Confidence,
}

/// The attributes that are read. If a span has several names of one fact, the first in this table counts.
///
/// | prefix | written by |
/// |---|---|
/// | `gen_ai.` | OpenTelemetry's conventions for generative AI, also their older names; rig, Pydantic AI, adk-rust |
/// | `llm.`, `openinference.` | OpenInference |
/// | `agent.confidence` | the loop itself, because no convention has a name for it |
pub const ATTRIBUTES: &[(&str, Fact)] = &[
    ("gen_ai.operation.name", Fact::Kind),
    ("openinference.span.kind", Fact::Kind),
    ("gen_ai.agent.name", Fact::AgentName),
    ("agent.name", Fact::AgentName),
    ("gen_ai.response.model", Fact::Model),
    ("gen_ai.request.model", Fact::Model),
    ("llm.model_name", Fact::Model),
    ("gen_ai.response.id", Fact::ResponseId),
    ("gen_ai.usage.input_tokens", Fact::InputTokens),
    ("gen_ai.usage.prompt_tokens", Fact::InputTokens),
    ("gen_ai.aggregated_usage.input_tokens", Fact::InputTokens),
    ("llm.token_count.prompt", Fact::InputTokens),
    ("gen_ai.usage.cache_read.input_tokens", Fact::CachedTokens),
    ("gen_ai.usage.cache_read_tokens", Fact::CachedTokens),
    ("gen_ai.usage.cache_read_input_tokens", Fact::CachedTokens),
    ("llm.token_count.prompt_details.cache_read", Fact::CachedTokens),
    ("gen_ai.usage.cache_creation.input_tokens", Fact::CacheWriteTokens),
    ("gen_ai.usage.cache_creation_input_tokens", Fact::CacheWriteTokens),
    ("llm.token_count.prompt_details.cache_write", Fact::CacheWriteTokens),
    ("gen_ai.usage.output_tokens", Fact::OutputTokens),
    ("gen_ai.usage.completion_tokens", Fact::OutputTokens),
    ("gen_ai.aggregated_usage.output_tokens", Fact::OutputTokens),
    ("llm.token_count.completion", Fact::OutputTokens),
    ("gen_ai.usage.total_tokens", Fact::TotalTokens),
    ("llm.usage.total_tokens", Fact::TotalTokens),
    ("llm.token_count.total", Fact::TotalTokens),
    ("gen_ai.usage.cost", Fact::CostUsd),
    ("gen_ai.usage.cost_usd", Fact::CostUsd),
    ("llm.cost.total", Fact::CostUsd),
    ("gen_ai.tool.name", Fact::ToolName),
    ("tool.name", Fact::ToolName),
    ("gen_ai.tool.call.id", Fact::ToolCallId),
    ("gen_ai.tool.call.arguments", Fact::ToolArguments),
    ("agent.confidence", Fact::Confidence),
];

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a language model, which is a turn of an agent.
    ModelCall,
    /// A call of a tool.
    Tool,
    /// A run of an agent or of a subagent.
    Agent,
}

/// The kinds that spans state. A span of another kind, such as `embeddings`, has neither a turn nor a tool call, but what it
/// uses counts.
pub const KINDS: &[(&str, Kind)] = &[
    ("chat", Kind::ModelCall),
    ("generate_content", Kind::ModelCall),
    ("text_completion", Kind::ModelCall),
    ("execute_tool", Kind::Tool),
    ("invoke_agent", Kind::Agent),
    ("LLM", Kind::ModelCall),
    ("TOOL", Kind::Tool),
    ("AGENT", Kind::Agent),
];
