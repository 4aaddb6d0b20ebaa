//! What should have been attempted under a budget, and how near a plan comes to it.
//!
//! ```text
//! triage [FILE] [--alpha A]… [--pool-size N]
//!     [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
//!     [--capped FILE] [--unsolvable FILE [--ratio R]…] [--write-pools FILE]
//!     [--json] [--html FILE] [--plot FILE.svg|png]
//! triage --variants FILE [--json]
//! triage --re-solved FILE [--json]
//! triage --knapsack FILE [--json]
//! ```
//!
//! FILE has a problem a line, `{"problem", "solved", "output_tokens", "value"?}`; without it bundled
//! problems are taken (made by `demo-data`). Problems are cut into pools in order, and each pool
//! has a budget of alpha times what its problems cost. A planner's FILE is what a model wrote,
//! `{"plan": [{"id", "allocation"}…]}` within any prose, read for every pool; or JSON Lines with one
//! answer for each, `{"pool", "alpha"?, "ratio"?, "answer"}`, pools counted from 0.
//!
//! `--unsolvable` injects unsolvable problems into the pools at each ratio and reports how many of them
//! the plans leave out (detection) and how much they allocate to them (waste). `--capped` gives the
//! outcomes of attempts that were really cut off at their allocations. `--variants` prints scores by
//! model, mode and alpha under several variants of a prompt, with ranges and the agreement of rankings.
//! `--re-solved` counts what changes if a model knows its allocations. `--knapsack` solves one 0-1
//! knapsack `{"capacity", "profits", "weights"}`.

use std::{error::Error, path::Path};

use crate::{
    files::bundled,
    output::{form::Forms, program, program::Written, table::Layout},
    plain,
    report::{self, figure::Figures},
    triage::{
        capped_file::CappedRuns,
        evaluation::{Planner, Pools, Settings, evaluate, pools},
        figures::{AtAlpha, Estimate, Report},
        json::Output,
        knapsack_file::{self, Solved},
        options::Options,
        plan_file::PlanFile,
        pool_file, re_solved_file, variant_file,
    },
};
use knapsack_oracle::{Alpha, Pool};
use serde_json::json;

/// Files that are read in place of problems.
#[derive(Clone, Copy)]
enum Other {
    Knapsack,
    ReSolved,
    Variants,
}

/// Behind the name of a planner that sees costs or outcomes.
const INFORMED: &str = " (informed reference)";

pub(crate) fn output(mut arguments: Options) -> Result<Written, Box<dyn Error>> {
    if arguments.unsolvable.is_none() && !arguments.ratios.is_empty() {
        return Err("--ratio needs --unsolvable with a file of unsolvable problems".into());
    }
    if arguments.ratios.is_empty() {
        arguments.ratios = vec![0.25, 0.5, 0.75, 1.0];
    }
    if arguments.alphas.is_empty() {
        arguments.alphas = Alpha::SWEEP.to_vec();
    }
    let other = [
        (Other::Knapsack, &arguments.knapsack),
        (Other::ReSolved, &arguments.re_solved),
        (Other::Variants, &arguments.variants),
    ];
    let other = other.into_iter().find_map(|(other, path)| Some((other, path.as_ref()?)));
    if let Some((other, path)) = other {
        let extra = [&arguments.file, &arguments.capped, &arguments.unsolvable];
        if extra.into_iter().chain([&arguments.write_pools]).any(Option::is_some) {
            return Err(
                "--knapsack, --re-solved and --variants have their own file; leave out FILE, \
                        --capped, --unsolvable and --write-pools"
                    .into(),
            );
        }
        return other_output(other, path, &arguments.forms);
    }
    let path = arguments.file.clone().unwrap_or_else(|| bundled::path("demo_problems.jsonl"));
    let problems = pool_file::read(&path)?;
    let planner = match arguments.planner.as_str() {
        "all-in-order" => Planner::AllInOrder,
        "cheapest-first" => Planner::CheapestFirst,
        "random" => Planner::Random,
        "oracle" => Planner::Oracle,
        file => {
            let pools = problems.items().len().div_ceil(arguments.pool_size);
            Planner::File(PlanFile::read(Path::new(file), pools)?)
        }
    };
    let unsolvable = match &arguments.unsolvable {
        Some(path) => Some((unsolvable(path)?, arguments.ratios.clone())),
        None => None,
    };
    let settings = Settings {
        alphas: arguments.alphas.clone(),
        pool_size: arguments.pool_size,
        planner,
        capped: arguments.capped.as_deref().map(CappedRuns::read).transpose()?,
        unsolvable,
        seed: arguments.seed,
    };
    let file = path.display().to_string();
    let pools = pools(&problems, &settings).map_err(|error| {
        let file = arguments.unsolvable.as_ref().map(|path| path.display().to_string());
        format!("{}: {error}", file.as_ref().unwrap_or(&path.display().to_string()))
    })?;
    if let Some(path) = &arguments.write_pools {
        program::write_file(path, pool_lines(&pools, &settings.alphas).as_bytes())?;
    }
    let report =
        evaluate(&problems, &pools, &settings).map_err(|error| format!("{file}: {error}"))?;
    let object = Output {
        file: &file,
        problems: problems.items().len(),
        solved: solved(&problems),
        pool_size: arguments.pool_size,
        planner: &arguments.planner,
        informed: report.informed,
        seed: arguments.seed,
        alphas: report.alphas.iter().map(AtAlpha::to_json).collect(),
        injections: settings
            .unsolvable
            .is_some()
            .then(|| report.injections.iter().map(AtAlpha::to_json).collect()),
        notes: &report.notes,
    };
    arguments.forms.write(
        "triage",
        |layout| Ok(text(&problems, &report, &arguments, layout)),
        || Ok(report::files::json("triage", &object, Figures::new())?),
    )
}

/// The tables of a file that is read in place of problems.
fn other_output(other: Other, path: &Path, forms: &Forms) -> Result<Written, Box<dyn Error>> {
    let named = |error: Box<dyn Error>| format!("{}: {error}", path.display());
    let line = |object: &serde_json::Value| Ok(serde_json::to_string(object)? + "\n");
    match other {
        Other::Knapsack => {
            let solved = knapsack_file::solve(path)?;
            let json = || line(&serde_json::to_value(&solved)?);
            forms.write("triage", |_| Ok(knapsack_text(&solved)), json)
        }
        Other::ReSolved => {
            let counts = re_solved_file::read(path)?;
            let models = re_solved_file::to_json(&counts).map_err(named)?;
            let object = json!({ "file": path.display().to_string(), "models": models });
            let table = |layout| Ok(re_solved_file::to_text(&counts, layout).map_err(named)?);
            forms.write("triage", table, || line(&object))
        }
        Other::Variants => {
            let tables = variant_file::read(path)?;
            let objects: Vec<_> = tables
                .iter()
                .map(|table| table.to_json().map_err(named))
                .collect::<Result<_, _>>()?;
            let object = json!({ "file": path.display().to_string(), "tables": objects });
            let table = |layout| {
                let texts = tables.iter().map(|table| table.to_text(layout).map_err(named));
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
            };
            forms.write("triage", table, || line(&object))
        }
    }
}

/// Reads unsolvable problems. None of them may be solved.
fn unsolvable(path: &Path) -> Result<Pool, Box<dyn Error>> {
    let pool = pool_file::read(path)?;
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

fn solved(problems: &Pool) -> usize {
    problems.items().iter().filter(|item| item.is_solved()).count()
}

fn knapsack_text(solved: &Solved) -> String {
    format!(
        "value {}, {} items, {}, {:.6} s\nitems: {:?}\n",
        solved.value,
        solved.chosen.len(),
        if solved.optimal { "proved to be best" } else { "not proved to be best" },
        solved.seconds,
        solved.chosen
    )
}

/// A mean with its interval.
fn cell(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "undefined".to_owned(),
        Some(Estimate { value, ci_low: Some(low), ci_high: Some(high), .. }) => {
            format!("{value:.3} [{low:.3}, {high:.3}]")
        }
        Some(Estimate { value, .. }) => format!("{value:.3}"),
    }
}

fn text(problems: &Pool, report: &Report, arguments: &Options, layout: Layout) -> String {
    let header = [
        "alpha",
        "pools",
        "oracle",
        "random",
        "eta advisory",
        "eta enforced",
        "regret advisory",
        "regret enforced",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for at in &report.alphas {
        let [advisory, enforced] = &at.figures;
        rows.push(vec![
            at.alpha.to_string(),
            at.planned.to_string(),
            format!("{:.3}", at.oracle),
            format!("{:.3}", at.random_exact.unwrap_or(at.random_sampled)),
            cell(advisory.eta),
            cell(enforced.eta),
            cell(advisory.regret),
            cell(enforced.regret),
        ]);
    }
    let mut text = format!(
        "{} problems, {} solved, in pools of {}; planner {}{}\n\
         eta: 0 is a random planner, 1 the oracle; regret: share of the oracle's value not earned; \
         95 % intervals over pools\n\n{}",
        problems.items().len(),
        solved(problems),
        arguments.pool_size,
        plain::line(&arguments.planner),
        if report.informed { INFORMED } else { "" },
        layout.table(&rows)
    );
    if !report.injections.is_empty() {
        text.push_str(&format!(
            "\nwith unsolvable problems in place of a share (ratio) of each pool; detection: share of \
             them that the plans leave out; waste: share of all allocations that goes to them\n\n{}",
            layout.table(&injection_rows(&report.injections))
        ));
    }
    for at in report.alphas.iter().chain(&report.injections) {
        for (what, counts) in [("plans", &at.readings), ("repairs", &at.repairs)] {
            if !counts.is_empty() {
                let counts: Vec<String> = counts
                    .iter()
                    .map(|(name, n)| format!("{n} {}", name.replace('_', " ")))
                    .collect();
                text.push_str(&format!("{}: {what}: {}\n", at.place(), counts.join(", ")));
            }
        }
    }
    for note in &report.notes {
        text.push_str(&plain::note(note));
    }
    text
}

fn injection_rows(injections: &[AtAlpha]) -> Vec<Vec<String>> {
    let header = [
        "ratio",
        "alpha",
        "pools",
        "unsolvable",
        "detection",
        "waste",
        "eta advisory",
        "eta enforced",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for at in injections {
        let counts = at.unsolvable.unwrap_or_default();
        let [advisory, enforced] = &at.figures;
        rows.push(vec![
            at.ratio.unwrap_or(0.0).to_string(),
            at.alpha.to_string(),
            at.planned.to_string(),
            counts.unsolvable.to_string(),
            cell(at.detection),
            cell(at.waste),
            cell(advisory.eta),
            cell(enforced.eta),
        ]);
    }
    rows
}
