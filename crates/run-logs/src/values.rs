//! The types that every reader fills.

pub(crate) mod caller;
pub(crate) mod expected_call;
pub(crate) mod message;
pub(crate) mod read_limits;
pub(crate) mod recorded_call;
pub(crate) mod run;
pub(crate) mod tokens;
pub(crate) mod usage;

pub use caller::Caller;
pub use expected_call::ExpectedCall;
pub use message::{Message, Reply, Role};
pub use read_limits::ReadLimits;
pub use recorded_call::{Arguments, RecordedCall};
pub use run::{Run, RunLimit, Score, Turn};
pub use tokens::{Token, Tokens};
pub use usage::Usage;
