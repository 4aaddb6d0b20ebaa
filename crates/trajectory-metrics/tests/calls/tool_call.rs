use trajectory_metrics::tool_calls::{ToolCall, Value};

#[test]
fn an_anthropic_call_without_input_has_no_arguments() {
    let none: [(&str, Value); 0] = [];
    assert_eq!(ToolCall::from_anthropic("look", Value::Null), ToolCall::new("look", none));
    assert_eq!(ToolCall::from_anthropic("look", "9f2c".into()).arguments, "9f2c".into());
}
