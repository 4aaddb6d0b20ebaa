//! A run of rig 0.44 that a budget stops. The model is scripted, and nothing is sent.

use std::convert::Infallible;

use agent_tracing::{Count, GenAiLayer, Monitor};
use budget_estimation::{Advice, Budget};
use rig_agent::{
    AgentBuilder,
    agent::{
        AgentHook, CompletionCallAction, CompletionCallEvent, HookContext, OutcomeAction,
        OutcomeEvent,
    },
    completion::Usage,
    tool::{Tool, ToolContext},
};
use rig_core::{
    message::AssistantContent,
    test_utils::{MockCompletionModel, MockTurn},
};
use tracing::{Instrument, Span};
use tracing_subscriber::layer::SubscriberExt;

/// Stops a run of rig before a model call that the budget does not allow.
struct BudgetHook(Monitor);

impl AgentHook for BudgetHook {
    async fn on_completion_call(
        &self,
        _: &HookContext,
        _: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        match self.0.advice() {
            Advice::Stop(reason) => CompletionCallAction::stop(reason.to_string()),
            _ => CompletionCallAction::continue_run(),
        }
    }

    /// Records the confidence that the model states in its text, for the latest call of this agent.
    async fn on_outcome(&self, _: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        for content in event.completion().map_or(&[][..], |reply| &reply.choice) {
            if let AssistantContent::Text(text) = content
                && let Some(confidence) = stated_confidence(&text.text)
            {
                tracing::info!(agent.confidence = confidence);
            }
        }
        OutcomeAction::proceed()
    }
}

fn stated_confidence(text: &str) -> Option<f64> {
    let (_, rest) = text.split_once("<confidence>")?;
    rest.split_once("</confidence>")?.0.trim().parse().ok()
}

#[derive(Clone)]
struct Search;

impl Tool for Search {
    const NAME: &'static str = "search";
    type Args = serde_json::Value;
    type Output = &'static str;
    type Error = Infallible;

    fn description(&self) -> String {
        "Searches.".into()
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::json!({"type": "object", "properties": {}})
    }

    async fn call(&self, _: &mut ToolContext, _: Self::Args) -> Result<Self::Output, Infallible> {
        Ok("a result")
    }
}

/// Runs an agent of at most five turns under a cap on tokens, within a span of the caller or not. Returns its answer, or why it was
/// stopped.
async fn run(cap: f64, turns: Vec<MockTurn>, is_within: bool) -> (Monitor, Result<String, String>) {
    let budget = Budget::new([("tokens", Some(cap))]).expect("a valid cap");
    let layer = GenAiLayer::new(budget, [("tokens", Count::TotalTokens)]).expect("a resource");
    let monitor = layer.monitor();
    let subscriber = tracing_subscriber::registry().with(layer);
    let _guard = tracing::subscriber::set_default(subscriber);
    let agent = AgentBuilder::new(MockCompletionModel::from_turns(turns))
        .name("researcher")
        .tool(Search)
        .add_hook(BudgetHook(monitor.clone()))
        .build();
    // Rig makes a span for the agent only outside of other spans.
    let around = if is_within { tracing::info_span!("request") } else { Span::none() };
    let answer = async { agent.prompt("Research.").max_turns(5).await }.instrument(around).await;
    (monitor, answer.map(|answer| answer.output().to_owned()).map_err(|error| error.to_string()))
}

fn turns() -> Vec<MockTurn> {
    let usage = |input, output| Usage::new().input_tokens(input).output_tokens(output);
    let search = |id, query| MockTurn::tool_call(id, "search", serde_json::json!({"q": query}));
    vec![
        search("c1", 1).with_usage(usage(1000, 40)),
        search("c2", 2).with_usage(usage(1100, 12)),
        MockTurn::text("Done. <confidence>0.8</confidence>").with_usage(usage(1200, 30)),
    ]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    for cap in [4000.0, 2000.0] {
        let (monitor, end) = run(cap, turns(), false).await;
        println!("{end:?}: {}", monitor.budget());
    }
}

#[cfg(test)]
mod tests {
    use trajectory_metrics::tool_calls::{ToolCall, Value};

    use super::*;

    #[tokio::test]
    async fn a_run_is_stopped_before_the_call_that_the_budget_does_not_allow() {
        let (monitor, end) = run(2000.0, turns(), false).await;
        let error = end.unwrap_err();
        assert!(error.contains("the cap on tokens is exceeded"), "{error}");
        assert!(monitor.budget().resources().map(|it| it.spent).eq([2152.0]));
        assert_eq!(monitor.agents()[0].forecasts, [None, None]);
    }

    #[tokio::test]
    async fn the_calls_of_a_run_are_counted_once_with_their_confidence() {
        for is_within in [false, true] {
            let (monitor, end) = run(4000.0, turns(), is_within).await;
            assert_eq!(end.unwrap(), "Done. <confidence>0.8</confidence>");
            // The span of the agent repeats the sum.
            assert!(monitor.budget().resources().map(|it| it.spent).eq([3382.0]));
            let agents = monitor.agents();
            assert_eq!((agents.len(), agents[0].name.as_deref()), (1, Some("researcher")));
            assert_eq!(agents[0].forecasts, [None, None, Some(0.8)], "{is_within}");
            // Rig records arguments only if it is told to record content.
            let calls = &agents[0].tool_calls;
            let is_search =
                |call: &ToolCall| call.name == "search" && call.arguments == Value::Null;
            assert!(calls.len() == 2 && calls.iter().all(is_search));
            assert_eq!(monitor.open_calls(), 0);
        }
    }

    #[tokio::test]
    async fn a_reply_without_usage_stops_the_run() {
        let mut turns = turns();
        turns[0] = MockTurn::tool_call("c1", "search", serde_json::json!({"q": 1}));
        let (monitor, end) = run(4000.0, turns, false).await;
        let error = end.unwrap_err();
        assert!(error.contains("a span does not state its tokens"), "{error}");
        assert_eq!(monitor.agents()[0].forecasts.len(), 1);
    }
}
