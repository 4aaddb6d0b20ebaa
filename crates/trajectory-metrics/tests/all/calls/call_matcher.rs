use trajectory_metrics::tool_calls::{
    ArgumentRule, CallMatcher, ToolCall, ToolCallMatcher, call_matcher_from_fn,
};

#[test]
fn references_boxes_and_functions_are_matchers() {
    let exact = ToolCallMatcher::new(ArgumentRule::exact());
    let by_name = call_matcher_from_fn(|a: &ToolCall, e: &ToolCall| a.name == e.name);
    let matchers: Vec<Box<dyn CallMatcher<ToolCall, ToolCall> + '_>> =
        vec![Box::new(&exact), Box::new(by_name)];
    let call = |id: i64| ToolCall::new("look", [("id", id.into())]);
    let found: Vec<_> = matchers
        .iter()
        .map(|matcher| CallMatcher::satisfies(matcher, &call(1), &call(2)))
        .collect();
    assert_eq!(found, [Ok(false), Ok(true)]);
}

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
