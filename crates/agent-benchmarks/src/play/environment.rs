/// How a run in an environment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The task is done.
    Succeeded,
    /// The task can no longer be done.
    Failed,
    /// A limit of the environment or of the setting is reached.
    AtLimit,
}

/// What a reply did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Acted {
    /// The reward of the turn, without penalties for its form.
    pub reward: f64,
    /// What a form that was not understood costs, at most 0.
    pub penalty: f64,
    /// Whether there was an action in the form that is asked for, be it one that cannot be carried out.
    pub is_read: bool,
    /// The actions that were carried out.
    pub n_actions: usize,
    /// What was spent of each of [`Environment::RESOURCES`].
    pub spent: Vec<f64>,
    /// What was not understood or not possible.
    pub problems: Vec<String>,
}

/// What a model plays.
pub trait Environment {
    /// What turns spend beside tokens.
    const RESOURCES: &'static [&'static str];

    /// Facts of the state that estimators of budgets are shown, such as cash.
    const FEATURES: &'static [&'static str] = &[];

    /// What the model is told before the first turn.
    fn instruction(&self) -> String;

    /// What the model is shown at its next turn, with what its latest reply did.
    fn observation(&self) -> String;

    /// What later requests have in place of a reply; `None` for the reply.
    fn repeated(&self, reply: &str) -> Option<String> {
        let _ = reply;
        None
    }

    /// Carries out a reply. Nothing that a reply says is an error.
    fn act(&mut self, reply: &str) -> Acted;

    /// Whether there is a task that a run can do or miss. Without one, a run has no outcome, and its reward is a score.
    fn has_goal(&self) -> bool {
        true
    }

    /// How the run has ended; `None` while it goes on.
    fn end(&self) -> Option<End>;

    /// The least that still has to be spent of the first resource, as far as it is known; infinite if the task cannot be done any
    /// more, be it within so many turns.
    fn need(&self, turns_left: usize) -> Option<f64> {
        let _ = turns_left;
        None
    }

    /// The values of [`Environment::FEATURES`] as the environment stands.
    fn features(&self) -> Vec<f64> {
        Vec::new()
    }
}
