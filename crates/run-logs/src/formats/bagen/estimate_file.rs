use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use budget_estimation::{
    AnswerMode, Estimate, Resource, Rollouts, Sample, parse_answer, parse_answers,
};
use scoring_rules::Interval;
use serde::Deserialize;

use crate::{
    error::Error,
    formats::bagen::answer::Answer,
    json_lines::{
        fields::Object,
        parsing::{InputError, bytes, parse_document},
    },
};

/// A file of estimates as BAGEN's `run_token_estimation_env.py` and `run_money_estimation_env.py` write
/// it.
///
/// Each result contains its ground truth, so that no recorded runs are needed: the spent and remaining amounts of a run add up to
/// its total.
///
/// ```
/// use budget_estimation::AnswerMode;
/// use run_logs::{Error, bagen::{EstimateFile, Kind}};
///
/// let json = r#"{"config": {"max_context_window_tokens": 500}, "results": [{
///     "rollout_index": 7, "turn_idx": 1,
///     "ground_truth": {"actual_can_finish": false, "actual_remaining_total_tokens": 450,
///         "actual_tokens_used_so_far": 100, "rollout_success": true, "total_turns": 3},
///     "prediction": {"raw_response": "<answer>impossible</answer>", "can_finish": false,
///         "is_impossible": true, "remaining_token_interval": null}}]}"#;
/// let file = EstimateFile::read("estimates.json", json.as_bytes())?;
/// assert_eq!(file.kind(), Kind::Tokens);
///
/// // The run succeeded beyond its cap, so that "impossible" is a correct alarm.
/// let rollouts = file.rollouts()?;
/// let tokens = rollouts.resource("total_tokens")?;
/// let samples = file.samples_of(&rollouts, tokens, AnswerMode::Strict)?;
/// assert_eq!((samples[0].used(), samples[0].remaining()), (100.0, 450.0));
/// assert!(!samples[0].is_feasible());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateFile {
    kind: Kind,
    /// Sorted by rollout and turn.
    samples: Vec<ReleasedSample>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    config: Config,
    results: Vec<Entry>,
}

#[derive(Default, Deserialize)]
struct Config {
    max_context_window_tokens: Option<f64>,
}

#[derive(Deserialize)]
struct Entry {
    rollout_index: usize,
    turn_idx: usize,
    ground_truth: Truth,
    prediction: Option<Prediction>,
}

#[derive(Deserialize)]
struct Truth {
    rollout_success: bool,
    actual_can_finish: bool,
    total_turns: Option<usize>,
    actual_tokens_used_so_far: Option<f64>,
    actual_remaining_total_tokens: Option<f64>,
    completed_weeks: Option<f64>,
    actual_remaining_time_weeks: Option<f64>,
    actual_remaining_warehouse_item_weeks: Option<f64>,
    actual_remaining_cost_usd: Option<f64>,
    actual_total_time_weeks: Option<f64>,
    actual_total_warehouse_item_weeks: Option<f64>,
    actual_total_cost_usd: Option<f64>,
    budget_time_weeks: Option<f64>,
    budget_warehouse_item_weeks: Option<f64>,
    budget_cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct Prediction {
    raw_response: Option<String>,
    #[serde(default)]
    is_impossible: bool,
    remaining_token_interval: Option<[f64; 2]>,
    intervals: Option<Intervals>,
}

#[derive(Deserialize)]
struct Intervals {
    time_weeks: [f64; 2],
    warehouse_item_weeks: [f64; 2],
    cumulative_cost_usd: [f64; 2],
}

/// The maximum number of turns in a run, so that a wrong number cannot exhaust the memory.
const MOST_TURNS: usize = 1_000_000;

impl EstimateFile {
    /// Reads a file of estimates.
    ///
    /// # Errors
    ///
    /// [`InputError`] with the line or the result if the file is not JSON of this form, has no results, mixes tokens and
    /// Warehouse, or contains a prefix twice or a negative amount.
    pub fn read(file: &str, source: impl Read) -> Result<Self, InputError> {
        let wrong = |index: usize, problem: &str| {
            let field = Some(format!("results[{index}]"));
            InputError { field, ..InputError::of_file(file, problem) }
        };
        let Object(File { config, results }) = parse_document(file, &bytes(file, source)?)?;
        let Some(first) = results.first() else {
            return Err(InputError::of_file(file, "has no results; give at least one"));
        };
        let kind = if first.ground_truth.actual_total_time_weeks.is_some() {
            Kind::Warehouse
        } else {
            Kind::Tokens
        };
        let cap = config.max_context_window_tokens;
        let mut seen = BTreeSet::new();
        let mut samples = Vec::with_capacity(results.len());
        for (index, entry) in results.into_iter().enumerate() {
            if !seen.insert((entry.rollout_index, entry.turn_idx)) {
                return Err(wrong(index, "this rollout and turn have an estimate already"));
            }
            let sample = released(kind, cap, entry).ok_or_else(|| {
                let fields = match kind {
                    Kind::Tokens => "actual_tokens_used_so_far",
                    Kind::Warehouse => "completed_weeks, actual_total_… and budget_…",
                };
                wrong(index, &format!("ground_truth lacks {fields}"))
            })?;
            for (name, one) in kind.resources().iter().zip(&sample.amounts) {
                let named = [one.used, one.remaining, one.total, one.cap];
                let what = ["used", "remaining", "total", "budget"];
                for (what, value) in what.into_iter().zip(named) {
                    if let Some(value) = value.filter(|value| *value < 0.0) {
                        let problem = format!("{name}: {what} is {value:?}; it must be at least 0");
                        return Err(wrong(index, &problem));
                    }
                }
            }
            let turns = sample.turns.unwrap_or(sample.turn.saturating_add(1));
            if sample.turn == 0 || sample.turn >= turns {
                let problem = format!("turn_idx is {}; it must be from 1 to T - 1", sample.turn);
                return Err(wrong(index, &problem));
            }
            if turns > MOST_TURNS {
                let problem = format!("there are {turns} turns; at most 1e6 can be read");
                return Err(wrong(index, &problem));
            }
            samples.push(sample);
        }
        samples.sort_by_key(|sample| (sample.rollout, sample.turn));
        Ok(Self { kind, samples })
    }

    /// Returns the resources in the file.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the samples, sorted by rollout and turn, with the answers as the released code read them.
    #[must_use]
    pub fn samples(&self) -> &[ReleasedSample] {
        &self.samples
    }

    /// Returns the runs that the ground truth describes, with their caps and the identifiers `rollout-0`, `rollout-1`,
    /// … by the index in the file.
    ///
    /// The cost of turns without an estimate is counted with the next turn that has one. Runs without a stated total are left
    /// out. For Warehouse runs that cannot finish, the file states the weeks used but not the storage and the cost: an equal
    /// share of the total is assumed for each turn, which affects only the statistics of early stopping. A run that succeeded
    /// within its caps but is labelled infeasible, because it missed its cash target, counts as failed.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] if the cumulative use of a run falls from one turn to a later one.
    pub fn rollouts(&self) -> Result<Rollouts, Error> {
        let resources = self.kind.resources();
        let mut rollouts = Rollouts::new(resources.iter().copied())?;
        for (&id, run) in &self.runs() {
            let Some(totals) = totals(run) else { continue };
            let turns = run.iter().map(|sample| sample.turns.unwrap_or(sample.turn + 1)).max();
            let turns = turns.unwrap_or(1);
            let mut costs = vec![0.0; turns * resources.len()];
            for (i, total) in totals.iter().enumerate() {
                let mut before = 0.0;
                let known = run.iter().all(|sample| used(sample, i).is_some());
                let stated = run.iter().map(|sample| (sample.turn, used(sample, i)));
                let even = (1..turns)
                    .map(|turn| (turn, Some((total * turn as f64 / turns as f64).round())));
                let amounts: Vec<_> = if known { stated.collect() } else { even.collect() };
                for (turn, used) in amounts.into_iter().chain([(turns, Some(*total))]) {
                    let used = used.unwrap_or(*total);
                    if let Some(cost) = costs.get_mut((turn - 1) * resources.len() + i) {
                        *cost = used - before;
                    }
                    before = used;
                }
            }
            let Some(first) = run.first() else { continue };
            let caps = first.amounts.iter().map(|amounts| amounts.cap);
            let over = |(total, cap): (&f64, Option<f64>)| cap.is_some_and(|cap| *total > cap);
            let is_over = totals.iter().zip(caps.clone()).any(over);
            let success = first.can_finish || (first.rollout_success && is_over);
            let index = rollouts.push(&costs, success)?;
            rollouts.set_id(index, format!("rollout-{id}"))?;
            for (name, cap) in resources.iter().zip(caps) {
                if let Some(cap) = cap {
                    let resource = rollouts.resource(name)?;
                    rollouts.set_cap_of(index, resource, cap)?;
                }
            }
        }
        Ok(rollouts)
    }

    /// Returns the samples of one resource, sorted by rollout and turn, with the answers read by [`parse_answer`] and
    /// [`parse_answers`]. `rollouts` is the result of [`Self::rollouts`]. Prefixes with a remaining cost of 0 are left
    /// out.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] if the rollouts are different ones.
    pub fn samples_of(
        &self,
        rollouts: &Rollouts,
        resource: Resource,
        mode: AnswerMode,
    ) -> Result<Vec<Sample>, Error> {
        let position = rollouts.resources().position(|(other, _)| other == resource);
        let known = self.runs().into_values().filter(|run| totals(run).is_some());
        let mut samples = Vec::with_capacity(self.samples.len());
        for (index, run) in known.enumerate() {
            let rollout = rollouts.get(index)?;
            for released in run {
                let estimate = self.estimate(released, position.unwrap_or(usize::MAX), mode);
                let sample = Sample::new(&rollout, resource, released.turn, estimate)?;
                if !sample.is_trivial() {
                    samples.push(sample);
                }
            }
        }
        Ok(samples)
    }

    fn runs(&self) -> BTreeMap<usize, Vec<&ReleasedSample>> {
        let mut runs: BTreeMap<usize, Vec<&ReleasedSample>> = BTreeMap::new();
        for sample in &self.samples {
            runs.entry(sample.rollout).or_default().push(sample);
        }
        runs
    }

    fn estimate(&self, sample: &ReleasedSample, resource: usize, mode: AnswerMode) -> Estimate {
        let read = match (&sample.response, self.kind) {
            (Some(text), Kind::Tokens) => parse_answer(text, mode).ok(),
            (Some(text), Kind::Warehouse) => parse_answers(text, self.kind.resources(), mode)
                .ok()
                .and_then(|estimates| estimates.get(resource).copied()),
            (None, _) if sample.is_impossible() => Some(Estimate::Impossible),
            (None, _) => sample
                .intervals()
                .and_then(|intervals| intervals.get(resource))
                .and_then(|interval| Estimate::interval(interval.low(), interval.high()).ok()),
        };
        read.unwrap_or(Estimate::NoAnswer)
    }
}

/// Returns the total cost of a run, for each resource; `None` if it is not stated.
fn totals(run: &[&ReleasedSample]) -> Option<Vec<f64>> {
    run.first()?.amounts.iter().map(|amounts| amounts.total).collect()
}

fn used(sample: &ReleasedSample, resource: usize) -> Option<f64> {
    sample.amounts.get(resource)?.used
}

/// `None` if the ground truth lacks a field.
fn released(kind: Kind, cap: Option<f64>, entry: Entry) -> Option<ReleasedSample> {
    let Entry { rollout_index, turn_idx, ground_truth: truth, prediction } = entry;
    let amounts = match kind {
        Kind::Tokens => {
            let (used, remaining) =
                (Some(truth.actual_tokens_used_so_far?), truth.actual_remaining_total_tokens);
            let total = used.zip(remaining).map(|(used, remaining)| used + remaining);
            vec![Amounts { used, remaining, total, cap }]
        }
        Kind::Warehouse => {
            let amounts =
                |used: Option<f64>, remaining: Option<f64>, total: f64, cap: f64| Amounts {
                    used: used.or_else(|| remaining.map(|remaining| total - remaining)),
                    remaining,
                    total: Some(total),
                    cap: Some(cap),
                };
            vec![
                amounts(
                    truth.completed_weeks,
                    truth.actual_remaining_time_weeks,
                    truth.actual_total_time_weeks?,
                    truth.budget_time_weeks?,
                ),
                amounts(
                    None,
                    truth.actual_remaining_warehouse_item_weeks,
                    truth.actual_total_warehouse_item_weeks?,
                    truth.budget_warehouse_item_weeks?,
                ),
                amounts(
                    None,
                    truth.actual_remaining_cost_usd,
                    truth.actual_total_cost_usd?,
                    truth.budget_cost_usd?,
                ),
            ]
        }
    };
    let intervals = prediction.as_ref().and_then(|prediction| {
        let ends = match kind {
            Kind::Tokens => vec![prediction.remaining_token_interval?],
            Kind::Warehouse => {
                let all = prediction.intervals.as_ref()?;
                vec![all.time_weeks, all.warehouse_item_weeks, all.cumulative_cost_usd]
            }
        };
        ends.into_iter().map(|[low, high]| Interval::new(low, high).ok()).collect()
    });
    let answer = match &prediction {
        Some(prediction) if prediction.is_impossible => Some(Answer::Impossible),
        _ => intervals.map(Answer::Intervals),
    };
    Some(ReleasedSample {
        kind,
        rollout: rollout_index,
        turn: turn_idx,
        turns: truth.total_turns,
        rollout_success: truth.rollout_success,
        can_finish: truth.actual_can_finish,
        amounts,
        response: prediction.and_then(|prediction| prediction.raw_response),
        answer,
    })
}

/// The resources in a file of estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tokens, as in Sokoban, Search-R1 and SWE-bench.
    Tokens,
    /// Time, storage and cost, as in Warehouse.
    Warehouse,
}

impl Kind {
    /// Returns the names of the resources, in the order of [`Answer::Intervals`].
    #[must_use]
    pub const fn resources(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &["total_tokens"],
            Self::Warehouse => &["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"],
        }
    }
}

/// The amounts of one resource that a file states for one prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Amounts {
    /// The cost of the completed turns.
    pub used: Option<f64>,
    /// The cost of the later turns. Warehouse files state it only for runs that can finish.
    pub remaining: Option<f64>,
    /// The cost of the whole run.
    pub total: Option<f64>,
    /// The cap on this resource.
    pub cap: Option<f64>,
}

/// One estimate of BAGEN's released files, with its ground truth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReleasedSample {
    /// The resources of the estimate.
    pub kind: Kind,
    /// Position of the rollout in its file, from 0.
    pub rollout: usize,
    /// Number of completed turns.
    pub turn: usize,
    /// Number of turns of the run; `None` in Warehouse files.
    pub turns: Option<usize>,
    /// Whether the rollout succeeded, even if it exceeded its caps.
    pub rollout_success: bool,
    /// The label: whether the rollout succeeded within its caps.
    pub can_finish: bool,
    /// The amounts of each resource, in the order of [`Kind::resources`].
    pub amounts: Vec<Amounts>,
    /// The text of the model.
    pub response: Option<String>,
    /// The answer as the released code read it; `None` if it is unreadable.
    pub answer: Option<Answer>,
}

impl ReleasedSample {
    /// Returns the intervals of the answer, one per resource; `None` if the answer is `impossible` or missing.
    #[must_use]
    pub fn intervals(&self) -> Option<&[Interval]> {
        match &self.answer {
            Some(Answer::Intervals(intervals)) => Some(intervals),
            _ => None,
        }
    }

    /// Returns whether the answer is `impossible`.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.answer == Some(Answer::Impossible)
    }
}
