//! Wrong files, options and words: exit code 2, nothing on standard output, no file written, and one line
//! that says where the fault is and what would be right.

use std::{fs, path::Path};

use crate::program::{in_folder, line_of, refusal, run_words_in};

const TRACE: &str = r#"{"id":"a","task":"t","forecasts":[0.5,0.6],"outcome":true}"#;
const ROLLOUT: &str =
    r#"{"id":"a","turns":[{"output_tokens":5},{"output_tokens":5}],"success":true}"#;
const PROBLEM: &str = r#"{"problem":"a","solved":true,"output_tokens":5}"#;
const LOG: &str = r#"{"id":"a","outcome":true,"turns":[{"response":{"choices":[{"message":{"content":"<confidence>0.8</confidence>"}}]}}]}"#;
/// A log of inspect_ai whose head gives its scorers no order.
const INSPECT: &str = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"scores":SCORES}]}"#;

/// Files with this second line after a valid first one.
const SECOND_LINES: [(&str, &str, &str); 16] = [
    ("truncated", TRACE, r#"{"id":"b","forecasts":[0.5"#),
    ("outside", TRACE, r#"{"id":"b","forecasts":[0.5,1.5],"outcome":true}"#),
    ("below", TRACE, r#"{"id":"b","forecasts":[0.5,-0.5],"outcome":true}"#),
    ("word", TRACE, r#"{"id":"b","forecasts":["high"],"outcome":true}"#),
    ("outcome", TRACE, r#"{"id":"b","forecasts":[0.5],"outcome":"yes"}"#),
    ("no_outcome", TRACE, r#"{"id":"b","forecasts":[0.5]}"#),
    ("no_forecast", TRACE, r#"{"id":"b","forecasts":[],"outcome":true}"#),
    ("horizon", TRACE, r#"{"id":"b","forecasts":[0.5],"outcome":true,"horizon":0}"#),
    ("list", TRACE, "[1,2]"),
    ("same_id", TRACE, r#"{"id":"a","forecasts":[0.5],"outcome":false}"#),
    ("two", TRACE, r#"{"id":"b","forecasts":[1],"outcome":true} {"id":"c"}"#),
    ("log_type", LOG, r#"{"id": "b", "turns": [{"response": {"choices": 5}}]}"#),
    ("log_cut", LOG, r#"{"id": "b", "turns": [{"response": {"#),
    (
        "log",
        LOG,
        r#"{"id":"b","outcome":true,"turns":[{"response":{"choices":[{"message":{"content":"No."}}]}}]}"#,
    ),
    ("no_turns", ROLLOUT, r#"{"id":"b","turns":[],"success":true}"#),
    ("free", PROBLEM, r#"{"problem":"b","solved":true,"output_tokens":0}"#),
];

const FILES: [(&str, &str); 19] = [
    ("negative.jsonl", r#"{"id":"b","turns":[{"output_tokens":-5}],"success":true}"#),
    ("rollouts.jsonl", ROLLOUT),
    ("problems.jsonl", PROBLEM),
    ("estimates.jsonl", r#"{"id":"zz","turn":1,"answer":"[1,2]"}"#),
    ("queries.json", r#"[{"query_id":"p","task":"cooking"}]"#),
    ("plans.jsonl", r#"{"pool":7,"answer":"{}"}"#),
    ("paths.jsonl", r#"{"id":"a","task":"t","agent_calls":[],"success":true}"#),
    ("no_log.txt", "hello\n"),
    ("empty.jsonl", ""),
    ("blank.jsonl", "\n"),
    ("none.csv", "question,answer,conf,ok\n1,2,0.5,1\n"),
    ("no_outcome.csv", "id,confidence,ok\na,0.5,1\n"),
    ("marks.csv", "id,confidence,score\na,0.5,1\nb,0.5,7\n"),
    ("prose.jsonl", "this is not JSON\n"),
    ("one.jsonl", r#"{"id":"a","task":"t","forecasts":[0.5],"outcome":true}"#),
    ("taskless.jsonl", r#"{"id":"a","forecasts":[0.5],"outcome":true}"#),
    ("broken.jsonl", r#"{"id":"d","forecasts":[0.5],"outcome":null,"stop":"parse_error"}"#),
    ("unsolved.jsonl", r#"{"problem":"u","solved":0,"output_tokens":1}"#),
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
traces scorers.json --scorer lettr | --scorer: | known scorers: letter, number
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
traces --fail-if 'tps_lgo < 1' | --fail-if: tps_lgo: | the keys of the columns in files are assumptions, aurc
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
traces prose.jsonl | prose.jsonl:1: | give one object per line
traces two.jsonl | two.jsonl:2: | goes on after the end of its JSON value
traces taskless.jsonl --cluster-by task-only | taskless.jsonl:1: field task: missing | --cluster-by task-only needs a task
traces taskless.jsonl --calibrate platt | taskless.jsonl: | no model can be fitted to the runs outside fold 0
traces --change taskless.jsonl | taskless.jsonl: runs cannot be cross-fitted | --halves runs
traces --change one.jsonl | one.jsonl: runs cannot be cross-fitted | --halves runs
traces --change --resamples 1 | --change: needs Platt scaling | at least 2 --resamples
traces --change --curves | the argument '--change' cannot be used with | --help
traces --resamples 18446744073709551615 | invalid value '18446744073709551615' for '--resamples < | up to 1000000
traces --resamples 100000000000 | invalid value '100000000000' for '--resamples < | up to 1000000
traces --resamples -1 | invalid value '-1' for '--resamples < | up to 1000000
traces --schedule front | invalid value 'front' for '--schedule < | no weight schedule is called "front"
traces --summary first | invalid value 'first' for '--summary < | no summary is called "first"
traces --calibrate magic | invalid value 'magic' for '--calibrate < | [possible values: none, platt, isotonic]
traces --cluster-by day | invalid value 'day' for '--cluster-by < | [possible values: task, task-only, run]
traces --seed one | invalid value 'one' for '--seed < | from 0 to
traces --missing guess | invalid value 'guess' for '--missing < | carry-forward-from=P with P from 0 to 1
cut-off same_id.jsonl --plot x.svg | same_id.jsonl:2: field id: | already in line 1
cut-off broken.jsonl --plot x.svg | --plot: nothing to draw | no figure of these files has a point
cut-off --plot nowhere/picture.svg | nowhere/picture.svg | No such file
cut-off --schedule front | invalid value 'front' for '--schedule < | no weight schedule is called "front"
cut-off --assume hope | invalid value 'hope' for '--assume < | non-informative
cut-off --odds-ratio 0.5 | invalid value '0.5' for '--odds-ratio < | at least 1
cut-off --hide 1.5 | invalid value '1.5' for '--hide < | from 0 to 1
cut-off --min-valid 0 | invalid value '0' for '--min-valid < | at least 1
cut-off --calibrate wish | invalid value 'wish' for '--calibrate < | platt
cut-off --resamples 9999999999 | invalid value '9999999999' for '--resamples < | 1000000
budget prose.jsonl | prose.jsonl:1: | give one object per line
budget empty.jsonl | empty.jsonl: | is empty
budget --estimator magic | --estimator: magic: there is no such file | quantile-forest, conformal, quantile, linear
budget --points | --points: | give --estimator FILE too
budget --lenient --estimator quantile | --lenient: | give --estimator FILE too
budget --plot-id run-1 | --plot-id: | give --plot FILE
budget --keys model,,task | invalid value '' for '--keys < | with commas between them
budget --cap -1 | invalid value '-1' for '--cap < | from 0 to 1e100
budget --cap nan | invalid value 'nan' for '--cap < | from 0 to 1e100
budget --coverage 1 | invalid value '1' for '--coverage < | between 0 and 1
budget --resource output_tokens, | invalid value 'output_tokens,' for '--resource < | with commas between them
budget --warm-up few | invalid value 'few' for '--warm-up < | a whole number
budget rollouts.jsonl --probes 1 | rollouts.jsonl:1: achieved: missing | --probes needs it
budget rollouts.jsonl --cluster-by task-only | rollouts.jsonl:1: task: missing | --cluster-by task-only needs it
costbench --queries nowhere.json | nowhere.json: | No such file
costbench --refinement-level -1 | invalid value '-1' for '--refinement-level < | from 0 to 10
costbench --refinement-level 11 | invalid value '11' for '--refinement-level < | from 0 to 10
costbench --refinement-level two | invalid value 'two' for '--refinement-level < | from 0 to 10
costbench --seed -1 | invalid value '-1' for '--seed < | from 0 to
costbench --seed 1.5 | invalid value '1.5' for '--seed < | from 0 to
costbench --noise-std -0.1 | --noise-std: noise is -0.1 | from 0 to 1e9
costbench --noise-std NaN | --noise-std: noise is NaN | from 0 to 1e9
costbench --noise-std inf | --noise-std: noise is inf | from 0 to 1e9
costbench --min-cost -1 | --min-cost: | from 0 to 1e9
costbench --min-cost nan | --min-cost: | from 0 to 1e9
costbench --min-cost 26 | --min-cost and --max-cost: | from the lowest atomic cost
costbench --max-cost 14 | --min-cost and --max-cost: | from the lowest atomic cost
costbench --max-cost dear | invalid value 'dear' for '--max-cost < | give a number
costbench --block ban-tool --blocks 0 | --blocks: | give 1 or more
costbench --block ban-tool --blocks 4 | --blocks: | at most 3 of ban-tool
costbench --block cost-change --blocks 21 | --blocks: | at most 20 of cost-change
costbench --block mixed --blocks 4 | --blocks: | at most 3 of mixed
costbench --block none --blocks 2 | --blocks: | name a kind of event
costbench --blocks 2 | --blocks: | name a kind of event
costbench --blocks | a value is required for '--blocks | --help
costbench --rules house | invalid value 'house' for '--rules < | paper, released
costbench --results x.json --checkout nowhere --seed 7 | --results: | the file states tools, costs, events, rules and their seed
costbench --results x.json --checkout nowhere --block ban-tool | --results: | the file states
costbench --results x.json --checkout nowhere --noise-std 1 | --results: | the file states
costbench --results x.json --checkout nowhere --seed 42 | nowhere/env/data | No such file
triage nowhere.jsonl | nowhere.jsonl: | No such file
triage --alpha 0 | invalid value '0' for '--alpha < | above 0
triage --alpha 1.1 | invalid value '1.1' for '--alpha < | at most 1
triage --alpha nan | invalid value 'nan' for '--alpha < | above 0
triage --pool-size 0 | invalid value '0' for '--pool-size < | at least 1
triage --seed -1 | invalid value '-1' for '--seed < | from 0 to
triage --orders 0 | invalid value '0' for '--orders < | from 2 to 1000000
triage --shuffles 1 | invalid value '1' for '--shuffles < | from 2 to 1000000
triage --ratio 0.5 | --ratio: | but none are given
triage --unsolvable unsolved.jsonl --ratio 1.5 | invalid value '1.5' for '--ratio < | from 0 to 1
triage --unsolvable unsolved.jsonl | unsolved.jsonl: unsolvable items: expected | found 1
triage --unsolvable problems.jsonl | problems.jsonl: field solved: | give only problems that were not solved
triage --unsolvable nowhere.jsonl | nowhere.jsonl: | No such file
triage --capped nowhere.jsonl | nowhere.jsonl: | No such file
triage --write-pools nowhere/pools.jsonl | nowhere/pools.jsonl: | No such file
paths prose.jsonl | prose.jsonl:1: | give one object per line
paths blank.jsonl | blank.jsonl: | is empty
play chess | unrecognized subcommand 'chess' | --help
play warehouse --cap 9 | --cap, --resource NAME=CAP: | without --target, runs get budgets of their own
play warehouse --target 9 --probe-method released | the argument '--target | '--probe-method
play warehouse --preset training | unexpected argument '--preset' | --help
play sokoban --mistakes 2 | invalid value '2' for '--mistakes < | from 0 to 1
play sokoban --stop-after 1 | the following required arguments | --ask
play sokoban --resource weeks | --resource: weeks is unknown; | known: fresh_input_tokens, output_tokens, total_tokens, steps
play sokoban --count 0 | invalid value '0' for '--count < | from 1 to 100000
logs bundled:/other.jsonl | bundled:/other.jsonl: | No such file
logs demo_log.jsonl | demo_log.jsonl: | No such file
traces none.csv | none.csv:1: | field confidence: no column has one of the names forecast, confidence, probability, stated_confidence, self_confidence; the columns are question, answer, conf, ok
traces --change none.csv | none.csv:1: | field confidence: no column has one of the names forecast, confidence, probability, stated_confidence, self_confidence; the columns are question, answer, conf, ok
cut-off none.csv | none.csv:1: | field confidence: no column has one of the names forecast, confidence, probability, stated_confidence, self_confidence; the columns are question, answer, conf, ok
compare none.csv | none.csv:1: | field outcome: no column has one of the names outcome
traces no_outcome.csv | no_outcome.csv:1: | field outcome: no column has one of the names outcome, correct, is_correct, success, passed, solved, resolved, score, reward, label; the columns are id, confidence, ok; rename the one that holds it
traces --change no_outcome.csv | no_outcome.csv:1: | field outcome: no column has one of the names outcome, correct, is_correct, success, passed, solved, resolved, score, reward, label; the columns are id, confidence, ok; rename the one that holds it
cut-off no_outcome.csv | no_outcome.csv:1: | field outcome: no column has one of the names outcome, correct, is_correct, success, passed, solved, resolved, score, reward, label; the columns are id, confidence, ok; rename the one that holds it
compare no_outcome.csv | no_outcome.csv:1: | field outcome: no column has one of the names outcome, correct, is_correct, success, passed, solved, resolved, score, reward, label; the columns are id, confidence, ok; rename the one that holds it
traces marks.csv | marks.csv:3: field | --score-range
traces log_type.jsonl | log_type.jsonl: sample b: line 2: turns[0].response.choices: | expected a list, found a number
traces log_cut.jsonl | log_cut.jsonl: sample b: line 2: turns[0].response: | the input ends too early
traces log.jsonl one.jsonl | some files are logs and some are traces | score them separately
traces log.jsonl --missing clip | log.jsonl: run b: | turn 1: the reply states no confidence
traces log.jsonl --missing carry-forward-from=2 | invalid value 'carry-forward-from=2' | P from 0 to 1
traces log.jsonl --confidence loose | invalid value 'loose' for '--confidence < | [possible values: strict, lenient]
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
    assert_eq!(cases.len(), 164);
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
