//! The options of `costbench`, and those that `costbench-sweep` has too.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    costbench::{Blocking, CostbenchOptions, Query},
    tool_graph::RuleVersion,
};
use clap::builder::TypedValueParser;

use crate::{costbench::query_file, files::json_lines::InputError, output::form::Forms, values};

/// Compares the greedy policy with the cheapest plan over CostBench queries
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, query_file::FORMAT].concat())]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) world: WorldOptions,
    /// Events that change the world during a run; `blocked` compares both policies under them
    #[arg(long, value_name = "KIND", default_value = "none", value_parser = blockings(Blocking::ALL))]
    pub(crate) block: Blocking,
    /// Number of events per run
    #[arg(long, value_name = "K", default_value = "1", value_parser = values::whole::<usize>(0, u64::MAX))]
    pub(crate) blocks: usize,
    /// Resamples of queries behind the 95 % intervals of the greedy policy's means; 0 for no intervals
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// List the plans of every query
    #[arg(long)]
    pub(crate) paths: bool,
    /// A released file results_*.json: report the runs of its model, played again, in place of the greedy
    /// policy's, and beside them what the file states; it states tools, costs, events and their seed, too, which are no
    /// options then
    #[arg(long, value_name = "FILE", requires = "checkout", conflicts_with_all = ["queries", "paths"])]
    pub(crate) results: Option<PathBuf>,
    /// The checkout of JiayuJeff/CostBench with the queries of --results
    #[arg(long, value_name = "DIR", requires = "results")]
    pub(crate) checkout: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard costbench --block ban-tool --blocks 2 --paths
";

/// The queries and the world that they are answered in.
#[derive(Debug, clap::Args)]
pub(crate) struct WorldOptions {
    /// The queries; without a file, 120 queries made up here
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Tasks have L + 3 steps; 0 to 10
    #[arg(long, value_name = "L", default_value = "2", value_parser = level)]
    refinement_level: usize,
    /// Seed of costs and events
    #[arg(long, value_name = "S", default_value = "42", value_parser = values::seed)]
    seed: u64,
    /// Noise of the costs of composite tools
    #[arg(long, value_name = "X", default_value = "0.1", value_parser = values::number)]
    noise_std: f64,
    /// Smallest cost of an atomic tool
    #[arg(long, value_name = "A", default_value = "15", value_parser = values::number)]
    min_cost: f64,
    /// Largest cost of an atomic tool
    #[arg(long, value_name = "B", default_value = "25", value_parser = values::number)]
    max_cost: f64,
    /// Rules on which the paper and its released code differ; tools are removed, and runs left out of means,
    /// as in the released code with either, as in the published figures
    #[arg(long, value_name = "R", default_value = "paper", value_parser = rules())]
    rules: RuleVersion,
}

fn rules() -> impl TypedValueParser<Value = RuleVersion> {
    values::one_of([("paper", RuleVersion::PaperText), ("released", RuleVersion::Released)])
}

/// Events by their names.
pub(crate) fn blockings(
    events: impl IntoIterator<Item = Blocking>,
) -> impl TypedValueParser<Value = Blocking> {
    values::one_of(events.into_iter().map(|events| (events.name(), events)))
}

impl WorldOptions {
    pub(crate) fn queries(&self) -> Result<Vec<Query>, InputError> {
        self.queries.as_deref().map_or_else(|| Ok(query_file::bundled()), query_file::read)
    }

    pub(crate) fn world(&self) -> CostbenchOptions {
        CostbenchOptions {
            refinement_level: self.refinement_level,
            seed: self.seed,
            min_cost: self.min_cost,
            max_cost: self.max_cost,
            noise_std: self.noise_std,
            rules: self.rules,
            ..CostbenchOptions::default()
        }
    }
}

/// Names options as they are given on the command line.
pub(crate) fn named(error: agent_scorecard::Error) -> Box<dyn Error> {
    match error {
        agent_scorecard::Error::Options { options, problem } => {
            let options = options.iter().map(|name| format!("--{}", name.replace('_', "-")));
            format!("{}: {problem}", options.collect::<Vec<_>>().join(" and ")).into()
        }
        other => other.into(),
    }
}

/// A refinement level. The number of composite tools, and with it the time, grows fast with the level.
pub(crate) fn level(text: &str) -> Result<usize, String> {
    values::whole(0, 10)(text)
}
