use crate::{engines::checked_sum::checked_sum, error::Error, values::knapsack_item::KnapsackItem};

/// The best value as a function of the budget. It is a step function, which rises at each budget from which more can
/// be earned.
///
/// To find the value that a pool can earn, pass its solved items.
///
/// Reference: Nemhauser and Ullmann (1969), Discrete dynamic programming and capital allocation,
/// doi:10.1287/mnsc.15.9.494.
///
/// ```
/// use knapsack_oracle::{BudgetStaircase, Error, KnapsackItem};
///
/// let items = [(4, 3), (5, 4), (6, 5)].map(|(profit, weight)| KnapsackItem { profit, weight });
/// let stairs = BudgetStaircase::new(&items)?;
/// assert_eq!((stairs.value_at(2), stairs.value_at(3), stairs.value_at(7)), (0, 4, 9));
/// let steps: Vec<_> = stairs.steps().collect();
/// assert_eq!(steps, [(0, 0), (3, 4), (4, 5), (5, 6), (7, 9), (8, 10), (9, 11), (12, 15)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BudgetStaircase {
    /// Budgets and values. Both strictly increase, and the first budget is 0.
    steps: Vec<(u64, u64)>,
}

/// The most steps that are kept: 256 MiB, and up to twice as much while an item is added.
const MOST_STEPS: usize = 1 << 24;

impl BudgetStaircase {
    /// Computes the best value of these items for every budget. Profits and weights may be 0.
    ///
    /// The staircase is exact. After each item it keeps the choices that no other choice beats in
    /// both weight and profit: O(n) passes over a list whose length is at most the sum of profits,
    /// the sum of weights, and 2^n. The list has a few thousand steps for 30 items of ordinary
    /// profits and weights. Items of equal profit take O(n log n).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Sum`] if the weights or the profits sum to 2^64 or more, and
    /// [`Error::TooLarge`] if the staircase has more than 2^24 steps after some item.
    pub fn new(items: &[KnapsackItem]) -> Result<Self, Error> {
        Self::with_most_steps(items, MOST_STEPS)
    }

    fn with_most_steps(items: &[KnapsackItem], most: usize) -> Result<Self, Error> {
        checked_sum("weights", u64::MAX, items.iter().map(|item| item.weight))?;
        checked_sum("profits", u64::MAX, items.iter().map(|item| item.profit))?;
        let mut sorted: Vec<(u64, u64)> =
            items.iter().map(|item| (item.weight, item.profit)).collect();
        // Lists stay short while only the items of the lowest weights are in them.
        sorted.sort_unstable();
        let mut steps = vec![(0, 0)];
        let mut longer = Vec::new();
        let equal = sorted.windows(2).all(|pair| pair[0].1 == pair[1].1);
        for (weight, profit) in sorted {
            if equal {
                // If profits are equal, the lightest items are best.
                let &(budget, value) = steps.last().unwrap_or(&(0, 0));
                push(&mut steps, (budget + weight, value + profit));
                continue;
            }
            join(&steps, weight, profit, &mut longer);
            std::mem::swap(&mut steps, &mut longer);
            if steps.len() > most {
                return Err(Error::TooLarge {
                    what: "budget staircase",
                    items: items.len(),
                    reason: "it has more than 2^24 steps; use coarser profits or weights, or solve \
                             for single budgets",
                });
            }
        }
        steps.shrink_to_fit();
        Ok(Self { steps })
    }

    /// Returns the best value within a budget. Takes O(log n) for n steps of the function.
    #[must_use]
    pub fn value_at(&self, budget: u64) -> u64 {
        let up_to = self.steps.partition_point(|&(step, _)| step <= budget);
        self.steps[..up_to].last().map_or(0, |&(_, value)| value)
    }

    /// Returns each budget at which the best value rises, together with the best value from there on. Both strictly
    /// increase, and the first budget is 0.
    #[must_use]
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.steps.iter().copied()
    }
}

/// Writes the steps with and without one more item, in order, into `joined`.
fn join(steps: &[(u64, u64)], weight: u64, profit: u64, joined: &mut Vec<(u64, u64)>) {
    joined.clear();
    let mut without = steps.iter().copied().peekable();
    for &(budget, value) in steps {
        let with = (budget + weight, value + profit);
        while let Some(step) = without.next_if(|step| step.0 <= with.0) {
            push(joined, step);
        }
        push(joined, with);
    }
    without.for_each(|step| push(joined, step));
}

/// Adds a step, unless its value is not higher. Its budget must be at least the budget of all steps so far.
fn push(steps: &mut Vec<(u64, u64)>, step: (u64, u64)) {
    match steps.last_mut() {
        Some(last) if step.1 <= last.1 => {}
        Some(last) if step.0 == last.0 => *last = step,
        _ => steps.push(step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_with_too_many_steps_is_an_error_rather_than_an_approximation() {
        let powers: Vec<KnapsackItem> =
            (0..11).map(|power| KnapsackItem { profit: 1 << power, weight: 1 << power }).collect();
        // Each of the 2^11 sums is a step.
        let stairs = BudgetStaircase::with_most_steps(&powers, 1 << 11).unwrap();
        assert_eq!(stairs.steps().len(), 1 << 11);
        let error = BudgetStaircase::with_most_steps(&powers, (1 << 11) - 1).unwrap_err();
        assert!(matches!(error, Error::TooLarge { items: 11, .. }), "{error}");
    }
}
