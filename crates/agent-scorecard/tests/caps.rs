//! Caps on what runs spend: golden figures, laws, and the sentence that they come to.
#![allow(clippy::unwrap_used)]

use agent_scorecard::{
    Block, Error, Report, Value,
    budget::{self, By, METRICS, Options, RunFile, caps, caps_report},
    budget_estimation::Level,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn options(caps: &[f64]) -> Options {
    let level = Level::new(0.8).unwrap();
    Options { caps: caps.to_vec(), ..Options::new("output_tokens", By::Linear, level) }
}

fn file(runs: &[Json]) -> RunFile {
    let lines: Vec<String> = runs.iter().map(Json::to_string).collect();
    RunFile::read("runs.jsonl", lines.join("\n").as_bytes(), &["output_tokens".to_owned()]).unwrap()
}

fn found(runs: &[Json], options: &Options) -> Block {
    caps(RunFile::together(&[&file(runs)], &[]).unwrap(), options).unwrap()
}

fn rows(block: &Block) -> &[Block] {
    let rows = match block.get("caps") {
        Some(Value::Rows { rows, .. }) => Some(rows),
        _ => None,
    };
    rows.unwrap()
}

fn report(runs: &[Json], options: &Options) -> Report {
    caps_report(vec![("runs.jsonl".to_owned(), found(runs, options))], options)
}

/// A run whose turns write so many tokens and cost a cent each.
fn run(turns: &[u32], success: bool) -> Json {
    let turns: Vec<Json> =
        turns.iter().map(|n| json!({"output_tokens": n, "cost_usd": 0.01})).collect();
    json!({"id": "r", "turns": turns, "success": success})
}

#[test]
fn caps_keep_and_save_what_agents_that_stop_there_do() {
    let golden: Json = serde_json::from_str(include_str!("golden/caps.json")).unwrap();
    let expected = golden["caps"].as_array().unwrap();
    let at: Vec<f64> = expected.iter().map(|row| row["cap"].as_f64().unwrap()).collect();
    let found = found(golden["runs"].as_array().unwrap(), &options(&at));
    let is_close = |found: f64, expected: &Json, what: &str| {
        let expected = expected.as_f64().unwrap();
        let error = (found - expected).abs();
        assert!(error <= 1e-9 * expected.abs().max(1.0), "{what}: {found} {expected}");
    };
    assert_eq!(rows(&found).len(), expected.len());
    for (row, expected) in rows(&found).iter().zip(expected) {
        for key in ["n_ended", "n_ended_cut_off", "n_ended_successes", "spent", "spent_usd"] {
            is_close(row.number(key).unwrap(), &expected[key], key);
        }
        for key in ["kept_share", "saved_share", "saved_usd_share"] {
            let (figure, expected) = (row.figure(key).unwrap(), &expected[key]);
            is_close(figure.value, &expected[0], key);
            match figure.interval {
                Ok(ends) => {
                    is_close(ends.low(), &expected[1], key);
                    is_close(ends.high(), &expected[2], key);
                }
                Err(_) => assert_eq!(expected[1], Json::Null, "{key} at {}", expected[0]),
            }
        }
    }
}

#[test]
fn runs_that_were_cut_off_before_are_no_runs_that_the_cap_ends() {
    let mut cut_off = run(&[80, 80], false);
    cut_off["stop_reason"] = "max_steps".into();
    let found = found(&[run(&[50, 50], true), run(&[100], false), cut_off], &options(&[60.0]));
    let of_row = |key| rows(&found)[0].number(key);
    assert_eq!((of_row("n_ended"), of_row("n_ended_cut_off")), (Some(2.0), Some(1.0)));
    assert_eq!((of_row("n_kept"), found.number("n_cut_off")), (Some(0.0), Some(1.0)));
    // The turn in which the cap is reached is paid in whole: two, one and one of five.
    assert_eq!((of_row("spent"), of_row("saved")), (Some(180.0), Some(180.0)));
    assert!((of_row("saved_usd").unwrap() - 0.01).abs() < 1e-15);
}

#[test]
fn a_cost_that_is_not_known_leaves_the_run_out_of_the_money_alone() {
    let unpriced =
        json!({"id": "u", "turns": [{"output_tokens": 5, "cost_usd": null}], "success": true});
    let unknown = json!({"id": "n", "turns": [{"output_tokens": null}], "success": true});
    let found = found(&[run(&[50, 50], true), unpriced, unknown], &options(&[10.0]));
    assert_eq!((found.number("n_rollouts"), found.number("n_priced")), (Some(2.0), Some(1.0)));
    assert_eq!(found.number("n_left_out"), Some(1.0));
    let notes = found.notes.unwrap().join("; ");
    assert!(notes.contains("caps: 1 run left out, as output_tokens is not known"), "{notes}");
    assert!(notes.contains("the money is without 1 run whose cost is not known"), "{notes}");
}

#[test]
fn the_sentence_is_on_the_lowest_cap_that_keeps_nearly_all_successes() {
    let mut runs: Vec<Json> = (0..19).map(|_| run(&[50, 50], true)).collect();
    runs.push(run(&[500, 100], true));
    runs.push(run(&[1_000], false));
    let said = |caps: &[f64]| report(&runs, &options(caps)).conclusion;
    assert_eq!(
        said(&[1_000.0, 100.0, 300.0, 50.0]),
        [
            "A cap of 100 output tokens would have kept 95.0 % of 20 successes [73.9, 99.2] and saved 40 % [4, 76] of the \
             output tokens and 2 % [0, 8] of the money."
        ]
    );
    assert!(
        said(&[50.0, 90.0])[0]
            .starts_with("A cap of 90 output tokens would have kept 0 % of 20 successes")
    );
    let failures = [run(&[50, 50], false), run(&[10], false)];
    let said = report(&failures, &options(&[50.0])).conclusion;
    assert!(
        said[0].starts_with(
            "A cap of 50 output tokens would have lost no success, as no run succeeded"
        ),
        "{said:?}"
    );
}

#[test]
fn caps_come_before_the_figures_of_an_estimator() {
    let runs: Vec<Json> = (0..30).map(|at| run(&[50 + at, 50], at % 3 > 0)).collect();
    let options = Options { with_pictures: true, ..options(&[100.0]) };
    let input = RunFile::together(&[&file(&runs)], &[]).unwrap();
    let column = budget::column(input, &options, &METRICS).unwrap();
    let report = budget::report(vec![("runs.jsonl".to_owned(), column)], &options);
    assert_eq!(report.tables()[0].title, "Caps on the output tokens of a run");
    assert!(report.conclusion[0].starts_with("A cap of 100"), "{:?}", report.conclusion);
    let json = serde_json::to_value(&report).unwrap();
    assert!(json["caps"][0]["kept_share"]["value"].is_number() && json["hit_rate"].is_number());
    assert!(json["curves"]["caps"].is_object() && json["curves"]["fan"].is_object());
    assert!(json["notes"].to_string().contains("agents do not know of the cap"));
}

#[test]
fn a_negative_cap_is_refused() {
    let input = RunFile::together(&[&file(&[run(&[5], true)])], &[]).unwrap();
    let error = caps(input, &options(&[-1.0])).unwrap_err();
    assert!(matches!(error, Error::Options { options: &["caps"], .. }), "{error:?}");
}

proptest! {
    #[test]
    fn a_higher_cap_keeps_and_spends_more_and_one_above_all_runs_saves_nothing(
        turns in prop::collection::vec((prop::collection::vec(0_u32..200, 1..8), any::<bool>()), 1..40),
        mut at in prop::collection::vec(0.0..1_000.0, 1..8),
    ) {
        let runs: Vec<Json> = turns.iter().map(|(turns, success)| run(turns, *success)).collect();
        let most = turns.iter().map(|(turns, _)| turns.iter().sum::<u32>()).max().unwrap_or(0);
        at.push(f64::from(most));
        at.push(2_000.0);
        let found = found(&runs, &options(&at));
        let rows = rows(&found);
        for pair in rows.windows(2) {
            for key in ["n_kept", "spent", "spent_usd"] {
                let [low, high] = [&pair[0], &pair[1]].map(|row| row.number(key).unwrap());
                prop_assert!(low <= high, "{key}: {low} {high}");
            }
            let ended = |row: &Block| row.number("n_ended").unwrap();
            prop_assert!(ended(&pair[0]) >= ended(&pair[1]));
        }
        for row in rows.iter().filter(|row| row.number("cap") >= Some(f64::from(most))) {
            prop_assert_eq!(row.number("n_ended"), Some(0.0));
            prop_assert_eq!(row.number("n_kept"), found.number("n_successes"));
            prop_assert_eq!((row.number("saved"), row.number("saved_usd")), (Some(0.0), Some(0.0)));
        }
        for row in rows {
            let spent = row.number("spent").unwrap() + row.number("saved").unwrap();
            let all: u32 = turns.iter().flat_map(|(turns, _)| turns).sum();
            prop_assert!((spent - f64::from(all)).abs() < 1e-9, "{spent} {all}");
        }
    }
}
