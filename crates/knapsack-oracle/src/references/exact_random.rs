use crate::{
    engines::{
        compensated_sum::sum,
        random_order::{halves::Halves, leave_one_out::LeaveOneOut},
    },
    error::Error,
    pools::pool::Pool,
    references::sampled_random::ItemOutcome,
};

/// The exact expectations for a planner that attempts items in random order. Returned by [`Pool::random_exact`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExactRandom {
    /// The expected value that the planner earns.
    pub value: f64,
    /// The expected cost, at most the budget.
    pub spent: f64,
    /// The probability that each item is attempted, in the order of the items.
    pub run_probabilities: Vec<f64>,
}

impl Pool {
    /// Computes the expected value of a planner without any self-knowledge, which attempts items in random order.
    ///
    /// Items run in a uniformly random order, up to the first item that does not fit the rest of the budget.
    /// A run of an item spends its whole cost, solved or not.
    ///
    /// The result is the expectation over all n! orders. An item runs if and only if it fits together with
    /// all earlier items. The items up to and including this item are equally likely to be any set T of k
    /// items with this item last, so
    ///
    /// ```text
    /// P(i runs) = sum over k and over T of k items, i in T, cost(T) <= budget, of 1 / (k C(n, k))
    /// ```
    ///
    /// and only the number of such sets matters. The cheaper of two algorithms counts them:
    ///
    /// - Meeting in the middle takes O(m 2^(m/2)) time and memory, where m is the number of items that
    ///   individually fit the budget, at most 46. For up to n = 46 items in total, probabilities are sums of
    ///   whole numbers over lcm(1, ..., n), rounded once.
    /// - Counting sums divides costs and budget by the greatest common divisor of the costs. With the
    ///   resulting budget b and at most s items that fit together, it takes O(m s b log m) time and O(s b log
    ///   m) memory. It is used up to 512 MiB, 2^35 additions and n = 1000. The relative error is below 1e-10.
    ///
    /// If all items fit together, all of them run.
    ///
    /// Reference: TRIAGE (2026), sections 3.2 and 4, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// Returns [`Error::TooLarge`] if the pool exceeds the limits of both algorithms;
    /// [`Pool::random_sampled`] estimates the expectation for such pools.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Pool};
    ///
    /// // The budget is enough for any two items, but not for all three. Each item runs if it is
    /// // not the last of the order.
    /// let item = |id, cost| Item::new(id, 1.0, cost, true);
    /// let pool = Pool::new(vec![item("a", 1)?, item("b", 1)?, item("c", 2)?])?;
    /// let random = pool.random_exact(3)?;
    /// assert_eq!(random.run_probabilities, [2.0 / 3.0; 3]);
    /// assert_eq!((random.value, random.spent), (2.0, 8.0 / 3.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn random_exact(&self, budget: u64) -> Result<ExactRandom, Error> {
        let outcomes = ItemOutcome::all(self);
        let run_probabilities = run_probabilities(&outcomes, self.total_cost(), budget)?;
        let weighted = || outcomes.iter().zip(&run_probabilities);
        Ok(ExactRandom {
            value: sum(weighted().map(|(outcome, probability)| outcome.earned * probability)),
            spent: sum(weighted().map(|(outcome, probability)| outcome.cost as f64 * probability)),
            run_probabilities,
        })
    }
}

fn run_probabilities(
    outcomes: &[ItemOutcome],
    total_cost: u64,
    budget: u64,
) -> Result<Vec<f64>, Error> {
    let n = outcomes.len();
    if total_cost <= budget {
        return Ok(vec![1.0; n]);
    }
    // An item above the budget never runs, but it ends every order that reaches it.
    let fits = |&item: &usize| outcomes[item].cost <= budget;
    let fitting: Vec<usize> = (0..n).filter(fits).collect();
    let mut run_probabilities = vec![0.0; n];
    if fitting.is_empty() {
        return Ok(run_probabilities);
    }
    let costs: Vec<u64> = fitting.iter().map(|&item| outcomes[item].cost).collect();
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
                reason: "more than 46 items each fit the budget, and a table of their sums would \
                         need more than 512 MiB or 2^35 additions; use coarser costs or \
                         Pool::random_sampled",
            });
        }
    };
    fitting.iter().zip(probabilities).for_each(|(&item, chance)| run_probabilities[item] = chance);
    Ok(run_probabilities)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers from 1 to `most`.
    fn numbers(seed: u64, count: usize, most: u64) -> Vec<u64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) % most + 1
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn both_algorithms_give_the_same_probabilities_with_and_without_items_that_never_fit() {
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
        // A remainder of the budget below one unit has no effect.
        let large = LeaveOneOut::new(&large, 100 * 1_000_003 + 999, 12).unwrap();
        assert_eq!(small.run_probabilities(), large.run_probabilities());
    }
}
