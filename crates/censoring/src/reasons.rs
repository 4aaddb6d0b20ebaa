//! Stop reasons and their classes.

pub(crate) mod exclusion;
pub(crate) mod stop_class;
pub(crate) mod stop_reason;
mod word_lookup;
