//! JSON Lines of our own: what is read, and where what is refused stands.
#![allow(clippy::unwrap_used)]

use run_logs::{
    Error, Problem,
    json_lines::{self, LeftOut, Line, Object, document, read_runs, yes_or_no},
};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Row {
    #[serde(deserialize_with = "json_lines::name")]
    id: String,
    #[serde(deserialize_with = "yes_or_no")]
    success: bool,
    #[serde(default)]
    costs: Vec<f64>,
}

fn row(id: &str, success: bool) -> Row {
    Row { id: id.to_owned(), success, costs: Vec::new() }
}

/// The line, the field and the reason of an error.
fn refusal<T>(read: Result<T, Error>) -> (Option<u64>, String, String) {
    match read.err().unwrap() {
        Error::Invalid { place, problem: Problem::Refused { reason } } => {
            (place.line, place.field, reason)
        }
        other => (None, String::new(), other.to_string()),
    }
}

#[test]
fn lines_are_read_with_their_numbers_and_blank_lines_and_a_mark_are_passed_over() {
    let text =
        "\u{feff}{\"id\":\"a\",\"success\":1}\n \r\n{\"id\":-7,\"success\":false,\"x\":[]}\r\n";
    let read = json_lines::read::<Row>(text.as_bytes()).unwrap();
    let expected =
        [Line { number: 1, value: row("a", true) }, Line { number: 3, value: row("-7", false) }];
    assert_eq!(read, expected);
}

#[test]
fn what_a_line_should_not_hold_is_named_with_its_line_and_field() {
    let cases = [
        ("[1]", "", "is not a JSON object"),
        ("prose", "", "is not a JSON object"),
        (r#"{"id":"a""#, "", "the line is cut off"),
        (r#"{"id":"a","costs":[1"#, "costs", "the line is cut off"),
        (r#"{"id":"a","success":1} 5"#, "", "goes on after the end"),
        (r#"{"id":"a"}"#, "", "missing field `success`"),
        (r#"{"id":1.5,"success":1}"#, "id", "expected a text or a whole number"),
        (r#"{"id":"a","success":2}"#, "success", "expected true, false, 1 or 0"),
        (r#"{"id":"a","success":null}"#, "success", "expected true, false, 1 or 0"),
        (r#"{"id":"a","success":1,"costs":[1,"b"]}"#, "costs[1]", "expected f64"),
        (r#"{"id":"a","success":1,"costs":[0,NaN]}"#, "costs[1]", "NaN is not JSON; give null"),
        (r#"{"id":"a","success":1,"costs":[-Infinity]}"#, "costs[0]", "-Infinity is not JSON"),
        (r#"{"id":"a","success":1,"costs":[1e999]}"#, "costs[0]", "number out of range"),
        (r#"{"id":"a","success":1,"id":"b"}"#, "id", "duplicate; give each key once"),
        (r#"{"id":"a","success":1,"x":[{"k":1,"\u006b":2}]}"#, "x[0].k", "duplicate"),
        (r#"{"id":"a","id":7.5,"success":1}"#, "id", "duplicate"),
    ];
    for (line, field, reason) in cases {
        let text = format!("{{\"id\":\"a\",\"success\":1}}\n\n{line}\n");
        let found = refusal(json_lines::read::<Row>(text.as_bytes()));
        assert_eq!((found.0, found.1.as_str()), (Some(3), field), "{line}: {found:?}");
        assert!(found.2.contains(reason), "{line}: {found:?}");
    }
    for empty in ["", "\n \n", "\u{feff}"] {
        let found = refusal(json_lines::read::<Row>(empty.as_bytes()));
        assert_eq!((found.0, found.2.contains("give one JSON object per line")), (None, true));
    }
}

#[test]
fn a_line_without_an_end_is_refused_before_memory_ends() {
    let (line, _, reason) = refusal(json_lines::read::<Row>(std::io::repeat(b'x')));
    assert_eq!((line, reason.as_str()), (Some(1), "the line has more than 268435456 bytes"));
}

#[test]
fn runs_that_were_left_out_are_told_apart_and_the_word_deep_in_a_line_is_not_one() {
    let text = r#"{"id":"a","success":1,"calls":[{"left_out":"b"}]}
        {"id":"b","success":false,"stop_reason":"max_tokens","left_out":"no_confidence"}
        {"id":"c","success":1,"left_out":null}"#;
    let (read, left) = read_runs::<Row>(text.as_bytes()).unwrap();
    assert_eq!(read.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 3]);
    let LeftOut { outcome, stop, reason, .. } = &left[0];
    assert_eq!((left.len(), *outcome, reason.as_str()), (1, Some(false), "no_confidence"));
    assert_eq!(stop.as_ref().map(ToString::to_string), Some("max_tokens".to_owned()));
    let wrong = refusal(read_runs::<Row>(&br#"{"left_out":5}"#[..]));
    assert_eq!((wrong.0, wrong.1.as_str()), (Some(1), "left_out"));
}

#[test]
fn one_value_on_many_lines_is_read_and_its_errors_name_the_line() {
    let text = b"[{\"id\": 1, \"success\": true},\n {\"id\": 2,\n \"success\": 0}]\n";
    let rows: Vec<Object<Row>> = document(text).unwrap();
    assert_eq!(rows[1], Object(row("2", false)));
    let cases = [
        ("[{\"id\": 1,\n \"success\": 3}]", 2, "[0].success", "expected true"),
        ("[\n[\"a\", true]]", 2, "[0]", "expected an object"),
        ("[{\"id\": 1, \"success\": 1,\n \"id\": 2}]", 2, "[0].id", "duplicate"),
        ("[]\n\n7", 3, "", "goes on after the end"),
        ("[{\"id\": 1", 1, "[0]", "is cut off"),
    ];
    for (text, line, field, reason) in cases {
        let found = refusal(document::<Vec<Object<Row>>>(text.as_bytes()));
        assert_eq!((found.0, found.1.as_str()), (Some(line), field), "{text}: {found:?}");
        assert!(found.2.contains(reason), "{text}: {found:?}");
    }
}
