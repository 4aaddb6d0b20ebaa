//! The algorithms behind the public functions.

pub(crate) mod cheapest;
pub(crate) mod checked_sum;
pub(crate) mod choice;
pub(crate) mod compensated_sum;
pub(crate) mod gcd;
pub(crate) mod one_resource;
pub(crate) mod plan_text;
pub(crate) mod random_order;
pub(crate) mod several_resources;
