use scoring_rules::checks::setting;

use crate::{
    engines::checked_sum::checked_sum,
    error::Error,
    pools::{alpha::Alpha, item::Item, points::Points},
};

/// A pool: items that share a budget, in the order in which a planner sees them.
///
/// Values are stored as whole multiples of a
/// common decimal or binary unit, so all sums of them are exact.
///
/// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
///
/// ```
/// use knapsack_oracle::{Alpha, Error, Item, Pool};
///
/// let pool = Pool::new(vec![
///     Item::new("a", 1.0, 500, true)?,
///     Item::new("b", 1.0, 300, false)?,
///     Item::new("c", 1.0, 200, true)?,
/// ])?;
/// let budget = pool.budget(Alpha::new(0.5)?);
/// assert_eq!(budget, 500);
/// assert_eq!(pool.oracle(budget)?.value, 1.0);
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde` a pool is stored as a list of its items. A list that is
/// read is checked like in [`Self::new`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Item>", into = "Vec<Item>"))]
pub struct Pool {
    items: Vec<Item>,
    total: u64,
    points: Points,
    /// Positions of the items, sorted by id.
    by_id: Vec<usize>,
}

impl From<Pool> for Vec<Item> {
    fn from(pool: Pool) -> Self {
        pool.items
    }
}

impl TryFrom<Vec<Item>> for Pool {
    type Error = Error;

    fn try_from(items: Vec<Item>) -> Result<Self, Error> {
        Self::new(items)
    }
}

impl Pool {
    /// Creates a pool of at least one item.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without items, [`Error::DuplicateId`] if two items have the same
    /// id, [`Error::Sum`] if the costs sum to 2^64 or more, and
    /// [`Error::NoCommonUnit`] if the values, such as 1e100 and 1e-100, have no common unit in
    /// which their sum is below 2^63.
    pub fn new(items: Vec<Item>) -> Result<Self, Error> {
        if items.is_empty() {
            return Err(Error::ScoringRules(scoring_rules::Error::Empty));
        }
        let mut by_id: Vec<usize> = (0..items.len()).collect();
        by_id.sort_by(|&a, &b| items[a].id().cmp(items[b].id()));
        for pair in by_id.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            if items[first].id() == items[second].id() {
                let id = items[first].id().to_owned();
                return Err(Error::DuplicateId { id, first, second });
            }
        }
        let total = checked_sum("costs", u64::MAX, items.iter().map(Item::cost))?;
        let values: Vec<f64> = items.iter().map(Item::value).collect();
        let points = Points::new(&values)?;
        Ok(Self { items, total, points, by_id })
    }

    /// Splits the pool, in order, into pools of `size` items. The last pool may be smaller, so that no item is
    /// dropped.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for a size of 0.
    pub fn chunks(&self, size: usize) -> Result<Vec<Self>, Error> {
        setting("pool size", size as f64, size > 0, "at least 1")?;
        self.items.chunks(size).map(|items| Self::new(items.to_vec())).collect()
    }

    /// Returns the items in order.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the position, from 0, of the item with this id. Takes O(log n).
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        let found = self.by_id.binary_search_by(|&i| self.items[i].id().cmp(id)).ok()?;
        Some(self.by_id[found])
    }

    /// Returns the total cost of all items.
    #[must_use]
    pub const fn total_cost(&self) -> u64 {
        self.total
    }

    /// Returns the budget, exactly `floor(alpha * total cost)`. The total cost covers all items, whether solvable or
    /// not.
    #[must_use]
    pub fn budget(&self, alpha: Alpha) -> u64 {
        alpha.budget(self.total)
    }

    pub(crate) const fn points(&self) -> &Points {
        &self.points
    }
}
