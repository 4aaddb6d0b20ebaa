//! The inputs and outputs of a conversation.

pub(crate) mod answer;
pub(crate) mod checker;
pub(crate) mod figures;
pub(crate) mod names;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod reply_event;
pub(crate) mod request;
pub(crate) mod setters;
pub(crate) mod template;
pub(crate) mod tool_definition;
