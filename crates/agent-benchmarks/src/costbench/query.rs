use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use tool_graph::costbench::{QuerySeed, Task};

use crate::costbench::{
    preferences::{Preferences, Split},
    released_query::ReleasedQuery,
};

/// The numbers of the released test queries, one line per task in the order of [`Task::ALL`].
const TEST: &str = include_str!("vocabulary/test_numbers.txt");

/// The number of training queries of each task.
const TRAINING: usize = 500;

/// A traveller's query.
///
/// ```
/// use agent_benchmarks::costbench::{Preferences, Query, Task};
///
/// let values =
///     ["bakery", "simple_and_budget_eats", "speed_and_convenience_priority", "live_music_or_performance"];
/// let preferences = Preferences::new(Task::Dining, values)?;
/// let query = Query::new("<MyQuery1>", preferences, 42);
/// assert_eq!(query.requirement, preferences.requirement(query.seed()));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The id, which determines the costs and the events of the query.
    pub id: String,
    /// The wishes of the traveller.
    pub preferences: Preferences,
    /// The preferences in words, as the model reads them.
    pub requirement: String,
    global_seed: u64,
    /// The data of the released files about the query, if it was read from them.
    pub(super) released: Option<ReleasedQuery>,
}

impl Query {
    /// Creates a query for these preferences. The global seed and the id determine their wording.
    #[must_use]
    pub fn new(id: impl Into<String>, preferences: Preferences, global_seed: u64) -> Self {
        let mut query = Self {
            id: id.into(),
            preferences,
            requirement: String::new(),
            global_seed,
            released: None,
        };
        query.requirement = preferences.requirement(query.seed());
        query
    }

    /// Returns the task.
    #[must_use]
    pub const fn task(&self) -> Task {
        self.preferences.task()
    }

    /// Returns the seed of the query's wording, computed from its id and the global seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        u64::from(QuerySeed::new(self.global_seed, &self.id).0)
    }
}

/// Returns the queries of one split: 381 for tests and 3,000 for training.
///
/// The test queries have the tasks and ids, and therefore the costs, of the released benchmark. There are 500 training queries
/// for each task, with different ids. No two queries of a task have the same preferences. The seed determines the preferences of
/// a query and their wording. The paper removes preferences that contradict common sense; here all combinations are possible.
///
/// Reference: CostBench, section 3.3 and table 2.
///
/// ```
/// use agent_benchmarks::costbench::{Split, Task, queries};
///
/// let test = queries(Split::Test, 42);
/// assert_eq!((test.len(), queries(Split::Train, 42).len()), (381, 3_000));
/// assert_eq!((test[0].id.as_str(), test[0].task()), ("<Query00001>", Task::Location));
/// assert!(test.iter().all(|query| query.preferences.split() == Split::Test));
/// ```
#[must_use]
pub fn queries(split: Split, seed: u64) -> Vec<Query> {
    let mut queries = Vec::new();
    for task in Task::ALL {
        let ids: Vec<String> = match split {
            Split::Test => {
                let numbers =
                    TEST.lines().nth(task as usize).and_then(|line| line.split_once(": "));
                let numbers = numbers.map_or("", |(_, numbers)| numbers).split_whitespace();
                numbers.map(|number| format!("<Query{number:0>5}>")).collect()
            }
            Split::Train => {
                let first = TRAINING * task as usize + 1;
                (first..first + TRAINING).map(|number| format!("<Train{number:05}>")).collect()
            }
        };
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(2 * task as u64 + u64::from(split == Split::Train));
        let mut preferences: Vec<Preferences> = Preferences::all(task, split).collect();
        preferences.sort_by_cached_key(|_| generator.next_u64());
        queries.extend(ids.into_iter().zip(preferences).map(|(id, it)| Query::new(id, it, seed)));
    }
    queries
}
