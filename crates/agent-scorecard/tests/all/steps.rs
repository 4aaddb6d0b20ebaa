//! Model calls and tools: what runs spend on them, and tools whose calls fail more often for one of two agents.

use agent_scorecard::{
    Report,
    compare::{CompareOptions, Side, SideRun, compare},
    run_logs::{
        FactRules, LoggedRun, RecordedCall, Reply, Run, RunTable, StreamOptions, Turn, Usage,
    },
};
use serde_json::{Value, json};
use trajectory_metrics::Level;

/// Whether each call of a tool works, by tool.
type Calls<'a> = &'a [(&'a str, &'a [bool])];

fn row(task: usize, outcome: bool, calls: Calls<'_>) -> LoggedRun {
    let mut run = Run::new(format!("run {task}"));
    run.task = Some(format!("task {task}"));
    run.outcome = Some(outcome);
    (run.seconds, run.usage.output_tokens) = (Some(30.0), Some(100));
    for (tool, works) in calls {
        let called = works.iter().map(|works| {
            let mut call = RecordedCall::new(*tool, Default::default());
            (call.ok, call.seconds) = (Some(*works), Some(2.0));
            call
        });
        let usage = Some(Usage { output_tokens: Some(60), ..Usage::default() });
        let reply = Reply { tool_calls: called.collect(), usage, ..Reply::default() };
        let mut turn = Turn::default();
        (turn.reply, turn.seconds) = (Some(reply), Some(5.0));
        run.turns.push(turn);
    }
    let rules = (FactRules::default(), StreamOptions::default());
    RunTable::new([Ok(run)], &rules.0, &rules.1).unwrap().rows()[0].clone()
}

fn side(name: &str, rows: impl IntoIterator<Item = LoggedRun>) -> Side {
    let runs = rows.into_iter().map(|row| SideRun::from(&row)).collect();
    Side { file: name.to_owned(), runs, ..Side::default() }
}

fn report(sides: [Side; 2]) -> (Report, Value) {
    let report = compare(sides, CompareOptions::default(), Level::new(0.95).unwrap()).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    (report, json)
}

/// Two agents that solve the same tasks and whose calls fail equally often on the whole: one fails with `edit`, the other with `look`.
fn exchanged(n_tasks: usize) -> [Side; 2] {
    let calls = |at: usize, swapped: bool| {
        let fails: &[bool] = if at.is_multiple_of(3) { &[true, true] } else { &[false, true] };
        let works: &[bool] = &[true, true];
        let [edit, look] = if swapped { [fails, works] } else { [works, fails] };
        row(at, at.is_multiple_of(2), &[("edit", edit), ("look", look)])
    };
    [
        side("alpha", (0..n_tasks).map(|at| calls(at, false))),
        side("beta", (0..n_tasks).map(|at| calls(at, true))),
    ]
}

#[test]
fn an_error_rate_of_one_tool_that_the_average_hides_is_told() {
    let (report, json) = report(exchanged(30));
    let said = &report.conclusion[1];
    assert!(
        said.starts_with("Among 2 tools, beta is worse with the calls of edit (by 33 points [")
            && said.contains("and better with the calls of look (by 33 points [")
            && said.ends_with("beyond noise after correction for the number of tools."),
        "{said}"
    );
    let counts = ["tools_worse", "tools_better"].map(|key| json["difference"][key].clone());
    assert_eq!(counts, [json!(1), json!(1)]);
    let tools = json["tools"].as_array().unwrap();
    let found = tools.iter().map(|row| (row["tool"].clone(), row["is_worse"].clone()));
    assert_eq!(
        Vec::from_iter(found),
        [(json!("edit"), json!(true)), (json!("look"), json!(false))]
    );
    // Equal agents, and tools that only one of them uses, are not told.
    let [alpha, _] = exchanged(30);
    let (equal, _) =
        self::report([alpha.clone(), Side { file: "copy".to_owned(), ..alpha.clone() }]);
    assert!(!equal.conclusion.iter().any(|it| it.contains("tools")), "{:?}", equal.conclusion);
    let other = side("gamma", (0..30).map(|at| row(at, true, &[("other", &[false])])));
    let (_, json) = self::report([alpha, other]);
    assert_eq!(json.get("tools"), None);
}

#[test]
fn the_most_frequent_kind_of_step_comes_first_and_the_title_names_runs_without_an_outcome() {
    let calls: Calls<'_> = &[("a", &[true]), ("b", &[true, true, true, true])];
    let mut alpha = side("alpha", (0..4).map(|at| row(at, true, calls)));
    let title = "Model calls and tools, also of runs without an outcome";
    let shown = |alpha: &Side| {
        let (report, json) = report([alpha.clone(), alpha.clone()]);
        let steps = json["files"][0]["steps"].as_array().unwrap();
        let names: Vec<&str> = steps.iter().map(|row| row["step"].as_str().unwrap()).collect();
        assert_eq!(names, ["b", "model calls", "a"]);
        format!("{report:?}").contains(title)
    };
    assert!(!shown(&alpha));
    let mut runs = Vec::from(alpha.runs);
    runs[0].grade = None;
    alpha.runs = runs.into_iter().collect();
    assert!(shown(&alpha));
}

#[test]
fn steps_and_times_are_those_of_the_runs() {
    let (_, json) = report(exchanged(30));
    let steps = json["files"][0]["steps"].as_array().unwrap();
    let found: Vec<Value> = steps
        .iter()
        .map(|row| {
            json!([row["step"], row["n"], row["n_failed"], row["output_tokens"], row["seconds"]])
        })
        .collect();
    let expected = [
        json!(["model calls", 60, 0, 60.0, 5.0]),
        json!(["edit", 60, 0, 30.0, 2.0]),
        json!(["look", 60, 20, 30.0, 2.0]),
    ];
    assert_eq!(found, expected);
    let of = |key: &str| json["files"][0][key]["value"].as_f64();
    assert_eq!(of("seconds_per_run"), Some(30.0));
    // 30 runs of 30 seconds, and 15 successes.
    assert_eq!(of("seconds_per_success"), Some(60.0));
    assert_eq!((of("model_seconds_per_run"), of("tool_seconds_per_run")), (Some(10.0), Some(8.0)));
    assert_eq!(json["difference"]["seconds_ratio"]["value"], 1.0);
}
