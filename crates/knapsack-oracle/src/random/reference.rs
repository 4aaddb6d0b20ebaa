use crate::Error;

/// The random reference: what a plan without any self-knowledge earns, the items being run in a
/// uniformly random order against the budget.
///
/// An item that runs costs its whole cost, solved or not, and earns its value where it is solved. Value
/// is in the unit of the items' values, cost in that of the budget.
///
/// [`exact`](Self::exact) gives the expectation itself for the default rule, by which execution stops
/// at the first item that does not fit; [`sampled`](Self::sampled) estimates it for either rule.
///
/// Reference: TRIAGE (2026), sections 3.2 and 4, arXiv:2605.13414.
///
/// ```
/// use knapsack_oracle::{Error, FitRule, RandomReference};
///
/// // Each item runs if it comes first, and nothing fits after it: one solved of three.
/// let reference = RandomReference::new(&[6, 6, 6], &[1.0; 3], &[true, false, false])?;
/// let exact = reference.exact(10)?;
/// assert_eq!((exact.value, exact.spent), (1.0 / 3.0, 6.0));
/// let sampled = reference.sampled(10, FitRule::StopAtFirst, 1_000, 7)?;
/// assert!((sampled.value - exact.value).abs() < 4.0 * sampled.standard_error);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomReference {
    tasks: Vec<Task>,
    total_cost: u64,
}

/// What an item costs and earns when it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) cost: u64,
    pub(crate) earned: f64,
}

impl RandomReference {
    /// The reference for a pool: the cost of each item, its value, and whether it is solved when it
    /// runs.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without an item; [`Error::Lengths`] where the lists differ in length;
    /// [`Error::ValueAt`] for a value that is not from 0 to 1e100; [`Error::Sum`] where the costs sum
    /// to 2^64 or more.
    pub fn new(costs: &[u64], values: &[f64], solved: &[bool]) -> Result<Self, Error> {
        for right in [values.len(), solved.len()] {
            if costs.len() != right {
                return Err(Error::Lengths { left: costs.len(), right });
            }
        }
        if costs.is_empty() {
            return Err(Error::Empty);
        }
        let mut total_cost = 0_u64;
        let mut tasks = Vec::with_capacity(costs.len());
        for (item, ((&cost, &value), &solved)) in costs.iter().zip(values).zip(solved).enumerate() {
            if !(0.0..=1e100).contains(&value) {
                return Err(Error::ValueAt { item, value });
            }
            total_cost = total_cost.checked_add(cost).ok_or(Error::Sum {
                what: "costs",
                item,
                limit: u64::MAX,
            })?;
            tasks.push(Task { cost, earned: if solved { value } else { 0.0 } });
        }
        Ok(Self { tasks, total_cost })
    }

    /// What all items cost together.
    #[must_use]
    pub const fn total_cost(&self) -> u64 {
        self.total_cost
    }

    pub(crate) fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// What all items earn together.
    pub(crate) fn total_earned(&self) -> f64 {
        sum(self.tasks.iter().map(|task| task.earned))
    }
}

/// A compensated sum.
///
/// Reference: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen,
/// doi:10.1002/zamm.19740540106.
pub(crate) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}
