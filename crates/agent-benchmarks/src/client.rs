//! A driver of conversations. A client connects to servers with one of the formats of [`Api`](crate::Api). A runner
//! drives many conversations at once, keeps every answer in a file, and continues after a kill.
//!
//! The client sleeps between attempts. It reads no environment variable: the key is an argument.

mod api_key;
mod expected_requests;
mod http;
mod journal;
mod runner;

pub use api_key::ApiKey;
pub use expected_requests::ExpectedRequests;
pub use http::{Client, ClientSettings};
pub use journal::{Journal, Spent};
pub use runner::{AskError, run_all};
