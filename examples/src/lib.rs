//! What the example programs share: readers that say where a file is wrong, the evaluation of
//! traces and of tool calls, and tables for people.

pub mod comparison;
pub mod costbench_report;
pub mod cut_off;
pub mod cut_off_plot;
mod cut_off_sample;
pub mod evaluation;
pub mod json_lines;
pub mod path_file;
pub mod path_report;
pub mod program;
pub mod query_file;
mod sample;
pub mod table;
pub mod trace_file;

/// The README's code, tested with the rest.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
