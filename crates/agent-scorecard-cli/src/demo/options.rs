//! The options of `demo-data`.

use std::path::PathBuf;

use crate::values;

/// Makes the bundled data: runs in a small world whose true probability of success is known at every step
#[derive(Debug, clap::Args)]
#[command(after_help = FILES)]
pub(crate) struct Options {
    /// The folder that the files are written into, which is created if it is missing; files of the same
    /// names are overwritten
    pub(crate) folder: PathBuf,
    /// Number of tasks of the forecasters' runs, two runs each
    #[arg(long, value_name = "N", default_value = "200", value_parser = tasks)]
    pub(crate) tasks: u32,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value = "2026", value_parser = values::seed)]
    pub(crate) seed: u64,
}

const FILES: &str = "\
Example: agent-scorecard demo-data data --tasks 1000

demo_truthful.jsonl, demo_overconfident.jsonl, demo_constant.jsonl
                      the same runs seen by three forecasters, for traces, calibration and cut-off
demo_problems.jsonl   problems that share a budget, for triage
demo_rollouts.jsonl   what each turn of a run spent, for budget
With the default settings the files are those that the subcommands take without a FILE.
";

/// More tasks would fill the memory.
const MOST_TASKS: u32 = 1_000_000;

fn tasks(text: &str) -> Result<u32, &'static str> {
    match text.parse() {
        Ok(n) if (1..=MOST_TASKS).contains(&n) => Ok(n),
        _ => Err("give a whole number from 1 to 1000000"),
    }
}
