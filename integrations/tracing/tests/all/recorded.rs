use std::collections::HashMap;

use agent_tracing::{ATTRIBUTES, Monitor};
use serde_json::Value as Json;
use tracing::Span;
use trajectory_metrics::tool_calls::{ArgumentRule, MatchMode, ToolCall, ToolCallMatcher};

use crate::support::{layer, open, spent, watch};

/// Opens recorded spans in the order of their start, and closes them in the order in which they were recorded.
fn replay(recorded: &str) -> Monitor {
    let lines: Vec<Json> =
        recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = |line: &Json| line["id"].as_str().unwrap().to_owned();
    let mut by_start: Vec<&Json> = lines.iter().collect();
    by_start.sort_by_key(|line| line["start"].as_u64());
    watch(layer(Some(10_000.0), None), || {
        let mut spans: HashMap<String, Span> = HashMap::new();
        for line in by_start {
            let parent = line["parent"].as_str().and_then(|parent| spans.get(parent));
            let span = open(parent);
            for &(name, _) in ATTRIBUTES {
                match &line["attributes"][name] {
                    Json::Null => &span,
                    Json::String(text) => span.record(name, text.as_str()),
                    number => span.record(name, number.as_u64().unwrap()),
                };
            }
            spans.insert(id(line), span);
        }
        lines.iter().for_each(|line| drop(spans.remove(&id(line))));
    })
}

#[test]
fn recorded_spans_state_what_the_server_replied() {
    for (recorded, name, tools) in [
        (include_str!("../recorded/agents_v2.jsonl"), Some("lister"), 2),
        (include_str!("../recorded/openinference.jsonl"), None, 0),
        (include_str!("../recorded/pydantic_ai.jsonl"), Some("lister"), 2),
    ] {
        let monitor = replay(recorded);
        let tools = f64::from(tools);
        assert_eq!(spent(&monitor), [3300.0, 120.0, 3420.0, 0.0, 3.0, tools], "{name:?}");
        let agents = monitor.agents();
        assert_eq!((agents.len(), agents[0].name.as_deref()), (1, name));
        assert_eq!(monitor.open_calls(), 0);
        assert_eq!(monitor.advice(), budget_estimation::Advice::Continue);
        if tools > 0.0 {
            let expected = ["ls", "cat missing.txt"].map(|command| {
                let arguments = [("command", command.into()), ("description", "x".into())];
                ToolCall::new("bash", arguments)
            });
            let matcher = ToolCallMatcher::new(ArgumentRule::exact());
            let alignment = agents[0].match_calls(&expected, &matcher).unwrap();
            assert!(alignment.is_match(MatchMode::Exact));
        }
    }
}
