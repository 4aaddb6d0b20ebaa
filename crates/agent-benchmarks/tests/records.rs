//! Everything that a model can say is a typed event, and a record keeps it through a log.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, io::Cursor};

use agent_benchmarks::{
    Arguments, Conversation, Error, ModelError, Parameter, ParameterKind, Record, RecordedCall,
    Reply, ReplyEvent, Request, Run, StopReason, ToolDefinition, TurnEvent, Value, converse,
    model_from_fn, reply_events,
};
use proptest::prelude::*;
use run_logs::{Format, ReadOptions, read};

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

fn event() -> impl Strategy<Value = ReplyEvent> {
    let text = || "\\PC{0,8}";
    prop_oneof![
        text().prop_map(|text| ReplyEvent::Refusal { text }),
        Just(ReplyEvent::EmptyText),
        Just(ReplyEvent::CutOff),
        (0..9_usize).prop_map(|made| ReplyEvent::SeveralCalls { made }),
        (0..9_usize, text()).prop_map(|(call, tool)| ReplyEvent::UnknownTool { call, tool }),
        (0..9_usize, text(), text()).prop_map(|(call, tool, problem)| {
            ReplyEvent::InvalidArguments { call, tool, problem }
        }),
        (0..9_usize, text(), text()).prop_map(|(call, tool, argument)| {
            ReplyEvent::MissingArgument { call, tool, argument }
        }),
        (0..9_usize, text(), text()).prop_map(|(call, tool, argument)| {
            ReplyEvent::UnexpectedArgument { call, tool, argument }
        }),
        (0..9_usize, text(), text(), text()).prop_map(|(call, tool, argument, problem)| {
            ReplyEvent::InvalidValue { call, tool, argument, problem }
        }),
        text().prop_map(|problem| ReplyEvent::Unreadable { problem }),
        text().prop_map(|problem| ReplyEvent::NoReply { problem }),
    ]
}

proptest! {
    #[test]
    fn every_event_is_the_same_after_a_log_was_written_and_read(
        events in prop::collection::vec((0..5_usize, event()), 0..6)
    ) {
        let events = events.into_iter().map(|(turn, event)| TurnEvent { turn, event }).collect();
        let record = Record { run: Run::new("a"), events };
        let text = record.to_atif();
        let mut runs = read(Cursor::new(text), Format::Atif, &ReadOptions::default()).unwrap();
        let back = Record::from_run(runs.next().unwrap().unwrap()).unwrap();
        prop_assert_eq!(back, record);
    }
}

#[test]
fn events_that_no_record_writes_are_refused() {
    for events in [
        Value::from("none"),
        Value::List(vec![Value::Null]),
        Value::List(vec![Value::Map(BTreeMap::from([("turn".to_owned(), Value::Integer(0))]))]),
        Value::List(vec![Value::Map(BTreeMap::from([
            ("turn".to_owned(), Value::Integer(-1)),
            ("event".to_owned(), "empty_text".into()),
        ]))]),
        Value::List(vec![Value::Map(BTreeMap::from([
            ("turn".to_owned(), Value::Integer(0)),
            ("event".to_owned(), "bored".into()),
        ]))]),
    ] {
        let mut run = Run::new("a");
        run.metadata.insert("reply_events".to_owned(), events.clone());
        let error = Record::from_run(run).unwrap_err();
        assert!(matches!(error, agent_benchmarks::Error::StoredValue { .. }), "{events:?}");
    }
}

/// A conversation that refuses every reply.
struct Refusing(Request);

impl Conversation for Refusing {
    type Record = ();

    fn request(&self) -> Option<&Request> {
        Some(&self.0)
    }

    fn reply(&mut self, _: Reply) -> Result<(), Error> {
        Err(Error::Ended)
    }

    fn fail(&mut self, _: &ModelError) {}

    fn finish(self) {}
}

#[test]
fn an_error_of_a_conversation_ends_the_loop_and_is_returned() {
    let model = model_from_fn(|_| Ok(Reply::default()));
    assert!(matches!(converse(Refusing(request()), model), Err(Error::Ended)));
}
