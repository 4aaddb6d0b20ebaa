//! A folder is read whole, or not at all.
#![allow(clippy::unwrap_used)]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
};

use datafusion::{
    arrow::array::{ArrayRef, BooleanArray, Float64Array, RecordBatch},
    parquet::arrow::ArrowWriter,
};

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("folders").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes two rows with the given confidence.
fn write_parquet(path: &Path, p: f64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let batch = RecordBatch::try_from_iter([
        ("p", Arc::new(Float64Array::from(vec![p, p])) as ArrayRef),
        ("y", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef),
    ])
    .unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn query(sql: &str, path: &Path) -> Output {
    let table = format!("r={}", path.display());
    Command::new(env!("CARGO_BIN_EXE_agent-scorecard-sql")).args([sql, &table]).output().unwrap()
}

/// The lines of the table, with one space around each cell.
fn rows(sql: &str, path: &Path) -> Vec<String> {
    let output = query(sql, path);
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(1);
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn refused(path: &Path) -> String {
    let output = query("SELECT count(*) FROM r", path);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", path.display());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

const SUM: &str = "SELECT count(*), exact_sum(p) FROM r";

#[test]
fn files_on_all_levels_and_with_all_endings_are_read() {
    let folder = folder("levels");
    write_parquet(&folder.join("a.parquet"), 0.5);
    write_parquet(&folder.join("2025-07/a.parquet"), 0.25);
    assert_eq!(rows(SUM, &folder), ["| 4 | 1.5 |"]);
    for (name, p) in [
        ("b.PARQUET", 0.125),
        ("c.parq", 0.0625),
        ("2025-08/d.Pq", 0.5),
        ("2025-08/x/y/100% of #1 [e] é.parquet", 0.25),
    ] {
        write_parquet(&folder.join(name), p);
    }
    assert_eq!(rows(SUM, &folder), ["| 12 | 3.375 |"]);
    // What other programs put beside data is not data.
    write(&folder.join("_SUCCESS"), "");
    write(&folder.join("2025-07/.a.parquet.crc"), "1");
    write(&folder.join(".cache/notes.txt"), "1");
    assert_eq!(rows(SUM, &folder), ["| 12 | 3.375 |"]);
    // One file with another ending.
    assert_eq!(rows(SUM, &folder.join("b.PARQUET")), ["| 2 | 0.25 |"]);
}

#[test]
fn key_value_folders_become_columns() {
    let folder = folder("keys");
    for (path, p) in [
        ("model=a/epoch=01/1.parquet", 0.5),
        ("model=a/epoch=02/1.parquet", 0.25),
        ("model=b%2Fc d/epoch=02/deeper/1.parquet", 0.125),
        ("model=__HIVE_DEFAULT_PARTITION__/epoch=10/1.parquet", 0.0625),
    ] {
        write_parquet(&folder.join(path), p);
    }
    let sql = "SELECT model, count(*) AS n, exact_sum(p) FROM r GROUP BY model ORDER BY model";
    assert_eq!(rows(sql, &folder), ["| a | 4 | 1.5 |", "| b/c d | 2 | 0.25 |", "| | 2 | 0.125 |"]);
    for (filter, n) in [
        ("model = 'a'", 4),
        ("model IS NULL", 2),
        ("model IS NOT NULL AND p < 1", 6),
        ("epoch = 1", 2),
        ("epoch > 9", 2),
        ("epoch = '02' AND model = 'b/c d'", 2),
        ("model = 'd'", 0),
    ] {
        let found = rows(&format!("SELECT count(*) FROM r WHERE {filter}"), &folder);
        assert_eq!(found, [format!("| {n} |")], "{filter}");
    }
    assert_eq!(rows("SELECT * FROM r WHERE epoch = 10 LIMIT 1", &folder).len(), 1);
    // Files of JSON and CSV alike.
    for (name, text) in [("1.jsonl", "{\"p\": 0.5}\n"), ("1.csv", "p\n0.5\n")] {
        let kind = folder.join(name.trim_start_matches("1.")).join("all");
        write(&kind.join("model=a").join(name), text);
        write(&kind.join("model=b").join(name), text);
        let found =
            rows("SELECT model, exact_sum(p) AS sum FROM r GROUP BY model ORDER BY model", &kind);
        assert_eq!(found, ["| a | 0.5 |", "| b | 0.5 |"], "{name}");
    }
}

#[test]
fn a_folder_of_json_lines_or_csv_has_the_columns_of_all_files() {
    let folder = folder("text_files");
    write(&folder.join("json/1.jsonl"), "{\"p\": 1}\n{\"p\": 0, \"t\": null}\n");
    write(&folder.join("json/late/2.NDJSON"), "{\"p\": 0.75, \"t\": \"x\"}\n");
    write(&folder.join("json/late/empty.json"), "");
    write(&folder.join("csv/1.csv"), "p,t\n1.0,w\n0.0,\n");
    write(&folder.join("csv/late/2.CSV"), "p,t\n0.75,x\n");
    for kind in ["json", "csv"] {
        let found = rows("SELECT exact_sum(p) AS sum, max(t) AS t FROM r", &folder.join(kind));
        assert_eq!(found, ["| 1.75 | x |"], "{kind}");
    }
    let error = {
        write(&folder.join("json/late/3.jsonl"), "{\"p\": \"1\"}\n");
        let output = query("SELECT exact_sum(p) FROM r", &folder.join("json"));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(error.contains("3.jsonl") && error.contains("column p"), "{error}");
    // The engine reads columns of CSV by position.
    for (text, columns) in
        [("t,p\nx,0.5\n", "t, p"), ("p,t,more\n0.5,x,1\n", "p, t, more"), ("", "")]
    {
        write(&folder.join("csv/3.csv"), text);
        let error = refused(&folder.join("csv"));
        let named = format!("csv/3.csv has {columns:?}");
        assert!(error.contains("1.csv has the columns \"p, t\""), "{error}");
        assert!(error.contains(&named) && error.contains("must have the same columns"), "{error}");
    }
}

#[test]
fn what_would_be_left_out_or_read_twice_is_refused() {
    for (name, others, part) in [
        ("kinds", vec!["x/b.csv"], "must be of one kind"),
        ("json", vec!["b.jsonl"], "must be of one kind"),
        ("compressed", vec!["b.parquet.gz"], "the ending is not"),
        ("temporary", vec!["b.parquet.tmp"], "the ending is not"),
        ("no_ending", vec!["part-0000"], "the ending is not"),
        ("readme", vec!["docs/README.md"], "the ending is not"),
        ("hidden", vec![".b.parquet"], "begin with `.` or `_`"),
        ("checkpoints", vec![".ipynb_checkpoints/a-checkpoint.parquet"], "begin with `.` or `_`"),
        ("spark", vec!["_temporary/0/b.parquet"], "begin with `.` or `_`"),
        ("delta", vec!["_delta_log/00000000000000000000.json"], "begin with `.` or `_`"),
        ("empty_file", vec!["b.parquet"], "is empty"),
    ] {
        let folder = folder(name);
        write_parquet(&folder.join("a.parquet"), 0.5);
        for other in &others {
            write(&folder.join(other), if name == "empty_file" { "" } else { "p\n1\n" });
        }
        let error = refused(&folder);
        let named = others[0].rsplit('/').next().unwrap();
        assert!(error.contains(part) && error.contains(named), "{name}: {error}");
    }
    for (name, files, part) in [
        ("no_key", ["a.parquet", "model=a/a.parquet"], "same keys"),
        ("other_key", ["model=a/a.parquet", "task=a/a.parquet"], "same keys"),
        ("order_of_keys", ["model=a/task=b/a.parquet", "task=b/model=a/a.parquet"], "same keys"),
        ("key_twice", ["model=a/model=b/a.parquet", "model=b/model=a/a.parquet"], "`model`"),
        ("key_and_column", ["p=0.5/a.parquet", "p=1/a.parquet"], "`p`"),
    ] {
        let folder = folder(name);
        files.iter().for_each(|file| write_parquet(&folder.join(file), 0.5));
        let error = refused(&folder);
        assert!(error.contains(part), "{name}: {error}");
    }
    let nothing = folder("nothing");
    fs::create_dir_all(nothing.join("months")).unwrap();
    assert!(refused(&nothing).contains("the folder holds no"));
}

#[cfg(unix)]
#[test]
fn a_link_does_not_count_rows_twice() {
    use std::os::unix::fs::symlink;

    let data = folder("linked_data");
    write_parquet(&data.join("a.parquet"), 0.5);
    let links = folder("links");
    symlink(&data, links.join("data")).unwrap();
    assert_eq!(rows(SUM, &links), ["| 2 | 1.0 |"]);
    symlink(data.join("a.parquet"), links.join("latest.parquet")).unwrap();
    assert!(refused(&links).contains("reached twice"));
    fs::remove_file(links.join("latest.parquet")).unwrap();
    symlink(&links, links.join("circle")).unwrap();
    assert!(refused(&links).contains("reached twice"));
    fs::remove_file(links.join("circle")).unwrap();
    symlink("nowhere", links.join("gone.parquet")).unwrap();
    assert!(refused(&links).contains("gone.parquet"));
}
