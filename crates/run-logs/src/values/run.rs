use std::collections::BTreeMap;

use censoring::StopReason;
use trajectory_metrics::tool_calls::Value;

use crate::values::{
    caller::Caller,
    expected_call::ExpectedCall,
    message::{Message, Reply},
    usage::Usage,
};

/// One run of an agent on one task, as a log describes it.
///
/// A run holds facts of the log and no judgement: what a limit means for the outcome is decided by
/// an [`OutcomePolicy`](crate::OutcomePolicy).
///
/// ```
/// use run_logs::{Run, Turn};
///
/// let mut run = Run::new("sample-1");
/// run.task = Some("arithmetic/sample-1".to_owned());
/// run.turns.push(Turn::default());
/// assert_eq!((run.id.as_str(), run.turns.len(), run.stop), ("sample-1", 1, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The name of the sample, trial or simulation within its log.
    pub id: String,
    /// The task, if the log names one: for inspect_ai the name of the evaluation and the sample, such as
    /// `arith/prime-0`.
    pub task: Option<String>,
    /// The repetition of the task: the epoch of inspect_ai, the trial of tau2.
    pub trial: Option<u64>,
    /// The model of the agent, if the log names one.
    pub model: Option<String>,
    /// The values of the scorers by name. A value that is NaN in the log is [`Value::Null`].
    pub scores: BTreeMap<String, Score>,
    /// The outcome, if the log itself says whether the run succeeded. Most logs hold scores
    /// instead.
    pub outcome: Option<bool>,
    /// Why the run ended.
    pub stop: Option<StopReason>,
    /// The number of turns over which a run that was cut off would have been scored, if the log says
    /// so.
    pub horizon: Option<u64>,
    /// The limit that ended the run.
    pub limit: Option<RunLimit>,
    /// The message of the error that ended the run.
    pub error: Option<String>,
    /// Why the log itself does not count the run, such as an infrastructure error.
    pub excluded: Option<String>,
    /// What the run used in all, by the log's own totals if it has them.
    pub usage: Usage,
    /// What each model used, if the log has totals by model.
    pub usage_by_model: BTreeMap<String, Usage>,
    /// The model calls in their order.
    pub turns: Vec<Turn>,
    /// The calls that the task expects, of the agent and of the simulated user, if the log holds
    /// them.
    pub expected_calls: Vec<ExpectedCall>,
    /// Other facts of the log that a format defines, by name.
    pub metadata: BTreeMap<String, Value>,
}

impl Run {
    /// A run of which only the name is known.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// The turns of the agent itself: without those of failed attempts, of graders and of simulated
    /// users.
    pub fn agent_turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(|turn| turn.caller.is_agent())
    }

    /// The number of model calls of the agent and its subagents that returned a reply.
    #[must_use]
    pub fn n_model_calls(&self) -> u64 {
        let replied = self.agent_turns().filter(|turn| turn.reply.is_some());
        replied.fold(0, |sum: u64, turn| sum.saturating_add(turn.model_calls.unwrap_or(1)))
    }
}

/// The value that a scorer gave a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The value: a number, a boolean, a word such as `C` or `I`, a list or a map. NaN is null.
    pub value: Value,
    /// The answer that was scored.
    pub answer: Option<String>,
    /// Why the value was given.
    pub explanation: Option<String>,
    /// What the scorer noted besides.
    pub metadata: BTreeMap<String, Value>,
}

/// A limit that ended a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLimit {
    /// The kind of the limit as the log names it, such as `token` or `time`.
    pub kind: String,
    /// The limit in the unit of its kind; `None` if the log has no number.
    pub limit: Option<f64>,
    /// What was reached, in words.
    pub reason: Option<String>,
}

/// One call of a model: what was asked, what was returned.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The model that was called.
    pub model: Option<String>,
    /// Who called it.
    pub caller: Caller,
    /// The messages that were sent. Empty unless
    /// [`ReadOptions::requests`](crate::ReadOptions::requests) asks for them, because
    /// each turn repeats the conversation before it.
    pub request: Vec<Message>,
    /// The reply; `None` if the call failed.
    pub reply: Option<Reply>,
    /// Further replies to the same request, if several were asked for.
    pub other_replies: Vec<Reply>,
    /// The message of the error of a call that failed.
    pub error: Option<String>,
    /// How many model calls the log counts for the turn; `None` stands for one. Zero marks a step
    /// that the agent's program took without a model.
    pub model_calls: Option<u64>,
}
