//! Compares the cost of the greedy policy with the cheapest plan over the queries of CostBench, with or without events
//! that block its way.
//!
//! ```
//! use agent_scorecard::costbench::{CostbenchOptions, Query, compare};
//! use agent_scorecard::tool_graph::costbench::Task;
//!
//! let query = |i: usize| Query { query_id: format!("q{i}"), task: Task::ALL[i % 6] };
//! let queries: Vec<Query> = (0..12).map(query).collect();
//! let block = compare(&queries, &CostbenchOptions::default(), false)?;
//! assert_eq!(block.number("completed"), Some(1.0));
//! assert!(block.number("cost_gap") >= Some(0.0));
//! # Ok::<(), agent_scorecard::Error>(())
//! ```

mod plan_graph;
mod sweep;

use std::{
    collections::BTreeSet,
    fmt::{self, Display},
    io::Read,
};

use run_logs::json_lines::{InputError, Object, bytes, parse_document};
use serde::{Deserialize, Deserializer, de};
use tool_graph::{
    EnvironmentRules, GreedyRule, LeftOutCounts, RuleVersion, RunScores, Scenario, TieRule,
    ToolGraph, Transcript, TriggerRule,
    costbench::{CostModel, CostRule, EventKind, Library, QuerySeed, Task},
};
use trajectory_metrics::{
    Measure, Metric, Undefined,
    tool_calls::{FailureCounts, normalized_edit_distance},
};

use crate::{
    error::Error,
    metrics::{mean_figure, metric, metrics},
    options,
    report::{
        block::{Block, Field, Position},
        key,
        sentence::{percent, with_ends},
    },
};

pub use sweep::{SweepOptions, sweep};

/// The metrics that compare the greedy run of one query with the optimal run. A report has the mean of each metric
/// over the queries for which it is defined.
pub const METRICS: [Metric<GreedyScore>; 6] = metrics! { GreedyScore;
    "completed", "completed", Higher,
        "Share of queries in which the greedy run reached the goal.",
        |query| Ok(f64::from(u8::from(query.scores.completed))), .share();
    "cost_gap", "cost gap", Lower, in [0.0, f64::INFINITY],
        "Mean cost of the greedy run minus the cost of the optimal run.",
        |query| {
        known(query.scores.cost_gap)
    };
    "aed", "edit distance", Lower, in [0.0, f64::INFINITY],
        "Mean edit distance from the optimal run.",
        |query| known(query.scores.edit_distance.map(|edits| edits as f64));
    "aned", "normalized edit distance", Lower, in [0.0, 1.0],
        "Mean edit distance divided by the length of the longer of the two runs.",
        |query| known(query.scores.normalized_edit_distance);
    "emr", "exact match", Higher,
        "Share of queries in which the greedy run makes the same calls as the optimal run.",
        |query| {
            known(query.scores.exact_match.map(|is_same| f64::from(u8::from(is_same))))
        }, .share();
    "tool_calls", "calls", Neither, in [0.0, f64::INFINITY],
        "Mean number of valid calls of the greedy run.", |query| Ok(query.calls as f64);
};

const EMR: Measure = metric(&METRICS, "emr").measure;
const COST_GAP: Measure = metric(&METRICS, "cost_gap").measure;

fn known(value: Option<f64>) -> Result<f64, Undefined> {
    value.ok_or(Undefined::new("the greedy run did not reach the goal"))
}

/// The measures of the optimal run of one query.
pub const OPTIMUM: [Metric<OptimumScore>; 2] = metrics! { OptimumScore;
    "mean_optimal_cost", "cost of the optimal plan", Neither, in [0.0, f64::INFINITY],
        "Mean cost of the optimal plan without events.", |query| Ok(query.cost);
    "gt_ned", "distance of the optimum", Neither, in [0.0, 1.0],
        "Mean edit distance between the optimal run under events and the plan at the start, divided by the length of the longer of the two.",
        |query| {
            let reason = "the optimal run reached the goal before its last event";
            query.distance.ok_or(Undefined::new(reason))
        };
};

/// The scores of the greedy run of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct GreedyScore {
    /// The index of the first identical query. Copies of a query add no evidence.
    query: usize,
    scores: RunScores,
    calls: usize,
}

/// The cost of the optimal run of one query, and the distance of that run from the plan that is optimal at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumScore {
    cost: f64,
    /// The distance; `None` if not all events occurred in the run.
    distance: Option<f64>,
}

/// A query of CostBench.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Query {
    /// The name of the query, which determines its costs and events.
    pub query_id: String,
    /// The task of the query.
    #[serde(deserialize_with = "task")]
    pub task: Task,
}

impl Query {
    /// Reads the queries of a file: one JSON array `[{"query_id", "task"}, …]`, on one line or many. `file` names the
    /// source in errors.
    ///
    /// # Errors
    ///
    /// [`InputError`] that names line and field of the first error; for a missing field, the line is the last one of its
    /// object.
    ///
    /// ```
    /// use agent_scorecard::{InputError, costbench::Query};
    ///
    /// let queries = Query::read("queries.json", br#"[{"query_id": "q1", "task": "dining"}]"#.as_slice())?;
    /// assert_eq!(queries[0].query_id, "q1");
    /// # Ok::<(), InputError>(())
    /// ```
    pub fn read(file: &str, source: impl Read) -> Result<Vec<Self>, InputError> {
        let bytes = bytes(file, source)?;
        if !bytes.trim_ascii_start().starts_with(b"[") {
            let problem = "is not a JSON array; give one array of all queries";
            return Err(InputError { line: Some(1), ..InputError::of_file(file, problem) });
        }
        let queries: Vec<Object<Self>> = parse_document(file, &bytes)?;
        if queries.is_empty() {
            return Err(InputError::of_file(file, "holds no query"));
        }
        Ok(queries.into_iter().map(|Object(query)| query).collect())
    }
}

fn task<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Task, D::Error> {
    struct Name;

    // An error from inside a visitor has the line of the value.
    impl de::Visitor<'_> for Name {
        type Value = Task;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of {}", Task::ALL.map(Task::name).join(", "))
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Task, E> {
            name.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(name), &self))
        }
    }

    deserializer.deserialize_str(Name)
}

/// Events that change the world during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// No event.
    #[default]
    None,
    /// Events of one kind.
    Kind(EventKind),
    /// Events whose kinds are drawn for each query.
    Mixed,
}

impl Blocking {
    /// All values, `None` first.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Kind(EventKind::BanTool),
        Self::Kind(EventKind::PreferenceChange),
        Self::Kind(EventKind::CostChange),
        Self::Kind(EventKind::RemoveTools),
        Self::Mixed,
    ];

    /// Returns the name that options and reports use.
    #[must_use]
    pub const fn name(self) -> &'static str {
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

impl options::Named for Blocking {
    fn names() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|events| (events.name(), events)).to_vec()
    }
}

/// The options that determine the tools, their costs and the rules. The defaults are those of the published tables.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct WorldOptions {
    /// Refinement level of the tasks, from 0 to 10. Tasks of level L have L + 3 steps
    #[cfg_attr(feature = "clap", arg(long, value_name = "L", default_value = "2", value_parser = options::refinement))]
    #[serde(deserialize_with = "options::read::refinement")]
    pub refinement_level: usize,
    /// Seed of costs and events
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", default_value = "42", value_parser = options::seed))]
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Standard deviation of the noise in the costs of composite tools
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value = "0.1", value_parser = options::number))]
    #[serde(deserialize_with = "options::read::number")]
    pub noise_std: f64,
    /// Smallest cost of an atomic tool
    #[cfg_attr(feature = "clap", arg(long, value_name = "A", default_value = "15", value_parser = options::number))]
    #[serde(deserialize_with = "options::read::number")]
    pub min_cost: f64,
    /// Largest cost of an atomic tool
    #[cfg_attr(feature = "clap", arg(long, value_name = "B", default_value = "25", value_parser = options::number))]
    #[serde(deserialize_with = "options::read::number")]
    pub max_cost: f64,
    /// Rules to follow where the paper and its released code differ. With both values, tools are removed and runs are
    /// left out of means as in the released code, because the published figures follow it
    #[cfg_attr(feature = "clap", arg(long, value_name = "R", default_value = "paper", value_parser = options::names::<RuleVersion>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub rules: RuleVersion,
    /// Random streams from which costs are drawn: one stream per query (released), or one stream per tool (paper)
    #[cfg_attr(feature = "clap", arg(long = "costs", value_name = "R", default_value = "released", value_parser = options::names::<CostRule>()))]
    #[serde(rename = "costs", deserialize_with = "options::read::name")]
    pub cost_rule: CostRule,
    /// Rule that sets the times of events: the rule of the released code (released), or the formula in the paper
    /// (paper)
    #[cfg_attr(feature = "clap", arg(long = "trigger", value_name = "R", default_value = "released", value_parser = options::names::<TriggerRule>()))]
    #[serde(rename = "trigger", deserialize_with = "options::read::name")]
    pub trigger_rule: TriggerRule,
}

/// The options for comparing policies. The defaults are those of the published tables.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct CostbenchOptions {
    /// The world, that is the tools, costs and rules, in which the queries are answered.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    pub world: WorldOptions,
    /// Kind of events that change the tools during a run. The field `blocked` of the JSON output compares the greedy
    /// and the optimal policy under these events
    #[cfg_attr(feature = "clap", arg(long = "block", value_name = "KIND", default_value = "none", value_parser = options::names::<Blocking>()))]
    #[serde(rename = "block", deserialize_with = "options::read::name")]
    pub blocking: Blocking,
    /// Number of events per run
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", default_value = "1", value_parser = options::count))]
    #[serde(deserialize_with = "options::read::count")]
    pub blocks: usize,
    /// List the plans of every query
    #[cfg_attr(feature = "clap", arg(long))]
    pub paths: bool,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            refinement_level: 2,
            seed: 42,
            noise_std: 0.1,
            min_cost: 15.0,
            max_cost: 25.0,
            rules: RuleVersion::PaperText,
            cost_rule: CostRule::Released,
            trigger_rule: TriggerRule::Released,
        }
    }
}

impl Default for CostbenchOptions {
    fn default() -> Self {
        Self { world: WorldOptions::default(), blocking: Blocking::None, blocks: 1, paths: false }
    }
}

/// The maximum number of events of a run: a run has at most this many calls, and each event needs one.
const MOST_EVENTS: usize = 20;

/// A world with checked options.
struct World {
    library: Library,
    costs: CostModel,
    seed: u64,
    blocking: Blocking,
    /// The number of events; 0 for a world that does not change.
    blocks: usize,
    rules: EnvironmentRules,
    trigger_rule: TriggerRule,
}

fn wrong(options: &'static [&'static str], problem: impl Display) -> Error {
    Error::Options { options, problem: problem.to_string() }
}

impl World {
    fn new(options: &CostbenchOptions) -> Result<Self, Error> {
        let &CostbenchOptions { ref world, blocking, blocks, .. } = options;
        let &WorldOptions { min_cost, max_cost, seed, .. } = world;
        let library = Library::new(world.refinement_level)
            .map_err(|error| wrong(&["refinement_level"], error))?;
        let costs = |options: &'static [&'static str], max_cost, noise_std| {
            CostModel::new(min_cost, max_cost, noise_std).map_err(|error| wrong(options, error))
        };
        // One option after the other, to know which one is wrong.
        costs(&["min_cost"], min_cost, 0.0)?;
        costs(&["min_cost", "max_cost"], max_cost, 0.0)?;
        let costs = costs(&["noise_std"], max_cost, world.noise_std)?.with_rule(world.cost_rule);
        let most = match blocking {
            Blocking::None => 1,
            // With one more, all ways to the goal could be gone.
            Blocking::Kind(EventKind::BanTool) | Blocking::Mixed => library.task_length() - 2,
            Blocking::Kind(_) => MOST_EVENTS,
        };
        let problem = match blocking {
            _ if blocks == 0 => "give 1 or more, or no kind of event".to_owned(),
            Blocking::None => "there are no events to repeat; name a kind of event".to_owned(),
            kind => format!(
                "{blocks} events are too many; give at most {most} of {kind} at refinement level {level}",
                kind = kind.name(),
                level = world.refinement_level,
            ),
        };
        if !(1..=most).contains(&blocks) {
            return Err(wrong(&["blocks"], problem));
        }
        let rules = match world.rules {
            RuleVersion::Released => EnvironmentRules::RELEASED,
            RuleVersion::PaperText => EnvironmentRules {
                removals: RuleVersion::Released,
                counted_runs: RuleVersion::Released,
                ..EnvironmentRules::PAPER_TEXT
            },
        };
        let blocks = if blocking == Blocking::None { 0 } else { blocks };
        let trigger_rule = world.trigger_rule.clone();
        Ok(Self { library, costs, seed, blocking, blocks, rules, trigger_rule })
    }

    /// Creates the world of these options without events.
    fn still(options: &CostbenchOptions) -> Result<Self, Error> {
        let world = options.world.clone();
        Self::new(&CostbenchOptions { world, ..CostbenchOptions::default() })
    }

    fn scenario(&self, Query { query_id, task }: &Query) -> Result<Scenario, Error> {
        let Self { library, costs, seed, .. } = self;
        let events = match self.blocking {
            Blocking::None => {
                // The callable tools, which determine how the released solver breaks ties.
                let costs = costs.costs(library, *seed, query_id);
                let graph = ToolGraph::new(library.callable_tools(*task, &costs)?)?;
                let problem = graph.problem(task.initial_types(), &[task.goal()])?;
                let scenario = Scenario::new(graph, problem)?.with_tie_rule(TieRule::Released);
                return Ok(scenario.with_rules(self.rules));
            }
            Blocking::Kind(kind) => vec![kind; self.blocks],
            Blocking::Mixed => EventKind::mixed(QuerySeed::new(*seed, query_id), self.blocks),
        };
        let scenario = costs.scenario(library, *seed, query_id, *task, &events);
        Ok(scenario.with_rules(self.rules).with_trigger_rule(self.trigger_rule.clone())?)
    }
}

/// The results over all queries in one world.
#[derive(Default)]
struct Found {
    greedy: Vec<GreedyScore>,
    optimum: Vec<OptimumScore>,
    left_out: LeftOutCounts,
    failures: FailureCounts,
    /// The optimal and the greedy run of each query.
    runs: Vec<[Run; 2]>,
}

/// The tools that a run calls, and their cost at the start.
struct Run {
    tools: Vec<String>,
    cost: f64,
}

impl Found {
    fn new(queries: &[Query], world: &World, with_runs: bool) -> Result<Self, Error> {
        let mut found = Self::default();
        for (at, query) in queries.iter().enumerate() {
            let scenario = world.scenario(query)?;
            let optimal = scenario.optimal_run();
            let greedy = scenario.greedy_run(GreedyRule::Chain);
            let has_distance = world.blocks > 0 && optimal.all_events_fired();
            let plan = has_distance.then(|| scenario.optimal_plan());
            found.optimum.push(OptimumScore {
                cost: scenario.graph().total_cost(&optimal.path())?,
                distance: plan.map(|plan| normalized_edit_distance(&optimal.path(), &plan.tools)),
            });
            if with_runs {
                found.runs.push([run(&scenario, &optimal)?, run(&scenario, &greedy)?]);
            }
            if let Some(reason) = greedy.left_out(&optimal) {
                found.left_out.update(reason);
                continue;
            }
            let scores = greedy.scores(&optimal)?;
            found.failures.merge(&scores.failures);
            let query = queries.iter().position(|other| other == query).unwrap_or(at);
            found.greedy.push(GreedyScore { query, scores, calls: greedy.path().len() });
        }
        Ok(found)
    }

    /// Adds the means of these metrics.
    fn push<'a>(&self, block: &mut Block, metrics: impl Iterator<Item = &'a Metric<GreedyScore>>) {
        let rows: Vec<&GreedyScore> = self.greedy.iter().collect();
        for metric in metrics {
            let query: fn(&GreedyScore) -> usize = |score| score.query;
            let figure = mean_figure(metric, &rows, None, Some(query), "query that counts");
            block.fields.push(Field::figure(metric.measure, figure));
        }
    }

    fn push_optimum(&self, block: &mut Block, metric: &Metric<OptimumScore>) {
        let rows: Vec<&OptimumScore> = self.optimum.iter().collect();
        let figure = mean_figure(metric, &rows, None, None, "query").map(|it| it.value.into());
        block.fields.push(Field::figure(metric.measure, figure));
    }
}

/// Returns the metrics that are defined under events. There is no cost gap, because each plan was made for a world that
/// changed (appendix B.3.1 of the paper).
fn metrics(has_events: bool) -> impl Iterator<Item = &'static Metric<GreedyScore>> {
    const ALL: &[Metric<GreedyScore>] = &METRICS;
    ALL.iter().filter(move |metric| !(has_events && metric.measure.key == COST_GAP.key))
}

fn run(scenario: &Scenario, run: &Transcript) -> Result<Run, Error> {
    let graph = scenario.graph();
    let tools = graph.tool_names(&run.path()).into_iter().map(str::to_owned).collect();
    Ok(Run { tools, cost: graph.total_cost(&run.path())? })
}

/// Adds the settings to a report.
fn push_settings(block: &mut Block, options: &WorldOptions) {
    let usual = WorldOptions::default();
    let rules = [
        ("cost_rule", options.cost_rule != usual.cost_rule),
        ("trigger_rule", options.trigger_rule != usual.trigger_rule),
    ];
    for (key, _) in rules.into_iter().filter(|(_, is_other)| *is_other) {
        block.push_json(key, "paper");
    }
    block.push_json("refinement_level", &options.refinement_level);
    block.push_json("seed", &options.seed);
    block.push_json("min_cost", &options.min_cost);
    block.push_json("max_cost", &options.max_cost);
    block.push_json("noise_std", &options.noise_std);
    block.push_json(
        "rules",
        match options.rules {
            RuleVersion::PaperText => "paper",
            RuleVersion::Released => "released",
        },
    );
}

/// Compares the greedy policy with the optimal one in the initial world. If there are events, the field `blocked` has
/// the comparison in a world with events.
///
/// # Errors
///
/// [`Error::Options`] for options out of range.
pub fn compare(
    queries: &[Query],
    options: &CostbenchOptions,
    with_pictures: bool,
) -> Result<Block, Error> {
    let world = World::new(options)?;
    let still = Found::new(queries, &World::still(options)?, options.paths)?;
    let mut block = Block::default();
    let mut notes = Vec::new();
    let different = queries.iter().collect::<BTreeSet<_>>().len();
    if different < queries.len() {
        notes.push(format!(
            "of {all} queries, only {different} are different; queries with the same id and task have the same costs, and each one counts",
            all = queries.len(),
        ));
    }
    push_settings(&mut block, &options.world);
    block.push_json("block", options.blocking.name());
    block.push_json("blocks", &world.blocks);
    block.fields.push(Field::shown(key::queries, "queries", queries.len()));
    still.push_optimum(&mut block, &OPTIMUM[0]);
    still.push(&mut block, metrics(false));
    let with_events = (world.blocks > 0).then(|| Found::new(queries, &world, options.paths));
    let with_events = with_events.transpose()?;
    if let Some(found) = &with_events {
        found.push_optimum(&mut block, &OPTIMUM[1]);
    }
    block.push_reasons();
    notes.extend(block.unsay(Position::Note));
    if let Some(found) = &with_events {
        block.fields.push(Field::block(key::blocked, under_events(found, options, &mut notes)));
    }
    block.say(Position::Note, notes);
    block.say(Position::Conclusion, conclusion(&block));
    if options.paths {
        push_paths(&mut block, queries, &still.runs, with_events.as_ref().map(|it| &*it.runs));
    }
    if let (true, Some(query)) = (with_pictures, queries.first()) {
        let scenario = World::still(options)?.scenario(query)?;
        block.draw([("plan", plan_graph::plan_graph(&query.query_id, &scenario)?)]);
    }
    Ok(block)
}

/// Returns the conclusions on the greedy policy, with and without events.
fn conclusion(block: &Block) -> Vec<String> {
    let mut clauses = Vec::new();
    if let (Ok(exact), Ok(gap), Ok(optimum)) =
        (block.figure(EMR.key), block.figure(COST_GAP.key), block.figure(OPTIMUM[0].measure.key))
    {
        clauses.push(format!(
            "in {share} of {n} queries, the greedy policy takes the cheapest plan; on average, its plan costs {gap} more than the cheapest one, which costs {least}",
            share = percent(&exact),
            n = block.count(key::queries),
            gap = with_ends(&gap),
            least = with_ends(&optimum),
        ));
    }
    let Some(blocked) = block.inner(key::blocked) else { return clauses };
    if let Ok(exact) = blocked.figure(EMR.key) {
        let (all, kept) = (block.count(key::queries), blocked.count(key::queries));
        let left_out = match all - kept {
            0 => String::new(),
            n => format!("; {n} of {all} queries are left out"),
        };
        clauses.push(format!(
            "under events, the greedy policy makes the calls of the optimal run in {share} of {kept} queries{left_out}",
            share = percent(&exact),
        ));
    }
    clauses
}

/// Compares the greedy run with the optimal run, both with events.
fn under_events(found: &Found, options: &CostbenchOptions, notes: &mut Vec<String>) -> Block {
    let n = found.optimum.len();
    let missing = found.optimum.iter().filter(|query| query.distance.is_none()).count();
    if (1..n).contains(&missing) {
        notes.push(format!("gt_ned: {missing} of {n} queries left out because their optimal run reached the goal before its last event"));
    }
    let title = format!("Both runs under events: {} {}", options.blocks, options.blocking.name());
    let queries = Field::shown(key::queries, "queries", found.greedy.len());
    let mut block = Block::titled(title, [queries]);
    block.push_json("left_out", &found.left_out);
    found.push(&mut block, metrics(true));
    if found.greedy.is_empty() {
        notes.push("blocked: undefined, because there is no query in which both runs had all events and the optimal run made another call afterwards".to_owned());
    } else {
        notes.extend(block.take_notes("blocked"));
    }
    let LeftOutCounts { events_missing, last_event, .. } = found.left_out;
    for (count, reason) in [
        (events_missing, "not all events occurred in both runs"),
        (
            last_event,
            "the last event occurred at the last call of the optimal run (the released evaluation leaves such queries out, too)",
        ),
    ] {
        if count > 0 {
            notes.push(format!("blocked: {count} of {n} queries left out because {reason}"));
        }
    }
    block
}

/// Adds the calls of every query.
fn push_paths(
    block: &mut Block,
    queries: &[Query],
    still: &[[Run; 2]],
    blocked: Option<&[[Run; 2]]>,
) {
    let mut rows = Vec::new();
    for (at, (Query { query_id, task }, [optimal, greedy])) in queries.iter().zip(still).enumerate()
    {
        let mut row = Block::default();
        row.push_json("query_id", query_id);
        row.push_json("task", task.name());
        let mut lines = vec![
            (format!("optimal, {:.2}", optimal.cost), optimal),
            (format!("greedy, {:.2}", greedy.cost), greedy),
        ];
        row.push_json("optimal", &optimal.tools);
        row.push_json("optimal_cost", &optimal.cost);
        row.push_json("greedy", &greedy.tools);
        row.push_json("greedy_cost", &greedy.cost);
        if let Some([optimal, greedy]) = blocked.and_then(|runs| runs.get(at)) {
            row.push_json("blocked_optimal", &optimal.tools);
            row.push_json("blocked_greedy", &greedy.tools);
            lines.push(("optimal under events".to_owned(), optimal));
            lines.push(("greedy under events".to_owned(), greedy));
        }
        block.say(Position::Detail, [format!("{query_id} {}", task.name())]);
        for (name, run) in lines {
            block.say(Position::Detail, [format!("  {name}: {}", run.tools.join(" > "))]);
        }
        rows.push(row);
    }
    block.fields.push(Field::rows("paths", "", rows));
}
