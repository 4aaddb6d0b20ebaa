use crate::{
    error::Error,
    knapsacks::{knapsack::Knapsack, most_solved::most_solved_items},
    pools::pool::Pool,
    values::knapsack_item::KnapsackItem,
};

/// The choice of items that a planner makes who knows every cost and outcome. Returned by [`Pool::oracle`].
///
/// ```
/// use knapsack_oracle::{Error, Item, Pool};
///
/// let pool = Pool::new(vec![
///     Item::new("a", 1.5, 500, true)?,
///     Item::new("b", 9.0, 300, false)?,
///     Item::new("c", 1.0, 200, true)?,
/// ])?;
/// let oracle = pool.oracle(700)?;
/// assert_eq!((oracle.value, oracle.chosen), (2.5, vec![0, 2]));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Oracle {
    /// The value that the oracle earns.
    pub value: f64,
    /// The positions of the items that the oracle attempts, in ascending order. All of them are
    /// solvable.
    pub chosen: Vec<usize>,
}

impl Pool {
    /// Finds the best value that a budget allows, and a set of items that earns it.
    ///
    /// The value is the maximum of `sum of value * solved` over the sets of items that cost at most
    /// the budget: an exact 0-1 knapsack over the solvable items.
    ///
    /// For equal values, the cheapest items are best, and one sort finds them. Otherwise the pool is solved by
    /// [`Knapsack::solve`](crate::Knapsack::solve), whose documentation describes its time and memory.
    ///
    /// Reference: TRIAGE (2026), equations 1 and 3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// For values that differ: [`Error::TooLarge`] if the search would need more than 2 GiB, and for more than
    /// 4,194,304 solvable items; [`Error::Sum`] if the costs of solvable items sum to more than 2^63 - 1.
    pub fn oracle(&self, budget: u64) -> Result<Oracle, Error> {
        let solvable: Vec<usize> =
            (0..self.items().len()).filter(|&i| self.items()[i].is_solved()).collect();
        let item = |&i: &usize| KnapsackItem {
            profit: self.points().each[i],
            weight: self.items()[i].cost(),
        };
        let items: Vec<KnapsackItem> = solvable.iter().map(item).collect();
        let chosen = if self.points().equal {
            most_solved_items(items.iter().map(|item| (item.weight, true)), budget)
        } else {
            let best = Knapsack::new(budget, &items)?.solve();
            if !best.is_optimal() {
                let reason = "the search would need too much memory or time; use coarser costs or values \
                              or smaller pools";
                return Err(Error::TooLarge { what: "oracle", items: items.len(), reason });
            }
            best.chosen
        };
        let mut chosen: Vec<usize> = chosen.iter().map(|&k| solvable[k]).collect();
        chosen.sort_unstable();
        let points = chosen.iter().map(|&i| self.points().each[i]).sum();
        Ok(Oracle { value: self.points().value(points), chosen })
    }
}
