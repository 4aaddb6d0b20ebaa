use std::sync::Arc;

use tool_graph::costbench::QuerySeed;
use trajectory_metrics::random::PythonRandom;

use crate::costbench::{preferences::Preferences, world::Given};

/// The data of the released files about a query, other than its preferences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReleasedQuery {
    /// The queries of the file, and the position of this one.
    all: Arc<[Entry]>,
    place: usize,
}

/// A query of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) preferences: Preferences,
    pub(super) requirement: String,
    pub(super) input: String,
    pub(super) given: Given,
}

impl ReleasedQuery {
    pub(super) fn new(all: Arc<[Entry]>, place: usize) -> Self {
        Self { all, place }
    }

    fn entry(&self) -> &Entry {
        &self.all[self.place]
    }

    /// Returns the first message of the user.
    pub(super) fn input(&self) -> &str {
        &self.entry().input
    }

    /// Returns the user's wishes, in words.
    pub(super) fn requirement(&self) -> &str {
        &self.entry().requirement
    }

    pub(super) fn given(&self) -> Given {
        self.entry().given
    }

    pub(super) fn preferences(&self) -> Preferences {
        self.entry().preferences
    }

    /// Returns the query of the task whose preferences apply after an event.
    pub(super) fn changed(&self, seed: QuerySeed, event: usize) -> Self {
        let own = self.entry();
        let others = self.all.iter().enumerate().filter(|(_, other)| {
            other.preferences.task() == own.preferences.task() && other.id != own.id
        });
        let others: Vec<usize> = others.map(|(place, _)| place).collect();
        let place = match others.len() as u32 {
            0 => self.place,
            n => others[PythonRandom::new(seed.event(event as u32)).choice(0..n) as usize],
        };
        Self { all: Arc::clone(&self.all), place }
    }
}
