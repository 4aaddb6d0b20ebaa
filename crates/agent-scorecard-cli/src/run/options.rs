//! The benchmarks of `run`.

use std::error::Error;

use crate::{
    games::{Market, Rooms},
    output::program::Written,
    run::{budget, command, confidence, costbench, play, triage},
};

/// Runs a benchmark with a model behind an OpenAI-compatible server
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
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
    /// Sokoban of the budget paper: a room for each seed, up to three actions in each of ten turns
    #[command(mut_arg("max_output_tokens", |it| it.default_value("800")))]
    Sokoban(play::Options<Rooms>),
    /// The warehouse of the budget paper: 11 steps of orders, a demand for each seed
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

const HELP: &str = r#"Example: agent-scorecard run costbench --base-url http://127.0.0.1:8000/v1 --model m --out m-costbench --queries 60

The key of the server is read from the environment variable AGENT_SCORECARD_API_KEY; without it, none is sent.
Every answer is kept in DIR/answers.jsonl before the next request, so that the same command goes on after an
interruption and asks nothing twice. At the end, DIR/runs has each run as a trajectory in ATIF, in place of
those of earlier calls, and DIR/report.html the report. If the server refuses a request, the command stops with
exit code 2 and what the server said; the same command asks again. What a server repeats of a key of at least 16
characters is written as [key].
"#;
