use crate::{
    engines::checked_sum::checked_sum,
    error::Error,
    pools::{alpha::Alpha, item::Item, points::Points},
};

/// Items that share a budget, in the order in which a planner is shown them.
///
/// `R` is the number of resources and is 1 by default. Values are stored as whole multiples of a
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
/// With the feature `serde` a pool of one resource is stored as a list of its items. A list that is
/// read is checked like in [`Self::new`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "Vec<Item<R>>", bound = "Item<R>: serde::Deserialize<'de>")
)]
pub struct Pool<const R: usize = 1> {
    items: Vec<Item<R>>,
    totals: [u64; R],
    points: Points,
    /// Positions of the items, sorted by id.
    by_id: Vec<usize>,
}

#[cfg(feature = "serde")]
impl<const R: usize> serde::Serialize for Pool<R>
where
    Item<R>: serde::Serialize,
{
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<const R: usize> TryFrom<Vec<Item<R>>> for Pool<R> {
    type Error = Error;

    fn try_from(items: Vec<Item<R>>) -> Result<Self, Error> {
        Self::new(items)
    }
}

impl<const R: usize> Pool<R> {
    /// Creates a pool of at least one item.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Empty`] without items, [`Error::DuplicateId`] if two items have the same
    /// id, [`Error::Sum`] if the costs in a resource sum to 2^64 or more, and
    /// [`Error::NoCommonUnit`] if the values, such as 1e100 and 1e-100, have no common unit in
    /// which their sum is below 2^63.
    pub fn new(items: Vec<Item<R>>) -> Result<Self, Error> {
        if items.is_empty() {
            return Err(Error::Empty);
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
        let mut totals = [0; R];
        for (resource, total) in totals.iter_mut().enumerate() {
            *total =
                checked_sum("costs", u64::MAX, items.iter().map(|item| item.costs()[resource]))?;
        }
        let values: Vec<f64> = items.iter().map(Item::value).collect();
        let points = Points::new(&values)?;
        Ok(Self { items, totals, points, by_id })
    }

    /// Splits the pool into pools of `size` items each, in order. The last pool may be smaller, so
    /// no item is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Setting`] for a size of 0.
    pub fn chunks(&self, size: usize) -> Result<Vec<Self>, Error> {
        if size == 0 {
            return Err(Error::Setting { name: "pool size", value: 0.0, range: "at least 1" });
        }
        self.items.chunks(size).map(|items| Self::new(items.to_vec())).collect()
    }

    /// Returns the items in order.
    #[must_use]
    pub fn items(&self) -> &[Item<R>] {
        &self.items
    }

    /// Returns the position of the item with an id, from 0. Takes O(log n).
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        let found = self.by_id.binary_search_by(|&i| self.items[i].id().cmp(id)).ok()?;
        Some(self.by_id[found])
    }

    /// Returns the total cost of all items in each resource.
    #[must_use]
    pub const fn total_costs(&self) -> &[u64; R] {
        &self.totals
    }

    /// Returns the budget in each resource: exactly `floor(alpha * total cost)`, where the total is
    /// over all items, solvable or not.
    #[must_use]
    pub fn budgets(&self, alpha: Alpha) -> [u64; R] {
        self.totals.map(|total| alpha.budget(total))
    }

    pub(crate) const fn points(&self) -> &Points {
        &self.points
    }
}

impl Pool {
    /// Returns the total cost of all items.
    #[must_use]
    pub const fn total_cost(&self) -> u64 {
        self.totals[0]
    }

    /// Returns the budget: exactly `floor(alpha * total cost)`, where the total is over all items,
    /// solvable or not.
    #[must_use]
    pub fn budget(&self, alpha: Alpha) -> u64 {
        alpha.budget(self.total_cost())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(n: usize) -> Vec<Item> {
        (0..n).map(|i| Item::new(format!("p{i}"), 1.0, i as u64 + 1, true).unwrap()).collect()
    }

    #[test]
    fn chunks_contain_every_item_once_and_in_order() {
        let pool = Pool::new(items(65)).unwrap();
        let chunks = pool.chunks(30).unwrap();
        let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.items().len()).collect();
        assert_eq!(sizes, [30, 30, 5]);
        let all: Vec<Item> = chunks.iter().flat_map(|chunk| chunk.items().to_vec()).collect();
        assert_eq!(all, pool.items());
        assert!(matches!(pool.chunks(0), Err(Error::Setting { .. })));
    }

    #[test]
    fn each_resource_has_its_total_and_its_budget() {
        let item = |id, costs| Item::with_costs(id, 1.0, costs, true).unwrap();
        let pool = Pool::new(vec![item("a", [5, 30]), item("b", [6, 40])]).unwrap();
        assert_eq!(pool.total_costs(), &[11, 70]);
        assert_eq!(pool.budgets(Alpha::new(0.5).unwrap()), [5, 35]);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_pool_is_read_from_a_list_of_items_through_the_same_checks() {
        let pool = Pool::new(items(3)).unwrap();
        let text = serde_json::to_string(&pool).unwrap();
        assert_eq!(serde_json::from_str::<Pool>(&text).unwrap(), pool);
        let error = serde_json::from_str::<Pool>(&text.replace("p1", "p0")).unwrap_err();
        assert!(error.to_string().contains("occurs twice"), "{error}");
        assert!(serde_json::from_str::<Pool>("[]").is_err());
    }

    #[test]
    fn an_item_is_found_by_its_id() {
        let pool = Pool::new(items(12)).unwrap();
        for (i, item) in pool.items().iter().enumerate() {
            assert_eq!(pool.position(item.id()), Some(i));
        }
        assert_eq!(pool.position("p12"), None);
    }

    #[test]
    fn invalid_items_and_pools_are_refused() {
        assert_eq!(Pool::<1>::new(vec![]), Err(Error::Empty));
        let mut twice = items(3);
        twice.push(Item::new("p1", 1.0, 9, false).unwrap());
        let want = Error::DuplicateId { id: "p1".into(), first: 1, second: 3 };
        assert_eq!(Pool::new(twice), Err(want));
        let mut dear = items(2);
        dear.push(Item::new("c", 1.0, u64::MAX - 2, true).unwrap());
        assert_eq!(Pool::new(dear), Err(Error::Sum { what: "costs", item: 2, limit: u64::MAX }));
        for value in [0.0, -1.0, 9.9e-101, 1.1e100, f64::NAN, f64::INFINITY] {
            assert!(matches!(Item::new("a", value, 1, true), Err(Error::ItemValue { .. })));
        }
        assert_eq!(Item::new("a", 1.0, 0, true), Err(Error::ItemCost { id: "a".into() }));
        assert!(Item::with_costs("a", 1e-100, [0, 1], true).is_ok());
    }
}
