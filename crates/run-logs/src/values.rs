//! The types that every reader fills.

pub(crate) mod account;
pub(crate) mod confidence_scale;
pub(crate) mod evaluation;
pub(crate) mod run;
pub(crate) mod tokens;

pub use account::{Account, AccountedEvaluation};
pub use confidence_scale::ConfidenceScale;
pub use evaluation::Evaluation;
pub use run::{
    Arguments, Caller, ExpectedCall, Message, RecordedCall, Reply, Role, Run, RunLimit, Score,
    Turn, Usage, UsageRemark,
};
pub use tokens::{Token, Tokens};
