/// Who called the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The agent.
    #[default]
    Agent,
    /// An agent that the agent called, by name.
    Subagent(String),
    /// A scorer that grades the run with a model.
    Grader,
    /// A simulated user.
    User,
    /// An attempt that failed and was repeated.
    FailedAttempt,
}

impl Caller {
    /// Whether the call belongs to the agent or to one of its subagents.
    #[must_use]
    pub const fn is_agent(&self) -> bool {
        matches!(self, Self::Agent | Self::Subagent(_))
    }
}
