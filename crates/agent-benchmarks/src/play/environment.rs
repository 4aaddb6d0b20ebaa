/// The end of a run in an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The task is completed.
    Succeeded,
    /// The task can no longer be completed.
    Failed,
    /// A limit of the environment or of the setting is reached.
    AtLimit,
}

/// The effect of a reply.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Acted {
    /// The reward of the turn, without penalties for its form.
    pub reward: f64,
    /// The penalty for a form that was not understood, at most 0.
    pub penalty: f64,
    /// Whether there was an action in the requested form, even if it cannot be carried out.
    pub is_read: bool,
    /// The actions that were carried out.
    pub n_actions: usize,
    /// The amount spent of each of [`Environment::RESOURCES`].
    pub spent: Vec<f64>,
    /// The parts that were not understood or not possible.
    pub problems: Vec<String>,
}

/// An environment that a model plays.
pub trait Environment {
    /// The resources other than tokens that turns spend.
    const RESOURCES: &'static [&'static str];

    /// The names of facts about the state that budget estimators may see, such as cash.
    const FEATURES: &'static [&'static str] = &[];

    /// Returns the instruction to the model before the first turn.
    fn instruction(&self) -> String;

    /// Returns the observation of the model at its next turn, with the effects of its latest reply.
    fn observation(&self) -> String;

    /// Returns the text that replaces a reply in later requests; `None` for the reply itself.
    fn repeated(&self, reply: &str) -> Option<String> {
        let _ = reply;
        None
    }

    /// Carries out a reply. Any text is a valid reply.
    fn act(&mut self, reply: &str) -> Acted;

    /// Returns whether there is a task that a run can complete or miss. Without a task, a run has no outcome, and its
    /// reward is a score.
    fn has_goal(&self) -> bool {
        true
    }

    /// Returns the reason for the end of the run; `None` while the run continues.
    fn end(&self) -> Option<End>;

    /// Returns the values of [`Environment::FEATURES`] in the current state.
    fn features(&self) -> Vec<f64> {
        Vec::new()
    }
}
