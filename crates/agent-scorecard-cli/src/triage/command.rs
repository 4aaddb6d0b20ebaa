//! What should have been attempted under a budget, and how near a plan comes to it.
//!
//! ```text
//! triage [FILE] [--alpha A]… [--pool-size N]
//!     [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
//!     [--resamples N] [--shuffles N] [--orders N]
//!     [--capped FILE] [--unsolvable FILE [--ratio R]…] [--write-pools FILE]
//!     [--json] [--html FILE] [--plot FILE.svg|png]
//! ```
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

use std::{error::Error, io::Read, path::Path};

use agent_scorecard::{
    Report,
    knapsack_oracle::{Alpha, Pool},
    triage::{Planner, Pools, TriageOptions, evaluate, pools},
};
use run_logs::{json_lines::InputError, read_capped_runs, read_pool};
use serde_json::json;

use crate::{
    files::{bundled, json_lines::open},
    output::program::{self, Written},
    triage::{options::Options, plan_file},
};

pub(crate) fn output(arguments: Options) -> Result<Written, Box<dyn Error>> {
    let path = arguments.file.unwrap_or_else(|| bundled::path("demo_problems.jsonl"));
    let file = path.display().to_string();
    let problems = read(&path, read_pool)?;
    let planner = match Planner::named(&arguments.planner) {
        Some(planner) => planner,
        None => {
            let pools = problems.items().len().div_ceil(arguments.pool_size);
            let answers = plan_file::read(Path::new(&arguments.planner), pools)?;
            Planner::Model { name: arguments.planner, answers }
        }
    };
    let mut options = TriageOptions {
        pool_size: arguments.pool_size,
        planner,
        capped: arguments.capped.as_deref().map(|path| read(path, read_capped_runs)).transpose()?,
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
    arguments.forms.show(Report {
        title: "Triage under a budget".to_owned(),
        lead: "eta is the efficiency: 0 for a random plan, 1 for the best one (the oracle), higher is better; regret is the share of the oracle's value that is not earned, lower is better; 95 % intervals over pools"
            .to_owned(),
        main_pictures: vec!["efficiency"],
        ..Report::of_columns(vec![(file, None, block)])
    })
}

/// Reads a file, bundled or not.
fn read<T>(
    path: &Path,
    read: impl FnOnce(&str, Box<dyn Read + Send>) -> Result<T, InputError>,
) -> Result<T, InputError> {
    read(&path.display().to_string(), open(path)?)
}

/// Reads unsolvable problems. None of them may be solved.
fn unsolvable(path: &Path) -> Result<Pool, Box<dyn Error>> {
    let pool = read(path, read_pool)?;
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
