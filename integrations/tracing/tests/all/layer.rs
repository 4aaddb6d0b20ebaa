use std::{
    sync::Barrier,
    task::{Context, Waker},
    thread,
};

use agent_tracing::{AgentRun, Count, GenAiLayer};
use budget_estimation::{Advice, AdviceReason, Budget, Error, StopReason};
use tracing::{Dispatch, Instrument, Span, instrument::WithSubscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt};
use trajectory_metrics::{
    BrierScore, ForecastPolicy, Tps, WeightSchedule,
    tool_calls::{ArgumentRule, MatchMode, ToolCall, ToolCallMatcher, Value},
};

use crate::support::{chat, layer, of_kind, open, spent, watch};

#[test]
fn fields_that_are_recorded_after_creation_are_read_when_the_span_closes() {
    let layer = layer(Some(4000.0), None);
    let monitor = layer.monitor();
    watch(layer, || {
        let span = of_kind("chat", None);
        span.record("gen_ai.usage.input_tokens", 1000);
        span.record("gen_ai.usage.output_tokens", 7);
        // The last value of a field counts.
        span.record("gen_ai.usage.output_tokens", 40);
        assert_eq!((monitor.open_calls(), spent(&monitor)[2]), (1, 0.0));
        drop(span);
        assert_eq!((monitor.open_calls(), spent(&monitor)[2]), (0, 1040.0));
    });
    assert_eq!(spent(&monitor), [1000.0, 40.0, 1040.0, 0.0, 1.0, 0.0]);
    assert_eq!(monitor.left().nth(2), Some(Some(2960.0)));
}

#[test]
fn older_names_and_values_as_text_state_the_same() {
    let monitor = watch(layer(None, None), || {
        let span = of_kind("text_completion", None);
        span.record("gen_ai.usage.prompt_tokens", "1000");
        span.record("gen_ai.usage.completion_tokens", tracing::field::debug(40));
        span.record("gen_ai.usage.cost", 0.25);
        drop(span);
        // A span with both names of a count is one call with one count.
        let span = of_kind("chat", None);
        span.record("gen_ai.usage.prompt_tokens", 5);
        span.record("gen_ai.usage.input_tokens", 5);
        span.record("gen_ai.usage.output_tokens", 5.0);
        span.record("gen_ai.usage.cost", 0);
    });
    assert_eq!(spent(&monitor), [1005.0, 45.0, 1050.0, 0.25, 2.0, 0.0]);
    assert_eq!(monitor.agents()[0].used(Count::CostUsd), (0.25, 0));
}

#[test]
fn a_call_without_usage_stops_a_budget_with_a_cap_and_is_counted_without_one() {
    let monitor = watch(layer(None, None), || drop(of_kind("chat", None)));
    assert_eq!(monitor.advice(), Advice::Continue);
    assert_eq!(monitor.agents()[0].used(Count::CostUsd), (0.0, 1));
    assert_eq!(spent(&monitor), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);

    // Counts that are negative, fractions or words are unknown, too.
    for output in ["", "-5", "many", "1.5"] {
        let monitor = watch(layer(Some(4000.0), None), || {
            let span = of_kind("chat", None);
            span.record("gen_ai.usage.input_tokens", 1000);
            span.record("gen_ai.usage.output_tokens", output);
        });
        let Advice::Stop(AdviceReason::BudgetStopped { reason }) = monitor.advice() else {
            panic!("{}", monitor.advice());
        };
        assert_eq!(reason, StopReason::Other("a span does not state its tokens".to_owned()));
        assert!(monitor.budget().reserve(&[("tokens", 1.0)]).is_err());
        // The known part counts.
        assert_eq!(spent(&monitor)[..3], [1000.0, 0.0, 1000.0], "{output}");
    }
}

#[test]
fn an_assumed_amount_stands_in_for_an_unknown_one() {
    let layer = layer(Some(9000.0), None).with_assumed("tokens", 1500.0).unwrap();
    let monitor = watch(layer, || {
        drop(of_kind("chat", None));
        of_kind("chat", None).record("gen_ai.usage.input_tokens", 2000);
        chat(None, 100, 10);
    });
    assert_eq!(spent(&monitor)[..3], [2100.0, 10.0, 1500.0 + 2000.0 + 110.0]);
    assert_eq!(monitor.advice(), Advice::Continue);
    let used = |count| monitor.agents()[0].used(count);
    assert_eq!((used(Count::InputTokens), used(Count::CostUsd)), ((2100.0, 1), (0.0, 3)));
}

#[test]
fn the_sum_at_the_span_of_an_agent_counts_only_what_its_calls_do_not_state() {
    for (sum, expected) in [(2152, 2152.0), (1000, 2152.0), (5000, 5000.0)] {
        let monitor = watch(layer(None, None), || {
            let agent = of_kind("invoke_agent", None);
            chat(Some(&agent), 1000, 40);
            chat(Some(&agent), 1100, 12);
            agent.record("gen_ai.usage.total_tokens", sum);
        });
        assert_eq!(spent(&monitor)[2], expected, "{sum}");
        assert_eq!((monitor.agents().len(), monitor.agents()[0].forecasts.len()), (1, 2));
        assert_eq!(monitor.agents()[0].used(Count::TotalTokens).0, expected);
    }
    // An agent whose calls are not traced.
    let monitor = watch(layer(None, None), || {
        of_kind("invoke_agent", None).record("gen_ai.usage.total_tokens", 700);
    });
    assert_eq!((spent(&monitor)[2], spent(&monitor)[4]), (700.0, 0.0));
}

/// Any tree of spans counts, for each span, the larger one of what it states and what the spans below it count, in any order in
/// which they end.
#[test]
fn a_tree_of_spans_counts_each_amount_once() {
    let mut random = 7_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    for _ in 0..200 {
        // The parent of each span, and its tokens, which only model calls must state.
        let size = 1 + next(12) as usize;
        let mut tree: Vec<(Option<usize>, &str, Option<u64>)> = Vec::new();
        for at in 0..size as u64 {
            let parent = next(at + 1).checked_sub(1).map(|parent| parent as usize);
            let kinds = ["chat", "invoke_agent", "execute_tool", "embeddings", "plain"];
            let kind = kinds[next(5) as usize];
            let states = kind == "chat" || (kind != "plain" && next(2) == 0);
            tree.push((parent, kind, states.then(|| next(1000))));
        }
        let mut below = vec![0; size];
        let mut expected = 0;
        for (at, (parent, _, stated)) in tree.iter().enumerate().rev() {
            let total = below[at].max(stated.unwrap_or(0));
            *parent.map_or(&mut expected, |parent| &mut below[parent]) += total;
        }
        let monitor = watch(layer(None, None), || {
            let mut spans: Vec<Option<Span>> = Vec::new();
            for (parent, kind, stated) in &tree {
                let parent = parent.and_then(|parent| spans[parent].as_ref());
                let span = match *kind {
                    "plain" => tracing::info_span!(parent: parent.and_then(Span::id), "plain"),
                    kind => of_kind(kind, parent),
                };
                span.record("gen_ai.usage.total_tokens", stated);
                spans.push(Some(span));
            }
            (0..4 * size).for_each(|_| drop(spans[next(size as u64) as usize].take()));
        });
        assert_eq!(spent(&monitor)[2], expected as f64, "{tree:?}");
        let used =
            monitor.agents().iter().map(|agent| agent.used(Count::TotalTokens).0).sum::<f64>();
        assert_eq!(spent(&monitor)[2], used, "{tree:?}");
    }
}

#[test]
fn a_call_within_the_span_of_the_same_call_is_one_call() {
    // The span around it states the usage, the span within it does not, or the other way round.
    for outer_states in [true, false] {
        let monitor = watch(layer(Some(9000.0), None), || {
            let outer = of_kind("chat", None);
            let inner = of_kind("chat", Some(&outer));
            let stating = if outer_states { &outer } else { &inner };
            stating.record("gen_ai.usage.input_tokens", 1000);
            stating.record("gen_ai.usage.output_tokens", 40);
        });
        assert_eq!(spent(&monitor), [1000.0, 40.0, 1040.0, 0.0, 1.0, 0.0]);
        assert_eq!(monitor.advice(), Advice::Continue);
    }
    let monitor = watch(layer(Some(9000.0), None), || {
        let outer = of_kind("chat", None);
        drop(of_kind("chat", Some(&outer)));
    });
    assert!(matches!(monitor.advice(), Advice::Stop(_)));
}

#[test]
fn calls_tried_again_within_a_plain_span_of_a_call_are_turns_of_the_same_agent() {
    let monitor = watch(layer(None, None), || {
        let outer = of_kind("chat", None);
        let adapter = tracing::info_span!(parent: &outer, "adapter");
        chat(Some(&outer), 100, 1);
        chat(Some(&adapter), 100, 2);
        chat(Some(&adapter), 100, 3);
        drop(adapter);
        outer.record("gen_ai.usage.input_tokens", 300);
        outer.record("gen_ai.usage.output_tokens", 6);
    });
    assert_eq!(spent(&monitor)[..5], [300.0, 6.0, 306.0, 0.0, 3.0]);
    assert_eq!((monitor.agents().len(), monitor.agents()[0].forecasts.len()), (1, 3));
}

#[test]
fn a_reply_or_tool_call_that_is_recorded_twice_counts_once() {
    let reply = |id: &str, output: u64| {
        let span = of_kind("chat", None);
        span.record("gen_ai.response.id", id);
        span.record("gen_ai.usage.input_tokens", 100);
        span.record("gen_ai.usage.output_tokens", output);
    };
    let tool = |id: Option<&str>, arguments: &str| {
        let span = of_kind("execute_tool", None);
        span.record("gen_ai.tool.name", "look");
        span.record("gen_ai.tool.call.arguments", arguments);
        if let Some(id) = id {
            span.record("gen_ai.tool.call.id", id);
        }
    };
    let monitor = watch(layer(None, None), || {
        reply("a", 10);
        reply("a", 10);
        // Another usage is another call, whatever the id.
        reply("a", 11);
        reply("b", 10);
        tool(Some("1"), "{}");
        tool(Some("1"), "{}");
        tool(Some("1"), "{\"x\": 1}");
        tool(None, "{}");
        tool(None, "{}");
    });
    assert_eq!(spent(&monitor), [300.0, 31.0, 331.0, 0.0, 3.0, 4.0]);

    // A repetition that states more adds what the first one did not state.
    let monitor = watch(layer(None, None), || {
        for output in [None, Some(10), Some(10)] {
            let span = of_kind("chat", None);
            span.record("gen_ai.response.id", "a");
            span.record("gen_ai.usage.input_tokens", 100);
            span.record("gen_ai.usage.output_tokens", output);
        }
    });
    assert_eq!(spent(&monitor)[..5], [100.0, 10.0, 110.0, 0.0, 1.0]);

    // A second span of a reply elsewhere adds no agent.
    let monitor = watch(layer(None, None), || {
        let agent = of_kind("invoke_agent", None);
        for parent in [Some(&agent), None] {
            let span = of_kind("chat", parent);
            span.record("gen_ai.response.id", "a");
            span.record("gen_ai.usage.total_tokens", 5);
            span.record("gen_ai.usage.cost", 1);
        }
    });
    assert_eq!((monitor.agents().len(), spent(&monitor)[2]), (1, 5.0));
}

#[test]
fn unknown_arguments_and_blank_ids_are_no_repetitions() {
    let monitor = watch(layer(None, None), || {
        // A server that numbers the calls of each reply anew, and one that gives no ids.
        for id in ["call_0", "call_0", "", ""] {
            let span = of_kind("execute_tool", None);
            span.record("gen_ai.tool.name", "look");
            span.record("gen_ai.tool.call.id", id);
            if id.is_empty() {
                span.record("gen_ai.tool.call.arguments", "{}");
            }
        }
        for id in ["", "", " "] {
            let span = of_kind("chat", None);
            span.record("gen_ai.response.id", id);
            span.record("gen_ai.usage.input_tokens", 100);
            span.record("gen_ai.usage.output_tokens", 10);
        }
    });
    assert_eq!(spent(&monitor), [300.0, 30.0, 330.0, 0.0, 3.0, 4.0]);
    assert_eq!(monitor.agents()[0].tool_calls.len(), 4);
}

#[test]
fn a_total_is_at_least_the_sum_of_input_and_output() {
    // The total of the last one leaves out the cached tokens, as its input does.
    for (input, total, expected) in [(700, 740, 740.0), (700, 800, 800.0), (12, 52, 652.0)] {
        let monitor = watch(layer(None, None), || {
            let span = of_kind("chat", None);
            span.record("gen_ai.usage.input_tokens", input);
            span.record("gen_ai.usage.cache_read.input_tokens", 600);
            span.record("gen_ai.usage.output_tokens", 40);
            span.record("gen_ai.usage.total_tokens", total);
        });
        assert_eq!(spent(&monitor)[2], expected);
    }
}

#[test]
fn cached_tokens_are_a_part_of_the_input() {
    // By the convention, input tokens include cached ones. Fewer input tokens than cached ones break it.
    for (input, expected) in [(1000, 1000.0), (12, 912.0)] {
        let monitor = watch(layer(None, None), || {
            let span = of_kind("chat", None);
            span.record("gen_ai.usage.input_tokens", input);
            span.record("gen_ai.usage.cache_read.input_tokens", 600);
            span.record("gen_ai.usage.cache_creation.input_tokens", 300);
            span.record("gen_ai.usage.output_tokens", 40);
        });
        assert_eq!(spent(&monitor)[..3], [expected, 40.0, expected + 40.0]);
    }
}

#[test]
fn dollars_are_stated_by_the_span_or_by_the_function_of_the_caller() {
    let layer = layer(None, Some(1.0)).with_price(|call| {
        // A model without a price.
        let tokens =
            call.model.as_deref().filter(|model| *model != "new").and(call.input_tokens)?;
        Some((tokens - call.cached_tokens.unwrap_or(0)) as f64 * 0.001)
    });
    let monitor = layer.monitor();
    watch(layer, || {
        let span = of_kind("chat", None);
        span.record("gen_ai.response.model", "small");
        span.record("gen_ai.usage.input_tokens", 100);
        span.record("gen_ai.usage.cache_read.input_tokens", 40);
        span.record("gen_ai.usage.output_tokens", 1);
        drop(span);
        assert_eq!((spent(&monitor)[3], monitor.advice()), (0.06, Advice::Continue));
        let span = of_kind("chat", None);
        span.record("gen_ai.usage.input_tokens", 100);
        span.record("gen_ai.usage.output_tokens", 1);
        span.record("gen_ai.usage.cost", 0.01);
        drop(span);
        assert_eq!((spent(&monitor)[3], monitor.advice()), (0.07, Advice::Continue));
        let span = of_kind("chat", None);
        span.record("gen_ai.request.model", "new");
        span.record("gen_ai.usage.input_tokens", 100);
        span.record("gen_ai.usage.output_tokens", 1);
    });
    assert_eq!(spent(&monitor)[3], 0.07);
    assert!(matches!(monitor.advice(), Advice::Stop(AdviceReason::BudgetStopped { .. })));
}

#[test]
fn subagents_have_their_own_turns_and_share_the_budget() {
    let monitor = watch(layer(Some(1000.0), None), || {
        let lead = of_kind("invoke_agent", None);
        lead.record("gen_ai.agent.name", "lead");
        chat(Some(&lead), 90, 10);
        for name in ["reader", "reader"] {
            let tool = of_kind("execute_tool", Some(&lead));
            tool.record("gen_ai.tool.name", "delegate");
            let subagent = of_kind("invoke_agent", Some(&tool));
            subagent.record("gen_ai.agent.name", name);
            chat(Some(&subagent), 180, 20);
            subagent.record("gen_ai.usage.total_tokens", 200);
        }
        // A model call within a tool call is a subagent without a span of its own.
        let tool = of_kind("execute_tool", Some(&lead));
        tool.record("gen_ai.tool.name", "summarize");
        chat(Some(&tool), 45, 5);
        drop(tool);
        chat(Some(&lead), 90, 10);
        lead.record("gen_ai.usage.total_tokens", 650);
    });
    let agents = monitor.agents();
    let of = |at: usize| (agents[at].name.as_deref(), agents[at].used(Count::TotalTokens).0);
    assert_eq!([of(0), of(1)], [(Some("lead"), 200.0), (Some("reader"), 200.0)]);
    assert_eq!([of(2), of(3)], [(Some("reader"), 200.0), (Some("summarize"), 50.0)]);
    assert_eq!((agents.len(), agents[0].tool_calls.len(), agents[1].tool_calls.len()), (4, 3, 0));
    assert_eq!((spent(&monitor)[2], spent(&monitor)[4]), (650.0, 5.0));
}

#[test]
fn parallel_runs_without_agent_spans_are_told_apart_by_their_outermost_span() {
    let monitor = watch(layer(None, None), || {
        let runs = [tracing::info_span!("request"), tracing::info_span!("request")];
        for run in [&runs[0], &runs[1], &runs[0]] {
            let step = tracing::info_span!(parent: run, "step");
            chat(Some(&step), 1, 1);
        }
        chat(None, 1, 1);
    });
    let turns: Vec<usize> = monitor.agents().iter().map(|agent| agent.forecasts.len()).collect();
    assert_eq!(turns, [2, 1, 1]);
}

#[test]
fn confidence_is_read_from_the_span_or_from_an_event_within_or_after_it() {
    let monitor = watch(layer(None, None), || {
        let agent = of_kind("invoke_agent", None);
        // Before the first turn, there is nothing to which it could belong.
        agent.in_scope(|| tracing::info!(agent.confidence = 0.1));
        let call = |on_span: Option<f64>, on_event: Option<f64>| {
            let span = of_kind("chat", Some(&agent));
            if let Some(confidence) = on_span {
                span.record("agent.confidence", confidence);
            }
            let event = |it| span.in_scope(|| tracing::info!(agent.confidence = it));
            on_event.into_iter().for_each(event);
        };
        call(Some(0.5), None);
        call(None, Some(0.6));
        call(None, None);
        call(None, None);
        agent.in_scope(|| tracing::info!(agent.confidence = "0.8"));
        // An event within the agent belongs to the call that began last, whether it has ended or not.
        let under_way = of_kind("chat", Some(&agent));
        agent.in_scope(|| tracing::info!(agent.confidence = 0.7));
        drop(under_way);
        call(None, None);
        let tool = of_kind("execute_tool", Some(&agent));
        tool.in_scope(|| tracing::info!(agent.confidence = "high"));
        tool.record("agent.confidence", 0.9);
    });
    let agent = &monitor.agents()[0];
    assert_eq!(agent.forecasts, [Some(0.5), Some(0.6), None, Some(0.8), Some(0.7), Some(0.9)]);

    let tps = || Tps::new(BrierScore, WeightSchedule::Uniform);
    assert!(matches!(
        agent.online_tps(tps(), ForecastPolicy::Refuse),
        Err(trajectory_metrics::Error::Forecast { .. })
    ));
    let online = agent.online_tps(tps(), ForecastPolicy::Skip).unwrap();
    let expected = -(0.25 + 0.16 + 0.04 + 0.09 + 0.01) / 5.0;
    assert!((online.finish(true).unwrap() - expected).abs() < 1e-12);
    assert_eq!((online.steps(), online.forecast_counts().skipped), (5, 1));
}

#[test]
fn a_confidence_belongs_to_the_agent_that_states_it() {
    let say = |confidence: f64| tracing::info!(agent.confidence = confidence);
    let monitor = watch(layer(None, None), || {
        let lead = of_kind("invoke_agent", None);
        chat(Some(&lead), 1, 1);
        lead.in_scope(|| say(0.6));
        let delegate = of_kind("execute_tool", Some(&lead));
        let subagent = of_kind("invoke_agent", Some(&delegate));
        // The subagent has no turn yet.
        subagent.in_scope(|| say(0.1));
        chat(Some(&subagent), 1, 1);
        subagent.in_scope(|| say(0.2));
        chat(Some(&lead), 1, 1);
        // A tool without a model call states it for its agent.
        of_kind("execute_tool", Some(&lead)).in_scope(|| say(0.7));
        // An agent within the span of a call has turns of its own.
        let outer = of_kind("chat", Some(&lead));
        of_kind("invoke_agent", Some(&outer)).in_scope(|| say(0.3));
    });
    let forecasts: Vec<_> = monitor.agents().into_iter().map(|it| it.forecasts).collect();
    assert_eq!(forecasts, [vec![Some(0.6), Some(0.7), None], vec![Some(0.2)]]);
}

#[test]
fn a_run_that_is_cancelled_within_its_subscriber_closes_its_spans() {
    let cancel = |is_within: bool| {
        let layer = layer(None, None);
        let monitor = layer.monitor();
        let dispatch = Dispatch::new(Registry::default().with(layer));
        let run = async {
            let agent = of_kind("invoke_agent", None);
            agent.record("gen_ai.usage.total_tokens", 500);
            let call = of_kind("chat", Some(&agent));
            drop(agent);
            std::future::pending::<()>().instrument(call).await;
        };
        let mut run = Box::pin(run.with_subscriber(dispatch.clone()));
        assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        if is_within {
            tracing::dispatcher::with_default(&dispatch, || drop(run));
        } else {
            drop(run);
        }
        (monitor.open_calls(), spent(&monitor)[2])
    };
    assert_eq!(cancel(true), (0, 500.0));
    // Here the registry cannot close the span of the agent.
    assert_eq!(cancel(false), (0, 0.0));
}

#[test]
fn tool_calls_are_matched_in_the_order_in_which_they_began() {
    let monitor = watch(layer(None, None), || {
        let call = |name: &str, arguments: Option<&str>| {
            let span = of_kind("execute_tool", None);
            span.record("gen_ai.tool.name", name);
            if let Some(arguments) = arguments {
                span.record("gen_ai.tool.call.arguments", arguments);
            }
            span
        };
        let first = call("search", Some("{\"query\": \"rust\"}"));
        let second = call("open", None);
        drop(second);
        drop(first);
        drop(call("search", Some("{\"query\": \"ru")));
    });
    let agent = &monitor.agents()[0];
    let search = ToolCall::new("search", [("query", "rust".into())]);
    assert_eq!(agent.tool_calls[0], search);
    // Unknown arguments are not empty ones, and a text that is cut off stays a text.
    assert_eq!(agent.tool_calls[1].arguments, Value::Null);
    assert_eq!(agent.tool_calls[2].arguments, Value::Text("{\"query\": \"ru".to_owned()));
    let expected = [search, ToolCall::new::<&str>("open", [])];
    let monitor = watch(layer(None, None), || {
        for arguments in ["", "null", "{}", "{\"a\": 1, \"a\": 2}", "[1]"] {
            let span = of_kind("execute_tool", None);
            span.record("gen_ai.tool.name", "open");
            span.record("gen_ai.tool.call.arguments", arguments);
        }
    });
    let read = monitor.agents()[0].tool_calls.clone();
    assert!(read[..3].iter().all(|call| *call == expected[1]));
    assert!(read[3..].iter().all(|call| matches!(call.arguments, Value::Text(_))));
    let by = |rule| agent.match_calls(&expected, &ToolCallMatcher::new(rule)).unwrap();
    assert!(by(ArgumentRule::ignore()).is_match(MatchMode::InOrder));
    assert!(!by(ArgumentRule::ignore()).is_match(MatchMode::Exact));
    assert_eq!(by(ArgumentRule::exact()).missing, [1]);
}

#[test]
fn agents_that_have_ended_can_be_taken() {
    let layer = layer(None, None);
    let monitor = layer.monitor();
    let reply = |agent: &Span| {
        let span = of_kind("chat", Some(agent));
        span.record("gen_ai.response.id", "a");
        span.record("gen_ai.usage.total_tokens", 5);
    };
    watch(layer, || {
        let open = of_kind("invoke_agent", None);
        for name in ["first", "second"] {
            let agent = of_kind("invoke_agent", None);
            agent.record("gen_ai.agent.name", name);
            reply(&agent);
            reply(&agent);
        }
        chat(Some(&open), 1, 1);
        let names = |runs: Vec<AgentRun>| runs.into_iter().map(|run| run.name).collect::<Vec<_>>();
        let [first, second] = ["first", "second"].map(|name| Some(name.to_owned()));
        assert_eq!(names(monitor.agents()), [first.clone(), second.clone(), None]);
        assert_eq!(names(monitor.take_ended()), [first, second]);
        assert_eq!(names(monitor.agents()), [None]);
        chat(Some(&open), 1, 1);
    });
    assert_eq!(monitor.take_ended()[0].forecasts.len(), 2);
    assert!(monitor.agents().is_empty());
    // The replies of an agent are forgotten with it: other runs may have the same ids.
    assert_eq!(spent(&monitor)[2], 5.0 + 5.0 + 2.0 + 2.0);
}

#[test]
fn spans_of_many_threads_are_all_counted() {
    const THREADS: u64 = 8;
    const CALLS: u64 = 200;
    let layer = layer(Some(1e9), None);
    let monitor = layer.monitor();
    let dispatch = Dispatch::new(Registry::default().with(layer));
    let root = tracing::dispatcher::with_default(&dispatch, || of_kind("invoke_agent", None));
    let barrier = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (monitor, dispatch, root, barrier) = (monitor.clone(), &dispatch, &root, &barrier);
            scope.spawn(move || {
                tracing::dispatcher::with_default(dispatch, || {
                    barrier.wait();
                    let agent = of_kind("invoke_agent", Some(root));
                    agent.record("gen_ai.agent.name", format!("agent {thread}"));
                    for call in 0..CALLS {
                        chat(Some(&agent), thread, call);
                        assert_eq!(monitor.advice(), Advice::Continue);
                    }
                    agent.record("gen_ai.usage.input_tokens", CALLS * thread);
                });
            });
        }
    });
    tracing::dispatcher::with_default(&dispatch, || drop(root));
    let (input, output) = (CALLS * 28, THREADS * CALLS * (CALLS - 1) / 2);
    let calls = (THREADS * CALLS) as f64;
    let all = [input as f64, output as f64, (input + output) as f64, 0.0, calls, 0.0];
    assert_eq!(spent(&monitor), all);
    assert_eq!(monitor.agents().len(), THREADS as usize);
    for agent in monitor.agents() {
        let number = agent.name.as_ref().unwrap().strip_prefix("agent ").unwrap();
        let number: u64 = number.parse().unwrap();
        assert_eq!(agent.used(Count::InputTokens), ((CALLS * number) as f64, 0));
        assert_eq!(agent.forecasts.len(), CALLS as usize);
    }
}

#[test]
fn a_span_that_never_closes_is_under_way_and_counts_nothing() {
    let monitor = watch(layer(Some(100.0), None), || {
        let span = of_kind("chat", None);
        span.record("gen_ai.usage.total_tokens", 500);
        std::mem::forget(span);
    });
    assert_eq!((monitor.open_calls(), spent(&monitor)[2]), (1, 0.0));
}

#[test]
fn other_spans_and_events_change_nothing() {
    let monitor = watch(layer(Some(100.0), None), || {
        let span = tracing::info_span!("http", status = 200, agent = "x", input_tokens = 5000);
        span.in_scope(|| tracing::info!(confidence = 0.5, "words"));
        drop(open(Some(&span)));
        of_kind("create_agent", Some(&span)).record("gen_ai.agent.name", "x");
    });
    assert_eq!(spent(&monitor), [0.0; 6]);
    assert!(monitor.agents().is_empty());
    assert_eq!((monitor.advice(), monitor.open_calls()), (Advice::Continue, 0));
}

#[test]
fn a_kind_that_is_not_a_call_counts_what_it_uses_and_has_no_turn() {
    let monitor = watch(layer(None, None), || {
        let span = of_kind("embeddings", None);
        span.record("gen_ai.usage.input_tokens", 300);
        drop(span);
        // A span without a kind that states tokens is a model call.
        let span = open(None);
        span.record("gen_ai.usage.input_tokens", 5);
        span.record("gen_ai.usage.output_tokens", 5);
    });
    assert_eq!(spent(&monitor), [305.0, 5.0, 10.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_cap_that_is_used_up_stops_every_agent_and_a_share_of_it_warns() {
    let budget = Budget::new([("calls", Some(4.0)), ("seconds", None)]).unwrap();
    let layer = GenAiLayer::new(budget, [("calls", Count::ModelCalls)]).unwrap();
    let layer = layer.with_warning_at(0.75).unwrap();
    let monitor = layer.monitor();
    let mut advice = Vec::new();
    let call = || chat(None, 1, 1);
    watch(layer, || {
        for _ in 0..4 {
            advice.push(monitor.advice());
            call();
        }
    });
    advice.push(monitor.advice());
    let resource = "calls".to_owned();
    let warning = Advice::Warn(AdviceReason::NearCap { resource: resource.clone() });
    assert_eq!(advice[..4], [Advice::Continue, Advice::Continue, Advice::Continue, warning]);
    assert_eq!(advice[4], Advice::Stop(AdviceReason::CapExceeded { resource }));
    assert_eq!(advice[4].stop_reason(), Some(StopReason::MaxSteps));
    assert_eq!(monitor.clone().left().collect::<Vec<_>>(), [Some(0.0), None]);
}

#[test]
fn a_cap_above_the_budget_that_is_used_up_stops_it() {
    let all = Budget::new([("calls", Some(2.0)), ("seconds", Some(9.0))]).unwrap();
    let team = all.child(&[("seconds", 8.0)]).unwrap();
    let layer = GenAiLayer::new(team, [("calls", Count::ModelCalls)]).unwrap();
    let monitor = layer.monitor();
    watch(layer, || chat(None, 1, 1));
    // What another call holds may come back.
    let held = all.reserve(&[("calls", 1.0)]).unwrap();
    assert_eq!(monitor.advice(), Advice::Continue);
    held.settle(&[]).unwrap();
    assert_eq!(monitor.advice().stop_reason(), Some(StopReason::MaxSteps));
    // The last unit of a cap.
    for (cap, unit) in [(9e14, 1.0), (900_000.0, 1e-9), (0.3, 1e-9), (0.0, 0.0)] {
        let budget = Budget::new([("usd", Some(cap))]).unwrap();
        let monitor = GenAiLayer::new(budget, [("usd", Count::CostUsd)]).unwrap().monitor();
        if unit > 0.0 {
            monitor.budget().spend(&[("usd", cap - unit)]).unwrap();
            assert_eq!(monitor.advice(), Advice::Continue, "{cap}");
            monitor.budget().spend(&[("usd", unit)]).unwrap();
        }
        assert_eq!(monitor.advice().stop_reason(), Some(StopReason::MaxCost), "{cap}");
    }
}

#[test]
fn names_that_the_budget_does_not_have_are_refused() {
    let budget = || Budget::new([("tokens", Some(4.0))]).unwrap();
    let refused = GenAiLayer::new(budget(), [("token", Count::TotalTokens)]);
    assert!(matches!(refused, Err(Error::NoSuchResource { .. })));
    let twice = [("tokens", Count::TotalTokens), ("tokens", Count::InputTokens)];
    assert!(matches!(GenAiLayer::new(budget(), twice), Err(Error::ResourceName { .. })));
    let layer = || GenAiLayer::new(budget(), [("tokens", Count::TotalTokens)]).unwrap();
    assert!(matches!(layer().with_assumed("usd", 1.0), Err(Error::NoSuchResource { .. })));
    for amount in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(layer().with_assumed("tokens", amount), Err(Error::Amount { .. })));
    }
    assert!(matches!(layer().with_warning_at(1.5), Err(Error::ScoringRules(_))));
}

#[test]
fn monitors_are_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<agent_tracing::Monitor>();
    fn sent<T: Send + Sync + 'static>() {}
    sent::<GenAiLayer>();
}
