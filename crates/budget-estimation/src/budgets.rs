//! Budgets that agents share while they spend.

mod account;
pub(crate) mod budget;
pub(crate) mod call_costs;
mod node;
pub(crate) mod reservation;
#[cfg(feature = "serde")]
mod stored;
