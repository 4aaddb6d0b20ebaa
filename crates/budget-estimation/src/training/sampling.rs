use std::collections::VecDeque;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::{error::Error, replay::sample::Sample, rollouts::storage::Rollouts};

/// Puts items into a random order: each gets a random word, and words are sorted. Two equal words,
/// once in 2^64 pairs, leave their items as they were.
pub(super) fn shuffle<T>(items: &mut [T], generator: &mut ChaCha8Rng) {
    items.sort_by_cached_key(|_| generator.next_u64());
}

/// The positions of so many are listed in about 2 GB.
const MOST_ROLLOUTS: usize = 100_000_000;

/// Splits n rollouts at random into parts of the given shares, whole rollouts each, so that no run
/// is learnt from and tested on.
///
/// The parts hold positions, sorted. Part i ends at `round(n (s_1 + ... + s_i))` of the shuffled
/// positions, so that sizes are off by less than one. Takes O(n log n).
///
/// # Errors
///
/// [`Error::Empty`] without a share; [`Error::Setting`] where one is negative, or they do not add
/// up to 1 (to 1e-9), and for more than 100 million rollouts.
///
/// ```
/// use budget_estimation::{Error, split_rollouts};
///
/// let parts = split_rollouts(10, &[0.4, 0.5, 0.1], 42)?;
/// assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 5, 1]);
/// let mut all = parts.concat();
/// all.sort_unstable();
/// assert!(all.into_iter().eq(0..10));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E: 40 % for fine-tuning,
/// 50 % for reinforcement learning, 10 % held out.
pub fn split_rollouts(n: usize, shares: &[f64], seed: u64) -> Result<Vec<Vec<usize>>, Error> {
    if shares.is_empty() {
        return Err(Error::Empty);
    }
    if n > MOST_ROLLOUTS {
        let (name, range) = ("number of rollouts", "at most 100 million");
        return Err(Error::Setting { name, value: n as f64, range });
    }
    let mut total = 0.0;
    for &share in shares {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Setting { name: "share", value: share, range: "from 0 to 1" });
        }
        total += share;
    }
    if (total - 1.0).abs() > 1e-9 {
        let name = "sum of the shares";
        return Err(Error::Setting { name, value: total, range: "1" });
    }
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(&mut order, &mut ChaCha8Rng::seed_from_u64(seed));
    let (mut parts, mut start, mut sum) = (Vec::with_capacity(shares.len()), 0, 0.0);
    for (i, share) in shares.iter().enumerate() {
        sum += share;
        let end = if i + 1 == shares.len() { n } else { (n as f64 * sum).round() as usize };
        let end = end.clamp(start, n);
        let mut part = order.get(start..end).unwrap_or_default().to_vec();
        part.sort_unstable();
        parts.push(part);
        start = end;
    }
    Ok(parts)
}

/// As many feasible samples as others: positions among the samples, in a random order.
///
/// Samples with nothing left are dropped, feasible ones are taken `copies` times over, and of
/// whichever label there are then more, a random choice is left out. Takes O(n log n).
///
/// # Errors
///
/// [`Error::Setting`] unless there are 1 to 1000 copies; [`Error::Empty`] where a label has no
/// sample.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, Sample, balance_samples};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[5.0, 5.0, 5.0], true)?;
/// rollouts.push(&[5.0, 5.0, 5.0, 5.0, 5.0, 5.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut samples = Vec::new();
/// for rollout in rollouts.iter() {
///     for k in 0..rollout.turns() {
///         samples.push(Sample::new(&rollout, tokens, k, Estimate::NoAnswer)?);
///     }
/// }
/// // Three feasible ones twice, and six others.
/// let chosen = balance_samples(&samples, 2, 42)?;
/// assert_eq!(chosen.len(), 12);
/// assert_eq!(chosen.iter().filter(|&&i| samples[i].is_feasible()).count(), 6);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E, with two copies.
pub fn balance_samples(samples: &[Sample], copies: usize, seed: u64) -> Result<Vec<usize>, Error> {
    if !(1..=1000).contains(&copies) {
        let name = "number of copies";
        return Err(Error::Setting { name, value: copies as f64, range: "from 1 to 1000" });
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut chosen = |feasible: bool, copies: usize| {
        let kept = samples.iter().enumerate();
        let kept = kept.filter(|(_, s)| s.is_feasible() == feasible && !s.is_trivial());
        let mut kept: Vec<usize> = kept.flat_map(|(i, _)| std::iter::repeat_n(i, copies)).collect();
        shuffle(&mut kept, &mut generator);
        kept
    };
    let (mut feasible, mut others) = (chosen(true, copies), chosen(false, 1));
    let each = feasible.len().min(others.len());
    if each == 0 {
        return Err(Error::Empty);
    }
    feasible.truncate(each);
    others.truncate(each);
    feasible.append(&mut others);
    shuffle(&mut feasible, &mut generator);
    Ok(feasible)
}

/// At most `cap` prefixes of some rollouts, so that long runs do not outweigh short ones: pairs of
/// rollout and completed turns, sorted.
///
/// Rollouts are sorted by length and cut into buckets of nearly equal size. By turns each bucket
/// gives one prefix, of its rollouts by turns in a random order, drawn at random from those of the
/// rollout that are left; until there are enough, or none. Takes O(n log n) for n turns.
///
/// # Errors
///
/// [`Error::Setting`] for 0 buckets.
///
/// ```
/// use budget_estimation::{Error, Rollouts, subsample_prefixes};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[1.0; 1000], true)?;
/// rollouts.push(&[1.0; 10], true)?;
/// let prefixes = subsample_prefixes(&rollouts, 2, 8, 42)?;
/// // Four of each, though the first has a hundred times as many.
/// assert_eq!(prefixes.iter().filter(|(rollout, _)| *rollout == 1).count(), 4);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix B.2: 8 buckets, 512
/// prefixes.
pub fn subsample_prefixes(
    rollouts: &Rollouts,
    buckets: usize,
    cap: usize,
    seed: u64,
) -> Result<Vec<(usize, usize)>, Error> {
    if buckets == 0 {
        let name = "number of buckets";
        return Err(Error::Setting { name, value: 0.0, range: "at least 1" });
    }
    let mut runs: Vec<(usize, usize)> =
        rollouts.iter().map(|run| (run.turns(), run.index())).collect();
    runs.sort_unstable();
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let n = runs.len();
    // Of each bucket its rollouts in their order, each with what is left of its prefixes.
    let mut queues: Vec<VecDeque<_>> = (0..buckets.min(n))
        .map(|b| {
            let bounds = share(n, buckets.min(n), b)..share(n, buckets.min(n), b + 1);
            let mut bucket: Vec<_> = runs.get(bounds).unwrap_or_default().to_vec();
            shuffle(&mut bucket, &mut generator);
            let left = bucket.into_iter().map(|(turns, rollout)| {
                let mut prefixes: Vec<usize> = (1..turns).collect();
                shuffle(&mut prefixes, &mut generator);
                (rollout, prefixes)
            });
            left.collect()
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < cap {
        let before = chosen.len();
        for bucket in &mut queues {
            if chosen.len() < cap {
                chosen.extend(draw(bucket));
            }
        }
        if chosen.len() == before {
            break;
        }
    }
    chosen.sort_unstable();
    Ok(chosen)
}

/// Where part i of n items begins.
const fn share(n: usize, parts: usize, i: usize) -> usize {
    n / parts * i + if i < n % parts { i } else { n % parts }
}

/// A prefix of the rollout whose turn it is, which then goes to the end; one without any more is
/// taken out.
fn draw(bucket: &mut VecDeque<(usize, Vec<usize>)>) -> Option<(usize, usize)> {
    while let Some((rollout, mut prefixes)) = bucket.pop_front() {
        if let Some(turn) = prefixes.pop() {
            bucket.push_back((rollout, prefixes));
            return Some((rollout, turn));
        }
    }
    None
}
