//! Compares the tool calls of agents with the calls that their tasks expect.

use std::{collections::BTreeMap, io::Read};

use run_logs::{
    Account,
    json_lines::{RunCounts, fold, parse_line},
};
pub use run_logs::{AgentCall, PathRun};
use trajectory_metrics::{
    Error, ExactMean, Figure, Metric, Undefined,
    tool_calls::{
        Interner, MatchMode, MultisetMatch, ToolCall, Value, call_matcher_from_fn,
        interned_edit_distance, invalid_tool_use_ratio, match_calls, normalized_edit_distance,
        pass_hat_k,
    },
};

use crate::{
    compare::measures::PASS_HAT,
    metrics::{metric, metrics},
    report::{
        block::{Block, Field, Position},
        picture::{Axis, BAR_WIDTH, Mark, Picture, Series},
        sentence::{counted, percent},
    },
    texts::Texts,
    traces::logged::LoggedColumn,
};

/// The metrics of tool calls. Each is a mean over runs, except for the last one, which is a share of the calls of all
/// runs.
pub const METRICS: [Metric<PathTally>; 8] = metrics! { PathTally;
    "exact_match", "exact match", Higher, in [0.0, 1.0],
        "Share of runs whose calls are the expected ones in the same order.",
        |runs| mean(&runs.means[0]), .bar("exact");
    "in_order_match", "in-order match", Higher, in [0.0, 1.0],
        "Share of runs that make all expected calls in order, possibly with other calls.",
        |runs| mean(&runs.means[1]), .bar("ordered");
    "any_order_match", "any-order match", Higher, in [0.0, 1.0],
        "Share of runs that make all expected calls in any order, possibly with other calls.",
        |runs| mean(&runs.means[2]), .bar("any");
    "precision", "precision of calls", Higher, in [0.0, 1.0],
        "Mean share of a run's calls that are expected; each expected call counts once.",
        |runs| mean(&runs.means[3]), .bar("precision");
    "recall", "recall of calls", Higher, in [0.0, 1.0],
        "Mean share of the expected calls that a run made.", |runs| mean(&runs.means[4]), .bar("recall");
    "aned", "normalized edit distance", Lower, in [0.0, 1.0],
        "Mean edit distance divided by the length of the longer of the two lists of calls.", |runs| mean(&runs.means[5]);
    "aed", "edit distance", Lower, in [0.0, f64::INFINITY],
        "Mean edit distance between the calls and the expected ones.", |runs| mean(&runs.means[6]);
    "invalid_tool_use_ratio", "invalid tool use", Lower, in [0.0, 1.0],
        "Share of failed calls, among all calls with a record of whether they failed.",
        |runs| match runs.taken.is_empty() {
            true => Err(Undefined::new("no call has a record of whether it failed")),
            false => invalid_tool_use_ratio(&runs.taken).map_err(undefined),
        }, .bar("invalid");
};

fn mean(mean: &ExactMean) -> Result<f64, Undefined> {
    mean.finish().map_err(|_| Undefined::new("no run has a value"))
}

fn undefined(error: Error) -> Undefined {
    Undefined::new(error.to_string())
}

/// The options for comparing calls. The defaults are those of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct PathOptions {
    /// Compare calls only by name. By default, two calls must have the same arguments too
    #[cfg_attr(feature = "clap", arg(long))]
    pub ignore_arguments: bool,
    /// Also report on the runs of all columns together, in the JSON output only
    #[cfg_attr(feature = "clap", arg(long))]
    pub pool: bool,
}

/// Reads the runs of a file of tool calls with all threads, one [`PathRun`] per line, and returns the counts for each
/// model. A single model has the name `None`. With `ignore_arguments`, only names are compared. `file` names the source
/// in errors.
///
/// # Errors
///
/// [`run_logs::Error::Input`] for the first invalid line, with file, line and field.
///
/// ```
/// use agent_scorecard::paths::read;
///
/// let line = br#"{"id": "a", "task": "t", "agent_calls": [], "expected_calls": [], "success": true}"#;
/// let models = read("calls.jsonl", &line[..], false)?;
/// assert_eq!((models.len(), &models[0].0), (1, &None));
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
pub fn read(
    file: &str,
    source: impl Read,
    ignore_arguments: bool,
) -> Result<Vec<(Option<String>, PathTally)>, run_logs::Error> {
    type Part = (BTreeMap<Option<String>, PathTally>, RunCounts);
    let (mut models, mut left_out) = Part::default();
    let add = |(models, left_out): &mut Part, number, line: &[u8]| {
        if left_out.take_left_out(file, number, line)? {
            return Ok(());
        }
        let run: PathRun = parse_line(file, number, line)?;
        let tally = models.entry(run.model.clone()).or_default();
        Ok::<_, run_logs::Error>(tally.update(&run, ignore_arguments)?)
    };
    fold(file, source, add, Ok, |(more, counts): Part| {
        left_out.append(&counts);
        for (model, tally) in more {
            models.entry(model).or_default().append(&tally);
        }
    })?;
    // The line of a run that was left out names no model.
    let is_one = models.len() <= 1;
    if models.is_empty() || !is_one && left_out != RunCounts::default() {
        models.entry(None).or_default();
    }
    if let Some(first) = models.values_mut().next() {
        first.runs.append(&left_out);
    }
    let named = models.into_iter().map(|(model, tally)| match is_one {
        true => (None, tally),
        false => (Some(model.unwrap_or_else(|| "unknown model".to_owned())), tally),
    });
    Ok(named.collect())
}

/// Compares the calls in the runs of a log with the expected calls, optionally without arguments.
///
/// # Errors
///
/// [`run_logs::Error::Undefined`] if no run has an outcome and expected calls.
pub fn logged(log: &LoggedColumn, ignore_arguments: bool) -> Result<PathTally, run_logs::Error> {
    let mut all = PathTally::default();
    for row in log.table.rows() {
        match row.calls() {
            Ok(run) => all.update(&run, ignore_arguments)?,
            Err(lacks) => all.runs.add_left_out(row.outcome, row.stop.as_ref(), lacks.left_out),
        }
    }
    all.notes.clone_from(&log.notes);
    all.log = Some(log.account());
    if all.n == 0 {
        let reason = format!(
            "{file}: no run has both an outcome and the calls that its task expects; a file of --outcomes can add both ({line})",
            file = log.file,
            line = r#"{"id": "…", "outcome": true, "expected_calls": [{"name": "…", "args": {}}]}"#,
        );
        return Err(run_logs::Error::Undefined { name: "paths", reason });
    }
    Ok(all)
}

/// The counts from a comparison of tool calls. They contain all data that a report needs, so that no run is kept.
///
/// Memory: the id and 16 bytes per run, a byte per call, and the names of tasks and tools.
#[derive(Clone, Debug, Default)]
pub struct PathTally {
    /// The counts of all runs, including runs that an earlier command left out.
    runs: RunCounts,
    n: usize,
    /// Notes on the log.
    notes: Vec<String>,
    /// The counts of the log's runs, if the runs come from a log.
    log: Option<Account>,
    ids: Texts,
    tasks: BTreeMap<String, Task>,
    /// Whether runs of one task are of different models or domains.
    mixed: bool,
    /// The means of the metrics, except for the last one.
    means: [ExactMean; 7],
    /// The number of runs without a call.
    silent: usize,
    /// The number of runs that should make no call.
    undemanding: usize,
    /// Whether the tool accepted a call, for the calls that state it.
    taken: Vec<bool>,
    /// The number of calls that do not state it.
    unknown: usize,
    /// For each tool name, the numbers of expected calls that were not made and of unexpected calls.
    astray: BTreeMap<String, [u64; 2]>,
}

/// The runs of a task.
#[derive(Clone, Debug)]
struct Task {
    trials: u64,
    successes: u64,
    /// The model and the domain of the first run.
    kind: [Option<String>; 2],
}

impl PathTally {
    /// Returns the counts of the runs that were read, used and left out.
    #[must_use]
    pub fn account(&self) -> Account {
        self.runs.account(self.log.as_ref())
    }

    /// Compares a run with the expected calls, optionally without arguments, and adds the result.
    ///
    /// # Errors
    ///
    /// None for fewer than 2^32 different calls.
    pub fn update(&mut self, run: &PathRun, ignore_arguments: bool) -> Result<(), Error> {
        let key = |call| key(call, ignore_arguments);
        // Calls are compared once and then by number.
        let mut numbers = Interner::default();
        let called = numbers.intern_all(run.agent_calls.iter().map(|agent| key(&agent.call)))?;
        let expected = numbers.intern_all(run.expected_calls.iter().map(key))?;
        let same = call_matcher_from_fn(|a: &u32, e: &u32| a == e);
        let alignment = match_calls(&called, &expected, &same)?;
        let [exact, in_order, any_order] =
            [MatchMode::Exact, MatchMode::InOrder, MatchMode::AnyOrder]
                .map(|mode| Some(f64::from(u8::from(alignment.is_match(mode)))));
        let shared = MultisetMatch::new(&called, &expected);
        let aned = Some(normalized_edit_distance(&called, &expected));
        let aed = Some(interned_edit_distance(&called, &expected) as f64);
        let values = [exact, in_order, any_order, shared.precision(), shared.recall(), aned, aed];
        self.means.iter_mut().zip(values).for_each(|(mean, value)| mean.extend(value));
        // How much more often each call is made than expected.
        let made = called.iter().zip(&run.agent_calls).map(|(key, agent)| (key, &agent.call, 1));
        let wanted = expected.iter().zip(&run.expected_calls).map(|(key, call)| (key, call, -1));
        let mut surplus: BTreeMap<u32, (&str, i64)> = BTreeMap::new();
        for (&key, call, one) in made.chain(wanted) {
            surplus.entry(key).or_insert((&call.name, 0)).1 += one;
        }
        for (name, n) in surplus.into_values().filter(|(_, n)| *n != 0) {
            self.add_astray(
                name,
                if n < 0 { [n.unsigned_abs(), 0] } else { [0, n.unsigned_abs()] },
            );
        }
        self.silent += usize::from(called.is_empty());
        self.undemanding += usize::from(expected.is_empty());
        self.n += 1;
        self.runs.add(Some(run.success), None);
        self.ids.push(&run.id);
        let known = self.taken.len();
        self.taken.extend(run.agent_calls.iter().filter_map(|agent| agent.ok));
        self.unknown += run.agent_calls.len() - (self.taken.len() - known);
        let successes = u64::from(run.success);
        let kind = [run.model.clone(), run.domain.clone()];
        self.add_task(&run.task, Task { trials: 1, successes, kind });
        Ok(())
    }

    /// Adds the counts of later runs.
    pub fn append(&mut self, other: &Self) {
        self.n += other.n;
        self.runs.append(&other.runs);
        self.ids.append(&other.ids);
        other.tasks.iter().for_each(|(name, task)| self.add_task(name, task.clone()));
        self.mixed |= other.mixed;
        self.notes.extend(other.notes.iter().cloned());
        self.means.iter_mut().zip(&other.means).for_each(|(mean, more)| mean.merge(more));
        self.silent += other.silent;
        self.undemanding += other.undemanding;
        self.taken.extend(&other.taken);
        self.unknown += other.unknown;
        other.astray.iter().for_each(|(name, more)| self.add_astray(name, *more));
    }

    fn add_astray(&mut self, name: &str, [missed, surplus]: [u64; 2]) {
        match self.astray.get_mut(name) {
            Some(of_name) => *of_name = [of_name[0] + missed, of_name[1] + surplus],
            None => _ = self.astray.insert(name.to_owned(), [missed, surplus]),
        }
    }

    fn add_task(&mut self, name: &str, more: Task) {
        match self.tasks.get_mut(name) {
            Some(task) => {
                task.trials += more.trials;
                task.successes += more.successes;
                self.mixed |= task.kind != more.kind;
            }
            None => _ = self.tasks.insert(name.to_owned(), more),
        }
    }
    /// Returns the results for all runs so far. `ignore_arguments` must be the value with which the runs were added,
    /// and `with_pictures` states whether the results have pictures.
    ///
    /// # Errors
    ///
    /// None for runs that were added.
    pub fn block(&self, ignore_arguments: bool, with_pictures: bool) -> Result<Block, Error> {
        let mut notes = self.notes.clone();
        let ids = self.ids.distinct();
        if ids < self.n {
            notes.push(format!(
                "{n} runs have {ids} different ids; runs with the same id count as separate runs, and as separate trials in pass_hat_k",
                n = self.n,
            ));
        }
        if self.silent > 0 {
            let runs = counted(self.silent, "run");
            notes.push(format!("precision: {runs} left out because they make no call"));
        }
        if self.undemanding > 0 {
            let runs = counted(self.undemanding, "run");
            notes.push(format!("recall: {runs} left out because their tasks expect no call; they count as matches in order and in any order, whatever they call"));
        }
        if self.unknown > 0 && !self.taken.is_empty() {
            notes.push(format!(
                "invalid_tool_use_ratio: {unknown} of {all} calls left out because it is not recorded whether they failed",
                unknown = self.unknown,
                all = self.unknown + self.taken.len(),
            ));
        }
        let by_k = self.repeated(&mut notes)?;
        let mut block = Block::default()
            .saying(Position::Line, [self.runs.line()])
            .saying(Position::Note, notes);
        block.extend_json(&self.runs);
        block.fields.push(Field::shown("n", "runs", self.n));
        block.fields.push(Field::shown("n_tasks", "tasks", self.tasks.len()));
        block.push_json("arguments_ignored", &ignore_arguments);
        block.push_metrics(&METRICS, self, |_, value| Figure::from(value));
        block.say(Position::Conclusion, self.conclusion(&block));
        if with_pictures {
            let matches = matches_picture(&block);
            let repetition = repetition_picture(by_k.iter().flatten());
            let astray = self.astray_picture();
            block.draw([("calls", astray), ("matches", matches), ("pass_hat_k", repetition)]);
        }
        let by_k = by_k.map(|by_k| {
            let row = |(k, value): (u64, Option<f64>)| {
                let few = || Undefined::new(format!("some task has fewer than {k} runs"));
                let figure = value.map(Figure::from).ok_or_else(few);
                let (key, label) = (k.to_string().into(), format!("pass_hat_{k}").into());
                Field { key, label, ..Field::figure(PASS_HAT, figure) }
            };
            let title = "pass^k: how likely do k trials of a task all succeed? (higher is better)";
            Block::titled(title, by_k.into_iter().map(row))
        });
        block.fields.push(Field::block("pass_hat_k", by_k));
        Ok(block)
    }

    /// Returns the conclusions on the shares, which have no intervals.
    fn conclusion(&self, block: &Block) -> Vec<String> {
        let share = |of: &Metric<Self>| block.figure(of.measure.key).map(|share| percent(&share));
        let mut clauses = Vec::new();
        if let (Ok(exact), Ok(any)) = (
            share(const { metric(&METRICS, "exact_match") }),
            share(const { metric(&METRICS, "any_order_match") }),
        ) {
            let of_tasks = counted(self.tasks.len(), "task");
            clauses.push(format!(
                "of {runs} of {of_tasks}, {exact} make exactly the expected calls in the same order, and {any} make all of them in any order, possibly with other calls",
                runs = counted(self.n, "run"),
            ));
        }
        if let (Ok(recall), Ok(precision)) = (
            share(const { metric(&METRICS, "recall") }),
            share(const { metric(&METRICS, "precision") }),
        ) {
            clauses.push(format!(
                "on average over runs, {recall} of the expected calls are made, and {precision} of the calls that are made are expected"
            ));
        }
        if !clauses.is_empty() {
            clauses.push("these shares have no intervals, so they cannot show whether a difference between agents is noise".to_owned());
        }
        clauses
    }

    /// Returns a picture of the tools with the most missed and excess calls.
    fn astray_picture(&self) -> Picture {
        let mut names: Vec<(&String, [u64; 2])> =
            self.astray.iter().map(|(name, counts)| (name, *counts)).collect();
        names.sort_by_key(|(_, [missed, surplus])| std::cmp::Reverse(missed + surplus));
        names.truncate(MOST_NAMES);
        let bars = |side: usize, name: &str| {
            let edges = |(at, (_, counts)): (usize, &(&String, [u64; 2]))| {
                let left = at as f64 + 0.5 * BAR_WIDTH * (side as f64 - 1.0);
                [left, left + 0.5 * BAR_WIDTH, counts[side] as f64]
            };
            Series::bars(name, names.iter().enumerate().map(edges))
        };
        Picture {
            title: "Calls: which are missed most, and which are made in excess?".to_owned(),
            series: vec![bars(0, "expected and not made"), bars(1, "made and not expected")],
            x: Axis::new("tool").with_categories(names.iter().map(|(name, _)| (*name).clone()).collect()),
            y: Axis::new("calls of all runs"),
            note: "If arguments are compared, a call with other arguments than expected counts both as missed and as made in excess.".to_owned(),
        }
    }

    /// Returns pass^k for each k up to the largest number of trials of a task; undefined for tasks with fewer than k
    /// trials.
    fn repeated(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Option<BTreeMap<u64, Option<f64>>>, Error> {
        let tasks = &self.tasks;
        let counts = || tasks.values().map(|task| task.trials);
        let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        if most < 2 {
            notes.push("pass_hat_k: undefined, because no task has two runs".to_owned());
            return Ok(None);
        }
        if fewest < most {
            let short = counts().filter(|&trials| trials < most).count();
            notes.push(format!(
                "pass_hat_k: undefined beyond k = {fewest}; {short} of {all} tasks have fewer than {most} runs",
                all = tasks.len(),
            ));
        }
        if self.mixed {
            notes.push("pass_hat_k: runs of different models or domains share a task and count as its trials; compare one model and domain at a time".to_owned());
        }
        if most > MOST_K {
            notes.push(format!("pass_hat_k: shown up to k = {MOST_K}, not up to {most}"));
        }
        let mut by_k = BTreeMap::new();
        for k in 1..=most.min(MOST_K) {
            let mut mean = ExactMean::default();
            for task in tasks.values().filter(|_| k <= fewest) {
                mean.update(pass_hat_k(task.trials, task.successes, k)?);
            }
            by_k.insert(k, mean.finish().ok());
        }
        Ok(Some(by_k))
    }
}

/// Returns the parts of a call that are compared.
fn key(call: &ToolCall, ignore_arguments: bool) -> (&str, Option<&Value>) {
    (&call.name, (!ignore_arguments).then_some(&call.arguments))
}

/// The maximum number of tools in a picture.
const MOST_NAMES: usize = 6;

/// The maximum k of pass^k. A longer list would add no information.
const MOST_K: u64 = 100;

fn matches_picture(block: &Block) -> Picture {
    let (names, shares) = block.bars(&METRICS);
    Picture {
        title: "Matches: how near are the calls to the expected ones?".to_owned(),
        x: Axis::new("measure").with_categories(names),
        y: Axis::new("share").with_range(0.0, 1.0),
        series: vec![Series::bars_of_categories("mean over runs", shares)],
        note: "A run that matches exactly also matches in order, and one that matches in order also matches in any order. Invalid: calls that failed.".to_owned(),
    }
}

fn repetition_picture<'a>(by_k: impl Iterator<Item = (&'a u64, &'a Option<f64>)>) -> Picture {
    let points = by_k.filter_map(|(&k, value)| Some((k as f64, (*value)?)));
    Picture {
        title: "Reliability of repetition: how likely do k trials of a task all succeed?".to_owned(),
        x: Axis::new("k trials of one task"),
        y: Axis::new("pass^k").with_range(0.0, 1.0),
        series: vec![Series::new("pass^k", Mark::LineDots, points)],
        note: "The line is level for an agent that solves each task always or never, and falls for an agent that solves tasks only sometimes.".to_owned(),
    }
}
