//! The greedy policy against the cheapest plan over CostBench queries, with or without blocking events.
//!
//! ```text
//! costbench [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A]
//!     [--max-cost B] [--block none|ban-tool|preference-change|cost-change|remove-tools] [--blocks K]
//!     [--paths] [--json]
//! ```
//!
//! Without `--queries` it takes 120 queries of its own. Defaults are those of the published tables: level
//! 2, seed 42, atomic costs from 15 to 25, noise 0.1, no event, one where a kind is named. Cost gap, AED,
//! ANED and EMR compare plans in the world as it is at the start. With `--block`, `gt_ned` says how far
//! events push the optimum away from its plan, and `blocked` compares both policies under events.

use std::{error::Error, fmt::Display, path::PathBuf, process::ExitCode};

use examples::{
    costbench_report::{CostReport, Paths, World, compare},
    program, query_file,
    table::{align, number},
};
use lexopt::prelude::*;
use serde::Serialize;
use tool_graph::costbench::{CostModel, EventKind, Library};

fn main() -> ExitCode {
    program::run(output)
}

const USAGE: &str = "\
costbench [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A]
    [--max-cost B] [--block none|ban-tool|preference-change|cost-change|remove-tools] [--blocks K]
    [--paths] [--json]

Compares the greedy policy with the cheapest plan over CostBench queries; without --queries it takes 120
queries of its own.
--refinement-level L  tasks have L + 3 steps, 2 by default
--seed S              seed of costs and events, 42 by default
--noise-std X         noise of the costs of composite tools, 0.1 by default
--min-cost A, --max-cost B
                      range of the costs of atomic tools, 15 to 25 by default
--block KIND          events that change the world during a run; `blocked` compares both under them
--blocks K            number of events per run, 1 by default
--paths               lists the plans of every query
--json                prints one JSON object
";

/// A run of the benchmark has no more calls, and an event needs one.
const MOST_EVENTS: usize = 20;

/// Kinds of events by their names in options.
const KINDS: [(&str, EventKind); 4] = [
    ("ban-tool", EventKind::BanTool),
    ("preference-change", EventKind::PreferenceChange),
    ("cost-change", EventKind::CostChange),
    ("remove-tools", EventKind::RemoveTools),
];

/// What was asked for, as the report repeats it.
#[derive(Clone, Serialize)]
struct Settings {
    refinement_level: usize,
    seed: u64,
    min_cost: f64,
    max_cost: f64,
    noise_std: f64,
    block: &'static str,
    blocks: usize,
}

struct Arguments {
    queries: Option<PathBuf>,
    settings: Settings,
    world: World,
    paths: bool,
    json: bool,
}

/// `None` where only the usage is asked for.
fn arguments() -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut settings = Settings {
        refinement_level: 2,
        seed: 42,
        min_cost: 15.0,
        max_cost: 25.0,
        noise_std: 0.1,
        block: "none",
        blocks: 1,
    };
    let (mut queries, mut paths, mut json) = (None, false, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("queries") => queries = Some(parser.value()?.into()),
            Long("refinement-level") => {
                settings.refinement_level =
                    program::value(&mut parser, "--refinement-level", whole_number)?;
            }
            Long("seed") => settings.seed = program::value(&mut parser, "--seed", program::seed)?,
            Long("noise-std") => {
                settings.noise_std = program::value(&mut parser, "--noise-std", number_of)?;
            }
            Long("min-cost") => {
                settings.min_cost = program::value(&mut parser, "--min-cost", number_of)?;
            }
            Long("max-cost") => {
                settings.max_cost = program::value(&mut parser, "--max-cost", number_of)?;
            }
            Long("block") => {
                settings.block = program::value(&mut parser, "--block", |name| {
                    let mut names = std::iter::once("none").chain(KINDS.map(|(name, _)| name));
                    names.find(|&known| known == name).ok_or(
                        "there are none, ban-tool, preference-change, cost-change and remove-tools",
                    )
                })?;
            }
            Long("blocks") => {
                settings.blocks = program::value(&mut parser, "--blocks", whole_number)?;
            }
            Long("paths") => paths = true,
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(program::unexpected(argument)),
        }
    }
    let world = world(&settings)?;
    if settings.block == "none" {
        settings.blocks = 0;
    }
    Ok(Some(Arguments { queries, settings, world, paths, json }))
}

fn number_of(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number")
}

fn whole_number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a whole number of at least 0")
}

fn wrong(option: &str, problem: impl Display) -> String {
    format!("{option}: {problem}")
}

fn world(settings: &Settings) -> Result<World, String> {
    let &Settings { refinement_level, seed, min_cost, max_cost, noise_std, block, blocks } =
        settings;
    let library =
        Library::new(refinement_level).map_err(|error| wrong("--refinement-level", error))?;
    let model = |option, max, noise| {
        CostModel::new(min_cost, max, noise).map_err(|error| wrong(option, error))
    };
    // One setting after the other, to know which one is wrong.
    model("--min-cost", min_cost, 0.0)?;
    model("--min-cost and --max-cost", max_cost, 0.0)?;
    let costs = model("--noise-std", max_cost, noise_std)?;
    let kind = KINDS.iter().find(|(name, _)| *name == block).map(|&(_, kind)| kind);
    let most = match kind {
        None => 1,
        // With one more, all ways to the goal could be gone.
        Some(EventKind::BanTool) => library.task_length() - 2,
        Some(_) => MOST_EVENTS,
    };
    if blocks == 0 {
        return Err(wrong("--blocks", "give 1 or more, or --block none"));
    }
    if blocks > most {
        return Err(match kind {
            None => {
                wrong("--blocks", "there is nothing to repeat; name a kind of event with --block")
            }
            Some(_) => wrong(
                "--blocks",
                format!(
                    "{blocks} are too many; give at most {most} for --block {block} at --refinement-level {refinement_level}"
                ),
            ),
        });
    }
    Ok(World { library, costs, seed, events: kind.map_or(vec![], |kind| vec![kind; blocks]) })
}

#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    settings: Settings,
    #[serde(flatten)]
    report: CostReport,
}

fn output() -> Result<String, Box<dyn Error>> {
    let Some(Arguments { queries, settings, world, paths, json }) = arguments()? else {
        return Ok([USAGE, query_file::FORMAT].concat());
    };
    let queries = match queries {
        Some(path) => query_file::read(&path)?,
        None => query_file::bundled(),
    };
    let report = compare(&queries, &world, paths)?;
    if json {
        return Ok(serde_json::to_string_pretty(&Output { settings, report })? + "\n");
    }
    Ok(table(&report, &settings))
}

fn table(report: &CostReport, settings: &Settings) -> String {
    let Settings { refinement_level, seed, min_cost, max_cost, noise_std, block, blocks } =
        settings;
    let percent = |value: Option<f64>| {
        value.map_or_else(|| "undefined".to_owned(), |value| format!("{:.2} %", value * 100.0))
    };
    let mut rows = vec![
        vec![String::new(), "no event".to_owned()],
        vec!["queries".to_owned(), report.queries.to_string()],
        vec!["mean_optimal_cost".to_owned(), number(report.mean_optimal_cost)],
        vec!["cost_gap (-)".to_owned(), number(report.cost_gap)],
        vec!["aed (-)".to_owned(), number(report.aed)],
        vec!["aned (-)".to_owned(), percent(report.aned)],
        vec!["emr (+)".to_owned(), percent(report.emr)],
    ];
    if let Some(blocked) = &report.blocked {
        let column = [
            format!("{blocks} {block}"),
            blocked.queries.to_string(),
            String::new(),
            String::new(),
            number(blocked.aed),
            percent(blocked.aned),
            percent(blocked.emr),
        ];
        rows.iter_mut().zip(column).for_each(|(row, cell)| row.push(cell));
        rows.push(vec!["completed (+)".to_owned(), String::new(), percent(blocked.completed)]);
    }
    if let Some(gt_ned) = report.gt_ned {
        rows.push(vec!["gt_ned".to_owned(), String::new(), number(gt_ned)]);
    }
    let mut text = format!(
        "greedy policy against the optimum; tasks of {} steps, seed {seed}, atomic costs {min_cost} to {max_cost}, noise {noise_std}; (+) higher is better, (-) lower\n\n{}",
        refinement_level + 3,
        align(&rows)
    );
    for paths in report.paths.iter().flatten() {
        text.push_str(&listed(paths));
    }
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// The paths of one query, a line each.
fn listed(paths: &Paths) -> String {
    let Paths { query_id, task, optimal, optimal_cost, greedy, greedy_cost, .. } = paths;
    let mut text = format!("\n{query_id} {task}\n");
    let mut line = |name: &str, path: &[String]| {
        text.push_str(&format!("  {name}: {}\n", path.join(" > ")));
    };
    line(&format!("optimal, {optimal_cost:.2}"), optimal);
    line(&format!("greedy, {greedy_cost:.2}"), greedy);
    if let Some(path) = &paths.blocked_optimal {
        line("optimal under events", path);
    }
    if let Some(path) = &paths.blocked_greedy {
        line("greedy under events", path);
    }
    text
}
