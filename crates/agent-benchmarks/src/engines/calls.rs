use std::collections::VecDeque;

use run_logs::{Arguments, Message, RecordedCall, Role};
use trajectory_metrics::tool_calls::Value;

use crate::values::tool_definition::object;

/// A message with the ids of its calls, or with the id of the call that it answers.
pub(crate) struct Identified<'a> {
    pub(crate) message: &'a Message,
    pub(crate) calls: Vec<(String, &'a RecordedCall)>,
    /// The id of the call that a tool's message answers.
    pub(crate) answers: Option<String>,
}

/// Gives ids to calls without one. By default, tool messages answer the calls of the latest model message in their
/// order.
pub(crate) fn identified(messages: &[Message]) -> impl Iterator<Item = Identified<'_>> {
    let mut open: VecDeque<String> = VecDeque::new();
    messages.iter().enumerate().map(move |(place, message)| {
        let id = |position, call: &RecordedCall| {
            call.id.clone().unwrap_or_else(|| format!("call_{place}_{position}"))
        };
        let calls = message.tool_calls.iter().enumerate();
        let calls: Vec<_> = calls.map(|(position, call)| (id(position, call), call)).collect();
        if !calls.is_empty() {
            open = calls.iter().map(|(id, _)| id.clone()).collect();
        }
        let answers = (message.role == Role::Tool).then(|| {
            let next = open.pop_front();
            message.tool_call_id.clone().or(next).unwrap_or_default()
        });
        Identified { message, calls, answers }
    })
}

/// Returns the arguments of a call as an object.
pub(crate) fn arguments(call: &RecordedCall) -> Value {
    match &call.arguments {
        Arguments::Parsed(arguments @ Value::Map(_)) => arguments.clone(),
        Arguments::Parsed(other) => object(vec![("unreadable_arguments", other.clone())]),
        Arguments::Unparsed { text, .. } => {
            object(vec![("unreadable_arguments", text.as_str().into())])
        }
    }
}

/// Returns the text of arguments: the model's own text if it is an object.
pub(crate) fn written_arguments(call: &RecordedCall) -> String {
    match (&call.written, &call.arguments) {
        (Some(written), Arguments::Parsed(Value::Map(_))) => written.clone(),
        _ => run_logs::to_json(&arguments(call)),
    }
}
