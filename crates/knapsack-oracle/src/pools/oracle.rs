#[cfg(feature = "serde")]
use crate::stored::{ascending, is_amount, must};
use crate::{
    Error, Knapsack, MultidimensionalKnapsack, Pool, most_solved_items, several::MOST_NODES,
    stored::checked_when_read,
};

/// What a planner who knew every cost and outcome would attempt: the best there is. From
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
    /// What it earns.
    pub value: f64,
    /// The positions of the items that it attempts, ascending; all of them solvable.
    pub chosen: Vec<usize>,
}

checked_when_read!(Oracle { value: f64, chosen: Vec<usize> }, |read| {
    must(is_amount(read.value), "`value` is not a finite number of at least 0")?;
    must(ascending(&read.chosen), "`chosen` is not in ascending order")
});

impl Pool {
    /// The best value within a budget, `max sum of value * solved` over sets of items that cost no
    /// more than the budget, with a set that reaches it: an exact 0-1 knapsack over the solvable
    /// items.
    ///
    /// Where all values are equal the cheapest items are best, and one sort finds them. Otherwise
    /// it takes as long as [`Knapsack::solve`], which grows with n times the budget at worst, and
    /// ends with an error where more than 2 GiB would be needed.
    ///
    /// Reference: TRIAGE (2026), equations 1 and 3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// Where values differ: [`Error::Sum`] where the costs of solvable items sum to more than
    /// 2^63 - 1; [`Error::TooLarge`] above 4,194,304 of them, and where [`Knapsack::solve`] would
    /// take too much memory.
    pub fn oracle(&self, budget: u64) -> Result<Oracle, Error> {
        if self.points().equal {
            let items = self.items().iter().map(|item| (item.cost(), item.is_solved()));
            return Ok(self.oracle_of(most_solved_items(items, budget)));
        }
        let solvable = self.solvable();
        let profits: Vec<u64> = solvable.iter().map(|&i| self.points().each[i]).collect();
        let costs: Vec<u64> = solvable.iter().map(|&i| self.items()[i].cost()).collect();
        let best = Knapsack::new(budget, &profits, &costs)?.solve();
        if !best.is_optimal() {
            let reason =
                "the search for it would need more than 2 GiB; take coarser costs or values";
            return Err(Error::TooLarge { what: "oracle", items: profits.len(), reason });
        }
        Ok(self.oracle_of(best.chosen.iter().map(|&k| solvable[k]).collect()))
    }
}

impl<const R: usize> Pool<R> {
    /// The best value within a budget for each resource. Exponential in the worst case, and so
    /// ended after the 2^22 parts of a search that [`MultidimensionalKnapsack::solve`] looks at.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for more than 8 resources; [`Error::TooLarge`] above 1,000 solvable
    /// items, and where [`MultidimensionalKnapsack::solve`] finds no proof.
    pub fn oracle_under(&self, budgets: &[u64; R]) -> Result<Oracle, Error> {
        self.oracle_within(budgets, MOST_NODES)
    }

    fn oracle_within(&self, budgets: &[u64; R], nodes: u64) -> Result<Oracle, Error> {
        let solvable = self.solvable();
        let profits: Vec<u64> = solvable.iter().map(|&i| self.points().each[i]).collect();
        let weights: Vec<[u64; R]> = solvable.iter().map(|&i| *self.items()[i].costs()).collect();
        let best = MultidimensionalKnapsack::new(*budgets, &profits, &weights)?;
        let best = best.solve_within(nodes);
        if !best.is_optimal() {
            let reason = "the search for it takes too long; take smaller pools, or \
                          MultidimensionalKnapsack::solve_within for a longer search";
            return Err(Error::TooLarge { what: "oracle", items: profits.len(), reason });
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
    use crate::Item;

    #[test]
    fn a_search_without_a_proof_is_an_error_and_no_oracle() {
        let item =
            |i: u64| Item::with_costs(i.to_string(), 1.0, [i * 7 % 13 + 1, i * 5 % 11 + 1], true);
        let pool = Pool::new((0..20).map(|i| item(i).unwrap()).collect()).unwrap();
        let error = pool.oracle_within(&[41, 37], 0).unwrap_err();
        assert!(matches!(error, Error::TooLarge { what: "oracle", items: 20, .. }), "{error}");
        assert!(pool.oracle_under(&[41, 37]).is_ok());
    }
}
