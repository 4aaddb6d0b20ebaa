//! Logs that agents write: sessions, spans, and lines of any program.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::program::{self, json_of, refused, run_other, run_words_in, shown, write};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

#[test]
fn the_table_of_formats_is_that_of_the_documentation() {
    let report = json_of("logs", &["--formats"]);
    let formats = report["formats"].as_array().unwrap();
    let documented = page("formats.md");
    for row in formats {
        let [format, source, reads, lacks] =
            ["format", "source", "reads", "lacks"].map(|key| row[key].as_str().unwrap());
        let line = format!("| `{format}` | {source} | {reads} | {lacks} |");
        assert!(documented.contains(&line), "docs/formats.md lacks\n{line}");
    }
    let listed = shown("logs", &["--formats"]);
    assert!(listed.starts_with("inspect\n  file   `inspect eval"), "{listed}");
    assert!(listed.lines().all(|line| line.len() < 400), "{listed}");
}

#[test]
fn what_the_recipe_on_sessions_shows_is_what_the_commands_print() {
    let recipes = page("recipes.md");
    let recipe = recipes.split("\n## ").find(|it| it.starts_with("A folder of sessions")).unwrap();
    let mut blocks = recipe.split("```");
    let mut n = 0;
    while let Some(block) = blocks.by_ref().find(|it| it.starts_with("sh\n")) {
        let line = block.lines().nth(1).unwrap().strip_prefix("agent-scorecard ").unwrap();
        let output = run_words_in(&root(), &line.split(' ').collect::<Vec<_>>());
        let printed = String::from_utf8(output.stdout).unwrap();
        let shown = blocks.by_ref().find(|it| it.starts_with("text\n")).unwrap();
        for line in shown.lines().skip(1).filter(|line| *line != "…") {
            assert!(printed.lines().any(|it| it.trim_end() == line), "{line}\nin\n{printed}");
        }
        n += 1;
    }
    assert_eq!(n, 3);
}

#[test]
fn lines_of_any_program_are_read_by_the_proposed_fields() {
    let lines = (0..20).map(|at| {
        let result = at % 4 != 0;
        json!({"run": {"id": format!("r-{at}")}, "meta": {"task_id": at % 10, "passed": result}, "usage": {"output_tokens": 10 + at}})
    });
    let file = write("any.jsonl", &lines.map(|line| format!("{line}\n")).collect::<String>());
    let like = r#"(it looks like an object with the fields "meta", "run" and "usage")"#;
    refused(&run_other("logs", &[&file]), like);
    let proposed = shown("logs", &["--suggest", &file]);
    let options = " --field id=run.id --field task=meta.task_id --field outcome=meta.passed --field output_tokens=usage.output_tokens";
    assert!(proposed.contains(options), "{proposed}");
    let words: Vec<&str> = options.split_whitespace().chain([file.as_str()]).collect();
    let report = json_of("compare", &words);
    let of = |key: &str| report["files"][0][key].clone();
    assert_eq!([of("n_runs"), of("n_tasks")], [json!(20), json!(10)]);
    assert_eq!(of("success_rate")["value"], 0.75);
    for wrong in ["outcome", "result=meta"] {
        refused(&run_other("logs", &["--field", wrong, &file]), "--field");
    }
}

#[test]
fn results_written_as_spans_are_read_back() {
    let folder = program::in_folder("spans");
    fs::create_dir_all(&folder).unwrap();
    let log = "../run-logs/tests/golden/inspect/0.3.285.eval";
    let written = format!("{folder}/results.otlp.jsonl");
    let output =
        run_other("convert", &["--to", "otel", "--scorer", "letter", "--output", &written, log]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = json_of("logs", &["--scorer", "letter", log]);
    let after = json_of("logs", &["--scorer", "outcome", &written]);
    assert_eq!(after["format"], "otlp");
    let runs = |report: &Value| report["runs"].as_array().unwrap().clone();
    assert_eq!(runs(&after).len(), runs(&before).len());
    let results = |report: &Value| {
        let of = |run: &Value| {
            [&run["outcome"], &run["usage"]["input_tokens"], &run["usage"]["output_tokens"]]
                .map(Value::to_string)
        };
        let mut all: Vec<_> = runs(report).iter().map(of).collect();
        all.sort();
        all
    };
    assert_eq!(results(&after), results(&before));
}
