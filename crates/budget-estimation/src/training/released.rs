use std::collections::{BTreeMap, VecDeque};

use rand_mt::Mt;
use scoring_rules::Seed;

use crate::{checks::setting, error::Error, rollouts::storage::Rollouts};

/// CPython's `random.Random(seed)`.
struct PythonRandom(Mt);

impl PythonRandom {
    fn new(seed: u64) -> Self {
        // The 32-bit digits of the seed, lowest first, without leading zeros.
        let digits = [seed as u32, (seed >> 32) as u32];
        Self(Mt::new_with_key(digits.into_iter().take(if digits[1] == 0 { 1 } else { 2 })))
    }

    /// `shuffle(items)`, for fewer than 2^32 items.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let count = last as u32 + 1;
            let other = loop {
                let drawn = self.0.next_u32() >> count.leading_zeros();
                if drawn < count {
                    break drawn as usize;
                }
            };
            items.swap(last, other);
        }
    }
}

impl Rollouts {
    /// The prefixes that BAGEN's released evaluation asks about, to the bit: at most `cap` pairs of a rollout and its
    /// number of completed turns, in the order in which they were chosen; all in their own order if there are no more.
    ///
    /// It differs from [`subsample_prefixes`](Self::subsample_prefixes) in its generator, which is CPython's, and in that
    /// rollouts without a prefix are in no bucket.
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
        setting(buckets > 0, "number of buckets", 0.0, "at least 1")?;
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
        let mut left: BTreeMap<usize, VecDeque<usize>> = BTreeMap::new();
        for &(run, turns) in &runs {
            let mut prefixes: Vec<usize> = (1..turns).collect();
            random.shuffle(&mut prefixes);
            left.insert(run, prefixes.into());
        }
        let mut by_length = runs.clone();
        by_length.sort_by_key(|&(run, turns)| (turns, run));
        let count = buckets.min(by_length.len());
        let (size, larger) = (by_length.len() / count, by_length.len() % count);
        let start = |bucket: usize| bucket * size + bucket.min(larger);
        let bucket_of: BTreeMap<usize, usize> = (0..count)
            .flat_map(|bucket| (start(bucket)..start(bucket + 1)).map(move |at| (at, bucket)))
            .map(|(at, bucket)| (by_length[at].0, bucket))
            .collect();
        // In the order in which the runs meet them, as are the runs within one.
        let mut queues: Vec<(usize, VecDeque<usize>)> = Vec::new();
        for (run, _) in &runs {
            let bucket = bucket_of[run];
            match queues.iter_mut().find(|(known, _)| *known == bucket) {
                Some((_, queue)) => queue.push_back(*run),
                None => queues.push((bucket, VecDeque::from([*run]))),
            }
        }
        for (_, queue) in &mut queues {
            random.shuffle(queue.make_contiguous());
        }
        let mut active: Vec<usize> = (0..queues.len()).collect();
        let mut chosen = Vec::with_capacity(cap);
        while chosen.len() < cap {
            random.shuffle(&mut active);
            let mut still_active = Vec::with_capacity(active.len());
            for at in std::mem::take(&mut active) {
                let queue = &mut queues[at].1;
                // The next run with a prefix left; those before it move behind it.
                for _ in 0..queue.len() {
                    queue.rotate_left(1);
                    let run = queue[queue.len() - 1];
                    if let Some(turn) = left.get_mut(&run).and_then(VecDeque::pop_front) {
                        chosen.push((run, turn));
                        break;
                    }
                }
                if queue.iter().any(|run| !left[run].is_empty()) {
                    still_active.push(at);
                }
                if chosen.len() == cap {
                    break;
                }
            }
            active = still_active;
        }
        Ok(chosen)
    }
}

/// The runs for fine-tuning and those for reinforcement learning in BAGEN's released preparation, to the bit, as
/// sorted positions: of n different ids, `max(1, int(n share))` and the rest.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a share that is not from 0 to 1; [`scoring_rules::Error::Empty`] without an id.
///
/// ```
/// use budget_estimation::{Error, Seed, released_split};
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
    setting((0.0..=1.0).contains(&share), "share", share, "from 0 to 1")?;
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
