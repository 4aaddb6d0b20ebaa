//! Compares the greedy policy with the cheapest plan over CostBench queries, with or without blocking events: the
//! subcommand `costbench`.
//!
//! Without `--queries` it uses 120 invented queries. The defaults match the published tables: level 2, seed 42, atomic
//! costs from 15 to 25, noise 0.1, no event, one event if a kind is named. Cost gap, AED, ANED and EMR compare plans in the
//! initial world. With `--block`, `gt_ned` is the distance of the optimum under events from its plan, and `blocked`
//! compares both policies under events.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Report,
    agent_benchmarks::costbench::{read_queries, read_results},
    costbench::{CostbenchOptions, METRICS, OPTIMUM, Query, compare},
    live::{LiveOptions, costbench_results},
    tool_graph::costbench::Task,
};
use clap::ValueHint::AnyPath;

use crate::{
    files::{bundled::text, source::Source},
    output::{options::Forms, program::Written, text::rows},
    plain,
};

/// Compares the greedy policy with the cheapest plan on the queries of CostBench
#[derive(Debug, clap::Args)]
#[command(after_help = [include_str!("help/costbench_queries.txt"), &rows(&METRICS), &rows(&OPTIMUM)].concat())]
pub(crate) struct Options {
    /// File of queries. Without a file, 120 invented queries are used
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    queries: Option<Source>,
    #[command(flatten)]
    how: CostbenchOptions,
    /// Released file results_*.json with the runs of a model. The report replays these runs instead of the greedy
    /// policy, and shows its own figures next to those that the file states. The file sets tools, costs and events, so
    /// options for these are not allowed
    #[arg(long, value_name = "FILE", requires = "checkout", conflicts_with_all = ["queries", "paths"])]
    results: Option<PathBuf>,
    /// Folder with a checkout of the repository JiayuJeff/CostBench, which has the queries of --results
    #[arg(long, value_name = "DIR", requires = "results")]
    checkout: Option<PathBuf>,
    #[command(flatten)]
    forms: Forms,
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

/// Returns 120 invented queries, with the six tasks in turn.
fn made_up() -> Vec<Query> {
    let tasks = Task::ALL.into_iter().cycle();
    (1..=120)
        .zip(tasks)
        .map(|(i, task)| Query { query_id: format!("query-{i:03}"), task })
        .collect()
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { queries, how, results, checkout, forms } = options;
    let report = match (&results, &checkout) {
        (Some(file), Some(checkout)) => released(file, checkout, &how)?,
        _ => report(queries.as_ref(), &how, forms.has_figures())?,
    };
    forms.show(report)
}

/// Returns the report on the greedy policy.
///
/// # Errors
///
/// Errors of reading, and of options out of range.
pub fn report(
    queries: Option<&Source>,
    how: &CostbenchOptions,
    with_pictures: bool,
) -> Result<Report, Box<dyn Error>> {
    let queries = queries.map_or_else(|| Ok(made_up()), |source| source.read_by(Query::read))?;
    let found = compare(&queries, how, with_pictures).map_err(named)?;
    let world = &how.world;
    Ok(Report {
        title: "Costs of tool plans".to_owned(),
        lead: format!(
            "greedy policy against the optimum; tasks of {} steps, seed {}, atomic costs {} to {}, noise {}",
            world.refinement_level + 3,
            world.seed,
            world.min_cost,
            world.max_cost,
            world.noise_std
        ),
        main_pictures: vec!["plan"],
        ..Report::of_columns(vec![(String::new(), None, found)])
    })
}

/// The path of the queries in a checkout of the released benchmark.
pub(crate) const QUERIES: &str = "env/data/runtime/queries/queries.json";

/// Returns the report on the runs in a released results file.
///
/// # Errors
///
/// Errors of reading, and of options that the file sets.
pub fn released(
    file: &Path,
    checkout: &Path,
    how: &CostbenchOptions,
) -> Result<Report, Box<dyn Error>> {
    if *how != CostbenchOptions::default() {
        let problem = "--results: the file states tools, costs, events, rules and their seed";
        return Err(format!("{problem}; leave these options out").into());
    }
    let path = checkout.join(QUERIES);
    let queries = read_queries(&text(&path)?, how.world.seed)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let found = read_results(&text(file)?, &queries)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let live = LiveOptions {
        model: found.model.clone(),
        resamples: trajectory_metrics::Bootstrap::RESAMPLES,
        seed: 1,
    };
    let mut report = costbench_results(&found, &live)?;
    report.lead = format!("{}: {} runs", plain::line(&found.model), found.records.len());
    Ok(report)
}
