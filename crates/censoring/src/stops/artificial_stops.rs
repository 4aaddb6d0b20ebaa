use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::{Probability, Seed, checks::same_length};

use crate::error::Error;

/// Draws stops for complete runs, to test the effect of cut-offs on a score: a run of n steps, with n above 1, is cut
/// off with probability `rate(n)`. Returns the step after which each run stops, or `None` if it stays complete.
///
/// `rate` can return one rate for all runs, or one for each stratum of lengths. Runs are drawn in the order of their
/// lengths (systematic sampling), so that in *any* range of lengths the number of cut-off runs differs from the sum of
/// their rates by less than 1; strata need not be named. A run that is cut off stops after any step but its last, with
/// equal probability. A run of one step stays complete.
///
/// The draw uses only lengths and ids, so where a run is cut off is unrelated to its outcome, given its
/// length. A real budget does not know the length that a run would have had: the result shows the
/// effect of hidden outcomes and is no model of real stops.
///
/// The result depends only on the seed, and not on the order of runs if ids are distinct.
///
/// Cost: O(n log n).
///
/// Reference: Madow (1949), On the theory of systematic sampling, II, doi:10.1214/aoms/1177729988;
/// Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
/// arXiv:2605.24756, appendix I.1.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there is one id per run.
///
/// ```
/// use censoring::{Error, Probability, Seed, artificial_stops};
///
/// let lengths = [5, 9, 1, 7, 30, 32, 31, 33];
/// let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// // A third of the short runs and every long run.
/// let third = Probability::new(1.0 / 3.0)?;
/// let rate = |length| if length < 10 { third } else { Probability::ONE };
/// let stops = artificial_stops(&lengths, &ids, rate, Seed(7))?;
/// assert_eq!(stops[..4].iter().flatten().count(), 1);
/// assert_eq!(stops[4..].iter().flatten().count(), 4);
/// assert!(stops.iter().zip(lengths).all(|(stop, length)| stop.is_none_or(|stop| stop < length)));
/// # Ok::<(), Error>(())
/// ```
pub fn artificial_stops<I: Ord>(
    lengths: &[usize],
    ids: &[I],
    rate: impl Fn(usize) -> Probability,
    seed: Seed,
) -> Result<Vec<Option<usize>>, Error> {
    same_length("ids", lengths.len(), ids.len())?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed.0);
    let mut by_id: Vec<usize> = (0..ids.len()).collect();
    // Stable: equal ids keep their order.
    by_id.sort_by(|&a, &b| ids[a].cmp(&ids[b]));
    // Draws go to runs in the order of their ids. A run of one step takes two draws as well, so that
    // the draws of a run do not depend on the lengths of other runs.
    let start = generator.next_u64();
    let mut runs: Vec<(usize, u64, u64, usize)> = by_id
        .into_iter()
        .map(|run| (lengths[run], generator.next_u64(), generator.next_u64(), run))
        .filter(|&(length, ..)| length > 1)
        .collect();
    // Runs of one length in random order.
    runs.sort_by_key(|&(length, order, ..)| (length, order));
    let mut stops = vec![None; lengths.len()];
    let mut reached = u128::from(start);
    for (length, _, place, run) in runs {
        let before = reached >> 64;
        reached += fixed_point(rate(length));
        if reached >> 64 > before {
            stops[run] = Some(1 + below(length - 1, place));
        }
    }
    Ok(stops)
}

/// Returns a probability in units of 2^-64, so that sums are exact.
fn fixed_point(p: Probability) -> u128 {
    (p.get() * 2.0_f64.powi(64)) as u128
}

/// Returns a whole number below n from a random word: the word as a fraction of 2^64, times n. Probabilities
/// differ by at most 2^-64.
fn below(n: usize, word: u64) -> usize {
    ((u128::from(word) * n as u128) >> 64) as usize
}
