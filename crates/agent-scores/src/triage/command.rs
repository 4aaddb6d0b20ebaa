//! What should have been attempted under a budget, and how near a plan comes to it.
//!
//! ```text
//! triage [FILE] [--alpha A]… [--pool-size N]
//!     [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
//!     [--capped FILE] [--unsolvable FILE [--ratio R]…] [--write-pools FILE]
//!     [--json] [--plot FILE.svg]
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

use std::{
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    files::bundled,
    output::{program, table::align},
    triage::{
        capped_file::CappedRuns,
        evaluation::{Planner, Pools, Settings, evaluate, pools},
        figures::{AtAlpha, Estimate, Report},
        json::Output,
        knapsack_file::{self, Solved},
        plan_file::PlanFile,
        plot, pool_file, re_solved_file, variant_file,
    },
};
use knapsack_oracle::{Alpha, Pool};
use lexopt::prelude::*;
use serde_json::json;

struct Arguments {
    file: Option<PathBuf>,
    alphas: Vec<Alpha>,
    pool_size: usize,
    planner: String,
    capped: Option<PathBuf>,
    unsolvable: Option<PathBuf>,
    ratios: Vec<f64>,
    write_pools: Option<PathBuf>,
    /// Another file in place of problems, and what it has.
    other: Option<(Other, PathBuf)>,
    plot: Option<PathBuf>,
    json: bool,
    seed: u64,
}

/// Files that are read in place of problems.
#[derive(Clone, Copy)]
enum Other {
    Knapsack,
    ReSolved,
    Variants,
}

/// Behind the name of a planner that sees costs or outcomes.
const INFORMED: &str = " (informed reference)";

const USAGE: &str = r#"triage [FILE] [--alpha A]… [--pool-size N]
    [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
    [--capped FILE] [--unsolvable FILE [--ratio R]…] [--write-pools FILE]
    [--json] [--plot FILE.svg]
triage --variants FILE [--json]
triage --re-solved FILE [--json]
triage --knapsack FILE [--json]

Scores which tasks were attempted under a budget, from a random plan (0) to the best one (1). Problems are
cut into pools in order, and each pool has a budget of alpha times what its problems cost. Without a FILE
the program takes bundled problems.
--alpha A          share of the costs that is the budget, above 0 and at most 1; may be given several
                   times, several shares by default
--pool-size N      problems of a pool, 30 by default
--planner PLANNER  who plans: all-in-order (default), cheapest-first, random or oracle, or a FILE of plans
--seed N           seed of everything random, 1 by default
--capped FILE      outcomes of attempts that were really cut off at their allocations, for the enforced
                   regime; without them, an attempt counts as solved if its problem was solved at a
                   cost of at most the allocation
--unsolvable FILE  unsolvable problems, which replace problems of each pool
--ratio R          share of a pool that is replaced, from 0 to 1; may be given several times, 0.25, 0.5,
                   0.75 and 1 by default
--write-pools FILE writes the pools as JSON Lines, so that a model can be asked for a plan of each
--json             prints one JSON object
--plot FILE.svg    draws efficiency by alpha
--variants FILE    prints scores under several variants of a prompt instead
--re-solved FILE   counts what changed when problems were attempted again with a disclosed budget instead
--knapsack FILE    solves one 0-1 knapsack instead

A FILE of problems has JSON Lines, one problem per line, for example
  {"problem": "problem-000", "solved": true, "output_tokens": 1599, "value": 1}
problem        name of the problem; no two are the same
solved         whether it was solved in a run of its own: true, false, 1 or 0
output_tokens  what that run cost, a whole number
value          optional, 1 by default
Other fields are ignored.

A FILE of unsolvable problems has the same lines, and none of the problems is solved.

A FILE of plans has what a model wrote, read for every pool, or JSON Lines with one answer for each pool,
counted from 0, and optionally each alpha and each ratio of unsolvable problems, for example
  {"pool": 0, "alpha": 0.5, "answer": "My plan: {\"plan\": [{\"id\": \"problem-000\", \"allocation\": 1600}]}"}
An answer without a ratio is for the pools without unsolvable problems.

A FILE of capped attempts has JSON Lines, for example
  {"problem": "problem-000", "allocation": 1600, "solved": true}

A FILE of variants has JSON Lines, for example
  {"model": "M", "mode": "think", "dataset": "AIME", "variant": "A", "alpha": 0.5, "eta_advisory": 0.61, "eta_enforced": -0.2}
mode, dataset and variant are optional, and so is one of the scores. Scores are averaged over data sets,
and each model, mode and alpha needs the same data sets under every variant.

A FILE of problems that were attempted again has JSON Lines, for example
  {"model": "M", "dataset": "AIME", "allocation": 900, "output_tokens": 1100, "solved_before": false, "solved_after": true}
output_tokens is the cost of the attempt with the disclosed budget; model and dataset are optional.

A FILE of a knapsack has one JSON object, for example
  {"capacity": 10, "profits": [6, 5, 4], "weights": [6, 5, 5]}
"#;

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut read = Arguments {
        file: None,
        alphas: Vec::new(),
        pool_size: 30,
        planner: "all-in-order".to_owned(),
        capped: None,
        unsolvable: None,
        ratios: Vec::new(),
        write_pools: None,
        other: None,
        plot: None,
        json: false,
        seed: 1,
    };
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("alpha") => {
                let alpha = program::value(&mut parser, "--alpha", |text| {
                    let number = text.parse().map_err(|_| "give a number above 0 and at most 1");
                    Alpha::new(number?).map_err(|_| "give a number above 0 and at most 1")
                })?;
                read.alphas.push(alpha);
            }
            Long("pool-size") => {
                read.pool_size =
                    program::value(&mut parser, "--pool-size", |text| match text.parse() {
                        Ok(n) if n > 0 => Ok(n),
                        _ => Err("give a whole number of at least 1"),
                    })?;
            }
            Long("planner") => read.planner = parser.value()?.string()?,
            Long("capped") => read.capped = Some(parser.value()?.into()),
            Long("unsolvable") => read.unsolvable = Some(parser.value()?.into()),
            Long("ratio") => {
                let ratio =
                    program::value(&mut parser, "--ratio", |text| match text.parse::<f64>() {
                        // Adding 0 turns -0 into 0.
                        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio + 0.0),
                        _ => Err("give a number from 0 to 1"),
                    })?;
                read.ratios.push(ratio);
            }
            Long("write-pools") => read.write_pools = Some(parser.value()?.into()),
            Long("knapsack") if read.other.is_none() => {
                read.other = Some((Other::Knapsack, parser.value()?.into()));
            }
            Long("re-solved") if read.other.is_none() => {
                read.other = Some((Other::ReSolved, parser.value()?.into()));
            }
            Long("variants") if read.other.is_none() => {
                read.other = Some((Other::Variants, parser.value()?.into()));
            }
            Long("plot") => read.plot = Some(parser.value()?.into()),
            Long("json") => read.json = true,
            Long("seed") => read.seed = program::value(&mut parser, "--seed", program::seed)?,
            Long("help") | Short('h') => return Ok(None),
            Value(file) if read.file.is_none() => read.file = Some(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if read.unsolvable.is_none() && !read.ratios.is_empty() {
        return Err("--ratio needs --unsolvable with a file of unsolvable problems".into());
    }
    if read.ratios.is_empty() {
        read.ratios = vec![0.25, 0.5, 0.75, 1.0];
    }
    if read.alphas.is_empty() {
        read.alphas = Alpha::SWEEP.to_vec();
    }
    Ok(Some(read))
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(arguments) = arguments(given)? else { return Ok(USAGE.to_owned()) };
    if let Some((other, path)) = &arguments.other {
        let extra = [&arguments.file, &arguments.plot, &arguments.capped, &arguments.unsolvable];
        if extra.into_iter().chain([&arguments.write_pools]).any(Option::is_some) {
            return Err(
                "--knapsack, --re-solved and --variants have their own file; leave out FILE, \
                        --plot, --capped, --unsolvable and --write-pools"
                    .into(),
            );
        }
        return other_output(*other, path, arguments.json);
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
        std::fs::write(path, pool_lines(&pools, &settings.alphas))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let report =
        evaluate(&problems, &pools, &settings).map_err(|error| format!("{file}: {error}"))?;
    if let Some(plot) = &arguments.plot {
        let mark = if report.informed { INFORMED } else { "" };
        let title = format!("Triage efficiency, planner {}{mark}", arguments.planner);
        let picture = plot::svg(&report, &title)?;
        program::write_picture(plot, &picture)?;
    }
    if !arguments.json {
        return Ok(text(&problems, &report, &arguments));
    }
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
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

/// The tables of a file that is read in place of problems.
fn other_output(other: Other, path: &Path, json: bool) -> Result<String, Box<dyn Error>> {
    let named = |error: Box<dyn Error>| format!("{}: {error}", path.display());
    let (text, object) = match other {
        Other::Knapsack => {
            let solved = knapsack_file::solve(path)?;
            (knapsack_text(&solved), serde_json::to_value(&solved)?)
        }
        Other::ReSolved => {
            let counts = re_solved_file::read(path)?;
            let models = re_solved_file::to_json(&counts).map_err(named)?;
            let object = json!({ "file": path.display().to_string(), "models": models });
            (re_solved_file::to_text(&counts).map_err(named)?, object)
        }
        Other::Variants => {
            let tables = variant_file::read(path)?;
            let (mut texts, mut objects) = (Vec::new(), Vec::new());
            for table in &tables {
                texts.push(table.to_text().map_err(named)?);
                objects.push(table.to_json().map_err(named)?);
            }
            let object = json!({ "file": path.display().to_string(), "tables": objects });
            (texts.join("\n"), object)
        }
    };
    Ok(if json { serde_json::to_string(&object)? + "\n" } else { text })
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

fn text(problems: &Pool, report: &Report, arguments: &Arguments) -> String {
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
        arguments.planner,
        if report.informed { INFORMED } else { "" },
        align(&rows)
    );
    if !report.injections.is_empty() {
        text.push_str(&format!(
            "\nwith unsolvable problems in place of a share (ratio) of each pool; detection: share of \
             them that the plans leave out; waste: share of all allocations that goes to them\n\n{}",
            align(&injection_rows(&report.injections))
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
        text.push_str(&format!("note: {note}\n"));
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
