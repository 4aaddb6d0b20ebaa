use scoring_rules::Seed;

use crate::{
    engines::random_order::permutations::Permutations,
    error::Error,
    plans::plan::{Plan, Step},
    pools::pool::Pool,
};

/// The facts about an item that a planner sees before the first attempt. They exclude the cost and the outcome.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, ProspectiveItem, ProspectivePlanner, Step};
///
/// struct MostValuableFirst;
///
/// impl ProspectivePlanner for MostValuableFirst {
///     fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
///         let mut items = items.to_vec();
///         items.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.id.cmp(b.id)));
///         let allocation = budget / items.len() as u64;
///         items.iter().map(|item| Step { position: item.position, allocation }).collect()
///     }
/// }
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 50, true)?, Item::new("b", 2.0, 70, true)?])?;
/// let plan = Plan::prospective(&MostValuableFirst, &pool, 100)?;
/// assert_eq!(plan.steps()[0], Step { position: 1, allocation: 50 });
/// # Ok::<(), Error>(())
/// ```
///
/// A planner that looks at costs does not compile:
///
/// ```compile_fail,E0599
/// use knapsack_oracle::{ProspectiveItem, Step};
///
/// fn cheapest_first(items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
///     let mut items = items.to_vec();
///     items.sort_by_key(|item| item.cost());
///     let allocation = budget / items.len() as u64;
///     items.iter().map(|item| Step { position: item.position, allocation }).collect()
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProspectiveItem<'a> {
    /// The id of the item, with which a planner may look up its text.
    pub id: &'a str,
    /// The value of solving the item.
    pub value: f64,
    /// The position of the item in the pool, from 0.
    pub position: usize,
}

/// A planner that sees only ids, values and the budget. [`Plan::prospective`] runs it.
///
/// The types cannot hide data that a planner already has: a closure may hold the pool. Such a planner should
/// be an [`InformedPlanner`](crate::InformedPlanner).
///
/// ```
/// use knapsack_oracle::{
///     EqualShares, Error, Item, Plan, Pool, ProspectivePlanner, Seed, Step,
/// };
///
/// let item = |id| Item::new(id, 1.0, 100, true);
/// let pool = Pool::new(vec![item("a")?, item("b")?, item("c")?])?;
/// let plan = Plan::prospective(&EqualShares::InOrder, &pool, 200)?;
/// assert_eq!(plan.steps()[0], Step { position: 0, allocation: 66 });
///
/// let planners: Vec<Box<dyn ProspectivePlanner>> =
///     vec![Box::new(EqualShares::InOrder), Box::new(EqualShares::Random { seed: Seed(7), stream: 0 })];
/// for planner in planners {
///     assert_eq!(Plan::prospective(&*planner, &pool, 200)?.steps().len(), 3);
/// }
/// # Ok::<(), Error>(())
/// ```
pub trait ProspectivePlanner {
    /// Returns the steps in order. Their allocations must sum to at most the budget.
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step>;
}

impl Plan {
    /// Makes a plan with a planner that sees neither costs nor outcomes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Step`] for a position outside the pool, [`Error::DuplicateId`] for a
    /// position that occurs twice, and [`Error::OverBudget`] if the allocations sum to more than
    /// the budget.
    pub fn prospective(
        planner: &(impl ProspectivePlanner + ?Sized),
        pool: &Pool,
        budget: u64,
    ) -> Result<Self, Error> {
        let items = pool.items().iter().enumerate();
        let shown: Vec<ProspectiveItem<'_>> = items
            .map(|(position, item)| ProspectiveItem {
                id: item.id(),
                value: item.value(),
                position,
            })
            .collect();
        Self::from_steps(planner.plan(&shown, budget), pool, budget, false)
    }
}

/// A planner that takes all items and gives each an equal share of the budget.
///
/// ```
/// use knapsack_oracle::{EqualShares, Error, Item, Plan, Pool, Seed};
///
/// let item = |i: u64| Item::new(format!("{i}"), 1.0, 100, true);
/// let pool = Pool::new((0..9).map(item).collect::<Result<_, _>>()?)?;
/// let random = |stream| EqualShares::Random { seed: Seed(7), stream };
/// let plan = |stream| Plan::prospective(&random(stream), &pool, 900);
/// assert_eq!(plan(0)?, plan(0)?);
/// assert_ne!(plan(0)?, plan(1)?);
/// assert_eq!(Plan::prospective(&EqualShares::InOrder, &pool, 900)?.steps()[0].position, 0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum EqualShares {
    /// In the order of the pool.
    InOrder,
    /// In a uniformly random order, which is a pure function of the seed, the stream and the number of items.
    Random {
        /// The seed of all orders.
        seed: Seed,
        /// The number of the order. Orders of different streams are independent.
        stream: u64,
    },
}

impl ProspectivePlanner for EqualShares {
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
        let mut steps = equal_shares(items, budget);
        if let Self::Random { seed, stream } = *self {
            Permutations::<1>::new(steps.len(), seed.0, stream).shuffle(&mut steps);
        }
        steps
    }
}

fn equal_shares(items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
    let allocation = budget.checked_div(items.len() as u64).unwrap_or(0);
    items.iter().map(|item| Step { position: item.position, allocation }).collect()
}
