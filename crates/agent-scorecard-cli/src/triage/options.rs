//! The options of `triage`.

use std::path::PathBuf;

use knapsack_oracle::Alpha;

use crate::{output::form::Forms, values};

/// Scores which tasks were attempted under a budget, from a random plan (0) to the best one (1)
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Problems, which are cut into pools in order; each pool has a budget of alpha times what its problems
    /// cost. Without a file, bundled problems
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Share of the costs that is the budget, above 0 and at most 1; may be given several times (default:
    /// several shares)
    #[arg(long = "alpha", value_name = "A", value_parser = values::alpha)]
    pub(crate) alphas: Vec<Alpha>,
    /// Problems of a pool
    #[arg(long, value_name = "N", default_value = "30", value_parser = values::whole::<usize>(1, u64::MAX))]
    pub(crate) pool_size: usize,
    /// Who plans: all-in-order, cheapest-first, random or oracle, or a FILE of plans
    #[arg(long, default_value = "all-in-order")]
    pub(crate) planner: String,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    pub(crate) seed: u64,
    /// Resamples of pools for intervals, 0 for no intervals
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// Shuffles per pool of the sampled random plan, which stands in for the exact one in large pools
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::several_resamples)]
    pub(crate) shuffles: usize,
    /// Orders per pool of the planner random
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::several_resamples)]
    pub(crate) orders: usize,
    /// Outcomes of attempts that were really cut off at their allocations, for the enforced regime; without
    /// them, an attempt counts as solved if its problem was solved at a cost of at most the allocation
    #[arg(long, value_name = "FILE")]
    pub(crate) capped: Option<PathBuf>,
    /// Unsolvable problems, which replace problems of each pool
    #[arg(long, value_name = "FILE")]
    pub(crate) unsolvable: Option<PathBuf>,
    /// Share of a pool that is replaced, from 0 to 1; may be given several times (default: 0.25, 0.5, 0.75
    /// and 1)
    #[arg(long = "ratio", value_name = "R", value_parser = ratio, requires = "unsolvable",
        default_values = ["0.25", "0.5", "0.75", "1"], hide_default_value = true)]
    pub(crate) ratios: Vec<f64>,
    /// Write the pools as JSON Lines, so that a model can be asked for a plan of each
    #[arg(long, value_name = "FILE")]
    pub(crate) write_pools: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard triage problems.jsonl --planner plans.jsonl --alpha 0.5

A FILE of problems has JSON Lines, one problem per line, for example
  {"problem": "problem-000", "solved": true, "output_tokens": 1599, "value": 1}
problem        name of the problem; no two are the same
solved         whether it was solved in a run of its own: true, false, 1 or 0
output_tokens  what that run cost, a whole number
value          optional, 1 by default
Other fields are ignored.

A FILE of unsolvable problems has the same lines, and none of the problems is solved.

A FILE of plans has what a model wrote, read for every pool, or JSON Lines with one answer for each pool,
counted from 0, and optionally each alpha and each ratio of unsolvable problems, for example
  {"pool": 0, "alpha": 0.5, "answer": "My plan: {\"plan\": [{\"id\": \"problem-000\", \"allocation\": 1600}]}"}
An answer without a ratio is for the pools without unsolvable problems.

A FILE of capped attempts has JSON Lines, for example
  {"problem": "problem-000", "allocation": 1600, "solved": true}
"#;

fn ratio(text: &str) -> Result<f64, &'static str> {
    match text.parse::<f64>() {
        // Adding 0 turns -0 into 0.
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio + 0.0),
        _ => Err("give a number from 0 to 1"),
    }
}
