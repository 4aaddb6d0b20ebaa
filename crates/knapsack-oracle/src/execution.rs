#[cfg(feature = "serde")]
use crate::stored::{is_amount, must};
use crate::{Error, Plan, Pool, stored::checked_when_read};

/// Whether the allocations of a plan bind.
///
/// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Regime {
    /// Regime U: an attempt runs to its end and takes its true cost; only the budget binds.
    /// Execution stops at the first item that costs more than what is left.
    Advisory,
    /// Regime E: an attempt is cut off at its allocation, and the whole allocation is taken
    /// whatever comes of it. Execution stops at the first allocation above what is left.
    Enforced,
}

/// One item that was attempted: an entry of [`Execution::attempts`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Attempt {
    /// Position of the item in its pool, from 0.
    pub position: usize,
    /// What the attempt took from the budget.
    pub spent: u64,
    /// What it earned: the item's value, or 0.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::amount"))]
    pub earned: f64,
}

/// What came of a plan. From [`execute`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Execution {
    /// How it was executed.
    pub regime: Regime,
    /// What was attempted, in order: the first steps of the plan.
    pub attempts: Vec<Attempt>,
    /// The item that was too dear for what was left, at which execution stopped; none where the
    /// plan was carried out to its end.
    pub stopped_by: Option<usize>,
    /// What all attempts earned together.
    pub earned: f64,
    /// What all attempts took from the budget.
    pub spent: u64,
    /// Whether the planner saw costs or outcomes.
    pub informed: bool,
}

checked_when_read!(
    Execution {
        regime: Regime,
        attempts: Vec<Attempt>,
        stopped_by: Option<usize>,
        earned: f64,
        spent: u64,
        informed: bool,
    },
    |read| {
        let spent: u128 = read.attempts.iter().map(|attempt| u128::from(attempt.spent)).sum();
        must(spent == u128::from(read.spent), "`spent` is not the sum over the attempts")?;
        must(is_amount(read.earned), "`earned` is not a finite number of at least 0")?;
        let earned: f64 = read.attempts.iter().map(|attempt| attempt.earned).sum();
        let close = (earned - read.earned).abs() <= 1e-9 * read.earned;
        must(close, "`earned` is not the sum over the attempts")?;
        let attempted = read.attempts.iter().map(|attempt| attempt.position);
        let mut positions: Vec<usize> = attempted.chain(read.stopped_by).collect();
        positions.sort_unstable();
        let distinct = positions.windows(2).all(|pair| pair[0] < pair[1]);
        must(distinct, "an item was attempted or stopped the plan twice")
    }
);

/// Executes a plan in its order until it ends or the budget stops it.
///
/// Nothing after the item that stops it is attempted, even if it would fit.
///
/// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, Regime, execute};
///
/// let pool = Pool::new(vec![
///     Item::new("a", 1.0, 500, true)?,
///     Item::new("b", 1.0, 300, true)?,
///     Item::new("c", 1.0, 200, true)?,
/// ])?;
/// let plan = Plan::new(&[("b", 250), ("a", 300), ("c", 50)], &pool, 600)?;
///
/// // 300 are spent on b, and a does not fit into the other 300.
/// let advisory = execute(&plan, &pool, 600, Regime::Advisory)?;
/// assert_eq!((advisory.earned, advisory.spent, advisory.stopped_by), (1.0, 300, Some(0)));
/// let [attempt] = advisory.attempts[..] else { panic!("one was made") };
/// assert_eq!((attempt.position, attempt.spent, attempt.earned), (1, 300, 1.0));
/// assert!(advisory.regime == Regime::Advisory && !advisory.informed);
///
/// // No allocation is enough for its item.
/// let enforced = execute(&plan, &pool, 600, Regime::Enforced)?;
/// assert_eq!((enforced.earned, enforced.spent, enforced.stopped_by), (0.0, 600, None));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OtherPool`] where the plan has positions outside this pool.
pub fn execute(plan: &Plan, pool: &Pool, budget: u64, regime: Regime) -> Result<Execution, Error> {
    let items = pool.items();
    let (mut attempts, mut stopped_by) = (Vec::with_capacity(plan.steps().len()), None);
    let (mut left, mut points) = (budget, 0_u64);
    for (step, &crate::Step { position, allocation }) in plan.steps().iter().enumerate() {
        let Some(item) = items.get(position) else {
            return Err(Error::OtherPool { index: step, position, items: items.len() });
        };
        let (spent, finishes) = match regime {
            Regime::Advisory => (item.cost(), true),
            Regime::Enforced => (allocation, item.cost() <= allocation),
        };
        let Some(rest) = left.checked_sub(spent) else {
            stopped_by = Some(position);
            break;
        };
        left = rest;
        let solved = finishes && item.is_solved();
        if solved {
            // At most the sum over the pool, which was checked.
            points = points.saturating_add(pool.points().each[position]);
        }
        attempts.push(Attempt { position, spent, earned: if solved { item.value() } else { 0.0 } });
    }
    let earned = pool.points().value(points);
    let spent = budget - left;
    Ok(Execution { regime, attempts, stopped_by, earned, spent, informed: plan.is_informed() })
}

/// What came of an order of attempts under several budgets. From [`Pool::run_in_order`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct OrderedRun<const R: usize> {
    /// How many items of the order were attempted.
    pub attempted: usize,
    /// The item that was too dear for what was left, at which execution stopped.
    pub stopped_by: Option<usize>,
    /// What all attempts earned together.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::amount"))]
    pub earned: f64,
    /// What all attempts took of each resource.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::stored::as_list"))]
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored::from_list"))]
    pub spent: [u64; R],
}

impl<const R: usize> OrderedRun<R> {
    pub(crate) fn new(pool: &Pool<R>, order: &[usize], budgets: &[u64; R]) -> Result<Self, Error> {
        let items = pool.items();
        let mut seen = vec![None; items.len()];
        let mut run = Self { attempted: 0, stopped_by: None, earned: 0.0, spent: [0; R] };
        let mut points = 0_u64;
        for (step, &position) in order.iter().enumerate() {
            let (Some(item), Some(first)) = (items.get(position), seen.get_mut(position)) else {
                return Err(Error::OtherPool { index: step, position, items: items.len() });
            };
            if let Some(first) = first.replace(step) {
                let id = item.id().to_owned();
                return Err(Error::DuplicateId { id, first, second: step });
            }
            if run.stopped_by.is_some() {
                continue;
            }
            // No item comes twice, so sums are at most those over the pool, which were checked.
            let fits = |r: usize| run.spent[r].saturating_add(item.costs()[r]) <= budgets[r];
            if !(0..R).all(fits) {
                run.stopped_by = Some(position);
                continue;
            }
            run.spent.iter_mut().zip(item.costs()).for_each(|(spent, cost)| *spent += cost);
            run.attempted += 1;
            points += if item.is_solved() { pool.points().each[position] } else { 0 };
        }
        run.earned = pool.points().value(points);
        Ok(run)
    }
}
