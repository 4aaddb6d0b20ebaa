use trajectory_metrics::{
    Error, ForecastPolicy, OnlineTps, ScoringRule, Tps,
    tool_calls::{Alignment, CallMatcher, ToolCall, match_calls},
};

use crate::count::{Amounts, Count};

/// What one agent has done so far: its turns, its tool calls, and what it has used itself, without its subagents.
///
/// The run of an agent is what lies within its span: the nearest enclosing span of an agent, or of a tool, because a model call
/// within a tool call belongs to a subagent. Without such a span, it is the outermost enclosing span, unless that is a model call, or
/// else everything outside of spans.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AgentRun {
    /// The name of the agent, if a span states it. For a subagent within a tool call without a name, the name of the tool.
    pub name: Option<String>,
    /// For each turn, which is a model call, the confidence that was recorded for it. Turns are in the order in which they
    /// began.
    pub forecasts: Vec<Option<f64>>,
    /// The tool calls, in the order in which they began. Arguments that no span states are
    /// [`Value::Null`](trajectory_metrics::tool_calls::Value::Null), which equals no arguments that a call can have.
    pub tool_calls: Vec<ToolCall>,
    pub(crate) stated: Amounts<f64>,
    pub(crate) unknown: Amounts<u64>,
}

impl AgentRun {
    /// Returns the sum of what the spans of this agent state, each amount counted once, and the number of spans that should state it
    /// but do not. Without a price or a stated cost, the dollars of 3 calls are `(0.0, 3)`.
    #[must_use]
    pub fn used(&self, count: Count) -> (f64, u64) {
        match count {
            Count::ModelCalls => (self.forecasts.len() as f64, 0),
            Count::ToolCalls => (self.tool_calls.len() as f64, 0),
            stated => stated.stated().map_or((0.0, 0), |at| (self.stated[at], self.unknown[at])),
        }
    }

    /// Returns the trajectory proper score of the run so far. The policy decides about turns without a valid confidence.
    ///
    /// # Errors
    ///
    /// [`Error::Forecast`] if the policy refuses a turn.
    pub fn online_tps<R: ScoringRule>(
        &self,
        tps: Tps<R>,
        policy: ForecastPolicy,
    ) -> Result<OnlineTps<R>, Error> {
        let mut online = OnlineTps::new(tps).with_policy(policy);
        self.forecasts.iter().try_for_each(|forecast| online.push_raw(*forecast))?;
        Ok(online)
    }

    /// Pairs the tool calls so far with the expected ones.
    ///
    /// # Errors
    ///
    /// Those of [`match_calls`](trajectory_metrics::tool_calls::match_calls()).
    pub fn match_calls(
        &self,
        expected: &[ToolCall],
        matcher: &impl CallMatcher<ToolCall, ToolCall>,
    ) -> Result<Alignment, Error> {
        match_calls(&self.tool_calls, expected, matcher)
    }
}
