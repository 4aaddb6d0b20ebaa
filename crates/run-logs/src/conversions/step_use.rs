use std::collections::BTreeMap;

use crate::values::run::{Caller, Run, Turn};

/// A kind of step of a run.
///
/// ```
/// use run_logs::StepKind;
///
/// assert_eq!(StepKind::Tool("search".to_owned()).name(), "search");
/// assert_eq!(StepKind::Model.name(), "model calls");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// The model calls of the agent.
    Model,
    /// The model calls of subagents.
    Subagent,
    /// The calls of a tool, by its name.
    Tool(String),
}

impl StepKind {
    /// Returns the name of the tool, or of the kind of model call.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Model => "model calls",
            Self::Subagent => "model calls of subagents",
            Self::Tool(name) => name,
        }
    }
}

/// The steps of one kind in a run: their number, failures, tokens and time.
///
/// Model calls that retries repeated, and those of graders and simulated users, are not steps of the run.
///
/// ```
/// use run_logs::{FactRules, Reply, RecordedCall, Run, RunTable, StepKind, StreamOptions, Turn};
///
/// let mut call = RecordedCall::new("search", Default::default());
/// (call.ok, call.seconds) = (Some(false), Some(1.5));
/// let reply = Reply { tool_calls: vec![call], ..Reply::default() };
/// let mut run = Run::new("a");
/// let mut turn = Turn::default();
/// turn.reply = Some(reply);
/// run.turns.push(turn);
/// let table = RunTable::new([Ok(run)], &FactRules::default(), &StreamOptions::default())?;
/// let steps = &table.rows()[0].steps;
/// assert_eq!((&steps[0].kind, steps[0].n, steps[0].seconds), (&StepKind::Model, 1, None));
/// assert_eq!((steps[1].kind.name(), steps[1].n_failed, steps[1].seconds), ("search", 1, Some(1.5)));
/// # Ok::<(), run_logs::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepUse {
    /// The kind.
    pub kind: StepKind,
    /// The number of steps, at least 1.
    pub n: u64,
    /// The number of steps of which the log says whether they failed.
    pub n_known: u64,
    /// The number of steps that failed.
    pub n_failed: u64,
    /// The output tokens of the model calls. For a tool: of the replies that call it, with the tokens of a reply divided equally
    /// among its calls. `None` if they are unknown for a step.
    pub output_tokens: Option<f64>,
    /// The time in seconds; `None` if it is unknown for a step.
    pub seconds: Option<f64>,
}

impl StepUse {
    fn none(kind: StepKind) -> Self {
        Self { kind, n: 0, n_known: 0, n_failed: 0, output_tokens: Some(0.0), seconds: Some(0.0) }
    }

    /// Adds steps that all worked, all failed, or of which it is not known.
    fn add(&mut self, n: u64, ok: Option<bool>, output_tokens: Option<f64>, seconds: Option<f64>) {
        let plus =
            |sum: u64, is_counted: bool| if is_counted { sum.saturating_add(n) } else { sum };
        self.n = plus(self.n, true);
        self.n_known = plus(self.n_known, ok.is_some());
        self.n_failed = plus(self.n_failed, ok == Some(false));
        let plus = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        self.output_tokens = plus(self.output_tokens, output_tokens);
        self.seconds = plus(self.seconds, seconds);
    }
}

/// Returns the steps of a run by kind, in the order of the kinds.
pub(crate) fn steps(run: &Run) -> Vec<StepUse> {
    let mut steps: BTreeMap<StepKind, StepUse> = BTreeMap::new();
    let mut of = |kind: StepKind, n, ok, tokens, seconds| {
        let steps = steps.entry(kind).or_insert_with_key(|kind| StepUse::none(kind.clone()));
        steps.add(n, ok, tokens, seconds);
    };
    for turn in run.agent_turns() {
        let Turn { caller, reply, seconds, model_calls, .. } = turn;
        let tokens = turn.usage().and_then(|usage| usage.output_tokens).map(|it| it as f64);
        // A step without a model call only has calls of tools.
        if *model_calls != Some(0) {
            let kind = if *caller == Caller::Agent { StepKind::Model } else { StepKind::Subagent };
            of(kind, model_calls.unwrap_or(1), Some(reply.is_some()), tokens, *seconds);
        }
        for call in turn.calls() {
            let share = tokens.map(|tokens| tokens / turn.calls().len() as f64);
            of(StepKind::Tool(call.name.clone()), 1, call.ok, share, call.seconds);
        }
    }
    // A list that is collected has room for four.
    let mut list = Vec::with_capacity(steps.len());
    list.extend(steps.into_values());
    list
}
