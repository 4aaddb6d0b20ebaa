//! What drives a conversation, and what every conversation is built on.

pub(crate) mod conversation;
#[allow(dead_code)] // Used by the protocols, which follow.
pub(crate) mod dialogue;
pub(crate) mod model;
