//! Everything that a model can say is a typed event.

use agent_benchmarks::{
    Arguments, Parameter, ParameterKind, RecordedCall, Reply, ReplyEvent, Request, StopReason,
    ToolDefinition, Value, reply_events,
};

fn request() -> Request {
    let mut request = Request::default();
    let class = ParameterKind::Choice(vec!["first".to_owned(), "second".to_owned()]);
    let mut parameters = vec![
        Parameter::new("class", "The class.", class),
        Parameter::new("seats", "How many.", ParameterKind::Integer),
        Parameter::new("note", "For the staff.", ParameterKind::Text),
    ];
    parameters[2].required = false;
    let description = "Books seats.".to_owned();
    request.tools.push(ToolDefinition {
        name: "book".to_owned(),
        description,
        parameters,
        takes_more: false,
    });
    request
}

fn call(name: &str, arguments: &[(&str, Value)]) -> RecordedCall {
    let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    RecordedCall::new(name, Arguments::Parsed(Value::Map(arguments.collect())))
}

fn calls(calls: Vec<RecordedCall>) -> Reply {
    Reply { tool_calls: calls, ..Reply::default() }
}

#[test]
fn a_call_that_fits_its_tool_is_no_event() {
    let call = call("book", &[("class", "first".into()), ("seats", Value::Integer(2))]);
    assert_eq!(reply_events(&request(), &calls(vec![call])), []);
}

#[test]
fn each_fault_of_each_call_is_an_event_with_the_position_of_the_call() {
    let unparsed = Arguments::Unparsed { text: "{".to_owned(), problem: "ends early".to_owned() };
    let reply = calls(vec![
        call("boook", &[]),
        RecordedCall::new("book", unparsed),
        call("book", &[("class", "third".into()), ("seats", "two".into()), ("wifi", true.into())]),
        call("book", &[("class", "second".into()), ("note", Value::Null)]),
    ]);
    let tool = || "book".to_owned();
    let value = |call, argument: &str, problem: &str| ReplyEvent::InvalidValue {
        call,
        tool: tool(),
        argument: argument.to_owned(),
        problem: problem.to_owned(),
    };
    assert_eq!(
        reply_events(&request(), &reply),
        [
            ReplyEvent::UnknownTool { call: 0, tool: "boook".to_owned() },
            ReplyEvent::InvalidArguments {
                call: 1,
                tool: tool(),
                problem: "ends early".to_owned()
            },
            value(2, "class", "\"third\" is not one of: first, second"),
            value(2, "seats", "the value must be a whole number"),
            ReplyEvent::UnexpectedArgument { call: 2, tool: tool(), argument: "wifi".to_owned() },
            ReplyEvent::MissingArgument { call: 3, tool: tool(), argument: "seats".to_owned() },
            value(3, "note", "the value must be text"),
        ]
    );
}

#[test]
fn refusals_empty_text_and_cut_off_replies_are_told_apart() {
    let refusal = Reply { refusal: Some("No.".to_owned()), ..Reply::default() };
    let text = "No.".to_owned();
    assert_eq!(reply_events(&request(), &refusal), [ReplyEvent::Refusal { text }]);
    let blank = Reply { text: " \n".to_owned(), ..Reply::default() };
    assert_eq!(reply_events(&request(), &blank), [ReplyEvent::EmptyText]);
    let cut_off =
        Reply { text: "I wou".to_owned(), stop: Some(StopReason::MaxTokens), ..Reply::default() };
    assert_eq!(reply_events(&request(), &cut_off), [ReplyEvent::CutOff]);
}
