//! What is compared: argument values, calls, and numbers that stand for calls.

pub(crate) mod finite_values;
pub(crate) mod interner;
pub(crate) mod tool_call;
#[cfg(feature = "serde")]
mod tool_call_serde;
pub(crate) mod value;
mod value_order;
#[cfg(feature = "serde")]
mod value_serde;
