//! The greedy policy against the cheapest plan over CostBench queries, with or without blocking events.
//!
//! ```text
//! costbench [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A]
//!     [--max-cost B] [--block none|ban-tool|preference-change|cost-change|remove-tools|mixed]
//!     [--blocks K] [--rules paper|released] [--paths] [--json]
//! costbench --sweep [--levels L,…] [--noises X,…] [--most-blocks K] [--seeds S,…] [--resamples N] …
//! ```
//!
//! Without `--queries` it takes 120 queries of its own. Defaults are those of the published tables: level
//! 2, seed 42, atomic costs from 15 to 25, noise 0.1, no event, one where a kind is named. Cost gap, AED,
//! ANED and EMR compare plans in the world as it is at the start. With `--block`, `gt_ned` says how far
//! events push the optimum away from its plan, and `blocked` compares both policies under events.
//!
//! `--sweep` runs the greedy policy over task lengths, noise, kinds and numbers of events, and seeds, and
//! prints a table with 95 % bootstrap intervals for each (figures 2, 3, 5, 6 and 9, tables 7 to 9).

use std::{error::Error, ffi::OsString, fmt::Display, path::PathBuf};

use crate::{
    costbench::{
        query_file,
        report::{Block, CostReport, Paths, World, compare},
        sweep::{Estimate, Grid, Group, Row, Sweep, sweep},
    },
    output::{
        program,
        table::{align, number},
    },
};
use lexopt::prelude::*;
use serde::Serialize;
use tool_graph::{
    EnvironmentRules, RuleVersion,
    costbench::{CostModel, EventKind, Library},
};

const USAGE: &str = "\
costbench [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A]
    [--max-cost B] [--block none|ban-tool|preference-change|cost-change|remove-tools|mixed]
    [--blocks K] [--rules paper|released] [--paths] [--json]
costbench --sweep [--levels L,...] [--noises X,...] [--most-blocks K] [--seeds S,...] [--resamples N]
    [--queries FILE] [--refinement-level L] [--seed S] [--noise-std X] [--min-cost A] [--max-cost B]
    [--rules paper|released] [--json]

Compares the greedy policy with the cheapest plan over CostBench queries; without --queries it takes 120
queries of its own.
--refinement-level L  tasks have L + 3 steps; 0 to 10, 2 by default
--seed S              seed of costs and events, 42 by default
--noise-std X         noise of the costs of composite tools, 0.1 by default
--min-cost A, --max-cost B
                      range of the costs of atomic tools, 15 to 25 by default
--block KIND          events that change the world during a run; `blocked` compares both under them
--blocks K            number of events per run, 1 by default
--rules R             rules on which the paper and its released code differ, paper by default; tools are
                      removed as in the released code with either, as in the published figures
--paths               lists the plans of every query
--sweep               tables over task lengths, noise, kinds and numbers of events, and seeds
--levels L,...        refinement levels of a sweep, 0,1,2,3,4,5 by default
--noises X,...        noise levels of a sweep, 0.1,0.5,1,5,10 by default
--most-blocks K       largest number of events of a sweep, at level 4, 3 by default
--seeds S,...         further seeds of a sweep, 1000,2000,3000 by default
--resamples N         bootstrap replicates of a sweep, 10000 by default, 0 for no intervals
--json                prints one JSON object
";

/// A run of the benchmark has no more calls, and an event needs one.
const MOST_EVENTS: usize = 20;

/// The level at which a sweep changes the number of events: tasks of seven steps, as in figure 6.
const BLOCK_LEVEL: usize = 4;

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
    rules: &'static str,
}

/// What a sweep was asked for.
struct SweepSettings {
    levels: Vec<usize>,
    noises: Vec<f64>,
    most_blocks: usize,
    seeds: Vec<u64>,
    resamples: usize,
}

struct Arguments {
    queries: Option<PathBuf>,
    settings: Settings,
    world: World,
    sweep: Option<Grid>,
    paths: bool,
    json: bool,
}

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut settings = Settings {
        refinement_level: 2,
        seed: 42,
        min_cost: 15.0,
        max_cost: 25.0,
        noise_std: 0.1,
        block: "none",
        blocks: 1,
        rules: "paper",
    };
    let mut asked = SweepSettings {
        levels: vec![0, 1, 2, 3, 4, 5],
        noises: vec![0.1, 0.5, 1.0, 5.0, 10.0],
        most_blocks: 3,
        seeds: vec![1000, 2000, 3000],
        resamples: 10_000,
    };
    let (mut queries, mut is_sweep, mut paths, mut json) = (None, false, false, false);
    // The first option that only a sweep has, and the first that a sweep does not have.
    let (mut only_sweep, mut never_sweep) = (None, None);
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("levels" | "noises" | "most-blocks" | "seeds" | "resamples") => {
                only_sweep.get_or_insert(match &argument {
                    Long(name) => format!("--{name}"),
                    _ => String::new(),
                });
            }
            Long("block") => _ = never_sweep.get_or_insert("--block"),
            Long("blocks") => _ = never_sweep.get_or_insert("--blocks"),
            Long("paths") => _ = never_sweep.get_or_insert("--paths"),
            _ => {}
        }
        match argument {
            Long("queries") => queries = Some(parser.value()?.into()),
            Long("refinement-level") => {
                settings.refinement_level =
                    program::value(&mut parser, "--refinement-level", level)?;
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
                    let known = blocks().map(Block::name).find(|&known| known == name);
                    known.ok_or(
                        "there are none, ban-tool, preference-change, cost-change, remove-tools and mixed",
                    )
                })?;
            }
            Long("blocks") => {
                settings.blocks = program::value(&mut parser, "--blocks", whole_number)?;
            }
            Long("rules") => {
                settings.rules = program::value(&mut parser, "--rules", |name| {
                    let known = ["paper", "released"].into_iter().find(|&known| known == name);
                    known.ok_or("there are paper and released")
                })?;
            }
            Long("sweep") => is_sweep = true,
            Long("levels") => {
                asked.levels = program::value(&mut parser, "--levels", |t| list(t, level))?;
            }
            Long("noises") => {
                asked.noises = program::value(&mut parser, "--noises", |t| list(t, number_of))?;
            }
            Long("most-blocks") => {
                asked.most_blocks = program::value(&mut parser, "--most-blocks", whole_number)?;
            }
            Long("seeds") => {
                asked.seeds = program::value(&mut parser, "--seeds", |t| list(t, program::seed))?;
            }
            Long("resamples") => {
                asked.resamples = program::value(&mut parser, "--resamples", program::resamples)?;
            }
            Long("paths") => paths = true,
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(program::unexpected(argument)),
        }
    }
    match (is_sweep, only_sweep, never_sweep) {
        (false, Some(option), _) => {
            return Err(wrong(&option, "only a sweep has it; give --sweep too").into());
        }
        (true, _, Some(option)) => {
            return Err(wrong(option, "a sweep takes events of every kind; leave it out").into());
        }
        _ => {}
    }
    let world = world(&settings)?;
    if settings.block == "none" {
        settings.blocks = 0;
    }
    let sweep = if is_sweep { Some(grid(&world, &settings, asked)?) } else { None };
    Ok(Some(Arguments { queries, settings, world, sweep, paths, json }))
}

fn blocks() -> impl Iterator<Item = Block> {
    std::iter::once(Block::None).chain(Block::SOME)
}

fn number_of(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number")
}

fn whole_number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a whole number of at least 0")
}

/// A refinement level. The number of composite tools, and with it the time, grows fast with the level.
fn level(text: &str) -> Result<usize, &'static str> {
    whole_number(text).ok().filter(|level| *level <= 10).ok_or("give a whole number from 0 to 10")
}

/// Values between commas.
fn list<T>(
    text: &str,
    value: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, &'static str> {
    text.split(',').map(|part| value(part.trim())).collect()
}

fn wrong(option: &str, problem: impl Display) -> String {
    format!("{option}: {problem}")
}

fn world(settings: &Settings) -> Result<World, String> {
    let &Settings { refinement_level, seed, min_cost, max_cost, noise_std, block, blocks, rules } =
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
    let kind = self::blocks().find(|kind| kind.name() == block).unwrap_or(Block::None);
    let most = match kind {
        Block::None => 1,
        // With one more, all ways to the goal could be gone.
        Block::Kind(EventKind::BanTool) | Block::Mixed => library.task_length() - 2,
        Block::Kind(_) => MOST_EVENTS,
    };
    if blocks == 0 {
        return Err(wrong("--blocks", "give 1 or more, or --block none"));
    }
    if blocks > most {
        return Err(match kind {
            Block::None => {
                wrong("--blocks", "there is nothing to repeat; name a kind of event with --block")
            }
            _ => wrong(
                "--blocks",
                format!(
                    "{blocks} are too many; give at most {most} for --block {block} at --refinement-level {refinement_level}"
                ),
            ),
        });
    }
    let rules = match rules {
        "released" => EnvironmentRules::RELEASED,
        _ => EnvironmentRules { removals: RuleVersion::Released, ..EnvironmentRules::PAPER_TEXT },
    };
    let blocks = if kind == Block::None { 0 } else { blocks };
    Ok(World { library, costs, seed, block: kind, blocks, rules })
}

fn grid(world: &World, settings: &Settings, asked: SweepSettings) -> Result<Grid, String> {
    let SweepSettings { levels, noises, most_blocks, seeds, resamples } = asked;
    for &level in &levels {
        Library::new(level).map_err(|error| wrong("--levels", error))?;
    }
    let costs = |noise| {
        let model = CostModel::new(settings.min_cost, settings.max_cost, noise);
        model.map(|model| (noise, model)).map_err(|error| wrong("--noises", error))
    };
    let noises = noises.into_iter().map(costs).collect::<Result<_, _>>()?;
    let most = BLOCK_LEVEL + 1;
    if most_blocks > most {
        let problem = format!("{most_blocks} are too many; give at most {most}");
        return Err(wrong("--most-blocks", problem));
    }
    Ok(Grid {
        base: world.clone(),
        noise_std: settings.noise_std,
        levels,
        noises,
        most_blocks,
        block_level: BLOCK_LEVEL,
        seeds,
        resamples,
    })
}

#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    settings: Settings,
    #[serde(flatten)]
    report: CostReport,
}

#[derive(Serialize)]
struct SweepOutput {
    refinement_level: usize,
    seed: u64,
    min_cost: f64,
    max_cost: f64,
    noise_std: f64,
    rules: &'static str,
    #[serde(flatten)]
    sweep: Sweep,
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(Arguments { queries, settings, world, sweep: grid, paths, json }) = arguments(given)?
    else {
        return Ok([USAGE, query_file::FORMAT].concat());
    };
    let queries = match queries {
        Some(path) => query_file::read(&path)?,
        None => query_file::bundled(),
    };
    if let Some(grid) = grid {
        let sweep = sweep(&queries, &grid)?;
        let Settings { refinement_level, seed, min_cost, max_cost, noise_std, rules, .. } =
            settings;
        if json {
            let output =
                SweepOutput { refinement_level, seed, min_cost, max_cost, noise_std, rules, sweep };
            return Ok(serde_json::to_string_pretty(&output)? + "\n");
        }
        return Ok(sweep_tables(&sweep, &settings));
    }
    let report = compare(&queries, &world, paths)?;
    if json {
        return Ok(serde_json::to_string_pretty(&Output { settings, report })? + "\n");
    }
    Ok(table(&report, &settings))
}

fn sweep_tables(sweep: &Sweep, settings: &Settings) -> String {
    let mut text = format!(
        "greedy policy against the optimum, each value with half its 95 % bootstrap interval ({} replicates); atomic costs {} to {}, rules of the {}; (+) higher is better, (-) lower\n",
        sweep.resamples,
        settings.min_cost,
        settings.max_cost,
        if settings.rules == "paper" { "paper" } else { "released code" },
    );
    for group in &sweep.groups {
        text.push_str(&format!("\n{} ({})\n{}", group.name, group.figure, group_table(group)));
    }
    text
}

fn group_table(group: &Group) -> String {
    let header = [
        "length",
        "noise",
        "seed",
        "events",
        "queries",
        "completed (+)",
        "cost gap (-)",
        "AED (-)",
        "ANED % (-)",
        "EMR % (+)",
        "calls",
        "repeated",
        "extra",
        "wrong",
        "inaccessible",
        "GT-NED",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(group.rows.iter().map(group_row));
    align(&rows)
}

fn group_row(row: &Row) -> Vec<String> {
    let with_radius = |value: Option<Estimate>, scale: f64, places: usize| match value {
        None => "-".to_owned(),
        Some(value) => {
            let radius = value.radius().map(|radius| format!(" ± {:.places$}", radius * scale));
            format!("{:.places$}{}", value.estimate * scale, radius.unwrap_or_default())
        }
    };
    let failures = &row.failures;
    let events = match row.blocks {
        0 => "none".to_owned(),
        blocks => format!("{blocks} {}", row.block),
    };
    vec![
        (row.refinement_level + 3).to_string(),
        row.noise_std.to_string(),
        row.seed.to_string(),
        events,
        row.queries.to_string(),
        with_radius(row.completed, 1.0, 3),
        with_radius(row.cost_gap, 1.0, 3),
        with_radius(row.aed, 1.0, 3),
        with_radius(row.aned, 100.0, 2),
        with_radius(row.emr, 100.0, 2),
        with_radius(row.tool_calls, 1.0, 2),
        failures.repeated.to_string(),
        failures.extra.to_string(),
        failures.wrong_parameters.to_string(),
        failures.inaccessible.to_string(),
        row.gt_ned.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}")),
    ]
}

fn table(report: &CostReport, settings: &Settings) -> String {
    let Settings { refinement_level, seed, min_cost, max_cost, noise_std, block, blocks, .. } =
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
