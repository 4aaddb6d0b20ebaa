use crate::{
    error::Error,
    plans::plan::{Plan, Step},
};

/// Computes the share of unsolvable items that a plan leaves out: `|U \ S| / |U|`, where S is the
/// set of items with an allocation above 0. From 0 to 1; higher is better.
///
/// `unsolvable` marks the items of the plan's pool, in the order of the pool.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, detection_rate};
///
/// let item = |id, solved| Item::new(id, 1.0, 100, solved);
/// let pool = Pool::new(vec![item("a", true)?, item("b", false)?, item("c", false)?])?;
/// let plan = Plan::new(&[("a", 150), ("b", 50)], &pool, 300)?;
/// assert_eq!(detection_rate(&plan, &[false, true, true])?, 0.5);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), section 4, arXiv:2605.13414.
///
/// # Errors
///
/// Returns [`Error::Undefined`] without an unsolvable item, and [`Error::OtherPool`] if the plan
/// has a position beyond the marks.
pub fn detection_rate(plan: &Plan, unsolvable: &[bool]) -> Result<f64, Error> {
    let (planned, _) = planned_unsolvable(plan, unsolvable)?;
    let all = unsolvable.iter().filter(|&&mark| mark).count();
    if all == 0 {
        return Err(Error::Undefined {
            name: "detection rate",
            reason: "no item is marked as unsolvable",
        });
    }
    Ok((all - planned) as f64 / all as f64)
}

/// Computes the share of all allocations that goes to unsolvable items:
/// `sum over S and U of a / sum over S of a`. From 0 to 1; lower is better.
///
/// ```
/// use knapsack_oracle::{Error, Item, Plan, Pool, waste_rate};
///
/// let item = |id, solved| Item::new(id, 1.0, 100, solved);
/// let pool = Pool::new(vec![item("a", true)?, item("b", false)?])?;
/// let plan = Plan::new(&[("a", 150), ("b", 50)], &pool, 200)?;
/// assert_eq!(waste_rate(&plan, &[false, true])?, 0.25);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), section 4, arXiv:2605.13414.
///
/// # Errors
///
/// Returns [`Error::Undefined`] for a plan that allocates nothing, and [`Error::OtherPool`] like
/// [`detection_rate`].
pub fn waste_rate(plan: &Plan, unsolvable: &[bool]) -> Result<f64, Error> {
    let (_, wasted) = planned_unsolvable(plan, unsolvable)?;
    let all = plan.allocated();
    if all == 0 {
        return Err(Error::Undefined { name: "waste rate", reason: "the plan allocates nothing" });
    }
    Ok(wasted as f64 / all as f64)
}

/// Returns the number of unsolvable items with an allocation above 0, and the sum of these
/// allocations.
fn planned_unsolvable(plan: &Plan, unsolvable: &[bool]) -> Result<(usize, u128), Error> {
    let (mut planned, mut wasted) = (0, 0);
    for (step, &Step { position, allocation }) in plan.steps().iter().enumerate() {
        let items = unsolvable.len();
        let mark =
            unsolvable.get(position).ok_or(Error::OtherPool { index: step, position, items })?;
        if *mark && allocation > 0 {
            planned += 1;
            wasted += u128::from(allocation);
        }
    }
    Ok((planned, wasted))
}
