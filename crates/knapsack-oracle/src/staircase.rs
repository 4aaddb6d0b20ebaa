#[cfg(feature = "serde")]
use crate::stored::must;
use crate::{Error, stored::checked_when_read};

/// The best value for every budget: a staircase that goes up at each budget from which more can be
/// earned.
///
/// Give the items that can be earned, that is the solved ones of a pool, with whole values. Costs
/// and budgets are in one unit, values in another.
///
/// Reference: Nemhauser and Ullmann (1969), Discrete dynamic programming and capital allocation,
/// doi:10.1287/mnsc.15.9.494.
///
/// ```
/// use knapsack_oracle::{BudgetStaircase, Error};
///
/// let stairs = BudgetStaircase::new(&[3, 4, 5], &[4, 5, 6])?;
/// assert_eq!((stairs.value_at(2), stairs.value_at(3), stairs.value_at(7)), (0, 4, 9));
/// let steps: Vec<_> = stairs.steps().collect();
/// assert_eq!(steps, [(0, 0), (3, 4), (4, 5), (5, 6), (7, 9), (8, 10), (9, 11), (12, 15)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BudgetStaircase {
    /// Budget and value, both strictly increasing, from budget 0.
    steps: Vec<(u64, u64)>,
}

checked_when_read!(BudgetStaircase { steps: Vec<(u64, u64)> }, |read| {
    let starts = read.steps.first().is_some_and(|&(budget, _)| budget == 0);
    must(starts, "the first step is not at a budget of 0")?;
    let rises = read.steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1);
    must(rises, "a step does not go up in budget and value")
});

/// The most steps that are kept: 256 MiB, and up to twice as much while an item joins them.
const MOST: usize = 1 << 24;

impl BudgetStaircase {
    /// The staircase of items with these costs and values. Either may be 0.
    ///
    /// Exact, by keeping after each item the choices that no other one beats in both cost and
    /// value: O(n) passes over a list that is at most as long as the sum of values, that of costs,
    /// or 2^n, and a few thousand steps long for 30 items of ordinary costs and values. Items of
    /// equal value take O(n log n).
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the lists differ in length; [`Error::Sum`] where costs or values sum
    /// to 2^64 or more; [`Error::TooLarge`] where there are more than 2^24 steps after some item.
    pub fn new(costs: &[u64], values: &[u64]) -> Result<Self, Error> {
        Self::with_most(costs, values, MOST)
    }

    fn with_most(costs: &[u64], values: &[u64], most: usize) -> Result<Self, Error> {
        if costs.len() != values.len() {
            return Err(Error::Length {
                what: "values",
                expected: costs.len(),
                found: values.len(),
            });
        }
        for (what, numbers) in [("costs", costs), ("values", values)] {
            numbers.iter().enumerate().try_fold(0_u64, |sum, (item, &number)| {
                sum.checked_add(number).ok_or(Error::Sum { what, item, limit: u64::MAX })
            })?;
        }
        let mut items: Vec<(u64, u64)> =
            costs.iter().copied().zip(values.iter().copied()).collect();
        // Cheapest first: lists are short while they hold the items of the lowest costs.
        items.sort_unstable();
        let mut steps = vec![(0, 0)];
        let mut longer = Vec::new();
        let equal = items.windows(2).all(|pair| pair[0].1 == pair[1].1);
        for (cost, value) in items {
            if equal {
                // Nothing but the cheapest items is worth its cost.
                let &(before, earned) = steps.last().unwrap_or(&(0, 0));
                push(&mut steps, (before + cost, earned + value));
                continue;
            }
            join(&steps, cost, value, &mut longer);
            std::mem::swap(&mut steps, &mut longer);
            if steps.len() > most {
                return Err(Error::TooLarge {
                    what: "budget staircase",
                    items: costs.len(),
                    reason: "it has more than 2^24 steps; take coarser values or costs, or solve \
                             for the budgets that matter",
                });
            }
        }
        steps.shrink_to_fit();
        Ok(Self { steps })
    }

    /// The best value within a budget. Takes O(log n) in the number of steps.
    #[must_use]
    pub fn value_at(&self, budget: u64) -> u64 {
        let up_to = self.steps.partition_point(|&(cost, _)| cost <= budget);
        self.steps[..up_to].last().map_or(0, |&(_, value)| value)
    }

    /// Each budget from which more can be earned, and the best value there; both strictly
    /// increase, from budget 0 on.
    #[must_use]
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.steps.iter().copied()
    }
}

/// The steps with and without one more item, in order.
fn join(steps: &[(u64, u64)], cost: u64, value: u64, joined: &mut Vec<(u64, u64)>) {
    joined.clear();
    let mut without = steps.iter().copied().peekable();
    for &(before, earned) in steps {
        let with = (before + cost, earned + value);
        while let Some(step) = without.next_if(|step| step.0 <= with.0) {
            push(joined, step);
        }
        push(joined, with);
    }
    without.for_each(|step| push(joined, step));
}

/// Adds a step that costs no less than those before it, unless it earns no more.
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
    fn a_staircase_with_too_many_steps_is_an_error_and_no_approximation() {
        let powers: Vec<u64> = (0..11).map(|power| 1 << power).collect();
        // Each of the 2^11 sums is a step.
        let stairs = BudgetStaircase::with_most(&powers, &powers, 1 << 11).unwrap();
        assert_eq!(stairs.steps().len(), 1 << 11);
        let error = BudgetStaircase::with_most(&powers, &powers, (1 << 11) - 1).unwrap_err();
        assert!(matches!(error, Error::TooLarge { items: 11, .. }), "{error}");
    }
}
