use scoring_rules::DecimalSum;
use trajectory_metrics::tool_calls::{
    CallFacts, FailureClass, FailureCounts, cost_gap, edit_distance, invalid_tool_use_ratio,
    normalized_edit_distance,
};

use crate::{
    environment::{call_status::CallStatus, optimal_plans::AllPlans, run_scores::RunScores},
    error::Error,
    events::environment_rules::{EnvironmentRules, RuleVersion},
};

/// The record of one call of a run, which is also the response to the call.
///
/// ```
/// use tool_graph::{Episode, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?;
/// let mut episode = Episode::new(&scenario);
/// episode.call("search")?;
/// episode.call("buy")?;
/// let run = episode.finish(false);
/// let [search, buy] = &run.calls[..] else { panic!("two calls were made") };
/// assert_eq!((search.name.as_str(), search.tool, search.cost), ("search", Some(0), 4.0));
/// assert_eq!((buy.name.as_str(), buy.tool, buy.cost), ("buy", None, 0.0));
/// assert!(search.status.is_done() && !search.after_goal && search.event.is_none());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CallRecord {
    /// The name of the tool, as the agent gave it.
    pub name: String,
    /// The position of the tool in the library, or `None` if the library has no such tool.
    pub tool: Option<usize>,
    /// The outcome of the call.
    pub status: CallStatus,
    /// The cost that was paid: the cost of the tool if the call was carried out, and otherwise 0. By the released
    /// rule, a banned call is paid for, too.
    pub cost: f64,
    /// Whether the goal was reached before the call.
    pub after_goal: bool,
    /// The event that occurred at the call, as a position in [`Scenario::events`](crate::Scenario::events). The caller
    /// decides whether to inform the agent of the event; see [`Event::is_explicit`](crate::Event::is_explicit).
    pub event: Option<usize>,
}

/// The transcript of a run, from which its scores are computed. Made by [`Episode::finish`](crate::Episode::finish).
///
/// [`Self::replay`] repeats its calls in a scenario.
///
/// ```
/// use tool_graph::{Episode, FailureClass, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?;
/// let mut episode = Episode::new(&scenario);
/// for name in ["pick", "ask", "search", "pick"] {
///     episode.call(name)?;
/// }
/// let run = episode.finish(true);
/// assert_eq!(run.path(), [1, 0, 2], "the first call lacked its input");
/// let costs: Vec<f64> = run.calls.iter().map(|call| call.cost).collect();
/// assert_eq!(costs, [0.0, 7.0, 4.0, 2.0]);
/// assert!(run.goal_reached && run.is_completed());
/// assert!(run.all_events_fired(), "the scenario has no events");
/// assert_eq!(run.events_fired, 0);
/// let classes = [Some(FailureClass::Inaccessible), None, Some(FailureClass::Repeated), None];
/// assert_eq!(run.failure_classes(), classes);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Transcript {
    /// All calls, including failed calls.
    pub calls: Vec<CallRecord>,
    /// Whether the run reached the goal.
    pub goal_reached: bool,
    pub(super) answer_is_right: bool,
    pub(super) events_planned: usize,
    /// The number of events that occurred.
    pub events_fired: usize,
    /// Whether a ban fell on a tool that an earlier event had banned.
    pub(super) banned_twice: bool,
    pub(super) rules: EnvironmentRules,
    /// Whether all plans that were used for the run are proved to be the best. These plans determine when events occur,
    /// and form the path of an optimal run. False if a search for them reached the limit of the scenario
    /// ([`Scenario::with_search_steps`](crate::Scenario::with_search_steps)).
    pub has_exact_plans: bool,
    /// Whether the greedy policy made the run, of itself.
    pub(super) is_greedy: bool,
    /// All optimal plans, of an optimal run.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) plans: AllPlans,
}

impl Transcript {
    /// Returns the tools of the calls that count as steps: calls that were carried out, and calls that failed because
    /// of a ban ([`CallStatus::Banned`]). Calls that failed through the agent's fault are excluded (CostBench, appendix
    /// B.3.2). The position of a banned tool that the library does not have
    /// ([`EnvironmentRules::unknown_bans`](crate::EnvironmentRules::unknown_bans)) is `usize::MAX`.
    #[must_use]
    pub fn path(&self) -> Vec<usize> {
        let steps = self.calls.iter().filter(|call| !call.status.is_invalid());
        steps.map(|call| call.tool.unwrap_or(usize::MAX)).collect()
    }

    /// Returns the sum of the costs that were paid for the calls. The costs are added exactly in their shortest decimal
    /// form, and the sum is rounded once.
    ///
    /// At least 0; 0 for a run without calls.
    ///
    /// ```
    /// use tool_graph::{Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 0.1),
    ///     Tool::new("pick", ["hits"], ["choice"], 0.2),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    /// let run = Scenario::new(graph, problem)?.optimal_run();
    /// assert_eq!(run.total_cost(), 0.3);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn total_cost(&self) -> f64 {
        self.calls.iter().map(|call| call.cost).collect::<DecimalSum>().value()
    }

    /// Returns whether the run reached the goal and its answer is right. A right answer without reaching the goal is a
    /// guess (CostBench, appendix B.3.2).
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        self.goal_reached && self.answer_is_right
    }

    /// Returns whether all events of the scenario occurred. If not, the run must not be compared (CostBench, appendix
    /// B.3.2).
    #[must_use]
    pub const fn all_events_fired(&self) -> bool {
        self.events_fired == self.events_planned
    }

    /// Returns whether the rules of the run give its path the worst scores, regardless of its calls.
    pub(super) fn has_worst_path_scores(&self) -> bool {
        match self.goal_reached {
            true => self.banned_twice && self.rules.repeated_bans == RuleVersion::Released,
            false => self.rules.unfinished_runs == RuleVersion::Released,
        }
    }

    /// Returns the failure class of each call, or `None` for a correct call.
    ///
    /// A call that failed because of a ban has no failure class. A second call of the same tool counts as
    /// repeated only if the call yielded nothing new, because an event can make a tool necessary again.
    #[must_use]
    pub fn failure_classes(&self) -> Vec<Option<FailureClass>> {
        let facts = |call: &CallRecord| CallFacts {
            call: call.tool,
            well_formed: call.status.failure() != Some(FailureClass::WrongParameters),
            accessible: call.status.failure() != Some(FailureClass::Inaccessible),
            after_goal: call.after_goal,
            advanced: Some(call.status != (CallStatus::Done { advanced: false })),
        };
        FailureClass::of_each(&self.calls.iter().map(facts).collect::<Vec<_>>())
    }

    /// Scores the run by comparison with a reference run, usually the optimal run of the same scenario
    /// ([`Scenario::optimal_run`](crate::Scenario::optimal_run)). Each call has its cost at the time of the call; costs
    /// are added exactly as decimal numbers.
    ///
    /// Often several plans are optimal, for example because two calls do not depend on each other. The path
    /// of a run that reached the goal is compared with the nearest of all optimal plans, the one with the
    /// fewest edits and among these the longest. If some tools cost nothing, only the optimal plans with the
    /// fewest calls count. [`RunScores::nearest_plan`] is false if the path was compared only with the path
    /// of the reference. This is so on a [chain](crate::ToolGraph::optimal_plan), where calls cannot change
    /// places; for a reference that is not an optimal run; for a reference read from a file; after events;
    /// with [`TieRule::Released`](crate::TieRule::Released), where the single plan is the published
    /// reference; and for too many optimal plans (more than about 10,000 sets of data types in them).
    ///
    /// Costs are compared only if both runs reached the goal. If an event occurred in either run, there is no cost
    /// gap: the plans of the reference are optimal only for the world in which they were made, so a cheaper run is
    /// not a better one. Compare paths instead (CostBench, appendix B.3.1). [`RunScores::regret_to_replanned`] compares costs under events, too.
    ///
    /// Reference: CostBench, appendices B.3.1 and B.3.2.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::NotFinite`] if the sum of the costs exceeds the range of f64 numbers.
    pub fn scores(&self, reference: &Self) -> Result<RunScores, Error> {
        let classes = self.failure_classes();
        let actual = self.path();
        let (path, nearest_plan) = self.compared_path(reference, &actual);
        // Each sum is rounded like the cost of a plan, so that a run as cheap as the reference has a gap
        // of exactly 0.
        let gap = cost_gap(&[self.total_cost()], &[reference.total_cost()])?;
        let is_lean = classes.iter().copied().collect::<FailureCounts>().redundant() == 0;
        let valid: Vec<bool> = self.calls.iter().map(|call| !call.status.is_invalid()).collect();
        let (reached, worst) = (self.goal_reached, self.has_worst_path_scores());
        let both_reached = reached && reference.goal_reached;
        let cost_gap_undefined = if !reached {
            Some("the run did not reach the goal")
        } else if !both_reached {
            Some("the reference did not reach the goal")
        } else if self.events_fired > 0 || reference.events_fired > 0 {
            Some("an event occurred, after which the plans of the start are not optimal")
        } else {
            None
        };
        let has_gap = cost_gap_undefined.is_none();
        let same_events = self.events_fired == reference.events_fired;
        let longest = actual.len().max(path.len());
        let edits = || if worst { longest } else { edit_distance(&actual, &path) };
        let share = || if worst { 1.0 } else { normalized_edit_distance(&actual, &path) };
        let has_paths = reached || worst;
        Ok(RunScores {
            cost_gap: has_gap.then_some(gap),
            cost_gap_undefined,
            regret_to_replanned: (both_reached && same_events).then_some(gap),
            cost_gap_without_redundant: (has_gap && is_lean).then_some(gap),
            edit_distance: has_paths.then(edits),
            normalized_edit_distance: has_paths.then(share),
            exact_match: has_paths.then(|| !worst && actual == path),
            completed: self.is_completed(),
            invalid_tool_use_ratio: invalid_tool_use_ratio(&valid).ok(),
            failures: classes.into_iter().collect::<FailureCounts>(),
            nearest_plan,
        })
    }

    /// Returns the path of the nearest optimal plan, or else of the reference, and whether it is the former.
    pub(super) fn compared_path(&self, reference: &Self, actual: &[usize]) -> (Vec<usize>, bool) {
        let path = reference.path();
        let comparable = self.goal_reached && !self.has_worst_path_scores();
        let nearest = if comparable { reference.plans.nearest(&path, actual) } else { None };
        match nearest {
            Some(nearest) => (nearest, true),
            None => (path, false),
        }
    }
}
