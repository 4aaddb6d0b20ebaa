use crate::{Item, Step, random::Permutations};

/// What a planner is shown of an item before anything is attempted: neither its cost nor whether it
/// will be solved.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, ProspectiveItem, Step};
///
/// fn most_valuable_first(items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
///     let mut items = items.to_vec();
///     items.sort_by(|a, b| b.value().total_cmp(&a.value()).then(a.id().cmp(b.id())));
///     let allocation = budget / items.len() as u64;
///     items.iter().map(|item| Step { position: item.position(), allocation }).collect()
/// }
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 50, true)?, Item::new("b", 2.0, 70, true)?])?;
/// let plan = Plan::prospective(&most_valuable_first, &pool, 100)?;
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
///     items.iter().map(|item| Step { position: item.position(), allocation }).collect()
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProspectiveItem<'a> {
    id: &'a str,
    value: f64,
    position: usize,
}

impl<'a> ProspectiveItem<'a> {
    pub(crate) fn of((position, item): (usize, &'a Item)) -> Self {
        Self { id: item.id(), value: item.value(), position }
    }

    /// The name of the item, by which a planner may look up its text.
    #[must_use]
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// What solving it is worth.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Its position in the pool, from 0.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }
}

/// A planner that commits itself knowing ids, values and the budget only. A function of these is
/// one.
///
/// It is shown no more. What it brings along itself, as a closure that holds the pool, no type can
/// keep from it; such a planner belongs to [`InformedPlanner`](crate::InformedPlanner).
///
/// ```
/// use knapsack_oracle::{Error, InOrder, Item, Plan, Pool, ProspectiveItem, RandomOrder, Step};
///
/// let item = |id| Item::new(id, 1.0, 100, true);
/// let pool = Pool::new(vec![item("a")?, item("b")?, item("c")?])?;
/// let plan = Plan::prospective(&InOrder, &pool, 200)?;
/// assert_eq!(plan.steps()[0], Step { position: 0, allocation: 66 });
/// let of_seed = |stream| Plan::prospective(&RandomOrder::new(7, stream), &pool, 200);
/// assert_eq!(of_seed(0)?, of_seed(0)?);
///
/// let last_only = |items: &[ProspectiveItem<'_>], budget| {
///     let last = items.last().map(ProspectiveItem::position);
///     last.map(|position| Step { position, allocation: budget }).into_iter().collect()
/// };
/// let plan = Plan::prospective(&last_only, &pool, 200)?;
/// assert_eq!((plan.steps()[0].position, plan.is_informed()), (2, false));
/// # Ok::<(), Error>(())
/// ```
pub trait ProspectivePlanner {
    /// The steps in order, with allocations that sum to at most the budget.
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step>;
}

impl<F: Fn(&[ProspectiveItem<'_>], u64) -> Vec<Step>> ProspectivePlanner for F {
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
        self(items, budget)
    }
}

/// All items in the order of the pool, with an equal share of the budget each. An example is at
/// [`ProspectivePlanner`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InOrder;

impl ProspectivePlanner for InOrder {
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
        equal_shares(items, budget)
    }
}

/// All items in an order drawn at random, all orders equally likely, with an equal share of the
/// budget each. A pure function of seed, stream and number of items. An example is at
/// [`ProspectivePlanner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomOrder {
    seed: u64,
    stream: u64,
}

impl RandomOrder {
    /// The order of this seed and stream. Orders of different streams are independent.
    #[must_use]
    pub const fn new(seed: u64, stream: u64) -> Self {
        Self { seed, stream }
    }
}

impl ProspectivePlanner for RandomOrder {
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
        let mut steps = equal_shares(items, budget);
        Permutations::<1>::new(steps.len(), self.seed, self.stream).shuffle(&mut steps);
        steps
    }
}

fn equal_shares(items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
    let allocation = budget.checked_div(items.len() as u64).unwrap_or(0);
    items.iter().map(|item| Step { position: item.position(), allocation }).collect()
}
