//! The greedy policy against the optimum over the queries of CostBench, and how far events push the
//! optimum away from its plan.

use std::collections::BTreeSet;

use serde::Serialize;
use tool_graph::{
    EnvironmentRules, Error, GreedyRule, LeftOutCounts, RunMeans, Scenario, TieRule, ToolGraph,
    Transcript,
    costbench::{CostModel, EventKind, Library, query_seed},
};
use trajectory_metrics::{ExactMean, tool_calls::normalized_edit_distance};

use crate::costbench::query_file::Query;

/// The world that the queries are answered in.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// The tools.
    pub library: Library,
    /// What they cost.
    pub costs: CostModel,
    /// The seed of all costs and events.
    pub seed: u64,
    /// The kind of the events to come.
    pub block: Block,
    /// The number of events to come; 0 for a world that stays as it is.
    pub blocks: usize,
    /// The rules on which the paper and its released code differ.
    pub rules: EnvironmentRules,
}

/// A kind of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// No event.
    None,
    /// Events of one kind.
    Kind(EventKind),
    /// Events whose kinds are drawn for each query.
    Mixed,
}

impl Block {
    /// All but `None`.
    pub(crate) const SOME: [Self; 5] = [
        Self::Kind(EventKind::BanTool),
        Self::Kind(EventKind::PreferenceChange),
        Self::Kind(EventKind::CostChange),
        Self::Kind(EventKind::RemoveTools),
        Self::Mixed,
    ];

    /// The name in options and reports.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Kind(EventKind::BanTool) => "ban-tool",
            Self::Kind(EventKind::PreferenceChange) => "preference-change",
            Self::Kind(EventKind::CostChange) => "cost-change",
            Self::Kind(EventKind::RemoveTools) => "remove-tools",
            Self::Mixed => "mixed",
        }
    }
}

impl World {
    fn events(&self, query: &Query) -> Vec<EventKind> {
        match self.block {
            Block::None => Vec::new(),
            Block::Kind(kind) => vec![kind; self.blocks],
            Block::Mixed => EventKind::mixed(query_seed(self.seed, &query.query_id), self.blocks),
        }
    }
}

/// The whole report. Figures are of the greedy policy against the optimum where no event comes, also where
/// events are asked for; those under events are in `blocked`. What is undefined is `None`, and a note says why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CostReport {
    /// Queries.
    pub queries: usize,
    /// Mean cost beyond the optimum.
    pub cost_gap: Option<f64>,
    /// Mean edit distance of the paths.
    pub aed: Option<f64>,
    /// Mean edit distance by the longer of the two paths.
    pub aned: Option<f64>,
    /// Share of queries with equal paths.
    pub emr: Option<f64>,
    /// Mean cost of the optimal plan.
    pub mean_optimal_cost: Option<f64>,
    /// Where events come: mean edit distance of the optimal run from the optimal plan, by the longer of the
    /// two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt_ned: Option<Option<f64>>,
    /// Where events come: the greedy run against the optimal run, both under events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<Blocked>,
    /// Each query, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<Paths>>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
}

/// The greedy run against the optimal run, both under events. There is no cost gap here: each of the plans
/// was made for a world that did not stay (appendix B.3.1 of the paper).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Blocked {
    /// Queries that count.
    pub queries: usize,
    /// Queries left out, by reason.
    pub left_out: LeftOutCounts,
    /// Share of these in which the greedy run reached the goal; the figures below are over them.
    pub completed: Option<f64>,
    /// Mean edit distance of the paths.
    pub aed: Option<f64>,
    /// Mean edit distance by the longer of the two paths.
    pub aned: Option<f64>,
    /// Share of runs with equal paths.
    pub emr: Option<f64>,
}

/// The paths of one query, by the names of the tools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Paths {
    /// Names the query.
    pub query_id: String,
    /// Its task.
    pub task: &'static str,
    /// The optimal plan.
    pub optimal: Vec<String>,
    /// What it costs.
    pub optimal_cost: f64,
    /// The path of the greedy policy.
    pub greedy: Vec<String>,
    /// What it costs.
    pub greedy_cost: f64,
    /// The optimal run under events; a call that failed by a ban is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_optimal: Option<Vec<String>>,
    /// The greedy run under events, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_greedy: Option<Vec<String>>,
}

/// What is gathered over the queries.
#[derive(Default)]
struct Means {
    still: RunMeans,
    blocked: RunMeans,
    optimal_cost: ExactMean,
    gt_ned: ExactMean,
    /// Queries in which not all events came to the optimal run.
    optimal_left_out: usize,
    /// Queries that `blocked` leaves out.
    left_out: LeftOutCounts,
}

/// Plans and runs every query.
///
/// # Errors
///
/// None for libraries and costs as [`tool_graph::costbench`] makes them.
pub(crate) fn compare(
    queries: &[Query],
    world: &World,
    with_paths: bool,
) -> Result<CostReport, Error> {
    let mut means = Means::default();
    let mut paths = Vec::new();
    for query in queries {
        let found = means.update(query, world)?;
        if with_paths {
            paths.push(found);
        }
    }
    let mut notes = Vec::new();
    let different = queries.iter().collect::<BTreeSet<_>>().len();
    if different < queries.len() {
        notes.push(format!(
            "{} queries are {different} different ones; those of one id and task have the same costs and count each",
            queries.len()
        ));
    }
    let mut report = means.finish(queries.len(), world.blocks > 0, notes);
    report.paths = with_paths.then_some(paths);
    Ok(report)
}

/// One query without events, drawn: how many atomic steps each call of the optimal plan and of the
/// greedy policy covers, and what the calls are.
#[derive(Clone, Debug)]
pub(crate) struct DrawnPlan {
    /// Steps per call of the optimal plan.
    pub optimal: Vec<usize>,
    /// Steps per call of the greedy policy.
    pub greedy: Vec<usize>,
    /// The calls in words.
    pub words: String,
}

/// The plan of one query as it is drawn.
///
/// # Errors
///
/// None for libraries and costs as [`tool_graph::costbench`] makes them.
pub(crate) fn drawn_plan(query: &Query, world: &World) -> Result<DrawnPlan, Error> {
    let scenario = without_events(query, world)?;
    let graph = scenario.graph();
    let steps = |run: &Transcript| -> Result<Vec<usize>, Error> {
        let covered = |&tool: &usize| Ok(graph.components(tool)?.len().max(1));
        run.path().iter().map(covered).collect()
    };
    let (optimal, greedy) = (scenario.optimal_run(), scenario.greedy_run(GreedyRule::Chain));
    let words = |run: &Transcript| -> Result<String, Error> {
        let cost = graph.total_cost(&run.path())?;
        Ok(format!("{}, cost {cost:.2}", names(&scenario, run).join(", then ")))
    };
    let words = format!("Optimal plan: {}. Agent's path: {}.", words(&optimal)?, words(&greedy)?);
    Ok(DrawnPlan { optimal: steps(&optimal)?, greedy: steps(&greedy)?, words })
}

impl Means {
    fn update(&mut self, query: &Query, world: &World) -> Result<Paths, Error> {
        let Query { query_id, task } = query;
        let still = without_events(query, world)?;
        let optimal = still.optimal_run();
        let greedy = still.greedy_run(GreedyRule::Chain);
        self.still.update(&greedy, &optimal)?;
        let graph = still.graph();
        let optimal_cost = graph.total_cost(&optimal.path())?;
        self.optimal_cost.update(optimal_cost);
        let mut paths = Paths {
            query_id: query_id.clone(),
            task: task.name(),
            optimal: names(&still, &optimal),
            optimal_cost,
            greedy: names(&still, &greedy),
            greedy_cost: graph.total_cost(&greedy.path())?,
            blocked_optimal: None,
            blocked_greedy: None,
        };
        if world.blocks > 0 {
            let scenario = scenario(query, world)?;
            let plan = scenario.optimal_plan();
            let run = scenario.optimal_run();
            let greedy = scenario.greedy_run(GreedyRule::Chain);
            if run.all_events_fired() {
                self.gt_ned.update(normalized_edit_distance(&run.path(), plan.tools()));
            } else {
                self.optimal_left_out += 1;
            }
            match greedy.left_out(&run) {
                Some(reason) => self.left_out.update(reason),
                None => self.blocked.update(&greedy, &run)?,
            }
            paths.blocked_optimal = Some(names(&scenario, &run));
            paths.blocked_greedy = Some(names(&scenario, &greedy));
        }
        Ok(paths)
    }

    fn finish(self, queries: usize, has_events: bool, mut notes: Vec<String>) -> CostReport {
        let still = self.still.finish().ok();
        let paths = still.and_then(|figures| figures.paths);
        let mut report = CostReport {
            queries,
            cost_gap: still.and_then(|figures| figures.cost_gap),
            aed: paths.map(|means| means.edit_distance),
            aned: paths.map(|means| means.normalized_edit_distance),
            emr: paths.map(|means| means.exact_match_rate),
            mean_optimal_cost: self.optimal_cost.finish().ok(),
            gt_ned: None,
            blocked: None,
            paths: None,
            notes: Vec::new(),
        };
        if report.cost_gap.is_none() {
            notes.push(
                "cost_gap, aed, aned, emr: undefined, as no greedy run reached the goal".to_owned(),
            );
        }
        if has_events {
            let means = self.blocked;
            let figures = means.finish().ok();
            let paths = figures.and_then(|figures| figures.paths);
            let blocked = Blocked {
                queries: means.runs(),
                left_out: self.left_out,
                completed: figures.map(|figures| figures.task_completion_ratio),
                aed: paths.map(|means| means.edit_distance),
                aned: paths.map(|means| means.normalized_edit_distance),
                emr: paths.map(|means| means.exact_match_rate),
            };
            let gt_ned = self.gt_ned.finish().ok();
            let left_out = self.optimal_left_out;
            if gt_ned.is_none() {
                notes.push("gt_ned: undefined, as the optimal run reached the goal before its last event in all queries".to_owned());
            } else if left_out > 0 {
                notes.push(format!("gt_ned: {left_out} of {queries} queries left out, in which the optimal run reached the goal before its last event"));
            }
            if means.runs() == 0 {
                notes.push(
                    "blocked: undefined, as in no query all events came to both runs and were followed by a call of the optimal run".to_owned(),
                );
            } else if blocked.aed.is_none() {
                notes.push("blocked.aed, blocked.aned, blocked.emr: undefined, as no greedy run reached the goal".to_owned());
            }
            let LeftOutCounts { events_missing, last_event, .. } = blocked.left_out;
            if events_missing > 0 {
                notes.push(format!("blocked: {events_missing} of {queries} queries left out, in which not all events came to both runs"));
            }
            if last_event > 0 {
                notes.push(format!("blocked: {last_event} of {queries} queries left out, in which the last event came at the last call of the optimal run, as in the released evaluation"));
            }
            report.gt_ned = Some(gt_ned);
            report.blocked = Some(blocked);
        }
        CostReport { notes, ..report }
    }
}

/// The scenario of a query with its events.
///
/// # Errors
///
/// None for libraries and costs as [`tool_graph::costbench`] makes them.
pub(crate) fn scenario(query: &Query, world: &World) -> Result<Scenario, Error> {
    if world.blocks == 0 {
        return without_events(query, world);
    }
    let World { library, costs, seed, rules, .. } = world;
    let events = world.events(query);
    let scenario = costs.scenario(library, *seed, &query.query_id, query.task, &events);
    Ok(scenario.with_rules(*rules))
}

/// The world as it is at the start, with the tools that can be called, among which the released solver
/// decides ties.
fn without_events(query: &Query, world: &World) -> Result<Scenario, Error> {
    let World { library, costs, seed, .. } = world;
    let costs = costs.costs(library, *seed, &query.query_id);
    let graph = ToolGraph::new(library.callable_tools(query.task, &costs)?)?;
    let problem = graph.problem(query.task.initial_types(), &[query.task.goal()])?;
    Ok(Scenario::new(graph, problem)?.with_tie_rule(TieRule::Released).with_rules(world.rules))
}

fn names(scenario: &Scenario, run: &Transcript) -> Vec<String> {
    scenario.graph().tool_names(&run.path()).into_iter().map(str::to_owned).collect()
}
