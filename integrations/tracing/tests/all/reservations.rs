use agent_tracing::{Count, GenAiLayer};
use budget_estimation::Budget;
use tracing::Span;

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
        assert_eq!(own.spent().collect::<Vec<_>>(), [640.0, 0.25]);
        assert_eq!(own.left().next(), Some(Some(1360.0)));
    });
    let budget = monitor.budget();
    assert!(budget.spent().eq([640.0, 0.25]) && budget.excess().eq([0.0, 0.0]));
    // The dollars are unknown, but they were reserved.
    assert_eq!((budget.stop_reason(), monitor.agents()[0].unknown), (None, 1));
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
    assert!(monitor.budget().spent().eq([300.0, 0.5]));
    assert!(monitor.budget().held().eq([0.0, 0.0]));
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
    assert!(monitor.budget().spent().eq([400.0, 0.0]));
    assert!(monitor.budget().held().eq([0.0, 0.0]));
}
