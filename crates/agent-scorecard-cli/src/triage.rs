//! Scores plans that choose problems to attempt under a budget: the subcommand `triage`.
//!
//! FILE has one problem per line, `{"problem", "solved", "output_tokens", "value"?}`; without it, bundled problems are used
//! (made by the example `demo_data`). Problems are split into pools in order, and the budget of a pool is alpha times the
//! cost of its problems. A planner's FILE has either one text of a model, `{"plan": [{"id", "allocation"}…]}` within any
//! prose, used for every pool; or JSON Lines with one answer per pool, `{"pool", "alpha"?, "ratio"?, "answer"}`, with pools
//! counted from 0.
//!
//! `--unsolvable` injects unsolvable problems into the pools at each ratio. It reports the share of them that the plans
//! leave out (detection) and the allocation to them (waste). `--capped` gives the outcomes of attempts that were actually
//! cut off at their allocations.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Account, Column, Report,
    knapsack_oracle::{Alpha, Pool},
    triage::{Answers, METRICS, Planner, Pools, TriageOptions, evaluate, pools},
};
use run_logs::{read_capped_runs, read_pool, read_pools};
use serde_json::json;

use crate::{
    costbench::named,
    files::{bundled, source::Source},
    output::{
        options::Forms,
        overwrites::Output,
        program::{self, Written},
        text::rows,
    },
};

/// Scores the choice of tasks attempted under a budget, from 0 (random plan) to 1 (best plan)
#[derive(Debug, clap::Args)]
#[command(after_help = [FORMAT, &rows(&METRICS)].concat())]
pub(crate) struct Options {
    /// File of problems, which are split into pools in order. The budget of a pool is alpha times the cost of its
    /// problems. Without a file, bundled problems are used
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    how: TriageOptions,
    /// Planner: all-in-order, cheapest-first, random or oracle, or a FILE of plans
    #[arg(long, default_value = "all-in-order")]
    planner: PathBuf,
    /// File with outcomes of attempts that were actually cut off at their allocations, for the enforced regime. Without
    /// such an outcome, an attempt counts as solved if its problem was solved at a cost of at most the allocation
    #[arg(long, value_name = "FILE")]
    capped: Option<PathBuf>,
    /// File of unsolvable problems, which replace a share of the problems of each pool (--ratio)
    #[arg(long, value_name = "FILE")]
    unsolvable: Option<PathBuf>,
    /// Write the pools to this file as JSON Lines, so that a model can be asked for a plan of each pool
    #[arg(long, value_name = "FILE")]
    write_pools: Option<Output>,
    #[command(flatten)]
    forms: Forms,
}

const FORMAT: &str = include_str!("help/triage.txt");

pub(crate) fn output(arguments: Options) -> Result<Written, Box<dyn Error>> {
    let Options { file, how, planner, capped, unsolvable, write_pools, forms } = arguments;
    let with = With {
        planner: Some(planner.into()),
        capped: capped.map(Source::from),
        unsolvable: unsolvable.map(Source::from),
    };
    let mut lines = String::new();
    let write = |model: Option<&str>, pools: &[Pools], alphas: &[Alpha]| match &write_pools {
        Some(path) => {
            lines.push_str(&pool_lines(model, pools, alphas));
            program::write_file(path, lines.as_bytes())
        }
        None => Ok(()),
    };
    forms.show(report(file.map(Source::from), how, &with, forms.has_figures(), write)?)
}

/// The planner and the further files.
#[derive(Clone, Debug, Default)]
pub struct With {
    /// A planner's name, or a file of plans.
    pub planner: Option<Source>,
    /// The file of outcomes of attempts that were cut off.
    pub capped: Option<Source>,
    /// The file of unsolvable problems.
    pub unsolvable: Option<Source>,
}

/// Returns the report on these problems, separately for each model. Before that, `look` receives each model and its
/// pools.
///
/// # Errors
///
/// Errors of reading and scoring, and of `look`.
pub fn report(
    source: Option<Source>,
    how: TriageOptions,
    with: &With,
    with_pictures: bool,
    mut look: impl FnMut(Option<&str>, &[Pools], &[Alpha]) -> Result<(), String>,
) -> Result<Report, Box<dyn Error>> {
    let source = source.unwrap_or_else(|| bundled::path("demo_problems.jsonl").into());
    let file = source.name();
    let by_model = source.read_by(read_pools)?;
    let n_pools = |problems: &Pool| problems.items().len().div_ceil(how.pool_size);
    let n_pools: Vec<(Option<&str>, usize)> =
        by_model.iter().map(|(model, it)| (model.as_deref(), n_pools(it))).collect();
    let planners = match &with.planner {
        None => vec![how.planner.clone(); by_model.len()],
        Some(planner) => match Planner::named(&planner.name()) {
            Some(planner) => vec![planner; by_model.len()],
            None => {
                let all = planner.read_by(|file, it| Answers::read(file, it, &n_pools))?;
                let name = planner.name();
                all.into_iter()
                    .map(|answers| Planner::Model { name: name.clone(), answers })
                    .collect()
            }
        },
    };
    if let (Some(capped), [_, _, ..]) = (&with.capped, &n_pools[..]) {
        let models: Vec<&str> = n_pools.iter().filter_map(|(model, _)| *model).collect();
        let (capped, models) = (capped.name(), models.join(", "));
        let problem = "its attempts are those of one model";
        return Err(
            format!("--capped: {capped}: {problem}, and {file} has problems of {models}").into()
        );
    }
    let capped = with.capped.as_ref().map(|source| source.read_by(read_capped_runs));
    let how = TriageOptions {
        capped: capped.transpose()?,
        unsolvable: with.unsolvable.as_ref().map(unsolvable).transpose()?,
        ..how.clone()
    };
    let (mut columns, mut accounts) = (Vec::new(), Vec::new());
    for ((model, problems), planner) in by_model.iter().zip(planners) {
        let options = TriageOptions { planner, ..how.clone() };
        let pools = pools(problems, &options).map_err(|error| match error {
            agent_scorecard::Error::Options { .. } => named(error),
            error => {
                let source = with.unsolvable.as_ref().unwrap_or(&source);
                format!("{}: {error}", source.name()).into()
            }
        })?;
        look(model.as_deref(), &pools, &options.alphas)?;
        let block = evaluate(problems, &pools, &options, with_pictures)
            .map_err(|error| format!("{file}: {error}"))?;
        let n_found = problems.items().len() as u64;
        accounts.push(Account { n_found, n_kept: n_found, ..Account::default() });
        columns.push(Column {
            name: source.given().to_owned(),
            ..(file.clone(), model.clone(), block).into()
        });
    }
    let mut report = Report {
        title: "Triage under a budget".to_owned(),
        lead: "eta is the efficiency: 0 for a random plan, 1 for the best one (the oracle), higher is better; regret is the share of the oracle's value that is not earned, lower is better; 95 % intervals over pools"
            .to_owned(),
        main_pictures: vec!["efficiency"],
        ..Report::of_columns(columns)
    };
    report.set_accounts(accounts);
    Ok(report)
}

/// Reads unsolvable problems. None of them may be solved.
fn unsolvable(source: &Source) -> Result<Pool, Box<dyn Error>> {
    let pool = source.read_by(read_pool)?;
    match pool.items().iter().find(|item| item.is_solved()) {
        Some(item) => Err(format!(
            "{}: field solved: problem {:?} is solved; give only problems that were not solved",
            source.name(),
            item.id()
        )
        .into()),
        None => Ok(pool),
    }
}

/// Returns the pools as JSON Lines. Each line has the problems of a pool in order, the unsolvable ones among them, and
/// the budget at each share.
fn pool_lines(model: Option<&str>, pools: &[Pools], alphas: &[Alpha]) -> String {
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
            if let Some(model) = model {
                line["model"] = json!(model);
            }
            if let (Some(ratio), Some(marks)) = (ratio, marks) {
                line["ratio"] = json!(ratio);
                line["unsolvable"] = json!(marks);
            }
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}
