//! The greedy policy in many settings of CostBench: the subcommand `costbench-sweep`.
//!
//! It runs the greedy policy over task lengths, noise, kinds and numbers of events, and seeds, with 95 %
//! bootstrap intervals (figures 2, 3, 5, 6 and 9, tables 7 to 9).

use std::error::Error;

use agent_scorecard::{
    Report,
    costbench::{SweepOptions, sweep},
};

use crate::{
    costbench::{self, WorldOptions, level, named},
    output::{form::Forms, program::Written},
    progress::working,
    values,
};

/// Compares the greedy policy with the cheapest plan over task lengths, noise, events and seeds
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, costbench::FORMAT].concat())]
pub(crate) struct Options {
    #[command(flatten)]
    world: WorldOptions,
    /// Refinement levels
    #[arg(long, value_name = "L", value_delimiter = ',', default_value = "0,1,2,3,4,5",
        value_parser = level)]
    levels: Vec<usize>,
    /// Noise levels
    #[arg(long, value_name = "X", value_delimiter = ',', default_value = "0.1,0.5,1,5,10",
        value_parser = values::number)]
    noises: Vec<f64>,
    /// Largest number of events, at level 4
    #[arg(long, value_name = "K", default_value = "3", value_parser = values::whole::<usize>(0, u64::MAX))]
    most_blocks: usize,
    /// Further seeds
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1000,2000,3000",
        value_parser = values::seed)]
    seeds: Vec<u64>,
    /// Resamples of queries for intervals, 0 for no intervals
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::resamples)]
    resamples: usize,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard costbench-sweep --levels 0,2 --noises 0.1,10 --most-blocks 1 --resamples 1000
";

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { world, levels, noises, most_blocks, seeds, resamples, forms } = options;
    let queries = world.queries()?;
    let base = world.world();
    let lead = format!(
        "greedy policy against the optimum; tasks have level + 3 steps, atomic costs {} to {}; each mean is followed by its 95 % interval over queries ({resamples} resamples)",
        base.min_cost, base.max_cost
    );
    let options = SweepOptions { base, levels, noises, most_blocks, seeds, resamples };
    let found = working("sweeping", || sweep(&queries, &options, forms.has_figures()));
    forms.show(Report {
        title: "Costs of tool plans by setting".to_owned(),
        lead,
        main_pictures: vec!["cost_gap_by_length", "cost_gap_by_noise", "distance_by_event"],
        ..Report::of_columns(vec![(String::new(), None, found.map_err(named)?)])
    })
}
