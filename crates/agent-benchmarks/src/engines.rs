//! What drives a conversation, and what every conversation is built on.

pub(crate) mod anthropic;
pub(crate) mod api;
pub(crate) mod calls;
pub(crate) mod continuation;
pub(crate) mod conversation;
pub(crate) mod dialogue;
pub(crate) mod model;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
