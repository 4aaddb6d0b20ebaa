//! The types that every reader fills.

pub(crate) mod run;
pub(crate) mod tokens;

pub use run::{
    Arguments, Caller, ExpectedCall, Message, RecordedCall, Reply, Role, Run, RunLimit, Score,
    Turn, Usage,
};
pub use tokens::{Token, Tokens};
