use std::{fmt, str::FromStr};

use crate::error::Error;

/// One of the six travel tasks of CostBench.
///
/// ```
/// use tool_graph::costbench::Task;
///
/// assert_eq!(Task::ALL.map(Task::name)[4..], ["dining", "shopping"]);
/// assert_eq!(Task::Dining.goal(), "TravelDining");
/// assert_eq!(Task::Location.initial_types().len(), 5);
/// assert_eq!("dining".parse(), Ok(Task::Dining));
/// assert!("Dining".parse::<Task>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Task {
    /// Location: where to go. The other tasks start from a location preference.
    Location,
    /// Transportation: how to get there.
    Transportation,
    /// Accommodation: where to stay.
    Accommodation,
    /// Attraction: what to see.
    Attraction,
    /// Dining: where to eat.
    Dining,
    /// Shopping: where to shop.
    Shopping,
}

impl Task {
    /// All six tasks, in the order of the library.
    pub const ALL: [Self; 6] = [
        Self::Location,
        Self::Transportation,
        Self::Accommodation,
        Self::Attraction,
        Self::Dining,
        Self::Shopping,
    ];

    const fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }

    /// Returns the name that query files, `Display` and `FromStr` use, from `"location"` to `"shopping"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names().name
    }

    /// Returns the part of tool and type names that denotes the task, from `"Location"` to `"Shopping"`.
    pub(super) const fn prefix(self) -> &'static str {
        self.names().prefix
    }

    /// Returns the data types present before the first call, in alphabetical order.
    #[must_use]
    pub const fn initial_types(self) -> &'static [&'static str] {
        self.names().initial_types
    }

    /// Returns the data type of the goal, from `"TravelLocation"` to `"TravelShopping"`.
    #[must_use]
    pub const fn goal(self) -> &'static str {
        self.names().goal
    }
}

/// The names of a task and of its data types.
struct Names {
    name: &'static str,
    prefix: &'static str,
    goal: &'static str,
    initial_types: &'static [&'static str],
}

macro_rules! names {
    ($name:literal, [$($before:literal),*], $prefix:literal, [$($after:literal),*]) => {
        Names {
            name: $name,
            prefix: $prefix,
            goal: concat!("Travel", $prefix),
            initial_types: &[
                $($before,)*
                concat!($prefix, "Category"),
                concat!($prefix, "FeaturePackage"),
                concat!($prefix, "Style"),
                concat!($prefix, "Tier"),
                $($after,)*
            ],
        }
    };
}

/// In the order of [`Task::ALL`].
static NAMES: [Names; 6] = [
    names!("location", [], "Location", ["TimeInfo"]),
    names!("transportation", ["LocationPreference", "TimeInfo"], "Transportation", []),
    names!("accommodation", [], "Accommodation", ["LocationPreference", "TimeInfo"]),
    names!("attraction", [], "Attraction", ["LocationPreference", "TimeInfo"]),
    names!("dining", [], "Dining", ["LocationPreference", "TimeInfo"]),
    names!("shopping", ["LocationPreference"], "Shopping", ["TimeInfo"]),
];

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Task {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = Self::ALL.into_iter().find(|task| task.name() == name);
        named.ok_or_else(|| {
            let known = "location, transportation, accommodation, attraction, dining and shopping";
            Error::name(name, format!("no task is called {name:?}; the names are {known}"))
        })
    }
}
