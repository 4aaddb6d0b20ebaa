//! All tests of the crate, in one program.
#![allow(clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

mod agents;
mod archives;
mod chat_formats;
mod common;
mod exchanges;
mod facts;
mod folders;
mod harbor;
mod hostile;
mod inspect;
mod json_lines;
mod json_values;
mod lines;
mod models;
mod otlp;
mod rollout_files;
mod sessions;
mod streams;
mod tables;
mod tau2;
mod truncation;
mod usage;
