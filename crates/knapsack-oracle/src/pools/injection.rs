use scoring_rules::Seed;

use crate::{
    engines::random_order::permutations::Permutations,
    error::Error,
    pools::{item::Item, points::share_of, pool::Pool},
};

/// A pool in which some items were replaced by unsolvable ones. Returned by [`inject_unsolvable`],
/// which has an example.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct InjectedPool {
    pool: Pool,
    unsolvable: Vec<bool>,
}

impl InjectedPool {
    /// Returns the pool, which has as many items as before.
    #[must_use]
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns whether each item was injected, in the order of the pool.
    /// [`UnsolvableCounts`](crate::UnsolvableCounts) compares these marks with a plan.
    #[must_use]
    pub fn unsolvable(&self) -> &[bool] {
        &self.unsolvable
    }
}

/// Replaces a share of the items of each pool by unsolvable items, to probe whether a planner
/// recognizes them.
///
/// In a pool of n items, `floor(ratio * n)` items are replaced, in exact arithmetic of the decimal
/// that `ratio` is written as. The replaced positions are drawn uniformly at random, and no
/// unsolvable item is used twice. The budget of the new pool includes the costs of the injected
/// items: what the baseline attempts at them cost.
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
///     Alpha, Error, InOrder, Item, Plan, Pool, Seed, UnsolvableCounts, inject_unsolvable,
/// };
///
/// let items = |name: &str, solved| -> Result<Vec<Item>, Error> {
///     (0..8).map(|i| Item::new(format!("{name}-{i}"), 1.0, 100, solved)).collect()
/// };
/// let pool = Pool::new(items("math", true)?)?;
/// let unsolvable = items("abstain", false)?;
///
/// let injected = inject_unsolvable(&[pool], &unsolvable, 0.25, Seed::new(7))?.remove(0);
/// assert_eq!(injected.pool().items().len(), 8);
/// assert_eq!(injected.unsolvable().iter().filter(|&&mark| mark).count(), 2);
///
/// // A planner that attempts everything detects none of them.
/// let budget = injected.pool().budget(Alpha::new(0.5)?);
/// let plan = Plan::prospective(&InOrder, injected.pool(), budget)?;
/// let mut counts = UnsolvableCounts::default();
/// counts.update(&plan, injected.unsolvable())?;
/// assert_eq!((counts.detection_rate()?, counts.waste_rate()?), (0.0, 0.25));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::Setting`] for a ratio that is not from 0 to 1, [`Error::SolvedItem`] for an
/// unsolvable item that is marked as solved, [`Error::Length`] with the number that is needed if
/// there are too few unsolvable items, and the errors of [`Pool::new`], for instance
/// [`Error::DuplicateId`] if an unsolvable item has the id of an item of the pool. Unsolvable items
/// are dealt one per pool and round, so pools of different sizes need more items than are injected.
pub fn inject_unsolvable(
    pools: &[Pool],
    unsolvable: &[Item],
    ratio: f64,
    seed: Seed,
) -> Result<Vec<InjectedPool>, Error> {
    if !(0.0..=1.0).contains(&ratio) {
        return Err(Error::Setting { name: "ratio", value: ratio, range: "a number from 0 to 1" });
    }
    if let Some(solved) = unsolvable.iter().find(|item| item.is_solved()) {
        return Err(Error::SolvedItem { id: solved.id().to_owned() });
    }
    let replaced = |pool: &Pool| share_of(ratio, pool.items().len() as u64) as usize;
    // The items are dealt one per pool and round, so that no pool has those of another. The last
    // item that is needed is that of the last pool in its last round.
    let last = |(number, pool): (usize, &Pool)| {
        replaced(pool).checked_sub(1).map_or(0, |round| round * pools.len() + number + 1)
    };
    let expected = pools.iter().enumerate().map(last).max().unwrap_or(0);
    if unsolvable.len() < expected {
        let (what, found) = ("unsolvable items", unsolvable.len());
        return Err(Error::Length { what, expected, found });
    }
    let mut dealt: Vec<&Item> = unsolvable.iter().collect();
    // Stream 0 orders the unsolvable items, and stream k + 1 the positions of pool k.
    Permutations::<1>::new(dealt.len(), seed.get(), 0).shuffle(&mut dealt);
    let inject = |(number, pool): (usize, &Pool)| {
        let mut items = pool.items().to_vec();
        let mut marks = vec![false; items.len()];
        let mut positions: Vec<usize> = (0..items.len()).collect();
        Permutations::<1>::new(items.len(), seed.get(), number as u64 + 1).shuffle(&mut positions);
        positions.truncate(replaced(pool));
        for (round, position) in positions.into_iter().enumerate() {
            items[position] = dealt[round * pools.len() + number].clone();
            marks[position] = true;
        }
        Ok(InjectedPool { pool: Pool::new(items)?, unsolvable: marks })
    };
    pools.iter().enumerate().map(inject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(name: &str, count: usize, solved: bool) -> Vec<Item> {
        let item = |i| Item::new(format!("{name}-{i}"), 1.0, 10 + i as u64, solved).unwrap();
        (0..count).map(item).collect()
    }

    fn pools() -> Vec<Pool> {
        Pool::new(items("solvable", 65, true)).unwrap().chunks(30).unwrap()
    }

    #[test]
    fn a_pool_keeps_its_size_and_its_other_items_at_every_ratio_of_the_paper() {
        let unsolvable = items("abstain", 90, false);
        for (ratio, counts) in [
            (0.0, [0, 0, 0]),
            (0.25, [7, 7, 1]),
            (0.5, [15, 15, 2]),
            (0.75, [22, 22, 3]),
            (1.0, [30, 30, 5]),
        ] {
            let injected = inject_unsolvable(&pools(), &unsolvable, ratio, Seed::new(3)).unwrap();
            let mut used = Vec::new();
            for ((injected, pool), count) in injected.iter().zip(pools()).zip(counts) {
                let marks = injected.unsolvable();
                assert_eq!(marks.iter().filter(|&&mark| mark).count(), count, "{ratio}");
                assert_eq!(injected.pool().items().len(), pool.items().len());
                for ((new, old), mark) in
                    injected.pool().items().iter().zip(pool.items()).zip(marks)
                {
                    assert_eq!(new == old, !mark);
                    assert_eq!(new.is_solved(), !mark);
                    used.extend(mark.then(|| new.id().to_owned()));
                }
            }
            let total = used.len();
            used.sort();
            used.dedup();
            assert_eq!(used.len(), total, "no item is injected twice");
        }
    }

    #[test]
    fn the_items_injected_at_one_ratio_stay_at_every_larger_ratio() {
        let unsolvable = items("abstain", 90, false);
        let at =
            |ratio, seed| inject_unsolvable(&pools(), &unsolvable, ratio, Seed::new(seed)).unwrap();
        let (few, many) = (at(0.25, 3), at(0.75, 3));
        for (few, many) in few.iter().zip(&many) {
            let both = few.pool().items().iter().zip(many.pool().items());
            for (&mark, (few, many)) in few.unsolvable().iter().zip(both) {
                assert!(!mark || few == many);
            }
        }
        assert_eq!(at(0.25, 3), few);
        assert_ne!(at(0.25, 4), few);
    }

    #[test]
    fn every_position_and_every_unsolvable_item_is_equally_likely() {
        let pool = [Pool::new(items("solvable", 10, true)).unwrap()];
        let unsolvable = items("abstain", 5, false);
        let (mut positions, mut used) = ([0_u32; 10], [0_u32; 5]);
        for seed in 0..4_000 {
            let injected = inject_unsolvable(&pool, &unsolvable, 0.2, Seed::new(seed)).unwrap();
            for (position, item) in injected[0].pool().items().iter().enumerate() {
                if let Some(which) = unsolvable.iter().position(|other| other == item) {
                    positions[position] += 1;
                    used[which] += 1;
                }
            }
        }
        // Binomial with means of 800 and 1,600 and standard deviations of at most 31.
        assert!(positions.iter().all(|count| count.abs_diff(800) < 4 * 26), "{positions:?}");
        assert!(used.iter().all(|count| count.abs_diff(1_600) < 4 * 31), "{used:?}");
    }

    #[test]
    fn invalid_ratios_and_items_are_refused() {
        let unsolvable = items("abstain", 20, false);
        for ratio in [-0.1, 1.1, f64::NAN] {
            let refused = inject_unsolvable(&pools(), &unsolvable, ratio, Seed::new(1));
            assert!(matches!(refused, Err(Error::Setting { name: "ratio", .. })), "{ratio}");
        }
        let refused = inject_unsolvable(&pools(), &unsolvable, 0.25, Seed::new(1));
        let what = "unsolvable items";
        // 21 items are dealt to three pools in seven rounds; the last pool needs one.
        assert!(refused.is_ok(), "{refused:?}");
        let refused = inject_unsolvable(&pools(), &unsolvable, 0.5, Seed::new(1));
        assert_eq!(refused, Err(Error::Length { what, expected: 44, found: 20 }));
        // The number in the error is enough, and one item less is not.
        assert!(
            inject_unsolvable(&pools(), &items("abstain", 44, false), 0.5, Seed::new(1)).is_ok()
        );
        let refused = inject_unsolvable(&pools(), &items("abstain", 43, false), 0.5, Seed::new(1));
        assert_eq!(refused, Err(Error::Length { what, expected: 44, found: 43 }));
        assert!(inject_unsolvable(&pools(), &[], 0.0, Seed::new(1)).is_ok());
        let refused = inject_unsolvable(&pools(), &items("a", 20, true), 0.25, Seed::new(1));
        assert_eq!(refused, Err(Error::SolvedItem { id: "a-0".into() }));
        let refused = inject_unsolvable(&pools(), &items("solvable", 90, false), 0.5, Seed::new(1));
        assert!(matches!(refused, Err(Error::DuplicateId { .. })), "{refused:?}");
    }
}
