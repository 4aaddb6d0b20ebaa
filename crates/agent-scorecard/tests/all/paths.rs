//! Runs of tool calls, added one by one and in parts.

use agent_scorecard::{
    Position, Texts, Undefined,
    paths::{AgentCall, PathRun, PathTally},
    trajectory_metrics::tool_calls::{ToolCall, Value},
};

fn run(i: usize) -> PathRun {
    let call = |name: usize| ToolCall::new(format!("tool{name}"), Vec::<(String, Value)>::new());
    let ok = [None, Some(true), Some(false)][i % 3];
    PathRun {
        id: format!("r{}", i / 2),
        task: format!("t{}", i % 5),
        agent_calls: (0..i % 4).map(|k| AgentCall { call: call((i + k) % 3), ok }).collect(),
        expected_calls: (0..i % 3).map(call).collect(),
        success: i % 2 == 1,
        model: Some(format!("m{}", i / 17)),
        domain: None,
    }
}

#[test]
fn the_report_on_appended_parts_is_that_on_all_runs() {
    let runs: Vec<PathRun> = (0..40).map(run).collect();
    for ignore_arguments in [false, true] {
        let tally = |runs: &[PathRun]| {
            let mut tally = PathTally::default();
            runs.iter().for_each(|run| tally.update(run, ignore_arguments).unwrap());
            tally
        };
        let all = tally(&runs).block(ignore_arguments, true).unwrap();
        assert!(all.said(Position::Note).any(|note| note.contains("different models")), "{all:?}");
        for length in [1, 7, 39] {
            let mut together = PathTally::default();
            runs.chunks(length).for_each(|part| together.append(&tally(part)));
            assert_eq!(together.block(ignore_arguments, true).unwrap(), all);
        }
    }
}

#[test]
fn calls_that_are_missed_and_made_in_excess_are_counted_by_tool() {
    let call = |name: &str, argument: &str| {
        ToolCall::new(name, [("at".to_owned(), Value::Text(argument.to_owned()))])
    };
    let made = [("get", "a"), ("get", "a"), ("get", "b"), ("put", "x")];
    let expected = [("get", "a"), ("put", "y"), ("end", ""), ("end", "")];
    let run = PathRun {
        agent_calls: made.map(|(name, at)| AgentCall { call: call(name, at), ok: None }).into(),
        expected_calls: expected.map(|(name, at)| call(name, at)).into(),
        ..run(0)
    };
    // Missed and in excess, the tool that goes astray most first.
    let wanted = [
        (false, [("end", [2.0, 0.0]), ("get", [0.0, 2.0]), ("put", [1.0, 1.0])].to_vec()),
        (true, [("end", [2.0, 0.0]), ("get", [0.0, 2.0])].to_vec()),
    ];
    for (ignore_arguments, wanted) in wanted {
        let mut tally = PathTally::default();
        tally.update(&run, ignore_arguments).unwrap();
        let block = tally.block(ignore_arguments, true).unwrap();
        let picture = &block.pictures["calls"];
        let [missed, surplus] = picture.series.as_slice() else { panic!("{picture:?}") };
        let counts = missed.y.iter().zip(&surplus.y).map(|(missed, surplus)| [*missed, *surplus]);
        let names = picture.x.categories.iter().map(String::as_str);
        assert_eq!(names.zip(counts).collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn a_figure_that_no_run_defines_says_why() {
    let mut tally = PathTally::default();
    tally.update(&run(0), false).unwrap();
    let block = tally.block(false, false).unwrap();
    assert_eq!(block.figure("exact_match").unwrap().value, 1.0);
    let reason = block.figure("precision").unwrap_err();
    assert_eq!(reason, Undefined::new("no run has a value"));
    assert_eq!(block.number("n_tasks"), Some(1.0));
}

#[test]
fn different_texts_are_counted_once() {
    let mut texts = Texts::default();
    assert_eq!(texts.distinct(), 0);
    for text in ["b", "", "a", "b", "", "ab"] {
        texts.push(text);
    }
    texts.append(&texts.clone());
    assert_eq!(texts.distinct(), 4);
}
