//! The benchmarks of `run`.

use std::error::Error;

use crate::{
    games::{Market, Rooms},
    output::program::Written,
    run::{budget, command, confidence, costbench, play, triage},
};

/// Runs a benchmark with a model behind an OpenAI-compatible server
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/run.txt"))]
pub(crate) struct Options {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, clap::Subcommand)]
enum Benchmark {
    Costbench(costbench::Options),
    Triage(triage::Options),
    Budget(budget::Options),
    Confidence(confidence::Options),
    /// The model plays Sokoban as in the BAGEN paper: one room for each seed, and up to three actions in each of ten
    /// turns
    #[command(
        mut_arg("max_output_tokens", |it| it.default_value("800")),
        mut_arg("turn_tokens", |it| it.default_value("2500"))
    )]
    Sokoban(play::Options<Rooms>),
    /// The model runs the warehouse of the BAGEN paper: orders in 11 steps, and one series of demand for each seed
    Warehouse(play::Options<Market>),
}

impl Options {
    pub(crate) fn output(&self) -> Result<Written, Box<dyn Error>> {
        match &self.benchmark {
            Benchmark::Costbench(options) => command::output(options),
            Benchmark::Triage(options) => command::output(options),
            Benchmark::Budget(options) => command::output(options),
            Benchmark::Confidence(options) => command::output(options),
            Benchmark::Sokoban(options) => command::output(options),
            Benchmark::Warehouse(options) => command::output(options),
        }
    }
}
