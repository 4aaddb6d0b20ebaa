use crate::{amount::Amount, plans::plan::Step};

/// Plans the first items of an order that fit the budget together, each with its cost.
pub(super) fn while_they_fit<A: Amount>(
    order: &[usize],
    budget: A,
    cost: impl Fn(usize) -> A,
) -> Vec<Step<A>> {
    let mut left = budget;
    order
        .iter()
        .map_while(|&position| {
            let allocation = cost(position);
            left = left.checked_sub(allocation)?;
            Some(Step { position, allocation })
        })
        .collect()
}
