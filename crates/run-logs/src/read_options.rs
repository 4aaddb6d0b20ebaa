/// The parts of a log to read, and the limits on memory.
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
    /// Whether [`Turn::request`](crate::Turn::request) is filled; false by default. Each request repeats the conversation before
    /// it, so memory grows with the square of the number of turns.
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
    /// The maximum nesting depth of a value; 128 by default. Values above 512 count as 512, which fits on every thread's stack.
    pub max_depth: usize,
    /// The maximum length in bytes of a string that is kept; 64 MiB by default. Strings of fields that are not read may be
    /// longer.
    pub max_string: usize,
    /// The maximum number of bytes of strings and values in one run; 1 GiB by default. Lists and maps count with their capacity.
    /// A repeated text, as in requests, counts each time.
    pub max_run: usize,
    /// The largest unpacked size of an entry of an archive, in bytes; 16 GiB by default. Entries
    /// are unpacked as a stream and never held whole.
    pub max_entry: u64,
    /// The maximum ratio of the unpacked size of an archive entry to its packed size; 500 by default. The ratio does not apply to
    /// the first 16 MiB of an entry, because short repetitive logs pack well.
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
