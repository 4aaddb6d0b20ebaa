//! The words of preferences: ten values for each of the four dimensions of each task.
//!
//! The first four values of a dimension belong to test queries and the other six to training queries, so
//! that no query of one split asks for what a query of the other asks for. The phrases are this
//! crate's own. The test values of locations and transportation are those that the paper prints (figure 10
//! and table 11); the others, which it does not print, are this crate's own too.

mod accommodation;
mod attraction;
mod dining;
mod location;
mod shopping;
mod transportation;
pub(super) mod words;

use tool_graph::costbench::Task;

use crate::costbench::vocabulary::words::Vocabulary;

/// The number of values of a dimension that belong to test queries.
pub(super) const TEST_WORDS: usize = 4;

pub(super) const fn vocabulary(task: Task) -> &'static Vocabulary {
    match task {
        Task::Location => &location::WORDS,
        Task::Transportation => &transportation::WORDS,
        Task::Accommodation => &accommodation::WORDS,
        Task::Attraction => &attraction::WORDS,
        Task::Dining => &dining::WORDS,
        Task::Shopping => &shopping::WORDS,
    }
}
