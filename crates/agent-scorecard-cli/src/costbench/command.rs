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

use std::{error::Error, fmt::Display, path::PathBuf};

use crate::{
    costbench::{
        options::{self, Options},
        query_file::{self, Query},
        report::{Block, CostReport, Paths, World, compare, drawn_plan},
        sweep::{Estimate, Grid, Group, Row, Sweep, sweep},
    },
    output::{
        form::Forms,
        program::Written,
        table::{Layout, number},
    },
    plain,
    report::{self, figure::Figures, plan_graph::plan_graph},
};
use serde::Serialize;
use tool_graph::{
    EnvironmentRules, LeftOutCounts, RuleVersion,
    costbench::{CostModel, EventKind, Library},
};

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
    forms: Forms,
}

fn arguments(options: Options) -> Result<Arguments, Box<dyn Error>> {
    if let Some((option, problem)) = options.misplaced() {
        return Err(wrong(option, problem).into());
    }
    let Options { queries, refinement_level, seed, min_cost, max_cost, noise_std, rules, .. } =
        options;
    let (block, blocks) = (options.block.unwrap_or("none"), options.blocks.unwrap_or(1));
    let mut settings =
        Settings { refinement_level, seed, min_cost, max_cost, noise_std, block, blocks, rules };
    let world = world(&settings)?;
    if settings.block == "none" {
        settings.blocks = 0;
    }
    let sweep = if options.sweep {
        let asked = SweepSettings {
            levels: options.levels.map_or(vec![0, 1, 2, 3, 4, 5], |all| all.to_vec()),
            noises: options.noises.map_or(vec![0.1, 0.5, 1.0, 5.0, 10.0], |all| all.to_vec()),
            most_blocks: options.most_blocks.unwrap_or(3),
            seeds: options.seeds.map_or(vec![1000, 2000, 3000], |all| all.to_vec()),
            resamples: options.resamples.unwrap_or(10_000),
        };
        Some(grid(&world, &settings, asked)?)
    } else {
        None
    };
    Ok(Arguments { queries, settings, world, sweep, paths: options.paths, forms: options.forms })
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
    let kind = options::blocks().find(|kind| kind.name() == block).unwrap_or(Block::None);
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
        _ => EnvironmentRules {
            removals: RuleVersion::Released,
            counted_runs: RuleVersion::Released,
            ..EnvironmentRules::PAPER_TEXT
        },
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
struct Output<'a> {
    #[serde(flatten)]
    settings: &'a Settings,
    #[serde(flatten)]
    report: &'a CostReport,
}

#[derive(Serialize)]
struct SweepOutput<'a> {
    refinement_level: usize,
    seed: u64,
    min_cost: f64,
    max_cost: f64,
    noise_std: f64,
    rules: &'static str,
    #[serde(flatten)]
    sweep: &'a Sweep,
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Arguments { queries, settings, world, sweep: grid, paths, forms } = arguments(options)?;
    let queries = match queries {
        Some(path) => query_file::read(&path)?,
        None => query_file::bundled(),
    };
    if let Some(grid) = grid {
        let sweep = sweep(&queries, &grid)?;
        let Settings { refinement_level, seed, min_cost, max_cost, noise_std, rules, .. } =
            settings;
        return forms.write(
            "costbench",
            |layout| Ok(sweep_tables(&sweep, &settings, layout)),
            || {
                let output = SweepOutput {
                    refinement_level,
                    seed,
                    min_cost,
                    max_cost,
                    noise_std,
                    rules,
                    sweep: &sweep,
                };
                Ok(report::files::json("costbench", &output, Figures::new())?)
            },
        );
    }
    let report = compare(&queries, &world, paths)?;
    let settings = &settings;
    forms.write(
        "costbench",
        |layout| Ok(table(&report, settings, layout)),
        || {
            let curves = plan_curve(&queries, &world)?;
            Ok(report::files::json("costbench", &Output { settings, report: &report }, curves)?)
        },
    )
}

/// The plan of the first query as a figure.
fn plan_curve(queries: &[Query], world: &World) -> Result<Figures, Box<dyn Error>> {
    let Some(query) = queries.first() else { return Ok(Figures::new()) };
    let plan = drawn_plan(query, world)?;
    let mut figure = plan_graph(&query.query_id, &plan.optimal, &plan.greedy);
    figure.note = format!("{} {}", figure.note, plan.words);
    Ok([("plan".to_owned(), figure)].into())
}

fn sweep_tables(sweep: &Sweep, settings: &Settings, layout: Layout) -> String {
    let mut text = format!(
        "greedy policy against the optimum, each value with half its 95 % bootstrap interval ({} replicates); atomic costs {} to {}, rules of the {}; (+) higher is better, (-) lower\n",
        sweep.resamples,
        settings.min_cost,
        settings.max_cost,
        if settings.rules == "paper" { "paper" } else { "released code" },
    );
    for group in &sweep.groups {
        text.push_str(&format!(
            "\n{} ({})\n{}",
            group.name,
            group.figure,
            group_table(group, layout)
        ));
    }
    sweep.notes.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    text
}

fn group_table(group: &Group, layout: Layout) -> String {
    let header = [
        "length",
        "noise",
        "seed",
        "events",
        "queries",
        "left out",
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
    layout.table(&rows)
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
        left_out_cell(&row.left_out_by_reason),
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

/// The number of queries left out, with those whose last event comes at the end in parentheses.
fn left_out_cell(counts: &LeftOutCounts) -> String {
    match counts.last_event {
        0 => counts.total().to_string(),
        at_end => format!("{} ({at_end} end with it)", counts.total()),
    }
}

fn table(report: &CostReport, settings: &Settings, layout: Layout) -> String {
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
        layout.table(&rows)
    );
    for paths in report.paths.iter().flatten() {
        text.push_str(&listed(paths));
    }
    for note in &report.notes {
        text.push_str(&plain::note(note));
    }
    text
}

/// The paths of one query, a line each.
fn listed(paths: &Paths) -> String {
    let Paths { query_id, task, optimal, optimal_cost, greedy, greedy_cost, .. } = paths;
    let mut text = format!("\n{} {task}\n", plain::line(query_id));
    let mut line = |name: &str, path: &[String]| {
        text.push_str(&format!("  {name}: {}\n", plain::line(&path.join(" > "))));
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
