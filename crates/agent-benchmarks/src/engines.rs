//! The drivers of conversations, and the common base of all conversations.

pub(crate) mod anthropic;
pub(crate) mod api;
pub(crate) mod continuation;
pub(crate) mod conversation;
pub(crate) mod dialogue;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
