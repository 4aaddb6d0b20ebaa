//! The measures of the crate against other programs, published figures and laws.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod auroc_difference;
mod calibration_maps;
mod calibration_test;
mod calibrators;
mod call_matching;
mod call_spellings;
mod calls;
mod changed_rates;
mod common;
mod curves;
mod differences;
mod distinct_keys;
mod evaluation;
mod figures;
mod golden;
mod laws;
mod positive_class;
mod propriety;
mod published;
mod random;
mod recorded_matches;
mod resampling;
mod send_sync;
mod stored;
mod streams;
mod tool_call_laws;
mod tool_calls;
mod weighted_records;
