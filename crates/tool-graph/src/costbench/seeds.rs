use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

use crate::costbench::{library::Library, streams::python_random::PythonRandom};

/// The distance between the seeds of consecutive events of a query.
const EVENT_STEP: u64 = 100;

/// The seed of a query: the SHA-256 hash of the text `"{global_seed}:{query_id}"` as a big-endian
/// integer, modulo `2^31 - 1`.
///
/// The published tables use the global seed 42. The text contains the seed as a decimal integer.
/// Negative global seeds, which the benchmark accepts, are not supported.
///
/// ```
/// use tool_graph::costbench::query_seed;
///
/// assert_eq!(query_seed(42, "<Query00001>"), 815_343_802);
/// ```
///
/// Reference: CostBench, appendix B.6.1.
#[must_use]
pub fn query_seed(global_seed: u64, query_id: &str) -> u32 {
    hash_seed(format!("{global_seed}:{query_id}").as_bytes())
}

/// The seed of an event of a query, counted from 0: `query_seed + 100 event`.
///
/// Reference: CostBench, appendix B.6.2.
///
/// ```
/// use tool_graph::costbench::event_seed;
///
/// assert_eq!(event_seed(815_343_802, 2), 815_344_002);
/// ```
#[must_use]
pub fn event_seed(query_seed: u32, event: u32) -> u64 {
    u64::from(query_seed) + EVENT_STEP * u64::from(event)
}

/// The seed from which a cost change draws new costs: uniform from 1 to 9999. `event` is the position
/// of the cost change among the events of the query, from 0.
///
/// It replaces the query's seed in the released benchmark, and the global seed in the paper's text
/// ([`CostRule`](super::CostRule)).
///
/// Reference: CostBench, appendix B.6.2.
///
/// ```
/// use tool_graph::costbench::{changed_seed, query_seed};
///
/// let seed = changed_seed(query_seed(42, "<Query00001>"), 0);
/// assert!((1..10_000).contains(&seed));
/// ```
#[must_use]
pub fn changed_seed(query_seed: u32, event: u32) -> u32 {
    PythonRandom::new(event_seed(query_seed, event)).choice(1..10_000)
}

/// The position that CPython's `random.Random(seed).choice` takes among `items`, which the released code
/// uses for the other query of a change of preferences and for the wording of messages. 0 without items.
///
/// ```
/// use tool_graph::costbench::drawn;
///
/// assert_eq!((drawn(42, 10), drawn(43, 10)), (1, 0));
/// ```
#[must_use]
pub fn drawn(seed: u64, items: u32) -> u32 {
    PythonRandom::new(seed).choice(0..items)
}

/// The seed of the wording of a message after a reply, counted from 1: the hash of
/// `"{query_seed}:{reply}:{what}"` as in [`query_seed`].
///
/// ```
/// use tool_graph::costbench::message_seed;
///
/// assert_ne!(message_seed(7, 1, "ban_tool_message"), message_seed(7, 2, "ban_tool_message"));
/// ```
#[must_use]
pub fn message_seed(query_seed: u32, reply: usize, what: &str) -> u32 {
    hash_seed(format!("{query_seed}:{reply}:{what}").as_bytes())
}

impl Library {
    /// One range of lengths `l..=r` for each of `events` removals of tools. A removal takes away the
    /// composite tools with exactly `l` components.
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
    /// use tool_graph::costbench::{Library, query_seed};
    ///
    /// let library = Library::new(2)?;
    /// let ranges = library.removed_lengths(query_seed(42, "<Query00001>"), 1);
    /// assert_eq!(ranges, [2..=5]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn removed_lengths(&self, query_seed: u32, events: u32) -> Vec<RangeInclusive<usize>> {
        let longest = self.task_length() as u32;
        let width = longest / 2;
        let mut stream = PythonRandom::new(u64::from(query_seed));
        let tries = if u64::from(longest - 1) < 2 * u64::from(events) { 1 } else { 101 };
        let mut ranges: Vec<RangeInclusive<usize>> = Vec::new();
        for _ in 0..events {
            let mut drawn = 0..=0;
            for _ in 0..tries {
                let first = stream.integer(2, longest - width);
                let last = stream.integer(first + width, longest);
                drawn = first as usize..=last as usize;
                if ranges.iter().all(|r| r.end() < drawn.start() || drawn.end() < r.start()) {
                    break;
                }
            }
            ranges.push(drawn);
        }
        ranges
    }
}

/// The SHA-256 hash of a text as a big-endian integer, modulo `2^31 - 1`.
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
