//! The greedy policy against the cheapest plan over CostBench queries, with or without blocking events: the
//! subcommand `costbench`.
//!
//! Without `--queries` it takes 120 queries of its own. Defaults are those of the published tables: level
//! 2, seed 42, atomic costs from 15 to 25, noise 0.1, no event, one where a kind is named. Cost gap, AED,
//! ANED and EMR compare plans in the world as it is at the start. With `--block`, `gt_ned` says how far
//! events push the optimum away from its plan, and `blocked` compares both policies under events.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Report,
    agent_benchmarks::costbench::{read_queries, read_results},
    costbench::{Blocking, CostbenchOptions, METRICS, OPTIMUM, Query, compare},
    live::{LiveOptions, costbench_results},
    tool_graph::{
        RuleVersion, TriggerRule,
        costbench::{CostRule, Task},
    },
};
use clap::builder::TypedValueParser;

use crate::{
    files::json_lines::{InputError, read_by, text, text_in},
    output::{form::Forms, program::Written, text::rows},
    plain, values,
};

/// Compares the greedy policy with the cheapest plan over CostBench queries
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, FORMAT, &rows(&METRICS), &rows(&OPTIMUM)].concat())]
pub(crate) struct Options {
    #[command(flatten)]
    world: WorldOptions,
    /// Events that change the world during a run; `blocked` compares both policies under them
    #[arg(long, value_name = "KIND", default_value = "none", value_parser = blockings(Blocking::ALL))]
    block: Blocking,
    /// Number of events per run
    #[arg(long, value_name = "K", default_value = "1", value_parser = values::whole::<usize>(0, u64::MAX))]
    blocks: usize,
    /// Resamples of queries behind the 95 % intervals of the greedy policy's means; 0 for no intervals
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::resamples)]
    resamples: usize,
    /// List the plans of every query
    #[arg(long)]
    paths: bool,
    /// A released file results_*.json: report the runs of its model, played again, in place of the greedy
    /// policy's, and beside them what the file states; it states tools, costs, events and their seed, too, which are no
    /// options then
    #[arg(long, value_name = "FILE", requires = "checkout", conflicts_with_all = ["queries", "paths"])]
    results: Option<PathBuf>,
    /// The checkout of JiayuJeff/CostBench with the queries of --results
    #[arg(long, value_name = "DIR", requires = "results")]
    checkout: Option<PathBuf>,
    #[command(flatten)]
    forms: Forms,
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
    #[arg(long, value_name = "R", default_value = "paper", value_parser = values::one_of([("paper", RuleVersion::PaperText), ("released", RuleVersion::Released)]))]
    rules: RuleVersion,
    /// How costs are drawn: from one stream per query (released), or from one per tool (paper)
    #[arg(long, value_name = "R", default_value = "released", value_parser = values::one_of([("paper", CostRule::PaperText), ("released", CostRule::Released)]))]
    costs: CostRule,
    /// When events are due: by the released code, or by the formula that the paper prints (paper)
    #[arg(long, value_name = "R", default_value = "released", value_parser = values::one_of([("paper", TriggerRule::PaperText), ("released", TriggerRule::Released)]))]
    trigger: TriggerRule,
}

/// Events by their names.
pub(crate) fn blockings(
    events: impl IntoIterator<Item = Blocking>,
) -> impl TypedValueParser<Value = Blocking> {
    values::one_of(events.into_iter().map(|events| (events.name(), events)))
}

impl WorldOptions {
    pub(crate) fn queries(&self) -> Result<Vec<Query>, InputError> {
        let read = |path| read_by(path, Query::read);
        self.queries.as_deref().map_or_else(|| Ok(made_up()), read)
    }

    pub(crate) fn world(&self) -> CostbenchOptions {
        CostbenchOptions {
            refinement_level: self.refinement_level,
            seed: self.seed,
            min_cost: self.min_cost,
            max_cost: self.max_cost,
            noise_std: self.noise_std,
            rules: self.rules,
            cost_rule: self.costs,
            trigger_rule: self.trigger.clone(),
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

/// The format of a file, for the help of the program that reads it.
pub(crate) const FORMAT: &str = include_str!("help/costbench_queries.txt");

/// 120 queries made up here, with the six tasks in turn.
fn made_up() -> Vec<Query> {
    let tasks = Task::ALL.into_iter().cycle();
    (1..=120)
        .zip(tasks)
        .map(|(i, task)| Query { query_id: format!("query-{i:03}"), task })
        .collect()
}

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
        main_pictures: vec!["plan"],
        ..Report::of_columns(vec![(String::new(), None, found)])
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
    let path = checkout.join(QUERIES);
    let queries = read_queries(&text_in(checkout, QUERIES)?, world.seed)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let found = read_results(&text(file)?, &queries)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let live = LiveOptions { model: found.model.clone(), resamples: options.resamples, seed: 1 };
    let mut report = costbench_results(&found, &live)?;
    report.lead = format!("{}: {} runs", plain::line(&found.model), found.records.len());
    options.forms.show(report)
}
