//! The loop over replicates, which are independent of each other. With the feature `rayon` it runs on all threads
//! of the pool in which it is called.

/// Replicates that one thread takes at least, so that cheap replicates are not dominated by their distribution.
#[cfg(feature = "rayon")]
const LEAST: usize = 8;

/// Returns the value of each replicate, in their order. `scratch` is memory that the replicates of a thread share,
/// so that no value may depend on what it holds.
pub(crate) fn in_order<S, V: Send>(
    replicates: usize,
    scratch: impl Fn() -> S + Sync,
    once: impl Fn(&mut S, u64) -> V + Sync,
) -> Vec<V> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;

        let replicates = (0..replicates).into_par_iter().with_min_len(LEAST);
        replicates
            .map_init(&scratch, |scratch, replicate| once(scratch, replicate as u64))
            .collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        let mut scratch = scratch();
        (0..replicates as u64).map(|replicate| once(&mut scratch, replicate)).collect()
    }
}
