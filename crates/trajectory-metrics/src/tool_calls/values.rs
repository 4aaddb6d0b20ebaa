//! The compared values: arguments, calls, and numbers that represent calls.

pub(crate) mod interner;
pub(crate) mod tool_call;
#[cfg(feature = "json")]
mod tool_call_serde;
pub(crate) mod value;
mod value_comparison;
#[cfg(feature = "serde")]
mod value_serde;
