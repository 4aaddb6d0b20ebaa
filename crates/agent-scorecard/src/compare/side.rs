use std::collections::BTreeMap;

use censoring::{StopClass, StopReason};
use run_logs::{ConfidenceStream, LoggedRun, TraceFile, TraceRun};
use scoring_rules::{Level, Probability, TiedBlocks};
use trajectory_metrics::{
    Better, ClusterEstimate, Error, Figure, ForecastPolicy, Interval, Measure, NoInterval,
    Undefined,
    tool_calls::{pass_at_k, pass_hat_k},
};

use crate::{
    confidence::{self, GAIN, figure},
    report::{
        block::{Block, Field},
        sentence::counted,
    },
    traces::logged::LoggedColumn,
};

/// The runs of one agent, such as those of one model in a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Where the runs are from.
    pub file: String,
    /// The model, if the file has several.
    pub model: Option<String>,
    /// The runs.
    pub runs: Vec<SideRun>,
    /// What to know before the figures are quoted.
    pub notes: Vec<String>,
}

/// What a comparison takes from a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideRun {
    /// The task, or the run's own name if it has none. Runs of one task are not independent.
    pub task: String,
    /// Whether the run succeeded; `None` if nobody knows.
    pub outcome: Option<bool>,
    /// Whether a limit ended it, so that it has no outcome. It counts as a failure, and is left out beside that.
    pub is_cut_off: bool,
    /// Why it ended, in a word.
    pub ending: Option<String>,
    /// The number of its turns.
    pub turns: Option<u64>,
    /// The tokens that it read and wrote.
    pub tokens: Option<u64>,
    /// What it cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The probability of success that it stated last.
    pub confidence: Option<f64>,
}

/// What a run has to be compared by.
pub(super) type Value = fn(&SideRun) -> Option<f64>;

/// A measure that is a mean over runs.
pub(super) struct Mean {
    pub(super) measure: Measure,
    pub(super) value: Value,
    /// For values of which one part is 0 or 1, so that they vary little where most runs end alike: the largest difference of
    /// two of them.
    pub(super) largest_difference: Option<f64>,
    /// The sum of the values over all runs, divided by the number of successes.
    per_success: Option<Measure>,
    /// The key and the name of the number of runs that have a value.
    known: Option<[&'static str; 2]>,
}

pub(crate) const fn measure(
    key: &'static str,
    label: &'static str,
    better: Better,
    help: &'static str,
) -> Measure {
    Measure { key, label, better, help }
}

pub(super) const SUCCESS: Mean = Mean {
    measure: measure(
        "success_rate",
        "success rate",
        Better::Higher,
        "Share of runs that succeeded; those that a limit ended count as failures.",
    ),
    value: |run| run.success().map(f64::from),
    largest_difference: Some(1.0),
    per_success: None,
    known: None,
};
/// The success rate of runs that no limit ended.
pub(super) const UNCUT: Mean = Mean {
    measure: measure(
        "success_rate_uncut",
        "success rate without limits",
        Better::Higher,
        "Share of runs that succeeded, of those that no limit ended.",
    ),
    value: |run| run.outcome.map(f64::from),
    largest_difference: Some(1.0),
    per_success: None,
    known: None,
};
const OVERCONFIDENCE: Mean = Mean {
    measure: confidence::OVERCONFIDENCE,
    value: |run| Some(run.confidence? - f64::from(run.outcome?)),
    largest_difference: Some(2.0),
    per_success: None,
    known: None,
};
const BRIER: Mean = Mean {
    measure: measure(
        "brier",
        "Brier score of confidence",
        Better::Higher,
        "Mean of -(confidence - outcome)^2; 0 is best.",
    ),
    value: |run| Some(-(run.confidence? - f64::from(run.outcome?)).powi(2)),
    largest_difference: None,
    per_success: None,
    known: None,
};
/// What a run with an outcome stated.
const STATED: Value = |run| run.confidence.filter(|_| run.outcome.is_some());
/// The outcome of a run that stated a confidence.
const JUDGED: Value = |run| run.confidence.and(run.outcome).map(f64::from);
/// All means, that of success first.
pub(super) const MEANS: [Mean; 8] = [
    SUCCESS,
    UNCUT,
    Mean {
        measure: measure(
            "turns_per_run",
            "turns per run",
            Better::Lower,
            "Mean number of model calls of a run.",
        ),
        value: |run| run.turns.map(|turns| turns as f64),
        largest_difference: None,
        per_success: Some(measure(
            "turns_per_success",
            "turns per success",
            Better::Lower,
            "Model calls of runs with an outcome, divided by the number of successes.",
        )),
        known: Some(["n_with_turns", "runs with turns"]),
    },
    Mean {
        measure: measure(
            "tokens_per_run",
            "tokens per run",
            Better::Lower,
            "Mean number of tokens that a run read and wrote.",
        ),
        value: |run| run.tokens.map(|tokens| tokens as f64),
        largest_difference: None,
        per_success: Some(measure(
            "tokens_per_success",
            "tokens per success",
            Better::Lower,
            "Tokens of runs with an outcome, divided by the number of successes.",
        )),
        known: Some(["n_with_tokens", "runs with tokens"]),
    },
    Mean {
        measure: measure(
            "cost_usd_per_run",
            "cost per run in USD",
            Better::Lower,
            "Mean cost of a run.",
        ),
        value: |run| run.cost_usd,
        largest_difference: None,
        per_success: Some(measure(
            "cost_usd_per_success",
            "cost per success in USD",
            Better::Lower,
            "Cost of runs with an outcome, divided by the number of successes.",
        )),
        known: Some(["n_with_cost_usd", "runs with a cost"]),
    },
    Mean {
        measure: measure(
            "confidence",
            "stated confidence",
            Better::Neither,
            "Mean of the probabilities of success that runs stated last, of runs with an outcome; like all that follows from them, without those that a limit ended.",
        ),
        value: STATED,
        largest_difference: None,
        per_success: None,
        known: Some(["n_with_confidence", "runs with confidence and outcome"]),
    },
    OVERCONFIDENCE,
    BRIER,
];

const PASS_AT: Measure = measure(
    "pass_at_k",
    "pass@k",
    Better::Higher,
    "Chance that one of k runs of a task succeeds, as a mean over tasks with k runs or more.",
);
const PASS_HAT: Measure = measure(
    "pass_hat_k",
    "pass^k",
    Better::Higher,
    "Chance that all of k runs of a task succeed, as a mean over tasks with k runs or more.",
);

/// The most runs of a task that pass@k and pass^k are shown for.
const MOST_K: u64 = 16;

/// The measures of a side and of differences.
#[must_use]
pub fn measures() -> Vec<Measure> {
    let means = MEANS.iter().flat_map(|mean| std::iter::once(mean.measure).chain(mean.per_success));
    means.chain([GAIN, PASS_AT, PASS_HAT]).collect()
}

impl SideRun {
    fn ended(outcome: Option<bool>, stop: Option<&StopReason>) -> Self {
        let is_limit = |stop: &StopReason| stop.class() == StopClass::Censored;
        Self {
            outcome,
            is_cut_off: outcome.is_none() && stop.is_some_and(is_limit),
            ending: stop.map(|stop| stop.name().into_owned()),
            ..Self::default()
        }
    }

    /// Whether the run succeeded, where one that a limit ended did not.
    pub(super) fn success(&self) -> Option<bool> {
        self.outcome.or(self.is_cut_off.then_some(false))
    }
}

impl From<&TraceRun> for SideRun {
    fn from(run: &TraceRun) -> Self {
        Self {
            task: run.task.clone().unwrap_or_else(|| run.id.clone()),
            confidence: run.forecasts.last().map(|forecast| forecast.get()),
            ..Self::ended(run.outcome, run.stop.as_ref())
        }
    }
}

impl From<&TraceFile> for Side {
    fn from(file: &TraceFile) -> Self {
        // What is known of a run without a confidence is its outcome.
        let runs = || file.runs.iter().chain(file.remarks.without_forecasts());
        Self {
            file: file.file.clone(),
            model: file.model.clone(),
            runs: runs().map(SideRun::from).collect(),
            notes: noted(file.remarks.notes(), runs().filter(|run| run.task.is_none()).count()),
        }
    }
}

impl From<&LoggedRun> for SideRun {
    fn from(run: &LoggedRun) -> Self {
        let stated = run.forecasts(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip).ok();
        Self {
            task: run.task.clone().unwrap_or_else(|| run.id.clone()),
            turns: Some(run.turn_usage.len() as u64).filter(|turns| *turns > 0),
            tokens: run.usage.total_tokens(),
            cost_usd: run.usage.cost_usd,
            confidence: stated.and_then(|stated| Some(stated.last()?.get())),
            ..Self::ended(run.outcome, run.stop.as_ref())
        }
    }
}

impl From<&LoggedColumn> for Side {
    fn from(log: &LoggedColumn) -> Self {
        Self {
            file: log.file.clone(),
            model: log.model.clone(),
            runs: log.table.rows().iter().map(SideRun::from).collect(),
            notes: noted(
                log.notes.clone(),
                log.table.rows().iter().filter(|run| run.task.is_none()).count(),
            ),
        }
    }
}

/// The notes, and one on runs without a task.
fn noted(mut notes: Vec<String>, without_task: usize) -> Vec<String> {
    if without_task > 0 {
        let runs = counted(without_task, "run");
        notes.push(format!(
            "{runs} without a task: the id stands for it, so that runs of one id are compared with each other"
        ));
    }
    notes
}

impl Side {
    /// The values of the runs that have one, with their tasks.
    pub(super) fn values(&self, value: Value) -> (Vec<f64>, Vec<&str>) {
        self.runs.iter().filter_map(|run| Some((value(run)?, run.task.as_str()))).unzip()
    }

    /// The mean over the runs that have a value. That of a share stays in [0, 1].
    pub(super) fn mean(&self, mean: &Mean, level: Level) -> Result<Figure, Undefined> {
        let (values, tasks) = self.values(mean.value);
        match mean.largest_difference {
            Some(_) if mean.measure == OVERCONFIDENCE.measure => {
                let ((stated, _), (outcomes, _)) = (self.values(STATED), self.values(JUDGED));
                confidence::overconfidence(&stated, &outcomes, Some((&tasks, level)))
            }
            Some(_) => share(&values, ClusterEstimate::mean(&values, None, &tasks), level),
            None => confidence::mean(&values, Some((&tasks, level))),
        }
    }

    fn gain(&self, level: Level) -> Result<Figure, Undefined> {
        let ((outcomes, tasks), (scores, _)) = (self.values(JUDGED), self.values(BRIER.value));
        confidence::gain(&scores, &outcomes, Some((&tasks, level)))
    }

    pub(super) fn count(&self, test: impl Fn(&SideRun) -> bool) -> usize {
        self.runs.iter().filter(|run| test(run)).count()
    }

    /// The runs and successes of each task, where an outcome is known.
    pub(super) fn tasks(&self) -> BTreeMap<&str, [u64; 2]> {
        let mut tasks: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for run in &self.runs {
            if let Some(success) = run.success() {
                let [runs, successes] = tasks.entry(&run.task).or_default();
                *runs += 1;
                *successes += u64::from(success);
            }
        }
        tasks
    }

    /// The confidence that runs stated, with their outcomes; `None` if no run stated one.
    pub(super) fn forecasts(&self) -> Option<TiedBlocks> {
        let stated = self
            .runs
            .iter()
            .filter_map(|run| Some((Probability::new(run.confidence?).ok()?, run.outcome?)));
        let (forecasts, outcomes): (Vec<_>, Vec<_>) = stated.unzip();
        TiedBlocks::new(&forecasts, &outcomes, None).ok()
    }

    pub(super) fn block(&self, level: Level) -> Block {
        let tasks = self.tasks();
        let mut block = Block::of([
            Field::shown("n_runs", "runs", self.count(|run| run.success().is_some())),
            Field::shown("n_tasks", "tasks", tasks.len()),
            Field::shown("n_cut_off", "runs that a limit ended", self.count(|run| run.is_cut_off)),
            Field::shown(
                "n_left_out",
                "left out without an outcome",
                self.count(|run| run.success().is_none()),
            ),
        ]);
        for mean in &MEANS {
            let is_known = self.runs.iter().any(|run| (mean.value)(run).is_some());
            if is_known || mean.measure == SUCCESS.measure {
                let per_success = mean
                    .per_success
                    .map(|measure| Field::figure(measure, self.per_success(mean.value, level)));
                let known = mean.known.map(|[key, label]| {
                    let n = self.count(|run| (mean.value)(run).is_some());
                    let label = if n < self.runs.len() { label } else { "" };
                    Field::shown(key, label, n)
                });
                block.fields.extend(known);
                block.fields.push(Field::figure(mean.measure, self.mean(mean, level)));
                block.fields.extend(per_success);
            }
        }
        if self.runs.iter().any(|run| (BRIER.value)(run).is_some()) {
            block.fields.push(Field::figure(GAIN, self.gain(level)));
        }
        block.fields.push(Field::rows(
            "passes",
            "Several runs of a task (pass@k: at least one of k succeeds, pass^k: all do)",
            passes(&tasks, level),
        ));
        let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
        for run in &self.runs {
            *endings.entry(run.ending.as_deref().unwrap_or("unknown")).or_default() += 1;
        }
        block.fields.push(Field::shown("endings", "ends", serde_json::json!(endings)));
        block.push_reasons();
        block.notes.get_or_insert_default().extend(self.notes.iter().cloned());
        block
    }

    /// What all runs spent for each success.
    fn per_success(&self, value: Value, level: Level) -> Result<Figure, Undefined> {
        let known = self.runs.iter().filter_map(|run| {
            let success = f64::from(run.success()?);
            Some(((value(run)?, success), run.task.as_str()))
        });
        let (pairs, tasks): (Vec<(f64, f64)>, Vec<&str>) = known.unzip();
        let (spent, successes): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        if successes.iter().all(|success| *success == 0.0) {
            return Err(Undefined::new("no run succeeded"));
        }
        let found = match ClusterEstimate::ratio(&spent, &successes, None, &tasks) {
            Ok(found) => found.figure(level),
            // A single task has no interval, and is known all the same.
            Err(_) => {
                let value = spent.iter().sum::<f64>() / successes.iter().sum::<f64>();
                let few = NoInterval::check_clusters(1, level).err();
                let interval = Err(few.unwrap_or(NoInterval::Constant));
                Figure { interval, ..Figure::from(value) }
            }
        };
        // The interval of the logarithm: that of few successes would reach below 0.
        let interval = found.interval.map(|ends| {
            let factor = ((ends.high() - found.value) / found.value).exp();
            Interval::between(found.value / factor, found.value * factor)
        });
        Ok(Figure { interval, ..found })
    }
}

/// pass@k and pass^k for each k to the most runs of a task, from 2: for 1 both are the success rate, unless tasks have
/// different numbers of runs.
fn passes(tasks: &BTreeMap<&str, [u64; 2]>, level: Level) -> Vec<Block> {
    let most = tasks.values().map(|[runs, _]| *runs).max().unwrap_or(0);
    let row = |k: u64| {
        let tasks: Vec<&[u64; 2]> = tasks.values().filter(|[runs, _]| *runs >= k).collect();
        let of = |pass: fn(u64, u64, u64) -> Result<f64, Error>| {
            let values = tasks.iter().map(|[runs, successes]| pass(*runs, *successes, k));
            let values: Vec<f64> = match values.collect::<Result<_, _>>() {
                Ok(values) => values,
                Err(error) => return figure(Err(error), level),
            };
            let own: Vec<usize> = (0..values.len()).collect();
            share(&values, ClusterEstimate::mean(&values, None, &own), level)
        };
        Block::of([
            Field::shown("k", "k", k),
            Field::shown("n_tasks", "tasks", tasks.len()),
            Field::figure(PASS_AT, of(pass_at_k)),
            Field::figure(PASS_HAT, of(pass_hat_k)),
        ])
    };
    let is_even = tasks.values().all(|[runs, _]| *runs == most);
    (if is_even { 2 } else { 1 }..=most.min(MOST_K)).map(row).collect()
}

/// The mean of values in [0, 1]. Without two clusters it has no interval, and is known all the same.
pub(crate) fn share(
    values: &[f64],
    found: Result<ClusterEstimate, Error>,
    level: Level,
) -> Result<Figure, Undefined> {
    match found {
        Ok(found) => {
            let interval = found.proportion_interval(level);
            Ok(Figure { interval, ..found.figure(level) })
        }
        Err(_) if !values.is_empty() => {
            let few = NoInterval::check_clusters(1, level);
            let interval = Err(few.err().unwrap_or(NoInterval::Constant));
            let value = values.iter().sum::<f64>() / values.len() as f64;
            Ok(Figure { interval, ..Figure::from(value) })
        }
        Err(error) => figure(Err(error), level),
    }
}
