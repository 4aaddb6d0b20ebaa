use agent_tracing::{ATTRIBUTES, Count, GenAiLayer, Monitor};
use budget_estimation::Budget;
use tracing::{Span, field::Empty};
use tracing_subscriber::{Registry, layer::SubscriberExt};

/// A layer that counts everything, with these caps on tokens and dollars.
pub(crate) fn layer(tokens: Option<f64>, usd: Option<f64>) -> GenAiLayer {
    let caps = [
        ("input", None),
        ("output", None),
        ("tokens", tokens),
        ("usd", usd),
        ("calls", None),
        ("tools", None),
    ];
    let counts = [
        ("input", Count::InputTokens),
        ("output", Count::OutputTokens),
        ("tokens", Count::TotalTokens),
        ("usd", Count::CostUsd),
        ("calls", Count::ModelCalls),
        ("tools", Count::ToolCalls),
    ];
    GenAiLayer::new(Budget::new(caps).unwrap(), counts).unwrap()
}

/// Runs a program under the layer.
pub(crate) fn watch(layer: GenAiLayer, program: impl FnOnce()) -> Monitor {
    let monitor = layer.monitor();
    tracing::subscriber::with_default(Registry::default().with(layer), program);
    monitor
}

/// Input tokens, output tokens, tokens, dollars, model calls and tool calls.
pub(crate) fn spent(monitor: &Monitor) -> Vec<f64> {
    monitor.budget().resources().map(|it| it.spent).collect()
}

/// A span with every attribute of the table, all empty.
pub(crate) fn open(parent: Option<&Span>) -> Span {
    let parent = parent.and_then(Span::id);
    let span = tracing::info_span!(
        parent: parent,
        "span",
        gen_ai.operation.name = Empty,
        openinference.span.kind = Empty,
        gen_ai.agent.name = Empty,
        agent.name = Empty,
        gen_ai.response.model = Empty,
        gen_ai.request.model = Empty,
        llm.model_name = Empty,
        gen_ai.response.id = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.prompt_tokens = Empty,
        gen_ai.aggregated_usage.input_tokens = Empty,
        llm.token_count.prompt = Empty,
        gen_ai.usage.cache_read.input_tokens = Empty,
        gen_ai.usage.cache_read_tokens = Empty,
        gen_ai.usage.cache_read_input_tokens = Empty,
        llm.token_count.prompt_details.cache_read = Empty,
        gen_ai.usage.cache_creation.input_tokens = Empty,
        gen_ai.usage.cache_creation_input_tokens = Empty,
        llm.token_count.prompt_details.cache_write = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.completion_tokens = Empty,
        gen_ai.aggregated_usage.output_tokens = Empty,
        llm.token_count.completion = Empty,
        gen_ai.usage.total_tokens = Empty,
        llm.usage.total_tokens = Empty,
        llm.token_count.total = Empty,
        gen_ai.usage.cost = Empty,
        gen_ai.usage.cost_usd = Empty,
        llm.cost.total = Empty,
        gen_ai.tool.name = Empty,
        tool.name = Empty,
        gen_ai.tool.call.id = Empty,
        gen_ai.tool.call.arguments = Empty,
        langfuse.observation.type = Empty,
        mlflow.spanType = Empty,
        llm.response.model_name = Empty,
        langfuse.observation.model.name = Empty,
        mlflow.llm.model = Empty,
        gen_ai.aggregated_usage.cache_read.input_tokens = Empty,
        gen_ai.usage.reasoning.output_tokens = Empty,
        gen_ai.usage.reasoning_tokens = Empty,
        gen_ai.usage.thinking_tokens = Empty,
        gen_ai.usage.details.reasoning_tokens = Empty,
        gen_ai.aggregated_usage.details.reasoning_tokens = Empty,
        llm.token_count.completion_details.reasoning = Empty,
        gen_ai.usage.total_cost = Empty,
        operation.cost = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.response.finish_reason = Empty,
        llm.finish_reason = Empty,
        gen_ai.agent.finish_reason = Empty,
        gen_ai.agent.token_budget.limit = Empty,
        gen_ai.agent.token_budget.consumed = Empty,
        session.id = Empty,
        gen_ai.conversation.id = Empty,
        agent.confidence = Empty,
    );
    let fields = span.metadata().unwrap().fields();
    assert!(ATTRIBUTES.iter().all(|(name, _)| fields.field(name).is_some()));
    span
}

/// A span of this kind within another.
pub(crate) fn of_kind(kind: &str, parent: Option<&Span>) -> Span {
    let span = open(parent);
    span.record("gen_ai.operation.name", kind);
    span
}

/// A model call with this usage, which has ended.
pub(crate) fn chat(parent: Option<&Span>, input: u64, output: u64) {
    let span = of_kind("chat", parent);
    span.record("gen_ai.usage.input_tokens", input);
    span.record("gen_ai.usage.output_tokens", output);
}
