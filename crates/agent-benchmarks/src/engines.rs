//! What drives a conversation, and what every conversation is built on.

pub(crate) mod conversation;
#[cfg(any(feature = "budget", feature = "confidence", feature = "costbench", feature = "triage"))]
pub(crate) mod dialogue;
pub(crate) mod model;
pub(crate) mod openai_chat;
