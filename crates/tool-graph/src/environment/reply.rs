use trajectory_metrics::tool_calls::FailureClass;

/// What became of a call.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum CallStatus {
    /// It was carried out and paid for.
    Done {
        /// Whether it yielded a data type that was not there.
        advanced: bool,
    },
    /// It failed because the tool was banned at this very call; nothing that the agent could have
    /// known.
    Banned,
    /// No tool of that name.
    UnknownTool,
    /// The tool was banned or removed before.
    Unavailable,
    /// The tool takes no such parameter.
    UnexpectedParameter(String),
    /// The tool needs this parameter and was not given it.
    MissingParameter(String),
    /// The tool needs this data type, which is not there yet.
    MissingInput(String),
}

impl CallStatus {
    /// Whether the call was carried out.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }

    /// Whether the call could not be carried out, by the agent's fault.
    #[must_use]
    pub const fn is_invalid(&self) -> bool {
        !matches!(self, Self::Done { .. } | Self::Banned)
    }

    /// What is wrong with the call, apart from being redundant.
    pub(super) const fn failure(&self) -> Option<FailureClass> {
        match self {
            Self::Done { .. } | Self::Banned => None,
            Self::MissingInput(_) => Some(FailureClass::Inaccessible),
            _ => Some(FailureClass::WrongParameters),
        }
    }
}

/// What an agent gets back for a call.
///
/// ```
/// use tool_graph::{Episode, Event, Scenario, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let scenario = Scenario::new(graph, problem)?.with_events(vec![Event::PreferenceChange])?;
/// let reply = Episode::new(&scenario).call("search")?;
/// assert!(reply.status.is_done());
/// assert_eq!((reply.cost, reply.event), (4.0, Some(0)));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reply {
    /// What became of the call.
    pub status: CallStatus,
    /// What was paid: the tool's cost if it was carried out, else 0.
    pub cost: f64,
    /// The event that came with this call, as a position in
    /// [`Scenario::events`](crate::Scenario::events). Whether the agent is told of it is the
    /// caller's choice; see [`Event::is_explicit`](crate::Event::is_explicit).
    pub event: Option<usize>,
}

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredReply for Reply = "Reply", Reply::check, {
    status: CallStatus,
    cost: f64,
    event: Option<usize>,
});

#[cfg(feature = "serde")]
impl Reply {
    fn check(&self) -> Result<(), &'static str> {
        self.status.check(self.cost, self.event)
    }
}

#[cfg(feature = "serde")]
impl CallStatus {
    /// That a call with this status can have had this cost and this event.
    pub(super) fn check(&self, cost: f64, event: Option<usize>) -> Result<(), &'static str> {
        use crate::stored::{is_cost, rule};

        rule(is_cost(cost), "the cost of a call must be finite and at least 0")?;
        rule(self.is_done() || cost == 0.0, "a call that was not carried out must cost 0")?;
        let banned = *self != Self::Banned || event.is_some();
        rule(banned, "a call that fails by a ban must name its event")?;
        rule(!self.is_invalid() || event.is_none(), "no event can fall on an invalid call")
    }
}
