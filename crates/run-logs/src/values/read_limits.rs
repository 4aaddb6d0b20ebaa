use crate::error::Error;

/// Limits on what a log may make the reader hold in memory.
///
/// A log that exceeds one of them is an error, so that a hostile or damaged file cannot exhaust
/// memory or the stack.
///
/// ```
/// use run_logs::{Error, ReadLimits};
///
/// let limits = ReadLimits::default().with_max_string(1 << 20);
/// assert_eq!((limits.max_string(), limits.max_depth()), (1 << 20, 128));
/// assert!(matches!(limits.with_max_depth(100_000), Err(Error::Setting { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    max_depth: usize,
    max_string: usize,
    max_run: usize,
    max_entry: u64,
    max_ratio: u64,
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

impl ReadLimits {
    /// The deepest nesting of a value; 128 by default.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// The longest string that is kept, in bytes; 64 MiB by default. Strings of fields that are not
    /// read may be longer.
    #[must_use]
    pub const fn max_string(&self) -> usize {
        self.max_string
    }

    /// The most bytes of strings and values that one run may hold; 1 GiB by default. Lists and maps count with
    /// the room that they take. A text that is repeated, as in requests, counts as often.
    #[must_use]
    pub const fn max_run(&self) -> usize {
        self.max_run
    }

    /// The largest unpacked size of an entry of an archive, in bytes; 16 GiB by default. Entries
    /// are unpacked as a stream and never held whole.
    #[must_use]
    pub const fn max_entry(&self) -> u64 {
        self.max_entry
    }

    /// How many times larger than its packed form an entry of an archive may be; 500 by default.
    /// The first 16 MiB of an entry are free, because short repetitive logs pack well.
    #[must_use]
    pub const fn max_ratio(&self) -> u64 {
        self.max_ratio
    }

    /// Sets the deepest nesting.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the depth is from 1 to 512, which every thread's stack can hold.
    pub fn with_max_depth(mut self, depth: usize) -> Result<Self, Error> {
        if !(1..=512).contains(&depth) {
            let value = depth as f64;
            return Err(Error::Setting { name: "max_depth", value, range: "from 1 to 512" });
        }
        self.max_depth = depth;
        Ok(self)
    }

    /// Sets the longest string, in bytes.
    #[must_use]
    pub const fn with_max_string(mut self, bytes: usize) -> Self {
        self.max_string = bytes;
        self
    }

    /// Sets the most bytes that one run may hold.
    #[must_use]
    pub const fn with_max_run(mut self, bytes: usize) -> Self {
        self.max_run = bytes;
        self
    }

    /// Sets the largest unpacked size of an entry, in bytes.
    #[must_use]
    pub const fn with_max_entry(mut self, bytes: u64) -> Self {
        self.max_entry = bytes;
        self
    }

    /// Sets how many times larger than its packed form an entry may be.
    #[must_use]
    pub const fn with_max_ratio(mut self, ratio: u64) -> Self {
        self.max_ratio = ratio;
        self
    }
}
