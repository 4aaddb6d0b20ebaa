/// The version of a rule for which CostBench's paper and its released code differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RuleVersion {
    /// The rule of the paper's text.
    #[default]
    PaperText,
    /// The rule of the released benchmark.
    Released,
}

/// The rules of a run for which CostBench's paper and its released code differ, each with the version to use.
///
/// The default is [`Self::PAPER_TEXT`]. The rules for ties between plans and for the moment of an
/// event are separate: [`TieRule`](crate::TieRule) and [`TriggerRule`](crate::TriggerRule).
///
/// ```
/// use tool_graph::{EnvironmentRules, Event, RuleVersion, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let scenario = Scenario::new(graph, problem)?.with_events(vec![Event::BanTool])?;
/// assert_eq!(scenario.optimal_run().total_cost(), 9.0, "a banned call is free");
///
/// let rules = EnvironmentRules {
///     failed_calls: RuleVersion::Released,
///     ..EnvironmentRules::PAPER_TEXT
/// };
/// let scenario = scenario.with_rules(rules);
/// assert_eq!(scenario.optimal_run().total_cost(), 13.0, "a banned call is paid for");
/// # Ok::<(), tool_graph::Error>(())
/// ```
///
/// Reference: CostBench, sections 3.2 and 5.2, appendices B.2 to B.5, and its released code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EnvironmentRules {
    /// Which tools the agent sees: all available tools of the library, or (released) only the tools that can be part
    /// of a plan at the start. In CostBench, the latter are the tools of the query's own task. A call of a tool that
    /// the agent cannot see fails as [`CallStatus::Unavailable`].
    ///
    /// [`CallStatus::Unavailable`]: crate::CallStatus::Unavailable
    pub visible_tools: RuleVersion,
    /// Whether a tool that an event banned disappears from the list of visible tools, or (released)
    /// stays in it.
    pub banned_tools: RuleVersion,
    /// What happens at calls of a tool that an event banned. In the paper, the call at which the ban occurs costs
    /// nothing and later calls of the tool are invalid. In the released code, all of these calls have the status
    /// [`CallStatus::Banned`](crate::CallStatus::Banned), cost as much as the tool, and belong to the path.
    pub failed_calls: RuleVersion,
    /// Which calls bring an event nearer: only steps, or (released) all calls. Steps are calls that were carried out,
    /// and calls at which the tool was banned. If all calls count, an event can occur at a failed call.
    pub event_clock: RuleVersion,
    /// Which tools the greedy policy may call after an event: any tool, or (released) only the tools that the chain
    /// rule allows, except after a preference change.
    pub greedy_restart: RuleVersion,
    /// The optimal plan whose length determines when the next event occurs: the optimal plan from the current state of
    /// the run, or (released) the plan that the optimal run has at the same event.
    pub event_schedule: RuleVersion,
    /// Whether removed tools stay removed at the next removal, or (released) become available again. The paper does not
    /// specify this.
    pub removals: RuleVersion,
    /// The path scores of a run that does not reach the goal: none, or (released) the worst possible scores. The worst
    /// scores are no exact match, a normalised edit distance of 1, and as many edits as the longer path has calls.
    pub unfinished_runs: RuleVersion,
    /// The path scores of a run in which an event banned a tool that was already banned: the scores of its path, or
    /// (released) the worst possible scores, as in [`Self::unfinished_runs`]. This can happen only if
    /// [`Self::event_clock`] is released, because otherwise no event occurs at a failed call.
    pub repeated_bans: RuleVersion,
    /// Which runs count in means: all runs in which, as in their references, all events occurred, or (released) only
    /// some of these runs. The released rule requires that the run has a call, and that something follows the last
    /// event both in an agent's run and in the reference. See [`Transcript::left_out`](crate::Transcript::left_out).
    pub counted_runs: RuleVersion,
    /// The call at which a ban takes effect: the next call of a tool that is in the library, or (released) the next
    /// call of any name. In the latter case, a call of a tool that does not exist uses up the ban and belongs to the
    /// path.
    pub unknown_bans: RuleVersion,
}

impl EnvironmentRules {
    /// The rules of the paper's text.
    pub const PAPER_TEXT: Self = Self::all(RuleVersion::PaperText);

    /// The rules of the released benchmark.
    pub const RELEASED: Self = Self::all(RuleVersion::Released);

    const fn all(version: RuleVersion) -> Self {
        Self {
            visible_tools: version,
            banned_tools: version,
            failed_calls: version,
            event_clock: version,
            greedy_restart: version,
            event_schedule: version,
            removals: version,
            unfinished_runs: version,
            repeated_bans: version,
            counted_runs: version,
            unknown_bans: version,
        }
    }
}
