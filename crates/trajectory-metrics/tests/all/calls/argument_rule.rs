use trajectory_metrics::Error;
use trajectory_metrics::tool_calls::{ArgumentRule, ToolCall, Value};

use crate::common::refused;

fn arguments(entries: &[(&str, i64)]) -> Value {
    ToolCall::new("t", entries.iter().map(|&(name, value)| (name, value.into()))).arguments
}

#[test]
fn each_rule_holds_as_its_row_of_the_table_states() {
    let small = arguments(&[("a", 1)]);
    let large = arguments(&[("a", 1), ("b", 2)]);
    let other = arguments(&[("a", 1), ("b", 3)]);
    let cases = [
        (ArgumentRule::exact(), [false, false, false, true]),
        (ArgumentRule::ignore(), [true, true, true, true]),
        (ArgumentRule::subset(), [true, false, false, true]),
        (ArgumentRule::superset(), [false, true, false, true]),
        (ArgumentRule::fields(["a"]).unwrap(), [true, true, true, true]),
        (ArgumentRule::fields(["b"]).unwrap(), [false, false, false, true]),
    ];
    for (rule, expected) in cases {
        let pairs = [(&small, &large), (&large, &small), (&large, &other), (&large, &large)];
        let found = pairs.map(|(a, e)| rule.agrees(a, e).unwrap());
        assert_eq!(found, expected, "{rule:?}");
    }
}

fn map(entries: &[(&str, Value)]) -> Value {
    ToolCall::new("t", entries.iter().cloned()).arguments
}

#[test]
fn a_field_may_be_a_path_into_maps_and_lists() {
    let of = |start: i64, price: i64, dotted: i64| {
        let item = map(&[("price", price.into())]);
        let items = vec![Value::Null, item].into();
        let time = map(&[("start", start.into()), ("end", 12.into())]);
        map(&[("time", time), ("items", items), ("a.b", map(&[("c.d", dotted.into())]))])
    };
    let expected = of(9, 5, 1);
    for (field, differs) in [
        ("time.start", [true, false, false]),
        ("time.end", [false, false, false]),
        ("time", [true, false, false]),
        ("items.1.price", [false, true, false]),
        ("items.0", [false, false, false]),
        ("a.b", [false, false, true]),
    ] {
        let rule = ArgumentRule::fields([field]).unwrap();
        let found = [of(10, 5, 1), of(9, 6, 1), of(9, 5, 2)]
            .map(|actual| !rule.agrees(&actual, &expected).unwrap());
        assert_eq!(found, differs, "{field}");
    }
}

#[test]
fn a_field_that_neither_call_has_is_an_error_even_if_other_fields_differ() {
    let time = map(&[("start", 9.into())]);
    let (actual, expected) =
        (map(&[("time", time.clone()), ("a", 1.into())]), map(&[("time", time), ("a", 2.into())]));
    for field in ["tiem", "time.strat", "time.start.hour", "a.0", "", ".", "time.", "0"] {
        for names in [["a", field], [field, "a"]] {
            let error = ArgumentRule::fields(names).unwrap().agrees(&actual, &expected);
            let Err(Error::UnknownField { tool: None, field: found, .. }) = error else {
                panic!("{field}: {error:?}")
            };
            assert_eq!(found, field);
        }
    }
    let list = map(&[("l", vec![1.into()].into())]);
    for field in ["l.1", "l.+0", "l.-1", "l.x", "l.99999999999999999999999", "l."] {
        let error = ArgumentRule::fields([field]).unwrap().agrees(&list, &list);
        assert!(matches!(error, Err(Error::UnknownField { .. })), "{field}: {error:?}");
    }
}

#[test]
fn null_is_a_value_and_differs_from_an_argument_that_is_absent() {
    let (null, absent) = (map(&[("a", 1.into()), ("x", Value::Null)]), map(&[("a", 1.into())]));
    let rule = ArgumentRule::fields(["x"]).unwrap();
    assert_eq!(rule.agrees(&null, &null), Ok(true));
    assert_eq!(rule.agrees(&null, &absent), Ok(false));
    assert_eq!(rule.agrees(&absent, &null), Ok(false));
    for rule in [ArgumentRule::exact(), ArgumentRule::superset()] {
        assert_eq!(rule.agrees(&absent, &null), Ok(false), "{rule:?}");
    }
    // Null has no fields.
    let inside = ArgumentRule::fields(["x.y"]).unwrap().agrees(&null, &null);
    assert!(matches!(inside, Err(Error::UnknownField { .. })), "{inside:?}");
}

#[test]
fn a_side_that_is_not_a_map_is_compared_as_a_whole() {
    let (hash, same, other) = (Value::from("9f"), Value::from("9f"), Value::from("a0"));
    for rule in
        [ArgumentRule::exact(), ArgumentRule::subset(), ArgumentRule::fields(["a"]).unwrap()]
    {
        assert_eq!(rule.agrees(&hash, &same), Ok(true), "{rule:?}");
        assert_eq!(rule.agrees(&hash, &other), Ok(false), "{rule:?}");
    }
    assert_eq!(ArgumentRule::ignore().agrees(&hash, &other), Ok(true));
}

#[test]
fn a_negative_or_infinite_tolerance_and_a_list_of_no_fields_are_refused() {
    for (absolute, relative, name) in [
        (-1.0, 0.0, "absolute tolerance"),
        (f64::NAN, 0.0, "absolute tolerance"),
        (0.0, f64::INFINITY, "relative tolerance"),
    ] {
        let error = ArgumentRule::exact().with_tolerance(absolute, relative);
        assert_eq!(refused(error), name);
    }
    assert_eq!(refused(ArgumentRule::fields(None::<&str>)), "number of fields");
}

#[test]
fn a_rule_is_read_back_as_written_and_an_invalid_one_is_refused() {
    let fields = ArgumentRule::fields(["time.start"]).unwrap().with_tolerance(0.5, 0.25).unwrap();
    let written = serde_json::to_string(&fields).unwrap();
    assert_eq!(
        written,
        r#"{"kind":{"fields":["time.start"]},"absolute_tolerance":0.5,"relative_tolerance":0.25}"#
    );
    let read = |text: &str| serde_json::from_str::<ArgumentRule>(text);
    assert_eq!(read(&written).unwrap(), fields);
    for (text, rule) in [
        ("exact", ArgumentRule::exact()),
        ("ignore", ArgumentRule::ignore()),
        ("subset", ArgumentRule::subset()),
        ("superset", ArgumentRule::superset()),
    ] {
        assert_eq!(read(&format!(r#"{{"kind":"{text}"}}"#)).unwrap(), rule);
        assert_eq!(read(&serde_json::to_string(&rule).unwrap()).unwrap(), rule);
    }
    for text in [
        r#"{"kind":"exact","absolute_tolerance":-1}"#,
        r#"{"kind":"exact","tolerance":1}"#,
        r#"{"kind":"exakt"}"#,
        r#"{"kind":{"fields":[]}}"#,
        "{}",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}
