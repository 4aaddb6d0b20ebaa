//! The greedy policy of CostBench over task lengths, noise, kinds and numbers of events, and seeds, with 95 % intervals
//! over queries (figures 2, 3, 5, 6 and 9 and tables 7 to 9 of the paper):
//! `cargo run -p examples --example costbench_sweep`.

#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use agent_scorecard::costbench::{Query, SweepOptions, sweep};
use agent_scorecard::tool_graph::costbench::Task;

fn main() -> Result<(), Box<dyn Error>> {
    let query = |at: usize| Query { query_id: format!("q{at}"), task: Task::ALL[at % 6] };
    let queries: Vec<Query> = (0..60).map(query).collect();
    let found = sweep(&queries, &SweepOptions::default())?;
    println!("{}", serde_json::to_string_pretty(&found)?);
    Ok(())
}
