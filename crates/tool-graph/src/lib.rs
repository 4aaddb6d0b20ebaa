#![doc = include_str!("../README.md")]

mod error;
mod tool;

pub use error::Error;
pub use tool::Tool;
