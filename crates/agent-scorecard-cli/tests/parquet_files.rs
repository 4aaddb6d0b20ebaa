//! A Parquet file gives what the same rows give as JSON Lines.
#![cfg(feature = "parquet")]
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod program;

use std::{fs, fs::File, sync::Arc};

use parquet::{
    basic::Compression,
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType},
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};
use program::{bundled, json_of, refusal, run_other, write};
use serde_json::Value;

const SCHEMA: &str = "
    message runs {
        required binary id (UTF8);
        optional binary task (UTF8);
        optional group forecasts (LIST) { repeated group list { optional double element; } }
        optional boolean outcome;
        optional binary stop (UTF8);
    }";

/// Writes the lines of a file of traces as Parquet, and returns the path.
fn parquet(name: &str, lines: &str) -> String {
    let path = write(name, "");
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();

    let texts = |field: &str| -> Vec<Option<ByteArray>> {
        rows.iter().map(|row| row[field].as_str().map(ByteArray::from)).collect()
    };
    let known = |texts: Vec<Option<ByteArray>>| texts.into_iter().flatten().collect::<Vec<_>>();
    let levels = |texts: &[Option<ByteArray>]| -> Vec<i16> {
        texts.iter().map(|text| i16::from(text.is_some())).collect()
    };

    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&known(texts("id")), None, None).unwrap();
    column.close().unwrap();

    let mut column = group.next_column().unwrap().unwrap();
    let tasks = texts("task");
    let defined = levels(&tasks);
    column.typed::<ByteArrayType>().write_batch(&known(tasks), Some(&defined), None).unwrap();
    column.close().unwrap();

    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        for (i, forecast) in row["forecasts"].as_array().unwrap().iter().enumerate() {
            let number = match forecast {
                Value::String(word) => Some(word.parse().unwrap()),
                other => other.as_f64(),
            };
            values.extend(number);
            defined.push(2 + i16::from(number.is_some()));
            repeated.push(i16::from(i > 0));
        }
    }
    let mut column = group.next_column().unwrap().unwrap();
    let typed = column.typed::<DoubleType>();
    typed.write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
    column.close().unwrap();

    let outcomes: Vec<Option<bool>> = rows.iter().map(|row| row["outcome"].as_bool()).collect();
    let defined: Vec<i16> = outcomes.iter().map(|outcome| i16::from(outcome.is_some())).collect();
    let outcomes: Vec<bool> = outcomes.into_iter().flatten().collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<BoolType>().write_batch(&outcomes, Some(&defined), None).unwrap();
    column.close().unwrap();

    let mut column = group.next_column().unwrap().unwrap();
    let stops = texts("stop");
    let defined = levels(&stops);
    column.typed::<ByteArrayType>().write_batch(&known(stops), Some(&defined), None).unwrap();
    column.close().unwrap();

    group.close().unwrap();
    writer.close().unwrap();
    path
}

#[test]
fn a_parquet_file_gives_the_numbers_of_the_same_rows_as_json_lines() {
    let lines = fs::read_to_string(bundled("demo_truthful.jsonl")).unwrap();
    // The columns above are all that the rows have.
    let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<Value> =
        rows.filter(|row| row.get("horizon").is_none_or(Value::is_null)).collect();
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    assert!(rows.len() > 50);
    let text = write("as_lines.jsonl", &lines);
    let table = parquet("as_rows.parquet", &lines);
    let arguments = ["--json", "--resamples", "50"];
    let of = |path: &str| {
        let mut report = json_of("traces", &[&[path], &arguments[..]].concat());
        assert_eq!(report["file"].take(), path);
        report["name"].take();
        report["account"]["name"].take();
        report
    };
    assert_eq!(of(&table), of(&text));
}

#[test]
fn a_wrong_value_is_named_by_its_row_and_column() {
    let good = r#"{"id":"a","forecasts":[0.5,0.7],"outcome":true}"#;
    for (name, value, problem) in
        [("high", "1.5", "1.5"), ("missing", "null", "missing"), ("nan", "\"NaN\"", "NaN")]
    {
        let bad = format!(r#"{{"id":"b","forecasts":[0.5,{value}],"outcome":true}}"#);
        let path = parquet(&format!("{name}.parquet"), &format!("{good}\n{bad}\n"));
        let error = refusal(&run_other("traces", &[&path]), name);
        assert!(error.starts_with(&format!("error: {path}:2: field forecasts[1]: ")), "{error}");
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_file_that_is_no_parquet_file_is_refused() {
    let path = write("text.parquet", "{\"id\":\"a\"}\n");
    let error = refusal(&run_other("traces", &[&path]), "text");
    assert!(error.starts_with(&format!("error: {path}: ")), "{error}");
}

/// Writes columns of an id, a step, a confidence and an outcome as Parquet, the confidence under this name.
fn steps(file: &str, name: &str, rows: &[(&str, f64, f64, bool)]) -> String {
    let schema = format!(
        "message steps {{ required binary id (UTF8); required double step; required double {name}; required boolean outcome; }}"
    );
    let path = write(file, "");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer =
        SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let ids: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(row.0)).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap();
    column.close().unwrap();
    for is_step in [true, false] {
        let value = |row: &(&str, f64, f64, bool)| if is_step { row.1 } else { row.2 };
        let values: Vec<f64> = rows.iter().map(value).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    let outcomes: Vec<bool> = rows.iter().map(|row| row.3).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<BoolType>().write_batch(&outcomes, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    path
}

#[test]
fn rows_with_a_step_each_give_what_their_runs_give() {
    let rows = [
        ("b", 2.0, 0.25, false),
        ("a", 2.0, f64::NAN, true),
        ("b", 1.0, 0.5, false),
        ("a", 1.0, 0.75, true),
    ];
    let lines = "{\"id\":\"b\",\"forecasts\":[0.5,0.25],\"outcome\":false}\n{\"id\":\"a\",\"forecasts\":[0.75,null],\"outcome\":true}\n";
    let report = |file: &str| {
        let mut report = json_of("traces", &[file, "--json", "--missing", "carry-forward"]);
        report["name"].take();
        report["account"]["name"].take();
        report["file"].take();
        report["notes"].take();
        report
    };
    let table = report(&steps("steps.parquet", "confidence", &rows));
    let lines = report(&write("steps.jsonl", lines));
    assert_eq!(table["tps_log"], lines["tps_log"]);
    assert_eq!(table["missing"], lines["missing"]);
    let wrong = run_other("traces", &[&steps("wrong.parquet", "conf", &rows)]);
    let wrong = refusal(&wrong, "conf");
    assert!(wrong.contains("field confidence") && wrong.contains("there are conf, id,"), "{wrong}");
}
