//! What should have been attempted under a budget, and how near a plan comes to it.
//!
//! ```text
//! triage [FILE] [--alpha A]… [--pool-size N]
//!     [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
//!     [--json] [--plot FILE.svg]
//! triage --knapsack FILE [--json]
//! ```
//!
//! FILE has a problem a line, `{"problem", "solved", "output_tokens", "value"?}`; without it bundled
//! problems are taken (made by `make_demo_traces`). Problems are cut into pools in order, and each pool
//! has a budget of alpha times what its problems cost. A planner's FILE is what a model wrote,
//! `{"plan": [{"id", "allocation"}…]}` within any prose, read for every pool; or JSON Lines with one
//! answer for each, `{"pool", "alpha"?, "answer"}`, pools counted from 0. With `--knapsack` one 0-1
//! knapsack `{"capacity", "profits", "weights"}` is solved instead.

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

use examples::{
    knapsack_file::{self, Solved},
    plan_file::PlanFile,
    pool_file, program,
    table::align,
    triage::{Estimate, Planner, Report, Settings, evaluate},
    triage_json::Output,
    triage_plot,
};
use knapsack_oracle::{Alpha, Pool};
use lexopt::prelude::*;

fn main() -> ExitCode {
    program::run(output)
}

struct Arguments {
    file: Option<PathBuf>,
    alphas: Vec<Alpha>,
    pool_size: usize,
    planner: String,
    knapsack: Option<PathBuf>,
    plot: Option<PathBuf>,
    json: bool,
    seed: u64,
}

/// Behind the name of a planner that sees costs or outcomes.
const INFORMED: &str = " (informed reference)";

const USAGE: &str = r#"triage [FILE] [--alpha A]… [--pool-size N]
    [--planner FILE|all-in-order|cheapest-first|random|oracle] [--seed N]
    [--json] [--plot FILE.svg]
triage --knapsack FILE [--json]

Scores which tasks were attempted under a budget, from a random plan (0) to the best one (1). Problems are
cut into pools in order, and each pool has a budget of alpha times what its problems cost. Without a FILE
the program takes bundled problems.
--alpha A          share of the costs that is the budget, above 0 and at most 1; may be given several
                   times, several shares by default
--pool-size N      problems of a pool, 30 by default
--planner PLANNER  who plans: all-in-order (default), cheapest-first, random or oracle, or a FILE of plans
--seed N           seed of the random planner's plans, 1 by default
--json             prints one JSON object
--plot FILE.svg    draws efficiency by alpha
--knapsack FILE    solves one 0-1 knapsack instead

A FILE of problems has JSON Lines, one problem per line, for example
  {"problem": "problem-000", "solved": true, "output_tokens": 1599, "value": 1}
problem        name of the problem; no two are the same
solved         whether it was solved in a run of its own: true, false, 1 or 0
output_tokens  what that run cost, a whole number
value          optional, 1 by default
Other fields are ignored.

A FILE of plans has what a model wrote, read for every pool, or JSON Lines with one answer for each pool,
counted from 0, and optionally each alpha, for example
  {"pool": 0, "alpha": 0.5, "answer": "My plan: {\"plan\": [{\"id\": \"problem-000\", \"allocation\": 1600}]}"}

A FILE of a knapsack has one JSON object, for example
  {"capacity": 10, "profits": [6, 5, 4], "weights": [6, 5, 5]}
"#;

/// `None` where only the usage is asked for.
fn arguments() -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut read = Arguments {
        file: None,
        alphas: Vec::new(),
        pool_size: 30,
        planner: "all-in-order".to_owned(),
        knapsack: None,
        plot: None,
        json: false,
        seed: 1,
    };
    let mut parser = lexopt::Parser::from_env();
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
            Long("knapsack") => read.knapsack = Some(parser.value()?.into()),
            Long("plot") => read.plot = Some(parser.value()?.into()),
            Long("json") => read.json = true,
            Long("seed") => read.seed = program::value(&mut parser, "--seed", program::seed)?,
            Long("help") | Short('h') => return Ok(None),
            Value(file) if read.file.is_none() => read.file = Some(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    if read.alphas.is_empty() {
        read.alphas = Alpha::SWEEP.to_vec();
    }
    Ok(Some(read))
}

fn output() -> Result<String, Box<dyn Error>> {
    let Some(arguments) = arguments()? else { return Ok(USAGE.to_owned()) };
    if let Some(path) = &arguments.knapsack {
        if arguments.file.is_some() || arguments.plot.is_some() {
            return Err("--knapsack solves its own file; leave FILE and --plot out".into());
        }
        let solved = knapsack_file::solve(path)?;
        return if arguments.json {
            Ok(serde_json::to_string(&solved)? + "\n")
        } else {
            Ok(knapsack_text(&solved))
        };
    }
    let path = arguments.file.clone().unwrap_or_else(|| program::bundled("demo_problems.jsonl"));
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
    let settings = Settings {
        alphas: arguments.alphas.clone(),
        pool_size: arguments.pool_size,
        planner,
        seed: arguments.seed,
    };
    let file = path.display().to_string();
    let report = evaluate(&problems, &settings).map_err(|error| format!("{file}: {error}"))?;
    if let Some(plot) = &arguments.plot {
        let mark = if report.informed { INFORMED } else { "" };
        let title = format!("Triage efficiency, planner {}{mark}", arguments.planner);
        let picture = triage_plot::svg(&report, &title)?;
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
        alphas: report.alphas.iter().map(|at| at.to_json()).collect(),
        notes: &report.notes,
    };
    Ok(serde_json::to_string_pretty(&object)? + "\n")
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

fn text(problems: &Pool, report: &Report, arguments: &Arguments) -> String {
    let cell = |estimate: Option<Estimate>| match estimate {
        None => "undefined".to_owned(),
        Some(Estimate { value, ci_low: Some(low), ci_high: Some(high), .. }) => {
            format!("{value:.3} [{low:.3}, {high:.3}]")
        }
        Some(Estimate { value, .. }) => format!("{value:.3}"),
    };
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
    for at in &report.alphas {
        for (what, counts) in [("plans", &at.readings), ("repairs", &at.repairs)] {
            if !counts.is_empty() {
                let counts: Vec<String> = counts
                    .iter()
                    .map(|(name, n)| format!("{n} {}", name.replace('_', " ")))
                    .collect();
                text.push_str(&format!("alpha {}: {what}: {}\n", at.alpha, counts.join(", ")));
            }
        }
    }
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}
