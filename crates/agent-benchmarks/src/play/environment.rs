use budget_estimation::{BudgetMonitor, StopRule};
use run_logs::Reply;

use crate::{
    error::Error,
    values::{macros::setters, request::Sampling, tool_definition::ToolDefinition},
};

/// How a run in an environment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The task is completed.
    Succeeded,
    /// The task can no longer be completed.
    Failed,
    /// A limit of the environment or of the setting is reached. The log has the stop reason
    /// [`MaxSteps`](crate::StopReason::MaxSteps) for both, and a [`limit`](crate::Run::limit) only for the setting.
    AtLimit,
}

/// What a reply did in an environment: its reward, the resources that it spent, and the problems in it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Acted {
    /// The reward of the turn, without penalties for its form.
    pub reward: f64,
    /// The penalty for a reply whose form was not understood, at most 0.
    pub penalty: f64,
    /// Whether the reply had an action in the requested form, even if the action cannot be carried out.
    pub is_read: bool,
    /// The number of actions that were carried out.
    pub n_actions: usize,
    /// The amount of each of [`Environment::RESOURCES`] that was spent; amounts that are left out at the end are 0, and
    /// an amount too many is an error.
    pub spent: Vec<f64>,
    /// The parts of the reply that were not understood or not possible.
    pub problems: Vec<String>,
    /// The results of the calls of the reply, in their order: the text for the model, or the reason why the call failed. A call
    /// without a result is answered as one that was not made.
    pub results: Vec<Result<String, String>>,
}

/// An environment that a model plays: one task of a benchmark, in its current state.
///
/// This is the trait for a benchmark of your own. [`Play::conversation`] turns an environment into a
/// [`Conversation`](crate::Conversation), which [`converse`](crate::converse), the client and any loop of your own can drive.
/// The environment is also the grader: [`end`](Self::end) defines success. Its methods do not fail: [`Acted`] reports
/// the parts of a reply that are wrong, and the calls that failed.
///
/// Before the first request, [`task`](Self::task), [`instruction`](Self::instruction), [`observation`](Self::observation) and
/// [`tools`](Self::tools) are called. After each reply, [`act`](Self::act) is called, then [`features`](Self::features) and
/// [`end`](Self::end), and, while the run continues, [`observation`](Self::observation) and [`tools`](Self::tools) again.
///
/// ```
/// use agent_benchmarks::{
///     Arguments, Error, RecordedCall, Reply, Request, ToolDefinition, converse,
///     play::{Acted, End, Environment, Play},
/// };
///
/// /// A door that opens when its bell has been rung. A ring costs 2 coins.
/// #[derive(Default)]
/// struct Door { rings: u32, end: Option<End> }
///
/// impl Environment for Door {
///     const RESOURCES: &'static [&'static str] = &["coins"];
///
///     fn instruction(&self) -> String {
///         "Ring, then say whether the door is open.".to_owned()
///     }
///
///     fn observation(&self) -> String {
///         if self.rings == 0 { "You stand at a door.".to_owned() } else { String::new() }
///     }
///
///     fn tools(&self) -> Vec<ToolDefinition> {
///         vec![ToolDefinition::new("ring", "Rings the bell.", Vec::new())]
///     }
///
///     fn act(&mut self, reply: &Reply) -> Acted {
///         let mut acted = Acted::default();
///         acted.spent = vec![2.0 * reply.tool_calls.len() as f64];
///         for _ in &reply.tool_calls {
///             self.rings += 1;
///             acted.results.push(Ok("The door opens.".to_owned()));
///         }
///         if reply.tool_calls.is_empty() {
///             let is_right = self.rings > 0 && reply.text == "open";
///             self.end = Some(if is_right { End::Succeeded } else { End::Failed });
///         }
///         acted
///     }
///
///     fn end(&self) -> Option<End> {
///         self.end
///     }
/// }
///
/// let agent = |request: &Request| Ok(match request.messages.len() {
///     2 => {
///         let ring = RecordedCall::new("ring", Arguments::default());
///         Reply { tool_calls: vec![ring], ..Reply::default() }
///     }
///     _ => Reply::from("open"),
/// });
/// let record = converse(Play::new().conversation("door 1", Door::default())?, agent)?;
/// assert!(record.succeeded);
/// assert_eq!((record.turns[0].spent[0], &*record.turns[1].observation), (2.0, "The door opens."));
/// # Ok::<(), Error>(())
/// ```
pub trait Environment {
    /// The resources other than tokens that turns spend. None of them may have the name of a resource of tokens.
    const RESOURCES: &'static [&'static str];

    /// The names of facts about the state that budget estimators may see, such as cash.
    const FEATURES: &'static [&'static str] = &[];

    /// Returns the name of the task, which several runs can have in common. Reports treat the runs of one task as
    /// dependent. `None` if each run is a task of its own.
    fn task(&self) -> Option<String> {
        None
    }

    /// Returns the instruction that the model gets before the first turn.
    fn instruction(&self) -> String;

    /// Returns the observation of the model at its next turn, with the effects of its latest reply. After a reply with calls, an
    /// empty observation leaves the model with their results alone, or with a short request to continue if a question
    /// stays after them. Otherwise it is a message of the user, and many servers refuse an empty one.
    fn observation(&self) -> String;

    /// Returns the tools that the model can call at its next turn.
    fn tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    /// Returns the text that replaces a reply in later requests; `None` for the reply itself.
    fn repeated(&self, reply: &str) -> Option<String> {
        let _ = reply;
        None
    }

    /// Carries out a reply. Any text and any calls are a valid reply.
    fn act(&mut self, reply: &Reply) -> Acted;

    /// Returns whether there is a task that a run can complete or miss. Without a task, a run has no outcome, and its
    /// reward is a score.
    fn has_goal(&self) -> bool {
        true
    }

    /// Returns how the run ended; `None` while it continues.
    fn end(&self) -> Option<End>;

    /// Returns the values of [`Environment::FEATURES`] in the current state.
    fn features(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// Returns the text of an answer. It is the answer that directly follows thoughts, or otherwise the first one. A reply
/// begins with thoughts even without the tag, because the released code adds the missing tag.
pub(crate) fn answer(reply: &str) -> Option<&str> {
    thoughts_and_answer(reply).map(|[_, answer]| answer)
}

/// Returns the thoughts directly before an answer, or none, and the answer.
pub(crate) fn thoughts_and_answer(reply: &str) -> Option<[&str; 2]> {
    let inside = |text: &'_ str| -> Option<usize> {
        let inner = text.strip_prefix("<answer>")?;
        inner.find("</answer>").map(|end| text.len() - inner.len() + end)
    };
    let thoughts = reply.trim_start();
    let thoughts = thoughts.strip_prefix("<think>").unwrap_or(reply);
    let mut ends = thoughts.match_indices("</think>");
    let direct = ends.find_map(|(at, tag)| {
        let rest = thoughts[at + tag.len()..].trim_start();
        inside(rest).map(|end| [&thoughts[..at], &rest["<answer>".len()..end]])
    });
    direct.or_else(|| {
        let rest = &reply[reply.find("<answer>")?..];
        inside(rest).map(|end| ["", &rest["<answer>".len()..end]])
    })
}

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
    /// Creates the settings of the paper: ten turns at temperature 0, without questions between turns.
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

        /// Sets the maximum number of tokens in one request and its reply. A turn with more tokens has no effect and
        /// ends the run, which fails. The released evaluation of Sokoban has a limit of 2,500.
        with_most_tokens_of_a_turn(most_tokens_of_a_turn: Option<u64>);

        /// Sets the sampling.
        with_sampling(sampling: Sampling);

        /// Sets the instruction before the first turn; `None` is the text of the environment.
        with_instruction(instruction: Option<String>);

        /// Sets the rule by which answers to questions end a run.
        with_stop_rule(rule: Option<StopRule>);

        /// Sets whether a run ends when it exceeds the cap on a resource that questions ask about; this is the
        /// default. Otherwise the model is told the cap, but the run continues, so that its full cost is known.
        with_enforced_caps(enforces_caps: bool);
    }

    /// Asks for the remaining cost of these resources, each with an optional cap, after each turn. A resource is one of
    /// [`Environment::RESOURCES`], `fresh_input_tokens` (new in the request), `output_tokens`, or `total_tokens` (the
    /// sum of both). `keeps_answers` sets whether later turns show the earlier answers.
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
