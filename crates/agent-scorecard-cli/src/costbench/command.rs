//! The greedy policy against the cheapest plan over CostBench queries, with or without blocking events.
//!
//! ```text
//! costbench [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A]
//!     [--max-cost B] [--block none|ban-tool|preference-change|cost-change|remove-tools|mixed]
//!     [--blocks K] [--rules paper|released] [--paths] [--json]
//! ```
//!
//! Without `--queries` it takes 120 queries of its own. Defaults are those of the published tables: level
//! 2, seed 42, atomic costs from 15 to 25, noise 0.1, no event, one where a kind is named. Cost gap, AED,
//! ANED and EMR compare plans in the world as it is at the start. With `--block`, `gt_ned` says how far
//! events push the optimum away from its plan, and `blocked` compares both policies under events.

use std::{error::Error, fs, path::Path};

use agent_scorecard::{
    Report,
    agent_benchmarks::costbench::{read_queries, read_results},
    costbench::{CostbenchOptions, compare},
    live::{LiveOptions, costbench_results},
};

use crate::{
    costbench::options::{Options, named},
    output::program::Written,
    plain,
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    if let (Some(file), Some(checkout)) = (&options.results, &options.checkout) {
        return results(file, checkout, &options);
    }
    let Options { world, block, blocks, resamples, paths, forms, .. } = options;
    let queries = world.queries()?;
    let world = CostbenchOptions { blocking: block, blocks, resamples, ..world.world() };
    let found = compare(&queries, &world, paths, forms.has_figures()).map_err(named)?;
    forms.show(Report {
        title: "Costs of tool plans".to_owned(),
        lead: format!(
            "greedy policy against the optimum; tasks of {} steps, seed {}, atomic costs {} to {}, noise {}",
            world.refinement_level + 3,
            world.seed,
            world.min_cost,
            world.max_cost,
            world.noise_std
        ),
        together: found,
        main_pictures: vec!["plan"],
        ..Report::default()
    })
}

/// The queries in a checkout of the released benchmark.
pub(crate) const QUERIES: &str = "env/data/runtime/queries/queries.json";

/// The report on the runs of a released file of results.
fn results(file: &Path, checkout: &Path, options: &Options) -> Result<Written, Box<dyn Error>> {
    let Options { world, block, blocks, .. } = options;
    let world = CostbenchOptions { blocking: *block, blocks: *blocks, ..world.world() };
    if world != CostbenchOptions::default() {
        let problem = "--results: the file states tools, costs, events, rules and their seed";
        return Err(format!("{problem}; leave these options out").into());
    }
    let text = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let path = checkout.join(QUERIES);
    let queries = read_queries(&text(&path)?, world.seed)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let found = read_results(&text(file)?, &queries)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let live = LiveOptions { model: found.model.clone(), resamples: options.resamples, seed: 1 };
    let mut report = costbench_results(&found, &live)?;
    report.lead = format!("{}: {} runs", plain::line(&found.model), found.records.len());
    options.forms.show(report)
}
