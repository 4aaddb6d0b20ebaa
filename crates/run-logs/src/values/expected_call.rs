use trajectory_metrics::tool_calls::ToolCall;

use crate::values::caller::Caller;

/// A call that the author of a task expects.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Caller, Error, Format, ReadOptions, read};
///
/// let log = br#"{"info": {"num_trials": 1, "user_info": {}, "agent_info": {"llm": "m"}},
///     "tasks": [{"id": "t", "evaluation_criteria": {"actions": [
///         {"action_id": "a", "name": "search", "arguments": {"city": "Oslo"}}]}}],
///     "simulations": [{"id": "s", "task_id": "t", "termination_reason": "user_stop"}]}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let runs = runs.collect::<Result<Vec<_>, Error>>()?;
/// let expected = &runs[0].expected_calls[0];
/// assert_eq!((expected.call.name.as_str(), &expected.caller), ("search", &Caller::Agent));
/// assert_eq!(expected.matched, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExpectedCall {
    /// Who should make the call: [`Caller::Agent`] or [`Caller::User`].
    pub caller: Caller,
    /// The call.
    pub call: ToolCall,
    /// The names of the arguments that the benchmark compares; `None` if the task does not restrict
    /// them.
    pub compared: Option<Vec<String>>,
    /// Whether the benchmark found the call among those of the run; `None` if it did not look.
    pub matched: Option<bool>,
}
