//! Scenario files, in which tools and data types have names.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_graph::{
    EnvironmentRules, Episode, Error, Event, RuleVersion, Scenario, TieRule, Tool, ToolGraph,
    TriggerRule,
};

use crate::random_tools::{Draw, random_events, random_rules, random_tools};
use crate::{chain, four_tools, graph_of};

fn tools() -> Vec<Tool> {
    four_tools()[..3].to_vec()
}

fn file() -> Value {
    json!({
        "tools": tools(),
        "task": {"initial": ["query"], "goal": ["choice"]},
        "events": [
            "ban_tool",
            {"cost_change": {"ask": 9.5}},
            "preference_change",
            {"cost_change": {"pick": 1.5, "search": 0.1}},
            {"remove_tools": ["ask", "search"]},
        ],
        "trigger_rule": "paper_text",
        "tie_rule": "released",
        "call_limit": 12,
    })
}

fn read(file: &Value) -> Result<Scenario, String> {
    serde_json::from_str(&file.to_string()).map_err(|error| error.to_string())
}

#[test]
fn a_file_equals_the_scenario_built_in_code() {
    let (graph, problem) = graph_of(tools(), &["query"], &["choice"]);
    let events = vec![
        Event::BanTool,
        Event::CostChange(vec![4.0, 9.5, 2.0]),
        Event::PreferenceChange,
        // Tools that a cost change does not name keep their previous costs.
        Event::CostChange(vec![0.1, 9.5, 1.5]),
        Event::RemoveTools(vec![1, 0]),
    ];
    let still = Scenario::new(graph, problem).unwrap();
    let eventful = still.clone().with_events(events).unwrap();
    let by_hand = eventful.with_trigger_rule(TriggerRule::PaperText).unwrap();
    let by_hand = by_hand.with_tie_rule(TieRule::Released).with_call_limit(12);
    assert_eq!(read(&file()), Ok(by_hand.clone()));

    // The written file equals the original, except that each tool lists its components.
    let written = serde_json::to_value(&by_hand).unwrap();
    let mut want = file();
    want["events"][3]["cost_change"] = json!({"search": 0.1, "pick": 1.5});
    assert_eq!(written, want);

    let short = json!({"tools": tools(), "task": {"initial": ["query"], "goal": ["choice"]}});
    assert_eq!(read(&short), Ok(still.clone()));
    // A rule without a key is that of the paper.
    let mut one_rule = short;
    one_rule["rules"] = json!({"failed_calls": "released"});
    let rules =
        EnvironmentRules { failed_calls: RuleVersion::Released, ..EnvironmentRules::default() };
    assert_eq!(read(&one_rule), Ok(still.with_rules(rules)));
}

#[test]
fn tools_banned_from_the_start_are_stored_by_name() {
    let mut with_banned = file();
    with_banned["banned"] = json!(["search"]);
    let scenario = read(&with_banned).unwrap();
    let start = &scenario.problem().initial;
    assert!(!scenario.graph().can_call(0, start) && scenario.graph().can_call(1, start));
    let written = serde_json::to_value(&scenario).unwrap();
    assert_eq!(written["banned"], json!(["search"]));
    assert_eq!(read(&written).unwrap(), scenario);
}

#[test]
fn errors_in_a_file_name_the_place_and_the_item() {
    let with = |path: &str, value: Value| {
        let mut file = file();
        file["banned"] = json!([]);
        *file.pointer_mut(path).unwrap() = value;
        read(&file).unwrap_err()
    };
    for (path, value, named) in [
        ("/banned", json!(["buy"]), r#"named "buy""#),
        ("/task/initial", json!(["query", "query"]), r#"task.initial: "query" occurs twice"#),
        ("/task/goal", json!(["choice", "choice"]), r#"task.goal: "choice" occurs twice"#),
        ("/banned", json!(["ask", "ask"]), r#"banned: "ask" occurs twice"#),
        (
            "/events/4/remove_tools",
            json!(["ask", "search", "ask"]),
            r#"events[4].remove_tools: "ask" occurs twice"#,
        ),
        ("/events/4", json!({"remove_tools": []}), "events[4].remove_tools: empty"),
        ("/events/1", json!({"cost_change": {}}), "events[1].cost_change: empty"),
        ("/task/goal", json!(["refund"]), r#"data type "refund""#),
        ("/task/goal", json!([]), "at least one"),
        (
            "/task/initial",
            json!(["query", "quiery"]),
            r#"task.initial[1]: no tool needs or yields the data type "quiery""#,
        ),
        ("/task/initial", json!([]), r#"the goal "choice" cannot be reached: "query" is"#),
        (
            "/events/4",
            json!({"remove_tools": ["buy"]}),
            r#"events[4]: the library has no tool named "buy""#,
        ),
        (
            "/events/1",
            json!({"cost_change": {"buy": 1.0}}),
            r#"events[1]: the library has no tool named "buy""#,
        ),
        (
            "/events/1",
            json!({"cost_change": {"ask": -1.0}}),
            r#"events[1]: the cost of tool "ask" is -1"#,
        ),
        ("/events/0", json!("ban_tools"), "unknown variant `ban_tools`"),
        ("/events/4", json!({"remove_tools": [0]}), "expected a string"),
        ("/tools/0/cost", json!(-4.0), r#"the cost of tool "search" is -4"#),
        ("/tools/1/name", json!("search"), r#"two tools are named "search""#),
        ("/trigger_rule", json!("paper"), "unknown variant `paper`"),
        ("/call_limit", json!(-1), "invalid value"),
    ] {
        let error = with(path, value);
        assert!(error.contains(named), "{path}: {error}");
    }
    let mut extra = file();
    extra["event"] = json!([]);
    assert!(read(&extra).unwrap_err().contains("unknown field `event`"));
    let mut extra = file();
    extra["task"]["goals"] = json!([]);
    assert!(read(&extra).unwrap_err().contains("unknown field `goals`"));
}

#[test]
fn a_list_of_the_right_values_is_no_object() {
    for (field, values) in [
        ("/tools/0", json!(["search", ["query"], ["hits"], 4.0, []])),
        ("/task", json!([["query"], ["choice"]])),
        ("/rules", json!(vec!["paper_text"; 11])),
    ] {
        let mut list = file();
        list["rules"] = json!({});
        *list.pointer_mut(field).unwrap() = values;
        let error = read(&list).unwrap_err();
        assert!(error.contains("invalid type: sequence"), "{field}: {error}");
    }
    let mut file = file();
    file["banned"] = json!([]);
    file["rules"] = json!({});
    let list: Value =
        ["tools", "banned", "task", "events", "trigger_rule", "tie_rule", "rules", "call_limit"]
            .map(|field| file[field].clone())
            .into();
    assert!(read(&list).unwrap_err().contains("invalid type: sequence"));
}

#[test]
fn an_event_that_a_file_cannot_express_is_refused_when_it_is_written() {
    for (event, says) in [
        (Event::RemoveTools(vec![]), "removes no tool"),
        (Event::RemoveTools(vec![1, 1]), "removes \"ask\" twice"),
    ] {
        let scenario = read(&file()).unwrap().with_events(vec![event]).unwrap();
        let error = serde_json::to_string(&scenario).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    // A change to the same costs takes its turn among the events, so it is kept.
    let event = Event::CostChange(vec![4.0, 7.0, 2.0]);
    let scenario = read(&file()).unwrap().with_events(vec![event]).unwrap();
    let written = serde_json::to_value(&scenario).unwrap();
    assert_eq!(written["events"], json!([{"cost_change": {"search": 4.0}}]));
    assert_eq!(read(&written), Ok(scenario));
}

#[test]
fn a_repeated_key_is_an_error() {
    let text = file().to_string();
    for (once, twice) in [
        (r#""call_limit":12"#, r#""call_limit":12,"call_limit":13"#),
        (r#""initial":["query"]"#, r#""initial":["query"],"initial":["query"]"#),
        (r#""name":"ask""#, r#""name":"ask","name":"ask""#),
        (r#""ask":9.5"#, r#""ask":9.5,"ask":0.5"#),
        (r#"{"remove_tools""#, r#"{"remove_tools":["ask"],"remove_tools""#),
    ] {
        assert!(text.contains(once), "{once}");
        let refused = serde_json::from_str::<Scenario>(&text.replacen(once, twice, 1));
        assert!(refused.is_err(), "{twice}");
    }
}

#[test]
fn a_short_file_cannot_demand_unlimited_memory() {
    let mut many = file();
    let list = |number: usize| Tool::new(format!("tool{number}"), ["query"], ["choice"], 1.0);
    many["tools"] = json!((0..10_000).map(list).collect::<Vec<_>>());
    many["events"] = json!(vec![json!({"cost_change": {"tool0": 1.0}}); 1_001]);
    let error = read(&many).unwrap_err();
    assert!(error.contains("is 10010000; it must be at most 10000000"), "{error}");
}

#[test]
fn an_unreachable_goal_is_an_error_that_names_the_missing_data_type() {
    let out_of_reach = |tools: Vec<Tool>, banned: &[usize], start: &[&str], goal: &str| {
        let mut graph = ToolGraph::new(tools).unwrap();
        banned.iter().for_each(|&tool| graph.ban(tool).unwrap());
        let problem = graph.problem(start, &[goal]).unwrap();
        match Scenario::new(graph, problem) {
            Ok(_) => Ok(()),
            Err(Error::GoalOutOfReach { goal, missing, .. }) => Err((goal, missing)),
            Err(other) => panic!("{other:?}"),
        }
    };
    let error = |goal: &str, missing: &str| Err((goal.to_owned(), missing.to_owned()));
    assert_eq!(out_of_reach(tools(), &[0], &["query"], "choice"), Ok(()));
    assert_eq!(out_of_reach(tools(), &[0, 1], &["query"], "choice"), error("choice", "hits"));
    assert_eq!(out_of_reach(tools(), &[2], &["query"], "choice"), error("choice", "choice"));
    assert_eq!(out_of_reach(tools(), &[], &["time"], "choice"), error("choice", "query"));
    assert_eq!(out_of_reach(tools(), &[2], &["choice"], "choice"), Ok(()));
    let circle = vec![Tool::new("a", ["x"], ["y"], 1.0), Tool::new("b", ["y"], ["x"], 1.0)];
    assert_eq!(out_of_reach(circle, &[], &["time"], "y"), error("y", "y"));
}

#[test]
fn a_removal_that_would_make_the_goal_unreachable_is_skipped() {
    let mut file = file();
    file["events"] = json!([{"remove_tools": ["pick"]}]);
    // By this rule the event is due at the first of two calls.
    file["trigger_rule"] = json!("released");
    let scenario = read(&file).unwrap();
    let run = scenario.optimal_run();
    assert!(run.goal_reached && run.events_fired == 0);
}

#[test]
fn a_byte_order_mark_in_front_of_a_file_is_passed_over() {
    let plain = file().to_string();
    let marked = format!("\u{feff}{plain}");
    assert_eq!(Scenario::from_json(marked.as_bytes()), Scenario::from_json(plain.as_bytes()));
    assert_eq!(Scenario::from_json(plain.as_bytes()).ok(), read(&file()).ok());
    for (bytes, says) in [
        (format!("\u{feff}{marked}").into_bytes(), "expected value at line 1 column 1"),
        (format!("{plain} {plain}").into_bytes(), "trailing characters"),
        (
            plain.replace("query", "quiery").replacen("quiery", "query", 1).into_bytes(),
            "task.initial[0]",
        ),
        (b"\xff".to_vec(), "expected value"),
        (vec![], "EOF"),
    ] {
        let error = Scenario::from_json(&bytes).unwrap_err();
        assert!(
            matches!(&error, Error::ScenarioFile { problem, .. } if problem.contains(says)),
            "{error}"
        );
    }
}

#[test]
fn all_events_of_the_demo_file_occur() {
    let scenario =
        Scenario::from_json(include_bytes!("../../../../examples/data/demo_scenario.json"))
            .unwrap();
    let run = scenario.optimal_run();
    assert!(run.goal_reached && run.all_events_fired());
    assert_eq!(run.events_fired, 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_scenario_is_restored_from_its_file(seed: u64) {
        let mut draw = Draw(seed);
        let (mut graph, problem) = random_tools(&mut draw, 6, 12);
        let Ok(problem) = problem else { return Ok(()) };
        if draw.below(3) == 0 {
            graph.ban(draw.below(graph.tool_count())).unwrap();
        }
        let mut events = random_events(&mut draw, &graph);
        // A file names at least one tool, and each once.
        events.retain(|event| match event {
            Event::RemoveTools(tools) => {
                BTreeSet::from_iter(tools).len() == tools.len().max(1)
            }
            _ => true,
        });
        let Ok(scenario) = Scenario::new(graph, problem) else { return Ok(()) };
        let scenario = scenario.with_events(events).unwrap().with_call_limit(draw.below(50));
        let scenario = scenario.with_rules(random_rules(&mut draw));
        let text = serde_json::to_string(&scenario).unwrap();
        prop_assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
    }
}

#[test]
fn a_ban_of_a_named_tool_and_chosen_steps_are_read_and_written() {
    let mut file = file();
    file["events"] = json!([{"ban_named": "search"}]);
    file["trigger_rule"] = json!({"at_steps": [1]});
    let scenario = read(&file).unwrap();
    assert_eq!(scenario.events(), [Event::BanNamed("search".into())]);
    let written = serde_json::to_value(&scenario).unwrap();
    assert_eq!(written["trigger_rule"], json!({"at_steps": [1]}));
    assert_eq!(read(&written), Ok(scenario));
    let mut misspelt = file;
    misspelt["events"][0]["ban_named"] = json!("saerch");
    let error = read(&misspelt).unwrap_err();
    assert!(error.contains("events[0]") && error.contains("saerch"), "{error}");
}

#[test]
fn a_stored_run_continues_to_the_same_bits_after_any_number_of_its_calls() {
    let costs = (1..=5).map(|tool| 0.3 / f64::from(tool)).collect();
    let events = vec![Event::BanTool, Event::CostChange(costs), Event::PreferenceChange];
    let rules =
        EnvironmentRules { event_clock: RuleVersion::Released, ..EnvironmentRules::PAPER_TEXT };
    let scenario = chain(3, |length| 0.1 + length / 3.0).with_events(events).unwrap();
    let scenario = scenario.with_rules(rules);
    let calls: [(&str, Option<&[&str]>); 9] = [
        ("0-1", None),
        ("buy", Some(&["0"])),
        ("0-2", Some(&["0"])),
        ("0-2", Some(&[])),
        ("1-2", Some(&["2", "1"])),
        ("0-1", Some(&["0"])),
        ("1-3", None),
        ("2-3", None),
        ("0-1", None),
    ];
    let make = |episode: &mut Episode<'_>, calls: &[(String, Option<Vec<String>>)]| {
        for (name, given) in calls {
            match given {
                Some(given) => episode.call_with(name, given).unwrap(),
                None => episode.call(name).unwrap(),
            };
        }
    };
    let calls = calls.map(|(name, given)| {
        (name.to_owned(), given.map(|given| given.iter().map(|&it| it.to_owned()).collect()))
    });
    let mut whole = Episode::new(&scenario);
    make(&mut whole, &calls);
    let whole = serde_json::to_string(&whole.finish(true)).unwrap();
    assert!(whole.contains("\"events_fired\":3"), "{whole}");
    let stored_scenario = serde_json::to_vec(&scenario).unwrap();
    for made in 0..=calls.len() {
        let mut first = Episode::new(&scenario);
        make(&mut first, &calls[..made]);
        let stored_calls = serde_json::to_string(&calls[..made]).unwrap();

        let scenario = Scenario::from_json(&stored_scenario).unwrap();
        let mut second = Episode::new(&scenario);
        make(&mut second, &serde_json::from_str::<Vec<_>>(&stored_calls).unwrap());
        assert_eq!(second, first, "{made} calls");
        make(&mut second, &calls[made..]);
        assert_eq!(serde_json::to_string(&second.finish(true)).unwrap(), whole, "{made} calls");
    }
}
