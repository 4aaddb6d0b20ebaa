use super::{
    estimate, notes,
    program::{names_field, plain as json, refusal, refused, run, write},
    rollout, three_runs, written,
};

#[test]
fn bad_input_is_one_line_that_names_file_line_and_field_and_exit_code_2() {
    let good = rollout("a", &[10, 20], true);
    let cases = [
        ("no_id", r#"{"turns":[{"output_tokens":1}],"success":true}"#, "id"),
        ("null_id", r#"{"id":null,"turns":[{"output_tokens":1}],"success":true}"#, "id"),
        ("no_turns", r#"{"id":"b","success":true}"#, "turns"),
        ("empty_turns", r#"{"id":"b","turns":[],"success":true}"#, "turns"),
        ("turns_of_text", r#"{"id":"b","turns":["x"],"success":true}"#, "turns[0]"),
        (
            "no_tokens",
            r#"{"id":"b","turns":[{"output_tokens":1},{"cost_usd":1}],"success":true}"#,
            "turns[1].output_tokens",
        ),
        (
            "too_large",
            r#"{"id":"b","turns":[{"output_tokens":5},{"output_tokens":1e400}],"success":true}"#,
            "turns[1].output_tokens",
        ),
        (
            "negative",
            r#"{"id":"b","turns":[{"output_tokens":-5}],"success":true}"#,
            "turns[0].output_tokens",
        ),
        (
            "text_tokens",
            r#"{"id":"b","turns":[{"output_tokens":"5"}],"success":true}"#,
            "turns[0].output_tokens",
        ),
        (
            "negative_cost",
            r#"{"id":"b","turns":[{"output_tokens":5,"cost_usd":-1}],"success":true}"#,
            "turns[0].cost_usd",
        ),
        ("no_success", r#"{"id":"b","turns":[{"output_tokens":5}]}"#, "success"),
        ("success_null", r#"{"id":"b","turns":[{"output_tokens":5}],"success":null}"#, "success"),
        ("success_text", r#"{"id":"b","turns":[{"output_tokens":5}],"success":"yes"}"#, "success"),
        (
            "unknown_cap",
            r#"{"id":"b","caps":{"weeks":5},"turns":[{"output_tokens":5}],"success":true}"#,
            "caps.weeks",
        ),
        (
            "numeric_stop",
            r#"{"id":"b","turns":[{"output_tokens":5}],"success":true,"stop_reason":3}"#,
            "stop_reason",
        ),
    ];
    for (name, line, field) in cases {
        let path = write(&format!("{name}.jsonl"), &[&good, "", line].join("\n"));
        let error = refusal(&run(&[&path, "--json"]), name);
        assert!(names_field(&error, &path, 3, field), "{name}: {error}");
    }
}

#[test]
fn bad_estimates_are_refused_alike() {
    let runs = three_runs("refused.jsonl");
    let good = estimate("a", 1, "[80, 100]");
    let cases = [
        ("unknown_id", estimate("d", 1, "[1, 2]"), "id"),
        ("last_turn", estimate("a", 4, "[1, 2]"), "turn"),
        ("twice", good.clone(), "turn"),
        ("negative_turn", good.replace(":1,", ":-1,"), "turn"),
        ("no_turn", r#"{"id":"a","answer":"x"}"#.to_owned(), "turn"),
        ("no_answer", r#"{"id":"a","turn":2}"#.to_owned(), "answer"),
        ("answer_of_numbers", r#"{"id":"a","turn":2,"answer":[1,2]}"#.to_owned(), "answer"),
        ("id_of_a_list", r#"{"id":["a"],"turn":2,"answer":"x"}"#.to_owned(), "id"),
    ];
    for (name, line, field) in cases {
        let path =
            written(&format!("estimates_{name}.jsonl"), &[good.clone(), String::new(), line]);
        let error = refusal(&run(&[&runs, "--estimator", &path]), name);
        assert!(names_field(&error, &path, 3, field), "{name}: {error}");
    }
    let single = written("of_one_turn.jsonl", &[rollout("a", &[5], true)]);
    let estimates = written("of_single.jsonl", &[good]);
    refused(&run(&[&single, "--estimator", &estimates]), "is 1; the run has 1 turn; give");
    // Two runs of one id cannot be told apart by an estimate.
    let twice = written("twice.jsonl", &[rollout("a", &[1, 2], true), rollout("a", &[1, 2], true)]);
    let estimates = written("of_twice.jsonl", &[estimate("a", 1, "[1, 2]")]);
    let error = refusal(&run(&[&twice, "--estimator", &estimates]), "twice");
    assert!(error.starts_with(&format!("error: {twice}:2: field id: ")), "{error}");
    assert_eq!(notes(&json(&[&twice]), "with the id of an earlier run"), 1);
}

#[test]
fn what_is_no_json_no_file_and_no_option_is_refused_alike() {
    let text = write("prose.jsonl", "this is not JSON");
    let empty = write("empty.jsonl", "");
    let cases: [(&[&str], &str); 9] = [
        (&[&text], "prose.jsonl:1: "),
        (&[&empty], "empty.jsonl: "),
        (&["no/such/file.jsonl"], "no/such/file.jsonl: "),
        (&["--estimator", "clairvoyant"], "clairvoyant: "),
        (&["--frobnicate"], "frobnicate"),
        (&["--cap", "-1"], "-1"),
        (&["--cap", "nan"], "nan"),
        (&["--coverage", "1"], "between 0 and 1"),
        (&["--resource", "weeks"], "output_tokens"),
    ];
    for (arguments, expected) in cases {
        refused(&run(arguments), expected);
    }
}
