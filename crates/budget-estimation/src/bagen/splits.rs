use crate::{checks::setting, error::Error, replay::sample::Sample, rollouts::storage::Rollouts};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::Seed;
use std::{collections::VecDeque, num::NonZero};
use trajectory_metrics::random::PythonRandom;

/// Puts items into a random order, by sorting them by random words of 64 bits.
pub(super) fn shuffle<T>(items: &mut [T], generator: &mut ChaCha8Rng) {
    items.sort_by_cached_key(|_| generator.next_u64());
}

/// The position lists of this number of rollouts take about 2 GB.
const MOST_ROLLOUTS: usize = 100_000_000;

/// Splits n rollouts at random into parts with the given shares. Each rollout is in only one part, so that no run is
/// used both for training and for testing.
///
/// Each part is a sorted list of positions. Part i ends at `floor(n (s_1 + ... + s_i))` among the
/// shuffled positions, so that each size is off by less than one. Takes O(n log n).
/// [`released_split`](crate::bagen::released_split) is the split of the released code, to the bit.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a share; [`scoring_rules::Error::Setting`] for a share outside 0 to 1, for shares
/// that do not sum to 1 (within 1e-9), and for more than 100 million rollouts.
///
/// ```
/// use budget_estimation::{Error, Seed, bagen::split_rollouts};
///
/// let parts = split_rollouts(10, &[0.4, 0.5, 0.1], Seed(42))?;
/// assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 5, 1]);
/// let mut all = parts.concat();
/// all.sort_unstable();
/// assert!(all.into_iter().eq(0..10));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E: 40 % for fine-tuning,
/// 50 % for reinforcement learning, 10 % held out.
pub fn split_rollouts(n: usize, shares: &[f64], seed: Seed) -> Result<Vec<Vec<usize>>, Error> {
    if shares.is_empty() {
        return Err(scoring_rules::Error::Empty.into());
    }
    setting("number of rollouts", n as f64, n <= MOST_ROLLOUTS, "at most 100 million")?;
    let mut total = 0.0;
    for &share in shares {
        setting("share", share, (0.0..=1.0).contains(&share), "from 0 to 1")?;
        total += share;
    }
    setting("sum of the shares", total, (total - 1.0).abs() <= 1e-9, "1")?;
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(&mut order, &mut ChaCha8Rng::seed_from_u64(seed.0));
    let (mut parts, mut start, mut sum) = (Vec::with_capacity(shares.len()), 0, 0.0);
    for (i, share) in shares.iter().enumerate() {
        sum += share;
        let end = if i + 1 == shares.len() { n } else { (n as f64 * sum) as usize };
        let end = end.clamp(start, n);
        let mut part = order.get(start..end).unwrap_or_default().to_vec();
        part.sort_unstable();
        parts.push(part);
        start = end;
    }
    Ok(parts)
}

/// Chooses as many feasible as infeasible samples. Returns their shuffled positions, feasible ones up to `copies`
/// times.
///
/// Trivial samples are removed and feasible samples are repeated `copies` times. Then random samples of the more frequent
/// label are removed. Takes O(n log n).
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] unless there are 1 to 1000 copies; [`scoring_rules::Error::Empty`] if a label has no sample.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, Sample, Seed, bagen::balance_samples};
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
/// // Three feasible samples, each twice, and six infeasible samples.
/// let chosen = balance_samples(&samples, 2, Seed(42))?;
/// assert_eq!(chosen.len(), 12);
/// assert_eq!(chosen.iter().filter(|&&i| samples[i].is_feasible()).count(), 6);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E, with two copies.
pub fn balance_samples(samples: &[Sample], copies: usize, seed: Seed) -> Result<Vec<usize>, Error> {
    setting("number of copies", copies as f64, (1..=1000).contains(&copies), "from 1 to 1000")?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed.0);
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
        return Err(scoring_rules::Error::Empty.into());
    }
    feasible.truncate(each);
    others.truncate(each);
    feasible.append(&mut others);
    shuffle(&mut feasible, &mut generator);
    Ok(feasible)
}

impl Rollouts {
    /// Returns exactly the prefixes of BAGEN's released evaluation: at most `cap` pairs of a rollout and a number of
    /// completed turns, in the order in which they are drawn. Runs of similar length are in one of `buckets` buckets,
    /// which take turns. If there are at most `cap` prefixes, all are returned, without drawing.
    ///
    /// Long runs do not outweigh short ones. The rollouts that have a prefix are sorted by length and divided into
    /// buckets of nearly equal size. The buckets take turns in giving one prefix, in a new random order each time. So do
    /// the rollouts within a bucket, in one random order. Takes O(n log n) for n turns.
    ///
    /// ```
    /// use std::num::NonZero;
    ///
    /// use budget_estimation::{Error, Rollouts, Seed};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[1.0; 6], true)?;
    /// rollouts.push(&[1.0; 3], true)?;
    /// let buckets = NonZero::new(8).ok_or(scoring_rules::Error::Empty)?;
    /// assert_eq!(rollouts.released_prefixes(buckets, 512, Seed(0)).len(), 7);
    /// assert_eq!(rollouts.released_prefixes(buckets, 4, Seed(0)).len(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// The two numbers cannot be swapped:
    ///
    /// ```compile_fail,E0308
    /// # use budget_estimation::{Rollouts, Seed};
    /// # fn swapped(rollouts: &Rollouts, buckets: std::num::NonZero<usize>) {
    /// rollouts.released_prefixes(512, buckets, Seed(0));
    /// # }
    /// ```
    ///
    /// Reference: `run_token_estimation_env.py`, `_select_fair_split_random_indices`, with 8 buckets, 512 prefixes and
    /// seed 0.
    #[must_use]
    pub fn released_prefixes(
        &self,
        buckets: NonZero<usize>,
        cap: usize,
        seed: Seed,
    ) -> Vec<(usize, usize)> {
        let runs: Vec<(usize, usize)> = self
            .iter()
            .filter(|run| run.turns() > 1)
            .map(|run| (run.index(), run.turns()))
            .collect();
        let all = runs.iter().flat_map(|&(run, turns)| (1..turns).map(move |turn| (run, turn)));
        let all: Vec<(usize, usize)> = all.collect();
        if cap >= all.len() {
            return all;
        }
        let mut random = PythonRandom::new(seed.0);
        let shuffled = |(run, turns): (usize, usize)| {
            let mut prefixes: Vec<usize> = (1..turns).collect();
            random.shuffle(&mut prefixes);
            (run, VecDeque::from(prefixes))
        };
        let runs: Vec<(usize, VecDeque<usize>)> = runs.into_iter().map(shuffled).collect();
        let mut by_length: Vec<usize> = (0..runs.len()).collect();
        by_length.sort_by_key(|&at| runs[at].1.len());
        let count = buckets.get().min(runs.len());
        let (size, larger) = (runs.len() / count, runs.len() % count);
        let start = |bucket: usize| bucket * size + bucket.min(larger);
        let mut bucket_of = vec![0; runs.len()];
        for bucket in 0..count {
            by_length[start(bucket)..start(bucket + 1)]
                .iter()
                .for_each(|&at| bucket_of[at] = bucket);
        }
        // In the order in which the runs meet them, as are the runs within one.
        let mut queues: Vec<(usize, VecDeque<_>)> = Vec::new();
        for (run, bucket) in runs.into_iter().zip(bucket_of) {
            match queues.iter_mut().find(|(known, _)| *known == bucket) {
                Some((_, queue)) => queue.push_back(run),
                None => queues.push((bucket, VecDeque::from([run]))),
            }
        }
        for (_, queue) in &mut queues {
            random.shuffle(queue.make_contiguous());
        }
        let mut active: Vec<usize> = (0..queues.len()).collect();
        let mut chosen = Vec::with_capacity(cap);
        while chosen.len() < cap {
            random.shuffle(&mut active);
            // Each gives a prefix of its first run, which then moves behind the others.
            active.retain(|&at| {
                let queue = &mut queues[at].1;
                if chosen.len() < cap
                    && let Some((run, mut prefixes)) = queue.pop_front()
                {
                    chosen.extend(prefixes.pop_front().map(|turn| (run, turn)));
                    if !prefixes.is_empty() {
                        queue.push_back((run, prefixes));
                    }
                }
                !queue.is_empty()
            });
        }
        chosen
    }
}

/// Returns the positions of the runs for fine-tuning and of the runs for reinforcement learning, exactly as BAGEN's
/// released preparation splits them. Of n different ids, the first part has `max(1, int(n share))` and the second part
/// the rest; both are sorted.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a share that is not from 0 to 1; [`scoring_rules::Error::Empty`] without an id.
///
/// ```
/// use budget_estimation::{Error, Seed, bagen::released_split};
///
/// let ids = ["a", "b", "c", "d", "e"];
/// let [tuning, reinforcement] = released_split(&ids, 0.5, Seed(42))?;
/// assert_eq!((tuning.len(), reinforcement.len()), (2, 3));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: `prepare_budget_probe.py`, `--sft-fraction`, whose generator has the seed plus 1.
pub fn released_split<S: AsRef<str>>(
    ids: &[S],
    share: f64,
    seed: Seed,
) -> Result<[Vec<usize>; 2], Error> {
    setting("share", share, (0.0..=1.0).contains(&share), "from 0 to 1")?;
    if ids.is_empty() {
        return Err(scoring_rules::Error::Empty.into());
    }
    // Python sorts texts by code points, as bytes of UTF-8 are.
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&at| ids[at].as_ref());
    PythonRandom::new(seed.0.wrapping_add(1)).shuffle(&mut order);
    let first = ((ids.len() as f64 * share) as usize).max(1);
    let mut rest = order.split_off(first.min(order.len()));
    order.sort_unstable();
    rest.sort_unstable();
    Ok([order, rest])
}
