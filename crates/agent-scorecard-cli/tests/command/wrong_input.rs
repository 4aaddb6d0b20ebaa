//! Wrong files, options and words: exit code 2, nothing on standard output, no file written, and one line
//! that says where the fault is and what would be right.

use std::{fs, path::Path};

use crate::program::{in_folder, line_of, refusal, run_words_in};

const TRACE: &str = r#"{"id":"a","task":"t","forecasts":[0.5,0.6],"outcome":true}"#;
const ROLLOUT: &str =
    r#"{"id":"a","turns":[{"output_tokens":5},{"output_tokens":5}],"success":true}"#;
const PROBLEM: &str = r#"{"problem":"a","solved":true,"output_tokens":5}"#;
/// A log of inspect_ai whose head gives its scorers no order.
const INSPECT: &str = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"scores":SCORES}]}"#;

/// Files with this second line after a valid first one.
const SECOND_LINES: [(&str, &str, &str); 11] = [
    ("truncated", TRACE, r#"{"id":"b","forecasts":[0.5"#),
    ("outside", TRACE, r#"{"id":"b","forecasts":[0.5,1.5],"outcome":true}"#),
    ("below", TRACE, r#"{"id":"b","forecasts":[0.5,-0.5],"outcome":true}"#),
    ("word", TRACE, r#"{"id":"b","forecasts":["high"],"outcome":true}"#),
    ("outcome", TRACE, r#"{"id":"b","forecasts":[0.5],"outcome":"yes"}"#),
    ("no_outcome", TRACE, r#"{"id":"b","forecasts":[0.5]}"#),
    ("no_forecast", TRACE, r#"{"id":"b","forecasts":[],"outcome":true}"#),
    ("horizon", TRACE, r#"{"id":"b","forecasts":[0.5],"outcome":true,"horizon":0}"#),
    ("list", TRACE, "[1,2]"),
    ("no_turns", ROLLOUT, r#"{"id":"b","turns":[],"success":true}"#),
    ("free", PROBLEM, r#"{"problem":"b","solved":true,"output_tokens":0}"#),
];

const FILES: [(&str, &str); 10] = [
    ("negative.jsonl", r#"{"id":"b","turns":[{"output_tokens":-5}],"success":true}"#),
    ("rollouts.jsonl", ROLLOUT),
    ("problems.jsonl", PROBLEM),
    ("estimates.jsonl", r#"{"id":"zz","turn":1,"answer":"[1,2]"}"#),
    ("queries.json", r#"[{"query_id":"p","task":"cooking"}]"#),
    ("plans.jsonl", r#"{"pool":7,"answer":"{}"}"#),
    ("paths.jsonl", r#"{"id":"a","task":"t","agent_calls":[],"success":true}"#),
    ("no_log.txt", "hello\n"),
    ("empty.jsonl", ""),
    ("cut.eval", "PK\x03\x04abcdef"),
];

/// A call, the start of its error, and what would be right.
const CASES: &str = r#"
traces nowhere.jsonl | nowhere.jsonl: | No such file
traces folder | folder: | the folder has no files
traces empty.jsonl | empty.jsonl: | one JSON object per line
traces truncated.jsonl | truncated.jsonl:2: field forecasts: | the line is cut off
traces outside.jsonl | outside.jsonl:2: field forecasts[1]: 1 of | --percent
traces below.jsonl | below.jsonl:2: field forecasts[1]: -0.5 | --missing
traces word.jsonl | word.jsonl:2: field forecasts[0]: | expected f64
traces outcome.jsonl | outcome.jsonl:2: field outcome: | expected true, false or a score
traces no_outcome.jsonl | no_outcome.jsonl:2: | missing field `outcome`
traces no_forecast.jsonl | no_forecast.jsonl:2: field forecasts: | at least one
traces horizon.jsonl | horizon.jsonl:2: field horizon: | at least the 1 steps
traces list.jsonl | list.jsonl:2: | is not a JSON object
traces utf8.jsonl | utf8.jsonl:2: field id: | invalid unicode
traces --change outside.jsonl | outside.jsonl:2: field forecasts[1]: | --percent
cut-off outcome.jsonl | outcome.jsonl:2: field outcome: | expected true, false or a score
budget negative.jsonl | negative.jsonl:1: field turns[0].output_tokens: | from 0
budget no_turns.jsonl | no_turns.jsonl:2: field turns: | at least one
budget rollouts.jsonl --estimator estimates.jsonl | estimates.jsonl:1: field id: | no run is called "zz"
costbench --queries queries.json | queries.json:1: field [0].task: | one of location, transportation
triage free.jsonl | free.jsonl:2: field output_tokens: | at least 1
triage problems.jsonl --planner plans.jsonl | plans.jsonl:1: field pool: | the last is 0
paths paths.jsonl | paths.jsonl:1: | missing field `expected_calls`
traces scorers.json | scorers.json | letter, number; name one with --scorer
traces scorers.json --scorer lettr | --scorer: | there are letter, number
convert scorers.json --to problems | scorers.json | name one with --scorer
compare marks.json | marks.json | are from 7 to 7, beyond 0 to 1; give the range
logs no_log.txt | no_log.txt: | known formats: inspect
logs cut.eval | cut.eval: | truncated
 | give a subcommand | --help
trace | unrecognized subcommand 'trace'; tip: | 'traces'
traces --seed | a value is required for '--seed <N>' | --help
traces --resample 9 | unexpected argument '--resample' found; | a similar argument exists: '--resamples'
traces --json --markdown | the argument '--json' cannot be used with | --help
traces --html nowhere/page.html | nowhere/page.html | No such file
traces --plot figure.gif | invalid value 'figure.gif' for '--plot < | .svg or .png
traces --fail-if tps_log | invalid value 'tps_log' | KEY < NUMBER
traces --fail-if 'tps_lgo < 1' | --fail-if: tps_lgo: | the columns in files have assumptions, aurc
compare --score-range 9..1 | invalid value '9..1' | LO..HI with LO below HI
compare --at-limit scored | invalid value 'scored' | graded, failed, unknown
costbench --level 9 | unexpected argument '--level' | --help
costbench --block storm | invalid value 'storm' for '--block | ban-tool
budget --resource money |  | field turns[0].money: missing
budget --plot-id zz --plot x.svg | --plot-id: | has the id "zz"
triage --planner magic | magic: | No such file
triage --alpha -1 | invalid value '-1' for '--alpha | above 0
logs --format xml | invalid value 'xml' for '--format | tau2
convert | the following required arguments | --to <KIND>
convert --to runs --output never.jsonl | invalid value 'runs' | traces, rollouts
convert --to traces --stream x --output never.jsonl | invalid value 'x' for '--stream | stated_confidence
convert --to traces --stream entropy --output never.jsonl |  | no run can be converted
convert --to atif | --to atif: | give --output FOLDER
convert --to paths --output never.jsonl |  | no run can be converted
completions tcsh | invalid value 'tcsh' for '<SHELL>' | bash, elvish, fish
budget /dev/zero | /dev/zero | is a pipe, a socket or a device; give a regular file
triage /dev/zero | /dev/zero | is a pipe, a socket or a device; give a regular file
"#;

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_would_be_right() {
    let folder = in_folder("wrong");
    let folder = Path::new(&folder);
    fs::create_dir_all(folder.join("folder")).unwrap();
    for (name, first, second) in SECOND_LINES {
        fs::write(folder.join(format!("{name}.jsonl")), format!("{first}\n{second}\n")).unwrap();
    }
    for (name, text) in FILES {
        fs::write(folder.join(name), text).unwrap();
    }
    for (name, scores) in [
        ("scorers.json", r#"{"letter":{"value":"C"},"number":{"value":1}}"#),
        ("marks.json", r#"{"marks":{"value":7}}"#),
    ] {
        fs::write(folder.join(name), INSPECT.replace("SCORES", scores)).unwrap();
    }
    let invalid = [TRACE.as_bytes(), b"\n{\"id\":\"\xff\"}"].concat();
    fs::write(folder.join("utf8.jsonl"), invalid).unwrap();
    let cases: Vec<&str> = CASES.lines().skip(1).collect();
    assert_eq!(cases.len(), 55);
    for case in cases {
        let [call, place, hint] = case.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        let words = line_of(call);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let error = refusal(&run_words_in(folder, &words), call);
        assert!(error.starts_with(&format!("error: {place}")), "{call}: {error}");
        assert!(error.contains(hint), "{call}: {error}");
    }
    for name in ["nowhere", "never.jsonl", "figure.gif", "x.svg"] {
        assert!(!folder.join(name).exists(), "{name}");
    }
}
