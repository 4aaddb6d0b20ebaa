//! Runs in environments: monitors that would have stopped them, and estimates against what was needed.
#![allow(clippy::panic, clippy::unwrap_used)]

use agent_scorecard::{
    agent_benchmarks::{
        play::{Play, PlayRecord, play as played, rollouts},
        sokoban::{Room, Sokoban},
    },
    live::{ESTIMATORS, LiveOptions, Played, play},
};
use serde_json::Value;

/// A run in a room, asked for its steps after each turn. Beyond the scripts, the last reply and answer are given again.
fn run(id: &str, room: &str, replies: &[&str], answers: &[&str]) -> PlayRecord {
    let settings = Play::new().with_questions(&[("steps", None)], false);
    let conversation = settings.conversation(id, Sokoban::new(Room::parse(room).unwrap())).unwrap();
    played(conversation, |run| {
        let (script, at) = match run.is_asking() {
            true => (answers, run.turns().len() - 1),
            false => (replies, run.turns().len()),
        };
        format!("<answer>{}</answer>", script.get(at).or(script.last()).unwrap())
    })
    .unwrap()
}

const CORRIDOR: &str = "########\n#P___XO#\n########";

fn report(records: &[PlayRecord], cap: Option<f64>) -> Value {
    let mut rollouts = rollouts::<Sokoban>(records).unwrap();
    if let Some(cap) = cap {
        rollouts.set_cap(rollouts.resource("steps").unwrap(), cap).unwrap();
    }
    let resources = ["steps".to_owned()];
    let runs = Played { records, rollouts: &rollouts, resources: &resources, has_goal: true };
    let options = LiveOptions { model: "m".to_owned(), resamples: 0, seed: 1 };
    serde_json::to_value(play::<Sokoban>(&runs, &ESTIMATORS, &options).unwrap()).unwrap()
}

/// The row of a table for someone, and for the number of answers in a row.
fn row(report: &Value, key: &str, by: &str, in_a_row: Option<u64>) -> Value {
    let is_it = |row: &&Value| row["by"] == by && in_a_row.is_none_or(|n| row["in_a_row"] == n);
    report[key]
        .as_array()
        .unwrap()
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{report:#}"))
        .clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .or_else(|| row[key]["value"].as_f64())
        .unwrap_or_else(|| panic!("{key}: {row}"))
}

#[test]
fn rules_on_answers_stop_runs_where_they_apply_and_count_what_is_lost() {
    let hopeless = "#####\n#X_P#\n#__O#\n#####";
    let records = [
        // Done after four steps; the first answer is wrong.
        run("solved", CORRIDOR, &["Right"], &["impossible", "[2, 2]", "[1, 1]"]),
        // Never done, and called so from the start, although it could be done.
        run("idle", CORRIDOR, &["Left"], &["impossible"]),
        // Never done, as it cannot be, but not called so.
        run("stuck", hopeless, &["Left"], &["[5, 6]"]),
    ];
    let report = report(&records, None);
    let of = |by, in_a_row| {
        let keys = ["n_stopped", "n_lost", "success_within_caps", "mean_spent"];
        keys.map(|key| number(&row(&report, "stopping", by, Some(in_a_row)), key))
    };
    let third = 1.0 / 3.0;
    let close = |found: [f64; 4], wanted: [f64; 4]| {
        assert!(
            found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12),
            "{found:?} {wanted:?}"
        );
    };
    close(of("nobody", 0), [0.0, 0.0, third, 24.0 / 3.0]);
    close(of("m", 1), [2.0, 1.0, 0.0, 12.0 / 3.0]);
    close(of("m", 2), [1.0, 0.0, third, 16.0 / 3.0]);
    close(of("m", 3), [1.0, 0.0, third, 17.0 / 3.0]);
    // Three turns of the first run, and nine each of the others, were followed by a question. After the last of the second, four
    // steps are more than a turn has.
    let keys = ["n_possible", "n_impossible", "impossible_called_so", "possible_called_impossible"];
    let need = row(&report, "need", "m", None);
    close(keys.map(|key| number(&need, key)), [11.0, 10.0, 0.1, 9.0 / 11.0]);
    assert!((number(&need, "holds_least") - 2.0 / 11.0).abs() < 1e-12);
    let said = report["conclusion"].as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(said.starts_with("m calls the task impossible in 10 %"), "{said}");
    assert!(said.contains(" of 10 turns after which it was, and in 82 %"), "{said}");
}

#[test]
fn an_estimator_that_stops_runs_learns_from_them_only_as_far_as_they_went() {
    // All are done with the four steps of the cap.
    let records: Vec<PlayRecord> =
        (0..6).map(|n| run(&n.to_string(), CORRIDOR, &["Right"], &["?"])).collect();
    let report = report(&records, Some(4.0));
    // Until a run has been seen to its end, 20 turns are assumed, so that none is.
    let first = row(&report, "stopping", "linear", Some(1));
    assert_eq!(number(&first, "n_stopped"), 6.0);
    assert_eq!(number(&first, "mean_spent"), 1.0);
    // Its runs hang on each other.
    assert!(first["success_within_caps"]["standard_error"].is_null(), "{first}");
    let nobody = row(&report, "stopping", "nobody", Some(0));
    assert!(nobody["mean_spent"].get("ci_low").is_some(), "{nobody}");
    // One who only looks on knows after the first run.
    let rows = report["rows"].as_array().unwrap();
    let watched = rows.iter().find(|it| it["setting"] == "steps, linear").unwrap();
    assert_eq!(watched["counts"]["false_aborts"], 3);
}

#[test]
fn steps_beyond_the_least_are_those_of_runs_that_did_their_task() {
    let direct = || run("direct", CORRIDOR, &["Right"], &["?"]);
    // Back and forth once more, after the first turn.
    let detour = || run("detour", CORRIDOR, &["Right", "Left", "Right"], &["?"]);
    let never = run("never", CORRIDOR, &["Left"], &["?"]);
    let report = report(&[direct(), detour(), detour(), direct(), never], None);
    assert_eq!(number(&report["runs"], "mean_beyond_least"), 1.0);
}
