use trajectory_metrics::tool_calls::{ArgumentRule, ToolCallMatcher};

#[test]
fn a_matcher_is_read_back_as_written_and_a_tool_has_one_rule() {
    let matcher =
        ToolCallMatcher::new(ArgumentRule::exact()).with_tool("hand_over", ArgumentRule::ignore());
    let written = serde_json::to_string(&matcher).unwrap();
    let read = |text: &str| serde_json::from_str::<ToolCallMatcher>(text);
    assert_eq!(read(&written).unwrap(), matcher);
    let plain = ToolCallMatcher::new(ArgumentRule::subset());
    assert_eq!(read(r#"{"rule":{"kind":"subset"}}"#).unwrap(), plain);
    let repeated =
        r#"{"rule":{"kind":"exact"},"tools":{"a":{"kind":"exact"},"a":{"kind":"ignore"}}}"#;
    let error = read(repeated).unwrap_err().to_string();
    assert!(error.starts_with("duplicate field `a`"), "{error}");
    assert!(read(r#"{"rule":{"kind":"exact"},"tool":{}}"#).is_err());
}
