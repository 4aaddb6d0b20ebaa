#[cfg(feature = "serde")]
use crate::stored::{is_amount, must};
use crate::{
    Error, Pool,
    random::{leave_one_out::LeaveOneOut, subsets::Halves, sum::sum, task::Task},
    stored::checked_when_read,
};

/// The random reference itself, not an estimate: its standard error is 0. From
/// [`Pool::random_exact`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExactRandom {
    /// The expected value earned.
    pub value: f64,
    /// The expected cost spent, at most the budget.
    pub spent: f64,
    /// The probability of each item to run, in the order of the items.
    pub run_probabilities: Vec<f64>,
}

checked_when_read!(
    ExactRandom { value: f64, spent: f64, run_probabilities: Vec<f64> },
    |read| {
        let amounts = is_amount(read.value) && is_amount(read.spent);
        must(amounts, "`value` or `spent` is not a finite number of at least 0")?;
        // Rounding can bring a sum of probabilities above 1.
        let is_probability = |probability| (0.0..=1.0 + 1e-9).contains(probability);
        let probabilities = read.run_probabilities.iter().all(is_probability);
        must(probabilities, "a number of `run_probabilities` is not from 0 to 1")
    }
);

impl Pool {
    /// The random reference: what a planner without any self-knowledge earns on average, all items
    /// being run in a uniformly random order, up to the first that does not fit what is left of the
    /// budget. An item that runs costs its whole cost, solved or not.
    ///
    /// This is the expectation over all n! orders. An item runs exactly when it and the items
    /// before it fit. These are equally likely to be any set T of k items with the item last, so
    ///
    /// ```text
    /// P(i runs) = sum over k and over T of k items, i in T, cost(T) <= budget, of 1 / (k C(n, k))
    /// ```
    ///
    /// and only how many such sets there are matters. They are counted by the cheaper of two ways:
    ///
    /// - Meeting in the middle: O(m 2^(m/2)) time and memory, for up to m = 46 items of which each
    ///   alone fits the budget. Up to n = 46 items in all, probabilities are sums of whole numbers
    ///   over lcm(1, ..., n), rounded once.
    /// - Counting sums: with costs and budget divided by the costs' greatest common divisor to give
    ///   a budget b, and at most s items fitting together, O(m s b log m) time and O(s b log m)
    ///   memory; taken up to 512 MiB, 2^35 additions and n = 1000. The relative error is below
    ///   1e-10.
    ///
    /// Where all items fit, all run.
    ///
    /// Reference: TRIAGE (2026), sections 3.2 and 4, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] where neither is within its limits; [`Pool::random_sampled`] can do it.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Pool};
    ///
    /// // Of the six orders, the item of cost 2 runs in four and each item of cost 1 in five:
    /// // the budget is too small for 1, 1, 2 and enough for any two.
    /// let item = |id, cost| Item::new(id, 1.0, cost, true);
    /// let pool = Pool::new(vec![item("a", 1)?, item("b", 1)?, item("c", 2)?])?;
    /// let random = pool.random_exact(3)?;
    /// assert_eq!(random.run_probabilities, [2.0 / 3.0; 3]);
    /// assert_eq!((random.value, random.spent), (2.0, 8.0 / 3.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_exact(&self, budget: u64) -> Result<ExactRandom, Error> {
        let tasks = Task::all(self);
        let run_probabilities = run_probabilities(&tasks, self.total_cost(), budget)?;
        let weighted = || tasks.iter().zip(&run_probabilities);
        Ok(ExactRandom {
            value: sum(weighted().map(|(task, probability)| task.earned * probability)),
            spent: sum(weighted().map(|(task, probability)| task.cost as f64 * probability)),
            run_probabilities,
        })
    }
}

fn run_probabilities(tasks: &[Task], total_cost: u64, budget: u64) -> Result<Vec<f64>, Error> {
    let n = tasks.len();
    if total_cost <= budget {
        return Ok(vec![1.0; n]);
    }
    // An item that does not fit alone never runs, but ends the orders in which its turn comes.
    let fits = |&item: &usize| tasks[item].cost <= budget;
    let fitting: Vec<usize> = (0..n).filter(fits).collect();
    let mut run_probabilities = vec![0.0; n];
    if fitting.is_empty() {
        return Ok(run_probabilities);
    }
    let costs: Vec<u64> = fitting.iter().map(|&item| tasks[item].cost).collect();
    let halves = Halves::new(&costs, budget, n);
    let sums = LeaveOneOut::new(&costs, budget, n);
    let probabilities = match (halves, sums) {
        (Some(halves), Some(sums)) if sums.work() < halves.work() => sums.run_probabilities(),
        (Some(halves), _) => halves.run_probabilities(),
        (None, Some(sums)) => sums.run_probabilities(),
        (None, None) => {
            return Err(Error::TooLarge {
                what: "random reference",
                items: n,
                reason: "more than 46 of them fit the budget alone, and a table of their sums \
                         would need more than 512 MiB or 2^35 additions; take coarser costs or \
                         the sampled reference",
            });
        }
    };
    fitting.iter().zip(probabilities).for_each(|(&item, chance)| run_probabilities[item] = chance);
    Ok(run_probabilities)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small numbers that are hard to guess.
    fn numbers(seed: u64, count: usize, most: u64) -> Vec<u64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) % most + 1
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn both_ways_of_counting_give_the_same_probabilities_with_and_without_items_that_never_fit() {
        for (seed, items, others) in [(1, 1, 0), (2, 2, 1), (3, 9, 0), (4, 16, 3), (5, 17, 40)] {
            let costs = numbers(seed, items, 40);
            let total: u64 = costs.iter().sum();
            for budget in [40, 40.max(total / 2), total - 1] {
                let fitting: Vec<u64> =
                    costs.iter().copied().filter(|&cost| cost <= budget).collect();
                let n = items + others;
                let halves = Halves::new(&fitting, budget, n).unwrap().run_probabilities();
                let sums = LeaveOneOut::new(&fitting, budget, n).unwrap().run_probabilities();
                assert_eq!(halves.len(), sums.len());
                for (a, b) in halves.iter().zip(&sums) {
                    assert!((a - b).abs() <= 1e-13 * b, "{halves:?} {sums:?}");
                }
            }
        }
    }

    #[test]
    fn a_common_unit_of_all_costs_does_not_matter() {
        let costs = numbers(6, 12, 30);
        let large: Vec<u64> = costs.iter().map(|cost| cost * 1_000_003).collect();
        let small = LeaveOneOut::new(&costs, 100, 12).unwrap();
        // What is left over of the budget below one unit buys nothing.
        let large = LeaveOneOut::new(&large, 100 * 1_000_003 + 999, 12).unwrap();
        assert_eq!(small.run_probabilities(), large.run_probabilities());
    }
}
