//! Tables: comma-separated values and rows with a step each, as traces and as outcomes of logs.

use proptest::prelude::*;
use run_logs::{
    ConfidenceScale, Error, FactRules, ForecastPolicy, Outcomes, Repeats, RunTable, StopReason,
    StreamOptions, TraceFile, TraceRules, TraceRun, json_lines::InputError,
};

use crate::common::runs;

fn traces(file: &str, text: impl AsRef<[u8]>) -> Result<Vec<TraceRun>, InputError> {
    let policy = ForecastPolicy::CarryForward;
    TraceFile::read(file, text.as_ref(), policy).map(|file| file.runs.iter().collect())
}

fn shown(runs: &[TraceRun]) -> Vec<String> {
    let of = |run: &TraceRun| {
        let forecasts: Vec<f64> = run.forecasts.iter().map(|it| it.get()).collect();
        let (id, task, line) = (&run.id, run.task.as_deref().unwrap_or("-"), run.line.unwrap());
        format!("{line}: {id} {task} {forecasts:?} {:?}", run.outcome)
    };
    runs.iter().map(of).collect()
}

#[test]
fn rows_of_an_id_in_the_order_of_their_steps_are_one_run_in_the_line_of_the_first() {
    let text = "id,task,step,confidence,outcome,note\n\
        a,t,2,0.5,,\"x, y\"\nb,t,1,0.25,0,\na,t,1.0,.75,TRUE,z\n,,,1,True,\nb,t,2,NA,,\n";
    let found = shown(&traces("runs.csv", text).unwrap());
    let expected = [
        "2: a t [0.75, 0.5] Some(true)",
        "3: b t [0.25, 0.25] Some(false)",
        "5: row-5 - [1.0] Some(true)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn rows_without_a_step_keep_their_order_and_trials_are_runs_of_their_own() {
    let text =
        "\u{feff}ID;Trial;Probability;Outcome\r\n007;1;0.9;1\r\n007;2;0.5;0\r\n007;1;0.1;\r\n";
    let found = shown(&traces("a table", text).unwrap());
    assert_eq!(found, ["2: 007#1 007 [0.9, 0.1] Some(true)", "3: 007#2 007 [0.5] Some(false)"]);
}

#[test]
fn a_row_on_several_lines_and_blank_lines_keep_the_lines_of_errors_right() {
    let text = "id,forecast,outcome\n\"a\nb\",0.5,1\n\n\nc,2,1\n";
    let found = TraceFile::read("f.csv", text.as_bytes(), ForecastPolicy::Refuse).unwrap_err();
    assert_eq!((found.line, found.field.as_deref()), (Some(6), Some("forecast")), "{found}");
}

#[test]
fn json_lines_of_steps_are_runs_and_what_is_not_finite_is_left_to_the_policy() {
    let text = "{\"id\": 7, \"step\": 1, \"forecast\": 0.5, \"outcome\": null, \"stop\": \"max_steps\"}\n\
        {\"id\": 7, \"step\": 2, \"forecast\": NaN, \"outcome\": null, \"stop\": \"max_steps\", \"horizon\": 4}\n";
    let runs = traces("runs.jsonl", text).unwrap();
    assert_eq!(shown(&runs), ["1: 7 - [0.5, 0.5] None"]);
    assert_eq!((runs[0].stop.clone(), runs[0].horizon), (Some(StopReason::MaxSteps), Some(4)));
    let refused = TraceFile::read("f", text.as_bytes(), ForecastPolicy::Refuse).unwrap_err();
    assert_eq!((refused.line, refused.field.as_deref()), (Some(2), Some("forecast")));
}

#[test]
fn a_table_that_is_not_one_of_steps_is_refused_with_its_line_and_column() {
    type Case<'a> = (&'a [u8], Option<usize>, Option<&'a str>, &'a str);
    let cases: [Case<'_>; 18] = [
        (b"id,conf,outcome\na,1,1\n", Some(1), Some("confidence"), "are id, conf, outcome"),
        (b"id,confidence,ok\na,1,1\n", Some(1), Some("outcome"), "columns are id, confidence, ok"),
        (b"id,forecast,confidence,outcome\na,1,1,1\n", Some(1), Some("forecast"), "keep one"),
        (b"id,forecast,outcome,ID\na,1,1,b\n", Some(1), Some("id"), "two columns"),
        (b"id,forecast,outcome\na,85%,1\n", Some(2), Some("forecast"), "such as 0.85"),
        (b"id,forecast,outcome\na,0.5,maybe\n", Some(2), Some("outcome"), "maybe"),
        (b"id,forecast,outcome\na,0.5,2\n", Some(2), Some("outcome"), "--score-range LO..HI"),
        (b"id,forecast,outcome\na,0.5,1\na,0.5,0\n", Some(3), Some("outcome"), "line 2"),
        (b"id,task,forecast,outcome\na,s,1,1\na,t,1,1\n", Some(3), Some("task"), "line 2"),
        (b"id,step,forecast,outcome\na,1,1,1\na,1,0,1\n", Some(3), Some("step"), "twice"),
        (b"id,step,forecast,outcome\na,1,1,1\na,,1,1\n", Some(3), Some("step"), "some have none"),
        (b"id,forecast,outcome\na,0.5\n", Some(2), None, "2 cells, but the first line has 3"),
        (b"id,forecast,outcome\na,0.5,1\n\xff,1,1\n", Some(3), None, "UTF-8"),
        (b"id,forecast,outcom\xe9\na,0.5,1\n", Some(1), None, "UTF-8"),
        (b"forecast,outcome,id\n0.5,1,a\n0.5,1,\"b\n0.5,1,c\n", Some(3), None, "not closed"),
        (b"id,forecast,outcome\n", None, None, "no row"),
        (b"\xff\xfei\0d\0,\0f\0\n\0", Some(1), None, "UTF-8"),
        (b" \n", None, None, "empty"),
    ];
    for (text, line, field, problem) in cases {
        let found = traces("f.csv", text).unwrap_err();
        let text = String::from_utf8_lossy(text);
        assert_eq!((found.line, found.field.as_deref()), (line, field), "{text}: {found}");
        assert!(found.problem.contains(problem), "{text}: {found}");
    }
}

#[test]
fn a_cell_of_many_bytes_is_a_name_like_others() {
    let long = "x\"\"".repeat(200_000);
    let text = format!("id,forecast,outcome\n\"{long}\",1,1\n\"{long}\",0.5,1\n");
    let runs = traces("f.csv", text).unwrap();
    assert_eq!((runs.len(), runs[0].id.len(), runs[0].forecasts.len()), (1, 400_000, 2));
}

/// The runs of a table as [`shown`], and what is said of it.
fn read_table(file: &str, text: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>) {
    let file = TraceFile::read(file, text.as_ref(), ForecastPolicy::CarryForward).unwrap();
    let (mut notes, account) = (file.remarks.notes(), file.account());
    for (what, names) in [("not read", account.columns_not_read), ("alike", account.similar_names)]
    {
        notes.extend((!names.is_empty()).then(|| format!("{what}: {}", names.join("; "))));
    }
    (shown(&file.runs.iter().collect::<Vec<_>>()), notes)
}

#[test]
fn the_outcome_is_that_of_the_column_in_the_note_whatever_the_header_looks_like() {
    let rows = [("r1", "0.9", "0", "1"), ("r2", "0.8", "1", "0"), ("r3", "0.7", "0", "1")];
    let mut tables = Vec::new();
    for end in ["\n", "\r\n", "\r"] {
        for delimiter in [",", ";", "\t"] {
            for other in ["score", "\"score\"", "\" Score \""] {
                for noted in [
                    "notes",
                    "\"no,t;e\ts\"",
                    "\"notes\n(free)\"",
                    "\"notes, correct\r\"",
                    "\"a \"\"b\"\"\"",
                ] {
                    let names =
                        ["\u{feff}id", "confidence", other, noted, "CORRECT"].join(delimiter);
                    let row = |(id, confidence, score, correct): &(&str, &str, &str, &str)| {
                        [*id, confidence, score, "\"x\ny\"", correct].join(delimiter)
                    };
                    let lines = std::iter::once(names).chain(rows.iter().map(row));
                    tables.push(lines.collect::<Vec<_>>().join(end));
                }
            }
        }
    }
    for table in tables {
        for file in ["t.csv", "a table"] {
            let (runs, notes) = read_table(file, &table);
            let outcomes: Vec<bool> = runs.iter().map(|run| run.ends_with("Some(true)")).collect();
            assert_eq!(outcomes, [true, false, true], "{table:?}");
            assert_eq!(notes[0], "outcomes are those of the column CORRECT", "{table:?}");
            let not_read = notes.last().unwrap().to_lowercase();
            assert!(not_read.starts_with("not read: ") && not_read.contains("score"), "{notes:?}");
        }
    }
}

#[test]
fn columns_under_other_names_are_read_and_those_that_are_not_are_said() {
    let text = "Run_ID,instance_id,turn,attempt,confidence,resolved,correct,\n\
        a,t,2,1,0.2,x,1,\na,t,1,1,0.1,x,1,\na,t,1,2,0.3,y,0,\n";
    let (runs, notes) = read_table("t.csv", text);
    assert_eq!(runs, ["2: a#1 t [0.1, 0.2] Some(true)", "4: a#2 t [0.3] Some(false)"]);
    assert_eq!(
        notes,
        [
            "outcomes are those of the column correct",
            "columns read: Run_ID as id, instance_id as task, turn as step, attempt as trial",
            "not read: one without a name; resolved",
        ]
    );
    // Of two names of one column the first counts, and the other is said.
    let (runs, notes) = read_table("t.csv", "task_id,task,confidence,outcome\nu,t,1,1\n");
    assert_eq!(
        (runs[0].as_str(), notes),
        ("2: row-2 t [1.0] Some(true)", vec!["not read: task_id".to_owned()])
    );
    let line = r#"{"id": "a", "task_id": "t", "forecasts": [1], "outcome": true}"#;
    assert_eq!(read_table("t.jsonl", line).1, ["not read: task_id"]);
}

#[test]
fn cells_are_trimmed_and_words_for_a_missing_value_are_missing_in_every_column() {
    let header = "id, task ,model,trial,step,confidence,outcome,stop\n";
    let rows =
        " a , t1 ,NA, 1.0 ,, 0.5 , TRUE ,n/a\nNaN,,nan,1,None,NA,0,\n3.0,4.0,,2.0,,1,1,null\n";
    let (runs, _) = read_table("t.csv", format!("{header}{rows}"));
    let expected = ["2: a#1 t1 [0.5] Some(true)", "4: 3#2 4 [1.0] Some(true)"];
    assert_eq!(runs, expected);
    let lines = "{\"id\": 3.0, \"task\": \" NA \", \"trial\": 2.0, \"confidence\": 1, \"correct\": 1.0}\n\
        {\"id\": \"3.0\", \"task\": NaN, \"trial\": null, \"confidence\": 0.5, \"correct\": 1}\n";
    let (runs, _) = read_table("t.jsonl", lines);
    assert_eq!(runs, ["1: 3#2 3 [1.0] Some(true)", "2: 3 - [0.5] Some(true)"]);
}

#[test]
fn a_row_that_stands_twice_counts_once_unless_all_are_kept() {
    let once = "id,step,confidence,outcome\na,1,0.5,1\na,2,0.5,1\nb,1,0.25,0\n";
    let (_, rows) = once.split_once('\n').unwrap();
    let (runs, notes) = read_table("t.csv", format!("{once}{rows}"));
    assert_eq!(runs, read_table("t.csv", once).0);
    assert_eq!(
        notes,
        [
            "3 rows repeat an earlier row of the same id, step and trial, which counts once; --repeats keep keeps all"
        ]
    );
    let rules = TraceRules { repeats: Repeats::Keep, ..TraceRules::default() };
    let kept = TraceFile::read("t.csv", format!("{once}{rows}").as_bytes(), rules).unwrap();
    assert_eq!((kept.runs.forecasts(0).len(), kept.remarks.notes().len()), (4, 0));

    // Without a step, rows that differ in any cell are steps; equal rows without an id are runs of their own.
    let text = "id,note,confidence,outcome\na,x,0.5,1\na,y,0.5,1\na,x,0.5,1\n,x,1,1\n,x,1,1\n";
    let (runs, notes) = read_table("t.csv", text);
    assert_eq!(
        runs,
        [
            "2: a - [0.5, 0.5] Some(true)",
            "5: row-5 - [1.0] Some(true)",
            "6: row-6 - [1.0] Some(true)"
        ]
    );
    assert_eq!(
        notes,
        [
            "the rows of id a (line 3) have no step or trial: they are read as the steps of one run, in their order",
            "1 row repeats an earlier row of the same id, step and trial, which counts once; --repeats keep keeps all",
            "not read: note",
        ]
    );
}

#[test]
fn the_order_of_the_rows_of_a_table_does_not_matter_to_whether_it_is_read() {
    let text = "{\"id\":\"a\",\"score\":0,\"outcome\":true}\n{\"id\":\"b\",\"confidence\":0.5,\"outcome\":false}\n";
    let file = TraceFile::read("t.jsonl", text.as_bytes(), ForecastPolicy::LeaveOut).unwrap();
    assert_eq!((file.runs.len(), file.without_forecasts.len()), (1, 1));
    // A table without confidences is one of outcomes alone, for who skips what has none.
    for (file, text) in
        [("t.csv", "id,task,outcome\n0,1,1\n"), ("t", "{\"id\":0,\"task\":1,\"outcome\":1}\n")]
    {
        let found = TraceFile::read(file, text.as_bytes(), ForecastPolicy::Skip).unwrap();
        let run = found.without_forecasts.run(0);
        assert_eq!(
            (run.id.as_str(), run.task.as_deref(), run.outcome),
            ("0", Some("1"), Some(true))
        );
        let refused = TraceFile::read(file, text.as_bytes(), ForecastPolicy::Refuse).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("confidence"));
    }
}

#[test]
fn confidences_whose_scale_is_in_doubt_are_refused_unless_the_caller_says_what_they_are() {
    // Lines of runs, and a table in both forms, with # for the number of a run and $ for its confidence.
    let forms = [
        ("f", "", r##"{"id": "#", "forecasts": [$], "outcome": true}"##),
        ("f.csv", "id,confidence,correct\n", "#,$,1"),
        ("f.jsonl", "", r##"{"id": #, "confidence": $, "correct": 1}"##),
    ];
    let texts = |values: &[&str]| {
        forms.map(|(file, head, row)| {
            let row = |(i, value): (usize, &&str)| {
                row.replace('#', &i.to_string()).replace('$', value) + "\n"
            };
            (file, head.to_owned() + &values.iter().enumerate().map(row).collect::<String>())
        })
    };
    let doubtful: [&[&str]; 4] = [&["85", "1", "0"], &["1", "100.0"], &["0.5", "85"], &["1", "2"]];
    for values in doubtful {
        for (file, text) in texts(values) {
            for missing in ForecastPolicy::ALL {
                let refused = TraceFile::read(file, text.as_bytes(), missing).unwrap_err();
                assert!(refused.line.is_some() && refused.field.is_some(), "{refused}");
                assert!(
                    refused.problem.contains("--percent")
                        && refused.problem.contains("above 1, from"),
                    "{refused}"
                );
                let rules = TraceRules { scale: ConfidenceScale::Percent, ..missing.into() };
                let found = TraceFile::read(file, text.as_bytes(), rules).unwrap();
                let read: Vec<f64> = found.runs.iter().map(|run| run.forecasts[0].get()).collect();
                let expected: Vec<f64> =
                    values.iter().map(|it| it.parse::<f64>().unwrap() / 100.0).collect();
                assert_eq!(read, expected);
                assert!(found.remarks.notes().iter().any(|note| note.contains("percentages")));
            }
            let rules =
                TraceRules { scale: ConfidenceScale::Share, ..ForecastPolicy::LeaveOut.into() };
            let found = TraceFile::read(file, text.as_bytes(), rules).unwrap();
            assert!(found.runs.len() < values.len());
        }
    }
    for values in [&["0.5", "1", "0"][..], &["1.0000001", "0.5"]] {
        for (file, text) in texts(values) {
            assert!(TraceFile::read(file, text.as_bytes(), ForecastPolicy::Clip).is_ok());
            let rules = TraceRules { scale: ConfidenceScale::Percent, ..TraceRules::default() };
            let refused = TraceFile::read(file, text.as_bytes(), rules).unwrap_err();
            assert!(refused.problem.contains("without --percent"), "{refused}");
        }
    }
}

proptest! {
    #[test]
    fn a_table_is_read_as_the_lines_of_its_runs(
        runs in prop::collection::vec((prop::collection::vec(0.0..=1.0, 1..4), any::<bool>()), 1..9),
        order in any::<prop::sample::Index>(),
    ) {
        let mut rows = Vec::new();
        let mut lines = String::new();
        for (run, (forecasts, outcome)) in runs.iter().enumerate() {
            lines += &format!("{{\"id\":\"{run}\",\"forecasts\":{forecasts:?},\"outcome\":{outcome}}}\n");
            for (step, forecast) in forecasts.iter().enumerate() {
                rows.push(format!("{forecast},{step},{run},{outcome}"));
            }
        }
        let at = order.index(rows.len());
        rows.rotate_left(at);
        let table = format!("confidence,step,id,outcome\n{}", rows.join("\r\n"));
        let sorted = |mut runs: Vec<TraceRun>| {
            runs.iter_mut().for_each(|run| run.line = None);
            runs.sort_by(|a, b| a.id.cmp(&b.id));
            runs
        };
        let (table, lines) = (traces("t.csv", table).unwrap(), traces("t.jsonl", lines).unwrap());
        prop_assert_eq!(sorted(table), sorted(lines));
    }

    #[test]
    fn no_bytes_of_a_table_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cells in "[,;\"\n\r ida1.{}\\[\\]]{0,80}") {
        for file in ["f.csv", "f"] {
            let _ = traces(file, [b"id,forecast,outcome\n", &bytes[..]].concat());
            let _ = traces(file, &bytes);
            let _ = traces(file, &cells);
            let _ = Outcomes::read(file, &bytes[..]);
            let _ = Outcomes::read(file, cells.as_bytes());
        }
    }
}

/// A log of two models, each with two trials of task t and one of task u.
fn log() -> String {
    let mut log = String::new();
    for model in ["m", "n"] {
        for (task, trial) in [("t", 0), ("t", 1), ("u", 0)] {
            log += &format!(
                "{{\"id\": \"{task}\", \"task\": \"{task}\", \"trial\": {trial}, \"outcome\": false, \
                 \"turns\": [{{\"response\": {{\"model\": \"{model}\", \"choices\": []}}}}]}}\n"
            );
        }
    }
    log
}

fn joined(file: &str, text: &str) -> Result<(RunTable, Outcomes), Error> {
    joined_to(&log(), file, text)
}

fn joined_to(log: &str, file: &str, text: &str) -> Result<(RunTable, Outcomes), Error> {
    let mut outcomes = Outcomes::read(file, text.as_bytes())?;
    let (runs, rules) = (runs(log).into_iter().map(Ok), FactRules::default());
    let table = RunTable::with_outcomes(runs, &mut outcomes, &rules, &StreamOptions::default())?;
    Ok((table, outcomes))
}

fn succeeded(table: &RunTable) -> Vec<String> {
    let rows = table.rows().iter().filter(|row| row.outcome == Some(true));
    rows.map(|row| format!("{} {}", row.name(), row.model.as_deref().unwrap())).collect()
}

#[test]
fn an_outcome_of_the_file_wins_and_lines_without_a_run_and_runs_without_a_line_are_counted() {
    let text = "id,trial,model,outcome\nt,1,m,1\nu,0,n,true\nu,0,m,\nzz,0,m,0\n";
    let (table, outcomes) = joined("o.csv", text).unwrap();
    assert_eq!(succeeded(&table), ["t#1 m", "u#0 n"]);
    assert_eq!((outcomes.missing(), outcomes.surplus()), (3, 1));
    let notes = [
        "o.csv: 3 of 6 runs have no line; the first of them is t#0",
        "o.csv: 1 of 4 lines have no run; the first of them is zz in line 5",
    ];
    assert_eq!(outcomes.notes(), notes);
}

#[test]
fn names_of_an_outcome_are_trimmed_and_whole_and_other_columns_are_said() {
    let text = "run_id, task , attempt, model, resolved, success\n t , t , 1.0 , m ,yes, 1\nNA,u,0,n,no,\n";
    let found = joined("o.csv", text).unwrap_err();
    assert!(found.to_string().contains("o.csv:3"), "{found}");
    let (table, outcomes) = joined("o.csv", &text.replace("NA,u", "u,u")).unwrap();
    assert_eq!(succeeded(&table), ["t#1 m"]);
    let notes = outcomes.notes();
    assert_eq!(
        notes[1..],
        [
            "o.csv: outcomes are those of the column success",
            "o.csv: columns read: run_id as id, attempt as trial",
            "o.csv: columns not read: resolved",
        ]
    );
    let log = r#"{"id": "3", "outcome": null, "turns": [{"response": {"choices": []}}]}"#;
    assert!(joined_to(log, "o.csv", "id,outcome\n3.0,1\n,\n").is_err());
    let (table, _) = joined_to(log, "o.csv", "id,outcome\n3.0,1\n").unwrap();
    assert_eq!(table.rows()[0].outcome, Some(true));
}

#[test]
fn a_column_of_tasks_with_another_name_is_said_with_the_names_that_are_read() {
    let text = "id,model,test_suite,outcome\nt#1,m,a,1\n";
    let expected = "some runs have no task; if a column that is not read names it, rename it to one of task, task_id, ";
    let log =
        r#"{"id": "t#1", "model": "m", "outcome": null, "turns": [{"response": {"choices": []}}]}"#;
    let (_, outcomes) = joined_to(log, "o.csv", text).unwrap();
    let notes = outcomes.notes();
    assert!(notes.iter().any(|it| it == "o.csv: columns not read: test_suite"), "{notes:?}");
    assert!(notes.iter().any(|it| it.contains(expected)), "{notes:?}");
    let error = joined("o.csv", &text.replace("id,", "name,")).unwrap_err().to_string();
    assert!(
        error.contains("the columns are name, model, test_suite, outcome")
            && error.contains("nor is there a column of tasks: task, task_id, "),
        "{error}"
    );
    // Without a column that is not read, nobody meant one.
    let (_, outcomes) = joined("o.csv", "id,model,outcome\nt#1,m,1\n").unwrap();
    assert!(!outcomes.notes().iter().any(|it| it.contains("have no task")));
    // Nor if the log names the task.
    let log =
        r#"{"id": "3", "task": "a", "outcome": null, "turns": [{"response": {"choices": []}}]}"#;
    let (_, outcomes) = joined_to(log, "o.csv", "id,outcome,note\n3,1,late\n").unwrap();
    assert!(!outcomes.notes().iter().any(|it| it.contains("have no task")));
}

#[test]
fn a_name_with_its_trial_joins_as_the_id_does() {
    let text = "{\"id\": \"t#1\", \"model\": \"m\", \"grade\": 1}\n{\"id\": \"t#1\", \"model\": \"n\", \"grade\": 0.99}\n";
    assert_eq!(succeeded(&joined("o.jsonl", text).unwrap().0), ["t#1 m"]);
}

#[test]
fn an_outcome_that_two_runs_would_have_is_refused_and_expected_calls_may_stand_for_several() {
    let found = joined("o.csv", "id,trial,outcome\nt,0,1\n").unwrap_err();
    let Error::Input(found) = found else { panic!("{found}") };
    assert_eq!((found.line, found.field.as_deref()), (Some(2), Some("id")), "{found}");

    let text =
        r#"{"id": "t", "expected_calls": [{"name": "look", "args": {"at": 1}}], "horizon": 7}"#;
    let (table, outcomes) = joined("o.jsonl", text).unwrap();
    let known =
        |row: &&run_logs::LoggedRun| row.horizon == Some(7) && row.expected_calls.len() == 1;
    assert_eq!(table.rows().iter().filter(known).count(), 4);
    assert_eq!((outcomes.missing(), outcomes.surplus()), (2, 0));
}

#[test]
fn an_outcome_of_the_file_also_stands_for_a_run_that_a_limit_or_an_error_ended() {
    let policy = FactRules::default();
    let mut outcomes = Outcomes::read("o", &b"id,outcome\na,1\nb,0\n"[..]).unwrap();
    let [mut a, mut b] = ["a", "b"].map(run_logs::Run::new);
    a.stop = Some(StopReason::MaxSteps);
    b.excluded = Some("no container".to_owned());
    for (run, outcome) in [(&mut a, true), (&mut b, false)] {
        assert_eq!(policy.judgement(run).unwrap().outcome, None);
        outcomes.join(run).unwrap();
        assert_eq!(policy.judgement(run).unwrap().outcome, Some(outcome));
    }
}

#[test]
fn wrong_values_and_doubled_lines_of_outcomes_are_refused_with_their_line_and_field() {
    let cases = [
        ("id,outcome\na,1\na,0\n", Some(3), Some("id"), "line 2"),
        ("id,trial,outcome\na,1,1\na,1,0\n", Some(3), Some("id"), "line 2"),
        ("id,trial,outcome\na,1,1\na,,0\n", Some(3), Some("id"), "do not give the same"),
        ("id,outcome,grade\na,1,0.5\n", Some(2), Some("grade"), "too"),
        ("id,grade\na,1.5\n", Some(2), Some("grade"), "outside [0, 1]"),
        ("id,grade\na,-1e-9\n", Some(2), Some("grade"), "outside [0, 1]"),
        ("id,outcome\na,yes\n", Some(2), Some("outcome"), "true, false, 1 or 0"),
        ("id,trial,outcome\na,-1,1\n", Some(2), Some("trial"), "-1"),
        ("id,outcome\n,1\n", Some(2), None, "missing field `id`"),
        ("name,outcome\na,1\n", Some(1), Some("id"), "the columns are name, outcome"),
        ("id,mark\na,1\n", None, None, "the columns are id, mark"),
        ("id,outcome\na,\n", None, None, "no line has a value"),
        ("id,outcome,outcome\na,1,0\n", Some(1), Some("outcome"), "two columns"),
        ("id,expected_calls\na,look\n", Some(2), Some("expected_calls"), "look"),
        ("id,expected_calls\na,\"[{\"\"args\"\": 1}]\"\n", Some(2), None, "name"),
        ("{\"id\": \"a\", \"outcome\": 0.5}\n", Some(1), Some("outcome"), "true, false, 1 or 0"),
        ("{\"id\": \"a\", \"mark\": true}\n", None, None, "no line has a value"),
        ("[{\"id\": \"a\", \"outcome\": true}]\n", Some(1), None, "one object per line"),
        ("", None, None, "empty"),
    ];
    for (text, line, field, problem) in cases {
        let found = Outcomes::read("o", text.as_bytes()).unwrap_err();
        assert_eq!(found.line, line, "{text}: {found}");
        assert!(field.is_none() || found.field.as_deref() == field, "{text}: {found}");
        assert!(found.problem.contains(problem), "{text}: {found}");
    }
}

#[test]
fn calls_in_a_cell_are_read_as_json_over_several_lines() {
    let text = "id,expected_calls,outcome\nt,\"[{\"\"name\"\": \"\"look\"\",\r\n  \"\"args\"\": {}}]\",\nu,[],\n";
    let (table, _) = joined("o.csv", text).unwrap();
    let counts: Vec<usize> = table.rows().iter().map(|row| row.expected_calls.len()).collect();
    assert_eq!(counts, [1, 1, 0, 1, 1, 0]);
}

#[test]
fn names_that_look_alike_are_said_and_never_joined() {
    let text = "id,task,confidence,outcome\na,t1,1,1\nb,T1,1,0\nc,caf\u{e9},1,1\nd,cafe\u{301},1,1\ne,t 1,1,1\n";
    let (runs, notes) = read_table("t.csv", text);
    assert_eq!(runs.len(), 5);
    assert_eq!(notes, ["alike: t1, T1; caf\\u{e9}, cafe\\u{301}; t1, t 1"]);

    let (table, outcomes) = joined("o.csv", "id,outcome\nT,1\nU,1\n").unwrap();
    assert!(succeeded(&table).is_empty());
    let note = "o.csv: ids that differ only in case, blanks or Unicode form: t, T; u, U";
    assert_eq!(outcomes.notes()[2], note);
}
