//! Values of JSON in logs: the same as serde_json reads, and the numbers that Python writes beside them.

use std::io::Cursor;

use proptest::prelude::*;
use run_logs::{Error, Format, ReadOptions, Run, read};
use trajectory_metrics::tool_calls::Value;

/// The run of a log with these fields in its only sample, behind its id.
fn run(fields: &str) -> Result<Run, Error> {
    let log = format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t"}},"samples":[{{"id":1,{fields}}}]}}"#
    );
    let mut runs = read(Cursor::new(log), Format::Inspect, &ReadOptions::default())?;
    let run = runs.next().unwrap()?;
    assert!(runs.next().is_none_or(|next| next.is_err()));
    Ok(run)
}

/// A value, read as the metadata of a sample.
fn value(text: &str) -> Result<Value, Error> {
    let mut run = run(&format!(r#""epoch":1,"metadata":{text}"#))?;
    Ok(run.metadata.remove("metadata").unwrap_or_default())
}

fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Theirs;
    match (ours, theirs) {
        (Value::Null, Theirs::Null) => true,
        (Value::Bool(a), Theirs::Bool(b)) => a == b,
        (Value::Integer(a), Theirs::Number(b)) => {
            b.as_i128() == Some(*a) || b.as_f64() == Some(*a as f64)
        }
        (Value::Real(a), Theirs::Number(b)) => b.as_f64() == Some(*a),
        (Value::Text(a), Theirs::String(b)) => a == b,
        (Value::List(a), Theirs::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Map(a), Theirs::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => false,
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

#[test]
fn numbers_and_words_are_those_of_json_and_of_python() {
    let texts = "0¦-0¦10¦1.5¦-2.5e3¦1E+2¦1e-400¦01¦+1¦.5¦1.¦1e¦--1¦1e400¦0x1¦tru¦true¦null¦None¦nan¦-¦¦ ¦1 2\
        ¦\"a¦\"\n\"¦\"\\x\"¦[1,]¦{\"a\":1,}¦[,1]¦{1:2}¦{\"a\" 1}¦[1 2]¦]¦\u{1}";
    for text in texts.split('¦') {
        let theirs = serde_json::from_str::<serde_json::Value>(text);
        let ours = value(text);
        assert_eq!(ours.is_ok(), theirs.is_ok(), "{text}: {ours:?}");
    }
    assert!(matches!(value("NaN"), Ok(Value::Real(number)) if number.is_nan()));
    assert_eq!(value("-Infinity"), Ok(Value::Real(f64::NEG_INFINITY)));
    let long = "123456789012345678901234567890123456789012345678901234567890";
    assert_eq!(value(long), Ok(Value::Real(1.234_567_890_123_456_8e59)));
}

proptest! {
    #[test]
    fn values_are_read_as_serde_json_reads_them(json in any_json(), pretty in any::<bool>()) {
        let text = if pretty { format!("{json:#}") } else { json.to_string() };
        let value = value(&text).unwrap();
        prop_assert!(same(&value, &json), "{text}: {value:?}");
    }

    #[test]
    fn what_is_passed_over_ends_where_it_ends(json in any_json(), pretty in any::<bool>()) {
        let text = if pretty { format!("{json:#}") } else { json.to_string() };
        let found = run(&format!(r#""unread":{text},"epoch":7"#)).unwrap();
        prop_assert_eq!(found.trial, Some(7));
    }
}
