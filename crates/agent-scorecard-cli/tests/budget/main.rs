//! The program as its users run it: figures and a picture out, or one line on standard error and
//! exit code 2.
#![cfg(feature = "pictures")]
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../program/mod.rs"]
mod program;
mod recorded_runs;
mod released_estimates;

use std::fs;

use program::{has, in_folder, plain as json, refusal, refused, run, says, write};
use serde_json::Value;

/// A rollout of which each turn spends so many tokens.
fn rollout(id: &str, tokens: &[u32], success: bool) -> String {
    let turns: Vec<String> = tokens
        .iter()
        .map(|n| format!(r#"{{"input_tokens":{},"output_tokens":{n},"cost_usd":null}}"#, 10 * n))
        .collect();
    format!(r#"{{"id":"{id}","turns":[{}],"success":{success}}}"#, turns.join(","))
}

fn estimate(id: &str, turn: usize, answer: &str) -> String {
    format!(r#"{{"id":"{id}","turn":{turn},"answer":"<answer>{answer}</answer>"}}"#)
}

fn written(name: &str, lines: &[String]) -> String {
    write(name, &lines.join("\n"))
}

/// Three runs: what remains is 90, 70, 40 of the first, 150, 100 of the second, 30 of the third.
fn three_runs(name: &str) -> String {
    written(
        name,
        &[
            rollout("a", &[10, 20, 30, 40], true),
            rollout("b", &[50, 50, 100], false),
            rollout("c", &[30, 30], true),
        ],
    )
}

/// A hit, a miss below, a false abort; an interval and an alarm on the failure; a miss above.
fn six_estimates(name: &str) -> String {
    written(
        name,
        &[
            estimate("a", 1, "[80, 100]"),
            estimate("a", 2, "[10, 50]"),
            estimate("a", 3, "impossible"),
            estimate("b", 1, "[0, 10]"),
            estimate("b", 2, "impossible"),
            estimate("c", 1, "[40, 60]"),
        ],
    )
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn notes(report: &Value, part: &str) -> usize {
    let notes = report["notes"].as_array().unwrap();
    notes.iter().filter(|note| note.as_str().unwrap().contains(part)).count()
}

/// Those that the task of the program names.
const NAMED: [&str; 11] = [
    "macro_f1_first_turn",
    "macro_f1_all_turns",
    "fail_f1",
    "hit_rate",
    "interval_reward",
    "mre_p50",
    "mre_p90",
    "optimistic",
    "conservative",
    "false_abort_rate",
    "saved_token_share",
];

fn assert_figures(report: &Value, figures: &[(&str, f64)]) {
    for &(figure, value) in figures {
        let found = number(&report[figure]);
        assert!((found - value).abs() < 1e-12 * value.abs().max(1.0), "{figure}: {found} {value}");
    }
}

#[test]
fn every_figure_of_three_runs_is_what_the_hand_computes() {
    let (runs, estimates) = (three_runs("hand.jsonl"), six_estimates("hand_estimates.jsonl"));
    let report = json(&[&runs, "--estimator", &estimates]);
    assert_figures(
        &report,
        &[
            // Feasible after one turn: F1 of 2 * 2 / (2 * 2 + 1); impossible: 0.
            ("macro_f1_first_turn", 0.4),
            // 2 * 3 / (2 * 3 + 2) and 2 * 1 / (2 * 1 + 2).
            ("macro_f1_all_turns", (0.75 + 0.5) / 2.0),
            ("fail_f1", 0.5),
            ("fail_precision", 0.5),
            ("fail_recall", 0.5),
            ("feasible_precision", 0.75),
            ("feasible_recall", 0.75),
            ("hit_rate", 0.25),
            ("interval_reward", (1.0 - 20.0 / 90.0) / 4.0),
            ("coverage", 1.0 / 3.0),
            ("optimistic", 1.0 / 3.0),
            ("conservative", 1.0 / 3.0),
            ("mean_width", 80.0 / 3.0),
            ("mean_relative_width", (20.0 / 90.0 + 40.0 / 70.0 + 20.0 / 30.0) / 3.0),
            ("mre_p50", 40.0 / 70.0),
            ("mre_p90", 0.2 * 40.0 / 70.0 + 0.8 * 20.0 / 30.0),
            ("interval_loss", (20.0 + (40.0 + 10.0 * 20.0) + (20.0 + 10.0 * 10.0)) / 3.0),
            ("low_pinball_loss", (0.1 * 10.0 + 0.1 * 60.0 + 0.9 * 10.0) / 3.0),
            ("high_pinball_loss", (0.1 * 10.0 + 0.9 * 20.0 + 0.1 * 30.0) / 3.0),
            ("weighted_interval_loss", (2.0 + (20.0 + 24.0) + (10.0 + 12.0)) / 1.5 / 3.0),
            // Extrapolation is off by 60, 40 and 0, the middles by 0, 40 and 20.
            ("linear_reference_reduction", 40.0 / 100.0),
            ("detected_share", 1.0),
            ("detection_turn_share", 2.0 / 3.0),
            ("detection_spent_share", 100.0 / 200.0),
            ("false_abort_rate", 0.25),
            ("success_lost", 0.5),
            ("saved_token_share", 100.0 / 200.0),
            ("saved", 100.0),
            ("spent_by_failures", 200.0),
        ],
    );
    let of_runs = serde_json::json!({
        "n_rollouts": 3, "n_left_out": 0, "n_successes": 2, "n_cut_off": 0,
        "n_feasible_rollouts": 2, "n_failed_rollouts": 1,
        "n_stopped_feasible_rollouts": 1, "n_stopped_failed_rollouts": 1,
    });
    let of_prefixes = serde_json::json!({
        "n_prefixes": 6, "n_first_turn": 3, "n_feasible": 4, "n_infeasible": 2, "n_unanswered": 0,
        "n_true_alarms": 1, "n_false_aborts": 1,
        "n_intervals": 3, "n_hits": 1, "n_optimistic": 1, "n_conservative": 1,
    });
    has(&report, of_runs);
    has(&report, of_prefixes);
    // a at 1/4, 2/4 and 3/4, b at 1/3 and 2/3, c at 1/2.
    let bins: Vec<_> = report["by_progress"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bin| (bin["n_prefixes"].as_u64().unwrap(), bin["n_feasible"].as_u64().unwrap()))
        .collect();
    assert_eq!(bins, [(0, 0), (2, 1), (2, 2), (2, 1), (0, 0)]);
}

#[test]
fn a_cap_makes_a_success_that_exceeds_it_infeasible() {
    let (runs, estimates) = (three_runs("cap.jsonl"), six_estimates("cap_estimates.jsonl"));
    let report = json(&[&runs, "--estimator", &estimates, "--cap", "99.5"]);
    assert_figures(
        &report,
        &[
            ("cap", 99.5),
            ("n_successes", 2.0),
            ("n_feasible_rollouts", 1.0),
            ("n_failed_rollouts", 2.0),
            ("n_feasible", 1.0),
            ("hit_rate", 0.0),
            ("conservative", 1.0),
            // Both alarms are right; two intervals on a and one on b are not.
            ("fail_precision", 1.0),
            ("fail_recall", 2.0 / 5.0),
            ("false_abort_rate", 0.0),
            ("saved_token_share", (40.0 + 100.0) / (100.0 + 200.0)),
        ],
    );
    let at_the_cap = json(&[&runs, "--estimator", &estimates, "--cap", "100"]);
    assert_eq!(at_the_cap["n_feasible_rollouts"], 2);
}

#[test]
fn caps_of_the_file_hold_and_that_of_the_call_comes_before_them() {
    let line = rollout("a", &[10, 20, 30], true)
        .replace("{\"id\"", r#"{"caps":{"output_tokens":50},"id""#);
    let path = written("own_cap.jsonl", &[line]);
    assert_eq!(json(&[&path])["n_feasible"], 0);
    assert_eq!(json(&[&path, "--cap", "60"])["n_feasible"], 2);
}

#[test]
fn missing_and_unreadable_answers_are_no_answer_and_are_counted() {
    let runs = three_runs("unread.jsonl");
    let answer =
        |turn: usize, text: &str| format!(r#"{{"id":"a","turn":{turn},"answer":"{text}"}}"#);
    let estimates = written(
        "unread_estimates.jsonl",
        &[
            answer(1, "<answer>90</answer>"),
            answer(2, "about seventy"),
            answer(3, "<ANSWER>[30, 50]</ANSWER>"),
            estimate("c", 1, "[0, 1e101]"),
        ],
    );
    let strict = json(&[&runs, "--estimator", &estimates]);
    assert_eq!((&strict["n_unanswered"], &strict["n_hits"]), (&6.into(), &0.into()));
    assert_eq!(notes(&strict, "2 prefixes without an estimate"), 1);
    assert_eq!(
        notes(
            &strict,
            "4 answers that could not be read, counted as no answer: 2 no_tag, 1 scalar, 1 too_large"
        ),
        1
    );
    // Nothing is said to be impossible, so nothing is aborted; and no interval is given.
    assert_eq!((&strict["false_abort_rate"], &strict["hit_rate"]), (&0.0.into(), &0.0.into()));
    assert_eq!(strict["coverage"], Value::Null);
    let lenient = json(&[&runs, "--estimator", &estimates, "--lenient"]);
    assert_eq!((&lenient["n_unanswered"], &lenient["n_hits"]), (&5.into(), &1.into()));
}

#[test]
fn undefined_figures_are_null_and_say_why() {
    let single = written("single.jsonl", &[rollout("a", &[5], true)]);
    let failed = written("failed.jsonl", &[rollout("a", &[5, 6], false)]);
    let fine = written("fine.jsonl", &[rollout("a", &[5, 6], true)]);
    let undefined = |path: &str| {
        let report = json(&[path]);
        let is_null = |name: &&&str| report[**name] == Value::Null;
        let null: Vec<&str> = NAMED.iter().filter(is_null).copied().collect();
        for name in &null {
            assert_eq!(
                notes(&report, &format!("{name}: undefined, because ")),
                1,
                "{name}: {report}"
            );
        }
        null
    };
    // No prefix at all, yet a run that could have been stopped.
    assert_eq!(undefined(&single), NAMED);
    let of_feasible = [
        "hit_rate",
        "interval_reward",
        "mre_p50",
        "mre_p90",
        "optimistic",
        "conservative",
        "false_abort_rate",
    ];
    assert_eq!(undefined(&failed), of_feasible);
    let of_failed = ["macro_f1_first_turn", "macro_f1_all_turns", "fail_f1", "saved_token_share"];
    assert_eq!(undefined(&fine), of_failed);
}

#[test]
fn a_figure_that_one_run_alone_decides_has_no_interval_and_a_note() {
    let runs = [rollout("a", &[5, 6, 7], true), rollout("b", &[5, 6, 7], false)];
    let whole = program::json(&[&written("one_each.jsonl", &runs)]);
    let report = program::values(whole.clone());
    for name in ["hit_rate", "interval_reward", "coverage", "false_abort_rate"] {
        let figure = &whole[name];
        assert!(figure["value"].is_number() && figure["ci_low"].is_null(), "{name}: {figure}");
        let said = report["notes"].as_array().unwrap().iter().filter(|note| {
            let note = note.as_str().unwrap();
            note.starts_with("no interval of ") && note.contains(name) && note.contains("1 cluster")
        });
        assert_eq!(said.count(), 1, "{name}: {report}");
    }
    let one = |(id, middle)| rollout(id, &[5, middle, 7], true);
    let six = [("a", 6), ("b", 90), ("c", 6), ("d", 40), ("e", 6), ("f", 9)].map(one);
    let both = written("both.jsonl", &six);
    assert!(program::json(&[&both])["hit_rate"]["ci_low"].is_number());
    let demo = program::bundled("demo_rollouts.jsonl");
    let once = program::json(&[&demo, "--cap", "2500", "--resamples", "1"]);
    assert!(once["macro_f1_all_turns"]["value"].is_number(), "{once}");
    assert_eq!(once["macro_f1_all_turns"]["ci_low"], Value::Null, "{once}");
    // A mean needs no resamples.
    assert!(once["hit_rate"]["ci_low"].is_number(), "{once}");
    assert!(notes(&once, "defined in 1 of the resamples; at least 2 are needed") >= 1, "{once}");
}

#[test]
fn runs_with_an_unknown_cost_are_left_out_and_counted() {
    let line = r#"{"id":"b","turns":[{"input_tokens":5,"output_tokens":2,"cost_usd":0.5},{"input_tokens":6,"output_tokens":2,"cost_usd":0.25}],"success":1}"#;
    let path = written("unknown.jsonl", &[rollout("a", &[1, 2], true), line.to_owned()]);
    let of = |resource: &str| json(&[&path, "--resource", resource, "--cap", "12.5"]);
    let usd = of("cost_usd");
    assert_eq!((&usd["n_rollouts"], &usd["n_left_out"]), (&1.into(), &1.into()));
    assert_eq!(notes(&usd, "1 run left out because cost_usd"), 1);
    // 11 read and 4 written: more than the cap.
    assert_eq!(of("input_tokens")["n_feasible_rollouts"], 1);
    assert_eq!(of("total_tokens")["n_feasible_rollouts"], 0);
    assert_eq!(of("output_tokens")["n_feasible_rollouts"], 2);
}

#[test]
fn nothing_remaining_is_left_out_and_counted() {
    let path = written("trivial.jsonl", &[rollout("a", &[5, 6, 0], true)]);
    let report = json(&[&path]);
    assert_eq!(report["n_prefixes"], 1);
    assert_eq!(notes(&report, "1 prefix left out because nothing remained"), 1);
}

#[test]
fn a_run_is_learnt_from_when_it_has_ended_and_not_before() {
    // 20 turns are assumed for the first run, and its 4 for the second.
    let path = written(
        "learnt.jsonl",
        &[rollout("a", &[10, 10, 10, 10], true), rollout("b", &[10, 10, 10, 10], true)],
    );
    let report = json(&[&path, "--estimator", "linear"]);
    // The first is estimated at 10 (20 - k) and misses; the second at 10 (4 - k) and hits.
    assert_figures(&report, &[("hit_rate", 0.5), ("n_conservative", 3.0)]);
    let warm = json(&[&path, "--estimator", "linear", "--warm-up", "1"]);
    assert_figures(&warm, &[("hit_rate", 1.0), ("n_rollouts", 1.0)]);
    assert_eq!(notes(&warm, "1 run used only for learning and not scored"), 1);
}

#[test]
fn several_files_are_columns_and_each_has_an_estimator_of_its_own() {
    let one = written("column_one.jsonl", &[rollout("a", &[10, 10, 10, 10], true)]);
    let two = written("column_two.jsonl", &[rollout("a", &[10, 10, 10, 10], true)]);
    let both = json(&[&one, &two, "--estimator", "linear", "--pool"]);
    assert_eq!((&both["n_rollouts"], &both["files"][1]["n_rollouts"]), (&2.into(), &1.into()));
    // The second file does not learn from the first.
    assert_eq!((&both["hit_rate"], &both["files"][1]["hit_rate"]), (&0.0.into(), &0.0.into()));
    let table = String::from_utf8(run(&[&one, &two, "--estimator", "linear"]).stdout).unwrap();
    assert!(table.contains("column_one") && table.contains("column_two"), "{table}");
    let line = table.lines().find(|line| line.starts_with("interval_reward (+)")).unwrap();
    // A single run has no interval.
    assert_eq!(line.matches("0.000 [undefined]").count(), 2, "{line}");
    assert!(table.contains("1 cluster; a 95 % interval needs at least 6"), "{table}");
}

#[test]
fn the_picture_names_the_run_and_what_it_shows() {
    let (runs, estimates) = (three_runs("drawn.jsonl"), six_estimates("drawn_estimates.jsonl"));
    let picture = |arguments: &[&str]| {
        let path = in_folder("picture.svg");
        let all = [&[&runs, "--estimator", &estimates, "--plot", &path], arguments].concat();
        let output = run(&all);
        assert!(output.status.success(), "{:?}", String::from_utf8(output.stderr));
        let picture = fs::read_to_string(path).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        assert!(!picture.contains("NaN"));
        picture
    };
    let longest = picture(&[]);
    says(
        &longest,
        "a: 4 turns, feasible … remaining cost … impossible … output tokens still to be spent",
    );
    assert!(!longest.contains("left under the cap"));
    let chosen = picture(&["--plot-id", "b", "--cap", "120"]);
    assert!(chosen.contains("b: 3 turns, not feasible") && chosen.contains("left under the cap"));
    // A run of a single prefix.
    assert!(picture(&["--plot-id", "c"]).contains("c: 2 turns, feasible"));

    // Also one of the second model.
    let of_model =
        |line: &str, model: &str| line.replacen('{', &format!(r#"{{"model":"{model}","#), 1);
    let lines = fs::read_to_string(&runs).unwrap();
    let both =
        (0..).zip(lines.lines()).map(|(at, line)| of_model(line, if at == 0 { "x" } else { "y" }));
    let both = write("two-models.jsonl", &both.collect::<Vec<_>>().join("\n"));
    let page = in_folder("two-models.html");
    assert!(run(&[&both, "--html", &page, "--plot-id", "b"]).status.success());
    assert!(fs::read_to_string(page).unwrap().contains("b: 3 turns, not feasible"));

    let nowhere = in_folder("nowhere.svg");
    refused(&run(&[&runs, "--plot", &nowhere, "--plot-id", "x"]), "\"x\"");
}

#[test]
fn the_default_has_narrower_intervals_than_quantiles_at_its_coverage_and_gives_the_chance_of_success()
 {
    let arguments = ["--cap", "2500", "--warm-up", "20", "--resamples", "0", "--json"];
    let of = |estimator: &str, more: &[&str]| {
        json(&[&["--estimator", estimator], &arguments[..], more].concat())
    };
    let default = of("default", &[]);
    let quantile = of("quantile", &[]);
    assert!((number(&default["coverage"]) - 0.8).abs() < 0.05, "{}", default["coverage"]);
    for name in ["interval_loss", "mean_width"] {
        let (own, past) = (number(&default[name]), number(&quantile[name]));
        assert!(own < past / 2.0, "{name}: {own} and {past}");
    }
    let chances = &default["curves"]["chance"]["series"][0];
    assert_eq!(chances["name"], "chance of success");
    let stated = chances["y"].as_array().unwrap();
    assert!(
        !stated.is_empty() && stated.iter().all(|chance| (0.0..=1.0).contains(&number(chance)))
    );
    let drawn = default["curves"]["fan"]["series"].as_array().unwrap();
    assert!(drawn.iter().any(|series| series["name"] == "left under the cap"));
}

#[test]
fn the_bundled_runs_hold_successes_failures_and_cut_offs() {
    let report = json(&["--estimator", "quantile"]);
    assert_eq!(report["n_rollouts"], 100);
    assert!(number(&report["n_cut_off"]) >= 3.0 && number(&report["n_failed_rollouts"]) >= 20.0);
    assert_eq!(
        notes(&report, "the estimator learns only that the run needed at least what it had spent"),
        1
    );
    let interval = &program::json(&["--estimator", "quantile"])["hit_rate"];
    let [low, high] = ["ci_low", "ci_high"].map(|end| number(&interval[end]));
    let hit_rate = number(&report["hit_rate"]);
    assert!(low < hit_rate && hit_rate < high);
}

/// Runs of a simulator with three budgets.
fn warehouse(id: &str, turns: &[[f64; 3]], success: bool, caps: [f64; 3]) -> String {
    const NAMES: [&str; 3] = ["time_weeks", "item_weeks", "cost_usd"];
    let object = |values: &[f64; 3]| -> Value {
        NAMES
            .iter()
            .zip(values)
            .map(|(name, &value)| ((*name).to_owned(), Value::from(value)))
            .collect()
    };
    let turns: Vec<Value> = turns.iter().map(object).collect();
    let (caps, achieved) = (object(&caps), 500);
    serde_json::json!({
        "id": id, "turns": turns, "success": success, "caps": caps, "achieved": achieved,
    })
    .to_string()
}

const WAREHOUSE: [&str; 2] = ["--resource", "time_weeks,item_weeks,cost_usd"];

#[test]
fn several_resources_have_a_report_each_and_a_joint_hit_rate() {
    let turns = [[2.0, 50.0, 100.0], [2.0, 40.0, 200.0], [2.0, 30.0, 50.0]];
    let caps = [6.0, 200.0, 400.0];
    let runs =
        [warehouse("a", &turns, true, caps), warehouse("b", &turns, true, [5.0, 200.0, 400.0])];
    let runs = written("warehouse.jsonl", &runs);
    let estimates = written(
        "warehouse_estimates.jsonl",
        &[
            estimate("a", 1, "time_weeks:[4, 4], item_weeks:[60, 80], cost_usd:[200, 300]"),
            estimate("a", 2, "time_weeks:[2, 2], item_weeks:[30, 30], cost_usd:[60, 90]"),
            estimate("b", 1, "impossible"),
            estimate("b", 2, "time_weeks:[2, 2], item_weeks:[30, 30], cost_usd:[50, 90]"),
        ],
    );
    let arguments = [&runs[..], "--estimator", &estimates, WAREHOUSE[0], WAREHOUSE[1]];
    let report = json(&arguments);
    let joint = [&report["joint_hit_rate"], &report["n_joint_hits"], &report["n_feasible"]];
    assert_eq!(joint, [&Value::from(0.5), &1.into(), &2.into()]);
    let hits = WAREHOUSE[1].split(',').map(|name| report["resources"][name]["hit_rate"].clone());
    assert!(hits.eq([1.0, 1.0, 0.5].map(Value::from)), "{report}");
    // Only 1 of 5 weeks is left after two turns, so that [2, 2] says that it is impossible.
    let recall = |name: &str| report["resources"][name]["fail_recall"].clone();
    assert_eq!([recall("time_weeks"), recall("cost_usd")], [1.0, 0.5].map(Value::from));
    let text = String::from_utf8(run(&arguments).stdout).unwrap();
    assert!(text.contains("joint hit rate 0.500: at 1 of 2 feasible prefixes, the intervals contain the remaining cost of every resource"), "{text}");
}

#[test]
fn half_of_the_runs_are_reachable_by_the_probes_that_a_seed_draws() {
    let turns = [[2.0, 50.0, 100.0], [2.0, 40.0, 200.0]];
    let runs: Vec<String> =
        (0..8).map(|run| warehouse(&run.to_string(), &turns, run % 2 == 0, [1e9; 3])).collect();
    let runs = written("probed.jsonl", &runs);
    let report = json(&[&runs, WAREHOUSE[0], WAREHOUSE[1], "--probes", "42"]);
    assert_eq!(report["n_feasible"], 4);
    for name in WAREHOUSE[1].split(',') {
        let resource = &report["resources"][name];
        let counts = [&resource["n_feasible_rollouts"], &resource["n_failed_rollouts"]];
        assert_eq!(counts, [&Value::from(4), &4.into()], "{name}");
    }
}

#[test]
fn answers_before_the_first_turn_and_points_are_read() {
    let runs =
        written("before.jsonl", &[rollout("a", &[5, 6, 7], true), rollout("b", &[9, 9], false)]);
    let estimates = written(
        "before_estimates.jsonl",
        &[
            estimate("a", 0, "[10, 20]"),
            estimate("b", 0, "impossible"),
            estimate("a", 1, "13"),
            estimate("a", 2, "[7, 8]"),
            estimate("b", 1, "[5, 8]"),
        ],
    );
    let arguments = [&runs[..], "--estimator", &estimates, "--json"];
    let report = json(&arguments);
    let before = &report["before_first_turn"];
    assert_eq!((&before["n_prefixes"], &before["n_feasible"]), (&2.into(), &1.into()));
    assert_eq!((&before["macro_f1"], &before["hit_rate"]), (&1.0.into(), &1.0.into()));
    // They are not among the other figures.
    assert_eq!((&report["n_prefixes"], &report["n_hits"]), (&3.into(), &1.into()));
    assert_eq!(report["format_rate"], 2.0 / 3.0);
    // Of the two intervals, the one of the failed run is below the 9 that remained.
    assert_eq!(report["optimistic_of_all"], 0.5);
    let points = json(&[&arguments[..], &["--points"]].concat());
    assert_eq!((&points["n_hits"], &points["format_rate"]), (&2.into(), &1.0.into()));
    let spent: Vec<Value> = points["by_spent"].as_array().unwrap().clone();
    // After 5 of 18, after 11 of 18 and after 9 of 18.
    let counts: Vec<Value> = spent.iter().map(|bin| bin["n_prefixes"].clone()).collect();
    assert_eq!(counts, [0, 1, 1, 1, 0].map(Value::from));
    let late = written("late.jsonl", &[estimate("a", 3, "1")]);
    refused(&run(&[&runs, "--estimator", &late]), "turn: is 3; the run has 3 turns");
}

/// By hand: 90, 70, 40 and 30 remained of the two successes, whose turns cost 25 and 30 in the mean.
#[test]
fn informed_references_are_the_least_losses_of_their_kind() {
    let found = json(&[&three_runs("references.jsonl"), "--resamples", "0"]);
    assert_figures(
        &found,
        &[
            ("best_constant_loss", 60.0),
            ("linear_oracle_loss", 55.0),
            ("mean_cost_oracle_loss", 27.0),
        ],
    );
}

/// Each run a second time, under another name: the tasks are as sure as the single runs were.
#[test]
fn tasks_are_resampled_as_a_whole() {
    let runs = [("a", vec![10, 20, 30, 40]), ("c", vec![30, 30]), ("d", vec![5, 5, 5])];
    let task = |id: &str, copy: &str| {
        let tokens = &runs.iter().find(|(name, _)| *name == id).unwrap().1;
        rollout(&format!("{id}{copy}"), tokens, true).replacen(
            '{',
            &format!(r#"{{"task":"{id}","#),
            1,
        )
    };
    let answers = |copy: &str| {
        [("a", 1, "[80, 100]"), ("a", 2, "[10, 50]"), ("c", 1, "[40, 60]"), ("d", 1, "[10, 20]")]
            .map(|(id, turn, text)| estimate(&format!("{id}{copy}"), turn, text))
    };
    let ids = ["a", "c", "d"];
    let once = written("once.jsonl", &ids.map(|id| task(id, "")));
    let twice =
        written("twice.jsonl", &[ids.map(|id| task(id, "")), ids.map(|id| task(id, "2"))].concat());
    let said = written("said_twice.jsonl", &[answers(""), answers("2")].concat());
    let single = written("said_once.jsonl", &answers(""));
    let error = |file: &str, said: &str, more: &[&str]| {
        let found = program::json(&[&[file, "--estimator", said], more].concat());
        number(&found["coverage"]["standard_error"])
    };
    let by_run = error(&once, &single, &[]);
    let by_task = error(&twice, &said, &["--cluster-by", "task-only"]);
    assert!((by_run - by_task).abs() < 1e-12, "{by_run} {by_task}");
    assert_eq!(error(&twice, &said, &[]), by_task);
    assert_ne!(error(&twice, &said, &["--cluster-by", "run"]), by_task);
}

#[test]
fn an_interval_above_the_cap_forecasts_a_failure_by_one_reading_alone() {
    let runs = written("reading.jsonl", &[rollout("b", &[50, 100, 100], false)]);
    let said = |turn| estimate("b", turn, "[160, 300]");
    let estimates = written("reading_estimates.jsonl", &[said(1), said(2)]);
    let base = [&*runs, "--estimator", &estimates, "--cap", "200", "--json"];
    let fail_f1 = |reading: &str| {
        json(&[&base[..], &["--reading", reading]].concat())["fail_f1"].as_f64().unwrap()
    };
    assert_eq!((fail_f1("cap"), fail_f1("answers")), (1.0, 0.0));
}

#[test]
fn estimates_without_a_turn_or_a_run_of_their_own_are_refused() {
    let estimates = written("of_single.jsonl", &[estimate("a", 1, "[80, 100]")]);
    let single = written("of_one_turn.jsonl", &[rollout("a", &[5], true)]);
    refused(
        &run(&[&single, "--estimator", &estimates]),
        "is 1; the run has 1 turn, so turn must be 0",
    );
    // Two runs of one id cannot be told apart by an estimate.
    let twice = written("twice.jsonl", &[rollout("a", &[1, 2], true), rollout("a", &[1, 2], true)]);
    let error = refusal(&run(&[&twice, "--estimator", &estimates]), "twice");
    assert!(error.starts_with(&format!("error: {twice}:2: field id: ")), "{error}");
    assert_eq!(notes(&json(&[&twice]), "with the id of an earlier run"), 1);
}
