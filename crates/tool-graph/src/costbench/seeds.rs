use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

use crate::costbench::library::Library;
use crate::costbench::streams::python_random::PythonRandom;

/// How far apart the seeds of a query's events are.
const EVENT_STEP: u64 = 100;

/// The seed of a query: SHA-256 of the text `"{global_seed}:{query_id}"`, read as one big-endian
/// integer, modulo `2^31 - 1`.
///
/// The benchmark's published tables have the global seed 42. It writes a seed as a decimal integer;
/// a negative one, which it would take too, cannot be given here.
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

/// The seed of a query's event, counted from 0: `query_seed + 100 event`.
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

/// The seed from which a cost change, counted from 0 among the query's events, draws all costs
/// anew: from 1 to 9999, all equally likely.
///
/// In the released benchmark it takes the place of the query's own seed; in the paper's text that
/// of the global seed ([`CostRule`](super::CostRule)).
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

/// The lengths of composite tools drawn for `events` removals of tools, one range `l..=r` each: the
/// removal takes away the composite tools that have exactly `l` components.
///
/// With `n` steps in a task and `w = floor(n / 2)`, one stream seeded with the query's seed draws
/// `l` from `2..=n - w` and then `r` from `l + w..=n`, again and again until the range overlaps
/// none before it. After 100 draws the last is kept as it is; where there are fewer than two
/// lengths from 2 to n for each event, the first draw is. As each range holds more than half of all
/// lengths, two of them always overlap, and it is these exceptions that settle every range but the
/// first.
///
/// Complexity: O(events) times 100 draws.
///
/// Reference: CostBench, appendix B.6.2. It leaves open what happens where no range is free; that
/// the hundredth draw is kept is this crate's choice.
///
/// ```
/// use tool_graph::costbench::{Library, query_seed, removed_lengths};
///
/// let library = Library::new(2)?;
/// let ranges = removed_lengths(&library, query_seed(42, "<Query00001>"), 1);
/// assert_eq!(ranges, [2..=5]);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[must_use]
pub fn removed_lengths(
    library: &Library,
    query_seed: u32,
    events: u32,
) -> Vec<RangeInclusive<usize>> {
    let longest = library.task_length() as u32;
    let width = longest / 2;
    let mut stream = PythonRandom::new(u64::from(query_seed));
    let tries = if u64::from(longest - 1) < 2 * u64::from(events) { 1 } else { 100 };
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

/// SHA-256 of a text as one big-endian integer, modulo `2^31 - 1`.
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
