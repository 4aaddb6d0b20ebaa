//! The inputs and outputs of a conversation.

pub(crate) mod checker;
pub(crate) mod macros;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod request;
pub(crate) mod template;
pub(crate) mod tool_definition;
