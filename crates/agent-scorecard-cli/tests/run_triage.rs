//! `run triage` against a server whose replies are worked out by hand.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    thread,
};

use agent_scorecard_cli::questions::{Source, triage_variants};
use program::{Bodies, ask, fresh, has, in_folder, noted, refusal, refused, report, write};
use serde_json::{Value, json};

/// The body of a request, and what is replied: text, tokens, and why it ends.
type Script = fn(&Value) -> (String, u64, &'static str);

fn serve(script: Script) -> (String, Bodies) {
    program::serve(move |body| {
        let (text, tokens, end) = script(body);
        program::chat(&text, tokens, end)
    })
}

fn prompt(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

fn call(file: &str, url: &str, out: &str, options: &str) -> Output {
    ask(url, out, &format!("triage {file} --json {options}"))
}

/// What a line has in place of an answer that a program judges.
#[cfg(unix)]
const OUTSIDE: &str = "\"checker\": \"outside\"";

/// Lines of questions with an answer or a checker, by id.
fn lines(ids: &[&str], answer: &str) -> String {
    let line =
        |id: &&str| format!("{{\"id\": \"{id}\", \"question\": \"What of {id}?\", {answer}}}\n");
    ids.iter().map(line).collect()
}

/// Makes a script a program.
#[cfg(unix)]
fn script(path: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Counts of a row, by key.
fn counts<const N: usize>(row: &Value, keys: [&str; N]) -> [u64; N] {
    keys.map(|key| row["counts"][key].as_u64().unwrap())
}

fn plan(steps: &[(&str, u64)]) -> String {
    let steps = steps.iter().map(|(id, tokens)| json!({"id": id, "allocation": tokens}));
    json!({"plan": steps.collect::<Vec<_>>()}).to_string()
}

/// Problem a costs 500 and fails, b costs 300 and c 200, and both are solved. Of x and y, there are recorded attempts.
fn by_hand(body: &Value) -> (String, u64, &'static str) {
    let prompt = prompt(body);
    let text = if prompt.contains("[id: x]") {
        plan(&[("x", 100)])
    } else if prompt.contains("examination") {
        plan(&[("a", 500), ("b", 0)])
    } else if prompt.contains("You work on your own") {
        plan(&[("b", 250), ("c", 250)])
    } else if prompt.contains("Rules:") {
        plan(&[("a", 0), ("b", 300), ("c", 200)])
    } else {
        let cost = if prompt.contains("ant") {
            500
        } else if prompt.contains("bee") {
            300
        } else {
            200
        };
        let answer = if cost == 500 { 7 } else { 6 };
        return (format!("<answer>{answer}</answer>"), cost, "stop");
    };
    (text, 40, "stop")
}

fn first_file() -> String {
    let line = |id: &str, animal: &str| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"How many legs has one {animal}?\", \"answer\": 6}}\n"
        )
    };
    let lines = [line("a", "ant"), line("b", "bee"), line("c", "cricket")].concat();
    write("triage_first.jsonl", &lines)
}

const SWEEP: &str = "--alpha 0.25 --alpha 0.5 --alpha 0.75 --alpha 1 --framing neutral --framing agent --framing exam";

/// The report on the scores in these folders.
fn variants(folders: &[&str]) -> Value {
    let sources: Vec<Source> = folders.iter().map(|it| Source::from(PathBuf::from(it))).collect();
    serde_json::to_value(triage_variants(&sources).unwrap()).unwrap()
}

#[test]
fn a_small_table_1_has_the_cells_that_are_worked_out_by_hand_and_each_problem_is_asked_once() {
    let (url, bodies) = serve(by_hand);
    let count = || bodies.lock().unwrap().len();
    let first = first_file();
    let out = fresh("triage-first");
    report(&call(&first, &url, &out, ""));
    assert_eq!(count(), 4, "three problems and a plan");
    let found = report(&call(&first, &url, &out, SWEEP));
    assert_eq!(count(), 15, "three problems and a plan for each of 4 alphas and 3 framings");

    // Of budgets 250, 500, 750 and 1000, a random order earns 1/3, 1, 7/6 and 2, and the oracle 1, 2, 2 and 2.
    let advisory = [[-0.5, -0.5, -0.5], [1.0, 1.0, -1.0], [1.0, 1.0, -1.4], [1.0, 1.0, 0.0]];
    let enforced = [[-0.5, -0.5, -0.5], [1.0, 0.0, -1.0], [1.0, -0.2, -1.4], [1.0, 0.0, 0.0]];
    let framings = ["neutral", "agent", "exam"];
    let alphas = [0.25, 0.5, 0.75, 1.0];
    let near = |value: &Value, want: f64| (value.as_f64().unwrap() - want).abs() < 1e-12;
    for (alpha, (of_u, of_e)) in alphas.iter().zip(advisory.iter().zip(&enforced)) {
        for (framing, wants) in framings.iter().zip(of_u.iter().zip(of_e)) {
            for (regime, want) in [("advisory", wants.0), ("enforced", wants.1)] {
                let name = format!("alpha {alpha}, {framing}, {regime}");
                let row =
                    found["rows"].as_array().unwrap().iter().find(|it| it["setting"] == *name);
                let metrics = &row.unwrap()["metrics"];
                assert!(near(&metrics["efficiency"]["value"], *want), "{name}: {metrics}");
            }
        }
    }
    let row = &found["rows"][2]["metrics"];
    for (key, want) in [
        ("earned_random", 1.0 / 3.0),
        ("earned_cheapest_first", 1.0),
        ("earned_greedy", 1.0),
        ("earned_oracle", 1.0),
    ] {
        assert!(near(&row[key]["value"], want), "{key}: {row}");
    }

    // A second data set with recorded attempts, of which every plan takes the best: its cells are 1.
    let recorded = write(
        "triage_second.jsonl",
        "{\"id\": \"x\", \"question\": \"?\", \"output_tokens\": 100, \"solved\": true}\n\
         {\"id\": \"y\", \"question\": \"?\", \"output_tokens\": 300, \"solved\": false}\n",
    );
    let second = fresh("triage-second");
    let found = report(&call(&recorded, &url, &second, SWEEP));
    assert_eq!(count(), 15 + 12, "recorded attempts are not asked again");
    assert_eq!(found["rows"][0]["counts"]["questions_recorded"], 2);
    let table = variants(&[&out, &second]);
    for (table, cells) in table["tables"].as_array().unwrap().iter().zip([advisory, enforced]) {
        for (row, cells) in table["rows"].as_array().unwrap().iter().zip(cells) {
            for (framing, cell) in framings.iter().zip(cells) {
                assert!(near(&row["eta"][framing], f64::midpoint(cell, 1.0)), "{row}");
            }
        }
    }
}

#[test]
fn what_cannot_be_in_a_pool_is_refused_before_the_first_request_or_left_out_and_counted() {
    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("Rules:") => (plan(&[("b", 300)]), 40, "stop"),
        text if text.contains("ant") => (String::new(), 0, "stop"),
        text if text.contains("bee") => ("<answer>6</answer>".to_owned(), 300, "stop"),
        _ => ("<answer>".to_owned(), 400, "length"),
    });
    let out = fresh("triage-left-out");
    let worthless = first_file().replace("triage_first", "triage_worthless");
    let lines = fs::read_to_string(first_file()).unwrap();
    fs::write(&worthless, lines.replacen("\"answer\": 6", "\"answer\": 6, \"value\": 0", 1))
        .unwrap();
    refused(&call(&worthless, &url, &out, ""), "value");
    assert_eq!(bodies.lock().unwrap().len(), 0);

    let found = report(&call(&first_file(), &url, &out, "--alpha 0.75"));
    let row = &found["rows"][0];
    let keys =
        ["questions", "questions_solved", "questions_left_out", "questions_cut_off", "pools"];
    assert_eq!(counts(row, keys), [3, 1, 1, 1, 1]);
    assert_eq!(row["metrics"]["efficiency"]["value"], 1.0);
}

#[test]
fn allocations_bind_silently_unless_they_are_announced_and_problems_are_solved_again_with_them() {
    let (url, bodies) = serve(by_hand);
    let out = fresh("triage-live");
    let first = first_file();
    report(&call(&first, &url, &out, "--alpha 1 --live enforced"));
    let limit = |body: &Value| {
        let told = prompt(body).contains("Budget: ");
        (body["max_tokens"].as_u64().unwrap(), told)
    };
    let seen = |from: usize| -> Vec<_> {
        let mut seen: Vec<_> = bodies.lock().unwrap()[from..].iter().map(limit).collect();
        seen.sort_unstable();
        seen
    };
    // The plan names its budget; b and c are solved under their limits.
    assert_eq!(seen(3), [(200, false), (300, false), (4096, true)]);
    report(&call(&first, &url, &out, "--alpha 1 --live enforced --announce"));
    assert_eq!(seen(6), [(200, true), (300, true), (4096, true)]);

    let found = report(&call(&first, &url, &out, "--alpha 1 --framing agent --re-solve"));
    assert_eq!(seen(9), [(4096, true), (4096, true), (4096, true)]);
    let row = found["rows"].as_array().unwrap().last().unwrap();
    // b was allotted 250 and cost 300 again; c was allotted 250 and cost 200 again.
    let keys =
        ["problems", "compliant", "kept_correct", "lost_correct", "newly_correct", "still_wrong"];
    assert_eq!(counts(row, keys), [2, 1, 2, 0, 0, 0]);
    assert_eq!(row["metrics"]["compliance_rate"]["value"], 0.5);
    refused(&call(&first, &url, &out, "--re-solve"), "--re-solve needs --alpha 1");
}

#[test]
fn unsolvable_questions_replace_a_share_of_a_pool_and_what_plans_do_with_them_is_reported() {
    let (url, _) = serve(|body| match prompt(body) {
        text if text.contains("[id: u]") => (plan(&[("u", 100), ("b", 300)]), 40, "stop"),
        _ => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let unsolvable = write(
        "triage_unsolvable.jsonl",
        "{\"id\": \"u\", \"question\": \"How many legs has a colour?\", \"answer\": null}\n",
    );
    let out = fresh("triage-unsolvable");
    let with = |share: &str, out: &str| {
        let options = format!("--unsolvable {unsolvable} --unsolvable-share {share}");
        call(&first_file(), &url, out, &options)
    };
    let found = report(&with("0.4", &out));
    let row = &found["rows"][0];
    assert_eq!(row["counts"]["questions"], 4);
    assert_eq!(row["metrics"]["detection_rate"]["value"], 0.0);
    // All 100 tokens, or 100 of 400 if b is still in the pool.
    let waste = row["metrics"]["waste_rate"]["value"].as_f64().unwrap();
    assert!(waste == 1.0 || waste == 0.25, "{waste}");
    refused(&with("1", &fresh("triage-too-few")), "unsolvable items");
}

#[cfg(unix)]
#[test]
fn a_program_judges_answers_and_a_hostile_one_costs_nothing_but_its_verdict() {
    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("Rules:") => (plan(&[("p", 300)]), 40, "stop"),
        _ => ("<answer>print('$(touch x)')</answer>".to_owned(), 300, "stop"),
    });
    let file = write("triage_outside.jsonl", &lines(&["p", "q", "r", "s"], OUTSIDE));
    refused(&call(&file, &url, &fresh("triage-no-checker"), ""), "give --checker");
    let program = in_folder("triage_checker.sh");
    let cases = "read line\ncase \"$line\" in\n\
        *'\"id\":\"p\"'*) echo '{\"solved\": true}';;\n\
        *'\"id\":\"q\"'*) yes;;\n\
        *'\"id\":\"r\"'*) sleep 100;;\n\
        *) echo '{\"solved\": false}';;\nesac";
    script(&program, cases);
    let out = fresh("triage-checker");
    let options = format!("--checker {program} --checker-timeout 2");
    let found = report(&call(&file, &url, &out, &options));
    let keys = ["questions", "questions_solved", "questions_left_out", "pools"];
    assert_eq!(counts(&found["rows"][0], keys), [4, 1, 2, 1]);
    let note =
        "gave no verdict on 2 of 4 answers: the first line that it wrote is \"y\", which is not";
    noted(&found, note);
    let _ = fs::remove_file(format!("{program}.asked"));
    // Verdicts are kept with the answers; where there was none, the checker is asked again.
    script(&program, "read line\necho \"$line\" >> \"$0.asked\"\necho '{\"solved\": true}'");
    let again = report(&call(&file, &url, &out, &options));
    assert_eq!(counts(&again["rows"][0], keys), [4, 3, 0, 1]);
    let asked = fs::read_to_string(format!("{program}.asked")).unwrap();
    assert_eq!(asked.lines().count(), 2, "{asked}");
    fs::remove_file(&program).unwrap();
    let last = report(&call(&file, &url, &out, &options));
    assert_eq!((&last["rows"], bodies.lock().unwrap().len()), (&again["rows"], 6));
    let missing = call(&file, &url, &fresh("triage-nowhere"), "--checker /nowhere/checker");
    refused(&missing, "/nowhere/checker cannot be run");
}

#[cfg(unix)]
#[test]
fn a_checker_without_a_verdict_is_an_error_that_shows_its_first_line_and_is_asked_again() {
    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("Rules:") => (plan(&[("p", 300)]), 40, "stop"),
        _ => ("<answer>5</answer>".to_owned(), 300, "stop"),
    });
    let file = write("triage_no_verdict.jsonl", &lines(&["p", "q"], OUTSIDE));
    let out = fresh("triage-no-verdict");
    let program = in_folder("triage_no_verdict.sh");
    let with = |text: &str| {
        script(&program, text);
        call(&file, &url, &out, &format!("--checker {program} --checker-timeout 1"))
    };
    let child = in_folder("triage_no_verdict.child");
    for (script, shown) in [
        ("echo 'INFO loading'; echo '{\"solved\": true}'", "is \"INFO loading\", which is not"),
        ("echo; echo '{\"solved\": true}'", "is \"\", which is not"),
        ("printf '\\357\\273\\277{\"solved\": true}\\n'", "which is not"),
        ("echo '{\"solved\": 1}'", "is \"{\\\"solved\\\": 1}\", which is not"),
        ("echo '[true]'", "is \"[true]\", which is not"),
        ("echo '{\"solved\": true, \"solved\": false}'", "which is not"),
        ("true", "is \"\", which is not"),
        (&format!("sleep 300 & echo $! > {child}; wait"), "wrote no line in 1 s"),
    ] {
        let error = refusal(&with(script), script);
        assert!(error.contains("gave no verdict on 2 of 2 answers"), "{script}: {error}");
        assert!(error.contains(shown), "{script}: {error}");
    }
    // What the checker started ended with it.
    let child = fs::read_to_string(child).unwrap();
    let has_ended = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    let is_over = (0..100).any(|_| {
        has_ended() || {
            thread::sleep(std::time::Duration::from_millis(50));
            false
        }
    });
    assert!(is_over, "{child}");

    let asked = bodies.lock().unwrap().len();
    let found = report(&with("echo '{\"solved\": true, \"seconds\": 2}'"));
    assert_eq!(found["rows"][0]["counts"]["questions_solved"], 2, "{found}");
    assert_eq!(bodies.lock().unwrap().len(), asked + 1, "the plan alone is asked for");
}

#[test]
fn attempts_that_are_cut_off_are_data_and_stop_no_run() {
    let (url, _) = serve(|body| match prompt(body).contains("Rules:") {
        true => (plan(&[("q0", 10)]), 40, "stop"),
        false => ("Let me think".to_owned(), 64, "length"),
    });
    let ids = ["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];
    let file = write("triage_cut_off.jsonl", &lines(&ids, "\"answer\": 6"));
    let report = report(&call(&file, &url, &fresh("triage_cut_off"), ""));
    assert_eq!(report["rows"][0]["counts"]["questions"], 8, "{report}");
    assert_eq!(report["rows"][0]["counts"]["questions_solved"], 0);
}

#[cfg(unix)]
#[test]
fn a_checker_does_not_see_the_key_of_the_server() {
    use std::process::Command;

    let (url, _) = serve(|body| match prompt(body).contains("Rules:") {
        true => (plan(&[("a", 300)]), 40, "stop"),
        false => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let seen = in_folder("triage_seen_key.txt");
    let checker = in_folder("triage_key_checker.sh");
    let tells = format!("echo \"key:$AGENT_SCORECARD_API_KEY\" > {seen}");
    script(&checker, &format!("{tells}\necho '{{\"solved\": true}}'"));
    let file = write("triage_judged.jsonl", &lines(&["a"], OUTSIDE));
    let out = fresh("triage_judged");
    let base = ["run", "triage", &file, "--base-url", &url, "--model", "m", "--out", &out];
    let mut command = Command::new(program::BUILT);
    command
        .args(base)
        .args(["--checker", &checker])
        .env("AGENT_SCORECARD_API_KEY", "sk-1234567890abcdef");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(seen).unwrap(), "key:\n");
}

#[test]
fn a_recorded_problem_that_is_asked_again_needs_a_checker() {
    let line = r#"{"id": "a", "question": "Why?", "checker": "outside", "output_tokens": 5, "solved": true}"#;
    let file = write("triage_asked_again.jsonl", line);
    let out = fresh("triage_asked_again");
    let output = call(&file, "http://127.0.0.1:9/v1", &out, "--alpha 1 --re-solve");
    refused(&output, "give --checker");
}

#[test]
fn published_texts_reach_the_server_unchanged_and_need_no_schema() {
    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("rest of the paper") => (plan(&[("b", 300)]), 40, "stop"),
        _ => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let (out, texts) = (fresh("triage-published"), fresh("triage-texts"));
    let call = |more: &str| {
        call(&first_file(), &url, &out, &format!("--alpha 1 --published {texts} {more}"))
    };
    refused(&call(""), "--published:  … planner_neutral.txt");

    fs::create_dir_all(&texts).unwrap();
    let file = |name: &str| Path::new(&texts).join(name);
    let openings = ["{domain}, at most {B} in all.", "A plan over {B}.", "Exam: {domain}."];
    let texts = ["neutral", "agent", "exam"].into_iter().zip(openings).map(|(name, opening)| {
        let text =
            format!("{opening}\n\n{{problems}}\nrest of the paper {{\"plan\": [{{}}]}}  \n\n");
        fs::write(file(&format!("planner_{name}.txt")), &text).unwrap();
        text
    });
    let texts: Vec<String> = texts.collect();
    fs::write(file("banner.txt"), "{a_i} tokens at most.  ").unwrap();
    let framings = "--framing neutral --framing agent --framing exam";
    report(&call(&format!("{framings} --re-solve --domain sums --at-a-time 1")));

    let bodies = bodies.lock().unwrap();
    let [alone, plans, again] = [&bodies[..3], &bodies[3..6], &bodies[6..]];
    let block =
        |id: &str, animal: &str| format!("[id: {id}] (points: 1)\nHow many legs has one {animal}?");
    let problems = [block("a", "ant"), block("b", "bee"), block("c", "cricket")].join("\n\n");
    for (body, text) in plans.iter().zip(texts) {
        let text = text.replace("{domain}", "sums").replace("{B}", "900");
        assert_eq!(prompt(body), text.replace("{problems}", &problems));
        assert_eq!(body.get("response_format"), None);
    }
    assert_eq!(again.len(), 3);
    for body in again {
        assert_eq!(prompt(body), format!("300 tokens at most.  \n\n{}", prompt(&alone[1])));
    }
}

/// Plans all problems with 100 tokens each; refuses two unsolvable questions, and all of them the second time.
fn refusing(body: &Value) -> (String, u64, &'static str) {
    let prompt = prompt(body);
    if prompt.contains("Rules:") {
        let ids = prompt.split("[id: ").skip(1).filter_map(|rest| rest.split(']').next());
        return (plan(&ids.map(|id| (id, 100)).collect::<Vec<_>>()), 40, "stop");
    }
    let is_refused = ["u2", "u3"].iter().any(|id| prompt.contains(id));
    let is_refused = is_refused || prompt.starts_with("Budget: ") && prompt.contains("of u");
    ("<answer>6</answer>".to_owned(), if is_refused { 0 } else { 100 }, "stop")
}

#[test]
fn refusals_leave_fewer_unsolvable_problems_and_re_solved_problems_that_are_counted() {
    let (url, _) = serve(refusing);
    let of = |count: usize, name: &str, answer: &str| {
        let ids: Vec<String> = (0..count).map(|id| format!("{name}{id}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let answer = format!("\"answer\": {answer}");
        write(&format!("triage_refused_{name}.jsonl"), &lines(&ids, &answer))
    };
    let (file, unsolvable) = (of(8, "q", "6"), of(4, "u", "null"));
    let options = "--alpha 1 --re-solve --pool-size 4 --unsolvable-share 0.5 --unsolvable";
    let options = format!("{options} {unsolvable}");
    let found = report(&call(&file, &url, &fresh("triage-refused"), &options));
    let row = &found["rows"][0];
    has(&row["counts"], json!({"questions_left_out": 2, "pools": 2}));
    // Each of the two pools has one of the two that were attempted: 100 of 400 tokens.
    assert_eq!(row["metrics"]["waste_rate"]["value"], 0.25);
    noted(
        &found,
        "2 unsolvable questions have an attempt, so at most 1 of the 4 problems of a pool are unsolvable",
    );

    let again = found["rows"].as_array().unwrap().last().unwrap();
    let counts = &again["counts"];
    assert_eq!((&counts["problems"], &counts["problems_left_out"]), (&json!(6), &json!(2)));
    for key in ["baseline_accuracy", "budget_aware_accuracy", "compliance_rate"] {
        let figure = &again["metrics"][key];
        assert_eq!((&figure["value"], &figure["ci_high"]), (&json!(1.0), &json!(1.0)), "{again}");
        assert!(figure["ci_low"].as_f64().unwrap() > 0.5, "{again}");
    }
}

#[test]
fn scores_of_calls_with_other_settings_stay_in_the_folder() {
    let (url, bodies) = serve(by_hand);
    let (first, out, texts) = (first_file(), fresh("triage-scores"), fresh("triage-scores-texts"));
    fs::create_dir_all(&texts).unwrap();
    for name in ["planner_neutral", "planner_agent", "planner_exam"] {
        let text = "{domain}, {B}\n{problems}\nRules: the rest of the paper";
        fs::write(Path::new(&texts).join(name).with_extension("txt"), text).unwrap();
    }
    fs::write(Path::new(&texts).join("banner.txt"), "{a_i}").unwrap();
    report(&call(&first, &url, &out, "--alpha 0.25"));
    let published = format!("--published {texts}");
    let settings = [
        ("", ""),
        ("--live enforced", "live enforced"),
        (&*published, "published texts"),
        ("--domain sums", "sums"),
        ("--max-plan-tokens 900", "plans of at most 900 tokens"),
        ("--no-schema", "no schema"),
    ];
    for (more, _) in settings.into_iter().chain(settings) {
        report(&call(&first, &url, &out, more));
    }
    // Three problems, a plan at 0.25, one of each setting, and two problems that are solved under their limits.
    assert_eq!(bodies.lock().unwrap().len(), 3 + 1 + settings.len() + 2);
    let scores = fs::read_to_string(Path::new(&out).join("scores.jsonl")).unwrap();
    // In both regimes if the plans are not executed live.
    assert_eq!(scores.lines().count(), 2 + 2 * settings.len() - 1, "{scores}");
    let tables = variants(&[&out]);
    let rows = tables["tables"][1]["rows"].as_array().unwrap();
    let cells = rows.iter().filter(|row| row["alpha"] == 0.5).map(|row| row["mode"].as_str());
    let mut modes = settings.map(|(_, mode)| Some(mode));
    modes.sort_unstable();
    assert_eq!(cells.collect::<Vec<_>>(), modes);
    assert_eq!(rows.len(), 1 + settings.len());
}

#[cfg(unix)]
#[test]
fn a_checker_that_fails_stops_the_run_and_its_verdict_is_asked_for_again() {
    let (url, bodies) = serve(|body| match prompt(body).contains("Rules:") {
        true => (plan(&[("a", 300)]), 40, "stop"),
        false => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let file = write("triage_failing.jsonl", &lines(&["a"], OUTSIDE));
    let checker = in_folder("triage_failing_checker.sh");
    let out = fresh("triage-failing");
    let call = || call(&file, &url, &out, &format!("--checker {checker}"));
    for text in ["exit 3", "echo '{\"solved\": true}'; exit 3"] {
        script(&checker, text);
        refused(&call(), "ended with exit status: 3 for the question \"a\"");
    }
    script(&checker, "echo '{\"solved\": true}'");
    assert_eq!(report(&call())["rows"][0]["counts"]["questions_solved"], 1);
    assert_eq!(bodies.lock().unwrap().len(), 2);
}
