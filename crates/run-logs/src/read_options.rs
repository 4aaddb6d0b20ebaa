use crate::values::read_limits::ReadLimits;

/// What to read of a log, and within which limits.
///
/// ```
/// use run_logs::{ReadLimits, ReadOptions};
///
/// let limits = ReadLimits::default().with_max_string(1 << 20);
/// let options = ReadOptions::default().with_limits(limits).with_requests(true);
/// assert_eq!((options.limits(), options.requests()), (limits, true));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    limits: ReadLimits,
    requests: bool,
}

impl ReadOptions {
    /// The limits; [`ReadLimits::default`] unless they are set.
    #[must_use]
    pub const fn limits(&self) -> ReadLimits {
        self.limits
    }

    /// Whether the messages that were sent to the model are kept; by default they are not.
    #[must_use]
    pub const fn requests(&self) -> bool {
        self.requests
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether [`Turn::request`](crate::Turn::request) is filled. Each request repeats the
    /// conversation before it, so memory grows with the square of the number of turns.
    #[must_use]
    pub const fn with_requests(mut self, requests: bool) -> Self {
        self.requests = requests;
        self
    }
}
