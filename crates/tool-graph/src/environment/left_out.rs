use crate::{
    environment::{call_status::CallStatus, transcript::Transcript},
    events::environment_rules::RuleVersion,
};

/// The reason why a run is excluded from CostBench's mean metrics.
///
/// ```
/// use tool_graph::{EnvironmentRules, Episode, Event, LeftOut, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let events = vec![Event::CostChange(vec![4.0, 3.0])];
/// let scenario = Scenario::new(graph, problem)?.with_events(events)?;
///
/// let released = scenario.clone().with_rules(EnvironmentRules::RELEASED);
/// let reason = |scenario: &Scenario, names: &[&str]| {
///     let mut episode = Episode::new(scenario);
///     names.iter().try_for_each(|name| episode.call(name).map(|_| ()))?;
///     Ok::<_, tool_graph::Error>(episode.finish(true).left_out(&scenario.optimal_run()))
/// };
/// assert_eq!(reason(&released, &["search", "pick"])?, None);
/// assert_eq!(reason(&released, &[])?, Some(LeftOut::EventsMissing));
/// // The costs changed at the last call of the run, which tells nothing about how the agent adapts.
/// assert_eq!(reason(&released, &["search"])?, Some(LeftOut::LastEvent));
/// assert_eq!(reason(&scenario, &["search"])?, None);
/// # Ok::<(), tool_graph::Error>(())
/// ```
///
/// Reference: CostBench, appendix B.3.2, and its released evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LeftOut {
    /// Not all events occurred in the run, or not all occurred in the reference run to which it is compared.
    EventsMissing,
    /// The last event occurred at the call with which the reference run reaches the goal, or at the last call of an
    /// agent's run. There are two exceptions: a ban, because the banned call itself shows it, and the last call of the
    /// greedy policy ([`Scenario::greedy_run`](crate::Scenario::greedy_run)), because the released evaluation asks
    /// only of conversations whether something follows. This reason exists only under the released rule.
    LastEvent,
    /// The run has no call. This reason exists only under the released rule.
    NoCalls,
}

/// The numbers of runs that were left out for each reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LeftOutCounts {
    /// Runs left out as [`LeftOut::EventsMissing`].
    pub events_missing: usize,
    /// Runs left out as [`LeftOut::LastEvent`].
    pub last_event: usize,
    /// Runs left out as [`LeftOut::NoCalls`].
    pub no_calls: usize,
}

impl LeftOutCounts {
    /// Counts one more run that is left out for this reason.
    pub fn update(&mut self, reason: LeftOut) {
        let count = match reason {
            LeftOut::EventsMissing => &mut self.events_missing,
            LeftOut::LastEvent => &mut self.last_event,
            LeftOut::NoCalls => &mut self.no_calls,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of all runs left out.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.events_missing.saturating_add(self.last_event).saturating_add(self.no_calls)
    }
}

impl Transcript {
    /// Returns the reason why this run is excluded from mean metrics if it is compared with `reference`; `None` if it
    /// is counted. It is always excluded unless all events occurred in both runs. If they did,
    /// [`EnvironmentRules::counted_runs`] of this run decides.
    ///
    /// [`EnvironmentRules::counted_runs`]: crate::EnvironmentRules::counted_runs
    #[must_use]
    pub fn left_out(&self, reference: &Self) -> Option<LeftOut> {
        if !(self.all_events_fired() && reference.all_events_fired()) {
            return Some(LeftOut::EventsMissing);
        }
        match self.rules.counted_runs {
            RuleVersion::PaperText => None,
            RuleVersion::Released if self.calls.is_empty() => Some(LeftOut::NoCalls),
            RuleVersion::Released => {
                let is_last =
                    reference.ends_with_event() || !self.is_greedy && self.ends_with_event();
                is_last.then_some(LeftOut::LastEvent)
            }
        }
    }

    /// Returns whether an event other than a ban occurred at the last call.
    fn ends_with_event(&self) -> bool {
        let Some((last, earlier)) = self.calls.split_last() else { return false };
        let is_banned = last.status == CallStatus::Banned;
        // At a call of a tool that was banned before, an event of another kind can occur.
        let was_banned = !self.banned_twice
            && earlier.iter().any(|call| {
                call.tool == last.tool && call.status == CallStatus::Banned && call.event.is_some()
            });
        last.event.is_some() && (!is_banned || was_banned)
    }
}
