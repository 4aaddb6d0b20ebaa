//! The greedy policy against the optimum over many settings of CostBench, with bootstrap intervals: the
//! figures and tables that the paper has for models.

use std::cell::RefCell;

use serde::Serialize;
use tool_graph::{
    FailureCounts, GreedyRule, LeftOutCounts,
    costbench::{CostModel, Library},
};
use trajectory_metrics::{
    Bootstrap, Error as MetricsError, ExactMean, Level, NoInterval, Seed,
    tool_calls::normalized_edit_distance,
};

use crate::{
    costbench::{
        query_file::Query,
        report::{Block, World, scenario},
    },
    progress::Progress,
};
use agent_scorecard::no_interval;

/// The settings of a sweep.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The setting that each group changes in one way.
    pub base: World,
    /// The noise of composite costs in that setting.
    pub noise_std: f64,
    /// The lengths of tasks, as refinement levels.
    pub levels: Vec<usize>,
    /// Other noise of composite costs, with the costs that have it.
    pub noises: Vec<(f64, CostModel)>,
    /// The largest number of events.
    pub most_blocks: usize,
    /// The refinement level at which the number of events changes.
    pub block_level: usize,
    /// Further global seeds.
    pub seeds: Vec<u64>,
    /// Bootstrap replicates; 0 for no intervals.
    pub resamples: usize,
}

/// All groups of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Sweep {
    /// Bootstrap replicates behind each interval.
    pub resamples: usize,
    /// The groups of settings.
    pub groups: Vec<Group>,
    /// Why figures have no interval.
    pub notes: Vec<String>,
}

/// Settings that differ in one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Group {
    /// What changes: `length`, `noise`, `block`, `blocks` or `seed`.
    pub name: &'static str,
    /// The figure of the paper that shows models in these settings.
    pub figure: &'static str,
    /// One row for each setting.
    pub rows: Vec<Row>,
}

/// The greedy policy in one setting. Figures are `None` if they are undefined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    /// The length of tasks minus 3.
    pub refinement_level: usize,
    /// The noise of composite costs.
    pub noise_std: f64,
    /// The global seed.
    pub seed: u64,
    /// The kind of events.
    pub block: &'static str,
    /// The number of events in a run.
    pub blocks: usize,
    /// The number of queries that count; all figures are over them.
    pub queries: usize,
    /// The number of other queries.
    pub left_out: usize,
    /// The number of other queries by reason.
    pub left_out_by_reason: LeftOutCounts,
    /// The share of runs that reached the goal.
    pub completed: Option<Estimate>,
    /// The mean cost beyond the optimum, without events only.
    pub cost_gap: Option<Estimate>,
    /// The mean edit distance of the paths.
    pub aed: Option<Estimate>,
    /// The mean normalised edit distance of the paths.
    pub aned: Option<Estimate>,
    /// The share of equal paths.
    pub emr: Option<Estimate>,
    /// The mean number of valid calls (table 7).
    pub tool_calls: Option<Estimate>,
    /// The number of calls in each failure class (table 8).
    pub failures: FailureCounts,
    /// With events: the mean normalised edit distance of the optimal run from the plan at the start.
    pub gt_ned: Option<f64>,
}

impl Row {
    /// Why figures have no interval, unless none was asked for.
    fn notes(&self, group: &str) -> Vec<String> {
        let figures = [
            ("completed", self.completed),
            ("cost_gap", self.cost_gap),
            ("aed", self.aed),
            ("aned", self.aned),
            ("emr", self.emr),
            ("tool_calls", self.tool_calls),
        ];
        let missing = figures.into_iter().filter_map(|(name, figure)| {
            let why = figure?.no_interval?;
            (why != NoInterval::TooFewResamples { defined: 0 }).then_some((name, why))
        });
        let Self { refinement_level, noise_std, seed, block, blocks, .. } = self;
        let place = format!(
            "{group}, level {refinement_level}, noise {noise_std}, seed {seed}, {blocks} x {block}"
        );
        no_interval::notes(&place, missing)
    }
}

/// A mean over queries with its 95 % bootstrap interval (table 9).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The mean.
    pub estimate: f64,
    /// The ends of the interval; `None` if there is none, see [`Sweep::notes`].
    pub interval: Option<[f64; 2]>,
    #[serde(skip)]
    no_interval: Option<NoInterval>,
}

impl Estimate {
    /// Half the width of the interval.
    #[must_use]
    pub(crate) fn radius(&self) -> Option<f64> {
        self.interval.map(|[low, high]| (high - low) / 2.0)
    }
}

/// Runs the greedy policy in every setting of the grid.
///
/// # Errors
///
/// Those of [`Library::new`] for levels out of range, and those of the bootstrap.
pub(crate) fn sweep(queries: &[Query], grid: &Grid) -> Result<Sweep, Box<dyn std::error::Error>> {
    let base = &grid.base;
    let kinds = Block::SOME.len() * (1 + grid.most_blocks);
    let rows = grid.levels.len() + grid.noises.len() + grid.seeds.len() + kinds + 3;
    let progress = RefCell::new(Progress::steps("settings", rows));
    let row_of = |world: &World, noise: f64| {
        let row = row(queries, world, noise, grid.resamples);
        progress.borrow_mut().add(1);
        row
    };
    let row = |world: &World| row_of(world, grid.noise_std);
    let still = World { block: Block::None, blocks: 0, ..base.clone() };
    let at = |level: usize| Library::new(level).map(|library| World { library, ..still.clone() });
    let blocked = |world: &World, block, blocks| World { block, blocks, ..world.clone() };

    let mut length = Vec::new();
    for &level in &grid.levels {
        length.push(row(&at(level)?)?);
    }
    let mut noise = Vec::new();
    for &(std, costs) in &grid.noises {
        noise.push(row_of(&World { costs, ..still.clone() }, std)?);
    }
    let mut block = vec![row(&still)?];
    let mut blocks = vec![row(&at(grid.block_level)?)?];
    for kind in Block::SOME {
        block.push(row(&blocked(&still, kind, 1))?);
        for number in 1..=grid.most_blocks {
            let world = blocked(&at(grid.block_level)?, kind, number);
            blocks.push(row(&world)?);
        }
    }
    let mut seeds = vec![row(&still)?];
    for &seed in &grid.seeds {
        seeds.push(row(&World { seed, ..still.clone() })?);
    }
    let groups = [
        ("length", "figure 2, tables 3 and 4", length),
        ("noise", "figure 3", noise),
        ("block", "figure 5", block),
        ("blocks", "figure 6", blocks),
        ("seed", "figure 9", seeds),
    ];
    let groups = groups.map(|(name, figure, rows)| Group { name, figure, rows });
    let notes =
        groups.iter().flat_map(|group| group.rows.iter().flat_map(|row| row.notes(group.name)));
    Ok(Sweep { resamples: grid.resamples, notes: notes.collect(), groups: groups.into() })
}

/// The values of the queries in one setting.
#[derive(Default)]
struct Values {
    completed: Vec<f64>,
    cost_gap: Vec<f64>,
    edits: Vec<f64>,
    shares: Vec<f64>,
    matches: Vec<f64>,
    calls: Vec<f64>,
}

fn row(
    queries: &[Query],
    world: &World,
    noise_std: f64,
    resamples: usize,
) -> Result<Row, Box<dyn std::error::Error>> {
    let mut values = Values::default();
    let mut failures = FailureCounts::default();
    let mut left_out = LeftOutCounts::default();
    let mut gt_ned = ExactMean::default();
    for query in queries {
        let scenario = scenario(query, world)?;
        let optimal = scenario.optimal_run();
        let greedy = scenario.greedy_run(GreedyRule::Chain);
        if world.blocks > 0 && optimal.all_events_fired() {
            let plan = scenario.optimal_plan();
            gt_ned.update(normalized_edit_distance(&optimal.path(), plan.tools()));
        }
        if let Some(reason) = greedy.left_out(&optimal) {
            left_out.update(reason);
            continue;
        }
        let scores = greedy.scores(&optimal)?;
        let flag = |is_true: bool| if is_true { 1.0 } else { 0.0 };
        values.completed.push(flag(scores.completed));
        values.cost_gap.extend(scores.cost_gap);
        values.edits.extend(scores.edit_distance.map(|edits| edits as f64));
        values.shares.extend(scores.normalized_edit_distance);
        values.matches.extend(scores.exact_match.map(flag));
        values.calls.push(greedy.path().len() as f64);
        failures.merge(&scores.failures);
    }
    let of = |values: &[f64], is_share| estimate(values, is_share, world.seed, resamples);
    Ok(Row {
        refinement_level: world.library.refinement_level(),
        noise_std,
        seed: world.seed,
        block: world.block.name(),
        blocks: world.blocks,
        queries: values.completed.len(),
        left_out: left_out.total(),
        left_out_by_reason: left_out,
        completed: of(&values.completed, true)?,
        cost_gap: of(&values.cost_gap, false)?,
        aed: of(&values.edits, false)?,
        aned: of(&values.shares, false)?,
        emr: of(&values.matches, true)?,
        tool_calls: of(&values.calls, false)?,
        failures,
        gt_ned: gt_ned.finish().ok(),
    })
}

/// The mean over queries with its interval, and `None` without values.
fn estimate(
    values: &[f64],
    is_share: bool,
    seed: u64,
    resamples: usize,
) -> Result<Option<Estimate>, MetricsError> {
    let mean: ExactMean = values.iter().copied().collect();
    let Ok(estimate) = mean.finish() else { return Ok(None) };
    let level = Level::new(0.95)?;
    let found = if resamples == 0 {
        Err(NoInterval::TooFewResamples { defined: 0 })
    } else if let Err(few) = NoInterval::check_clusters(values.len(), level) {
        Err(few)
    } else {
        let bootstrap = Bootstrap::rows(values.len(), Seed::new(seed))?;
        let replicates = bootstrap.mean(values, None, resamples)?;
        let replicates = if is_share { replicates.of_independent_outcomes() } else { replicates };
        replicates.confidence_interval(level)
    };
    let interval = found.ok().map(|found| [found.interval.low(), found.interval.high()]);
    Ok(Some(Estimate { estimate, interval, no_interval: found.err() }))
}
