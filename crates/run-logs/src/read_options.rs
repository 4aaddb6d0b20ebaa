use crate::values::read_limits::ReadLimits;

/// What to read of a log, and within which limits.
///
/// ```
/// use run_logs::ReadOptions;
///
/// let options = ReadOptions { requests: true, ..ReadOptions::default() };
/// assert_eq!(options.limits.max_depth, 128);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The limits; [`ReadLimits::default`] unless they are set.
    pub limits: ReadLimits,
    /// Whether [`Turn::request`](crate::Turn::request) is filled; by default it is not. Each request repeats
    /// the conversation before it, so memory grows with the square of the number of turns.
    pub requests: bool,
}
