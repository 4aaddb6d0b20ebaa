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
    costbench::{self, Queries, named, queries_of},
    files::source::Source,
    output::{form::Forms, program::Written},
    progress::working,
};

/// Compares the greedy policy with the cheapest plan over task lengths, noise, events and seeds
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, costbench::FORMAT].concat())]
pub(crate) struct Options {
    #[command(flatten)]
    queries: Queries,
    #[command(flatten)]
    how: SweepOptions,
    #[command(flatten)]
    forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard costbench-sweep --levels 0,2 --noises 0.1,10 --most-blocks 1
";

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { queries, how, forms } = options;
    forms.show(report(queries.source().as_ref(), &how, forms.has_figures())?)
}

/// The report on all settings.
///
/// # Errors
///
/// Those of reading and of options out of range.
pub fn report(
    queries: Option<&Source>,
    how: &SweepOptions,
    with_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    let queries = queries_of(queries)?;
    let lead = format!(
        "greedy policy against the optimum; tasks have level + 3 steps, atomic costs {} to {}; each mean is followed by its 95 % interval over queries",
        how.base.min_cost, how.base.max_cost
    );
    let found = working("sweeping", || sweep(&queries, how, with_pictures));
    Ok(Report {
        title: "Costs of tool plans by setting".to_owned(),
        lead,
        main_pictures: vec!["cost_gap_by_length", "cost_gap_by_noise", "distance_by_event"],
        ..Report::of_columns(vec![(String::new(), None, found.map_err(named)?)])
    })
}
