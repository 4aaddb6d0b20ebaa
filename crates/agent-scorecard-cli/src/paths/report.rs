//! How the calls of runs compare with what their tasks expect.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;
use trajectory_metrics::{
    Error, ExactMean,
    tool_calls::{
        Interner, MatchMode, ToolCall, Value, call_matcher_from_fn, interned_edit_distance,
        invalid_tool_use_ratio, match_calls, multiset_match, normalized_edit_distance, pass_hat_k,
    },
};

use crate::{
    files::{
        line_parts::{self, Problem},
        run_counts::RunCounts,
        texts::Texts,
    },
    paths::path_file::PathRun,
    report::figure::Figures,
};

/// The whole report. What is undefined is `None`, and a note says why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathReport {
    /// All runs, also those that were left out before.
    #[serde(flatten)]
    pub(crate) runs: RunCounts,
    /// Runs that are compared.
    pub n: usize,
    /// Different tasks.
    pub n_tasks: usize,
    /// Whether calls were compared by name alone.
    pub arguments_ignored: bool,
    /// Share of runs whose calls are the expected ones in the same order.
    pub exact_match: Option<f64>,
    /// Share of runs with all expected calls in order, and maybe others.
    pub in_order_match: Option<f64>,
    /// Share of runs with all expected calls, and maybe others.
    pub any_order_match: Option<f64>,
    /// Mean share of a run's calls that are expected, each expected call counted once.
    pub precision: Option<f64>,
    /// Mean share of the expected calls that a run made.
    pub recall: Option<f64>,
    /// Mean edit distance by the longer of the two lists.
    pub aned: Option<f64>,
    /// Mean edit distance.
    pub aed: Option<f64>,
    /// Share of all calls that the tool did not take.
    pub invalid_tool_use_ratio: Option<f64>,
    /// By k, the chance that k trials of a task all succeed, averaged over tasks.
    pub pass_hat_k: Option<BTreeMap<u64, Option<f64>>>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
    /// The figures, for the JSON output.
    #[serde(skip_serializing_if = "Figures::is_empty")]
    pub(crate) curves: Figures,
}

impl PathReport {
    /// The figures that have one value: name, whether higher is better, value.
    #[must_use]
    pub fn figures(&self) -> [(&'static str, bool, Option<f64>); 8] {
        [
            ("exact_match", true, self.exact_match),
            ("in_order_match", true, self.in_order_match),
            ("any_order_match", true, self.any_order_match),
            ("precision", true, self.precision),
            ("recall", true, self.recall),
            ("aned", false, self.aned),
            ("aed", false, self.aed),
            ("invalid_tool_use_ratio", false, self.invalid_tool_use_ratio),
        ]
    }
}

/// The runs of a part of a file by model, and those that were left out before.
#[derive(Default)]
struct Models {
    models: BTreeMap<Option<String>, PathTally>,
    left_out: RunCounts,
}

/// The runs of each model; of a single model, which is not named.
pub type ByModel = Vec<(Option<String>, PathTally)>;

/// What a report needs of runs, so that no run is kept.
///
/// Memory: the id and 16 bytes per run, a byte per call, and the names of the tasks.
#[derive(Clone, Debug, Default)]
pub struct PathTally {
    /// All runs, also those that were left out before.
    runs: RunCounts,
    n: usize,
    ids: Texts,
    tasks: BTreeMap<String, Task>,
    /// Runs of one task are of different models or domains.
    mixed: bool,
    matches: [ExactMean; 3],
    precision: ExactMean,
    recall: ExactMean,
    aned: ExactMean,
    aed: ExactMean,
    /// Runs without a call.
    silent: usize,
    /// Runs that should call nothing.
    undemanding: usize,
    /// Whether the tool took a call, for the calls that say so.
    taken: Vec<bool>,
    /// Calls that do not say so.
    unknown: usize,
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
    /// Reads the runs of a file with all threads, model by model; a single model is not named.
    ///
    /// # Errors
    ///
    /// [`InputError`] that names file, line and field of the first thing that is wrong.
    pub fn read(
        path: &Path,
        ignore_arguments: bool,
    ) -> Result<ByModel, Box<dyn std::error::Error>> {
        let (mut models, mut left_out) = (BTreeMap::<_, Self>::new(), RunCounts::default());
        line_parts::fold(
            path,
            |part: &mut Models, number, line| part.left_out.take(path, number, line),
            |part: &mut Models, run: PathRun| {
                let models = &mut part.models;
                if !models.contains_key(&run.model) {
                    models.insert(run.model.clone(), Self::default());
                }
                match models.get_mut(&run.model) {
                    Some(tally) => Ok(tally.update(&run, ignore_arguments)?),
                    None => Ok(()),
                }
            },
            |part| {
                left_out.append(&part.left_out);
                for (model, tally) in part.models {
                    models.entry(model).or_default().append(&tally);
                }
            },
        )
        .map_err(|problem: Problem| problem.into_error())?;
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

    /// Compares the calls of a run with the expected ones.
    ///
    /// # Errors
    ///
    /// None for a run as [`path_file`](crate::readers::path_file) reads it.
    pub fn update(&mut self, run: &PathRun, ignore_arguments: bool) -> Result<(), Error> {
        let key = |call| key(call, ignore_arguments);
        // Calls are compared once and then by number.
        let mut numbers = Interner::default();
        let called = numbers.intern_all(run.agent_calls.iter().map(|agent| key(&agent.call)))?;
        let expected = numbers.intern_all(run.expected_calls.iter().map(key))?;
        let same = call_matcher_from_fn(|a: &u32, e: &u32| a == e);
        let alignment = match_calls(&called, &expected, &same)?;
        let modes = [MatchMode::Exact, MatchMode::InOrder, MatchMode::AnyOrder];
        for (mean, mode) in self.matches.iter_mut().zip(modes) {
            mean.update(f64::from(u8::from(alignment.is_match(mode))));
        }
        let shared = multiset_match(&called, &expected);
        self.precision.extend(shared.precision());
        self.recall.extend(shared.recall());
        self.silent += usize::from(called.is_empty());
        self.undemanding += usize::from(expected.is_empty());
        self.aned.update(normalized_edit_distance(&called, &expected));
        self.aed.update(interned_edit_distance(&called, &expected) as f64);
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

    /// Adds later runs.
    pub fn append(&mut self, other: &Self) {
        self.n += other.n;
        self.runs.append(&other.runs);
        self.ids.append(&other.ids);
        other.tasks.iter().for_each(|(name, task)| self.add_task(name, task.clone()));
        self.mixed |= other.mixed;
        self.matches.iter_mut().zip(&other.matches).for_each(|(mean, more)| mean.merge(more));
        self.precision.merge(&other.precision);
        self.recall.merge(&other.recall);
        self.aned.merge(&other.aned);
        self.aed.merge(&other.aed);
        self.silent += other.silent;
        self.undemanding += other.undemanding;
        self.taken.extend(&other.taken);
        self.unknown += other.unknown;
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

    /// The report on all runs so far.
    ///
    /// # Errors
    ///
    /// None for runs as [`path_file`](crate::readers::path_file) reads them.
    pub fn report(&self, ignore_arguments: bool) -> Result<PathReport, Error> {
        let mut notes = Vec::new();
        let ids = self.ids.distinct();
        if ids < self.n {
            notes.push(format!(
                "{} runs have {ids} different ids; those of one id count as runs of their own, also as trials in pass_hat_k",
                self.n
            ));
        }
        if self.silent > 0 {
            let runs = count(self.silent);
            notes.push(format!("precision: undefined for {runs} without a call, left out"));
        }
        if self.undemanding > 0 {
            let runs = count(self.undemanding);
            notes.push(format!("recall: undefined for {runs} that should call nothing, left out; they match in order and in any order whatever they call"));
        }
        let [exact_match, in_order_match, any_order_match] =
            self.matches.each_ref().map(|mean| mean.finish().ok());
        Ok(PathReport {
            runs: self.runs.clone(),
            n: self.n,
            n_tasks: self.tasks.len(),
            arguments_ignored: ignore_arguments,
            exact_match,
            in_order_match,
            any_order_match,
            precision: self.precision.finish().ok(),
            recall: self.recall.finish().ok(),
            aned: self.aned.finish().ok(),
            aed: self.aed.finish().ok(),
            invalid_tool_use_ratio: self.invalid(&mut notes)?,
            pass_hat_k: self.repeated(&mut notes)?,
            notes,
            curves: Figures::new(),
        })
    }

    fn invalid(&self, notes: &mut Vec<String>) -> Result<Option<f64>, Error> {
        if self.taken.is_empty() {
            notes.push(
                "invalid_tool_use_ratio: undefined, as no call says whether it was ok".to_owned(),
            );
            return Ok(None);
        }
        if self.unknown > 0 {
            notes.push(format!(
                "invalid_tool_use_ratio: {} of {} calls do not say whether they were ok, left out",
                self.unknown,
                self.unknown + self.taken.len()
            ));
        }
        invalid_tool_use_ratio(&self.taken).map(Some)
    }

    /// Pass^k up to the most trials of any task; undefined where a task has fewer than k.
    fn repeated(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Option<BTreeMap<u64, Option<f64>>>, Error> {
        let tasks = &self.tasks;
        let counts = || tasks.values().map(|task| task.trials);
        let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        if most < 2 {
            notes.push("pass_hat_k: undefined, as no task has two runs".to_owned());
            return Ok(None);
        }
        if fewest < most {
            let short = counts().filter(|&trials| trials < most).count();
            notes.push(format!(
                "pass_hat_k: undefined beyond k = {fewest}; {short} of {} tasks have fewer runs than the {most} of others",
                tasks.len()
            ));
        }
        if self.mixed {
            notes.push("pass_hat_k: runs of different models or domains share a task and count as its trials; compare one model and domain at a time".to_owned());
        }
        if most > MOST_K {
            notes.push(format!("pass_hat_k: shown up to k = {MOST_K} of {most}"));
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

/// What is compared of a call.
fn key(call: &ToolCall, ignore_arguments: bool) -> (&str, Option<&Value>) {
    (&call.name, (!ignore_arguments).then_some(&call.arguments))
}

/// Compares the calls of every run with the expected ones.
///
/// # Errors
///
/// None for runs as [`read`](crate::readers::path_file::read) gives them.
pub fn compare(runs: &[&PathRun], ignore_arguments: bool) -> Result<PathReport, Error> {
    let mut tally = PathTally::default();
    runs.iter().try_for_each(|run| tally.update(run, ignore_arguments))?;
    tally.report(ignore_arguments)
}

/// More say no more.
const MOST_K: u64 = 100;

fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_report_on_appended_parts_is_that_on_all_runs() {
        let line = |i: usize| {
            let ok = ["", r#","ok":true"#, r#","ok":false"#][i % 3];
            let called = (0..i % 4).map(|k| format!(r#"{{"name":"tool{}"{ok}}}"#, (i + k) % 3));
            let called = called.collect::<Vec<_>>().join(",");
            let expected = (0..i % 3).map(|k| format!(r#"{{"name":"tool{k}"}}"#));
            let expected = expected.collect::<Vec<_>>().join(",");
            let (id, task, model, success) = (i / 2, i % 5, i / 17, i % 2);
            format!(
                r#"{{"id":"r{id}","task":"t{task}","model":"m{model}","agent_calls":[{called}],"expected_calls":[{expected}],"success":{success}}}"#
            )
        };
        let runs: Vec<PathRun> = (0..40).map(|i| serde_json::from_str(&line(i)).unwrap()).collect();
        for ignore_arguments in [false, true] {
            let all = compare(&runs.iter().collect::<Vec<_>>(), ignore_arguments).unwrap();
            assert!(all.notes.iter().any(|note| note.contains("different models")), "{all:?}");
            for length in [1, 7, 39] {
                let mut together = PathTally::default();
                for part in runs.chunks(length) {
                    let mut tally = PathTally::default();
                    part.iter().for_each(|run| tally.update(run, ignore_arguments).unwrap());
                    together.append(&tally);
                }
                assert_eq!(together.report(ignore_arguments).unwrap(), all);
            }
        }
    }
}
