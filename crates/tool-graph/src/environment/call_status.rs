use trajectory_metrics::tool_calls::FailureClass;

/// The outcome of a call.
///
/// ```
/// use tool_graph::{CallStatus, Episode, Event, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?.with_events(vec![Event::BanTool])?;
/// let mut episode = Episode::new(&scenario);
/// let missing = episode.call("pick")?.status;
/// assert_eq!(missing, CallStatus::MissingInput("hits".into()));
/// assert_eq!(episode.call("buy")?.status, CallStatus::UnknownTool);
/// let banned = episode.call("search")?.status;
/// assert_eq!(banned, CallStatus::Banned);
/// assert!(missing.is_invalid() && !banned.is_invalid() && !banned.is_done());
/// assert_eq!(episode.call("search")?.status, CallStatus::Unavailable);
/// assert_eq!(episode.call("ask")?.status, CallStatus::Done { advanced: true });
/// assert_eq!(episode.call("ask")?.status, CallStatus::Done { advanced: false });
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CallStatus {
    /// The call was carried out, and its cost was paid.
    Done {
        /// Whether the call yielded a data type that was missing before.
        advanced: bool,
    },
    /// The call failed because of a ban. The tool was banned at this call, which the agent could not know, or, by the
    /// released rule, at an earlier call ([`EnvironmentRules::failed_calls`](crate::EnvironmentRules::failed_calls)).
    Banned,
    /// The library has no tool with this name.
    UnknownTool,
    /// The tool was banned or removed before this call, or the agent cannot see it.
    Unavailable,
    /// The tool does not take this parameter.
    UnexpectedParameter(String),
    /// The tool needs this parameter, which was not given.
    MissingParameter(String),
    /// The tool needs this data type, which is not present yet.
    MissingInput(String),
}

impl CallStatus {
    /// Returns whether the call was carried out.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }

    /// Returns whether the call failed through the agent's fault.
    #[must_use]
    pub const fn is_invalid(&self) -> bool {
        !matches!(self, Self::Done { .. } | Self::Banned)
    }

    /// Returns the failure class of the call, except for redundancy.
    pub(super) const fn failure(&self) -> Option<FailureClass> {
        match self {
            Self::Done { .. } | Self::Banned => None,
            Self::MissingInput(_) => Some(FailureClass::Inaccessible),
            _ => Some(FailureClass::WrongParameters),
        }
    }
}
