use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, Visitor},
};
use trajectory_metrics::tool_calls::Value;

#[test]
fn json_is_written_as_it_was_read() {
    let text = r#"{"deep":[1,-2.5,18446744073709551615,"x",null],"flag":true}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    let reordered: Value =
        serde_json::from_str(r#"{"flag":true,"deep":[1.0,-2.5,18446744073709551615,"x",null]}"#)
            .unwrap();
    assert_eq!(value, reordered);
}

#[test]
fn a_key_that_occurs_twice_in_an_object_is_refused_at_any_depth() {
    for text in [r#"{"k":1,"k":2}"#, r#"{"k":1,"k":1}"#, r#"{"a":[{"k":1,"b":2,"\u006b":3}]}"#] {
        let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
        assert!(error.starts_with("duplicate field `k`"), "{text}: {error}");
    }
    assert!(serde_json::from_str::<Value>(r#"[{"k":1},{"k":{"k":2}}]"#).is_ok());
}

/// A format that marks values as present, such as `Some(7)`.
struct Present(i128);

impl<'de> Deserializer<'de> for Present {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self.0.into_deserializer())
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

#[test]
fn types_that_json_does_not_have_are_read_from_other_formats() {
    type Read = Result<Value, de::value::Error>;
    let present: Read = Value::deserialize(Present(7));
    assert!(matches!(present, Ok(Value::Integer(7))), "{present:?}");
    let long: Read = Value::deserialize(i128::MIN.into_deserializer());
    assert!(matches!(long, Ok(Value::Integer(i128::MIN))), "{long:?}");
    let text: Read = Value::deserialize("owned".to_owned().into_deserializer());
    assert_eq!(text, Ok("owned".into()));
    let bytes: Read = Value::deserialize(de::value::BytesDeserializer::new(&[1]));
    assert!(bytes.unwrap_err().to_string().contains("expected any value"));
}

#[test]
fn integers_of_64_bits_are_read_back_and_longer_ones_are_not_written() {
    for number in [i64::MIN.into(), -1, 9_007_199_254_740_993, u64::MAX.into()] {
        let text = serde_json::to_string(&Value::Integer(number)).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        assert!(matches!(back, Value::Integer(found) if found == number), "{text}: {back:?}");
    }
    for number in [i128::from(i64::MIN) - 1, i128::from(u64::MAX) + 1, i128::MAX] {
        let error = serde_json::to_string(&vec![Value::Integer(number)]).unwrap_err();
        assert!(error.to_string().contains(&number.to_string()), "{error}");
    }
    // The documented limit: the reader of JSON passes on a real number.
    let long = ["123456789012345678901", "123456789012345678902"]
        .map(|text| serde_json::from_str::<Value>(text).unwrap());
    assert!(matches!(long, [Value::Real(_), Value::Real(_)]) && long[0] == long[1]);
}
