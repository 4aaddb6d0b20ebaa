//! How the calls of runs compare with what their tasks expect.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use trajectory_metrics::{
    Error, ExactMean,
    tool_calls::{
        Interner, MatchMode, ToolCall, call_matcher_from_fn, interned_edit_distance,
        invalid_tool_use_ratio, match_calls, multiset_match, normalized_edit_distance, pass_hat_k,
    },
};

use crate::{paths::path_file::PathRun, report::figure::Figures};

/// The whole report. What is undefined is `None`, and a note says why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathReport {
    /// Runs.
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

/// Compares the calls of every run with the expected ones.
///
/// # Errors
///
/// None for runs as [`read`](crate::path_file::read) gives them.
pub fn compare<'a>(runs: &[&'a PathRun], ignore_arguments: bool) -> Result<PathReport, Error> {
    let mut notes = Vec::new();
    let ids = runs.iter().map(|run| &run.id).collect::<BTreeSet<_>>().len();
    if ids < runs.len() {
        notes.push(format!(
            "{} runs have {ids} different ids; those of one id count as runs of their own, also as trials in pass_hat_k",
            runs.len()
        ));
    }
    let key = |call: &'a ToolCall| (&call.name, (!ignore_arguments).then_some(&call.arguments));
    let mut matches: [ExactMean; 3] = Default::default();
    let [mut precision, mut recall, mut aned, mut aed]: [ExactMean; 4] = Default::default();
    let (mut silent, mut undemanding) = (0, 0);
    let same = call_matcher_from_fn(|a: &u32, e: &u32| a == e);
    for run in runs {
        // Calls are compared once and then by number.
        let mut numbers = Interner::default();
        let called = numbers.intern_all(run.agent_calls.iter().map(|agent| key(&agent.call)))?;
        let expected = numbers.intern_all(run.expected_calls.iter().map(key))?;
        let alignment = match_calls(&called, &expected, &same)?;
        for (mean, mode) in
            matches.iter_mut().zip([MatchMode::Exact, MatchMode::InOrder, MatchMode::AnyOrder])
        {
            mean.update(f64::from(u8::from(alignment.is_match(mode))));
        }
        let shared = multiset_match(&called, &expected);
        precision.extend(shared.precision());
        recall.extend(shared.recall());
        silent += usize::from(called.is_empty());
        undemanding += usize::from(expected.is_empty());
        aned.update(normalized_edit_distance(&called, &expected));
        aed.update(interned_edit_distance(&called, &expected) as f64);
    }
    if silent > 0 {
        notes.push(format!("precision: undefined for {} without a call, left out", count(silent)));
    }
    if undemanding > 0 {
        let runs = count(undemanding);
        notes.push(format!("recall: undefined for {runs} that should call nothing, left out; they match in order and in any order whatever they call"));
    }
    let [exact_match, in_order_match, any_order_match] = matches.map(|mean| mean.finish().ok());
    Ok(PathReport {
        n: runs.len(),
        n_tasks: trials(runs).len(),
        arguments_ignored: ignore_arguments,
        exact_match,
        in_order_match,
        any_order_match,
        precision: precision.finish().ok(),
        recall: recall.finish().ok(),
        aned: aned.finish().ok(),
        aed: aed.finish().ok(),
        invalid_tool_use_ratio: invalid(runs, &mut notes)?,
        pass_hat_k: repeated(runs, &mut notes)?,
        notes,
        curves: Figures::new(),
    })
}

fn invalid(runs: &[&PathRun], notes: &mut Vec<String>) -> Result<Option<f64>, Error> {
    let calls = runs.iter().flat_map(|run| &run.agent_calls);
    let said: Vec<Option<bool>> = calls.map(|agent| agent.ok).collect();
    let known: Vec<bool> = said.iter().copied().flatten().collect();
    let unknown = said.len() - known.len();
    if known.is_empty() {
        notes.push(
            "invalid_tool_use_ratio: undefined, as no call says whether it was ok".to_owned(),
        );
        return Ok(None);
    }
    if unknown > 0 {
        notes.push(format!(
            "invalid_tool_use_ratio: {unknown} of {} calls do not say whether they were ok, left out",
            said.len()
        ));
    }
    invalid_tool_use_ratio(&known).map(Some)
}

/// Trials and successes of each task.
fn trials<'a>(runs: &[&'a PathRun]) -> BTreeMap<&'a str, (u64, u64)> {
    let mut tasks = BTreeMap::new();
    for run in runs {
        let (trials, successes) = tasks.entry(run.task.as_str()).or_insert((0, 0));
        *trials += 1;
        *successes += u64::from(run.success);
    }
    tasks
}

/// More say no more.
const MOST_K: u64 = 100;

/// Pass^k up to the most trials of any task; undefined where a task has fewer than k.
fn repeated(
    runs: &[&PathRun],
    notes: &mut Vec<String>,
) -> Result<Option<BTreeMap<u64, Option<f64>>>, Error> {
    let tasks = trials(runs);
    let counts = || tasks.values().map(|&(trials, _)| trials);
    let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    if most < 2 {
        notes.push("pass_hat_k: undefined, as no task has two runs".to_owned());
        return Ok(None);
    }
    if fewest < most {
        let short = tasks.values().filter(|&&(trials, _)| trials < most).count();
        notes.push(format!(
            "pass_hat_k: undefined beyond k = {fewest}; {short} of {} tasks have fewer runs than the {most} of others",
            tasks.len()
        ));
    }
    let mut kinds = BTreeMap::new();
    let mixed = runs.iter().any(|run| {
        let kind = (&run.model, &run.domain);
        *kinds.entry(run.task.as_str()).or_insert(kind) != kind
    });
    if mixed {
        notes.push("pass_hat_k: runs of different models or domains share a task and count as its trials; compare one model and domain at a time".to_owned());
    }
    if most > MOST_K {
        notes.push(format!("pass_hat_k: shown up to k = {MOST_K} of {most}"));
    }
    let mut by_k = BTreeMap::new();
    for k in 1..=most.min(MOST_K) {
        let mut mean = ExactMean::default();
        for &(trials, successes) in tasks.values().filter(|_| k <= fewest) {
            mean.update(pass_hat_k(trials, successes, k)?);
        }
        by_k.insert(k, mean.finish().ok());
    }
    Ok(Some(by_k))
}

fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}
