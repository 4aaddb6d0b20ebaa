use std::{fmt, str::FromStr};

use trajectory_metrics::random::PythonRandom;

use crate::{costbench::seeds::QuerySeed, error::Error};

/// The four kinds of events that CostBench calls blocking events.
///
/// ```
/// use tool_graph::costbench::{CostModel, EventKind, Library, Task};
///
/// let library = Library::new(2)?;
/// let events = [EventKind::CostChange, EventKind::RemoveTools];
/// let scenario =
///     CostModel::default().scenario(&library, 42, "<Query00001>", Task::Dining, &events);
/// assert_eq!(scenario.events().len(), 2);
///
/// assert_eq!(EventKind::ALL.map(EventKind::name)[..2], ["ban_tool", "preference_change"]);
/// assert_eq!("cost_change".parse(), Ok(EventKind::CostChange));
/// assert!("cost-change".parse::<EventKind>().is_err());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum EventKind {
    /// [`Event::BanTool`](crate::Event::BanTool).
    BanTool,
    /// [`Event::PreferenceChange`](crate::Event::PreferenceChange).
    PreferenceChange,
    /// [`Event::CostChange`](crate::Event::CostChange) to newly drawn costs.
    CostChange,
    /// [`Event::RemoveTools`](crate::Event::RemoveTools), which removes all composite tools with a certain number of
    /// components.
    RemoveTools,
}

impl EventKind {
    /// All four kinds.
    pub const ALL: [Self; 4] =
        [Self::BanTool, Self::PreferenceChange, Self::CostChange, Self::RemoveTools];

    /// Draws the event kinds of a query as the released benchmark does in its mixed mode, each kind with equal
    /// probability.
    ///
    /// The kinds are drawn from a stream seeded with the query's seed, so that fewer
    /// events are the first ones of more events.
    ///
    /// ```
    /// use tool_graph::costbench::{EventKind, QuerySeed};
    ///
    /// let events = EventKind::mixed(QuerySeed::new(42, "<Query00001>"), 2);
    /// assert_eq!(events, [EventKind::PreferenceChange, EventKind::RemoveTools]);
    /// ```
    ///
    /// Reference: the released code of CostBench.
    #[must_use]
    pub fn mixed(seed: QuerySeed, events: usize) -> Vec<Self> {
        // The order of the released benchmark.
        let kinds = [Self::BanTool, Self::PreferenceChange, Self::RemoveTools, Self::CostChange];
        let mut stream = PythonRandom::new(seed.0.into());
        (0..events).map(|_| kinds[stream.choice(0..4) as usize]).collect()
    }

    /// Returns the name that `Display` and `FromStr` use, from `"ban_tool"` to `"remove_tools"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BanTool => "ban_tool",
            Self::PreferenceChange => "preference_change",
            Self::CostChange => "cost_change",
            Self::RemoveTools => "remove_tools",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EventKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = Self::ALL.into_iter().find(|kind| kind.name() == name);
        named.ok_or_else(|| {
            let known = "ban_tool, preference_change, cost_change and remove_tools";
            Error::name(name, format!("no kind of event is called {name:?}; the names are {known}"))
        })
    }
}
