use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::{Probability, Seed};

use crate::{checks::same_length, error::Error};

/// Draws where to cut off complete runs, to test the effect of cutting off on a score. Returns, for each
/// run, the step after which it stops, or `None` if it stays complete.
///
/// `rate(length)` is the probability that a run with that many steps is cut off: one rate for all runs,
/// or one for each stratum of lengths. Runs are drawn in the order of their lengths (systematic
/// sampling), so that in *any* range of lengths the number of cut-off runs differs from the sum of
/// their rates by less than 1; strata need not be named. A run that is cut off stops after any step
/// but its last, with equal probability. A run of one step stays complete.
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
/// [`Error::Length`] unless there is one id per run.
///
/// ```
/// use censoring::{Error, Probability, Seed, artificial_stops};
///
/// let lengths = [5, 9, 1, 7, 30, 32, 31, 33];
/// let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// // A third of the short runs and every long run.
/// let third = Probability::new(1.0 / 3.0)?;
/// let rate = |length| if length < 10 { third } else { Probability::ONE };
/// let stops = artificial_stops(&lengths, &ids, rate, Seed::new(7))?;
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
    let mut generator = ChaCha8Rng::seed_from_u64(seed.get());
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

/// A probability in units of 2^-64, so that sums are exact.
fn fixed_point(p: Probability) -> u128 {
    (p.get() * 2.0_f64.powi(64)) as u128
}

/// A whole number below n from a random word: the word as a fraction of 2^64, times n. Probabilities
/// differ by at most 2^-64.
fn below(n: usize, word: u64) -> usize {
    ((u128::from(word) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn probability(p: f64) -> Probability {
        Probability::new(p).unwrap()
    }

    #[test]
    fn the_stops_of_a_seed_do_not_change_with_versions() {
        let lengths = [3, 40, 7, 1, 12, 25, 12, 12];
        let ids: Vec<usize> = (0..8).collect();
        let stops = artificial_stops(&lengths, &ids, |_| Probability::HALF, Seed::new(42)).unwrap();
        assert_eq!(stops, [Some(1), Some(12), None, None, None, None, Some(9), Some(7)]);
    }

    #[test]
    fn every_run_and_every_step_is_as_likely_as_its_rate_says() {
        let lengths = [5, 5, 5, 3, 5];
        let ids = [0, 1, 2, 3, 4];
        let rate = |length: usize| probability(if length == 5 { 0.3 } else { 0.6 });
        let mut counts = [[0_u32; 6]; 5];
        for seed in 0..20_000 {
            let stops = artificial_stops(&lengths, &ids, rate, Seed::new(seed)).unwrap();
            for (run, stop) in stops.iter().enumerate() {
                counts[run][stop.unwrap_or_default()] += 1;
            }
        }
        for (run, count) in counts.iter().enumerate() {
            let steps = lengths[run] - 1;
            let each = rate(lengths[run]).get() / steps as f64 * 20_000.0;
            for &cut in &count[1..=steps] {
                // Five standard deviations.
                assert!((f64::from(cut) - each).abs() < 5.0 * each.sqrt(), "{run}: {count:?}");
            }
            assert_eq!(count[steps + 1..].iter().sum::<u32>(), 0);
        }
    }

    #[test]
    fn rates_of_zero_and_one_are_none_and_all() {
        let lengths: Vec<usize> = (1..200).map(|i| 1 + i * 7 % 23).collect();
        let ids: Vec<usize> = (1..200).collect();
        for seed in 0..20 {
            let cut =
                |p: Probability| artificial_stops(&lengths, &ids, |_| p, Seed::new(seed)).unwrap();
            assert!(cut(Probability::ZERO).iter().all(Option::is_none));
            let all = cut(Probability::ONE);
            assert!(all.iter().zip(&lengths).all(|(stop, &n)| stop.is_some() == (n > 1)));
        }
    }

    #[test]
    fn one_id_a_run_is_asked_for() {
        let error =
            artificial_stops(&[3, 4], &["a"], |_| Probability::HALF, Seed::new(1)).unwrap_err();
        let length = Error::Length { what: "ids", expected: 2, found: 1 };
        assert_eq!(error, length);
    }

    proptest! {
        #[test]
        fn in_every_range_of_lengths_the_number_is_less_than_one_off(
            runs in prop::collection::vec((2_usize..30, any::<u16>()), 1..60),
            rates in prop::collection::vec(0.0..=1.0_f64, 30),
            seed in any::<u64>(),
        ) {
            let lengths: Vec<usize> = runs.iter().map(|run| run.0).collect();
            let ids: Vec<(u16, usize)> = runs.iter().enumerate().map(|(i, run)| (run.1, i)).collect();
            let rate = |length: usize| probability(rates[length]);
            let stops = artificial_stops(&lengths, &ids, rate, Seed::new(seed)).unwrap();
            for low in 2..30 {
                for high in low..30 {
                    let within = |&i: &usize| (low..=high).contains(&lengths[i]);
                    let among = || (0..runs.len()).filter(within);
                    let expected: f64 = among().map(|i| rates[lengths[i]]).sum();
                    let found = among().filter(|&i| stops[i].is_some()).count() as f64;
                    prop_assert!((found - expected).abs() < 1.0 + 1e-9, "{low}-{high}: {found} {expected}");
                }
            }
        }

        #[test]
        fn the_order_of_runs_leaves_no_trace(
            mut runs in prop::collection::vec((1_usize..9, any::<u64>()), 1..40),
            seed in any::<u64>(),
        ) {
            runs.sort_by_key(|run| run.1);
            runs.dedup_by_key(|run| run.1);
            let cut = |runs: &[(usize, u64)]| {
                let (lengths, ids): (Vec<usize>, Vec<u64>) = runs.iter().copied().unzip();
                artificial_stops(&lengths, &ids, |_| Probability::HALF, Seed::new(seed)).unwrap()
            };
            let stops = cut(&runs);
            runs.reverse();
            let mut reversed = cut(&runs);
            reversed.reverse();
            prop_assert_eq!(stops, reversed);
        }
    }
}
