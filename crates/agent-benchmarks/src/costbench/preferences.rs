use std::sync::LazyLock;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use tool_graph::costbench::Task;

use crate::{error::Error, values::macros::names};

/// The four dimensions of preferences, as the suffixes of data type names.
pub(super) const DIMENSIONS: [&str; 4] = ["Category", "Tier", "Style", "FeaturePackage"];

/// One of the two disjoint sets of queries, for training or for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// The queries for training, whose preferences have six values per dimension.
    Train,
    /// The queries for tests, whose preferences have four values per dimension.
    Test,
}

names!(Split, Train "train", Test "test");

/// Returns the split of a value by its position in the vocabulary.
const fn split_of(choice: usize) -> Split {
    if choice < TEST_WORDS { Split::Test } else { Split::Train }
}

/// The wishes of a traveller in one task: one value for each of the dimensions category, tier, style and feature package.
///
/// ```
/// use agent_benchmarks::costbench::{Preferences, Split, Task};
///
/// let values =
///     ["bakery", "simple_and_budget_eats", "speed_and_convenience_priority", "live_music_or_performance"];
/// let preferences = Preferences::new(Task::Dining, values)?;
/// assert_eq!((preferences.task(), preferences.split()), (Task::Dining, Split::Test));
/// assert_eq!(preferences.values(), values);
/// assert!(preferences.requirement(7).contains("a band that plays while we eat"));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preferences {
    task: Task,
    choices: [u8; 4],
}

impl Preferences {
    /// Creates preferences for a task from one value per dimension.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a value unknown to its dimension, or for a value of another split than the first value's.
    pub fn new(task: Task, values: [&str; 4]) -> Result<Self, Error> {
        let mut choices = [0; 4];
        for (dimension, value) in values.into_iter().enumerate() {
            let words = vocabulary(task, dimension);
            let choice = words.iter().position(|(word, _)| *word == value);
            let of_same_split = |choice: &usize| {
                dimension == 0 || split_of(*choice) == split_of(usize::from(choices[0]))
            };
            let choice = choice.filter(of_same_split).ok_or_else(|| {
                let known = "the values that tools take, in the split of the first value";
                Error::invalid(format!("{value:?} is not a value of its dimension; known: {known}"))
            })?;
            choices[dimension] = choice as u8;
        }
        Ok(Self { task, choices })
    }

    /// Returns the task that the preferences are about.
    #[must_use]
    pub const fn task(&self) -> Task {
        self.task
    }

    /// Returns the preferred value in each of the four dimensions of the task.
    #[must_use]
    pub fn values(&self) -> [&'static str; 4] {
        self.words().map(|(value, _)| value)
    }

    /// Returns the split to which all values of the preferences belong.
    #[must_use]
    pub const fn split(&self) -> Split {
        split_of(self.choices[0] as usize)
    }

    /// Expresses the preferences in words that a traveller might use, without the values themselves. The seed
    /// determines the words.
    #[must_use]
    pub fn requirement(&self, seed: u64) -> String {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |n: usize| below(&mut generator, n);
        let openings: Vec<&str> = OPENINGS.lines().collect();
        let mut text = openings[pick(openings.len())].replace("{}", subject(self.task));
        let mut forms: Vec<&str> = FORMS.lines().collect();
        for (place, (_, phrase)) in self.words().iter().enumerate() {
            let chosen = place + pick(forms.len() - place);
            forms.swap(place, chosen);
            text.push(' ');
            text.push_str(&forms[place].replace("{}", phrase));
        }
        text
    }

    /// Returns the number of the combination among all `10^4` combinations of its task.
    pub(super) fn number(&self) -> u32 {
        self.choices.iter().fold(0, |number, &choice| 10 * number + u32::from(choice))
    }

    /// Returns the position of the combination among the released combinations of its split, sorted by category,
    /// feature package, style and tier.
    pub(super) fn released_position(&self) -> u32 {
        let [category, tier, style, feature] = self.choices.map(u32::from);
        [category, feature, style, tier].into_iter().fold(0, |position, it| 4 * position + it % 4)
    }

    fn words(&self) -> [Word; 4] {
        let word = |place| vocabulary(self.task, place)[usize::from(self.choices[place])];
        std::array::from_fn(word)
    }

    /// Returns all preferences of one split, in ascending order.
    pub(super) fn all(task: Task, split: Split) -> impl Iterator<Item = Self> {
        let (first, n) = match split {
            Split::Test => (0, TEST_WORDS),
            Split::Train => (TEST_WORDS, 10 - TEST_WORDS),
        };
        (0..n.pow(4)).map(move |number| {
            let digit = |place: u32| (first + number / n.pow(3 - place) % n) as u8;
            Self { task, choices: [digit(0), digit(1), digit(2), digit(3)] }
        })
    }

    /// Draws other preferences of the same split, with equal probability.
    pub(super) fn another(task: Task, split: Split, taken: &[Self], seed: u64) -> Self {
        let free: Vec<Self> =
            Self::all(task, split).filter(|preferences| !taken.contains(preferences)).collect();
        let place = below(&mut ChaCha8Rng::seed_from_u64(seed), free.len().max(1));
        free.get(place).copied().unwrap_or(Self { task, choices: [0; 4] })
    }
}

/// Draws a position below `n`, which must be at least 1. The bias is below `n / 2^64`.
pub(super) fn below(generator: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(generator.next_u64()) * n as u128) >> 64) as usize
}

/// Returns the dimension that a data type represents, if it is a preference.
pub(super) fn dimension_of(data_type: &str) -> Option<(Task, usize)> {
    let (dimension, name) = DIMENSIONS
        .iter()
        .enumerate()
        .find_map(|(place, end)| Some((place, data_type.strip_suffix(end)?)))?;
    let task = Task::ALL.into_iter().find(|&task| prefix(task) == name)?;
    Some((task, dimension))
}

/// Returns the words among which a parameter for a preference chooses.
pub(super) fn dimension_values(task: Task, dimension: usize, split: Split) -> Vec<String> {
    let words = vocabulary(task, dimension);
    let words = match split {
        Split::Test => &words[..TEST_WORDS],
        Split::Train => &words[TEST_WORDS..],
    };
    words.iter().map(|(word, _)| (*word).to_owned()).collect()
}

/// Returns the part of data type names that represents the task.
pub(super) fn prefix(task: Task) -> &'static str {
    task.goal().trim_start_matches("Travel")
}

/// Returns the object of the search, in the plural.
pub(super) const fn subject(task: Task) -> &'static str {
    match task {
        Task::Location => "destinations",
        Task::Transportation => "ways to get there",
        Task::Accommodation => "places to stay",
        Task::Attraction => "things to see",
        Task::Dining => "places to eat",
        Task::Shopping => "places to shop",
    }
}

const OPENINGS: &str = include_str!("vocabulary/openings.txt");

const FORMS: &str = include_str!("vocabulary/forms.txt");

/// A value of a dimension, and a noun phrase that asks for the value without naming it.
pub(super) type Word = (&'static str, &'static str);

/// The number of values of a dimension that belong to test queries.
pub(super) const TEST_WORDS: usize = 4;

static WORDS: LazyLock<Vec<Word>> = LazyLock::new(|| {
    let lines = include_str!("vocabulary/words.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect()
});

/// Returns the ten values of a dimension of a task.
///
/// The first four belong to test queries and the other six to training queries, so that the two splits never ask for the
/// same value. The test values are those of the released benchmark, in the order of its configuration; the paper prints
/// some of them (figure 10 and table 11). The training values and all phrases are this crate's own.
pub(super) fn vocabulary(task: Task, dimension: usize) -> &'static [Word] {
    let before = Task::ALL.iter().take_while(|other| **other != task).count();
    &WORDS[10 * (4 * before + dimension)..][..10]
}
