//! The command reads each kind of file alike, and refuses wrong arguments in one line.
#![allow(clippy::unwrap_used)]

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Command, Output},
    sync::Arc,
    time::Duration,
};

use datafusion::{
    arrow::{
        array::{ArrayRef, AsArray, BooleanArray, Float64Array, RecordBatch},
        datatypes::Float64Type,
    },
    catalog::TableProvider,
    common::Result,
    datasource::MemTable,
    parquet::arrow::ArrowWriter,
    prelude::SessionContext,
};

const P: [f64; 4] = [0.75, 0.25, 0.25, 0.5];
const Y: [bool; 4] = [true, false, true, false];
const SQL: &str = "SELECT auroc(p, y) AS auroc, exact_mean(brier_score(p, y)) AS brier FROM runs";

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(folder.join("parts")).unwrap();
    let rows = || P.into_iter().zip(Y);
    let csv: String = rows().map(|(p, y)| format!("{p},{y}\n")).collect();
    fs::write(folder.join("runs.csv"), format!("p,y\n{csv}")).unwrap();
    let json: String = rows().map(|(p, y)| format!("{{\"p\": {p}, \"y\": {y}}}\n")).collect();
    fs::write(folder.join("runs.jsonl"), json).unwrap();
    let batch = RecordBatch::try_from_iter([
        ("p", Arc::new(Float64Array::from(P.to_vec())) as ArrayRef),
        ("y", Arc::new(BooleanArray::from(Y.to_vec())) as ArrayRef),
    ])
    .unwrap();
    for file in ["runs.parquet", "parts/1.parquet"] {
        let file = File::create(folder.join(file)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
    folder
}

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agent-scorecard-sql")).args(arguments).output().unwrap()
}

#[test]
fn every_kind_of_file_gives_the_same_rows() {
    let folder = folder("kinds");
    for file in ["runs.csv", "runs.jsonl", "runs.parquet", "parts"] {
        let found = command(&[SQL, &format!("runs={}", folder.join(file).display())]);
        let text = String::from_utf8(found.stdout).unwrap();
        assert!(found.status.success(), "{file}: {}", String::from_utf8_lossy(&found.stderr));
        // 2.5 of 4 pairs are in order, and the squared distances are 1/16, 1/16, 9/16 and 1/4.
        assert!(text.contains("| 0.625 | -0.234375 |"), "{file}:\n{text}");
    }
    let two = folder.join("runs.csv").display().to_string();
    let join = "SELECT count(*) AS n FROM a JOIN b ON a.p = b.p";
    let found = command(&[join, &format!("a={two}"), &format!("b={two}")]);
    assert!(String::from_utf8(found.stdout).unwrap().contains("| 6 |"));
}

#[test]
fn wrong_arguments_are_one_line_and_exit_code_2() {
    let folder = folder("wrong");
    let runs = format!("runs={}", folder.join("runs.csv").display());
    for (arguments, part) in [
        (vec![], "usage"),
        (vec![SQL], "usage"),
        (vec![SQL, "runs"], "TABLE=PATH"),
        (vec![SQL, "runs=nowhere.csv"], "nowhere.csv: there is no such file"),
        (vec![SQL, "runs=Cargo.toml"], "give a .parquet"),
        (vec!["SELECT auroc(p, p) FROM runs", &runs], "argument 2 (y)"),
        (vec!["SELECT auroc(p + 1, y) FROM runs", &runs], "from 0 to 1"),
    ] {
        let found = command(&arguments);
        let line = String::from_utf8(found.stderr).unwrap();
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(line.lines().count() == 1 && line.contains(part), "{arguments:?}: {line}");
    }
    assert!(command(&["--help"]).status.success());
}

/// The query of docs/sql.md.
const WRONG_ROWS: &str =
    "SELECT * FROM runs WHERE p IS NOT NULL AND y IS NOT NULL AND try_log_score(p, y) IS NULL";

#[test]
fn an_error_of_a_row_says_how_to_find_the_row() {
    assert!(include_str!("../../../docs/sql.md").contains(WRONG_ROWS));
    let file = folder("rows").join("wrong.csv");
    fs::write(&file, "task,p,y\na,0.5,true\nb,1.5,false\nc,,true\nd,0.25,\n").unwrap();
    let runs = format!("runs={}", file.display());
    let found = command(&["SELECT exact_mean(log_score(p, y)) FROM runs", &runs]);
    let error = String::from_utf8(found.stderr).unwrap();
    assert!(error.contains("log_score: argument 1 (p) is 1.5"), "{error}");
    assert!(error.ends_with("; try_log_score gives NULL for such rows\n"), "{error}");
    let found = String::from_utf8(command(&[WRONG_ROWS, &runs]).stdout).unwrap();
    let rows: Vec<&str> = found.lines().skip(3).collect();
    assert!(matches!(rows[..], ["| b    | 1.5 | false |", _]), "{found}");
    // No function of many rows has such a form.
    let found = command(&["SELECT auroc(p, y) FROM runs", &runs]);
    let error = String::from_utf8(found.stderr).unwrap();
    assert!(error.contains("auroc: argument 1 (p) is 1.5") && !error.contains("try_"), "{error}");
}

#[test]
fn the_table_per_model_of_the_page_counts_what_it_leaves_out() {
    let page = include_str!("../../../docs/sql.md");
    let section = page.split("## A table per model").nth(1).unwrap();
    let sql = section.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = folder("per_model");
    fs::create_dir_all(folder.join("history/model=a")).unwrap();
    let rows: String = (0..20).map(|i| format!("{:03},0.75,{}\n", i % 10, i % 4 > 0)).collect();
    let rows = format!("task,confidence,passed\n{rows}009,,true\n009,1.5,true\n009,0.5,\n");
    fs::write(folder.join("history/model=a/1.csv"), rows).unwrap();
    let newest = r#"{"model": "a", "task": "001", "confidence": 0.75, "passed": "no"}"#;
    fs::write(folder.join("yesterday.jsonl"), newest).unwrap();
    let tables = [
        format!("history={}", folder.join("history").display()),
        format!("yesterday={}", folder.join("yesterday.jsonl").display()),
    ];
    let found = command(&[sql, &tables[0], &tables[1]]);
    let text = String::from_utf8(found.stdout).unwrap();
    // Of 24 runs 23 have an outcome, and of these 17 are successes.
    let counts = "| a     | 24   | 1          | 1             | 1          | 0.739130434782608";
    assert!(text.contains(counts), "{text}{}", String::from_utf8_lossy(&found.stderr));
    // The confidence is the same in all scored rows.
    assert!(text.contains("| 0.5   |"), "{text}");
}

/// The function of docs/sql.md.
fn session(runs: Arc<dyn TableProvider>) -> Result<SessionContext> {
    let mut session = SessionContext::new();
    sql_functions::register_all(&mut session)?;
    session.register_table("runs", runs)?;
    Ok(session)
}

#[test]
fn a_table_of_another_crate_stands_beside_the_functions() {
    let p: ArrayRef = Arc::new(Float64Array::from(P.to_vec()));
    let y: ArrayRef = Arc::new(BooleanArray::from(Y.to_vec()));
    let batch = RecordBatch::try_from_iter([("p", p), ("y", y)]).unwrap();
    let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
    let session = session(Arc::new(table)).unwrap();
    let rows = async move { session.sql(SQL).await.unwrap().collect().await.unwrap() };
    let rows = sql_tables::block_on(Duration::from_secs(60), rows, || false).unwrap();
    assert_eq!(rows[0].column(0).as_primitive::<Float64Type>().value(0), 0.625);
}
