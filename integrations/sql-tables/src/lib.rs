//! Opens files and folders as tables, and runs queries that only read them.
//!
//! A table is one file, or all files of a folder and of the folders in it; see [`Query::plan`]. No row and no file
//! is left out without an error, and nothing is written except the one new file that a caller names.

mod arguments;
mod casts;
mod csv;
mod error;
mod files;
mod json_lines;
mod output;
mod query;
mod table;

pub use arguments::{Arguments, Memory, block_on, parse};
pub use error::Error;
pub use query::Query;
