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

use std::error::Error;

use agent_scorecard::{
    Account, Column, Report,
    knapsack_oracle::{Alpha, Pool},
    triage::{
        Answers, METRICS, Planner, Pools, TriageOptions, VariantTable, evaluate, pools,
        read_re_solved,
    },
};
use clap::ValueHint::AnyPath;
use run_logs::{json_lines::InputError, read_capped_runs, read_pool, read_pools};

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

/// Scores how well a plan chooses the tasks to attempt under a budget, from 0 (random plan) to 1 (best plan)
#[derive(Debug, clap::Args)]
#[command(after_help = [include_str!("help/triage.txt"), &rows(&METRICS)].concat())]
pub(crate) struct Options {
    /// File of problems. They are split into pools in the order of the file, and the budget of a pool is alpha times
    /// the cost of its problems. Without a file, bundled problems are used
    #[arg(value_name = "FILE", value_hint = AnyPath)]
    file: Option<Source>,
    #[command(flatten)]
    how: TriageOptions,
    #[command(flatten)]
    with: With,
    /// Write the pools to this file as JSON Lines, so that a model can be asked for a plan of each pool
    #[arg(long, value_name = "FILE")]
    write_pools: Option<Output>,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn output(arguments: Options) -> Result<Written, Box<dyn Error>> {
    let Options { file, how, with, write_pools, forms } = arguments;
    let mut lines = String::new();
    let write = |model: Option<&str>, pools: &[Pools], alphas: &[Alpha]| match &write_pools {
        Some(path) => {
            lines.extend(pools.iter().map(|pools| pools.lines(model, alphas)));
            program::write_file(path, lines.as_bytes())
        }
        None => Ok(()),
    };
    forms.show(report(file, how, &with, forms.has_figures(), write)?)
}

/// The planner, and files with further data: the outcomes of cut-off attempts, and unsolvable problems.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct With {
    /// Planner: all-in-order, cheapest-first, random or oracle, or a FILE of plans
    #[arg(long, default_value = "all-in-order", value_hint = AnyPath)]
    pub planner: Option<Source>,
    /// File with the outcomes of attempts that were cut off at their allocations (enforced regime). An attempt that is
    /// not in this file counts as solved if the run without a limit solved the problem and cost at most the allocation
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub capped: Option<Source>,
    /// File of unsolvable problems. They replace a share of the problems in each pool (--ratio)
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub unsolvable: Option<Source>,
}

/// Returns the report on these problems, separately for each model. `look` receives each model and its pools before
/// they are evaluated.
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
        lead: "eta is the efficiency: 0 for a random plan, 1 for the best one (the oracle), higher is better; regret is the share of the oracle's value that the plan does not earn, lower is better; 95 % intervals over pools"
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

/// Returns the report on problems that were attempted again with their allocation disclosed.
///
/// # Errors
///
/// Errors of reading.
pub fn re_solved(source: &Source) -> Result<Report, Box<dyn Error>> {
    let file = source.name();
    let counts = read_re_solved(&file, &source.bytes()?)?;
    Ok(Report {
        title: "Attempts with a disclosed budget".to_owned(),
        lead: "problems attempted without and with a disclosed budget; accuracy is the share of problems solved, compliance the share of attempts within their allocation; 95 % intervals treat problems as independent"
            .to_owned(),
        ..Report::of_columns(vec![(file, None, agent_scorecard::triage::re_solved(&counts))])
    })
}

/// The name of the score file in a folder of `run triage`.
pub(crate) const SCORES: &str = "scores.jsonl";

/// Returns the report on triage scores under several variants of a prompt.
///
/// # Errors
///
/// Errors of reading and comparing.
pub fn triage_variants(sources: &[Source]) -> Result<Report, Box<dyn Error>> {
    // A folder of `run triage` has its scores in a file.
    let of = |source: &Source| match source.path().is_dir() {
        true => Source::from(source.path().join(SCORES)),
        false => source.clone(),
    };
    let sources: Vec<Source> = sources.iter().map(of).collect();
    let names: Vec<String> = sources.iter().map(Source::name).collect();
    let names = names.join(", ");
    let mut scores = VariantTable::default();
    for source in &sources {
        scores.read(&source.name(), &source.bytes()?)?;
    }
    let block = scores.block().map_err(|it| InputError::of_file(&names, it.to_string()))?;
    Ok(Report {
        title: "Triage under variants of a prompt".to_owned(),
        lead: "efficiency (eta) as means over data sets; a range is a model's largest mean under the variants minus its smallest"
            .to_owned(),
        ..Report::of_columns(vec![(names, None, block)])
    })
}
