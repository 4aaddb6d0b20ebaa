use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};
use trajectory_metrics::random::PythonRandom;

use crate::costbench::library::Library;

/// The seed of a query, from which its costs and events are drawn.
///
/// ```
/// use tool_graph::costbench::QuerySeed;
///
/// let seed = QuerySeed::new(42, "<Query00001>");
/// assert_eq!(seed, QuerySeed(815_343_802));
/// assert_eq!(seed.event(2), 815_344_002);
/// assert!((1..10_000).contains(&seed.changed(0)));
/// assert_ne!(seed.message(1, "ban_tool_message"), seed.message(2, "ban_tool_message"));
/// ```
///
/// Reference: CostBench, appendices B.6.1 and B.6.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuerySeed(pub u32);

impl QuerySeed {
    /// Computes the seed of a query: the SHA-256 hash of the text `"{global_seed}:{query_id}"` as a
    /// big-endian integer, modulo `2^31 - 1`.
    ///
    /// The published tables use the global seed 42. The text contains the seed as a decimal integer.
    /// Negative global seeds, which the benchmark accepts, are not supported.
    #[must_use]
    pub fn new(global_seed: u64, query_id: &str) -> Self {
        Self(hash_seed(format!("{global_seed}:{query_id}").as_bytes()))
    }

    /// Returns the seed of an event of the query, counted from 0: `seed + 100 event`.
    #[must_use]
    pub fn event(self, event: u32) -> u64 {
        u64::from(self.0) + 100 * u64::from(event)
    }

    /// Returns the seed with which a change of costs draws new costs. The seed itself is drawn uniformly from 1 to
    /// 9999. `event` is the position of the change among the events of the query, from 0.
    ///
    /// It replaces the query's seed in the released benchmark, and the global seed in the paper's text
    /// ([`CostRule`](super::CostRule)).
    #[must_use]
    pub fn changed(self, event: u32) -> u32 {
        PythonRandom::new(self.event(event)).choice(1..10_000)
    }

    /// Returns the seed that decides the wording of a message after a reply of the agent: the text
    /// `"{seed}:{reply}:{what}"`, hashed as in [`Self::new`]. `what` names the message, and replies are counted from 1.
    #[must_use]
    pub fn message(self, reply: usize, what: &str) -> u64 {
        hash_seed(format!("{}:{reply}:{what}", self.0).as_bytes()).into()
    }
}

impl Library {
    /// Draws a range `l..=r` of lengths (numbers of components) for each of `events` events that remove tools. Only the
    /// lower end takes effect: composite tools with exactly `l` components are removed.
    ///
    /// With `n` steps in a task and `w = floor(n / 2)`, one stream seeded with the query's seed draws `l`
    /// from `2..=n - w` and then `r` from `l + w..=n`, until the range overlaps no earlier range. After
    /// 100 overlapping draws, the next one is kept; if there are fewer than two lengths from 2 to n per
    /// event, the first draw is kept. Any two ranges overlap, because each contains more than half of all
    /// lengths, so all ranges after the first result from these exceptions.
    ///
    /// Reference: CostBench, appendix B.6.2, and its released code for what happens if no range is free.
    ///
    /// # Complexity
    ///
    /// At most 101 draws per event.
    ///
    /// ```
    /// use tool_graph::costbench::{Library, QuerySeed};
    ///
    /// let library = Library::new(2)?;
    /// let ranges = library.removed_lengths(QuerySeed::new(42, "<Query00001>"), 1);
    /// assert_eq!(ranges, [2..=5]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn removed_lengths(&self, seed: QuerySeed, events: u32) -> Vec<RangeInclusive<usize>> {
        let longest = self.task_length() as u32;
        let width = longest / 2;
        let mut stream = PythonRandom::new(seed.0.into());
        let later = if u64::from(longest - 1) < 2 * u64::from(events) { 1 } else { 101 };
        let range = |event| {
            // The first draw overlaps nothing, and all draws of a later event overlap the first range.
            let mut drawn = 0..=0;
            let draws = if event == 0 { 1 } else { later };
            for _ in 0..draws {
                let first = stream.choice(2..longest - width + 1);
                let last = stream.choice(first + width..longest + 1);
                drawn = first as usize..=last as usize;
            }
            drawn
        };
        (0..events).map(range).collect()
    }
}

/// Returns the SHA-256 hash of a text as a big-endian integer, modulo `2^31 - 1`.
pub(super) fn hash_seed(text: &[u8]) -> u32 {
    const MODULUS: u64 = (1 << 31) - 1;
    let digest: [u8; 32] = Sha256::digest(text).into();
    let seed = digest
        .as_chunks::<4>()
        .0
        .iter()
        .fold(0, |high, &word| (high << 32 | u64::from(u32::from_be_bytes(word))) % MODULUS);
    seed as u32
}
