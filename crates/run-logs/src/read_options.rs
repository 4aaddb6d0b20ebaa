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

/// Limits on the memory that a log may make the reader hold.
///
/// Exceeding one of them is an error, so that a hostile or damaged file cannot exhaust memory or the stack.
///
/// ```
/// use run_logs::ReadLimits;
///
/// let limits = ReadLimits { max_string: 1 << 20, ..ReadLimits::default() };
/// assert_eq!((limits.max_string, limits.max_depth), (1 << 20, 128));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// The deepest nesting of a value; 128 by default. More than 512 counts as 512, which every thread's stack
    /// can hold.
    pub max_depth: usize,
    /// The longest string that is kept, in bytes; 64 MiB by default. Strings of fields that are not
    /// read may be longer.
    pub max_string: usize,
    /// The most bytes of strings and values that one run may hold; 1 GiB by default. Lists and maps count with
    /// the room that they take. A text that is repeated, as in requests, counts as often.
    pub max_run: usize,
    /// The largest unpacked size of an entry of an archive, in bytes; 16 GiB by default. Entries
    /// are unpacked as a stream and never held whole.
    pub max_entry: u64,
    /// How many times larger than its packed form an entry of an archive may be; 500 by default.
    /// The first 16 MiB of an entry are free, because short repetitive logs pack well.
    pub max_ratio: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_depth: 128,
            max_string: 64 << 20,
            max_run: 1 << 30,
            max_entry: 16 << 30,
            max_ratio: 500,
        }
    }
}
