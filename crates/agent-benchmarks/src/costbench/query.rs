use std::{collections::BTreeSet, sync::Arc};

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use tool_graph::costbench::{QuerySeed, Task};
use trajectory_metrics::random::PythonRandom;

use crate::{
    costbench::{
        preferences::{Preferences, Split},
        reply_rules::digits,
        world::Given,
    },
    error::Error,
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
    /// Creates a query for these preferences. Its id and the global seed determine the wording of the preferences.
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

    /// Returns the seed that determines the wording of the query, computed from its id and the global seed.
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

/// The fields that are read from the file.
#[derive(serde::Deserialize)]
struct Row {
    query_id: String,
    task: String,
    #[serde(rename = "TimeInfo")]
    time: String,
    #[serde(default)]
    location_preference: String,
    preferences: Values,
    groundtruth: String,
    user_requirements: String,
    query: Input,
}

#[derive(serde::Deserialize)]
struct Values {
    category: String,
    tier: String,
    style: String,
    feature_package: String,
}

#[derive(serde::Deserialize)]
struct Input {
    input: String,
}

/// Reads the queries of the released file `env/data/runtime/queries/queries.json`, in the order of the file, with its
/// texts and identifiers.
///
/// The world of such a query numbers its objects like the released one: the same number is used during a whole run, and a change
/// of preferences adopts the preferences of another query of the file.
///
/// Reference: CostBench, section 3.3, and its released data.
///
/// # Errors
///
/// [`Error::Invalid`] with the query for text that is no such file, for values unknown to [`Preferences`], for a repeated id,
/// and for a `groundtruth` whose number differs from the number in the released search space.
///
/// ```
/// use agent_benchmarks::costbench::{CostBench, read_queries};
///
/// let text = r#"[{"query_id": "<Query00281>", "task": "transportation", "TimeInfo": "<TimeInfo03180>",
///     "location_preference": "<LocationPreference00114>", "groundtruth": "<TransportationPreference29063>",
///     "preferences": {"category": "bus", "tier": "standard_class", "style": "comfort_priority",
///         "feature_package": "onboard_connectivity_and_power"},
///     "user_requirements": "A coach, please.", "query": {"input": "To <LocationPreference00114>: a coach."}}]"#;
/// let queries = read_queries(text, 42)?;
/// assert_eq!(queries[0].requirement, "A coach, please.");
/// assert_eq!(CostBench::new(2)?.instance(&queries[0]).query(), &queries[0]);
///
/// let wrong = text.replace("Preference29063", "Preference29064");
/// assert!(read_queries(&wrong, 42).unwrap_err().to_string().contains("<Query00281>"));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
pub fn read_queries(text: &str, global_seed: u64) -> Result<Vec<Query>, Error> {
    let rows: Vec<Row> = serde_json::from_str(text).map_err(Error::stored)?;
    let entries = rows.into_iter().map(|row| {
        let at = |problem: String| Error::stored(format!("{}: {problem}", row.query_id));
        let task: Task =
            row.task.parse().map_err(|_| at(format!("unknown task {:?}", row.task)))?;
        let Values { category, tier, style, feature_package } = &row.preferences;
        let preferences = Preferences::new(task, [category, tier, style, feature_package])
            .map_err(|error| at(error.to_string()))?;
        let number = |id: &str| {
            let digits = digits(id);
            digits.parse().map_err(|_| at(format!("{id:?} has no number")))
        };
        let place = match task {
            Task::Location => None,
            _ => Some(number(&row.location_preference)?),
        };
        let given = Given { time: number(&row.time)?, place };
        let (known, wanted) = (number(&row.groundtruth)?, given.number_of(&preferences, place));
        if known != wanted {
            return Err(at(format!("groundtruth has the number {known}; it must be {wanted}")));
        }
        let (requirement, input) = (row.user_requirements, row.query.input);
        Ok(Entry { id: row.query_id, preferences, requirement, input, given })
    });
    let all: Arc<[Entry]> = entries.collect::<Result<_, Error>>()?;
    let mut ids = BTreeSet::new();
    if let Some(twice) = all.iter().find(|entry| !ids.insert(entry.id.as_str())) {
        return Err(Error::stored(format!("two queries have the id {:?}", twice.id)));
    }
    let query = |(place, entry): (usize, &Entry)| {
        let mut query = Query::new(entry.id.clone(), entry.preferences, global_seed);
        query.requirement.clone_from(&entry.requirement);
        query.released = Some(ReleasedQuery { all: Arc::clone(&all), place });
        query
    };
    Ok(all.iter().enumerate().map(query).collect())
}

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
    /// Returns the query in its file.
    pub(super) fn entry(&self) -> &Entry {
        &self.all[self.place]
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
