use std::{borrow::Cow, collections::BTreeMap, io::Read};

use censoring::{StopClass, StopReason};
use run_logs::{
    Account, ConfidenceStream, LoggedRun, MissingRun, StepKind, TraceRules, TraceRun, TraceSource,
    Ungraded, fold_traces, json_lines::InputError,
};
use scoring_rules::{Level, Probability, TiedBlocks};
use trajectory_metrics::{
    Error, Figure, ForecastPolicy, Interval, NoInterval, Undefined,
    estimates::{self, SHARE},
    tool_calls::{pass_at_k, pass_hat_k},
};

use crate::{
    compare::{
        measures::{
            BRIER, GAIN_OF_LAST, JUDGED, LEAST, MOST, Mean, NO_LOGARITHM, OVERCONFIDENCE_OF_LAST,
            PASS_AT, PASS_HAT, STATED, SUCCESS, Value, means, of_all,
        },
        settings::UngradedAs,
        side_runs::{Run, SideRun, SideRuns, Used},
    },
    confidence,
    metrics::known,
    report::{
        block::{Block, Field, Position},
        sentence::counted,
    },
    steps,
    traces::logged::{LoggedColumn, UNKNOWN_MODEL},
};

/// The maximum share of one task in a sum. Above it, the interval of a mean is too short.
const MOST_OF_ONE_TASK: f64 = 0.1;
/// The maximum k of pass@k and pass^k.
const MOST_K: u64 = 16;

/// The runs of one agent, for example of one model in a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// The source of the runs: a file or another name.
    pub file: String,
    /// The name of the agent; empty to use the name of its model or file.
    pub name: String,
    /// The model, if the file has several.
    pub model: Option<String>,
    /// The runs, including planned runs that are missing from the log.
    pub runs: SideRuns,
    /// The number of runs that name no task, so that their ids stand for it.
    pub without_task: usize,
    /// The counts of the runs that were read, used and left out.
    pub account: Account,
    /// Notes to read before the figures are quoted.
    pub notes: Vec<String>,
}

impl From<TraceRun> for SideRun {
    fn from(run: TraceRun) -> Self {
        let is_at_limit = run.stop.as_ref().is_some_and(|stop| stop.class() == StopClass::Censored);
        let grade = run.outcome.map(f64::from).or(run.grade.map(|grade| grade.get()));
        let ungraded = match &run.stop {
            Some(StopReason::Other(text)) if text == Ungraded::Error.name() => Ungraded::Error,
            _ if is_at_limit => Ungraded::AtLimit,
            _ => Ungraded::NoScore,
        };
        Self {
            task: run.task.unwrap_or(run.id),
            grade,
            ungraded: grade.is_none().then_some(ungraded),
            is_at_limit,
            ending: run.stop.map(Box::new),
            confidence: run.forecasts.last().map(|forecast| forecast.get()),
            ..Self::default()
        }
    }
}

impl Side {
    /// Reads the runs of a file of traces like [`run_logs::TraceFile::read_all`], but keeps only the data that a
    /// comparison needs. In each side, runs without a confidence come last.
    ///
    /// # Errors
    ///
    /// Errors of [`run_logs::TraceFile::read_all`].
    pub fn read_all(
        file: &str,
        source: impl Read,
        rules: impl Into<TraceRules>,
    ) -> Result<Vec<Self>, InputError> {
        let side = |source: TraceSource<'_>| {
            let model = source.model.clone();
            // Only the outcome of a run without a confidence is known.
            let add = |(runs, without_task): &mut ([SideRuns; 2], usize), run: TraceRun| {
                *without_task += usize::from(run.task.is_none());
                runs[usize::from(run.forecasts.is_empty())].push(run.into());
                Ok::<_, InputError>(())
            };
            let ([mut runs, mut others], mut without_task) = <([SideRuns; 2], usize)>::default();
            let remarks = fold_traces(file, source, add, Ok, |([more, without], n)| {
                runs.append(more);
                others.append(without);
                without_task += n;
            })?;
            runs.append(others);
            let account = counted_in_full(remarks.account());
            let notes = noted(remarks.notes(), without_task);
            let file = file.to_owned();
            Ok(Self { file, model, runs, without_task, account, notes, ..Self::default() })
        };
        TraceSource::all(file, source, rules)?.into_iter().map(side).collect()
    }
}

impl From<&LoggedRun> for SideRun {
    fn from(run: &LoggedRun) -> Self {
        let stated = run.forecasts(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip).ok();
        Self {
            task: run.task.clone().unwrap_or_else(|| run.id.clone()),
            grade: run.grade,
            ungraded: run.ungraded,
            is_unnamed: false,
            is_at_limit: run.is_at_limit,
            is_settled: run.is_settled,
            ending: run.stop.clone().map(Box::new),
            confidence: stated.and_then(|stated| Some(stated.last()?.get())),
            used: Some(Box::new(Used {
                turns: Some(run.n_turns).filter(|turns| *turns > 0),
                tokens: run.usage.total_tokens(),
                cost_usd: run.usage.cost_usd,
                seconds: run.seconds,
                model_seconds: seconds_of(run, false),
                tool_seconds: seconds_of(run, true),
            })),
            steps: run.steps.as_slice().into(),
        }
    }
}

/// Returns the time of the run's tools, or of its model calls; `None` without such steps, or if the time of one is unknown.
fn seconds_of(run: &LoggedRun, of_tools: bool) -> Option<f64> {
    let steps = run.steps.iter().filter(|step| matches!(step.kind, StepKind::Tool(_)) == of_tools);
    steps.map(|step| step.seconds).reduce(|a, b| a.zip(b).map(|(a, b)| a + b)).flatten()
}

impl SideRun {
    /// Creates a planned run that is missing from the log; runs without a task are distinguished by this number.
    fn missing(number: usize, run: &MissingRun) -> Self {
        Self {
            task: run.task.clone().unwrap_or_else(|| format!("missing run {number}")),
            ungraded: Some(Ungraded::Missing),
            is_unnamed: run.task.is_none(),
            ending: Some(Box::new(StopReason::Other("missing".to_owned()))),
            ..Self::default()
        }
    }
}

impl From<&LoggedColumn> for Side {
    fn from(log: &LoggedColumn) -> Self {
        let (missing, _) = log.table.missing();
        let rows = || log.table.rows().iter();
        let without_task = rows().filter(|run| run.task.is_none()).count();
        Self {
            file: log.file.clone(),
            name: log.name.clone(),
            model: log.model.clone(),
            runs: rows()
                .map(SideRun::from)
                .chain((1..).zip(&missing).map(|(number, run)| SideRun::missing(number, run)))
                .collect(),
            account: log.account(),
            without_task,
            notes: noted(log.notes.iter().cloned().chain(unstated(log)).collect(), without_task),
        }
    }
}

/// Counts runs without a confidence as used, because a comparison includes them.
fn counted_in_full(mut account: Account) -> Account {
    account.n_kept += account.left_out.remove("no_forecast").unwrap_or(0);
    account
}

/// Returns the note on runs without a usable stated confidence, if other runs have one.
fn unstated(log: &LoggedColumn) -> Option<String> {
    log.table.check_scale().ok()?;
    let (n, mut kept) = (log.table.rows().len(), 0);
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for run in log.table.rows() {
        match run.forecasts(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip) {
            Ok(_) => kept += 1,
            Err((_, reason)) => *reasons.entry(reason.name()).or_default() += 1,
        }
    }
    let reasons = Vec::from_iter(reasons.iter().map(|(reason, runs)| format!("{runs} {reason}")));
    let is_said = kept > 0 && !reasons.is_empty();
    is_said.then(|| {
        format!(
            "{kept} of {n} runs have a usable confidence; the reasons why the others have none: {reasons}",
            reasons = reasons.join(", "),
        )
    })
}

/// Returns the notes, with one on runs without a task.
fn noted(mut notes: Vec<String>, without_task: usize) -> Vec<String> {
    if without_task > 0 {
        let runs = counted(without_task, "run");
        notes.push(format!(
            "{runs} without a task: the id is used as the task, so runs with the same id are compared with each other; to state the tasks, add a column task to the table or to the file of --outcomes"
        ));
    }
    notes
}

impl Side {
    /// Applies the treatment of runs without a grade, and adds it to the counts of runs.
    pub(super) fn with_ungraded(mut self, as_what: UngradedAs) -> Self {
        // Missing runs were not found.
        let is_left_out = |run: Run<'_>| {
            run.ungraded.filter(|why| as_what != UngradedAs::Failed && *why != Ungraded::Missing)
        };
        let left_out = self.runs.iter().filter_map(is_left_out);
        self.account = self.account.without(left_out.map(|reason| (reason.name(), 1)));
        let rule = match as_what {
            UngradedAs::Unknown => None,
            UngradedAs::LeftOut => {
                let runs = Vec::from(self.runs).into_iter();
                self.runs = runs.filter(|run| run.grade.is_some()).collect();
                Some("runs without a grade are left out (--ungraded leave-out)")
            }
            UngradedAs::Failed => {
                self.runs.fail_ungraded();
                Some("runs without a grade count as failures (--ungraded failed)")
            }
        };
        self.account.rules.extend(rule.map(str::to_owned));
        self.runs.drop_use_of_ungraded();
        self
    }

    /// Returns whether some runs succeeded in part.
    pub(super) fn is_partial(&self) -> bool {
        self.runs.iter().filter_map(|run| run.grade).any(|grade| grade > 0.0 && grade < 1.0)
    }

    /// Returns whether these are the runs without a model in a file in which other runs name one. Such runs belong to
    /// no agent.
    pub(super) fn is_nobody(&self) -> bool {
        self.model.as_deref() == Some(UNKNOWN_MODEL)
    }

    /// Returns the runs with a known task.
    pub(super) fn named(&self) -> impl Iterator<Item = Run<'_>> {
        self.runs.iter().filter(|run| !run.is_unnamed)
    }

    /// Returns the values of the runs that have one, with the positions of their tasks.
    pub(super) fn values(&self, value: Value) -> (Vec<f64>, Vec<u32>) {
        let runs = self.runs.iter().zip(self.runs.ranks());
        runs.filter_map(|(run, task)| Some((value(&run)?, *task))).unzip()
    }

    /// Returns the interval of the mean over all runs for all possible missing grades; `None` if all runs have a grade.
    pub(super) fn of_all(&self, level: Level) -> Option<Result<Interval, NoInterval>> {
        let n_ungraded = self.count(|run| run.grade.is_none());
        (n_ungraded > 0 && n_ungraded < self.runs.len()).then(|| {
            let of = |value| {
                let (values, tasks) = self.values(value);
                move |level| estimates::mean(&values, None, &tasks, SHARE, level)
            };
            // Grades are within [0, 1], and there are some.
            estimates::between(of(LEAST), of(MOST), level).map_err(|_| NoInterval::Constant)?
        })
    }

    /// Returns the mean over the runs that have a value.
    pub(super) fn mean(&self, mean: &Mean, level: Level) -> Result<Figure, Undefined> {
        let (values, tasks) = self.values(mean.value);
        if mean.times.is_some() && values.contains(&f64::NEG_INFINITY) {
            return Err(Undefined::new(NO_LOGARITHM));
        }
        let found = known(estimates::mean(&values, None, &tasks, mean.range, level))?;
        Ok(if mean.times.is_some() { found.exp() } else { found })
    }

    /// Returns the figures of [`VERDICTS`].
    fn verdicts(&self, level: Level) -> confidence::Verdicts {
        let ((stated, _), (outcomes, tasks)) = (self.values(STATED), self.values(JUDGED));
        confidence::verdicts(&stated, &outcomes, &tasks, Some(level))
    }

    /// Returns a note if one task has a large share of a sum over all runs.
    fn dominated(&self, mean: &Mean) -> Option<String> {
        let (values, tasks) = self.values(mean.value);
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        values.iter().zip(tasks).for_each(|(value, task)| *sums.entry(task).or_default() += value);
        let total: f64 = sums.values().sum();
        let (largest, most) = sums.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        let share = most / total;
        // Equal tasks have as much each where they are few.
        let is_much = share > MOST_OF_ONE_TASK && share > 2.0 / sums.len() as f64;
        let mut tasks =
            self.runs.iter().zip(self.runs.ranks()).filter(|(_, task)| *task == largest);
        let task = tasks.next().filter(|_| is_much).map(|(run, _)| run.task);
        task.map(|task| {
            format!(
                "{mean}: the task {task:?} alone makes up {share:.0} % of the sum, so the intervals of means over runs are too narrow; the figures of a typical run are not affected",
                mean = mean.measure.key,
                share = 100.0 * share,
            )
        })
    }

    pub(super) fn count(&self, test: impl Fn(&Run<'_>) -> bool) -> usize {
        self.runs.iter().filter(test).count()
    }

    /// Returns the number of runs with a known outcome and of successes for each task, in the order of the names.
    pub(super) fn tasks(&self) -> Vec<(&str, [u64; 2])> {
        let ranks = self.runs.ranks();
        let mut tasks = vec![("", [0; 2]); ranks.iter().max().map_or(0, |last| *last as usize + 1)];
        for (run, &task) in self.runs.iter().zip(ranks) {
            if let Some(grade) = run.grade {
                let (name, [runs, successes]) = &mut tasks[task as usize];
                *name = run.task;
                *runs += 1;
                *successes += u64::from(grade == 1.0);
            }
        }
        tasks.retain(|(_, [runs, _])| *runs > 0);
        tasks
    }

    /// Returns the confidence that runs stated, with their outcomes; `None` if no run stated one.
    pub(super) fn forecasts(&self) -> Option<TiedBlocks> {
        let stated = self
            .runs
            .iter()
            .filter_map(|run| Some((Probability::new(run.confidence?).ok()?, run.grade?)));
        // A picture of frequencies is of runs that succeed or fail.
        let stated = stated.filter(|(_, grade)| [0.0, 1.0].contains(grade));
        let (forecasts, outcomes): (Vec<_>, Vec<_>) =
            stated.map(|(stated, grade)| (stated, grade == 1.0)).unzip();
        TiedBlocks::new(&forecasts, &outcomes, None).ok()
    }

    pub(super) fn block(&self, is_partial: bool, level: Level) -> Block {
        let (passes, n_tasks) = {
            let tasks = self.tasks();
            (if is_partial { Vec::new() } else { passes(&tasks, level) }, tasks.len())
        };
        let n_ungraded = self.count(|run| run.grade.is_none());
        // Where nothing says how runs ended, none is known to have reached a limit.
        let n_endless = self.count(|run| run.ending.is_none() && !run.is_at_limit);
        let n_at_limit = (n_endless < self.runs.len() || self.runs.is_empty())
            .then(|| self.count(|run| run.is_at_limit));
        let mut block = Block::of([
            Field::shown("n_runs", "runs with a grade", self.runs.len() - n_ungraded),
            Field::shown("n_tasks", "tasks", n_tasks),
            Field::shown_if("n_ungraded", "runs without a grade", n_ungraded, n_ungraded > 0),
            Field::shown("n_at_limit", "runs that a limit ended", n_at_limit),
        ]);
        let [overconfidence, gain] = self.verdicts(level);
        let mut notes = Vec::new();
        for mean in means(is_partial) {
            let is_first = mean.is_success();
            let n = self.count(|run| (mean.value)(run).is_some());
            if n > 0 || is_first {
                let per_success = mean
                    .per_success
                    .filter(|_| !is_partial)
                    .map(|measure| Field::figure(measure, self.per_success(mean.value, level)));
                let is_shown = n < self.runs.len() - n_ungraded;
                let known = mean.known.map(|[key, label]| Field::shown_if(key, label, n, is_shown));
                block.fields.extend(known);
                let found = match mean.measure == OVERCONFIDENCE_OF_LAST {
                    true => overconfidence.clone(),
                    false => self.mean(mean, level),
                };
                block.fields.push(Field::figure(mean.measure, found));
                block.fields.extend(per_success);
                notes.extend(mean.is_spending().then(|| self.dominated(mean)).flatten());
            }
            if is_first {
                let of_all = of_all(mean.measure);
                block.fields.push(match self.of_all(level) {
                    // If all runs have a grade, it equals the rate above, which tables need not repeat.
                    None => Field::figure(of_all, self.mean(mean, level)).unshown(),
                    Some(ends) => {
                        Field::bounds(of_all, ends.map_err(|it| Undefined::new(it.to_string())))
                    }
                });
            }
            if is_first && is_partial {
                let reason = "some scores are between 0 and 1; --success-at sets the lowest score that counts as a success";
                let rate = Field::figure(SUCCESS.measure, Err(Undefined::new(reason)));
                block.fields.push(rate.unshown());
            }
        }
        if self.runs.iter().any(|run| (BRIER.value)(&run).is_some()) {
            block.fields.push(Field::figure(GAIN_OF_LAST, gain));
        }
        block.fields.push(Field::rows(
            "passes",
            "Several runs of a task (pass@k: at least one of k succeeds, pass^k: all k succeed)",
            passes,
        ));
        block.fields.extend(steps::table(self.runs.iter().map(|run| run.steps), n_ungraded > 0));
        let mut endings: BTreeMap<Cow<'_, str>, u64> = BTreeMap::new();
        for run in self.runs.iter() {
            let ending = run.ending.as_ref().map_or("unknown".into(), |ending| ending.name());
            *endings.entry(ending).or_default() += 1;
        }
        block.fields.push(Field::shown("endings", "ends", serde_json::json!(endings)));
        block.push_reasons();
        if n_endless > 0 {
            let runs = counted(self.runs.len(), "run");
            notes.push(format!("n_at_limit: it is not known how {n_endless} of {runs} ended"));
        }
        notes.extend(self.notes.iter().cloned());
        block.say(Position::Note, notes);
        block
    }

    /// Returns the use of all runs per success.
    fn per_success(&self, value: Value, level: Level) -> Result<Figure, Undefined> {
        let runs = self.runs.iter().zip(self.runs.ranks()).filter_map(|(run, task)| {
            let success = run.grade?;
            Some(((value(&run)?, success), *task))
        });
        let (pairs, tasks): (Vec<(f64, f64)>, Vec<u32>) = runs.unzip();
        let (spent, successes): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        if successes.iter().all(|success| *success == 0.0) {
            return Err(Undefined::new("no run succeeded"));
        }
        known(estimates::ratio(&spent, &successes, &tasks, [0.0, f64::INFINITY], level))
    }
}

/// Returns pass@k and pass^k for each k from 2 to the largest number of runs of a task. For k = 1 both are the success
/// rate, unless tasks have different numbers of runs.
fn passes(tasks: &[(&str, [u64; 2])], level: Level) -> Vec<Block> {
    let counts = || tasks.iter().map(|(_, counts)| counts);
    let most = counts().map(|[runs, _]| *runs).max().unwrap_or(0);
    let row = |k: u64| {
        let tasks: Vec<&[u64; 2]> = counts().filter(|[runs, _]| *runs >= k).collect();
        let of = |pass: fn(u64, u64, u64) -> Result<f64, Error>| {
            let values = tasks.iter().map(|[runs, successes]| pass(*runs, *successes, k));
            let found = values.collect::<Result<Vec<f64>, _>>().and_then(|values| {
                let own: Vec<usize> = (0..values.len()).collect();
                estimates::mean(&values, None, &own, SHARE, level)
            });
            known(found)
        };
        Block::of([
            Field::shown("k", "k", k),
            Field::shown("n_tasks", "tasks", tasks.len()),
            Field::figure(PASS_AT, of(pass_at_k)),
            Field::figure(PASS_HAT, of(pass_hat_k)),
        ])
    };
    let is_even = counts().all(|[runs, _]| *runs == most);
    (if is_even { 2 } else { 1 }..=most.min(MOST_K)).map(row).collect()
}
