#![doc = include_str!("../README.md")]

#[cfg(feature = "costbench")]
pub mod costbench;
mod error;
mod tool;

pub use error::Error;
pub use tool::Tool;
