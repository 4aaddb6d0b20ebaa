//! Plain values that the engines and the measures share.

pub(crate) mod knapsack_item;
pub(crate) mod proof;
pub(crate) mod unreadable_reason;
