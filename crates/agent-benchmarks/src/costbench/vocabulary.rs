//! The words of preferences. Each task has four dimensions with ten values each.
//!
//! The first four values of a dimension belong to test queries and the other six to training queries, so that the two splits
//! never ask for the same value. The phrases are this crate's own. The test values come from the released benchmark, in the order
//! of its configuration; the paper prints some of them (figure 10 and table 11); the training values are this crate's own too.

use std::sync::LazyLock;

use tool_graph::costbench::Task;

/// A value of a dimension, and a noun phrase that asks for the value without naming it.
pub(super) type Word = (&'static str, &'static str);

/// The number of values of a dimension that belong to test queries.
pub(super) const TEST_WORDS: usize = 4;

static WORDS: LazyLock<Vec<Word>> = LazyLock::new(|| {
    let lines = include_str!("vocabulary/words.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect()
});

/// Returns the ten values of a dimension of a task.
pub(super) fn vocabulary(task: Task, dimension: usize) -> &'static [Word] {
    let before = Task::ALL.iter().take_while(|other| **other != task).count();
    &WORDS[10 * (4 * before + dimension)..][..10]
}
