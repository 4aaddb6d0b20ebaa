//! Files that are damaged or made to do harm are typed errors that say where, never a panic and never
//! an empty log.

use std::{collections::BTreeMap, fs, io::Cursor};

use run_logs::{Error, Format, Place, Problem, ReadLimits, ReadOptions, read};
use trajectory_metrics::tool_calls::Value;

use crate::common::{all, fault, golden, limited, runs, too_large, unpacked};

/// A log of inspect_ai with these samples.
fn log(samples: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","model":"m"}},"samples":[{samples}]}}"#
    )
}

/// The problem of a log, and where it is.
fn problem(text: impl AsRef<[u8]>) -> (Problem, Place) {
    let (place, problem) = fault(all(text, Format::Inspect, &ReadOptions::default()));
    (problem, place)
}

/// The options under which a run holds at most a megabyte.
fn of_a_megabyte() -> ReadOptions {
    limited(ReadLimits { max_run: 1 << 20, ..ReadLimits::default() })
}

/// Checks that a log exceeds a megabyte under these options.
fn check_too_large(text: &str, format: Format, options: &ReadOptions) {
    let (_, problem) = fault(all(text, format, options));
    assert_eq!(problem, too_large("a run holds more", 1 << 20, "bytes"), "{format}: {text:.200}");
}

/// The problem of one sample with this score in its metadata, so that any value is read.
fn problem_of_value(value: &str) -> Problem {
    problem(log(&format!(r#"{{"id":1,"epoch":1,"metadata":{{"x":{value}}}}}"#))).0
}

#[test]
fn nesting_of_a_hundred_thousand_is_an_error_wherever_it_is() {
    let deep = ["[", "{\"a\":"].map(|open| open.repeat(100_000));
    let too_deep = Problem::TooDeep { limit: 128 };
    for deep in &deep {
        // Read as a value, passed over, and in the place of the log.
        assert_eq!(problem_of_value(deep), too_deep);
        assert_eq!(problem(log(&format!(r#"{{"id":1,"epoch":1,"unread":{deep}"#))).0, too_deep);
        assert!(matches!(problem(deep).0, Problem::TooDeep { .. } | Problem::Type { .. }));
        let error = read(Cursor::new(deep), Format::Auto, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::UnknownFormat { .. }), "{error}");
    }
    // 128 levels are read: three of the log, one of the sample, and the rest of the value.
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let sample =
        |depth| log(&format!(r#"{{"id":1,"epoch":1,"metadata":{{"x":{}}}}}"#, nested(depth)));
    assert_eq!(runs(sample(124)).len(), 1);
    assert_eq!(problem(sample(125)).0, too_deep);
}

#[test]
fn strings_of_100_mb_are_passed_over_where_they_are_not_read_and_refused_where_they_are() {
    let long = "x".repeat(100_000_000);
    let unread = log(&format!(r#"{{"id":1,"epoch":1,"unread":"{long}"}}"#));
    assert_eq!(runs(unread).len(), 1);
    let read = log(&format!(r#"{{"id":1,"epoch":1,"metadata":{{"x":"{long}"}}}}"#));
    let (found, place) = problem(&read);
    assert_eq!(found, too_large("a string is longer", 64 << 20, "bytes"));
    assert_eq!(
        (place.sample.as_deref(), place.field.as_str()),
        (Some("1, epoch 1"), "samples[0].metadata.x")
    );
    // The limit is the caller's.
    let limits = ReadLimits { max_string: 200_000_000, ..ReadLimits::default() };
    assert!(all(&read, Format::Inspect, &limited(limits)).is_ok());
    let limits = ReadLimits { max_run: 1 << 20, ..limits };
    check_too_large(&read, Format::Inspect, &limited(limits));
}

#[test]
fn a_run_of_many_small_values_is_limited_too() {
    let many = format!("[{}1]", "1,".repeat(300_000));
    let text = log(&format!(r#"{{"id":1,"epoch":1,"metadata":{{"x":{many}}}}}"#));
    check_too_large(&text, Format::Inspect, &of_a_megabyte());
    assert_eq!(runs(&text).len(), 1);
    // What is short in the file and long in memory: turns, empty texts, ranges of a pool.
    for (field, many) in [
        ("events", r#"{"event":"model"}"#),
        ("messages", r#"{"role":"assistant","content":["","","","","","",""]}"#),
        ("events", r#"{"event":"model","input_refs":[[1,2],[1,2],[1,2],[1,2],[1,2]]}"#),
    ] {
        let text = log(&format!(
            r#"{{"id":1,"epoch":1,"{field}":[{many}{}]}}"#,
            format!(",{many}").repeat(9_999)
        ));
        let options = ReadOptions { requests: true, ..of_a_megabyte() };
        check_too_large(&text, Format::Inspect, &options);
    }
}

#[test]
fn maps_and_lists_count_with_the_room_that_they_take() {
    // 24 and 12 kB of text each, and more than a megabyte of memory.
    for small in [r#"{"a":1}"#, "[[1]]"] {
        let many = vec![small; 3_000].join(",");
        let text = log(&format!(r#"{{"id":1,"epoch":1,"metadata":{{"x":[{many}]}}}}"#));
        check_too_large(&text, Format::Inspect, &of_a_megabyte());
        assert_eq!(runs(&text).len(), 1);
    }
}

#[test]
fn a_text_that_is_referred_to_many_times_counts_as_often() {
    let event = r#"{"event":"model","output":{"choices":[{"message":{"role":"assistant","content":"attachment://h"}}]}}"#;
    let sample = |events: &str| {
        let long = "x".repeat(100_000);
        log(&format!(r#"{{"id":1,"epoch":1,"events":[{events}],"attachments":{{"h":"{long}"}}}}"#))
    };
    let options = of_a_megabyte();
    assert_eq!(all(sample(event), Format::Inspect, &options).unwrap()[0].turns.len(), 1);
    check_too_large(&sample(&vec![event; 20].join(",")), Format::Inspect, &options);
}

#[test]
fn requests_that_repeat_a_conversation_count_as_often() {
    let options = of_a_megabyte();
    let long = "x".repeat(100_000);
    let many = |first: &str, then: &str| [&[first][..], &[then; 20][..]].concat().join(",");
    let chat = many(
        &format!(r#"{{"role":"user","content":"{long}"}}"#),
        r#"{"role":"assistant","content":"x"}"#,
    );
    let steps = many(
        &format!(r#"{{"step_id":1,"source":"user","message":"{long}"}}"#),
        r#"{"step_id":2,"source":"agent","message":"x"}"#,
    );
    let logs = [
        (Format::OpenAiChat, format!(r#"{{"messages":[{chat}]}}"#)),
        (
            Format::Tau2,
            format!(
                r#"{{"id":"a","task_id":"t","termination_reason":"user_stop","messages":[{chat}]}}"#
            ),
        ),
        (
            Format::Atif,
            format!(r#"{{"schema_version":"ATIF-v1.6","agent":{{}},"steps":[{steps}]}}"#),
        ),
    ];
    for (format, text) in logs {
        assert_eq!(all(&text, format, &options).unwrap().len(), 1, "{format}");
        check_too_large(&text, format, &ReadOptions { requests: true, ..options });
    }
}

#[test]
fn a_key_that_occurs_twice_is_an_error_where_it_is_read() {
    let twice = |key: &str| Problem::DuplicateKey { key: key.to_owned() };
    let (found, place) = problem(log(r#"{"id":1,"epoch":1,"epoch":2}"#));
    assert_eq!((found, place.field.as_str()), (twice("epoch"), "samples[0].epoch"));
    assert_eq!(problem(log(r#"{"id":1,"id":1,"epoch":1}"#)).0, twice("id"));
    assert_eq!(problem(log(r#"{"id":1,"\u0069d":1,"epoch":1}"#)).0, twice("id"));
    assert_eq!(problem_of_value(r#"{"k":1,"k":1}"#), twice("k"));
    let scores = r#"{"id":1,"epoch":1,"scores":{"s":{"value":1},"s":{"value":0}}}"#;
    assert_eq!(problem(log(scores)).0, twice("s"));
    let usage = r#"{"id":1,"epoch":1,"model_usage":{"m":{"input_tokens":1},"m":{}}}"#;
    assert_eq!(problem(log(usage)).0, twice("m"));
    // Keys that nobody reads are not looked at.
    assert_eq!(runs(log(r#"{"id":1,"epoch":1,"unread":1,"unread":2}"#)).len(), 1);
    assert_eq!(problem(log("") + "{}").0, Problem::Trailing);
}

#[test]
fn half_of_a_surrogate_pair_is_an_error_and_a_pair_is_a_letter() {
    for half in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud800x", r"\ud83d\n"] {
        assert_eq!(problem_of_value(&format!("\"{half}\"")), Problem::LoneSurrogate, "{half}");
    }
    let text = log(r#"{"id":"\ud83d\ude00","epoch":1}"#);
    assert_eq!(runs(text)[0].id, "\u{1F600}");
}

#[test]
fn bytes_that_are_not_utf_8_are_an_error_where_they_are_read() {
    let mut text = log(r#"{"id":"x","epoch":1}"#).into_bytes();
    let at = text.iter().rposition(|&byte| byte == b'x').unwrap();
    text[at] = 0xff;
    assert_eq!(problem(text).0, Problem::NotUtf8);
}

#[test]
fn nan_is_a_missing_score_and_an_error_in_a_count() {
    let scored = |value: &str| {
        let text = log(&format!(r#"{{"id":1,"epoch":1,"scores":{{"s":{{"value":{value}}}}}}}"#));
        runs(text).remove(0).scores["s"].value.clone()
    };
    assert_eq!(scored("NaN"), Value::Null);
    assert_eq!(scored(r#"{"a":NaN,"b":[1,NaN]}"#), {
        let list = Value::List(vec![1.into(), Value::Null]);
        Value::Map([("a".to_owned(), Value::Null), ("b".to_owned(), list)].into())
    });
    assert_eq!(scored("-Infinity"), Value::Real(f64::NEG_INFINITY));
    let (found, place) = problem(log(r#"{"id":1,"epoch":NaN}"#));
    assert!(matches!(found, Problem::Value { value, .. } if value == "NaN"));
    assert_eq!(place.field, "samples[0].epoch");
    let (found, _) = problem(log(r#"{"id":1,"epoch":1,"scores":{"s":{"value":nan}}}"#));
    assert!(matches!(found, Problem::Syntax { .. }), "{found:?}");
    assert_eq!(problem_of_value("1e400"), Problem::NumberRange { text: "1e400".to_owned() });
}

#[test]
fn a_field_of_the_wrong_type_is_named_with_its_sample_and_path() {
    let output = r#"{"id":"a","epoch":2,"events":[{"event":"info"},{"event":"model","output":{"choices":[{"message":{"content":"x","tool_calls":[{"id":"c","function":7}]}}]}}]}"#;
    let error = all(log(output), Format::Inspect, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample a, epoch 2: samples[0].events[1].output.choices[0].message.tool_calls[0].function: \
         expected a string, found a number"
    );
    let cases = [
        (r#"{"id":1,"epoch":-1}"#, "samples[0].epoch"),
        (r#"{"epoch":1}"#, "samples[0].id"),
        (r#"{"id":1}"#, "samples[0].epoch"),
        (r#"{"id":1,"epoch":1,"limit":{"limit":1}}"#, "samples[0].limit.type"),
        (r#"{"id":1,"epoch":1,"scores":[]}"#, "samples[0].scores"),
        (
            r#"{"id":1,"epoch":1,"model_usage":{"a.b":{"output_tokens":1.5}}}"#,
            "samples[0].model_usage.\"a.b\".output_tokens",
        ),
        (
            r#"{"id":1,"epoch":1,"model_usage":{"m":{"total_cost":-0.5}}}"#,
            "samples[0].model_usage.m.total_cost",
        ),
        (r#"[]"#, "samples[0]"),
    ];
    for (sample, field) in cases {
        assert_eq!(problem(log(sample)).1.field, field, "{sample}");
    }
}

#[test]
fn a_log_without_its_head_or_with_samples_before_it_is_an_error() {
    assert_eq!(problem(r#"{"version":2,"samples":null}"#).0, Problem::Missing);
    let (found, _) = problem(r#"{"samples":[{"id":1,"epoch":1}],"eval":{"task":"t"}}"#);
    assert!(matches!(found, Problem::Unsupported { .. }), "{found:?}");
    // After an error there are no more runs.
    let text = log(r#"{"id":1,"epoch":1},{"id":2},{"id":3,"epoch":1}"#);
    let runs = read(Cursor::new(text), Format::Inspect, &ReadOptions::default()).unwrap();
    let read: Vec<bool> = runs.map(|run| run.is_ok()).collect();
    assert_eq!(read, [true, false]);
}

/// The first record of a file whose format is not given.
fn first_record(text: &[u8]) -> (Option<Problem>, Place) {
    match read(Cursor::new(text), Format::Auto, &ReadOptions::default()).unwrap_err() {
        Error::UnknownFormat { problem, place, .. } => (problem, *place),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fault_before_the_format_is_recognized_is_named_with_line_and_field() {
    let deep = format!(r#"{{"note":{}"#, "[".repeat(100_000));
    let cases: [(&[u8], Problem, &str); 6] = [
        (br#"{"note":"\ud800","messages":[]}"#, Problem::LoneSurrogate, "note"),
        (b"{\"note\":\"\xff\",\"messages\":[]}", Problem::NotUtf8, "note"),
        (deep.as_bytes(), Problem::TooDeep { limit: 128 }, "note[0]"),
        (br#"{"note":1"#, Problem::Truncated, ""),
        (br#"{"note":1 2}"#, Problem::Syntax { expected: "a comma or `}`" }, ""),
        (br#"[{"note":nul}]"#, Problem::Syntax { expected: "a value" }, "[0].note"),
    ];
    for (text, expected, field) in cases {
        let text = [b"\n", text].concat();
        let (problem, place) = first_record(&text);
        let shown = String::from_utf8_lossy(&text[..40.min(text.len())]).into_owned();
        assert_eq!(problem, Some(expected), "{shown}");
        assert_eq!((place.line, place.field.as_str()), (Some(2), field), "{shown}");
    }
    // Text that is no object, and valid objects of other kinds, have no fault; neither has an object
    // that goes on after the bytes that are looked at.
    let long = format!(r#"{{"note":"{}"}}"#, "é".repeat(100_000));
    for text in ["", "a,b\n1,2\n", "[section]\nkey = 1\n", "{}", r#"{"note":1}"#, &long] {
        assert_eq!(first_record(text.as_bytes()), (None, Place::default()), "{text:.40}");
    }
}

#[test]
fn a_first_record_with_a_value_of_the_wrong_type_is_an_error_at_that_field() {
    let cases = [
        (r#"{"id":"a","outcome":true,"turns":5}"#, "turns"),
        (r#"{"id":"a","outcome":true,"turns":[7]}"#, "turns[0]"),
        (r#"{"id":"a","outcome":"yes","turns":[{"response":null}]}"#, "outcome"),
        (
            r#"{"id":"a","outcome":true,"turns":[{"response":{"choices":5}}]}"#,
            "turns[0].response.choices",
        ),
        (r#"{"id":"a","model":"m","usage":{},"choices":5}"#, "choices"),
        (r#"{"version":2,"status":"success","eval":"t","samples":[]}"#, "eval"),
        (r#"{"schema_version":1.6,"agent":{"name":"n"},"steps":[]}"#, "schema_version"),
        (r#"{"schema_version":"ATIF-v1.6","agent":{"name":"n"},"steps":5}"#, "steps"),
        (r#"{"task_name":"t","trial_name":5,"trial_uri":"u"}"#, "trial_name"),
        (r#"{"info":{},"tasks":[],"simulations":5}"#, "simulations"),
    ];
    for (text, field) in cases {
        let (place, problem) = fault(all(text, Format::Auto, &ReadOptions::default()));
        assert!(matches!(problem, Problem::Type { .. }), "{text}: {problem}");
        assert_eq!(place.field, field, "{text}");
    }
    // The first run of a recording may have failed before its first turn.
    let text = r#"{"id":"a","outcome":null,"turns":[]}"#;
    let runs = read(Cursor::new(text), Format::Auto, &ReadOptions::default()).unwrap();
    assert_eq!(runs.format(), Format::Exchanges);
    assert_eq!(runs.map(|run| run.unwrap().turns.len()).collect::<Vec<_>>(), [0]);
}

/// A copy with changes in up to four places: bytes are removed, repeated, cut off, or replaced by a word.
fn mutant(bytes: &[u8], random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let words = r#"null true NaN -1 1e308 99999999999999999999 18446744073709551615 {} [] "" "\ud800" \ud800 [[[ { ] " , : 0"#;
    let words: Vec<&str> = words.split(' ').collect();
    let mut mutant = bytes.to_vec();
    for _ in 0..=random(3) {
        let at = random(mutant.len() + 1);
        let end = (at + random(40)).min(mutant.len());
        let word = words[random(words.len())].bytes();
        match random(7) {
            0 => mutant.truncate(at),
            1 => _ = mutant.drain(at..end),
            2 => mutant.extend_from_within(at..end),
            3 => {
                _ = mutant
                    .splice(at..at, bytes[at.min(bytes.len())..end.min(bytes.len())].to_vec());
            }
            4 => _ = mutant.splice(at..end, word),
            5 => _ = mutant.splice(at..end, [random(256) as u8]),
            // A value in the place of another one.
            _ => {
                let colon = mutant[at..].iter().position(|byte| *byte == b':');
                let start = colon.map_or(at, |colon| at + colon + 1);
                let end = mutant[start..].iter().position(|byte| b",}]".contains(byte));
                let end = end.map_or(mutant.len(), |end| start + end);
                mutant.splice(start..end, word);
            }
        }
    }
    mutant
}

#[test]
fn changed_logs_of_agents_and_changed_spans_are_read_or_are_errors() {
    const AGENTS: [Format; 5] = [
        Format::MiniSweAgent,
        Format::GeminiCli,
        Format::OpenCode,
        Format::LangChain,
        Format::LmEval,
    ];
    let limits = ReadLimits { max_run: 1 << 24, max_string: 1 << 16, ..ReadLimits::default() };
    let options = ReadOptions { requests: true, ..limited(limits) };
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    // By folder and format, how many are read and how many are errors.
    let mut counts = BTreeMap::<_, [u32; 2]>::new();
    let mut files = ["agents", "otlp", "sessions"].map(|folder| (folder, golden(folder))).to_vec();
    while let Some((folder, path)) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).unwrap().map(|it| (folder, it.unwrap().path())));
            continue;
        }
        let name = path.to_str().unwrap();
        // All other files are logs.
        let no_logs = [".md", ".py", ".expected.json", ".meta.json", "served.jsonl"];
        if no_logs.iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let is_of_agent = folder == "agents";
        let bytes = match path.extension().is_some_and(|ending| ending == "gz") {
            true => unpacked(name).into_bytes(),
            false => fs::read(&path).unwrap(),
        };
        let bytes = if is_of_agent { &bytes[..bytes.len().min(8_000)] } else { &bytes[..] };
        let own = || match read(Cursor::new(bytes), Format::Auto, &options) {
            Ok(runs) => runs.format(),
            Err(error) => panic!("{name}: {error}"),
        };
        let formats = if is_of_agent { AGENTS.to_vec() } else { vec![own()] };
        for format in formats.iter().cycle().take(formats.len() * 200) {
            let [n_read, n_errors] = counts.entry((folder, *format)).or_default();
            let Ok(runs) = all(mutant(bytes, &mut random), *format, &options) else {
                *n_errors += 1;
                continue;
            };
            *n_read += 1;
            // A time is a finite number of at least 0.
            for run in runs {
                let calls = run.turns.iter().filter_map(|turn| turn.reply.as_ref());
                let calls = calls.flat_map(|reply| &reply.tool_calls).map(|call| call.seconds);
                let times = calls.chain(run.turns.iter().map(|turn| turn.seconds));
                let mut times = times.chain([run.seconds]).flatten();
                assert!(times.all(|time| time.is_finite() && time >= 0.0), "{format}: {run:?}");
            }
        }
    }
    println!("mutants that were read and that are errors: {counts:?}");
    assert!(counts.values().flatten().all(|count| *count > 0), "{counts:?}");
    let [n_read, n_errors] = [0, 1].map(|at| counts.values().map(|it| it[at]).sum::<u32>());
    assert!(n_read > 1_000 && n_errors > 4_000, "{n_read} {n_errors}");
}
