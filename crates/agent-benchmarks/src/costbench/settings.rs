use scoring_rules::checks::setting;
use tool_graph::{
    EnvironmentRules,
    costbench::{CostModel, EventKind, Library, QuerySeed},
};

use crate::{
    costbench::{prompts::Prompts, reply_rules::ReplyRules},
    error::Error,
    values::{
        macros::{names, setters},
        request::Sampling,
    },
};

/// The events of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Events {
    Kinds(Vec<EventKind>),
    Mixed(usize),
}

/// The event whose probability a model states as its confidence. The model's streams of confidence are scored against
/// this event.
///
/// ```
/// use agent_benchmarks::costbench::Objective;
///
/// assert_eq!(Objective::ALL.map(Objective::name), ["completed", "optimal"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The run reaches the goal, and its answer is right.
    Completed,
    /// The run reaches the goal along the path of the optimal run, and its answer is right.
    Optimal,
}

names!(Objective, Completed "completed", Optimal "optimal");

/// The settings of CostBench: the level, the events, the rules and the texts shown to the model.
///
/// The defaults come from the published tables: costs from 15 to 25 with a noise of 0.1, global seed 42, at most 20 calls,
/// temperature 0 and at most 16,384 tokens per reply, the rules of the released benchmark, costs and components shown. The texts
/// are this crate's own ([`Prompts`]).
///
/// ```
/// use agent_benchmarks::costbench::{CostBench, EventKind, Split, queries};
///
/// let bench = CostBench::new(2)?.with_events(vec![EventKind::BanTool]);
/// assert_eq!((bench.task_length(), bench.events_name().as_str()), (5, "ban_tool"));
///
/// let instance = bench.instance(&queries(Split::Test, 42)[0]);
/// assert_eq!(instance.scenario().events().len(), 1);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
///
/// Reference: CostBench, sections 3 and 4.1, and table 6.
#[derive(Clone, Debug, PartialEq)]
pub struct CostBench {
    pub(super) library: Library,
    pub(super) cost_model: CostModel,
    pub(super) global_seed: u64,
    pub(super) events: Events,
    pub(super) rules: EnvironmentRules,
    pub(super) reply_rules: ReplyRules,
    pub(super) call_limit: usize,
    pub(super) patience: usize,
    pub(super) shows_costs: bool,
    pub(super) sampling: Sampling,
    pub(super) top_logprobs: Option<u8>,
    pub(super) stated: Option<Objective>,
    pub(super) prompts: Prompts,
}

impl CostBench {
    /// Creates settings for tasks of a refinement level, which have `level + 3` steps, without events.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a level above 100.
    pub fn new(level: usize) -> Result<Self, Error> {
        let sampling = Sampling {
            temperature: Some(0.0),
            max_output_tokens: Some(16_384),
            ..Sampling::default()
        };
        Ok(Self {
            library: Library::new(level)?,
            cost_model: CostModel::default(),
            global_seed: 42,
            events: Events::Kinds(Vec::new()),
            rules: EnvironmentRules::RELEASED,
            reply_rules: ReplyRules::RELEASED,
            call_limit: 20,
            patience: 3,
            shows_costs: true,
            sampling,
            top_logprobs: None,
            stated: None,
            prompts: Prompts::default(),
        })
    }

    /// Sets the kinds of the events that happen in every query, in the order in which they happen.
    #[must_use]
    pub fn with_events(mut self, events: Vec<EventKind>) -> Self {
        self.events = Events::Kinds(events);
        self
    }

    /// Sets the number of events; their kinds are drawn for each query ([`EventKind::mixed`]).
    #[must_use]
    pub fn with_mixed_events(mut self, events: usize) -> Self {
        self.events = Events::Mixed(events);
        self
    }

    /// Sets the texts for the model; the default is this crate's own texts.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if there are no texts for this length of tasks.
    pub fn with_prompts(mut self, prompts: Prompts) -> Result<Self, Error> {
        if !prompts.has_level(self.level()) {
            return Err(Error::stored(format!("the texts have no level {}", self.level())));
        }
        self.prompts = prompts;
        Ok(self)
    }

    /// Returns the refinement level.
    pub(super) fn level(&self) -> usize {
        self.task_length() - 3
    }

    /// Ends the conversation after this number of consecutive replies without a call or an answer; 3 by default. With
    /// [`ReplyRules::ends_at_text`], the first such reply ends it.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub fn with_patience(mut self, patience: usize) -> Result<Self, Error> {
        setting("patience", patience as f64, patience > 0, "at least 1")?;
        self.patience = patience;
        Ok(self)
    }

    /// Asks the model to state, in each reply, the probability that it will meet an objective. A sentence after the
    /// instructions asks for this, even if these are the published instructions.
    #[must_use]
    pub fn with_confidence(mut self, objective: Objective) -> Self {
        self.stated = Some(objective);
        self
    }

    /// Returns the reference for streams of confidence; `None` if neither a stated confidence nor log-probabilities are
    /// requested.
    pub(super) fn objective(&self) -> Option<Objective> {
        self.stated.or(self.top_logprobs.map(|_| Objective::Completed))
    }

    /// Returns the number of steps of a task.
    #[must_use]
    pub fn task_length(&self) -> usize {
        self.library.task_length()
    }

    /// Returns the name of the setting of events in tables and records: `none`, the kinds joined by `+`, or `mixed_2`
    /// for two events of mixed kinds.
    #[must_use]
    pub fn events_name(&self) -> String {
        match &self.events {
            Events::Kinds(kinds) if kinds.is_empty() => "none".to_owned(),
            Events::Kinds(kinds) => {
                kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join("+")
            }
            Events::Mixed(events) => format!("mixed_{events}"),
        }
    }

    /// Returns the kinds of the events of a query.
    pub(super) fn kinds(&self, query_id: &str) -> Vec<EventKind> {
        match &self.events {
            Events::Kinds(kinds) => kinds.clone(),
            Events::Mixed(events) => {
                EventKind::mixed(QuerySeed::new(self.global_seed, query_id), *events)
            }
        }
    }

    setters! {
        /// Sets the rules in which the paper and the released benchmark differ. For example, with
        /// [`EnvironmentRules::PAPER_TEXT`] the model sees the tools of all six tasks.
        with_rules(rules: EnvironmentRules);

        /// Sets the rules for reading replies. The default is the rules of the released environment.
        with_reply_rules(reply_rules: ReplyRules);

        /// Sets the distribution of the costs.
        with_cost_model(cost_model: CostModel);

        /// Sets the global seed of costs and events.
        with_global_seed(global_seed: u64);

        /// Sets the maximum number of calls.
        with_call_limit(call_limit: usize);

        /// Sets whether the descriptions of tools state their costs. If they do not, the model learns a cost from the first call
        /// of a tool.
        with_costs_shown(shows_costs: bool);

        /// Sets the sampling settings of the model.
        with_sampling(sampling: Sampling);

        /// Requests the log-probabilities of the `top_logprobs` most probable tokens at each position.
        with_top_logprobs(top_logprobs: Option<u8>);
    }
}
