//! A query only reads. Rows are written to a new file by an option.
#![allow(clippy::unwrap_used)]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
};

use datafusion::{
    arrow::array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray},
    parquet::arrow::ArrowWriter,
};

/// A folder with `data/runs.parquet` of three rows and an older result.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("read_only").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("data")).unwrap();
    let batch = RecordBatch::try_from_iter([
        ("p", Arc::new(Float64Array::from(vec![Some(0.75), None, Some(0.25)])) as ArrayRef),
        ("y", Arc::new(BooleanArray::from(vec![true, false, true])) as ArrayRef),
        ("model", Arc::new(StringArray::from(vec!["a", "b,c", "\"d\""])) as ArrayRef),
    ])
    .unwrap();
    let file = File::create(folder.join("data/runs.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    fs::write(folder.join("precious.csv"), "precious\n").unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-scorecard-sql"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// All files below a folder with their bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(contents(&path));
        } else {
            found.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn statements_that_are_no_queries_are_refused_and_change_nothing() {
    let folder = folder("statements");
    let before = contents(&folder);
    for sql in [
        "INSERT INTO r SELECT * FROM r",
        "INSERT OVERWRITE r SELECT * FROM r",
        "UPDATE r SET p = 0",
        "DELETE FROM r",
        "COPY (SELECT * FROM r) TO 'precious.csv'",
        "COPY r TO 'new.parquet' STORED AS PARQUET",
        "COPY r TO 'data/more.parquet'",
        "EXPLAIN ANALYZE COPY r TO 'new.csv'",
        "EXPLAIN ANALYZE INSERT INTO r SELECT * FROM r",
        "CREATE TABLE t AS SELECT * FROM r",
        "CREATE VIEW v AS SELECT * FROM r",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION 'precious.csv'",
        "CREATE DATABASE d",
        "DROP TABLE r",
        "SET datafusion.execution.batch_size = 1",
        "PREPARE q AS SELECT * FROM r",
    ] {
        let found = command(&folder, &[sql, "r=data"]);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0), "{sql}: {error}");
        assert_eq!(error.lines().count(), 1, "{sql}: {error}");
        assert!(
            error.contains("a query only reads") && error.contains("--output"),
            "{sql}: {error}"
        );
    }
    // Two statements, and statements that the engine does not have.
    for sql in ["SELECT 1; DROP TABLE r", "TRUNCATE TABLE r", "SELECT * INTO t FROM r", "BEGIN"] {
        assert_eq!(command(&folder, &[sql, "r=data"]).status.code(), Some(2), "{sql}");
    }
    for sql in [
        "SELECT * FROM r",
        "EXPLAIN SELECT * FROM r",
        "DESCRIBE r",
        "WITH t AS (SELECT 1) SELECT * FROM t",
    ] {
        assert!(command(&folder, &[sql, "r=data"]).status.success(), "{sql}");
    }
    assert_eq!(contents(&folder), before);
}

#[test]
fn output_is_a_new_file_that_can_be_read_again() {
    let folder = folder("output");
    let sql = "SELECT * FROM r ORDER BY model DESC";
    for file in ["rows.parquet", "rows.csv", "rows.jsonl"] {
        let found = command(&folder, &["--output", file, sql, "r=data"]);
        assert!(found.status.success(), "{file}: {}", String::from_utf8_lossy(&found.stderr));
        assert_eq!(
            String::from_utf8(found.stdout).unwrap(),
            format!("rows written to {file}: 3\n")
        );
        let read = |table: &str| {
            let sql = "SELECT p, y, model FROM r ORDER BY model";
            String::from_utf8(command(&folder, &[sql, table]).stdout).unwrap()
        };
        assert_eq!(read(&format!("r={file}")), read("r=data"), "{file}");
    }
    let csv = fs::read_to_string(folder.join("rows.csv")).unwrap();
    assert_eq!(csv, "p,y,model\n,false,\"b,c\"\n0.75,true,a\n0.25,true,\"\"\"d\"\"\"\n");
    // The option may also come last, and without rows the header is left.
    let none = "SELECT p FROM r WHERE p > 1";
    assert!(command(&folder, &[none, "r=data", "--output", "none.csv"]).status.success());
    assert_eq!(fs::read_to_string(folder.join("none.csv")).unwrap(), "p\n");
    assert!(
        command(&folder, &[none, "r=data/runs.parquet", "--output", "data/none.csv"])
            .status
            .success()
    );
}

#[test]
fn output_never_replaces_a_file_nor_adds_one_to_the_data() {
    let folder = folder("refused_output");
    fs::create_dir_all(folder.join("data/2025-07")).unwrap();
    let mut links = vec![];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.join("data"), folder.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere.csv", folder.join("dangling.csv")).unwrap();
        links = vec![("link/new.parquet", "inside a folder"), ("dangling.csv", "the file exists")];
    }
    let before = contents(&folder.join("data"));
    let absolute = folder.join("data/new.csv").display().to_string();
    for (file, part) in [
        ("precious.csv", "the file exists"),
        ("data/runs.parquet", "the file exists"),
        ("data/new.parquet", "inside a folder"),
        ("data/2025-07/new.parquet", "inside a folder"),
        ("data/../data/new.csv", "inside a folder"),
        (&absolute[..], "inside a folder"),
        ("nowhere/new.csv", "nowhere/new.csv"),
        ("new.txt", "the ending is not"),
    ]
    .into_iter()
    .chain(links)
    {
        let found = command(&folder, &["--output", file, "SELECT * FROM r", "r=data"]);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0), "{file}: {error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{file}: {error}");
    }
    for arguments in [
        &["SELECT 1", "r=data", "--output"][..],
        &["--output", "a.csv", "--output", "b.csv", "SELECT 1", "r=data"],
        &["SELECT 1", "r=data", "--output=precious.csv"],
    ] {
        assert_eq!(command(&folder, arguments).status.code(), Some(2), "{arguments:?}");
    }
    // A query that fails, before or while it runs, leaves no file.
    for sql in ["SELECT nothing FROM r", "SELECT log_score(p + 1, y) FROM r"] {
        assert_eq!(
            command(&folder, &["--output", "new.csv", sql, "r=data"]).status.code(),
            Some(2)
        );
        assert!(!folder.join("new.csv").exists(), "{sql}");
    }
    assert_eq!(contents(&folder.join("data")), before);
    assert_eq!(fs::read_to_string(folder.join("precious.csv")).unwrap(), "precious\n");
}

#[test]
fn deep_queries_run_or_are_refused() {
    let folder = folder("depth");
    let joined = |term: &str, by: &str, n: usize| vec![term; n].join(by);
    let file = |sql: String| fs::write(folder.join("query.sql"), sql).unwrap();
    let arguments = ["--file", "query.sql", "r=data"];
    file(format!("SELECT count(*) AS n FROM r WHERE {}", joined("p = 0.75", " OR ", 400)));
    assert!(String::from_utf8(command(&folder, &arguments).stdout).unwrap().contains("| 1 |"));
    file(format!("SELECT {} AS n FROM r LIMIT 1", joined("p", " + ", 1_000)));
    assert!(String::from_utf8(command(&folder, &arguments).stdout).unwrap().contains("| 750.0 |"));
    for sql in [
        format!("SELECT {} FROM r", joined("p", "+", 100_000)),
        format!("SELECT * FROM r WHERE {}", joined("y", " OR ", 100_000)),
        joined("SELECT p FROM r", " UNION ALL ", 10_000),
        format!("SELECT p{} FROM r", "::DOUBLE".repeat(10_000)),
        format!("SELECT {}p{} FROM r", "(".repeat(10_000), ")".repeat(10_000)),
        format!("SELECT {}p{} FROM r", "CASE WHEN y THEN ".repeat(1_000), " END".repeat(1_000)),
        format!("SELECT * FROM {}r{}", "(SELECT * FROM ".repeat(300), ")".repeat(300)),
        format!("SELECT p FROM r WHERE 0 < p{}", " + r.then".repeat(60_000)),
        format!(
            "SELECT p FROM r WHERE CASE WHEN 0 < p{} THEN y END",
            " + r.end + then".repeat(9_000)
        ),
        format!("SELECT p FROM r WHERE {} y", "NOT ".repeat(1_000)),
        format!("SELECT {} p FROM r", "- ".repeat(1_999)),
    ] {
        file(sql);
        let found = command(&folder, &arguments);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(2), "{error}");
        assert!(error.contains("the query nests"), "{error}");
    }
    for (before, after) in [("(", ")"), ("abs(", ")"), ("CASE WHEN y OR NOT y THEN ", " END")] {
        file(format!("SELECT max({}p{}) FROM r", before.repeat(150), after.repeat(150)));
        let found = command(&folder, &arguments);
        let error = String::from_utf8(found.stderr).unwrap();
        assert!(String::from_utf8(found.stdout).unwrap().contains("| 0.75 "), "{before}: {error}");
    }
    file(format!("SELECT max(p) FROM {}r{}", "(SELECT * FROM ".repeat(150), ")".repeat(150)));
    assert!(String::from_utf8(command(&folder, &arguments).stdout).unwrap().contains("| 0.75 "));
    // Many items are not deep, and names are no keywords.
    file(format!("SELECT {} r.p FROM r", "r.p AS \"case\", r.y AS end, ".repeat(300)));
    let error = String::from_utf8(command(&folder, &arguments).stderr).unwrap();
    assert!(!error.contains("nests"), "{error}");
    file(format!("SELECT count(*) AS n FROM r WHERE {}", joined("r.p = 0.75", " OR ", 900)));
    assert!(String::from_utf8(command(&folder, &arguments).stdout).unwrap().contains("| 1 |"));
    file(format!("SELECT count(*) AS n FROM r WHERE p IN ({})", joined("-1 + 1.75", ", ", 3_000)));
    assert!(String::from_utf8(command(&folder, &arguments).stdout).unwrap().contains("| 1 |"));
}

#[test]
fn an_output_holds_every_value_or_is_refused() {
    let folder = folder("values");
    for (file, sql, part) in [
        ("a.jsonl", "SELECT p, log_score(0.0, true) AS s FROM r", "the value of s in row 1"),
        ("a.jsonl", "SELECT make_array(1.0, 'NaN'::DOUBLE) AS s", "the value of s in row 1"),
        ("a.jsonl", "SELECT named_struct('z', '-inf'::FLOAT) AS s", "the value of s in row 1"),
        ("a.jsonl", "SELECT map {'a': 'nan'::DOUBLE} AS s", "the value of s in row 1"),
        ("a.jsonl", "SELECT arrow_cast('nan', 'Float16') AS s", "the value of s in row 1"),
        ("a.csv", "SELECT * FROM r CROSS JOIN r AS t", "the name p stands twice"),
        ("a.csv", "SELECT cluster_mean(p, 'a') AS m FROM r", "such as m['mean']"),
    ] {
        let found = command(&folder, &["--output", file, sql, "r=data"]);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(2), "{sql}");
        assert!(error.contains(part) && !folder.join(file).exists(), "{sql}: {error}");
    }
    let sql = "SELECT cluster_mean(p, 'a') AS m, make_array(1.5) AS l FROM r";
    assert!(command(&folder, &["--output", "a.jsonl", sql, "r=data"]).status.success());
    let sql = "SELECT log_score(0.0, true) AS s";
    assert!(command(&folder, &["--output", "a.csv", sql]).status.success());
    assert_eq!(fs::read_to_string(folder.join("a.csv")).unwrap(), "s\n-inf\n");
}

#[test]
fn texts_are_not_compared_with_numbers() {
    let folder = folder("texts");
    fs::write(folder.join("t.csv"), "task,p\n007,0.5\n7,0.25\n").unwrap();
    for sql in [
        "SELECT * FROM t WHERE task = 7",
        "SELECT * FROM t WHERE 7 <> task",
        "SELECT * FROM t WHERE task IN (7, 8)",
        "SELECT * FROM t WHERE task BETWEEN 1 AND 9",
        "SELECT * FROM t WHERE task IN (SELECT 7)",
        "SELECT * FROM t JOIN (SELECT 7 AS n) ON task = n",
        "SELECT * FROM t JOIN (SELECT 7 AS task) AS u USING (task)",
        "SELECT task FROM t GROUP BY task HAVING max(task) > 6",
        "SELECT CASE WHEN task = 7 THEN p END FROM t",
        "SELECT CASE task WHEN 7 THEN p END FROM t",
        "SELECT * FROM (SELECT p, task AS id FROM t) WHERE id = 7",
        "SELECT (SELECT max(p) FROM t WHERE task = n) FROM (SELECT 7 AS n)",
        "SELECT coalesce(task, 1) FROM t",
        "SELECT nullif(task, 7) FROM t",
        "SELECT * FROM t WHERE [task] = [7]",
    ] {
        let found = command(&folder, &[sql, "t=t.csv"]);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(2), "{sql}");
        assert!(error.contains(" is a text that the query reads as a number"), "{sql}: {error}");
    }
    let date = "SELECT * FROM (SELECT DATE '2025-01-31' AS d) WHERE d > 20250101";
    let error = command(&folder, &[date]).stderr;
    assert!(String::from_utf8(error).unwrap().contains("reads as the time since 1970"));
    for (sql, rows) in [
        ("SELECT * FROM t WHERE task = '7'", 1),
        ("SELECT * FROM t WHERE CAST(task AS BIGINT) = 7", 2),
        ("SELECT * FROM t WHERE p > '0.3'", 1),
        ("SELECT * FROM t WHERE TRY_CAST(trim(task) AS DOUBLE) = 7", 2),
        ("SELECT sum(CAST(task AS DOUBLE)) FROM t HAVING sum(CAST(task AS DOUBLE)) > 8", 1),
        ("SELECT * FROM t WHERE task IN ('7', '8')", 1),
    ] {
        let found = command(&folder, &[sql, "t=t.csv"]);
        let lines = String::from_utf8(found.stdout).unwrap().lines().count();
        assert_eq!(lines, 4 + rows, "{sql}: {}", String::from_utf8_lossy(&found.stderr));
    }
}

#[test]
fn a_limit_ends_a_query_with_its_name_and_without_a_file() {
    let folder = folder("limits");
    let many =
        "SELECT auroc(p, p > 0.5) FROM (SELECT random() AS p FROM generate_series(1, 300000))";
    let slow = "SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000) b";
    let long = "SELECT a.value FROM generate_series(1, 1000000000) a";
    for (arguments, part) in [
        (["--memory-limit", "2MB", many], "memory limit"),
        (["--timeout", "300ms", slow], "timeout: the query did not finish within 300ms"),
        (["--timeout", "1s", long], "add LIMIT"),
    ] {
        let found = command(&folder, &[&arguments[..], &["--output", "new.csv"]].concat());
        let error = String::from_utf8(found.stderr).unwrap();
        let part = if arguments[2] == long { "timeout" } else { part };
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "{arguments:?}");
    }
    let found = command(&folder, &[long]);
    assert!(String::from_utf8(found.stderr).unwrap().contains("add LIMIT"));
    // Groups are written to temporary files.
    let groups = "SELECT count(*) AS n FROM (SELECT value, exact_sum(value) FROM \
        generate_series(1, 30000) GROUP BY value)";
    let found = command(&folder, &["--memory-limit", "30MB", groups]);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    assert!(String::from_utf8(found.stdout).unwrap().contains("| 30000 |"));
    for limit in [["--memory-limit", "512"], ["--memory-limit", "0GB"], ["--timeout", "60"]] {
        let found = command(&folder, &[&limit[..], &["SELECT 1"]].concat());
        assert_eq!(found.status.code(), Some(2), "{limit:?}");
    }
}

#[test]
fn the_query_comes_from_a_file_or_from_standard_input() {
    let folder = folder("file");
    fs::write(folder.join("query.sql"), "-- All rows.\nSELECT count(*) AS n\nFROM r;\n").unwrap();
    for arguments in [
        &["--file", "query.sql", "r=data"][..],
        &["r=data", "--file=query.sql"],
        &["-- All rows.\nSELECT count(*) AS n FROM r", "r=data"],
        &["r=data", "SELECT count(*) AS n FROM r WHERE p = p OR p IS NULL"],
    ] {
        let found = command(&folder, arguments);
        assert!(String::from_utf8(found.stdout).unwrap().contains("| 3 |"), "{arguments:?}");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_agent-scorecard-sql"));
    child.current_dir(&folder).args(["--file", "-", "r=data"]);
    let found = child.stdin(File::open(folder.join("query.sql")).unwrap()).output().unwrap();
    assert!(String::from_utf8(found.stdout).unwrap().contains("| 3 |"));
    for (arguments, part) in [
        (&["--file", "none.sql", "r=data"][..], "none.sql"),
        (&["--file", "query.sql", "SELECT 1", "r=data"], "TABLE=PATH"),
        (&["r=data"], "a query is missing"),
        (&["--memory", "SELECT 1"], "--memory-limit"),
    ] {
        let found = command(&folder, arguments);
        let error = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(2), "{error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
    }
    // Functions and tables by SQL, without a table.
    for (sql, part) in [
        ("SHOW FUNCTIONS LIKE 'auroc'", "auroc"),
        ("SELECT DISTINCT routine_name FROM information_schema.routines", "log_score"),
        ("SHOW TABLES", "information_schema"),
    ] {
        let found = command(&folder, &[sql]);
        assert!(String::from_utf8(found.stdout).unwrap().contains(part), "{sql}");
    }
}
