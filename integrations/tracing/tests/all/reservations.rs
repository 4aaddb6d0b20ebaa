use agent_tracing::{Count, GenAiLayer};
use budget_estimation::Budget;
use tracing::Span;
use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, filter_fn},
    layer::SubscriberExt,
};

use crate::support::{of_kind, open, watch};

fn layer() -> GenAiLayer {
    let budget = Budget::new([("tokens", Some(4000.0)), ("usd", Some(1.0))]).unwrap();
    let counts = [("tokens", Count::TotalTokens), ("usd", Count::CostUsd)];
    GenAiLayer::new(budget, counts).unwrap()
}

#[test]
fn a_reservation_is_settled_with_what_the_span_states_and_the_rest_as_reserved() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        let own = monitor.budget().child(&[("tokens", 2000.0)]).unwrap();
        let span = of_kind("chat", None);
        monitor.hold(&span, own.reserve(&[("tokens", 1500.0), ("usd", 0.25)]).unwrap());
        assert_eq!(monitor.left().collect::<Vec<_>>(), [Some(2500.0), Some(0.75)]);
        span.record("gen_ai.usage.total_tokens", 640);
        drop(span);
        assert_eq!(own.resources().map(|it| it.spent).collect::<Vec<_>>(), [640.0, 0.25]);
        assert_eq!(own.resources().map(|it| it.left).next(), Some(Some(1360.0)));
    });
    let budget = monitor.budget();
    assert!(
        budget.resources().map(|it| it.spent).eq([640.0, 0.25])
            && budget.resources().map(|it| it.excess).eq([0.0, 0.0])
    );
    // The dollars are unknown, but they were reserved.
    let dollars = monitor.agents()[0].used(Count::CostUsd);
    assert_eq!((budget.stop_reason(), dollars), (None, (0.0, 1)));
}

#[test]
fn a_repeated_reply_gives_its_reservation_back() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        for _ in 0..2 {
            let span = of_kind("chat", None);
            monitor.hold(&span, monitor.budget().reserve(&[("tokens", 1000.0)]).unwrap());
            span.record("gen_ai.response.id", "a");
            span.record("gen_ai.usage.total_tokens", 300);
            span.record("gen_ai.usage.cost", 0.5);
        }
    });
    assert!(monitor.budget().resources().map(|it| it.spent).eq([300.0, 0.5]));
    assert!(monitor.budget().resources().map(|it| it.held).eq([0.0, 0.0]));
}

#[test]
fn a_reservation_of_a_span_that_is_not_a_call_counts_in_full() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        let spans =
            [Span::none(), tracing::info_span!("turn"), of_kind("execute_tool", None), open(None)];
        for span in spans {
            monitor.hold(&span, monitor.budget().reserve(&[("tokens", 100.0)]).unwrap());
        }
    });
    assert!(monitor.budget().resources().map(|it| it.spent).eq([400.0, 0.0]));
    assert!(monitor.budget().resources().map(|it| it.held).eq([0.0, 0.0]));
}

#[test]
fn a_span_that_is_not_a_call_settles_its_reservation_with_what_it_states() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        let held = || monitor.budget().reserve(&[("tokens", 1000.0), ("usd", 0.5)]).unwrap();
        let span = of_kind("embeddings", None);
        monitor.hold(&span, held());
        span.record("gen_ai.usage.total_tokens", 300);
        span.record("gen_ai.usage.cost", 0.125);
        drop(span);
        assert!(monitor.budget().resources().map(|it| it.spent).eq([300.0, 0.125]));
        let agent = of_kind("invoke_agent", None);
        monitor.hold(&agent, held());
        let call = of_kind("chat", Some(&agent));
        call.record("gen_ai.usage.total_tokens", 400);
        call.record("gen_ai.usage.cost", 0.0625);
        drop(call);
        agent.record("gen_ai.usage.total_tokens", 700);
        agent.record("gen_ai.usage.cost", 0.125);
        drop(agent);
        // Only the input is stated, so the tokens count as reserved.
        let span = of_kind("embeddings", None);
        monitor.hold(&span, held());
        span.record("gen_ai.usage.input_tokens", 300);
    });
    let budget = monitor.budget();
    assert!(
        budget.resources().map(|it| it.spent).eq([300.0 + 700.0 + 1000.0, 0.125 + 0.125 + 0.5]),
        "{budget}"
    );
    assert!(budget.resources().map(|it| it.held).eq([0.0, 0.0]));
}

#[test]
fn a_reservation_of_a_span_that_the_layer_does_not_see_counts_at_once() {
    let layer = layer();
    let monitor = layer.monitor();
    // Another layer keeps the span enabled.
    let hidden = layer.with_filter(filter_fn(|metadata| !metadata.is_span()));
    let other = tracing_subscriber::layer::Identity::new().with_filter(LevelFilter::TRACE);
    tracing::subscriber::with_default(Registry::default().with(hidden).with(other), || {
        let span = of_kind("chat", None);
        assert!(span.id().is_some());
        monitor.hold(&span, monitor.budget().reserve(&[("tokens", 100.0)]).unwrap());
    });
    assert!(monitor.budget().resources().map(|it| it.held).eq([0.0, 0.0]));
    assert!(monitor.budget().resources().map(|it| it.spent).eq([100.0, 0.0]));
}

#[test]
fn calls_within_a_call_with_a_reservation_are_settled_with_it() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        let held = |tokens| monitor.budget().reserve(&[("tokens", tokens)]).unwrap();
        let outer = of_kind("chat", None);
        monitor.hold(&outer, held(1000.0));
        let usage = |span: &Span, tokens: u64, usd: f64| {
            span.record("gen_ai.usage.total_tokens", tokens);
            span.record("gen_ai.usage.cost", usd);
        };
        // The first try fails after 100 tokens, and a part of the second is an embedding.
        let adapter = tracing::info_span!(parent: &outer, "adapter");
        usage(&of_kind("chat", Some(&adapter)), 100, 0.0);
        let inner = of_kind("chat", Some(&outer));
        usage(&of_kind("embeddings", Some(&inner)), 40, 0.0);
        usage(&inner, 640, 0.25);
        drop((inner, adapter));
        assert_eq!(monitor.left().collect::<Vec<_>>(), [Some(3000.0), Some(1.0)]);
        // A call with a reservation of its own, and the subagent of a tool, are not a part of it.
        let own = of_kind("chat", Some(&outer));
        monitor.hold(&own, held(500.0));
        usage(&own, 200, 0.25);
        drop(own);
        let tool = of_kind("execute_tool", Some(&outer));
        usage(&of_kind("chat", Some(&tool)), 30, 0.0);
        drop(tool);
        assert_eq!(monitor.left().collect::<Vec<_>>(), [Some(2770.0), Some(0.75)]);
        usage(&outer, 970, 0.5);
    });
    let budget = monitor.budget();
    assert!(
        budget.resources().map(|it| it.spent).eq([970.0, 0.5])
            && budget.resources().map(|it| it.held).eq([0.0, 0.0]),
        "{budget}"
    );
    assert!(budget.resources().map(|it| it.excess).eq([30.0, 0.5]), "{budget}");
    assert_eq!(budget.stop_reason(), None);
}

#[test]
fn a_reservation_counts_in_full_beside_the_known_calls_within_if_one_is_unknown() {
    let layer = layer();
    let monitor = layer.monitor();
    watch(layer, || {
        let outer = of_kind("chat", None);
        monitor.hold(&outer, monitor.budget().reserve(&[("tokens", 1000.0)]).unwrap());
        for tokens in [Some(300), None] {
            let inner = of_kind("chat", Some(&outer));
            inner.record("gen_ai.usage.total_tokens", tokens);
            inner.record("gen_ai.usage.cost", 0.125);
        }
    });
    let budget = monitor.budget();
    assert!(
        budget.resources().map(|it| it.spent).eq([1300.0, 0.25])
            && budget.resources().map(|it| it.held).eq([0.0, 0.0]),
        "{budget}"
    );
    assert_eq!(
        (budget.stop_reason(), monitor.agents()[0].used(Count::TotalTokens)),
        (None, (300.0, 1))
    );
}
