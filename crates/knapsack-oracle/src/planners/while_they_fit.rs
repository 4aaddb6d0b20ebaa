use crate::plans::plan::Step;

/// Plans the first items of an order that fit the budget together, each with its cost.
pub(super) fn while_they_fit(
    order: &[usize],
    budget: u64,
    cost: impl Fn(usize) -> u64,
) -> Vec<Step> {
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
