//! Numbers and types of JSON Lines come from all rows, whatever their order.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn file(name: &str, lines: &[String]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("json_lines");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn query(sql: &str, path: &Path) -> Output {
    let table = format!("r={}", path.display());
    Command::new(env!("CARGO_BIN_EXE_agent-scorecard-sql")).args([sql, &table]).output().unwrap()
}

/// The cells of the rows.
fn rows(sql: &str, path: &Path) -> Vec<Vec<String>> {
    let output = query(sql, path);
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(1);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}

/// The error of a query that is refused, with exit code 2 and no rows.
fn refused(sql: &str, path: &Path) -> String {
    let output = query(sql, path);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{sql}");
    String::from_utf8(output.stderr).unwrap()
}

/// The first lines are repeated, so that the others come after all that a first look at the file sees.
fn early_and_late(early: &[&str], late: &[&str]) -> Vec<String> {
    let repeated = early.iter().cycle().take(1_200);
    repeated.chain(late).map(|line| (*line).to_owned()).collect()
}

/// The lines as they are, from the end, and with the late ones in the middle.
fn orders(name: &str, lines: &[String]) -> Vec<PathBuf> {
    let reversed: Vec<String> = lines.iter().rev().cloned().collect();
    let rotated = [&lines[600..], &lines[..600]].concat();
    [("as_is", lines), ("reversed", &reversed), ("rotated", &rotated)]
        .map(|(order, lines)| file(&format!("{name}_{order}.jsonl"), lines))
        .to_vec()
}

#[test]
fn fractions_after_many_whole_numbers_are_kept() {
    let lines = early_and_late(
        &[r#"{"p": 1, "y": true}"#, r#"{"p": 0, "y": false}"#],
        &[[r#"{"p": 0.7, "y": false}"#, r#"{"p": 0.9, "y": true}"#]; 400].concat(),
    );
    for path in orders("fractions", &lines) {
        // (600 + 400 * 0.7 + 400 * 0.9) / 2000, and every success is above every failure.
        let found = rows("SELECT exact_mean(p), auroc(p, y) FROM r", &path);
        assert_eq!(found, [["0.62", "1.0"]], "{}", path.display());
    }
    let lines = early_and_late(&[r#"{"cost": 3}"#], &[r#"{"cost": 2.75}"#; 300]);
    for path in orders("costs", &lines) {
        assert_eq!(rows("SELECT exact_sum(cost), count(*) FROM r", &path), [["4425.0", "1500"]]);
    }
}

#[test]
fn fractions_in_lists_and_objects_are_kept() {
    let lines = early_and_late(
        &[r#"{"f": [1, 0], "s": {"p": 1, "q": [{"x": 2}]}}"#],
        &[r#"{"f": [0.5, 0.25], "s": {"p": 0.5, "q": [{"x": 2.5}]}}"#],
    );
    for path in orders("nested", &lines) {
        let sql = "SELECT f[1], f[2], s['p'], s['q'][1]['x'] FROM r WHERE f[1] < 1";
        assert_eq!(rows(sql, &path), [["0.5", "0.25", "0.5", "2.5"]], "{}", path.display());
    }
}

#[test]
fn a_key_that_comes_late_is_a_column() {
    let lines = early_and_late(
        &[r#"{"p": 1, "s": {}, "f": [], "n": null}"#],
        &[r#"{"p": 1, "late": 0.25, "s": {"inner": 3}, "f": [0.5], "n": 7}"#],
    );
    for path in orders("late_key", &lines) {
        let sql =
            "SELECT count(*), count(late), sum(late), sum(s['inner']), sum(f[1]), sum(n) FROM r";
        assert_eq!(rows(sql, &path), [["1201", "1", "0.25", "3", "0.5", "7"]]);
        let columns = rows("SELECT * FROM r WHERE late > 0", &path);
        assert_eq!(columns, [["[0.5]", "0.25", "7", "1", "{inner: 3}"]]);
    }
}

#[test]
fn large_whole_numbers_are_exact_or_refused() {
    let large = [r#"{"id": 9007199254740993}"#, r#"{"id": 18446744073709551615}"#];
    for path in orders("large", &early_and_late(&[r#"{"id": 1}"#], &large)) {
        let found = rows("SELECT id FROM r WHERE id > 1 ORDER BY id", &path);
        assert_eq!(found, [["9007199254740993"], ["18446744073709551615"]]);
    }
    for (name, early, late, number) in [
        (
            "too_large",
            r#"{"id": 1, "p": 1}"#,
            r#"{"id": 18446744073709551617, "p": 1}"#,
            "18446744073709551617",
        ),
        (
            "negative",
            r#"{"id": -1, "p": 1}"#,
            r#"{"id": 18446744073709551615, "p": 1}"#,
            "18446744073709551615",
        ),
        (
            "uuid",
            r#"{"id": 1, "p": 1}"#,
            r#"{"id": 340282366920938463463374607431768211457, "p": 1}"#,
            "340282366920938463463374607431768211457",
        ),
        (
            "beside",
            r#"{"id": 0.5, "p": 1}"#,
            r#"{"id": 9007199254740993, "p": 1}"#,
            "9007199254740993",
        ),
        ("infinite", r#"{"id": 0.5, "p": 1}"#, r#"{"id": 1e400, "p": 1}"#, "1e400"),
        (
            "in_list",
            r#"{"id": [[0.5]], "p": 1}"#,
            r#"{"id": [[9007199254740993]], "p": 1}"#,
            "9007199254740993",
        ),
    ] {
        let lines = early_and_late(&[early], &[late]);
        for (path, line) in orders(name, &lines).iter().zip(["1201", "1", "601"]) {
            let error = refused("SELECT count(id) FROM r", path);
            let place = format!("{number} in line {line} of {}", path.display());
            assert!(error.starts_with("error: column id") && error.contains(&place), "{error}");
            // Other columns can be read.
            assert_eq!(rows("SELECT sum(p), count(*) FROM r", path), [["1201", "1201"]]);
        }
    }
    // Powers of ten and of two are floats whatever their size.
    let lines = early_and_late(
        &[r#"{"x": 0.5}"#],
        &[r#"{"x": 10000000000000000000000}"#, r#"{"x": 1e300}"#],
    );
    for path in orders("exact_floats", &lines) {
        assert_eq!(rows("SELECT x FROM r WHERE x > 1 ORDER BY x", &path), [["1e22"], ["1e300"]]);
    }
}

#[test]
fn a_column_whose_kind_changes_is_refused_where_it_is_used() {
    for (name, early, late) in [
        ("text", r#"{"v": 1, "p": 1}"#, r#"{"v": "0.5", "p": 1}"#),
        ("boolean", r#"{"v": true, "p": 1}"#, r#"{"v": 1, "p": 1}"#),
        ("list", r#"{"v": 1, "p": 1}"#, r#"{"v": [1], "p": 1}"#),
        ("object", r#"{"v": "a", "p": 1}"#, r#"{"v": {"a": 1}, "p": 1}"#),
        ("in_object", r#"{"v": {"a": 1}, "p": 1}"#, r#"{"v": {"a": "1"}, "p": 1}"#),
        ("in_list", r#"{"v": [1], "p": 1}"#, r#"{"v": ["1"], "p": 1}"#),
    ] {
        let lines = early_and_late(&[early], &[late]);
        for path in orders(&format!("kind_{name}"), &lines) {
            for sql in
                ["SELECT count(v) FROM r", "SELECT * FROM r", "SELECT p FROM r WHERE v IS NULL"]
            {
                let error = refused(sql, &path);
                assert!(error.starts_with("error: column v"), "{name}: {error}");
                assert!(
                    error.contains(", but ") && error.contains("in line 1 of"),
                    "{name}: {error}"
                );
            }
            assert_eq!(rows("SELECT sum(p), count(*) FROM r", &path), [["1201", "1201"]], "{name}");
            // Nor does an error of the types hide the reason.
            let error = refused("SELECT auroc(p, v) FROM r", &path);
            assert!(error.contains("column v") && error.contains(", but "), "{name}: {error}");
        }
    }
}

#[test]
fn a_line_that_is_no_object_is_named() {
    for (name, line, problem) in [
        ("nan", r#"{"p": NaN}"#, "line 1201: column 7: expected value"),
        ("array", r#"[{"p": 1}]"#, "line 1201: the line is not an object"),
        ("two", r#"{"p": 1} {"p": 2}"#, "line 1201: column 10: trailing characters"),
        ("cut", r#"{"p": 1"#, "line 1201: column"),
        ("twice", r#"{"p": 1, "a": ",:}", "p": 2}"#, "line 1201: the key \"p\" occurs twice"),
    ] {
        let path = file(&format!("line_{name}.jsonl"), &early_and_late(&[r#"{"p": 1}"#], &[line]));
        let error = refused("SELECT count(*) FROM r", &path);
        assert!(error.contains(problem) && error.contains("one JSON object"), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn whole_numbers_of_csv_are_not_cut_either() {
    let lines = early_and_late(&["1,a"], &["0.5,\"line\nbreak\"", "0.25,b"]);
    let path = file("late.csv", &[vec!["p,t".to_owned()], lines].concat());
    assert_eq!(rows("SELECT exact_sum(p), count(*) FROM r", &path), [["1200.75", "1202"]]);
    let path = file("uneven.csv", &["p,t", "1,a", "1"].map(str::to_owned));
    let error = refused("SELECT count(*) FROM r", &path);
    assert!(error.contains("uneven.csv: ") && error.contains("line 3"), "{error}");
}

#[test]
fn ids_of_csv_stay_texts_and_words_for_missing_values_are_null() {
    let lines = [
        "task,p,y,day,note,big",
        "001,0.25,true,2025-07-01,NA,12345678901234567890",
        "1,NA,False,2025-07-02,none,1",
        "01, n/a ,null,N/A,x,2",
        "10,,NA,,,3",
        "010,NaN,true,NULL,NA,4",
        "7,1,TRUE,2025-07-03,001,5",
    ];
    let path = file("ids.csv", &lines.map(str::to_owned));
    assert_eq!(
        rows("SELECT count(DISTINCT task), count(DISTINCT big) FROM r", &path),
        [["6", "6"]]
    );
    assert_eq!(rows("SELECT task FROM r WHERE p = 0.25 AND task = '001'", &path), [["001"]]);
    let sql = "SELECT count(p), exact_sum(p), count(y), count(day), max(day), count(note) FROM r";
    assert_eq!(rows(sql, &path), [["2", "1.25", "4", "3", "2025-07-03", "5"]]);
    // Alone, beside the other columns, in conditions and in scores.
    assert_eq!(rows("SELECT p FROM r WHERE p > 0.5", &path), [["1.0"]]);
    assert_eq!(rows("SELECT exact_mean(brier_score(p, y)) FROM r", &path), [["-0.28125"]]);
    let all = rows("SELECT * FROM r WHERE p IS NULL ORDER BY task LIMIT 1", &path);
    assert_eq!(all, [["01", "", "", "", "x", "2"]]);
    // A later file of a folder may have other words for it, or no value at all.
    let folder = path.with_file_name("missing_in_folder");
    fs::create_dir_all(&folder).unwrap();
    for (name, p) in [("1.csv", "None"), ("2.csv", "0.5\n#N/A"), ("3.csv", "")] {
        fs::write(folder.join(name), format!("t,p\na,{p}\n").replace("\n#", "\na,#")).unwrap();
    }
    assert_eq!(rows("SELECT count(*), count(p), sum(p) FROM r", &folder), [["4", "1", "0.5"]]);
}

#[test]
fn numbers_of_csv_that_no_float_equals_stay_texts_and_an_open_quotation_mark_is_an_error() {
    let lines = ["p,n,t", "0.5,0.5,a", "1e400,9007199254740993,\"b, \"\"c\"\"\"", "1,2,\"d\""];
    let path = file("wide.csv", &lines.map(str::to_owned));
    let all = rows("SELECT p, n, t FROM r WHERE p = '1e400' AND n = '9007199254740993'", &path);
    assert_eq!(all, [["1e400", "9007199254740993", "b, \"c\""]]);
    let path = file("open.csv", &["p,m", "0.5,a", "0.2,\"b", "0.9,c", "0.9,d"].map(str::to_owned));
    let error = refused("SELECT count(*) FROM r", &path);
    assert!(error.contains("open.csv") && error.contains("is not closed"), "{error}");
}

#[test]
fn dates_of_csv_that_do_not_exist_are_texts_and_offsets_of_times_count() {
    let lines = [
        "day,at,local,mixed,hour",
        "2025-02-28,2025-02-03T10:00:00+02:00,2025-02-03 10:00:00,2025-02-03T10:00:00Z,2025-02-03 24:00:00",
        "NA,NA,,,2025-02-03 09:00:00",
        "2025-02-30,2025-02-03 09:30:00.5Z,2025-02-04,2025-02-03T09:00:00,2025-02-03 10:00:00",
    ];
    let path = file("times.csv", &lines.map(str::to_owned));
    let sql = "SELECT day FROM r WHERE day > '2025-02-28' AND day <> 'NA'";
    assert_eq!(rows(sql, &path), [["2025-02-30"]]);
    // Times with offsets are moments, and stay texts beside times without.
    let sql = "SELECT min(at), max(at), max(local), max(mixed), max(hour) FROM r";
    let times = [
        "2025-02-03T08:00:00Z",
        "2025-02-03T09:30:00.500Z",
        "2025-02-04T00:00:00",
        "2025-02-03T10:00:00Z",
        "2025-02-03 24:00:00",
    ];
    assert_eq!(rows(sql, &path), [times]);
    // Without a missing value, too, which is read in another way.
    let path = file("moments.csv", &["at", lines[1].split(',').nth(1).unwrap()].map(str::to_owned));
    assert_eq!(rows("SELECT at FROM r", &path), [["2025-02-03T08:00:00Z"]]);
}

#[test]
fn types_of_csv_come_from_all_files_of_a_folder() {
    let texts = [
        "y,id,p,t\n1,7,1,2025-02-03\n0,8,9007199254740993,2025-02-03\n",
        "y,id,p,t\n0.5,010,0.25,2025-02-03T10:00:00.25\nNA,9,NA,\n",
        "y,id,p,t\n,,,\n",
    ];
    for (order, names) in [["1", "2", "3"], ["2", "1", "3"], ["3", "2", "1"]].iter().enumerate() {
        let folder = file("unused", &[]).with_file_name(format!("types_{order}"));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in names.iter().zip(texts) {
            fs::write(folder.join(name).with_extension("csv"), text).unwrap();
        }
        let sql = "SELECT sum(y), count(DISTINCT id), max(id), max(t), max(p) FROM r";
        let expected = ["1.5", "4", "9", "2025-02-03T10:00:00.250", "NA"];
        assert_eq!(rows(sql, &folder), [expected], "{names:?}");
    }
}
