//! Tables of confidences in the subcommands that read them: columns, scales, and rows that stand twice.

use agent_scorecard_cli::views::Layout;
use serde_json::Value;

use crate::program::{exchange, json_of, refused, report, run_other, write};

fn notes(report: &Value) -> String {
    let of_files = &report["files"][0]["notes"];
    format!("{} {of_files} {}", report["notes"], report["account"])
}

/// 24 runs of 6 tasks: the confidence as a share, and the outcome.
fn runs() -> impl Iterator<Item = (usize, f64, bool)> {
    (0..24).map(|run| (run / 4, (run * 37 % 101) as f64 / 100.0, run % 3 > 0 && run / 4 != 2))
}

fn table(header: &str, scale: f64) -> String {
    let row = |(run, (task, confidence, outcome)): (usize, (usize, f64, bool))| {
        format!(
            "r{run},t{task},{},{}\n",
            (confidence * scale * 1e9).round() / 1e9,
            u8::from(outcome)
        )
    };
    header.to_owned() + "\n" + &runs().enumerate().map(row).collect::<String>()
}

#[test]
fn a_task_has_the_same_interval_under_each_name_of_its_column() {
    let error = |task: &str| {
        let path = write("tasks.csv", &table(&format!("id,{task},confidence,correct"), 1.0));
        let report = json_of("compare", &[&path]);
        (report["files"][0]["success_rate"]["standard_error"].clone(), notes(&report))
    };
    let (expected, said) = error("task");
    assert!(expected.is_f64() && !said.contains("columns read"), "{said}");
    for name in ["task_id", "instance_id", "problem_id", "Question_ID"] {
        let (found, said) = error(name);
        assert_eq!(found, expected, "{name}");
        assert!(said.contains(&format!("columns read: {name} as task")), "{said}");
    }
    let (other, said) = error("subject");
    assert!(other != expected && said.contains(r#""columns_not_read":["subject"]"#), "{said}");
}

#[test]
fn confidences_in_percent_are_refused_or_read_as_what_they_are() {
    let header = "id,task,confidence,correct";
    let [shares, percent] = [("shares.csv", 1.0), ("percent.csv", 100.0)]
        .map(|(name, scale)| write(name, &table(header, scale)));
    let written = |name: &str, scale: f64, line: fn(&str, f64) -> String| {
        let line = |(run, (task, confidence, outcome)): (usize, (usize, f64, bool))| {
            let run = format!(r#""id": "r{run}", "task": "t{task}", "outcome": {outcome}"#);
            line(&run, (confidence * scale * 1e9).round() / 1e9) + "\n"
        };
        write(name, &runs().enumerate().map(line).collect::<String>())
    };
    let log: fn(&str, f64) -> String =
        |run, stated| exchange(run, &[&format!("<confidence>{stated}</confidence>")], "");
    let trace: fn(&str, f64) -> String =
        |run, stated| format!(r#"{{{run}, "forecasts": [{stated}]}}"#);
    let [log_shares, log_percent] = [("shares.jsonl", 1.0), ("percent.jsonl", 100.0)]
        .map(|(name, scale)| written(name, scale, log));
    let [traces_shares, traces_percent] = [("traces.jsonl", 1.0), ("traces_percent.jsonl", 100.0)]
        .map(|(name, scale)| written(name, scale, trace));
    for (shares, percent) in
        [(&shares, &percent), (&log_shares, &log_percent), (&traces_shares, &traces_percent)]
    {
        for subcommand in ["compare", "traces", "traces --change", "cut-off"] {
            let resamples: &[&str] =
                if subcommand == "compare" { &[] } else { &["--resamples", "20"] };
            let of = |path: &str, options: &[&str]| {
                run_other(subcommand, &[&[path, "--json"], resamples, options].concat())
            };
            refused(&of(percent, &[]), "of 24 values are above 1, from 0 to  … --percent");
            let mut expected = report(&of(shares, &[]));
            let mut found = report(&of(percent, &["--percent"]));
            assert!(found.to_string().contains("confidences are read as percentages"), "{found}");
            for report in [&mut expected, &mut found] {
                strip(report);
            }
            assert_eq!(found, expected, "{subcommand} {percent}");
            refused(&of(shares, &["--percent"]), "no value is above 1");
            // Shares of which some are mistakes: the run that says 1 is certain, the others have none.
            assert!(subcommand != "compare" || of(percent, &["--percent=no"]).status.success());
        }
    }
    let listed = json_of("logs", &[&log_percent]);
    assert!(notes(&listed).contains(" of 24 values are above 1"), "{}", notes(&listed));
    refused(&run_other("convert", &[&log_percent, "--to", "traces"]), "--percent");
    let converted = run_other("convert", &[&log_percent, "--to", "traces", "--percent"]);
    assert!(String::from_utf8(converted.stdout).unwrap().contains("[0.37]"));
}

/// Removes names of files and notes.
fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["file", "name", "notes", "account", "curves", "tasks"] {
                fields.remove(key);
            }
            if let Some(conclusion) = fields.get_mut("conclusion") {
                *conclusion = conclusion
                    .to_string()
                    .replace("traces_percent", "traces")
                    .replace("percent", "shares")
                    .into();
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn a_table_of_outcomes_alone_is_compared_and_not_scored() {
    for (name, text) in [
        ("outcomes.csv", "id,task,outcome\n0,0,1\n1,0,0\n2,1,1\n3,1,1\n"),
        (
            "outcomes.jsonl",
            "{\"id\": 0, \"task\": 0, \"outcome\": 1}\n{\"id\": 1, \"task\": 1, \"outcome\": 0}\n",
        ),
        (
            "late.jsonl",
            "{\"id\": \"a\", \"outcome\": true}\n{\"id\": \"b\", \"confidence\": 0.5, \"outcome\": false}\n",
        ),
    ] {
        let path = write(name, text);
        let report = json_of("compare", &[&path]);
        assert_eq!(
            report["files"][0]["success_rate"]["value"],
            if name.ends_with("csv") { 0.75 } else { 0.5 }
        );
        refused(&run_other("traces", &[&path]), "confidence");
    }
}

#[test]
fn blanks_and_fractions_of_whole_numbers_do_not_part_tasks_and_look_alikes_are_said() {
    let header = "id,task,confidence,correct";
    let plain = table(header, 1.0);
    let others = [
        ("blanks.csv", plain.replace(',', ", ")),
        ("whole.csv", plain.replace(",t", ",").replace("id,ask", "id,task")),
        (
            "real.csv",
            plain
                .replace(",t0,", ",0.0,")
                .replace(",t1,", ",1.0,")
                .replace(",t", ",")
                .replace("id,ask", "id,task"),
        ),
        ("upper.csv", plain.replace(",t", ",T").replace("Task", "task")),
    ];
    let [plain, blanks, whole, real, upper] = [("plain.csv", plain.clone())]
        .into_iter()
        .chain(others)
        .map(|(name, text)| write(name, &text))
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let difference = |a: &str, b: &str| {
        let report = json_of("compare", &[a, b]);
        (report["difference"]["n_shared_tasks"].clone(), notes(&report))
    };
    assert_eq!(difference(&plain, &blanks).0, 6);
    assert_eq!(difference(&whole, &real).0, 6);
    let (shared, said) = difference(&plain, &upper);
    assert!(shared == 0 && said.contains(r#""similar_names":["t0, T0""#), "{said}");
}

#[test]
fn a_table_is_as_wide_as_the_terminal_at_most_and_keeps_every_letter() {
    let rows = [
        vec!["run".to_owned(), "what it did".to_owned()],
        vec!["a".to_owned(), "one two three four five six seven".to_owned()],
    ];
    let table = |layout: Layout| layout.table(rows.clone());
    assert_eq!(table(Layout::Fitted(80)), table(Layout::Aligned));
    let fitted = table(Layout::Fitted(20));
    assert!(fitted.lines().all(|line| line.chars().count() <= 20), "{fitted}");
    let words = |text: &str| text.split_whitespace().count();
    assert_eq!(words(&fitted), words(&table(Layout::Aligned)), "{fitted}");
}

#[test]
fn a_markdown_table_has_the_same_cells_and_a_rule_below_its_header() {
    let rows = [
        vec![String::new(), "a_b".into(), "c".into()],
        vec!["x".into(), "*1".into()],
        vec![],
        vec!["y|z".into(), "2".into(), "<3".into()],
    ];
    let expected =
        "|  | a\\_b | c |\n| --- | ---: | ---: |\n| x | \\*1 |  |\n| y\\|z | 2 | &lt;3 |\n";
    assert_eq!(Layout::Markdown.table(rows), expected);
}

#[test]
fn a_long_name_in_a_table_keeps_both_ends() {
    let long = Layout::Aligned.table([vec![format!("a{}b", "x".repeat(100_000))]]);
    assert!(
        long.starts_with("ax") && long.ends_with("xb\n") && long.chars().count() == 200,
        "{long}"
    );
}
