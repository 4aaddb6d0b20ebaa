//! Four subagents spend one budget as tasks of tokio. Each call holds the largest possible amount, and its span says what it
//! really used.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::time::Duration;

use agent_tracing::{Count, GenAiLayer, Monitor};
use budget_estimation::{Budget, Error, StopReason};
use tracing::{Instrument, field::Empty, info_span};
use tracing_subscriber::layer::SubscriberExt;

/// The most tokens that a call may use, and dollars per token.
const LARGEST: f64 = 4096.0;
const PRICE: f64 = 0.000_01;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (monitor, ends) = run().await?;
    for agent in monitor.agents() {
        let name = agent.name.as_deref().unwrap_or("an agent");
        let (tokens, unknown) = agent.used(Count::TotalTokens);
        let calls = agent.forecasts.len();
        println!("{name}: {calls} calls, {tokens} tokens, {unknown} calls without tokens");
    }
    println!("ends: {ends:?}");
    println!("{}", monitor.budget());
    Ok(())
}

pub(crate) async fn run() -> Result<(Monitor, Vec<StopReason>), Failure> {
    let budget = Budget::new([("tokens", Some(60_000.0)), ("usd", Some(1.0))])?;
    let counts = [("tokens", Count::TotalTokens), ("usd", Count::CostUsd)];
    let layer =
        GenAiLayer::new(budget, counts)?.with_price(|call| Some(call.total_tokens? as f64 * PRICE));
    let monitor = layer.monitor();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))?;
    let tasks = ["reader", "planner", "coder", "tester"].map(|name| {
        let span = info_span!(
            "invoke_agent",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = name,
        );
        tokio::spawn(subagent(name, monitor.clone()).instrument(span))
    });
    let mut ends = Vec::new();
    for task in tasks {
        ends.push(task.await??);
    }
    Ok((monitor, ends))
}

/// Works until the advice is to stop, or until a call is refused.
async fn subagent(name: &str, monitor: Monitor) -> Result<StopReason, Error> {
    let own = monitor.budget().child(&[("tokens", 25_000.0)])?;
    for turn in 0.. {
        if let Some(reason) = monitor.advice().stop_reason() {
            return Ok(reason);
        }
        let held = match own.reserve(&[("tokens", LARGEST), ("usd", LARGEST * PRICE)]) {
            Ok(held) => held,
            Err(refused) => return refused.stop_reason().ok_or(refused),
        };
        let span = info_span!(
            "chat",
            gen_ai.operation.name = "chat",
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            agent.confidence = Empty,
        );
        monitor.hold(&span, held);
        let reply = model(name, turn).instrument(span.clone()).await;
        span.record("gen_ai.usage.input_tokens", reply.input_tokens);
        span.record("gen_ai.usage.output_tokens", reply.output_tokens);
        span.record("agent.confidence", reply.confidence);
    }
    Ok(StopReason::Completed)
}

struct Reply {
    input_tokens: u64,
    output_tokens: u64,
    confidence: f64,
}

/// Stands for the HTTP client of a model.
async fn model(name: &str, turn: usize) -> Reply {
    tokio::time::sleep(Duration::from_millis(1)).await;
    let input_tokens = 300 + 40 * turn as u64;
    Reply { input_tokens, output_tokens: 10 * name.len() as u64, confidence: 0.8 }
}
