//! What the released loop and evaluation of CostBench make of replies, and what comes out here.
#![cfg(feature = "costbench")]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod policies;

use agent_benchmarks::{
    Arguments, Conversation, Reply, Request,
    costbench::{CostBench, CostBenchRecord, EventKind, Instance, ReplyRules, Split, queries},
    openai_chat_body, read_openai_chat,
};
use policies::{call, held, preferences};
use serde_json::{Value, json};

/// The arguments of a call as the script wants them, as text.
fn arguments(how: Option<&str>, mut right: serde_json::Map<String, Value>) -> String {
    let ids = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('<'));
    let every_id = |right: &mut serde_json::Map<String, Value>, id: &dyn Fn(&str) -> Value| {
        let names: Vec<String> =
            right.iter().filter(|it| ids(it.1)).map(|it| it.0.clone()).collect();
        names.into_iter().for_each(|name| drop(right.insert(name.clone(), id(&name))));
    };
    match how {
        Some("extra") => drop(right.insert("Weather".to_owned(), json!("sunny"))),
        Some("forged_time") => drop(right.insert("TimeInfo".to_owned(), json!("soon"))),
        Some("forged") => every_id(&mut right, &|name| json!(format!("<{name}00077>"))),
        Some("short") => every_id(&mut right, &|name| json!(format!("<{name}77>"))),
        Some("number") => every_id(&mut right, &|_| json!(77_777)),
        Some("wrong_word") => {
            let name = right.keys().find(|name| name.ends_with("Category")).unwrap().clone();
            right.insert(name, json!("spaceship"));
        }
        Some("drop") => drop(right.remove(&right.keys().next().unwrap().clone())),
        Some("bare") => {
            for value in right.values_mut().filter(|value| ids(value)) {
                *value = json!(value.as_str().unwrap().trim_matches(['<', '>']));
            }
        }
        _ => {}
    }
    let text = Value::Object(right).to_string();
    match how {
        Some("fenced") => format!("```json\n{text}\n```"),
        Some("twice") => json!(text).to_string(),
        Some("escaped") => text.replace('"', "\\\""),
        Some("cut") => text[..text.len() - 2].to_owned(),
        Some("list") => format!("[{text}]"),
        _ => text,
    }
}

/// The reply of one step of a script, as a server would send it.
fn reply(step: &Value, request: &Request, instance: &Instance, place: usize) -> Reply {
    let goal = instance.query().task().goal();
    let id = held(request).0.get(goal).cloned().unwrap_or_default();
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    // The released goal has the name of a candidate.
    let named = id.replace(goal, &format!("{}Candidate", goal.trim_start_matches("Travel")));
    let text = step["say"].as_str().map(|text| text.replace("{goal}", &named));
    let text = text.map(|text| text.replace("{digits}", &digits));
    let mut message = json!({"role": "assistant", "content": text});
    if let Some(name) = step["call"].as_str() {
        let right = request.tool(name).map(|tool| call(tool, request, &preferences(instance)));
        let right = match right.map(|call| call.arguments) {
            Some(Arguments::Parsed(value)) => {
                serde_json::from_str(&run_logs::to_json(&value)).unwrap()
            }
            _ => serde_json::Map::new(),
        };
        let arguments = arguments(step["args"].as_str(), right);
        let function = json!({"name": name, "arguments": arguments});
        let id = format!("c{place}");
        message["tool_calls"] = json!([{"id": id, "type": "function", "function": function}]);
    }
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    read_openai_chat(body.as_bytes()).unwrap()
}

fn run(instance: &Instance, script: &[Value]) -> CostBenchRecord {
    let mut conversation = instance.conversation();
    let mut place = 0;
    while let Some(request) = conversation.request() {
        assert!(!openai_chat_body(request, "model").is_empty());
        let more = json!({"say": "no more"});
        let next = reply(script.get(place).unwrap_or(&more), request, instance, place);
        conversation.reply(next).unwrap();
        place += 1;
    }
    conversation.finish()
}

fn golden() -> Vec<Value> {
    let text = include_str!("golden/costbench/released_replies.json");
    let golden: Value = serde_json::from_str(text).unwrap();
    golden["runs"].as_array().unwrap().clone()
}

fn instance(run: &Value, rules: ReplyRules) -> Instance {
    let events = run["events"].as_array().unwrap().iter();
    let events: Vec<EventKind> =
        events.map(|kind| kind.as_str().unwrap().parse().unwrap()).collect();
    let level = usize::try_from(run["level"].as_u64().unwrap()).unwrap();
    let bench = CostBench::new(level).unwrap().with_events(events).with_reply_rules(rules);
    let queries = queries(Split::Test, 42);
    let query = queries.iter().find(|query| run["query_id"] == query.id).unwrap();
    bench.instance(query)
}

/// What the released evaluation says, of a run of ours.
fn facts(record: &CostBenchRecord) -> Value {
    if record.transcript.left_out(&record.reference).is_some() {
        return json!({"counts": false});
    }
    let scores = record.scores().unwrap();
    let calls = record.transcript.calls();
    let names = |calls: &[tool_graph::CallRecord]| -> Vec<String> {
        let valid = calls.iter().filter(|call| !call.status.is_invalid());
        valid.map(|call| call.name.clone()).collect()
    };
    json!({
        "counts": true,
        "path": names(calls),
        "reference": names(record.reference.calls()),
        "match": scores.exact_match,
        "edits": scores.edit_distance,
        "share": scores.normalized_edit_distance,
        "cost": record.transcript.total_cost(),
        "reference_cost": record.reference.total_cost(),
        "right": scores.completed,
        "calls": calls.len(),
        "valid_calls": calls.len() - scores.failures.invalid(),
    })
}

/// The released evaluation counts a call beside an answer as made, which the released loop does not make.
const DIFFERENT: &str = "answer beside a call";

#[test]
fn every_kind_of_reply_has_the_scores_of_the_released_loop_and_evaluation() {
    let golden = golden();
    assert!(golden.len() > 50);
    for run in &golden {
        let record =
            self::run(&instance(run, ReplyRules::RELEASED), run["script"].as_array().unwrap());
        let found = facts(&record);
        if run["name"] == DIFFERENT {
            assert_eq!((&found["calls"], &run["calls"]), (&json!(1), &json!(2)));
            continue;
        }
        assert_eq!(found["counts"], run["counts"], "{run}");
        if found["counts"] == json!(true) {
            for (name, value) in found.as_object().unwrap() {
                assert_eq!(*value, run[name], "{name} of {run}");
            }
        }
    }
}

#[test]
fn each_rule_of_replies_decides_over_some_of_them() {
    type Change = fn(&mut ReplyRules);
    let golden = golden();
    let without = |change: Change| {
        let mut rules = ReplyRules::RELEASED;
        change(&mut rules);
        let changed = golden.iter().filter(|run| {
            let script = run["script"].as_array().unwrap();
            let facts = |rules| facts(&self::run(&instance(run, rules), script));
            facts(rules) != facts(ReplyRules::RELEASED)
        });
        changed.map(|run| run["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(without(|rules| rules.ignores_extra_parameters = false), ["arguments: extra"]);
    let bare = ["arguments: bare", "arguments: bare, twice", "dining, first call: bare"];
    assert_eq!(
        without(|rules| rules.takes_bare_ids = false),
        bare[..0],
        "forged ids are a superset"
    );
    let forged = without(|rules| rules.takes_forged_ids = false);
    let taken = ["forged_time", "forged", "short", "number"].map(|how| format!("arguments: {how}"));
    assert_eq!(
        forged,
        [&taken.each_ref().map(String::as_str)[..], &["dining, first call: forged"]].concat()
    );
    let strict = without(|rules| (rules.takes_bare_ids, rules.takes_forged_ids) = (false, false));
    assert!(bare.iter().all(|name| strict.contains(name)), "{strict:?}");
    let repaired = without(|rules| rules.repairs_arguments = false);
    assert_eq!(
        repaired,
        ["fenced", "twice", "escaped", "number"].map(|how| format!("arguments: {how}"))
    );
    assert!(without(|rules| rules.finds_answers = false).len() > 4);
    assert!(without(|rules| rules.ends_at_text = false).contains(&"text in the middle"));
    assert_eq!(without(|rules| rules.limits_replies = false), ["18 failed calls, then the goal"]);
}
