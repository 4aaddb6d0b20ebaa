//! The names of the attributes that are read, by those who watch spans and by those who read recorded ones.
//!
//! This file needs nothing. agent-tracing and run-logs each have it, byte for byte, as a test of agent-tracing checks: a package
//! cannot include a file of another one, and a dependency on run-logs would bring what its readers of files need.

/// A fact that an attribute of a span states.
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
    /// Output tokens of reasoning.
    ReasoningTokens,
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
    /// The reason why the model stopped, or a list of them.
    FinishReason,
    /// The reason why the agent stopped.
    AgentStop,
    /// The most tokens that the agent may use.
    TokenBudget,
    /// The tokens of this budget that the agent has used.
    TokenBudgetUsed,
    /// The session to which the span belongs.
    SessionId,
    /// The probability of success that the agent states after a turn.
    Confidence,
}

/// The attributes that are read. If a span has several attributes for one fact, the first in this table is used.
///
/// | prefix | written by |
/// |---|---|
/// | `gen_ai.` | OpenTelemetry's conventions for generative AI, also their older names; rig, Pydantic AI, adk-rust |
/// | `llm.`, `openinference.` | OpenInference |
/// | `langfuse.`, `mlflow.`, `operation.cost` | Langfuse, MLflow, Pydantic AI |
/// | `agent.confidence` | the loop itself, because no convention has a name for it |
pub const ATTRIBUTES: &[(&str, Fact)] = &[
    ("gen_ai.operation.name", Fact::Kind),
    ("openinference.span.kind", Fact::Kind),
    ("langfuse.observation.type", Fact::Kind),
    ("mlflow.spanType", Fact::Kind),
    ("gen_ai.agent.name", Fact::AgentName),
    ("agent.name", Fact::AgentName),
    ("gen_ai.response.model", Fact::Model),
    ("gen_ai.request.model", Fact::Model),
    ("llm.response.model_name", Fact::Model),
    ("llm.model_name", Fact::Model),
    ("langfuse.observation.model.name", Fact::Model),
    ("mlflow.llm.model", Fact::Model),
    ("gen_ai.response.id", Fact::ResponseId),
    ("gen_ai.usage.input_tokens", Fact::InputTokens),
    ("gen_ai.usage.prompt_tokens", Fact::InputTokens),
    ("gen_ai.aggregated_usage.input_tokens", Fact::InputTokens),
    ("llm.token_count.prompt", Fact::InputTokens),
    ("gen_ai.usage.cache_read.input_tokens", Fact::CachedTokens),
    ("gen_ai.usage.cache_read_tokens", Fact::CachedTokens),
    ("gen_ai.usage.cache_read_input_tokens", Fact::CachedTokens),
    ("gen_ai.aggregated_usage.cache_read.input_tokens", Fact::CachedTokens),
    ("llm.token_count.prompt_details.cache_read", Fact::CachedTokens),
    ("gen_ai.usage.cache_creation.input_tokens", Fact::CacheWriteTokens),
    ("gen_ai.usage.cache_creation_input_tokens", Fact::CacheWriteTokens),
    ("llm.token_count.prompt_details.cache_write", Fact::CacheWriteTokens),
    ("gen_ai.usage.output_tokens", Fact::OutputTokens),
    ("gen_ai.usage.completion_tokens", Fact::OutputTokens),
    ("gen_ai.aggregated_usage.output_tokens", Fact::OutputTokens),
    ("llm.token_count.completion", Fact::OutputTokens),
    ("gen_ai.usage.reasoning.output_tokens", Fact::ReasoningTokens),
    ("gen_ai.usage.reasoning_tokens", Fact::ReasoningTokens),
    ("gen_ai.usage.thinking_tokens", Fact::ReasoningTokens),
    ("gen_ai.usage.details.reasoning_tokens", Fact::ReasoningTokens),
    ("gen_ai.aggregated_usage.details.reasoning_tokens", Fact::ReasoningTokens),
    ("llm.token_count.completion_details.reasoning", Fact::ReasoningTokens),
    ("gen_ai.usage.total_tokens", Fact::TotalTokens),
    ("llm.usage.total_tokens", Fact::TotalTokens),
    ("llm.token_count.total", Fact::TotalTokens),
    ("gen_ai.usage.cost", Fact::CostUsd),
    ("gen_ai.usage.cost_usd", Fact::CostUsd),
    ("gen_ai.usage.total_cost", Fact::CostUsd),
    ("operation.cost", Fact::CostUsd),
    ("llm.cost.total", Fact::CostUsd),
    ("gen_ai.tool.name", Fact::ToolName),
    ("tool.name", Fact::ToolName),
    ("gen_ai.tool.call.id", Fact::ToolCallId),
    ("gen_ai.tool.call.arguments", Fact::ToolArguments),
    ("gen_ai.response.finish_reasons", Fact::FinishReason),
    ("gen_ai.response.finish_reason", Fact::FinishReason),
    ("llm.finish_reason", Fact::FinishReason),
    ("gen_ai.agent.finish_reason", Fact::AgentStop),
    ("gen_ai.agent.token_budget.limit", Fact::TokenBudget),
    ("gen_ai.agent.token_budget.consumed", Fact::TokenBudgetUsed),
    ("session.id", Fact::SessionId),
    ("gen_ai.conversation.id", Fact::SessionId),
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

/// The words for the kinds of spans. A span of another kind, such as `embeddings`, is neither a turn nor a tool call,
/// but its usage is counted.
pub const KINDS: &[(&str, Kind)] = &[
    ("chat", Kind::ModelCall),
    ("generate_content", Kind::ModelCall),
    ("text_completion", Kind::ModelCall),
    ("execute_tool", Kind::Tool),
    ("invoke_agent", Kind::Agent),
    ("LLM", Kind::ModelCall),
    ("CHAT_MODEL", Kind::ModelCall),
    ("generation", Kind::ModelCall),
    ("TOOL", Kind::Tool),
    ("tool", Kind::Tool),
    ("AGENT", Kind::Agent),
    ("agent", Kind::Agent),
];
