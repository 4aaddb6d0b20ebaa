//! What the example programs share: readers that say where a file is wrong, the evaluation of
//! traces, of tool calls, of plans and of budget estimates, and tables for people.

pub mod bagen_report;
mod bare_numbers;
pub mod budget_plot;
mod budget_references;
pub mod budget_report;
pub mod budget_runs;
pub mod budget_spread;
pub mod capped_file;
pub mod comparison;
pub mod costbench_report;
pub mod costbench_sweep;
pub mod cut_off;
pub mod cut_off_plot;
pub mod cut_off_report;
mod cut_off_sample;
pub mod demo_problems;
pub mod demo_rollouts;
pub mod estimate_file;
pub mod evaluation;
pub mod file_reports;
pub mod json_lines;
pub mod knapsack_file;
mod line_parts;
pub mod log_file;
pub mod log_report;
pub mod path_file;
pub mod path_report;
pub mod plan_file;
pub mod pool_file;
pub mod program;
pub mod query_file;
pub mod re_solved_file;
pub mod rollout_file;
mod sample;
pub mod stream_report;
pub mod table;
pub mod trace_file;
mod trace_line;
pub mod trace_tally;
pub mod triage;
pub mod triage_json;
pub mod triage_plot;
mod triage_words;
pub mod variant_file;

/// The README's code, tested with the rest.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// The same of the page to start from.
#[cfg(doctest)]
#[doc = include_str!("../../docs/start.md")]
pub struct Start;
