use scoring_rules::{
    Seed,
    checks::{same_length, setting},
};

use crate::{
    engines::random_order::permutations::Permutations,
    error::Error,
    pools::{item::Item, points::share_of, pool::Pool},
};

/// A pool in which unsolvable items have replaced some items. Returned by [`InjectedPool::inject`], which has an
/// example.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InjectedPool {
    /// The pool after the replacement, with the same number of items as before.
    pub pool: Pool,
    /// Whether each item was injected as unsolvable, in the order of the pool.
    /// [`UnsolvableCounts`](crate::UnsolvableCounts) compares these marks with a plan.
    pub unsolvable: Vec<bool>,
}

impl InjectedPool {
    /// Replaces a share of the items of each pool by unsolvable items, in order to test whether a planner recognizes
    /// them.
    ///
    /// In a pool of n items, `floor(ratio * n)` items are replaced, computed exactly with the shortest decimal form
    /// of `ratio`. The replaced positions are drawn uniformly at random, and no unsolvable item is used twice. The
    /// budget of the new pool includes the costs of the injected items, which are the costs of the baseline
    /// attempts at them.
    ///
    /// The result is a pure function of the arguments. With the same seed, the items that are injected
    /// at a smaller ratio are also injected at a larger one, at the same positions, so results at
    /// several ratios are paired.
    ///
    /// Reference: TRIAGE (2026), sections 4 and 5.2, arXiv:2605.13414. The paper substitutes items at
    /// ratios from 0 to 1 and holds the pool size constant. It does not state how the number of items is
    /// rounded.
    ///
    /// ```
    /// use knapsack_oracle::{
    ///     Alpha, EqualShares, Error, InjectedPool, Item, Plan, Pool, Seed, UnsolvableCounts,
    /// };
    ///
    /// let items = |name: &str, solved| -> Result<Vec<Item>, Error> {
    ///     (0..8).map(|i| Item::new(format!("{name}-{i}"), 1.0, 100, solved)).collect()
    /// };
    /// let pool = Pool::new(items("math", true)?)?;
    /// let unsolvable = items("abstain", false)?;
    ///
    /// let injected = InjectedPool::inject(&[pool], &unsolvable, 0.25, Seed(7))?.remove(0);
    /// assert_eq!(injected.pool.items().len(), 8);
    /// assert_eq!(injected.unsolvable.iter().filter(|&&mark| mark).count(), 2);
    ///
    /// // A planner that attempts everything detects none of them.
    /// let budget = injected.pool.budget(Alpha::new(0.5)?);
    /// let plan = Plan::prospective(&EqualShares::InOrder, &injected.pool, budget)?;
    /// let mut counts = UnsolvableCounts::default();
    /// counts.update(&plan, &injected.unsolvable)?;
    /// assert_eq!((counts.detection_rate()?, counts.waste_rate()?), (0.0, 0.25));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for a ratio outside 0 to 1, [`Error::Item`] for an
    /// unsolvable item marked as solved, [`scoring_rules::Error::Length`] with the required number if there are too
    /// few unsolvable items, and the errors of [`Pool::new`], for instance [`Error::DuplicateId`] if an unsolvable
    /// item has the id of an item of the pool. Unsolvable items are dealt one per pool and round, so pools of
    /// different sizes need more items than are injected.
    pub fn inject(
        pools: &[Pool],
        unsolvable: &[Item],
        ratio: f64,
        seed: Seed,
    ) -> Result<Vec<Self>, Error> {
        setting("ratio", ratio, (0.0..=1.0).contains(&ratio), "a number from 0 to 1")?;
        if let Some(solved) = unsolvable.iter().find(|item| item.is_solved()) {
            let problem = "is solved, so it cannot be injected as unsolvable; leave it out";
            return Err(Error::Item { id: solved.id().to_owned(), problem });
        }
        let replaced = |pool: &Pool| share_of(ratio, pool.items().len() as u64) as usize;
        // The items are dealt one per pool and round, so that no two pools share an item. The last required item is
        // dealt to the last pool in its last round.
        let last = |(number, pool): (usize, &Pool)| {
            replaced(pool).checked_sub(1).map_or(0, |round| round * pools.len() + number + 1)
        };
        let expected = pools.iter().enumerate().map(last).max().unwrap_or(0);
        // More than are needed are welcome.
        same_length("unsolvable items", expected, unsolvable.len().min(expected))?;
        let mut dealt: Vec<&Item> = unsolvable.iter().collect();
        // Stream 0 orders the unsolvable items, and stream k + 1 the positions of pool k.
        Permutations::<1>::new(dealt.len(), seed.0, 0).shuffle(&mut dealt);
        let inject = |(number, pool): (usize, &Pool)| {
            let mut items = pool.items().to_vec();
            let mut marks = vec![false; items.len()];
            let mut positions: Vec<usize> = (0..items.len()).collect();
            Permutations::<1>::new(items.len(), seed.0, number as u64 + 1).shuffle(&mut positions);
            positions.truncate(replaced(pool));
            for (round, position) in positions.into_iter().enumerate() {
                items[position] = dealt[round * pools.len() + number].clone();
                marks[position] = true;
            }
            Ok(Self { pool: Pool::new(items)?, unsolvable: marks })
        };
        pools.iter().enumerate().map(inject).collect()
    }
}
