use crate::{
    error::Error,
    knapsacks::{
        knapsack::Knapsack,
        most_solved::most_solved_items,
        multidimensional::{MOST_NODES, MultidimensionalKnapsack},
    },
    pools::pool::Pool,
    values::knapsack_item::KnapsackItem,
};

/// The best choice of items for a planner that knows every cost and outcome. Returned by
/// [`Pool::oracle`] and [`Pool::oracle_under`].
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
    /// Finds the best value within a budget and a set of items that earns it.
    ///
    /// The value is the maximum of `sum of value * solved` over the sets of items that cost at most
    /// the budget: an exact 0-1 knapsack over the solvable items.
    ///
    /// If all values are equal, the cheapest items are best, and one sort finds them. Otherwise the
    /// pool is solved by [`Knapsack::solve`], whose documentation describes its time and memory.
    ///
    /// Reference: TRIAGE (2026), equations 1 and 3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// If values differ: [`Error::Sum`] if the costs of solvable items sum to more than 2^63 - 1,
    /// and [`Error::TooLarge`] for more than 4,194,304 solvable items or if the search would need
    /// more than 2 GiB.
    pub fn oracle(&self, budget: u64) -> Result<Oracle, Error> {
        if self.points().equal {
            let items = self.items().iter().map(|item| (item.cost(), item.is_solved()));
            return Ok(self.oracle_of(most_solved_items(items, budget)));
        }
        let solvable = self.solvable();
        let item = |&i: &usize| KnapsackItem {
            profit: self.points().each[i],
            weight: self.items()[i].cost(),
        };
        let items: Vec<KnapsackItem> = solvable.iter().map(item).collect();
        let best = Knapsack::new(budget, &items)?.solve();
        if !best.is_optimal() {
            let reason = "the search would need more than 2 GiB; use coarser costs or values";
            return Err(Error::TooLarge { what: "oracle", items: items.len(), reason });
        }
        Ok(self.oracle_of(best.chosen.iter().map(|&k| solvable[k]).collect()))
    }
}

impl<const R: usize> Pool<R> {
    /// Finds the best value within a budget for each resource and a set of items that earns it.
    ///
    /// The worst case is exponential, so the search ends after the 2^22 nodes of
    /// [`MultidimensionalKnapsack::solve`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::Setting`] for more than 8 resources, and [`Error::TooLarge`] for more than
    /// 1,000 solvable items or if the search ends without a proof.
    pub fn oracle_under(&self, budgets: &[u64; R]) -> Result<Oracle, Error> {
        self.oracle_within(budgets, MOST_NODES)
    }

    fn oracle_within(&self, budgets: &[u64; R], nodes: u64) -> Result<Oracle, Error> {
        let solvable = self.solvable();
        let item = |&i: &usize| KnapsackItem {
            profit: self.points().each[i],
            weight: *self.items()[i].costs(),
        };
        let items: Vec<KnapsackItem<[u64; R]>> = solvable.iter().map(item).collect();
        let best = MultidimensionalKnapsack::new(*budgets, &items)?.solve_within(nodes);
        if !best.is_optimal() {
            let reason = "the search would take too long; use smaller pools, or search for longer \
                          with MultidimensionalKnapsack::solve_within";
            return Err(Error::TooLarge { what: "oracle", items: items.len(), reason });
        }
        Ok(self.oracle_of(best.chosen.iter().map(|&k| solvable[k]).collect()))
    }

    fn solvable(&self) -> Vec<usize> {
        (0..self.items().len()).filter(|&i| self.items()[i].is_solved()).collect()
    }

    fn oracle_of(&self, mut chosen: Vec<usize>) -> Oracle {
        chosen.sort_unstable();
        let points = chosen.iter().map(|&i| self.points().each[i]).sum();
        Oracle { value: self.points().value(points), chosen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::item::Item;

    #[test]
    fn an_oracle_whose_search_ends_without_a_proof_is_an_error() {
        let item =
            |i: u64| Item::with_costs(i.to_string(), 1.0, [i * 7 % 13 + 1, i * 5 % 11 + 1], true);
        let pool = Pool::new((0..20).map(|i| item(i).unwrap()).collect()).unwrap();
        let error = pool.oracle_within(&[41, 37], 0).unwrap_err();
        assert!(matches!(error, Error::TooLarge { what: "oracle", items: 20, .. }), "{error}");
        assert!(pool.oracle_under(&[41, 37]).is_ok());
    }
}
