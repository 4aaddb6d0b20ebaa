//! A key that stands twice in a JSON object is found.
use trajectory_metrics::distinct_keys::repeated_key;

fn found(json: &str) -> Option<String> {
    repeated_key(json.as_bytes()).map(|(path, _)| path)
}

#[test]
fn a_key_that_occurs_twice_is_found_at_any_depth_and_named_with_its_path() {
    for (json, path) in [
        (r#"{"id":1,"id":1}"#, "id"),
        (r#"{"turns":[{},{"a":{"b":0,"c":1,"b":0}}]}"#, "turns[1].a.b"),
        (r#"[[{"k":[1,2],"k":{"k":1}}]]"#, "[0][0].k"),
        (r#"{"a":{"k":1},"b":"k","\u0061":{}}"#, "a"),
        (r#"{"a\"b":[","],"a\"b":0}"#, "a\"b"),
        ("{\"\":1,\n\"\":2}", "\"\""),
    ] {
        assert_eq!(found(json).as_deref(), Some(path), "{json}");
    }
}

#[test]
fn the_same_key_in_other_objects_and_in_texts_is_not_a_repetition() {
    for json in [
        r#"{"a":{"a":{"a":1}},"b":{"a":1}}"#,
        r#"[{"k":1},{"k":1}]"#,
        r#"{"k":"\"k\":1,\"k\":2","l":"k"}"#,
        r#"{"k":["k","k"],"K":1,"k ":2}"#,
        "7",
        "",
    ] {
        assert_eq!(found(json), None, "{json}");
    }
}

#[test]
fn the_position_is_that_of_the_second_key() {
    let found = repeated_key(b"{\"a\": 1,\n \"a\": 2}");
    assert_eq!(found, Some(("a".to_owned(), 10)));
}

#[test]
fn a_number_out_of_range_and_a_deep_list_do_not_hide_a_key_after_them() {
    let deep = ["[".repeat(1_000), "]".repeat(1_000)].concat();
    assert_eq!(
        found(&format!("{{\"x\":1e999,\"y\":{deep},\"k\":1,\"k\":2}}")).as_deref(),
        Some("k")
    );
}

#[test]
fn text_that_is_not_json_does_not_panic() {
    for text in ["\"", "\"\\", "}]}{,\"", "{\"a", "\u{fffd}\\\"{[\"\\"] {
        let _ = repeated_key(text.as_bytes());
    }
    let _ = repeated_key(b"{\"\xff\":1,\"\xff\":2}");
}
