//! Files of our own: what is read, and where what is refused stands.

use std::io::{self, Read};

use run_logs::{
    ForecastPolicy, TraceFile,
    json_lines::{InputError, Object, RunCounts, fold, name, parse, parse_document, yes_or_no},
};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Row {
    #[serde(deserialize_with = "name")]
    id: String,
    #[serde(deserialize_with = "yes_or_no")]
    success: bool,
    #[serde(default)]
    costs: Vec<f64>,
}

fn row(id: &str, success: bool) -> Row {
    Row { id: id.to_owned(), success, costs: Vec::new() }
}

#[test]
fn lines_are_read_with_their_numbers_and_blank_lines_are_passed_over() {
    let text = "{\"id\":\"a\",\"success\":1}\n \r\n{\"id\":-7,\"success\":false,\"x\":[]}\r\n";
    let read = parse::<Row>("f", text.as_bytes()).unwrap();
    let read: Vec<_> = read.into_iter().map(|line| (line.number, line.value)).collect();
    assert_eq!(read, [(1, row("a", true)), (3, row("-7", false))]);
}

#[test]
fn what_a_line_should_not_hold_is_named_with_its_line_and_field() {
    let cases = [
        ("[1]", None, "is not a JSON object"),
        ("prose", None, "is not a JSON object"),
        (r#"{"id":"a""#, None, "the line is cut off"),
        (r#"{"id":"a","costs":[1"#, Some("costs"), "the line is cut off"),
        (r#"{"id":"a","success":1} 5"#, None, "goes on after the end"),
        (r#"{"id":"a"}"#, None, "missing field `success`"),
        (r#"{"id":1.5,"success":1}"#, Some("id"), "expected a text or a whole number"),
        (r#"{"id":"a","success":2}"#, Some("success"), "expected true, false, 1 or 0"),
        (r#"{"id":"a","success":null}"#, Some("success"), "expected true, false, 1 or 0"),
        (r#"{"id":"a","success":1,"costs":[1,"b"]}"#, Some("costs[1]"), "expected f64"),
        (r#"{"id":"a","success":1,"costs":[0,NaN]}"#, Some("costs[1]"), "NaN is not JSON; give"),
        (r#"{"id":"a","success":1,"costs":[-Infinity]}"#, Some("costs[0]"), "-Infinity is not"),
        (r#"{"id":"a","success":1,"costs":[1e999]}"#, Some("costs[0]"), "number out of range"),
        (r#"{"id":"a","success":1,"id":"b"}"#, Some("id"), "duplicate; give each key once"),
        (r#"{"id":"a","success":1,"x":[{"k":1,"\u006b":2}]}"#, Some("x[0].k"), "duplicate"),
        (r#"{"id":"a","id":7.5,"success":1}"#, Some("id"), "duplicate"),
    ];
    for (line, field, problem) in cases {
        let text = format!("{{\"id\":\"a\",\"success\":1}}\n\n{line}\n");
        let found = parse::<Row>("f", text.as_bytes()).err().unwrap();
        assert_eq!((found.line, found.field.as_deref()), (Some(3), field), "{line}: {found}");
        assert!(found.problem.contains(problem), "{line}: {found}");
    }
    for empty in ["", "\n \n"] {
        let found = parse::<Row>("f", empty.as_bytes()).err().unwrap();
        assert_eq!(found.to_string(), "f: is empty; give one JSON object per line");
    }
}

#[test]
fn one_value_on_many_lines_is_read_and_its_errors_name_the_line() {
    let text = b"[{\"id\": 1, \"success\": true},\n {\"id\": 2,\n \"success\": 0}]\n";
    let rows: Vec<Object<Row>> = parse_document("f", text).unwrap();
    assert_eq!(rows[1], Object(row("2", false)));
    let cases = [
        ("[{\"id\": 1,\n \"success\": 3}]", 2, Some("[0].success"), "expected true"),
        ("[\n[\"a\", true]]", 2, Some("[0]"), "expected an object"),
        ("[{\"id\": 1, \"success\": 1,\n \"id\": 2}]", 2, Some("[0].id"), "duplicate"),
        ("[]\n\n7", 3, None, "goes on after the end"),
    ];
    for (text, line, field, problem) in cases {
        let found = parse_document::<Vec<Object<Row>>>("f", text.as_bytes()).unwrap_err();
        assert_eq!((found.line, found.field.as_deref()), (Some(line), field), "{text}: {found}");
        assert!(found.problem.contains(problem), "{text}: {found}");
    }
}

#[test]
fn a_run_that_was_left_out_is_counted_and_the_word_deep_in_a_line_is_not_one() {
    let mut counts = RunCounts::default();
    let mut take = |line: &str| counts.take_left_out("f", 1, line.as_bytes());
    assert_eq!(take(r#"{"id":"a","success":1,"calls":[{"left_out":"b"}]}"#), Ok(false));
    assert_eq!(take(r#"{"id":"c","success":1,"left_out":null}"#), Ok(false));
    assert_eq!(take(r#"{"success":null,"stop_reason":"max_tokens","left_out":"short"}"#), Ok(true));
    let wrong: InputError = take(r#"{"left_out":5}"#).unwrap_err();
    assert_eq!((wrong.line, wrong.field.as_deref()), (Some(1), Some("left_out")));
    let line = counts.line();
    assert!(line.starts_with("1 run: 0 succeeded, 0 failed, 1 unknown (1 cut off"), "{line}");
    assert!(line.ends_with("left out before: 1 short"), "{line}");
}

#[test]
fn what_is_no_number_is_never_read_as_a_forecast_beside_one_that_is_not_finite() {
    let read = |forecast: &str, more: &str, policy| {
        let line = format!(r#"{{"id":"a","forecasts":[0.5,{forecast}],"outcome":true{more}}}"#);
        TraceFile::read("f", line.as_bytes(), policy)
    };
    let policies = [
        ForecastPolicy::Refuse,
        ForecastPolicy::Skip,
        ForecastPolicy::Clip,
        ForecastPolicy::LeaveOut,
    ];
    for policy in policies {
        for forecast in [r#""0.5""#, r#""NaN""#, r#"{"bare":"0.5"}"#, r#"["NaN"]"#, r#"["0.5"]"#] {
            for more in ["", r#","x":[NaN]"#] {
                let found = read(forecast, more, policy).unwrap_err();
                assert_eq!((found.line, found.field.as_deref()), (Some(1), Some("forecasts[1]")));
                assert!(found.problem.contains("invalid type"), "{forecast}{more}: {found}");
            }
        }
    }
    let clipped = read("Infinity", r#","x":[NaN]"#, ForecastPolicy::Clip).unwrap();
    assert_eq!(clipped.runs.forecasts(0)[1].get(), 1.0);
}

/// The lines of a source as `fold` numbers them; a line "bad" is an error with its number.
fn lines(source: impl Read) -> Result<Vec<(usize, String)>, InputError> {
    let mut all = Vec::new();
    let add = |part: &mut Vec<(usize, String)>, number, line: &[u8]| match line {
        b"bad" => Err(InputError::of_field("f", number, "x", "bad")),
        line => {
            part.push((number, String::from_utf8(line.to_vec()).unwrap()));
            Ok(())
        }
    };
    fold("f", source, add, Ok, |part| all.extend(part))?;
    Ok(all)
}

/// Calls with a pool of each number of threads, on which the parts of a file depend.
fn on_threads(call: impl Fn() + Sync) {
    for threads in [1, 2, 5] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&call);
    }
}

#[test]
fn the_lines_of_a_file_in_many_parts_come_in_order_with_their_numbers_whatever_their_lengths() {
    let numbered = |text: &str| {
        let lines = (1..).zip(text.lines().map(str::to_owned));
        lines.filter(|(_, line)| !line.is_empty()).collect::<Vec<_>>()
    };
    let mut texts: Vec<String> = [1, 5, 36]
        .map(|step| (0..400).map(|line| "x".repeat(line * step % 37 * 1_000) + "\n").collect())
        .into();
    texts.push(format!("a\n{}\nb\n{}", "y".repeat(9_000_000), "z".repeat(9_000_000)));
    on_threads(|| {
        for text in &texts {
            assert!(lines(text.as_bytes()) == Ok(numbered(text)));
            assert!(lines(text.trim_end().as_bytes()) == Ok(numbered(text.trim_end())));
        }
    });
}

#[test]
fn a_byte_order_mark_is_left_out_at_the_start_only() {
    let marked = lines("\u{feff}a\n\u{feff}b".as_bytes());
    assert_eq!(marked, Ok(vec![(1, "a".to_owned()), (2, "\u{feff}b".to_owned())]));
    for empty in ["", "\u{feff}", "\u{feff}\n\n"] {
        let problem = lines(empty.as_bytes()).unwrap_err().problem;
        assert_eq!(problem, "is empty; give one JSON object per line");
    }
}

#[test]
fn a_line_without_end_is_an_error_before_memory_ends() {
    let endless = lines(io::repeat(b'x')).unwrap_err();
    assert_eq!(
        endless.problem,
        "a line has more than 268435456 bytes, the most that a line may have"
    );
}

#[test]
fn the_first_error_in_the_order_of_the_file_is_returned_on_any_number_of_threads() {
    let good = ("good".repeat(1_000) + "\n").repeat(700);
    let text = format!("{good}bad\nbad\n{good}bad\n");
    on_threads(|| assert_eq!(lines(text.as_bytes()).unwrap_err().line, Some(701)));
}
