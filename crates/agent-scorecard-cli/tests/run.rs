//! `run` against a server on the loopback address.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    fs,
    io::Read,
    net::TcpListener,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use program::{
    ask, asked, empty, fresh, has, in_folder, listen, noted, refusal, refused, report, says, write,
};
use serde_json::{Value, json};

/// A server whose replies depend on the last message, and the number of requests since it was last asked for.
fn serve(reply: fn(&str) -> String) -> (String, impl Fn() -> usize) {
    let (url, bodies) = program::serve(move |body| {
        let last = body["messages"].as_array().unwrap().last().unwrap();
        program::chat(&reply(last["content"].as_str().unwrap()), 10, "stop")
    });
    (url, move || bodies.lock().unwrap().drain(..).count())
}

/// A file of so many questions with one answer.
fn questions(name: &str, count: usize) -> String {
    let line = |id| format!("{{\"id\": \"q{id}\", \"question\": \"2 + 2?\", \"answer\": 4}}\n");
    write(name, &(0..count).map(line).collect::<String>())
}

/// All files of a folder as text.
fn content(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| if path.is_dir() { content(&path) } else { fs::read_to_string(path).unwrap() })
        .collect()
}

#[test]
fn costbench_is_run_reported_and_not_asked_again() {
    let (url, count) = serve(|_| "<answer>nothing</answer>".to_owned());
    let out = fresh("costbench");
    let line = "costbench --queries 6 --prices 1,2 --unreadable-limit 0 --json";
    let command = |model: &str| {
        let mut command = Command::new(program::BUILT);
        let words = ["--base-url", &url, "--model", model, "--out", &out];
        command.arg("run").args(line.split(' ')).args(words);
        command.env("AGENT_SCORECARD_API_KEY", "sk-secret-of-a-test").output().unwrap()
    };
    let first = report(&command("m"));
    assert_eq!((&first["n_runs"], count()), (&json!(6), 6));
    assert_eq!((&first["input_tokens"], &first["output_tokens"]), (&json!(300), &json!(60)));
    assert!((first["cost_usd"].as_f64().unwrap() - 420e-6).abs() < 1e-12);
    let row = &first["rows"][0];
    // As in the released evaluation, runs without a call are left out of all means.
    assert_eq!(row["metrics"]["task_completion_ratio"]["value"], json!(null));
    assert_eq!(row["setting"], "5 steps, events: none");
    has(&row["counts"], json!({"runs": 0, "left_out_without_calls": 6}));

    let again = report(&command("m"));
    assert_eq!((&again["input_tokens"], count()), (&json!(300), 0));
    assert_eq!(again["rows"], first["rows"]);
    assert!(!content(Path::new(&out)).contains("sk-secret-of-a-test"));
    assert_eq!(fs::read_dir(format!("{out}/runs")).unwrap().count(), 6);
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    says(&page, "left out without calls … task completion ratio (TCR)");

    refused(&command("another model"), "it is of another setting, costbench with m");
    // The runs are a log that the other subcommands read.
    let logs = program::json_of("logs", &[&format!("{out}/runs")]);
    assert_eq!((&logs["format"], &logs["n_runs"]), (&json!("atif"), &json!(6)));
}

#[test]
fn confidence_in_costbench_is_scored_beside_the_greedy_policy_and_written_as_traces() {
    let (url, _) = serve(|_| "<answer>12345</answer> <confidence>0.25</confidence>".to_owned());
    let out = fresh("costbench-confidence");
    let line = |by: &str| format!("costbench --confidence {by} --unreadable-limit 0 --queries 8");
    let report = asked(&url, &out, &line("completed"));
    let stated = &report["streams"]["stated_confidence"];
    assert_eq!((&stated["runs"], &stated["tps_brier"]["value"]), (&json!(8), &json!(-0.0625)));
    assert_eq!(report["streams"]["base_rate_reference"]["tps_brier"]["value"], 0.0);
    // Streams that no reply has are named, with the reason.
    noted(&report, "(8 no_logprobs)");
    noted(&report, "streams: no complete run has token_probability, entropy, ");
    let greedy = &report["rows"][1];
    assert_eq!(greedy["setting"], "greedy policy, 5 steps, events: none");
    assert_eq!(greedy["metrics"]["task_completion_ratio"]["value"], 1.0);
    let file = format!("{out}/stated_confidence.jsonl");
    let traces = program::json_of("traces", &[&file]);
    assert_eq!((&traces["n"], &traces["tps_brier"]["value"]), (&json!(8), &json!(-0.0625)));
    assert!(!Path::new(&format!("{out}/entropy.jsonl")).exists());
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    says(&page, "How good is the confidence? … Scored against: completed. … <svg … base rate");
    // A question about another objective is another setting.
    refused(&ask(&url, &out, &line("optimal")), "it is of another setting");
}

#[test]
fn budget_asks_after_each_turn_but_the_last() {
    let (url, count) = serve(|_| "<answer>[1, 1000]</answer>".to_owned());
    let log = program::bundled("demo_log.jsonl");
    let out = fresh("budget");
    let report = asked(&url, &out, &format!("budget {log}"));
    // Of the three runs, one has two turns.
    assert_eq!((&report["n_runs"], count()), (&json!(3), 1));
    let row = &report["rows"][0];
    assert_eq!((&row["setting"], &row["counts"]["samples"]), (&json!("output_tokens"), &json!(1)));
    assert_eq!(row["metrics"]["hit_rate"]["value"], 1.0);
}

#[test]
fn five_replies_in_a_row_that_cannot_be_read_stop_a_run_and_one_is_shown_with_the_expected_form() {
    let (url, count) = serve(|_| "<answer>it is \"4\"</answer>".to_owned());
    let questions = questions("unreadable.jsonl", 30);
    let out = fresh("unreadable");
    let line = format!("confidence {questions}");
    let error = refusal(&ask(&url, &out, &line), "unreadable");
    says(
        &error,
        "5 replies in a row … there is no <action> … <answer>it is … an <action>...</action>",
    );
    let requests = count();
    assert!((5..30).contains(&requests), "{requests}");
    // Whoever insists goes on.
    let report = asked(&url, &out, &format!("{line} --unreadable-limit 0"));
    assert_eq!(report["rows"][0]["counts"]["excluded"], 30);
}

#[test]
fn a_dry_run_asks_nothing_and_writes_nothing() {
    let out = fresh("dry");
    let output =
        ask("http://127.0.0.1:9/v1", &out, "costbench --queries 60 --dry-run --prices 1,1");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.starts_with("costbench: 60 conversations, at least "),
        "{text}"
    );
    assert!(text.contains("US dollars") && !Path::new(&out).exists());
    // As many tokens as in the paper, so that no reply is truncated.
    assert!(text.contains("if replies have 16384 tokens"), "{text}");
    let number = |before: &str| {
        let (_, rest) = text.split_once(before).unwrap();
        rest.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    // Prompts that repeat no reply, and prompts that repeat replies of the most tokens.
    let [requests, least] = ["at least ", "prompts of about "].map(number);
    let most = number("tokens, up to ");
    assert!(requests >= 180 && least > 500 * requests && most > least + 1_024 * requests, "{text}");
}

/// A benchmark with its options, and what would be right.
const WRONG: &str = r#"
costbench --logprobs 5 --api anthropic | --logprobs: --api anthropic has no log-probabilities
costbench --block storm | invalid value 'storm' for '--block <KINDS>' [possible values: none, ban-tool
costbench --block none,ban-tool | --block: none and mixed cannot be combined; give no other kind with them
costbench --level 6 | invalid value '6' for '--level <L>': give a whole number from 0 to 5
costbench --noise-std -1 | --noise-std:
costbench --published nowhere | --published: nowhere/costbench_texts.json:
costbench --queries 0 | give a whole number from 1 to 381
costbench --queries 382 | give a whole number from 1 to 381
costbench --at-a-time 0 | give a whole number from 1 to 1000
costbench --timeout 0 | give a whole number from 1 to 31536000
costbench --timeout 18446744073709551615 | invalid value '18446744073709551615' for '--timeout
costbench --alpha 0.5 | unexpected argument '--alpha' found
costbench --dry-run --json | --dry-run
costbench --dry-run --fail-if 'x > 1' | --dry-run
costbench --dry-run --plot x.svg | --dry-run
costbench --prices 1 | invalid value '1' for '--prices
costbench --cost-cap 1 | --prices
budget FILE | unfinished.jsonl: 1 runs, none of them usable: a run needs turns
budget FILE --cap NaN --dry-run | invalid value 'NaN' for '--cap
poker | unrecognized subcommand 'poker'; --help lists the options
triage | required arguments were not provided: <FILE>
triage FILE --alpha NaN | invalid value 'NaN' for '--alpha <A>': give a number above 0
triage FILE --framing x | invalid value 'x' for '--framing
triage nowhere.jsonl | nowhere.jsonl:
confidence FILE --p-true --api anthropic | --p-true: --api anthropic has no log-probabilities
confidence FILE --corpus PAGES | pages_twice.jsonl: line 2: the title "bern" is empty or that of another page
confidence FILE --corpus nowhere.jsonl | --corpus: nowhere.jsonl
confidence FILE --published nowhere | --published: nowhere/system.txt
confidence FILE --continue 1 | give a whole number from 2 to 1000
confidence FILE --continue 5 --at end | give stops, all, or numbers
confidence FILE --at all | --continue
"#;

#[test]
fn wrong_settings_are_named_before_anything_is_asked() {
    let out = fresh("wrong");
    let unfinished = r#"{"id":"a","turns":[{"request":{"messages":[]},"response":{"choices":[{"message":{"role":"assistant","content":"x"}}]}}]}"#;
    let unfinished = write("unfinished.jsonl", unfinished);
    let pages = ["Bern", "bern"]
        .map(|title| format!("{{\"title\": \"{title}\", \"text\": \"A city.\"}}\n"));
    let pages = write("pages_twice.jsonl", &pages.concat());
    for case in WRONG.lines().skip(1) {
        let (line, part) = case.split_once(" | ").unwrap();
        let line = line.replace("FILE", &unfinished).replace("PAGES", &pages);
        refused(&ask("http://127.0.0.1:9/v1", &out, &line), part);
    }
    refused(&ask("localhost", &out, "costbench"), "http:// or https://");
}

#[test]
fn a_page_without_figures_says_so() {
    let (url, _) = serve(|_| "I do not know.".to_owned());
    let questions = questions("unanswered.jsonl", 1);
    let out = fresh("unanswered");
    let report = asked(&url, &out, &format!("confidence {questions}"));
    assert_eq!(report["rows"][0]["counts"]["without_answer"], 1);
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(page.contains("no figure is defined; the counts say why"));
}

/// A server that replies with a status to every request after the first ones.
fn refusing(status: &'static str, after: usize) -> String {
    let number = AtomicUsize::new(0);
    listen(move |stream| {
        let Ok(_) = program::body(&stream) else { return };
        let _ = match number.fetch_add(1, Ordering::SeqCst) < after {
            true => {
                let reply = program::chat("<answer>nothing</answer>", 10, "stop");
                program::respond(&stream, "200 OK", &reply)
            }
            false => program::respond(&stream, status, &json!({"error": "no balance \u{1b}[31m"})),
        };
    })
}

#[test]
fn a_refused_request_stops_the_run_and_the_next_call_asks_it_again() {
    let out = fresh("refused");
    let line = "costbench --queries 6 --at-a-time 1";
    refused(
        &ask(&refusing("402 X", 2), &out, line),
        r#"status 402: {"error":"no balance \u001b[31m"}"#,
    );
    let (url, count) = serve(|_| "<answer>nothing</answer>".to_owned());
    let report = asked(&url, &out, line);
    assert_eq!((&report["n_runs"], count()), (&json!(6), 4));
}

/// Runs of a released file: a success of 220 tokens (120, 40, 60), a failure of 390 (240, 70, 80), and one that
/// succeeds after 500 (350, 150), beyond a cap of 400. Requests carry the history.
fn three_dialogues() -> String {
    let run = |success: bool, turns: &[[u32; 2]]| {
        let turns = turns.iter().zip(1..).map(|(&[input, output], turn)| {
            json!({"turn_idx": turn, "user_prompt": format!("grid {turn}"), "raw_response": "Up",
                "actions": ["Up"], "api_input_tokens": input, "api_output_tokens": output})
        });
        json!({"rollout_success": success, "turns": turns.collect::<Vec<_>>()})
    };
    json!([
        run(true, &[[100, 20], [150, 10], [190, 30]]),
        run(false, &[[200, 40], [260, 50], [330, 60]]),
        run(true, &[[300, 50], [400, 100]]),
    ])
    .to_string()
}

/// Table 1 of the paper from three runs with five prefixes, each cell worked out by hand.
///
/// | prefix | spent | remains | feasible | answer | by the cap |
/// |---|---|---|---|---|---|
/// | A 1 | 120 | 100 | yes | [80, 120]: a hit with reward 1 - 40/100 | feasible |
/// | A 2 | 160 | 60 | yes | [10, 40]: a miss | feasible |
/// | B 1 | 240 | 150 | no | [100, 200] | feasible, as 160 are left |
/// | B 2 | 310 | 80 | no | impossible, which saves 80 of 390 | impossible |
/// | C 1 | 350 | 150 | no | [60, 90] | impossible, as 50 are left; saves 150 of 500 |
#[test]
fn a_small_table_1_of_budget_estimation_is_that_worked_out_by_hand() {
    let (url, count) = serve(|last| {
        let answers = [
            ("Turn 1: input_tokens 100, output_tokens 20, total_tokens 120\nIts", "[80, 120]"),
            ("Turn 2: input_tokens 30, output_tokens 10, total_tokens 40\nIts", "[10, 40]"),
            ("Turn 1: input_tokens 200, output_tokens 40, total_tokens 240\nIts", "[100, 200]"),
            ("Turn 2: input_tokens 20, output_tokens 50, total_tokens 70\nIts", "impossible"),
            ("Turn 1: input_tokens 300, output_tokens 50, total_tokens 350\nIts", "[60, 90]"),
        ];
        let known = answers
            .iter()
            .find(|(told, _)| last.contains(told) && last.contains("at most 400 allowed"));
        format!(
            "<think>So.</think><answer>{}</answer>",
            known.map_or("what?", |(_, answer)| answer)
        )
    });
    let file = write("dialogues.json", &three_dialogues());
    let out = fresh("bagen");
    let line = format!("budget {file} --dialogues sokoban --cap 400 --resamples 0");
    let report = asked(&url, &out, &line);
    assert_eq!((&report["n_runs"], count()), (&json!(3), 5));
    let row = |setting: &str| {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().find(|row| row["setting"] == setting).unwrap_or_else(|| panic!("{setting}"))
    };
    let cells = |row: &Value, expected: &[(&str, f64)]| {
        for (key, value) in expected {
            let found = row["metrics"][key]["value"].as_f64();
            let found = found.unwrap_or_else(|| panic!("{key} in {row}"));
            assert!((found - value).abs() < 1e-12, "{key}: {found}, not {value}");
        }
    };
    let same = [
        ("success_rate", 2.0 / 3.0),
        ("mean_turns", 8.0 / 3.0),
        ("hit_rate", 0.5),
        ("interval_reward", 0.3),
        ("optimistic", 0.5),
        ("false_abort_rate", 0.0),
        ("format_rate", 1.0),
    ];
    // First turns: one of three is feasible, and none is called impossible. All turns: F1 of feasible is
    // 2 * 2 / (2 * 2 + 2), that of impossible 2 / (2 + 2).
    let published = [
        ("macro_f1_first_turn", 0.25),
        ("macro_f1_all_turns", (2.0 / 3.0 + 0.5) / 2.0),
        ("fail_f1", 0.5),
        ("saved_token_share", 80.0 / 890.0),
        ("detected_share", 0.5),
    ];
    let by_cap = [
        ("macro_f1_first_turn", 2.0 / 3.0),
        ("macro_f1_all_turns", 0.8),
        ("fail_f1", 0.8),
        ("saved_token_share", 230.0 / 890.0),
        ("detected_share", 1.0),
    ];
    for (setting, own) in [("total_tokens", published), ("total_tokens, by the cap", by_cap)] {
        cells(row(setting), &same);
        cells(row(setting), &own);
        assert_eq!(row(setting)["counts"]["samples"], 5);
    }
    for estimator in ["linear", "quantile", "conformal"] {
        let row = row(&format!("total_tokens, {estimator}"));
        cells(row, &same[..2]);
        assert_eq!(row["counts"]["samples"], 5);
    }

    // The files that it leaves say the same.
    let [runs, answers] = ["rollouts", "estimates"].map(|name| format!("{out}/{name}.jsonl"));
    let arguments = [&*runs, "--estimator", &answers, "--lenient", "--resource", "total_tokens"];
    let again = program::json_of("budget", &[&arguments[..], &["--resamples", "0"]].concat());
    for (key, value) in by_cap.iter().chain(&same[2..]) {
        let found = again[*key]["value"].as_f64().unwrap();
        assert!((found - value).abs() < 1e-12, "{key}: {found}");
    }
    assert_eq!(again["n_rollouts"], 3);
}

#[test]
fn released_runs_of_a_warehouse_are_asked_about_with_targets_and_have_joint_hits() {
    let (url, _) = serve(|last| {
        let facts =
            "2|1|2|30|10|600|Day 0: time +2 weeks, warehouse +30 item-weeks, cost +10 USD|4|";
        // After the first of two turns, 2 weeks, 30 item-weeks and 15 USD remain.
        let answer =
            "time_weeks:[2, 2], warehouse_item_weeks:[20, 40], cumulative_cost_usd:[20, 30]";
        let is_told = last.starts_with(facts) && !last.contains("unknown") && !last.contains('{');
        if is_told { format!("<answer>{answer}</answer>") } else { last.to_owned() }
    });
    let turn = |day: u32, cash: u32, cost: u32, items: u32| {
        json!({"turn_idx": day, "raw_response": "pass", "user_prompt": format!("Day {day}"),
            "financials": {"cash": cash, "cumulative_cost": cost, "cumulative_inventory_weeks": items}})
    };
    let run_of = json!({"success": true, "final_state": "Day 28",
        "turns": [turn(0, 600, 10, 30), turn(14, 900, 25, 60)]});
    let short = json!({"success": false, "turns": [turn(0, 600, 10, 30)]});
    let file = write("warehouse.json", &json!([run_of, short, run_of]).to_string());
    let (out, checkout) = (fresh("warehouse"), fresh("warehouse-checkout"));
    let prompts = format!("{checkout}/scripts/evaluation-scripts/eval/prompts");
    fs::create_dir_all(&prompts).unwrap();
    fs::write(format!("{prompts}/warehouse_estimation_system.txt"), "Judge.").unwrap();
    let question = "{completed_weeks}|{completed_turns}|{current_time_weeks}|{current_warehouse_item_weeks}|\
         {current_cost_usd}|{current_cash_usd}|{resource_consumption_text}|{budget_time_weeks}|\
         {budget_warehouse_item_weeks}|{budget_cost_usd}|{target_cash_usd}";
    fs::write(format!("{prompts}/warehouse_estimation_user.txt"), question).unwrap();
    let line = format!("budget {file} --published {checkout}");
    refused(&ask(&url, &out, &line), "--published: give --task");
    let report = asked(&url, &out, &format!("{line} --dialogues warehouse"));
    // One of the two runs meets its target.
    let value = |setting: &str, key: &str| {
        let mut rows = report["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["setting"] == setting).unwrap();
        assert_eq!(row["counts"]["samples_feasible"], 1, "{row}");
        row["metrics"][key]["value"].as_f64()
    };
    let hits = ["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"]
        .map(|resource| value(resource, "hit_rate"));
    assert_eq!(hits, [Some(1.0), Some(1.0), Some(0.0)]);
    assert_eq!(value("all resources", "joint_hit_rate"), Some(0.0));
    let left_out =
        json!("runs of fewer than two turns or without finances at the end, left out: 1");
    assert!(report["notes"].as_array().unwrap().contains(&left_out), "{}", report["notes"]);
}

#[test]
fn median_caps_are_those_of_what_the_runs_spent() {
    let (url, _) = serve(|last| {
        let answer = if last.contains("at most 390 allowed") { "[1, 999]" } else { "?" };
        format!("<answer>{answer}</answer>")
    });
    let file = write("medians.json", &three_dialogues());
    // They are the caps of the paper for this benchmark, whether asked for or not.
    for (name, more) in [("medians", "--median-caps"), ("medians-default", "")] {
        let out = fresh(name);
        let report = asked(&url, &out, &format!("budget {file} --dialogues swebench {more}"));
        // Totals are 220, 390 and 500.
        let row = &report["rows"][0];
        let counts = json!({"samples_feasible": 2});
        has(
            row,
            json!({"setting": "total_tokens", "metrics": {"format_rate": 1}, "counts": counts}),
        );
        let runs = fs::read_to_string(format!("{out}/rollouts.jsonl")).unwrap();
        let runs = runs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        runs.for_each(|run| assert_eq!(run["caps"], json!({"total_tokens": 390}), "{run}"));
    }
}

/// A turn of which the file has no finances: the prefix after it is lost, and nothing else.
#[test]
fn one_turn_without_finances_loses_that_prefix_alone() {
    let (url, count) = serve(|last| {
        let answer = "time_weeks:[0, 9], warehouse_item_weeks:[0, 99], cumulative_cost_usd:[0, 99]";
        let is_told = !last.contains("unknown");
        (if is_told { format!("<answer>{answer}</answer>") } else { String::new() }).to_owned()
    });
    let turn = |day: u32| {
        let financials = json!({"cash": 600 + day, "cumulative_cost": day, "cumulative_inventory_weeks": 2 * day});
        let mut turn =
            json!({"turn_idx": day, "raw_response": "pass", "user_prompt": format!("Day {day}")});
        if day != 28 {
            turn["financials"] = financials;
        }
        turn
    };
    let of = |days: &[u32]| {
        json!({"success": true, "final_state": "Day 56",
        "turns": days.iter().map(|day| turn(*day)).collect::<Vec<_>>()})
    };
    let runs = json!([of(&[0, 14, 28, 42]), of(&[0, 14, 42])]);
    let file = write("lost_prefix.json", &runs.to_string());
    let out = fresh("lost-prefix");
    let report = asked(&url, &out, &format!("budget {file} --dialogues warehouse"));
    assert_eq!((&report["n_runs"], count()), (&json!(2), 4));
    for row in report["rows"].as_array().unwrap() {
        let counts = &row["counts"];
        if let Some(samples) = counts["samples"].as_u64() {
            assert_eq!(samples, 4, "{row}");
            let is_model = row["setting"].as_str().is_some_and(|it| !it.contains(", "));
            assert!(!is_model || counts["samples_without_answer"] == 0, "{row}");
        }
    }
}

#[test]
fn estimates_of_runs_with_one_id_are_read_with_their_runs() {
    let (url, _) = serve(|_| "<answer>[1, 1000]</answer>".to_owned());
    let turn = json!({"response": {"choices": [{"message": {"content": "x"}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 7}}});
    let run_of = |outcome: bool| {
        format!("{}\n", json!({"id": "again", "outcome": outcome, "turns": [turn, turn]}))
    };
    let file = write("one_id.jsonl", &[run_of(true), run_of(false)].concat());
    let out = fresh("one-id");
    asked(&url, &out, &format!("budget {file}"));
    let [runs, answers] = ["rollouts", "estimates"].map(|name| format!("{out}/{name}.jsonl"));
    let arguments = [&*runs, "--estimator", &answers, "--lenient", "--json"];
    let again = program::json_of("budget", &arguments);
    assert_eq!((&again["n_rollouts"], &again["n_prefixes"]), (&json!(2), &json!(2)));
    let answers = fs::read_to_string(answers).unwrap();
    assert!(answers.contains("\"0 again\"") && answers.contains("\"1 again\""), "{answers}");
}

#[test]
fn a_model_plays_sokoban_is_asked_between_turns_and_stops_by_its_answers() {
    let (url, count) = serve(|last| {
        let text = if last.contains("How much more") { "impossible" } else { "Up || Left" };
        format!("<answer>{text}</answer>")
    });
    let play = |out: &str, more: &str| {
        let line = format!("sokoban --first-seed 241 --count 3 --ask {more}");
        (asked(&url, out, &line), count())
    };
    // Seed 242 gives no room.
    let (out, stopped) = (fresh("sokoban"), fresh("sokoban-stopped"));
    let (whole, asked) = play(&out, "");
    assert_eq!((&whole["n_runs"], asked), (&json!(2), 2 * (10 + 9)));
    assert_eq!(whole["runs"]["success_rate"]["value"], 0.0);
    let lines = fs::read_to_string(Path::new(&out).join("estimates.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 18);
    // A question and its answer after each turn but the last.
    assert_eq!(whole["runs"]["mean_asking_tokens"]["value"], 9.0 * 60.0);
    assert_eq!(play(&out, "").1, 0, "nothing is asked twice");

    let (early, asked) = play(&stopped, "--stop-after 2");
    assert_eq!((&early["runs"]["n_stopped"], asked), (&json!(2), 2 * 4));
}

#[test]
fn a_model_runs_the_warehouse_and_is_told_its_target_and_its_caps() {
    let (url, count) = serve(|last| {
        // The question tells the cap.
        let is_told = last.contains("cumulative_cost_usd") && last.contains(" of 500000. How much");
        assert!(is_told || last.contains("actions left."), "{last}");
        "<answer>pass</answer>".to_owned()
    });
    let out = fresh("warehouse");
    // No answer to a question is an interval.
    let line = "warehouse --count 1 --ask --target 250001 --resource cumulative_cost_usd=500000 --unreadable-limit 0";
    let report = asked(&url, &out, line);
    assert_eq!((&report["n_runs"], count()), (&json!(1), 11 + 10));
    // Without orders, 8,000 dollars a week leave 324,000 of 500,000.
    assert_eq!(report["runs"]["success_rate"]["value"], 1.0);
    let trajectory = content(&Path::new(&out).join("runs"));
    assert!(trajectory.contains("cash is at least $250,001 at its end"));
}

#[test]
fn published_words_of_environments_reach_the_server_and_what_lacks_them_is_named() {
    let (url, _) = serve(|last| {
        assert!(last.contains("At most 3 of 30.") || last.contains("State 0"), "{last}");
        "<answer>Up</answer>".to_owned()
    });
    let folder = empty("words");
    let words = json!({"instruction": "Push.", "reward": "{reward}", "warning": "No.",
        "sentence": "At most {most_actions_of_a_turn} of {most_actions}."});
    let file = |content: Value| {
        fs::write(Path::new(&folder).join("bagen_texts.json"), content.to_string()).unwrap();
    };
    let out = fresh("told");
    let play = |game: &str| ask(&url, &out, &format!("{game} --count 1 --published {folder}"));
    file(json!({"evaluation": words}));
    refused(&play("sokoban"), "missing field `training`");
    file(json!({"evaluation": words, "training": words}));
    report(&play("sokoban --json"));
    refused(&play("warehouse"), "no text of the warehouse");
    refused(&play("warehouse --target 1"), "no --target");
}

#[test]
fn runs_that_were_played_are_asked_about_again_from_their_rollouts() {
    let (url, count) = serve(|last| {
        assert!(last.contains("- steps") && !last.contains("unknown"), "{last}");
        "<answer>[1, 9]</answer>".to_owned()
    });
    let [played, out] = [fresh("played-rooms"), fresh("asked-again")];
    let play =
        ["sokoban", "--count", "3", "--resource", "steps", "--resamples", "0", "--output", &played];
    assert!(program::run_other("play", &play).status.success());
    let rollouts = format!("{played}/rollouts.jsonl");
    let report = asked(&url, &out, &format!("budget {rollouts} --resource steps"));
    let text = fs::read_to_string(&rollouts).unwrap();
    let runs: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let turns: usize = runs.iter().map(|run| run["turns"].as_array().unwrap().len() - 1).sum();
    assert_eq!((&report["n_runs"], count()), (&json!(3), turns));
    // After the answer to each turn, the solver takes the steps of the turns that follow.
    let left = runs.iter().flat_map(|run| {
        let turns = run["turns"].as_array().unwrap();
        (1..turns.len()).map(|at| turns[at..].iter().map(|it| it["steps"].as_f64().unwrap()).sum())
    });
    let held = left.filter(|left: &f64| (1.0..=9.0).contains(left)).count();
    assert_eq!(report["rows"][0]["counts"]["hits"], held);
    let first = content(&Path::new(&out).join("runs"));
    assert!(first.contains("You play Sokoban."));
    let bare = format!("budget {}", program::bundled("demo_rollouts.jsonl"));
    refused(&ask(&url, &out, &bare), "needs content and observation of its turns");
}

/// Runs questions against a server whose replies have these fields of `usage`, and counts the replies.
fn capped(name: &str, usage: &'static str, options: &str) -> (std::process::Output, usize) {
    let (url, bodies) = program::serve(|_| {
        let text = "<thought>t</thought><action>answer: 4</action><confidence>0.8</confidence>";
        let mut reply = program::chat(text, 1, "stop");
        reply["usage"] = serde_json::from_str(usage).unwrap();
        reply
    });
    let questions = questions("capped.jsonl", 20);
    let line = format!("confidence {questions} --resamples 0 --at-a-time 1 --json {options}");
    let output = ask(&url, &in_folder(name), &line);
    (output, bodies.lock().unwrap().len())
}

#[test]
fn a_cap_stops_a_run_whose_replies_do_not_count_their_tokens_unless_tokens_are_reserved() {
    let caps = ["--token-cap 5000", "--prices 3,15 --cost-cap 0.0201"];
    let plain = r#"{"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}"#;
    let both = r#"{"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000, "input_tokens": 0, "output_tokens": 0}"#;
    let beside = r#"{"prompt_tokens": 900, "completion_tokens": 5, "total_tokens": 1000, "completion_tokens_details": {"reasoning_tokens": 95}}"#;
    for (at, usage) in [plain, both, beside].into_iter().enumerate() {
        for (cap, options) in caps.into_iter().enumerate() {
            let (output, asked) = capped(&fresh_name("capped", at, cap), usage, options);
            let error = refusal(&output, usage);
            assert!(asked == 5 && error.contains("; the cap is "), "{usage}: {asked} {error}");
        }
    }
    for (cap, options) in caps.into_iter().enumerate() {
        let name = fresh_name("uncounted", 0, cap);
        let (output, asked) = capped(&name, "null", options);
        let error = refusal(&output, "null");
        for part in ["the tokens of 1 reply are not known", "--uncounted reserve=N"] {
            assert!(asked == 1 && error.contains(part), "{asked} {error}");
        }
        // The same folder knows it; with a reserve it goes on to the cap.
        let (output, asked) = capped(&name, "null", options);
        assert!(asked == 0 && refusal(&output, "again").contains("of 1 reply are not known"));
        let reserve = format!("{options} --uncounted reserve=1000");
        let (output, asked) = capped(&name, "null", &reserve);
        refused(&output, "; the cap is ");
        // One reply was there; a dollar for a million tokens at the higher price.
        assert_eq!(asked, [4, 1][cap]);
    }
    // Without a cap the run goes on, and says that its tokens are not known.
    let (output, asked) = capped(&fresh_name("uncounted", 1, 0), "null", "--prices 3,15");
    let report = report(&output);
    let unknown = [&report["input_tokens"], &report["output_tokens"], &report["cost_usd"]];
    assert_eq!((asked, unknown), (20, [&Value::Null; 3]));
    noted(&report, "20 replies without a token count");
    for wrong in ["reserve=0", "reserve", "'go on'"] {
        let (output, _) = capped("never", "null", &format!("--uncounted {wrong}"));
        refused(&output, "give stop, or reserve=N");
    }
}

/// The name of a folder that does not exist yet.
fn fresh_name(name: &str, at: usize, cap: usize) -> String {
    let name = format!("{name}-{at}-{cap}");
    fresh(&name);
    name
}

#[test]
fn answers_on_the_way_that_cannot_be_read_stop_a_run_and_nothing_is_concluded_from_them() {
    let (url, count) = serve(|last| match last.contains("How much more") {
        true => "Hard to say.".to_owned(),
        false => "<answer>Up</answer>".to_owned(),
    });
    let call = |out: &str, more: &str| {
        let line = format!("sokoban --count 3 --ask --at-a-time 1 --json {more}");
        ask(&url, &fresh(out), &line)
    };
    refused(
        &call("unreadable-answers", ""),
        "5 replies in a row cannot be used; the last one, \"Hard to say.\"",
    );
    // Each fifth answer follows a fifth action.
    assert_eq!(count(), 10);
    let report = report(&call("unreadable-answers-on", "--unreadable-limit 0"));
    let said = report["conclusion"].to_string();
    assert!(said.contains("No answer can be read") && !said.contains("saves nothing"), "{said}");
}

#[test]
fn replies_that_are_too_large_end_a_run_with_their_reason() {
    let (url, _) = program::serve(|_| json!("x".repeat(9 << 20)));
    for (game, count) in
        [("sokoban", "2"), ("warehouse", "1"), ("warehouse", "2"), ("warehouse", "9")]
    {
        let out = fresh(&format!("too-large-{game}-{count}"));
        refused(
            &ask(&url, &out, &format!("{game} --count {count}")),
            "the reply has more than 8388608 bytes",
        );
    }
}

#[test]
fn a_base_url_keeps_its_query_behind_the_path() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        thread::sleep(std::time::Duration::from_millis(200));
        let mut start = [0; 1 << 16];
        let n = stream.read(&mut start).unwrap();
        let _ = program::respond(&stream, "400 Bad Request", &Value::Null);
        String::from_utf8_lossy(&start[..n]).into_owned()
    });
    let call = |url: &str| ask(url, &fresh("base-url"), "sokoban --count 1");
    refused(&call(&format!("http://{address}/v1#part")), "fragment");
    refusal(&call(&format!("HTTP://{address}/v1/?api-version=1")), "query");
    let start = served.join().unwrap();
    assert!(start.starts_with("POST /v1/chat/completions?api-version=1 HTTP/1.1"), "{start}");
}
