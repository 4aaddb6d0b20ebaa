//! Rollouts from and to JSON Lines.

use proptest::prelude::*;
use run_logs::{RolloutFile, Rollouts, json_lines::InputError, write_rollouts};

fn read_into(mut rollouts: Rollouts, text: &str) -> Result<Rollouts, InputError> {
    RolloutFile::read("f", text.as_bytes())?.append_to(&mut rollouts)?;
    Ok(rollouts)
}

fn read(text: &str) -> Result<Rollouts, InputError> {
    read_into(Rollouts::new(["tokens", "usd"]).unwrap(), text)
}

#[test]
fn a_line_is_read_with_its_names_and_caps_and_other_fields_are_left_alone() {
    let text = concat!(
        r#"{"id": "a", "task": 3, "turns": [{"tokens": 5, "usd": 0.5, "x": []}], "success": 1}"#,
        "\n\n",
        r#"{"turns": [{"tokens": 5}, {"tokens": 7, "usd": null}], "success": false,"#,
        r#" "caps": {"tokens": 10}, "model": "m"}"#,
        "\n",
    );
    let rollouts = read(text).unwrap();
    let [tokens, usd] = ["tokens", "usd"].map(|name| rollouts.resource(name).unwrap());
    let [first, second] = [0, 1].map(|at| rollouts.get(at).unwrap());
    assert_eq!((first.id(), first.key("task"), first.succeeded()), (Some("a"), Some("3"), true));
    assert_eq!((second.id(), second.key("task"), second.succeeded()), (None, None, false));
    assert_eq!(first.usage(usd).unwrap().total(), 0.5);
    assert_eq!(second.usage(tokens).unwrap().total(), 12.0);
    assert!(second.usage(usd).is_err());
    assert_eq!((first.cap(tokens), second.cap(tokens)), (Ok(None), Ok(Some(10.0))));
}

#[test]
fn a_wrong_line_is_named_with_its_field() {
    let cases = [
        ("{", "f:2: the line is cut off"),
        (r#"{"turns": [{"tokens": 1e999}]}"#, "f:2: field turns[0].tokens: number out of range"),
        ("[]", "f:2: is not a JSON object"),
        (r#"{"turns": [], "success": 1}"#, "f:2: field turns: rollout 1 has no turns"),
        (r#"{"success": 1}"#, "f:2: missing field `turns`"),
        (r#"{"turns": [{"tokens": 1}]}"#, "f:2: missing field `success`"),
        (r#"{"turns": [{"tokens": 1}], "success": 2}"#, "f:2: field success: invalid value"),
        (r#"{"turns": [{"tokens": 1}, 5], "success": 1}"#, "f:2: field turns[1]: invalid type"),
        (
            r#"{"turns": [{"tokens": "1"}], "success": 1}"#,
            "f:2: field turns[0].tokens: give a number",
        ),
        (r#"{"turns": [{}, {"usd": -1}], "success": 1}"#, "f:2: field turns[1].usd: is -1; give"),
        (
            r#"{"turns": [{"usd": 1, "\u0075sd": 2}], "success": 1}"#,
            "f:2: field turns[0].usd: duplicate; give each key once",
        ),
        (
            r#"{"success": 1, "turns": [{}], "success": false}"#,
            "f:2: field success: duplicate; give each key once",
        ),
        (r#"{"turns": [{"usd": 1e101}], "success": 1}"#, "f:2: field turns[0].usd: is 1"),
        (r#"{"id": 1.5, "turns": [{"usd": 1}], "success": 1}"#, "f:2: field id: invalid type"),
        (r#"{"task": [], "turns": [{"usd": 1}], "success": 1}"#, "f:2: field task: invalid type"),
        (
            r#"{"turns": [{"usd": 1}], "success": 0, "cut_off": 1}"#,
            "f:2: field cut_off: invalid type",
        ),
        (r#"{"turns": [{"usd": 1}], "success": 1, "cut_off": true}"#, "f:2: field cut_off: "),
        (r#"{"turns": [{"usd": 1}], "success": 1, "caps": 5}"#, "f:2: field caps: invalid type"),
        (
            r#"{"turns": [{"usd": 1}], "success": 1, "caps": {"usd": -5}}"#,
            "f:2: field caps.usd: the cap",
        ),
        (
            r#"{"turns": [{"usd": 1}], "success": 1, "caps": {"x": 5}}"#,
            "f:2: field caps.x: there is no",
        ),
    ];
    for (line, expected) in cases {
        let text = format!("{}\n{line}\n", r#"{"turns": [{"tokens": 1}], "success": true}"#);
        let error = read(&text).unwrap_err();
        assert_eq!(error.line, Some(2), "{error:?}");
        assert!(error.to_string().starts_with(expected), "{error}, expected {expected}");
    }
}

proptest! {
    #[test]
    fn what_was_written_comes_back_to_the_last_bit(
        runs in prop::collection::vec((
            prop::collection::vec(prop::option::of(prop_oneof![
                0.0..1e-3_f64, 0.0..1e9_f64, (0_u32..9).prop_map(f64::from), Just(1e100),
            ]), 1..9),
            any::<(bool, bool)>(), prop::option::of(".*"), prop::option::of(0.0..1e6_f64),
        ), 0..6),
    ) {
        let mut rollouts = Rollouts::new(["tokens"]).unwrap();
        let tokens = rollouts.resource("tokens").unwrap();
        for (costs, (succeeded, cut_off), id, cap) in &runs {
            let run = rollouts.push(costs, *succeeded).unwrap();
            if *cut_off && !succeeded {
                rollouts.set_censored(run).unwrap();
            }
            if let Some(id) = id {
                rollouts.set_id(run, id.clone()).unwrap();
                rollouts.set_key(run, "task", format!("task of {id}")).unwrap();
            }
            if let Some(cap) = cap {
                rollouts.set_cap_of(run, tokens, *cap).unwrap();
            }
        }
        let mut text = Vec::new();
        write_rollouts(&rollouts, &mut text).unwrap();
        if rollouts.is_empty() {
            return Ok(());
        }
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let back = read_into(Rollouts::new(["tokens"]).unwrap(), &text_of(&text)).unwrap();
        prop_assert_eq!(back.len(), rollouts.len());
        for (a, b) in rollouts.iter().zip(back.iter()) {
            prop_assert_eq!((a.id(), a.key("task"), a.turns()), (b.id(), b.key("task"), b.turns()));
            prop_assert_eq!((a.succeeded(), a.cap(tokens)), (b.succeeded(), b.cap(tokens)));
            prop_assert_eq!(a.is_censored(), b.is_censored());
            prop_assert_eq!(a.usage(tokens).map(|u| u.costs().to_vec()), b.usage(tokens).map(|u| u.costs().to_vec()));
        }
        let mut again = Vec::new();
        write_rollouts(&back, &mut again).unwrap();
        prop_assert_eq!(text, again);
    }
}

#[test]
fn contents_of_turns_come_back_as_they_were_written() {
    let line = r#"{"content":"Sort it.","turns":[{"tokens":1,"usd":null,"content":"ls"},{"tokens":2,"usd":0.5,"observation":"3 1"}],"success":true}"#;
    let rollouts = read(line).unwrap();
    let rollout = rollouts.get(0).unwrap();
    assert_eq!([0, 1, 2].map(|turn| rollout.content(turn)), [Some("Sort it."), Some("ls"), None]);
    assert_eq!([1, 2].map(|turn| rollout.observation(turn)), [None, Some("3 1")]);
    let mut bytes = Vec::new();
    write_rollouts(&rollouts, &mut bytes).unwrap();
    let again: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(again, serde_json::from_str::<serde_json::Value>(line).unwrap());
    let wrong = read(r#"{"turns":[{"tokens":1,"content":5}],"success":true}"#).unwrap_err();
    assert_eq!(wrong.to_string(), "f:1: field turns[0].content: give a string");
    // A resource of that name is a cost.
    let text = r#"{"turns":[{"content":5}],"success":true}"#;
    assert!(read_into(Rollouts::new(["content"]).unwrap(), text).is_ok());
}

#[test]
fn keys_and_features_come_back_as_they_were_written() {
    let line = r#"{"model":"m","start":{"files":7},"task":"9","turns":[{"tokens":1,"errors":-2.5},{"tokens":2,"files":8}],"success":true}"#;
    let declared = || {
        let rollouts = Rollouts::new(["tokens"]).unwrap().with_keys(["model", "domain"]).unwrap();
        rollouts.with_features(["errors", "files"]).unwrap()
    };
    let read = |text: &str| read_into(declared(), text);
    let rollouts = read(line).unwrap();
    let rollout = rollouts.get(0).unwrap();
    assert_eq!(rollout.keys().collect::<Vec<_>>(), [("task", "9"), ("model", "m")]);
    let shown =
        [0, 1, 2].map(|turn| (rollout.feature(turn, "errors"), rollout.feature(turn, "files")));
    assert_eq!(shown, [(None, Some(7.0)), (Some(-2.5), None), (None, Some(8.0))]);
    let mut bytes = Vec::new();
    write_rollouts(&rollouts, &mut bytes).unwrap();
    let again: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(again, serde_json::from_str::<serde_json::Value>(line).unwrap());
    // A number of the whole line would tell about later turns, so it is no feature of turn 0.
    let total = read(r#"{"errors":3,"turns":[{"tokens":1}],"success":true}"#).unwrap();
    assert_eq!(total.get(0).unwrap().feature(0, "errors"), None);
    let wrong = [
        (
            r#"{"model":[],"turns":[{"tokens":1}],"success":true}"#,
            "f:1: field model: give a string",
        ),
        (
            r#"{"start":5,"turns":[{"tokens":1}],"success":true}"#,
            "f:1: field start: give an object",
        ),
        (
            r#"{"turns":[{"tokens":1,"errors":"2"}],"success":true}"#,
            "f:1: field turns[0].errors: give",
        ),
        (
            r#"{"start":{"files":1e101},"turns":[{}],"success":true}"#,
            "f:1: field start.files: give",
        ),
    ];
    for (line, expected) in wrong {
        let error = read(line).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}, expected {expected}");
    }
}

#[test]
fn a_model_may_be_a_whole_number_as_a_key_may() {
    let text = r#"{"model": 1, "turns": [{"tokens": 5}], "success": 1}
        {"model": 2.0, "turns": [{"tokens": 5}], "success": 1}
        {"model": 2, "success": false, "left_out": "no_turn"}"#;
    let models = RolloutFile::read("f", text.as_bytes()).unwrap().by_model();
    let counts = models.values().map(|of| (of.lines().len(), of.counts().left_out()));
    assert_eq!(models.keys().flatten().collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(counts.collect::<Vec<_>>(), [(1, 0), (1, 1)]);
}

/// `convert` writes a run that ended before a reply, and so before a model, as a line of a run that was left out.
#[test]
fn runs_that_name_no_model_form_one_unless_all_were_left_out() {
    let n_models = |text: &str| RolloutFile::read("f", text.as_bytes()).unwrap().n_models();
    let run = |model| format!("{{{model}\"turns\": [{{\"tokens\": 5}}], \"success\": 1}}\n");
    let left_out = r#"{"success": false, "left_out": "no_turn"}"#;
    assert_eq!(n_models(&(run(r#""model": "m", "#) + left_out)), 1);
    assert_eq!(n_models(&(run(r#""model": "m", "#) + &run("") + left_out)), 2);
}

#[test]
fn a_run_that_a_budget_cut_off_is_no_failure_in_the_counts() {
    let text = r#"{"turns": [{"tokens": 5}], "success": 1}
        {"turns": [{"tokens": 5}], "success": 0}
        {"turns": [{"tokens": 5}], "success": 0, "cut_off": true}
        {"turns": [{"tokens": 5}], "success": 0, "cut_off": true, "stop_reason": "quota"}
        {"turns": [{"tokens": 5}], "success": 0, "stop_reason": "max_steps"}
        {"turns": [{"tokens": 5}], "success": 0, "stop_reason": "max_steps", "cut_off": false}
        {"success": 0, "cut_off": true, "left_out": "no_turn"}"#;
    let counts = RolloutFile::read("f", text.as_bytes()).unwrap().counts();
    let counts = serde_json::to_value(counts).unwrap();
    let [failed, unknown, at_limit] = ["n_failed", "n_unknown", "n_at_limit"].map(|it| &counts[it]);
    assert_eq!([failed, unknown, at_limit], [2, 4, 4], "{counts}");
}
