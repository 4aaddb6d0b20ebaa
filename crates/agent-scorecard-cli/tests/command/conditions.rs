//! `--fail-if` and `--markdown`, which every subcommand with a report has.

use agent_scorecard_cli::views;
use serde_json::{Value, json};

use crate::{
    calls::calls,
    program::{self, json_of, refusal, refused, run_other},
};

/// The number at a key of `--fail-if`.
fn number(report: &Value, key: &str) -> f64 {
    // A row of caps is found by its cap.
    let at = report.pointer(&format!("/{}", key.replace("caps.500", "caps.0").replace('.', "/")));
    let at = at.unwrap();
    at.get("value").unwrap_or(at).as_f64().unwrap()
}

#[test]
fn a_condition_that_holds_is_exit_code_1_and_a_line_beside_the_same_report() {
    let forms: [&[&str]; 3] = [&[], &["--json"], &["--markdown"]];
    for (call, form) in calls().iter().zip(forms.into_iter().cycle()) {
        let (program, words, key) = (call.subcommand, &call.with(&[])[..], call.key);
        let value = number(&json_of(program, &call.with(&[])), key);
        let (holds, no) =
            (format!("{key} < {}", value + 1e-6), format!("{key} > {}", value + 1e-6));
        let plain = run_other(program, &[words, form].concat());
        let passed = run_other(program, &[words, form, &["--fail-if", &no]].concat());
        assert_eq!((passed.status.code(), &passed.stdout), (Some(0), &plain.stdout), "{no}");
        assert!(passed.stderr.is_empty());
        let conditions = ["--fail-if", &no, "--fail-if", &holds, "--fail-if", &holds];
        let failed = run_other(program, &[words, form, &conditions].concat());
        assert_eq!((failed.status.code(), &failed.stdout), (Some(1), &plain.stdout), "{holds}");
        let line = format!("failed: {holds}: {key} is {value}\n");
        assert_eq!(String::from_utf8(failed.stderr).unwrap(), line.repeat(2));
    }
}

#[test]
fn a_condition_on_what_does_not_exist_or_is_undefined_is_wrong_input() {
    for call in calls() {
        let unknown = run_other(call.subcommand, &call.with(&["--fail-if", "nothing < 1"]));
        refused(&unknown, "\"nothing\" does not exist; the keys here are ");
    }
    // Runs of one outcome cannot be ranked.
    let path = program::write("one.jsonl", r#"{"id":"a","forecasts":[0.5],"outcome":true}"#);
    let undefined = run_other("traces", &[&path, "--fail-if", "auroc < 0.5"]);
    refused(&undefined, "auroc: is undefined: ");
}

/// The words of a report in Markdown, without the marks of the language.
fn plain(markdown: &str) -> Vec<String> {
    let is_rule = |line: &&str| line.starts_with("| ---");
    let lines = markdown.lines().filter(|line| !is_rule(line));
    let text = lines.map(|line| line.replace("| ", " ").replace(" |", " ")).collect::<Vec<_>>();
    let text = text.join(" ").replace('\\', "");
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect()
}

#[test]
fn markdown_has_the_words_and_figures_of_the_table_and_nothing_else() {
    for call in calls() {
        let (program, name) = (call.subcommand, call.name);
        let [table, markdown] = [&[][..], &["--markdown"]]
            .map(|form| String::from_utf8(run_other(program, &call.with(form)).stdout).unwrap());
        let expected: Vec<&str> = table.split_whitespace().collect();
        assert_eq!(plain(&markdown), expected, "{name}");
        let rows = |line: &&str| line.starts_with('|') && line.ends_with('|');
        assert!(markdown.lines().filter(rows).count() > 2, "{program}: {markdown}");
        // All rows of a table have as many cells.
        for block in markdown.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells = |row: &str| row.replace("\\|", "").matches('|').count();
            let expected = cells(block.lines().next().unwrap());
            assert!(block.lines().all(|row| cells(row) == expected), "{program}: {block}");
        }
    }
}

fn failure(condition: &str, report: &Value) -> Result<Option<String>, String> {
    views::failure(report, condition, |_| None)
}

#[test]
fn a_condition_fails_exactly_where_the_number_at_its_key_meets_it() {
    let report = json!({
        "x": 2.0,
        "tps": { "value": -0.5, "ci_low": -0.7 },
        "alphas": [{ "eta": 1 }],
        "difference": { "pairing": "tasks", "x": { "value": -0.5, "ci_high": -0.25 }, "y": null },
        "files": [{ "name": "gpt-4", "x": 1.0 }, { "name": "gpt-4.1", "x": 0.5 }, { "file": "logs/a.b.jsonl", "x": 1.0 }],
    });
    for (condition, fails) in [
        ("x < 2", false),
        ("x <= 2", true),
        ("x>2", false),
        ("x >= 2.0", true),
        ("x < 2.5", true),
        ("x > -1e3", true),
        // A metric stands for its value.
        ("tps < -0.4", true),
        ("tps.value < -0.6", false),
        ("tps.ci_low < -0.6", true),
        ("alphas.0.eta >= 1", true),
        ("difference.x < -0.4", true),
        ("difference.x.ci_high < 0", true),
        ("difference.x.ci_high < -0.3", false),
        // Columns have numbers and names, in which dots may be.
        ("files.1.x < 1", true),
        ("files.gpt-4.x < 1", false),
        ("files.gpt-4.1.x < 1", true),
        ("files.a.b.x < 2", true),
    ] {
        assert_eq!(failure(condition, &report).unwrap().is_some(), fails, "{condition}");
    }
    let line = failure("x >= 2.0", &report).unwrap();
    assert_eq!(line.as_deref(), Some("failed: x >= 2: x is 2"));
    for text in ["", "x", "x = 1", "< 1", "x <", "x < one", "x < NaN", "x < inf", "x << 1"] {
        assert!(failure(text, &report).is_err(), "{text}");
    }
}

#[test]
fn a_key_that_leads_to_no_number_or_to_several_is_an_error_that_says_why() {
    let plain = json!({ "x": null, "y": "z", "list": [] });
    let named =
        json!({ "files": [{ "name": "gpt-4", "x": 1.0 }, { "name": "gpt-4.1", "x": 0.5 }] });
    let same = json!({ "files": [{ "name": "a", "x": 1.0 }, { "name": "a", "x": 0.5 }] });
    let difference = json!({ "difference": { "pairing": "tasks", "x": { "value": -0.5 }, "y": null }, "files": [{ "n": 3 }, { "n": 7 }] });
    let none = json!({ "files": [{ "x": 1.0 }, { "x": 0.5 }], "notes": ["difference: undefined: no task has a run"] });
    for (report, condition, part) in [
        (&plain, "x < 1", "x: is undefined"),
        (&plain, "y < 1", "y: is a text, not a number; append a key"),
        (&plain, "w < 1", "\"w\" does not exist; the keys here are list, x, y"),
        (&plain, "list.0 < 1", "\"0\" does not exist; the list is empty"),
        (&plain, "x.y < 1", "\"y\" does not exist; there is nothing inside"),
        (&plain, "difference.x > 0", "exactly two columns"),
        (&named, "x < 1", "give files.gpt-4.x or files.gpt-4.1.x, or a number as in files.0.x"),
        (&named, "files.gpt.x < 1", "the entries are numbered from 0 to 1: gpt-4, gpt-4.1"),
        (&same, "files.a.x < 1", "is ambiguous"),
        (&difference, "difference.n >= 4", "\"n\" does not exist; the keys here are pairing, x, y"),
        (&difference, "difference.y < 4", "is undefined"),
        (&none, "difference.x < 0", "no difference was computed: no task has a run"),
        (&none, "difference.x.ci_high < 0", "no difference was computed: no task has a run"),
    ] {
        let error = failure(condition, report).unwrap_err();
        assert!(error.starts_with("--fail-if: ") && error.contains(part), "{error}");
    }
}

/// A table of confidences in which runs of each model succeed at this rate.
fn models(name: &str, rates: &[(&str, usize)]) -> String {
    let rows = rates.iter().flat_map(|(model, rate)| {
        (0..40).map(move |at| format!("r{at},t{at},{model},0.5,{}", u8::from(at % 10 < *rate)))
    });
    let rows: Vec<String> = rows.collect();
    program::write(name, &format!("id,task,model,confidence,outcome\n{}\n", rows.join("\n")))
}

#[test]
fn a_number_that_is_a_position_and_the_name_of_another_column_names_neither() {
    let numbered = models("numbered.csv", &[("1", 1), ("2", 9), ("3", 9)]);
    let fails = |key: &str, more: &[&str]| {
        let condition = format!("{key} < 0.5");
        run_other("compare", &[&[numbered.as_str(), "--fail-if", &condition], more].concat())
    };
    for key in ["files.1.success_rate", "files.2.success_rate"] {
        refused(&fails(key, &[]), "is ambiguous … --name");
    }
    // Nothing else is called 0 or 3.
    assert_eq!(fails("files.0.success_rate", &[]).status.code(), Some(1));
    assert_eq!(fails("files.3.success_rate", &[]).status.code(), Some(0));
    for key in ["files.00.success_rate", "files.+0.success_rate", "files.01.success_rate"] {
        refused(&fails(key, &[]), "does not exist");
    }
    let error = refusal(&fails("success_rate", &[]), "no column");
    assert!(!error.contains("files.1") && error.contains("--name"), "{error}");
    let words = models("words.csv", &[("one", 1), ("two", 9)]);
    refused(
        &run_other("compare", &[&words, "--fail-if", "success_rate < 0.5"]),
        "give files.one.success_rate or files.two.success_rate",
    );
}

#[test]
fn a_difference_of_two_columns_is_found_by_its_own_name_and_by_that_of_the_second() {
    let two = models("two.csv", &[("a", 9), ("b.1", 2)]);
    let three = models("three.csv", &[("a", 9), ("b.1", 2), ("c", 9)]);
    let code = |file: &str, subcommand: &str, condition: &str| {
        run_other(subcommand, &[file, "--fail-if", condition]).status.code()
    };
    for (file, condition, expected) in [
        (&two, "difference.success_rate.ci_high < 0", 1),
        (&two, "differences.b.1.success_rate.ci_high < 0", 1),
        (&three, "differences.b.1.success_rate.ci_high < 0", 1),
        (&three, "differences.c.success_rate.ci_high < 0", 0),
        (&two, "differences.b.1.is_worse > 0", 1),
        (&three, "difference.success_rate.ci_high < 0", 2),
        (&two, "differences.a.is_worse > 0", 2),
    ] {
        assert_eq!(code(file, "compare", condition), Some(expected), "{condition}");
    }
    let report = json_of("compare", &[&two]);
    assert_eq!(report["differences"]["b.1"], report["difference"]);
    let of = |condition| code(&two, "traces", condition);
    assert_eq!(of("difference.tps_brier < -0.1"), of("differences.b.1.tps_brier < -0.1"));
}

/// Conditions with one result for all values, and a part of their errors.
const POINTLESS: &str = "
difference.success_rate.ci_high < -5 | can never hold, because the value is between -1 and 1
differences.b.success_rate.ci_high < -5 | can never hold
difference.success_rate < -1 | can never hold
difference.success_rate > -2 | always holds
files.a.success_rate > 1 | can never hold, because the value is between 0 and 1
files.a.success_rate < 0 | can never hold
files.a.success_rate >= 0 | always holds
files.a.success_rate < 80 | always holds
files.a.success_rate.ci_low > 50 | 5 percentage points are 0.05
files.a.success_rate.standard_error < 0 | can never hold, because the value is between 0 and 1
files.a.overconfidence_last > 10 | can never hold
files.a.brier_last > 0 | can never hold
difference.is_worse > 1 | can never hold
difference.is_worse >= 0 | always holds
files.a.n_runs < 0 | can never hold
difference.success_rate.standard_error > 3 | can never hold";

#[test]
fn a_condition_that_no_value_could_change_is_refused() {
    let two = models("two_models.csv", &[("a", 9), ("b", 2)]);
    for case in POINTLESS.lines().skip(1) {
        let (condition, part) = case.split_once(" | ").unwrap();
        let error = refusal(&run_other("compare", &[&two, "--fail-if", condition]), condition);
        assert!(error.contains(part) && error.contains(condition), "{error}");
    }
    for condition in [
        "files.a.success_rate >= 1",
        "files.a.success_rate < 1",
        "difference.success_rate < -0.9",
        "difference.success_rate.standard_error > 0.5",
    ] {
        let code = run_other("compare", &[&two, "--fail-if", condition]).status.code();
        assert_ne!(code, Some(2), "{condition}");
    }
    for (subcommand, condition) in [
        ("traces", "files.0.auroc < 0"),
        ("traces", "files.0.tps_log > 0"),
        ("paths", "exact_match > 1"),
        ("budget", "hit_rate < 0"),
        ("cut-off", "files.0.simple > 0"),
        ("costbench", "emr > 100"),
        ("compare", "files.0.tokens_per_run < -1"),
        ("compare", "difference.is_worse > 5"),
    ] {
        refused(&run_other(subcommand, &["--fail-if", condition]), "can never hold");
    }
    // Only a share is in danger of being given in percentage points.
    let no_share = run_other("compare", &["--fail-if", "difference.is_worse > 5"]);
    assert!(!refusal(&no_share, "is_worse").contains("percentage points"));
    let inspect = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
        "samples": [{"id": 1, "epoch": 1, "scores": {"f1": {"value": 0.5}}}]}"#;
    let partial = program::write("partial.json", inspect);
    let unbounded = run_other("compare", &["--fail-if", "files.0.turns_per_run >= 0"]);
    refused(&unbounded, "always holds, because the value is 0 or more");
    let partial = run_other("compare", &[&partial, "--fail-if", "files.0.success_rate < 0.5"]);
    refused(
        &partial,
        "is undefined: some scores are between 0 and 1; --success-at sets the lowest score",
    );
}

#[test]
fn rows_of_caps_are_found_by_their_cap_alone() {
    let code = |condition: &str| {
        let words = ["--at", "5000,500,0.5,1", "--fail-if", condition];
        run_other("caps", &words)
    };
    // Sorted, the second row is that of 1.
    assert_eq!(code("caps.5000.kept_share < 0.95").status.code(), Some(0));
    assert_eq!(code("caps.500.kept_share < 0.95").status.code(), Some(1));
    assert_eq!(code("caps.1.kept_share < 0.95").status.code(), Some(1));
    assert_eq!(code("caps.0.5.kept_share < 0.95").status.code(), Some(1));
    for place in ["0", "2", "3", "05000"] {
        refused(
            &code(&format!("caps.{place}.kept_share < 0.95")),
            "a row is named by its cap; the caps are 0.5, 1, 500, 5000",
        );
    }
}
