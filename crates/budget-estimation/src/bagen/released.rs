use std::collections::VecDeque;

use scoring_rules::Seed;
use trajectory_metrics::random::PythonRandom;

use crate::{checks::setting, error::Error, rollouts::storage::Rollouts};

impl Rollouts {
    /// Returns the prefixes of BAGEN's released evaluation, to the bit: at most `cap` pairs of a rollout and its number
    /// of completed turns, in the order in which they were chosen. If there are no more than `cap`, it returns all of
    /// them in their own order.
    ///
    /// Long runs do not outweigh short ones. The rollouts that have a prefix are sorted by length and divided into
    /// buckets of nearly equal size. The buckets take turns in giving one prefix, in a new random order each time. So do
    /// the rollouts within a bucket, in one random order. Takes O(n log n) for n turns.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0 buckets.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts, Seed};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[1.0; 6], true)?;
    /// rollouts.push(&[1.0; 3], true)?;
    /// assert_eq!(rollouts.released_prefixes(8, 512, Seed::new(0))?.len(), 7);
    /// assert_eq!(rollouts.released_prefixes(8, 4, Seed::new(0))?.len(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: `run_token_estimation_env.py`, `_select_fair_split_random_indices`, with 8 buckets, 512 prefixes and
    /// seed 0.
    pub fn released_prefixes(
        &self,
        buckets: usize,
        cap: usize,
        seed: Seed,
    ) -> Result<Vec<(usize, usize)>, Error> {
        setting("number of buckets", 0.0, buckets > 0, "at least 1")?;
        let runs: Vec<(usize, usize)> = self
            .iter()
            .filter(|run| run.turns() > 1)
            .map(|run| (run.index(), run.turns()))
            .collect();
        let all = runs.iter().flat_map(|&(run, turns)| (1..turns).map(move |turn| (run, turn)));
        let all: Vec<(usize, usize)> = all.collect();
        if cap >= all.len() {
            return Ok(all);
        }
        let mut random = PythonRandom::new(seed.get());
        let shuffled = |(run, turns): (usize, usize)| {
            let mut prefixes: Vec<usize> = (1..turns).collect();
            random.shuffle(&mut prefixes);
            (run, VecDeque::from(prefixes))
        };
        let runs: Vec<(usize, VecDeque<usize>)> = runs.into_iter().map(shuffled).collect();
        let mut by_length: Vec<usize> = (0..runs.len()).collect();
        by_length.sort_by_key(|&at| runs[at].1.len());
        let count = buckets.min(runs.len());
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
        Ok(chosen)
    }
}

/// Returns the runs for fine-tuning and the runs for reinforcement learning in BAGEN's released preparation, to the bit,
/// as sorted positions: of n different ids, `max(1, int(n share))` and the rest.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a share that is not from 0 to 1; [`scoring_rules::Error::Empty`] without an id.
///
/// ```
/// use budget_estimation::{Error, Seed, bagen::released_split};
///
/// let ids = ["a", "b", "c", "d", "e"];
/// let [tuning, reinforcement] = released_split(&ids, 0.5, Seed::new(42))?;
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
    PythonRandom::new(seed.get().wrapping_add(1)).shuffle(&mut order);
    let first = ((ids.len() as f64 * share) as usize).max(1);
    let mut rest = order.split_off(first.min(order.len()));
    order.sort_unstable();
    rest.sort_unstable();
    Ok([order, rest])
}
