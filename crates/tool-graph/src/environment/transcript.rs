use trajectory_metrics::tool_calls::{
    CallFacts, FailureClass, FailureCounts, cost_gap, edit_distance, failure_classes,
    invalid_tool_use_ratio, normalized_edit_distance,
};

use crate::environment::reply::CallStatus;
use crate::environment::run_scores::RunScores;
use crate::error::Error;
use crate::graph::costs::Costs;

/// One call of a run.
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
/// let [search, buy] = run.calls() else { panic!("two calls were made") };
/// assert_eq!((search.name.as_str(), search.tool, search.cost), ("search", Some(0), 4.0));
/// assert_eq!((buy.name.as_str(), buy.tool, buy.cost), ("buy", None, 0.0));
/// assert!(search.status.is_done() && !search.after_goal && search.event.is_none());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CallRecord {
    /// The tool as the agent named it.
    pub name: String,
    /// Its position in the library, if there is such a tool.
    pub tool: Option<usize>,
    /// What became of the call.
    pub status: CallStatus,
    /// What was paid for it.
    pub cost: f64,
    /// Whether the goal was reached before it.
    pub after_goal: bool,
    /// The event that came with it, by position.
    pub event: Option<usize>,
}

/// The record of a run: what the scores are made of. From
/// [`Episode::finish`](crate::Episode::finish).
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
/// assert_eq!(run.path(), [1, 0, 2], "the first call had nothing to pick from");
/// assert_eq!(run.costs(), [0.0, 7.0, 4.0, 2.0]);
/// assert!(run.goal_reached() && run.is_completed());
/// assert!(run.all_events_fired(), "all of none");
/// assert_eq!(run.events_fired(), 0);
/// let classes = [Some(FailureClass::Inaccessible), None, Some(FailureClass::Repeated), None];
/// assert_eq!(run.failure_classes(), classes);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Transcript {
    pub(super) calls: Vec<CallRecord>,
    pub(super) goal_reached: bool,
    pub(super) answer_is_right: bool,
    pub(super) events_planned: usize,
    pub(super) events_fired: usize,
}

impl Transcript {
    /// All calls, failed ones included.
    #[must_use]
    pub fn calls(&self) -> &[CallRecord] {
        &self.calls
    }

    /// The tools of the calls that count as steps: those carried out and those that failed because
    /// their tool was banned at that very call. Calls that failed by the agent's fault are left out
    /// (appendix B.3.2 of CostBench).
    #[must_use]
    pub fn path(&self) -> Vec<usize> {
        let steps = self.calls.iter().filter(|call| !call.status.is_invalid());
        steps.filter_map(|call| call.tool).collect()
    }

    /// What was paid for each call.
    #[must_use]
    pub fn costs(&self) -> Vec<f64> {
        self.calls.iter().map(|call| call.cost).collect()
    }

    /// Whether the goal was there at the end.
    #[must_use]
    pub const fn goal_reached(&self) -> bool {
        self.goal_reached
    }

    /// Whether the goal was reached and the answer right. A right answer without the goal is a
    /// guess (appendix B.3.2 of CostBench).
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        self.goal_reached && self.answer_is_right
    }

    /// How many events came.
    #[must_use]
    pub const fn events_fired(&self) -> usize {
        self.events_fired
    }

    /// Whether all events came that were to come. Other runs are not to be compared (appendix B.3.2
    /// of CostBench).
    #[must_use]
    pub const fn all_events_fired(&self) -> bool {
        self.events_fired == self.events_planned
    }

    /// What is wrong with each call; `None` where nothing is. A call that failed by a ban is
    /// nobody's fault, and a call that is carried out again after an event may have been needed
    /// again: a call is repeated where it yielded nothing new.
    #[must_use]
    pub fn failure_classes(&self) -> Vec<Option<FailureClass>> {
        let facts = |call: &CallRecord| CallFacts {
            call: call.tool,
            well_formed: call.status.failure() != Some(FailureClass::WrongParameters),
            accessible: call.status.failure() != Some(FailureClass::Inaccessible),
            after_goal: call.after_goal,
            advanced: Some(call.status != (CallStatus::Done { advanced: false })),
        };
        failure_classes(&self.calls.iter().map(facts).collect::<Vec<_>>())
    }

    /// The run against a reference: the optimal run
    /// ([`Scenario::optimal_run`](crate::Scenario::optimal_run)) of the same world. Costs are those
    /// paid at the time of each call, added as decimals.
    ///
    /// Under events the sums of costs tell little, since each plan was made for a world that did
    /// not stay (appendix B.3.1 of CostBench); the paths do.
    ///
    /// Reference: CostBench, appendices B.3.1 and B.3.2.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for costs whose sum is beyond the range of numbers.
    pub fn scores(&self, reference: &Self) -> Result<RunScores, Error> {
        let classes = self.failure_classes();
        let actual = self.path();
        let path = reference.path();
        let gap = self.cost_gap(reference)?;
        let is_lean = !classes.iter().flatten().any(|class| class.is_redundant());
        let valid: Vec<bool> = self.calls.iter().map(|call| !call.status.is_invalid()).collect();
        let reached = self.goal_reached;
        Ok(RunScores {
            cost_gap: reached.then_some(gap),
            cost_gap_without_redundant: (reached && is_lean).then_some(gap),
            edit_distance: reached.then(|| edit_distance(&actual, &path)),
            normalized_edit_distance: reached.then(|| normalized_edit_distance(&actual, &path)),
            exact_match: reached.then(|| actual == path),
            completed: self.is_completed(),
            invalid_tool_use_ratio: invalid_tool_use_ratio(&valid).ok(),
            failures: classes.into_iter().collect::<FailureCounts>(),
        })
    }

    /// Each sum is that of the decimals, as the cost of a plan is: else a run as cheap as the best
    /// one could have a gap of 1e-17, or of minus that.
    fn cost_gap(&self, reference: &Self) -> Result<f64, Error> {
        let (paid, optimal) = (self.costs(), reference.costs());
        let sum =
            |costs: &[f64]| Costs::new(costs, |_| String::new()).map(|it| it.sum(0..costs.len()));
        let gap = match (sum(&paid), sum(&optimal)) {
            (Ok(paid), Ok(optimal)) => cost_gap(&[paid], &[optimal]),
            // Costs from before and after a change can lie too far apart for that.
            _ => cost_gap(&paid, &optimal),
        };
        Ok(gap?)
    }
}

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredCallRecord for CallRecord = "CallRecord", CallRecord::check, {
    name: String,
    tool: Option<usize>,
    status: CallStatus,
    cost: f64,
    after_goal: bool,
    event: Option<usize>,
});

#[cfg(feature = "serde")]
impl CallRecord {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        self.status.check(self.cost, self.event)?;
        let is_known = self.status != CallStatus::UnknownTool;
        rule(
            self.tool.is_some() == is_known,
            "a call must have a tool, and none if its status is unknown_tool",
        )?;
        let quiet = !self.after_goal || self.event.is_none();
        rule(quiet, "no event can fall on a call after the goal was reached")
    }
}

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredTranscript for Transcript = "Transcript", Transcript::check, {
    calls: Vec<CallRecord>,
    goal_reached: bool,
    answer_is_right: bool,
    events_planned: usize,
    events_fired: usize,
});

#[cfg(feature = "serde")]
impl Transcript {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        let events: Vec<usize> = self.calls.iter().filter_map(|call| call.event).collect();
        rule(
            events.len() == self.events_fired,
            "events_fired must be the number of calls with an event",
        )?;
        let in_order = events.windows(2).all(|pair| pair[0] < pair[1])
            && events.last().is_none_or(|&last| last < self.events_planned);
        rule(in_order, "events must be in rising order and each below events_planned")?;
        let once = self.calls.windows(2).all(|pair| !pair[0].after_goal || pair[1].after_goal);
        rule(once, "all calls after one that is after_goal must be after_goal too")?;
        let reached = self.goal_reached || self.calls.iter().all(|call| !call.after_goal);
        rule(reached, "a call can only be after_goal if goal_reached is true")
    }
}
