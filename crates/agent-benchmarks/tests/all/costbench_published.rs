//! What the released loop and evaluation of CostBench make of replies, and what comes out here.

use std::{collections::BTreeMap, env, fs, path::Path};

use crate::policies::{held, preferences};
use agent_benchmarks::{
    Arguments, Conversation, Error, Message, ParameterKind, Reply, Request, Role,
    costbench::{
        CostBench, CostBenchRecord, EnvironmentRules, EventKind, Instance, Prompts, Query,
        ReplyRules, Split, queries, read_queries, read_results,
    },
    openai_chat_body, read_openai_chat,
};
use serde_json::{Value, json};
use tool_graph::costbench::{Library, Task};

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

/// What the agent holds by data type, and the number of changes of preferences, in released messages.
fn released_held(messages: &[Message]) -> (BTreeMap<String, String>, usize) {
    let (mut held, mut users) = (BTreeMap::new(), 0);
    for message in messages {
        let text = &message.text;
        let ids = text.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0));
        let is_id =
            |id: &&str| id.len() > 5 && id[id.len() - 5..].bytes().all(|b| b.is_ascii_digit());
        let ids: Vec<&str> = ids.filter(is_id).collect();
        match message.role {
            Role::User => {
                users += 1;
                for id in ids {
                    held.insert(id[..id.len() - 5].to_owned(), format!("<{id}>"));
                }
            }
            Role::Tool if !text.starts_with("[ERROR]") => {
                let kind =
                    text.rsplit("Type: ").next().unwrap().split([')', '.', ',']).next().unwrap();
                if let Some(id) = ids.last() {
                    held.insert(kind.to_owned(), format!("<{id}>"));
                }
            }
            _ => {}
        }
    }
    (held, users.max(1) - 1)
}

/// What the agent holds, in our messages or in released ones.
fn all_held(request: &Request) -> (BTreeMap<String, String>, usize) {
    match request.messages[1].text.contains("\nTimeInfo: <") {
        true => held(request),
        false => released_held(&request.messages),
    }
}

/// The arguments of a right call.
fn right(name: &str, request: &Request, instance: &Instance) -> serde_json::Map<String, Value> {
    let (held, changes) = all_held(request);
    let values = preferences(instance)[changes].values();
    let parameters = request.tool(name).map_or(&[][..], |tool| &tool.parameters);
    let argument = |name: &String, kind: &ParameterKind| match kind {
        ParameterKind::Choice(_) => {
            let ends = ["Category", "Tier", "Style", "FeaturePackage"];
            values[ends.iter().position(|end| name.ends_with(end)).unwrap()].to_owned()
        }
        _ => held.get(name).cloned().unwrap_or_else(|| format!("<{name}00001>")),
    };
    let named = parameters.iter().map(|it| (it.name.clone(), argument(&it.name, &it.kind).into()));
    named.collect()
}

/// The reply of one step of a script, as a server would send it.
fn reply(step: &Value, request: &Request, instance: &Instance, place: usize) -> Reply {
    let goal = instance.query().task().goal();
    let id = all_held(request).0.get(goal).cloned().unwrap_or_else(|| "<none>".to_owned());
    let digits: String = id.chars().filter(char::is_ascii_digit).collect();
    // The released goal has the name of a candidate.
    let named = id.replace(goal, &format!("{}Candidate", goal.trim_start_matches("Travel")));
    let text = step["say"].as_str().map(|text| text.replace("{goal}", &named));
    let text = text.map(|text| text.replace("{digits}", &digits).replace("{own}", &id));
    let mut message = json!({"role": "assistant", "content": text});
    if let Some(name) = step["call"].as_str() {
        let arguments = arguments(step["args"].as_str(), right(name, request, instance));
        let function = json!({"name": name, "arguments": arguments});
        let id = format!("c{place}");
        message["tool_calls"] = json!([{"id": id, "type": "function", "function": function}]);
    }
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    read_openai_chat(body.as_bytes()).unwrap()
}

/// The record of a script, and the last request.
fn run_with_request(instance: &Instance, script: &[Value]) -> (CostBenchRecord, Request) {
    let mut conversation = instance.conversation();
    let (mut place, mut last) = (0, Request::default());
    while let Some(request) = conversation.request() {
        assert!(openai_chat_body(request, "model").contains("\"parallel_tool_calls\":false"));
        last = request.clone();
        let more = json!({"say": "no more"});
        let next = reply(script.get(place).unwrap_or(&more), request, instance, place);
        conversation.reply(next).unwrap();
        place += 1;
    }
    (conversation.finish(), last)
}

fn run(instance: &Instance, script: &[Value]) -> CostBenchRecord {
    run_with_request(instance, script).0
}

fn runs(golden: &str) -> Vec<Value> {
    let golden: Value = serde_json::from_str(golden).unwrap();
    golden["runs"].as_array().unwrap().clone()
}

fn golden() -> Vec<Value> {
    runs(include_str!("../golden/costbench/released_replies.json"))
}

fn random_agents() -> Vec<Value> {
    runs(include_str!("../golden/costbench/released_random_agents.json"))
}

fn bench(run: &Value) -> CostBench {
    let events = run["events"].as_array().unwrap().iter();
    let events: Vec<EventKind> =
        events.map(|kind| kind.as_str().unwrap().parse().unwrap()).collect();
    let level = usize::try_from(run["level"].as_u64().unwrap()).unwrap();
    CostBench::new(level).unwrap().with_events(events)
}

fn query(run: &Value, queries: &[Query]) -> Query {
    queries.iter().find(|query| run["query_id"] == query.id).unwrap().clone()
}

fn instance(run: &Value, rules: ReplyRules) -> Instance {
    bench(run).with_reply_rules(rules).instance(&query(run, &queries(Split::Test, 42)))
}

fn released(run: &Value) -> CostBenchRecord {
    self::run(&instance(run, ReplyRules::RELEASED), run["script"].as_array().unwrap())
}

/// What the released evaluation says, of a run of ours.
fn facts(record: &CostBenchRecord) -> Value {
    if record.transcript.left_out(&record.reference).is_some() {
        return json!({"counts": false});
    }
    let scores = record.scores().unwrap();
    let calls = &record.transcript.calls;
    let names = |calls: &[tool_graph::CallRecord]| -> Vec<String> {
        let valid = calls.iter().filter(|call| !call.status.is_invalid());
        valid.map(|call| call.name.clone()).collect()
    };
    json!({
        "counts": true,
        "path": names(calls),
        "reference": names(&record.reference.calls),
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

/// Checks that a run counts as in the released evaluation and then has the same facts, and returns whether it counts.
fn assert_same(record: &CostBenchRecord, run: &Value) -> bool {
    let found = facts(record);
    assert_eq!(found["counts"], run["counts"], "{run}");
    let counts = found["counts"] == json!(true);
    for (name, value) in found.as_object().unwrap() {
        assert_eq!(*value, run[name], "{name} of {run}");
    }
    counts
}

/// The released evaluation counts a call beside an answer as made, which the released loop does not make.
const DIFFERENT: &str = "answer beside a call";

#[test]
fn every_kind_of_reply_has_the_scores_of_the_released_loop_and_evaluation() {
    let golden = golden();
    assert!(golden.len() > 50);
    for run in &golden {
        let record = released(run);
        if run["name"] == DIFFERENT {
            assert_eq!((&facts(&record)["calls"], &run["calls"]), (&json!(1), &json!(2)));
            continue;
        }
        assert_same(&record, run);
    }
}

#[test]
fn two_hundred_random_agents_have_the_scores_of_the_released_loop_and_evaluation() {
    let agents = random_agents();
    let counted = agents.iter().filter(|run| assert_same(&released(run), run)).count();
    assert_eq!((agents.len(), counted), (200, 183));
}

#[test]
fn what_differs_by_our_rules_for_random_agents_differs_by_a_named_switch() {
    use tool_graph::RuleVersion::PaperText;
    type Change = fn(&mut EnvironmentRules, &mut ReplyRules);
    const SWITCHES: [(&str, Change); 18] = [
        ("visible_tools", |it, _| it.visible_tools = PaperText),
        ("banned_tools", |it, _| it.banned_tools = PaperText),
        ("failed_calls", |it, _| it.failed_calls = PaperText),
        ("event_clock", |it, _| it.event_clock = PaperText),
        ("greedy_restart", |it, _| it.greedy_restart = PaperText),
        ("event_schedule", |it, _| it.event_schedule = PaperText),
        ("removals", |it, _| it.removals = PaperText),
        ("unfinished_runs", |it, _| it.unfinished_runs = PaperText),
        ("repeated_bans", |it, _| it.repeated_bans = PaperText),
        ("counted_runs", |it, _| it.counted_runs = PaperText),
        ("unknown_bans", |it, _| it.unknown_bans = PaperText),
        ("ignores_extra_parameters", |_, it| it.ignores_extra_parameters = false),
        ("takes_bare_ids", |_, it| it.takes_bare_ids = false),
        ("takes_forged_ids", |_, it| it.takes_forged_ids = false),
        ("repairs_arguments", |_, it| it.repairs_arguments = false),
        ("finds_answers", |_, it| it.finds_answers = false),
        ("ends_at_text", |_, it| it.ends_at_text = false),
        ("limits_replies", |_, it| it.limits_replies = false),
    ];
    let queries = queries(Split::Test, 42);
    let mut changed: BTreeMap<&str, usize> = BTreeMap::new();
    for run in random_agents() {
        // Our rules ask for the identifier as it was given.
        let script: Value =
            serde_json::from_str(&run["script"].to_string().replace("{goal}", "{own}")).unwrap();
        let script = script.as_array().unwrap();
        let query = query(&run, &queries);
        let facts = |switches: &[(&str, Change)]| {
            let (mut rules, mut replies) = (EnvironmentRules::RELEASED, ReplyRules::RELEASED);
            switches.iter().for_each(|(_, change)| change(&mut rules, &mut replies));
            let bench = bench(&run).with_rules(rules).with_reply_rules(replies);
            facts(&self::run(&bench.instance(&query), script))
        };
        let released = facts(&[]);
        let own = SWITCHES.iter().filter(|it| facts(&[**it]) != released).map(|(name, _)| *name);
        let own: Vec<&str> = own.collect();
        let differs = facts(&SWITCHES) != released;
        assert!(!differs || !own.is_empty(), "{run}");
        for name in own.into_iter().chain(differs.then_some("all")) {
            *changed.entry(name).or_default() += 1;
        }
    }
    let found = [
        ("all", 60),
        ("counted_runs", 17),
        ("event_schedule", 2),
        ("failed_calls", 40),
        ("removals", 3),
    ];
    assert_eq!(changed, BTreeMap::from(found));
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

/// What a composite tool says of an identifier without five digits, with which it was carried out all the same.
const ODD: [&str; 2] = ["arguments: forged", "arguments: short"];

/// Texts of a form that nobody else has, for tasks of five steps.
fn made_up_texts() -> Value {
    let words = ["LocationCategory", "LocationTier", "LocationStyle", "LocationFeaturePackage"];
    let parameter = |it: &'static str| (it, json!({"description": it, "values": ["a"]}));
    let parameters = BTreeMap::from(words.map(parameter));
    let tool = |name: &str| {
        let description = format!("{name} <- {{cost}}");
        let result = "{number}: {cost}";
        let tool = json!({"description": description, "parameters": parameters, "result": result});
        (name.to_owned(), tool)
    };
    let tools: BTreeMap<String, Value> = Library::new(2).unwrap().names().map(tool).collect();
    let faults = [
        "missing_input",
        "unknown_tool",
        "missing_parameter",
        "wrong_value",
        "unreadable",
        "several_calls",
    ];
    let system = Task::ALL.map(|task| (task.name(), format!("{{system}} of {task}")));
    json!({
        "levels": {"2": {"system": BTreeMap::from(system), "tools": tools}},
        "banned": ["BANNED"],
        "faults": BTreeMap::from(faults.map(|name| (name, format!("{name} {{tool}}")))),
        "changed": ["CHANGED {wishes}"],
        "wishes": BTreeMap::from(Task::ALL.map(|task| (task.name(), "{requirement}"))),
    })
}

fn published(texts: &Value) -> Result<Prompts, Error> {
    Prompts::published(&BTreeMap::from([(Prompts::FILES[0], texts.to_string())]))
}

#[test]
fn published_texts_reach_the_model_unchanged() {
    let texts = made_up_texts();
    let bench = CostBench::new(2).unwrap().with_events(vec![EventKind::PreferenceChange]);
    let bench = bench.with_prompts(published(&texts).unwrap()).unwrap();
    let instance = bench.instance(&queries(Split::Test, 42)[0]);
    let (_, request) = run_with_request(&instance, &[json!({"call": "Book_It"})]);
    let said: Vec<&str> = request.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(json!(said[0]), texts["levels"]["2"]["system"]["location"]);
    assert_eq!(said[3], "unknown_tool Book_It");
    let wish = instance.preferences_after(0).unwrap();
    let seed = instance.query().seed() + 1;
    assert_eq!(said[4], format!("CHANGED {}", wish.requirement(seed)));
    assert_eq!(request.tools[0].description, "Decide_Location_Preference <- 23.23");

    // Models read the text: its order is the released one, and further parameters are not forbidden.
    let part = |word: &str| {
        format!(
            r#""Location{word}":{{"type":"string","enum":["a"],"description":"Location{word}"}}"#
        )
    };
    let parts = ["Category", "Tier", "Style", "FeaturePackage"].map(part).join(",");
    let body = openai_chat_body(&request, "m");
    let first = format!(
        r#""tools":[{{"type":"function","function":{{"name":"Decide_Location_Preference","description":"Decide_Location_Preference <- 23.23","parameters":{{"type":"object","properties":{{{parts}}},"required":["LocationCategory","LocationTier","LocationStyle","LocationFeaturePackage"]}}}}}}"#
    );
    assert!(body.contains(&first), "{first}\n{body}");
    assert!(!body.contains("additionalProperties"), "{body}");
}

/// A tool as its JSON text has it: the names of its parameters in their order.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct WrittenTool {
    function: WrittenFunction,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct WrittenFunction {
    name: String,
    parameters: WrittenSchema,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSchema {
    r#type: String,
    #[serde(deserialize_with = "names")]
    properties: Vec<String>,
    required: Vec<String>,
}

fn names<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> serde::de::Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some((name, _)) = map.next_entry::<String, Value>()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    deserializer.deserialize_map(Names)
}

#[derive(serde::Deserialize)]
struct Written {
    tools: Vec<WrittenTool>,
}

#[test]
fn texts_that_lack_a_tool_a_task_or_a_level_are_refused() {
    let problem = |change: fn(&mut Value)| {
        let mut texts = made_up_texts();
        change(&mut texts);
        match published(&texts) {
            Err(Error::Invalid { problem }) => problem,
            other => panic!("{other:?}"),
        }
    };
    let missing = problem(|it| {
        it["levels"]["2"]["tools"].as_object_mut().unwrap().remove("Select_Final_Dining");
    });
    assert!(missing.ends_with("level 2 has no text of Select_Final_Dining"), "{missing}");
    let missing = problem(|it| drop(it["faults"].as_object_mut().unwrap().remove("unreadable")));
    assert!(missing.contains("is not complete"), "{missing}");
    let missing = problem(|it| {
        let wishes = it["wishes"].as_object_mut().unwrap();
        let task = wishes.keys().next().unwrap().clone();
        wishes.remove(&task);
    });
    assert!(missing.contains("is not complete"), "{missing}");
    let mut texts = made_up_texts();
    texts["changed"][0] = json!("{whishes}");
    assert!(published(&texts).unwrap_err().to_string().contains("the place {whishes}"));
    let other = CostBench::new(3).unwrap().with_prompts(published(&made_up_texts()).unwrap());
    assert!(
        matches!(other, Err(Error::Invalid { problem }) if problem == "a stored value is invalid: the texts have no level 3")
    );
}

/// The file of queries with two of them, in words that nobody else has.
fn two_queries() -> String {
    let query = |number: u32, tier: &str| {
        json!({
            "query_id": format!("<Query{number:05}>"),
            "task": "location",
            "TimeInfo": "<TimeInfo03119>",
            "preferences": {
                "category": "city",
                "tier": tier,
                "style": "historic_and_traditional",
                "feature_package": "architectural_marvel",
            },
            "groundtruth": format!("<LocationPreference{number:05}>"),
            "user_requirements": format!("Wish {number}."),
            "query": {"input": format!("Wish {number}.\nTimeInfo: <TimeInfo03119>")},
        })
    };
    json!([query(1, "major_metropolis"), query(2, "mid_sized_city")]).to_string()
}

/// The messages of the model in a run, as a released file of results has them.
fn said(record: &CostBenchRecord) -> Vec<Value> {
    let replies = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
    let message = |reply: &Reply| {
        let mut message = json!({"role": "assistant", "content": reply.text});
        if let Some(call) = reply.tool_calls.first() {
            let text = match (&call.written, &call.arguments) {
                (Some(written), _) => written.clone(),
                (None, Arguments::Unparsed { text, .. }) => text.clone(),
                (None, Arguments::Parsed(value)) => run_logs::to_json(value),
            };
            message["tool_calls"] = json!([{"name": call.name, "arguments": text}]);
        }
        message
    };
    replies.map(message).collect()
}

/// A released file of results.
fn results(rows: &[Value], kind: Option<&str>) -> String {
    json!({
        "stats": {
            "model_name": "scripted", "use_blocker": kind.is_some(), "block_mode": kind, "block_num": 1,
            "refinement_level": 2, "max_tool_steps": 20, "tool_creation_seed": 42, "min_atomic_cost": 15,
            "max_atomic_cost": 25, "noise_std": 0.1,
            "scores": {
                "accuracy_metrics": {"final_answer_accuracy": 0.5},
                "tool_path_metrics": {"avg_edit_distance": 2.25},
            },
        },
        "results": rows,
    })
    .to_string()
}

#[test]
fn runs_of_a_released_file_of_results_are_played_again_and_have_the_released_scores() {
    let queries = read_queries(&two_queries(), 42).unwrap();
    let golden = golden();
    let mut played = 0;
    for kind in [None, Some("ban_tool"), Some("cost_change"), Some("preference_change")] {
        let events: Vec<&str> = kind.into_iter().collect();
        let own = |run: &&Value| {
            run["query_id"] == "<Query00001>"
                && run["events"] == json!(events)
                && run["name"] != DIFFERENT
        };
        let runs: Vec<&Value> = golden.iter().filter(own).collect();
        let rows = runs.iter().map(|run| {
            let instance = bench(run).instance(&query(run, &queries));
            let history = said(&self::run(&instance, run["script"].as_array().unwrap()));
            json!({"query_id": run["query_id"], "conversation_history": history})
        });
        let rows: Vec<Value> = rows.collect();
        let found = read_results(&results(&rows, kind), &queries).unwrap();
        assert_eq!((found.model.as_str(), found.records.len()), ("scripted", runs.len()));
        assert_eq!(found.as_published["task_completion_ratio"], 0.5);
        assert_eq!((found.as_published["edit_distance"], found.as_published.len()), (2.25, 2));
        played += runs.iter().zip(&found.records).filter(|it| assert_same(it.1, it.0)).count();
    }
    assert!(played > 35, "{played}");
}

#[test]
fn a_log_that_breaks_off_has_no_outcome_and_one_of_other_queries_is_refused() {
    let queries = read_queries(&two_queries(), 42).unwrap();
    let empty = json!({"query_id": "<Query00002>", "conversation_history": []});
    // As the released loop writes what raised an error.
    let failed = json!({"query_id": "<Query00001>", "error": "timeout", "status": "failed"});
    let found = read_results(&results(&[empty, failed], None), &queries).unwrap();
    let outcomes: Vec<_> = found.records.iter().map(|it| it.record.run.outcome).collect();
    assert_eq!(outcomes, [None, None]);
    assert!(found.records.iter().all(|it| it.record.run.error.is_some()));
    let row = json!({"query_id": "<Query00003>", "conversation_history": []});
    let error = read_results(&results(&[row], None), &queries).unwrap_err();
    assert!(matches!(&error, Error::Invalid { problem } if problem.contains("<Query00003>")));
    assert!(matches!(read_results("[]", &queries), Err(Error::Invalid { .. })));
    let row = || json!({"query_id": "<Query00001>"});
    let twice = read_results(&results(&[row(), row(), row()], None), &queries).unwrap();
    assert_eq!((twice.records.len(), twice.repeats), (3, 2));
    for level in [6, 100, u32::MAX] {
        let level = format!("\"refinement_level\":{level}");
        let file = results(&[row()], None).replace("\"refinement_level\":2", &level);
        let error = read_results(&file, &queries).unwrap_err().to_string();
        assert!(error.contains("refinement_level") && error.contains("from 0 to 5"), "{error}");
    }
    let doubled = two_queries().replace("<Query00002>", "<Query00001>");
    let error = read_queries(&doubled, 42).unwrap_err().to_string();
    assert!(error.contains("two queries have the id \"<Query00001>\""), "{error}");
}

#[test]
fn replies_after_the_end_of_a_run_are_counted_and_the_seed_is_that_of_the_file() {
    let said = |text: &str| json!({"role": "assistant", "content": text});
    let history = [said("No."), said("<answer><LocationCandidate00001></answer>"), said("Bye.")];
    let file =
        results(&[json!({"query_id": "<Query00001>", "conversation_history": history})], None);
    let found = [42, 7].map(|seed| {
        let queries = read_queries(&two_queries(), seed).unwrap();
        read_results(&file, &queries).unwrap()
    });
    assert_eq!((found[0].ignored_replies, found[0].records[0].answer.as_ref()), (2, None));
    assert_eq!(found[0], found[1]);
}

type Checkout = (Vec<Query>, Prompts, Vec<(Value, Written)>);

/// The texts of a released checkout whose folder the environment variable COSTBENCH names.
fn checkout() -> Option<Checkout> {
    let folder = env::var("COSTBENCH").ok()?;
    let text = |name: &str| fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    let queries = read_queries(&text("env/data/runtime/queries/queries.json"), 42).unwrap();
    let texts = Prompts::FILES.iter().map(|name| (*name, text(name))).collect();
    let [messages, tools] = [(); 2].map(|()| text("costbench_messages.json"));
    let messages: Vec<Value> = serde_json::from_str(&messages).unwrap();
    let tools: Vec<Written> = serde_json::from_str(&tools).unwrap();
    let sent = messages.into_iter().zip(tools).collect();
    Some((queries, Prompts::published(&texts).unwrap(), sent))
}

#[test]
fn with_a_checkout_every_message_and_tool_is_the_released_one_and_so_are_the_scores() {
    let Some((queries, prompts, sent)) = checkout() else {
        println!(
            "skipped: set COSTBENCH to a released checkout with the files that released_loop.py writes"
        );
        return;
    };
    assert_eq!(queries.len(), 381);
    for (run, (sent, tools)) in golden().iter().chain(&random_agents()).zip(&sent) {
        assert_eq!(run["name"], sent["name"]);
        if run["name"] == DIFFERENT {
            continue;
        }
        let bench = bench(run).with_prompts(prompts.clone()).unwrap();
        let instance = bench.instance(&query(run, &queries));
        let (record, request) = run_with_request(&instance, run["script"].as_array().unwrap());
        assert_same(&record, run);
        let messages: Vec<Value> = sent["messages"].as_array().unwrap().clone();
        for (own, released) in request.messages.iter().zip(&messages) {
            let own = json!({"role": own.role.name(), "content": own.text});
            let is_odd = ODD.contains(&run["name"].as_str().unwrap()) && own["role"] == "tool";
            assert!(is_odd || own == *released, "{run}: {own} {released}");
        }
        assert!(messages.len() - request.messages.len() <= 3, "{run}");
        let body = openai_chat_body(&request, "m");
        let written: Written = serde_json::from_str(&body).unwrap();
        assert_eq!(written.tools, tools.tools, "{run}");
        let body: Value = serde_json::from_str(&body).unwrap();
        let (own, released) =
            (body["tools"].as_array().unwrap(), sent["tools"].as_array().unwrap());
        assert_eq!(own.len(), released.len(), "{run}");
        for (own, released) in own.iter().zip(released) {
            for field in ["name", "description"] {
                assert_eq!(own["function"][field], released["function"][field], "{run}");
            }
            let fields = [own, released].map(|tool| &tool["function"]["parameters"]);
            assert_eq!(fields[0]["required"], fields[1]["required"], "{run}");
            assert_eq!(fields[0]["properties"], fields[1]["properties"], "{run}");
        }
    }
}
