use budget_estimation::{BudgetMonitor, StopRule};

use crate::{
    error::Error,
    play::environment::Environment,
    values::{request::Sampling, setters::setters},
};

/// The token resources that the turns of every model spend.
pub(super) const TOKENS: [&str; 3] = ["fresh_input_tokens", "output_tokens", "total_tokens"];

/// The rules under which environments are played: limits of turns and tokens, caps, and the stop rule.
///
/// ```
/// use agent_benchmarks::play::{Play, play};
/// use agent_benchmarks::sokoban::{Room, Sokoban};
/// use agent_benchmarks::Error;
///
/// let room = Sokoban::new(Room::parse("######\n#P_XO#\n######")?);
/// let conversation = Play::new().conversation("one box", room)?;
/// let record = play(conversation, |_| "<answer>Right || Right</answer>".to_owned())?;
/// assert!(record.succeeded);
/// assert_eq!((record.turns.len(), record.turns[0].spent[0]), (1, 2.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    pub(super) most_turns: usize,
    pub(super) most_tokens_of_a_turn: Option<u64>,
    pub(super) sampling: Sampling,
    pub(super) instruction: Option<String>,
    /// The resources requested between turns, with their caps.
    pub(super) asks: Vec<(String, Option<f64>)>,
    pub(super) keeps_answers: bool,
    pub(super) enforces_caps: bool,
    pub(super) rule: Option<StopRule>,
}

impl Default for Play {
    fn default() -> Self {
        Self::new()
    }
}

impl Play {
    /// Creates the setting of the paper: ten turns, at temperature 0, without questions in between.
    #[must_use]
    pub fn new() -> Self {
        Self {
            most_turns: 10,
            most_tokens_of_a_turn: None,
            sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
            instruction: None,
            asks: Vec::new(),
            keeps_answers: false,
            enforces_caps: true,
            rule: None,
        }
    }

    setters! {
        /// Sets the maximum number of turns of a run.
        with_most_turns(most_turns: usize);

        /// Sets the maximum number of tokens of one request and its reply. A turn above it has no effect and ends the
        /// run, which fails. The released evaluation of Sokoban has 2,500.
        with_most_tokens_of_a_turn(most_tokens_of_a_turn: Option<u64>);

        /// Sets the sampling.
        with_sampling(sampling: Sampling);

        /// Sets the first instruction to the model; `None` is the text of the environment.
        with_instruction(instruction: Option<String>);

        /// Sets the rule by which answers to questions end a run.
        with_stop_rule(rule: Option<StopRule>);

        /// Sets whether exceeding a requested cap ends a run, which is the default. Otherwise the run is told the cap and
        /// continues, so that its full cost is known.
        with_enforced_caps(enforces_caps: bool);
    }

    /// Asks after each turn for the remaining cost of these resources, each with its cap, if any. A resource is one of
    /// [`Environment::RESOURCES`], or tokens: `output_tokens`, or `total_tokens`, which adds the new tokens of the request.
    /// `keeps_answers` sets whether later turns show the earlier answers.
    #[must_use]
    pub fn with_questions(mut self, asks: &[(&str, Option<f64>)], keeps_answers: bool) -> Self {
        self.asks = asks.iter().map(|&(name, cap)| (name.to_owned(), cap)).collect();
        self.keeps_answers = keeps_answers;
        self
    }

    /// Creates the monitor of the requested resources.
    pub(super) fn monitor(&self) -> Result<BudgetMonitor, Error> {
        let monitor = BudgetMonitor::new(self.asks.iter().cloned())?;
        Ok(match self.rule {
            Some(rule) => monitor.with_stop_rule(rule),
            None => monitor,
        })
    }
}

/// Returns the names of the resources that turns of an environment spend, tokens first.
pub(super) fn names<E: Environment>() -> impl Iterator<Item = &'static str> {
    TOKENS.into_iter().chain(E::RESOURCES.iter().copied())
}
