//! Stop reasons and their classes.

pub(crate) mod exclusion;
mod from_word;
pub(crate) mod stop_class;
pub(crate) mod stop_reason;
