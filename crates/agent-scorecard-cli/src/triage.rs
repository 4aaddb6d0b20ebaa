//! What should have been attempted under a budget, and how near a plan comes to it: the subcommand
//! `triage`.
//!
//! FILE has a problem a line, `{"problem", "solved", "output_tokens", "value"?}`; without it bundled
//! problems are taken (made by the example `demo_data`). Problems are cut into pools in order, and each pool
//! has a budget of alpha times what its problems cost. A planner's FILE is what a model wrote,
//! `{"plan": [{"id", "allocation"}…]}` within any prose, read for every pool; or JSON Lines with one
//! answer for each, `{"pool", "alpha"?, "ratio"?, "answer"}`, pools counted from 0.
//!
//! `--unsolvable` injects unsolvable problems into the pools at each ratio and reports how many of them
//! the plans leave out (detection) and how much they allocate to them (waste). `--capped` gives the
//! outcomes of attempts that were really cut off at their allocations.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Account, Report,
    knapsack_oracle::{Alpha, Pool},
    triage::{Answers, METRICS, Planner, Pools, TriageOptions, evaluate, pools},
};
use run_logs::{read_capped_runs, read_pool};
use serde_json::json;

use crate::{
    files::{bundled, json_lines::read_by},
    output::{
        form::Forms,
        program::{self, Written},
        text::rows,
    },
    values,
};

/// Scores which tasks were attempted under a budget, from a random plan (0) to the best one (1)
#[derive(Debug, clap::Args)]
#[command(after_help = [FORMAT, &rows(&METRICS)].concat())]
pub(crate) struct Options {
    /// Problems, which are cut into pools in order; each pool has a budget of alpha times what its problems
    /// cost. Without a file, bundled problems
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Share of the costs that is the budget, above 0 and at most 1; may be given several times (default:
    /// several shares)
    #[arg(long = "alpha", value_name = "A", value_parser = values::alpha)]
    alphas: Vec<Alpha>,
    /// Problems of a pool
    #[arg(long, value_name = "N", default_value = "30", value_parser = values::whole::<usize>(1, u64::MAX))]
    pool_size: usize,
    /// Who plans: all-in-order, cheapest-first, random or oracle, or a FILE of plans
    #[arg(long, default_value = "all-in-order")]
    planner: String,
    /// Leave out plans that have a problem twice, and drop allocations that are not numbers of tokens; the paper keeps
    /// the first and takes 0
    #[arg(long)]
    strict_plans: bool,
    /// Attempt problems with an allocation of 0 in the advisory regime, too; the paper's planned set leaves them out
    #[arg(long)]
    attempt_zero: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    seed: u64,
    /// Resamples of pools for intervals, 0 for no intervals
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::resamples)]
    resamples: usize,
    /// Shuffles per pool of the sampled random plan, which stands in for the exact one in large pools
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::several_resamples)]
    shuffles: usize,
    /// Orders per pool of the planner random
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::several_resamples)]
    orders: usize,
    /// Outcomes of attempts that were really cut off at their allocations, for the enforced regime; without
    /// them, an attempt counts as solved if its problem was solved at a cost of at most the allocation
    #[arg(long, value_name = "FILE")]
    capped: Option<PathBuf>,
    /// Unsolvable problems, which replace problems of each pool
    #[arg(long, value_name = "FILE")]
    unsolvable: Option<PathBuf>,
    /// Share of a pool that is replaced, from 0 to 1; may be given several times (default: 0.25, 0.5, 0.75
    /// and 1)
    #[arg(long = "ratio", value_name = "R", value_parser = values::share, requires = "unsolvable",
        default_values = ["0.25", "0.5", "0.75", "1"], hide_default_value = true)]
    ratios: Vec<f64>,
    /// Write the pools as JSON Lines, so that a model can be asked for a plan of each
    #[arg(long, value_name = "FILE")]
    write_pools: Option<PathBuf>,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = include_str!("help/triage.txt");

pub(crate) fn output(arguments: Options) -> Result<Written, Box<dyn Error>> {
    let path = arguments.file.unwrap_or_else(|| bundled::path("demo_problems.jsonl"));
    let file = path.display().to_string();
    let problems = read_by(&path, read_pool)?;
    let planner = match Planner::named(&arguments.planner) {
        Some(planner) => planner,
        None => {
            let pools = problems.items().len().div_ceil(arguments.pool_size);
            let read = |file: &str, source| Answers::read(file, source, pools);
            let answers = read_by(Path::new(&arguments.planner), read)?;
            Planner::Model { name: arguments.planner, answers }
        }
    };
    let mut options = TriageOptions {
        pool_size: arguments.pool_size,
        planner,
        strict_plans: arguments.strict_plans,
        attempts_zero: arguments.attempt_zero,
        capped: arguments
            .capped
            .as_deref()
            .map(|path| read_by(path, read_capped_runs))
            .transpose()?,
        shuffles: arguments.shuffles,
        orders: arguments.orders,
        resamples: arguments.resamples,
        seed: arguments.seed,
        ..TriageOptions::default()
    };
    if !arguments.alphas.is_empty() {
        options.alphas = arguments.alphas;
    }
    let unsolvable_file = arguments.unsolvable.as_ref().map(|path| path.display().to_string());
    if let Some(path) = &arguments.unsolvable {
        options.unsolvable = Some((unsolvable(path)?, arguments.ratios));
    }
    let pools = pools(&problems, &options)
        .map_err(|error| format!("{}: {error}", unsolvable_file.as_ref().unwrap_or(&file)))?;
    if let Some(path) = &arguments.write_pools {
        program::write_file(path, pool_lines(&pools, &options.alphas).as_bytes())?;
    }
    let block = evaluate(&problems, &pools, &options, arguments.forms.has_figures())
        .map_err(|error| format!("{file}: {error}"))?;
    let n_found = problems.items().len() as u64;
    let mut report = Report {
        title: "Triage under a budget".to_owned(),
        lead: "eta is the efficiency: 0 for a random plan, 1 for the best one (the oracle), higher is better; regret is the share of the oracle's value that is not earned, lower is better; 95 % intervals over pools"
            .to_owned(),
        main_pictures: vec!["efficiency"],
        ..Report::of_columns(vec![(file, None, block)])
    };
    report.set_accounts([Account { n_found, n_kept: n_found, ..Account::default() }]);
    arguments.forms.show(report)
}

/// Reads unsolvable problems. None of them may be solved.
fn unsolvable(path: &Path) -> Result<Pool, Box<dyn Error>> {
    let pool = read_by(path, read_pool)?;
    match pool.items().iter().find(|item| item.is_solved()) {
        Some(item) => Err(format!(
            "{}: field solved: problem {:?} is solved; give only problems that were not solved",
            path.display(),
            item.id()
        )
        .into()),
        None => Ok(pool),
    }
}

/// The pools as JSON Lines: the problems of each in order, which of them are unsolvable, and the budget
/// at each share.
fn pool_lines(pools: &[Pools], alphas: &[Alpha]) -> String {
    let mut lines = String::new();
    for Pools { ratio, pools } in pools {
        for (number, (pool, marks)) in pools.iter().enumerate() {
            let budget =
                |alpha: &Alpha| json!({ "alpha": alpha.get(), "budget": pool.budget(*alpha) });
            let mut line = json!({
                "pool": number,
                "problems": pool.items().iter().map(|item| item.id()).collect::<Vec<_>>(),
                "budgets": alphas.iter().map(budget).collect::<Vec<_>>(),
            });
            if let (Some(ratio), Some(marks)) = (ratio, marks) {
                line["ratio"] = json!(ratio);
                line["unsolvable"] = json!(marks);
            }
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}
