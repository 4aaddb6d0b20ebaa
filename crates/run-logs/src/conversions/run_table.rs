use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use censoring::{StopReason, Stopped};
use scoring_rules::Probability;
use trajectory_metrics::{
    CheckedRun, ClusterEstimate, Error as MetricsError, ForecastCounts, ForecastPolicy, Traces,
    tool_calls::{ToolCall, Value},
};

#[cfg(feature = "lines")]
use crate::conversions::outcomes::Outcomes;
use crate::{
    conversions::{
        repeats::{Names, Seen},
        streams::{
            confidence_stream::{ConfidenceStream, StreamOptions},
            missing_value::MissingValue,
        },
    },
    error::Error,
    format::Format,
    read::read_path,
    read_options::ReadOptions,
    rules::{FactRules, Judgement, PLACE_SCORES, Repeats, ScoreRange, Ungraded, success},
    values::{
        account::{Account, AccountedEvaluation},
        confidence_scale::SeenConfidences,
        evaluation::Evaluation,
        run::{Caller, Run, RunLimit, Turn, Usage, UsageRemark},
    },
};

/// The runs of logs as the measures need them: outcomes, stop reasons, streams of confidence, tool
/// calls and usage. The texts of the runs are dropped, so that a large folder fits into memory.
///
/// A row's turns are the model calls of the agent and its subagents; calls by graders, simulated
/// users and failed attempts are not steps of the run.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{
///     ConfidenceStream, Error, FactRules, ForecastPolicy, Format, ReadOptions, RunTable,
///     StreamOptions, read,
/// };
/// use trajectory_metrics::{Evaluation, EvaluationOptions};
///
/// let log = br#"
///     {"id": "a", "task": "sums", "outcome": true, "turns": [{"response": {"choices": [{
///         "message": {"content": "<confidence>0.9</confidence>"}}]}}]}
///     {"id": "b", "task": "sums", "outcome": false, "turns": [{"response": {"choices": [{
///         "message": {"content": "<confidence>0.6</confidence>"}}]}}]}
///     {"id": "c", "task": "sums", "outcome": false, "turns": [{"response": {"choices": [{
///         "message": {"content": "I do not know."}}]}}]}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let rules = FactRules::default();
/// let table = RunTable::new(runs, &rules, &StreamOptions::default())?;
///
/// let stated = table.stream(ConfidenceStream::StatedConfidence, ForecastPolicy::LeaveOut)?;
/// assert_eq!(stated.left_out().get("no_confidence"), Some(&1));
/// let traces = stated.traces(&table)?;
/// let report = Evaluation::new(&traces, &EvaluationOptions::default())?;
/// assert_eq!((traces.len(), report.base_rate), (2, 0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunTable {
    rows: Vec<LoggedRun>,
    rules: FactRules,
    evaluations: Vec<Arc<Evaluation>>,
    n_logs: usize,
    /// Runs that were found again and dropped, by model.
    repeats: BTreeMap<Option<String>, u64>,
    problem: Option<String>,
    /// The confidences that replies of the whole log state without a percent sign.
    stated: SeenConfidences,
}

/// Planned runs that a log may lack.
const MOST_MISSING: u64 = 1_000_000;

/// Why a run that succeeded in part is left out where runs succeed or fail.
pub const PARTIAL_SUCCESS: &str = "partial_success";

/// A run that was planned, and that no log has.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingRun {
    /// The model.
    pub model: Option<String>,
    /// The task; `None` if the log gives the number of planned runs alone.
    pub task: Option<String>,
    /// The repetition of the task.
    pub trial: Option<u64>,
}

/// A run of a [`RunTable`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoggedRun {
    /// The name of the run within its log.
    pub id: String,
    /// The task, if the log names one. Runs of one task are not independent.
    pub task: Option<String>,
    /// The repetition of the task.
    pub trial: Option<u64>,
    /// The model of the agent.
    pub model: Option<String>,
    /// The evaluation that the run is a part of.
    pub evaluation: Option<Arc<Evaluation>>,
    /// How well the run did by the rules, from 0 to 1.
    pub grade: Option<f64>,
    /// Why it has no grade.
    pub ungraded: Option<Ungraded>,
    /// Whether the run succeeded by the rules; `None` without a grade, and for a grade between 0 and 1.
    pub outcome: Option<bool>,
    /// Whether a limit ended the run.
    pub is_at_limit: bool,
    /// The scorer whose score is the grade.
    pub scorer: Option<String>,
    /// Why the run ended, by the rules.
    pub stop: Option<StopReason>,
    /// The number of turns that the run would have had without the limit that ended it.
    pub horizon: Option<usize>,
    /// The values of the scorers by name.
    pub scores: BTreeMap<String, Value>,
    /// The limit that ended the run, whatever the rules make of it.
    pub limit: Option<RunLimit>,
    /// Whether an error ended the run.
    pub has_error: bool,
    /// Why the log itself does not count the run.
    pub excluded: Option<String>,
    /// The number of model calls of the agent and its subagents that returned a reply.
    pub n_model_calls: u64,
    /// The number of model calls of the agent and its subagents that failed.
    pub n_failed_calls: usize,
    /// What the agent used in all.
    pub usage: Usage,
    /// What others than the agent used, by role.
    pub other_usage: BTreeMap<String, Usage>,
    /// What each turn used; a count that the log does not give is `None`.
    pub turn_usage: Vec<Usage>,
    /// The agent's tool calls in their order.
    pub tool_calls: Vec<ToolCall>,
    /// Whether the tools took these calls without an error; `None` where the log does not say.
    pub calls_ok: Vec<Option<bool>>,
    /// The calls that the task expects of the agent.
    pub expected_calls: Vec<ToolCall>,
    /// The values of each turn, in the order of [`ConfidenceStream::ALL`].
    values: Vec<[Result<Probability, MissingValue>; ConfidenceStream::ALL.len()]>,
}

/// The runs that have a stream, and why the others do not.
#[derive(Clone, Debug)]
pub struct StreamRuns {
    runs: Vec<StreamRun>,
    left_out: BTreeMap<&'static str, u64>,
    first_left_out: Option<(usize, usize, MissingValue)>,
    counts: ForecastCounts,
}

/// The forecasts of one run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamRun {
    /// The position of the run in [`RunTable::rows`].
    pub row: usize,
    /// The forecasts, at least one.
    pub forecasts: Vec<Probability>,
    /// The horizon for [`Stopped::with_horizon`].
    pub horizon: Option<usize>,
}

impl RunTable {
    /// The table of runs that were read.
    ///
    /// # Errors
    ///
    /// The first error among the runs, those of [`FactRules::judgement`], and [`Error::Undefined`] for scores outside
    /// [0, 1] if the rules give neither their range nor the lowest score of a success.
    pub fn new(
        runs: impl IntoIterator<Item = Result<Run, Error>>,
        rules: &FactRules,
        options: &StreamOptions<'_>,
    ) -> Result<Self, Error> {
        let mut table = Self { rules: rules.clone(), ..Self::default() };
        let confidence = options.confidence.clone().with_scale(rules.percent);
        let options = &StreamOptions { confidence, ..options.clone() };
        let mut seen = Seen::default();
        for run in runs {
            let run = run?;
            let names = (rules.repeats == Repeats::Drop).then(|| Names::of(&run));
            let row = LoggedRun::new(run, rules, options, &mut table.stated)?;
            match names.and_then(|names| seen.row(&names, table.rows.len())) {
                None => table.rows.push(row),
                Some(at) => {
                    *table.repeats.entry(row.model.clone()).or_default() += 1;
                    // The newest complete one is kept.
                    if let Some(kept) = table.rows.get_mut(at).filter(|kept| kept.is_before(&row)) {
                        *kept = row;
                    }
                }
            }
        }
        let of_rows: Vec<_> = table.rows.iter().filter_map(|row| row.evaluation.clone()).collect();
        table.add_evaluations(of_rows.iter())?;
        match table.out_of_range() {
            None => Ok(table),
            Some(reason) if !rules.is_lenient => Err(Error::Undefined { name: "outcome", reason }),
            problem => {
                for row in &mut table.rows {
                    (row.grade, row.outcome) = (None, None);
                    row.ungraded.get_or_insert(Ungraded::NoScore);
                }
                Ok(Self { problem, ..table })
            }
        }
    }

    /// What to say if a score is outside [0, 1] and the rules do not place it.
    fn out_of_range(&self) -> Option<String> {
        let graded = || self.rows.iter().filter_map(|row| Some((row, row.grade?)));
        let (first, _) = graded().find(|(_, grade)| !(0.0..=1.0).contains(grade))?;
        let of_scorer = graded().filter(|(row, _)| row.scorer == first.scorer);
        let (low, high) = of_scorer.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            (low.min(it.1), high.max(it.1))
        });
        Some(format!(
            "the scores{} run from {low} to {high}, beyond 0 to 1; {PLACE_SCORES}",
            first.scorer.as_ref().map_or(String::new(), |scorer| format!(" of {scorer}"))
        ))
    }

    /// Why no run has a grade although there are scores, by lenient rules.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Adds evaluations of the logs that were read, such as those without a run.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] for one that plans a million runs more than there are: each of those is counted.
    pub fn add_evaluations<'a>(
        &mut self,
        evaluations: impl Iterator<Item = &'a Arc<Evaluation>>,
    ) -> Result<(), Error> {
        for evaluation in evaluations {
            let planned = evaluation.n_planned().unwrap_or(0);
            if planned.saturating_sub(self.rows.len() as u64) > MOST_MISSING {
                let name = evaluation.task.as_ref().or(evaluation.id.as_ref());
                let of = name.map_or(String::new(), |name| format!(" {name}"));
                let reason = format!(
                    "the evaluation{of} plans {planned} runs, over a million more than the log has; correct its samples, epochs or total_samples"
                );
                return Err(Error::Undefined { name: "planned runs", reason });
            }
            self.add(evaluation);
        }
        Ok(())
    }

    fn add(&mut self, evaluation: &Arc<Evaluation>) {
        if !self.evaluations.iter().any(|known| Arc::ptr_eq(known, evaluation)) {
            self.evaluations.push(Arc::clone(evaluation));
        }
    }

    /// Says how many logs were read.
    pub const fn set_n_logs(&mut self, n_logs: usize) {
        self.n_logs = n_logs;
    }

    /// The evaluations of the logs.
    #[must_use]
    pub fn evaluations(&self) -> &[Arc<Evaluation>] {
        &self.evaluations
    }

    /// The rules by which the runs were judged.
    #[must_use]
    pub const fn rules(&self) -> &FactRules {
        &self.rules
    }

    /// The runs that were planned and that no log has, those of an evaluation and its retries together. The second
    /// number is how many were planned; `None` if no log says so.
    #[must_use]
    pub fn missing(&self) -> (Vec<MissingRun>, Option<u64>) {
        let key = |it: &Arc<Evaluation>| {
            let name = it.task_id.clone().or_else(|| it.id.clone());
            // One without a name has no retry.
            let own = name.is_none().then_some(Arc::as_ptr(it));
            (name, own, it.model.clone())
        };
        let mut all = BTreeMap::new();
        for evaluation in &self.evaluations {
            all.entry(key(evaluation)).or_insert_with(Vec::new).push(evaluation);
        }
        let (mut missing, mut planned) = (Vec::new(), None);
        for (name, retries) in all {
            let rows = self.rows.iter().filter(|row| {
                row.evaluation.as_ref().is_some_and(|evaluation| key(evaluation) == name)
            });
            let found: BTreeSet<(&str, Option<u64>)> =
                rows.map(|row| (row.id.as_str(), row.trial)).collect();
            let Some(most) = retries.iter().filter_map(|it| it.n_planned()).max() else { continue };
            let mut expected = BTreeSet::new();
            for of in &retries {
                let epochs = 1..=of.epochs.unwrap_or(1);
                let trials = |id| epochs.clone().map(move |trial| (of, id, trial));
                let ids = of.sample_ids.iter().flat_map(trials);
                expected.extend(ids.map(|(of, id, trial)| (of.task_of(id), id.as_str(), trial)));
            }
            // Runs that name no evaluation may be those that one without names of samples planned.
            let is_linked =
                !found.is_empty() || self.rows.iter().all(|row| row.evaluation.is_some());
            if expected.is_empty() && !is_linked {
                continue;
            }
            planned = Some(planned.unwrap_or(0) + most.max(expected.len() as u64));
            let model = &name.2;
            if expected.is_empty() {
                let lacking = most.saturating_sub(found.len() as u64);
                let unnamed = MissingRun { model: model.clone(), ..MissingRun::default() };
                missing.extend((0..lacking).map(|_| unnamed.clone()));
            }
            let lacking = expected.into_iter().filter(|(_, id, trial)| {
                !found.contains(&(*id, Some(*trial))) && !found.contains(&(*id, None))
            });
            missing.extend(lacking.map(|(task, _, trial)| MissingRun {
                model: model.clone(),
                task: Some(task),
                trial: Some(trial),
            }));
        }
        (missing, planned)
    }

    /// What was read, and what counts: all runs are kept that were not found again.
    #[must_use]
    pub fn account(&self, name: &str) -> Account {
        let n_repeats = self.repeats.values().sum();
        let n_found = self.rows.len() as u64 + n_repeats;
        let count =
            |test: &dyn Fn(&&LoggedRun) -> bool| self.rows.iter().filter(test).count() as u64;
        let (missing, n_planned) = self.missing();
        let mut account = Account {
            name: name.to_owned(),
            n_logs: self.n_logs as u64,
            n_found,
            n_kept: n_found,
            success: success(self.rules.success_at, self.rules.score_range, "a score of 1"),
            n_at_limit_graded: count(&|row| row.is_at_limit && row.grade.is_some()),
            n_at_limit_ungraded: count(&|row| row.is_at_limit && row.grade.is_none()),
            at_limit: self.rules.at_limit.unwrap_or_default().name().to_owned(),
            n_partial: count(&|row| row.is_partial()),
            n_errors: count(&|row| row.has_error),
            n_repeats,
            n_planned,
            n_missing: missing.len() as u64,
            ..Account::default()
        };
        for evaluation in &self.evaluations {
            let evaluation = AccountedEvaluation::from(evaluation.as_ref());
            let is_said = evaluation != AccountedEvaluation::default();
            if is_said && !account.evaluations.contains(&evaluation) {
                account.evaluations.push(evaluation);
            }
        }
        for row in &self.rows {
            if let Some(scorer) = &row.scorer {
                *account.scorers.entry(scorer.clone()).or_default() += 1;
            }
        }
        account.unlike_log = self.unlike_logs();
        account.leave_out("repeat", n_repeats);
        account
    }

    /// Where a log itself gives another mean or standard error than its runs do, such as for another way to make one
    /// score of several epochs.
    fn unlike_logs(&self) -> Vec<String> {
        if self.rules.success_at.is_some() {
            return Vec::new();
        }
        let of = |it: &Evaluation| it.task_id.clone().or_else(|| it.id.clone());
        let size = self.rules.score_range.map_or(1.0, ScoreRange::size);
        let grade = |score: f64| match self.rules.score_range {
            Some(range) => range.grade(score),
            None => Some(score),
        };
        let differs = |own: f64, found: f64| (own - found).abs() > 1e-9 * own.abs().max(1.0);
        let mut all = Vec::new();
        for evaluation in self.evaluations.iter().filter(|it| !it.figures.is_empty()) {
            let is_part = |row: &&LoggedRun| {
                row.evaluation.as_ref().is_some_and(|it| Arc::ptr_eq(it, evaluation))
            };
            let rows: Vec<&LoggedRun> = self.rows.iter().filter(is_part).collect();
            let scorer = rows.iter().find_map(|row| row.scorer.as_ref());
            let figures = scorer.and_then(|scorer| evaluation.figures.get(scorer));
            // A log and its retry have runs of each other.
            let retries = self.evaluations.iter().filter(|it| of(it) == of(evaluation)).count();
            let (Some(figures), 1) = (figures, retries) else { continue };
            let graded = rows.iter().filter_map(|row| Some((row.grade?, row.id.as_str())));
            let (grades, samples): (Vec<f64>, Vec<&str>) = graded.unzip();
            let found = ClusterEstimate::mean(&grades, None, &samples).ok();
            let mean = grades.iter().sum::<f64>() / grades.len() as f64;
            let own = [figures.mean.and_then(grade), figures.standard_error.map(|it| it / size)];
            let here = [Some(mean), found.map(|it| it.standard_error)];
            let is_unlike =
                |(own, here): (&Option<f64>, &Option<f64>)| Some(differs((*own)?, (*here)?));
            if !own.iter().zip(&here).filter_map(is_unlike).any(|it| it) {
                continue;
            }
            let text = |[mean, error]: [Option<f64>; 2]| {
                let mean = mean.map(|mean| format!("a mean score of {mean:.4}"));
                let error = error.map(|error| format!("a standard error of {error:.4}"));
                mean.into_iter().chain(error).collect::<Vec<_>>().join(" and ")
            };
            let reducer = figures.reducer.iter().map(|by| format!("epochs by {by}"));
            let cluster = figures.cluster.iter().map(|by| format!("clusters by {by}"));
            let how = reducer.chain(cluster).collect::<Vec<_>>().join(", ");
            all.push(format!(
                "the log{} has {}{}, its runs {} by sample",
                evaluation.task.as_ref().map_or(String::new(), |task| format!(" of {task}")),
                text(own),
                if how.is_empty() { how } else { format!(" ({how})") },
                text(here)
            ));
        }
        all
    }

    /// The table of runs that were read, after each got what is known of it beside its log.
    ///
    /// # Errors
    ///
    /// Those of [`RunTable::new`] and [`Outcomes::join`].
    #[cfg(feature = "lines")]
    pub fn with_outcomes(
        runs: impl IntoIterator<Item = Result<Run, Error>>,
        outcomes: &mut Outcomes,
        rules: &FactRules,
        options: &StreamOptions<'_>,
    ) -> Result<Self, Error> {
        let joined = runs.into_iter().map(|run| {
            let mut run = run?;
            outcomes.join(&mut run)?;
            Ok(run)
        });
        Self::new(joined, rules, options)
    }

    /// Reads a log, or all logs in a folder.
    ///
    /// # Errors
    ///
    /// Those of [`read_path`] and [`RunTable::new`].
    pub fn read_path(
        path: &Path,
        format: Format,
        limits: &ReadOptions,
        rules: &FactRules,
        options: &StreamOptions<'_>,
    ) -> Result<Self, Error> {
        let mut runs = read_path(path, format, limits)?;
        let mut table = Self::new(runs.by_ref(), rules, options)?;
        table.add_evaluations(runs.evaluations())?;
        table.set_n_logs(runs.n_logs());
        Ok(table)
    }

    /// The runs in the order in which they were read.
    #[must_use]
    pub fn rows(&self) -> &[LoggedRun] {
        &self.rows
    }

    /// The runs of each model, in the order of the models' names; those whose model is unknown come first.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use run_logs::{
    ///     Error, FactRules, Format, ReadOptions, RunTable, StreamOptions, read,
    /// };
    ///
    /// let log = br#"
    ///     {"id": "a", "outcome": true, "turns": [{"response": {"model": "small", "choices": []}}]}
    ///     {"id": "a", "outcome": true, "turns": [{"response": {"model": "large", "choices": []}}]}"#;
    /// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
    /// let rules = FactRules::default();
    /// let models = RunTable::new(runs, &rules, &StreamOptions::default())?.by_model();
    /// let names: Vec<Option<&str>> = models.keys().map(Option::as_deref).collect();
    /// assert_eq!(names, [Some("large"), Some("small")]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn by_model(self) -> BTreeMap<Option<String>, Self> {
        let (rules, n_logs) = (&self.rules, self.n_logs);
        let (problem, stated) = (&self.problem, &self.stated);
        let empty = || Self {
            rules: rules.clone(),
            n_logs,
            problem: problem.clone(),
            stated: stated.clone(),
            ..Self::default()
        };
        let mut models: BTreeMap<_, Self> = BTreeMap::new();
        let is_named = |it: &Arc<Evaluation>| it.model.is_some();
        let (missing, _) = self.missing();
        let nobody = missing.iter().filter(|run| run.model.is_none()).count() as u64;
        let has_models = self.rows.iter().any(|row| row.model.is_some());
        if nobody > 0 && has_models {
            // The trials of a job may be of several models: those that are missing are of none.
            let rest = Evaluation { total_samples: Some(nobody), ..Evaluation::default() };
            models.entry(None).or_insert_with(empty).evaluations.push(Arc::new(rest));
        }
        // What was planned of a job of several models is known of each of them by the runs that there are.
        let planned: BTreeSet<&String> = self
            .evaluations
            .iter()
            .filter(|it| it.n_planned().is_some())
            .filter_map(|it| it.id.as_ref())
            .collect();
        let mut found: BTreeMap<_, u64> = BTreeMap::new();
        for row in self.rows.iter().filter(|_| has_models) {
            let of = row.evaluation.as_ref().filter(|it| !is_named(it));
            if let Some(id) = of.and_then(|it| it.id.as_ref()).filter(|id| planned.contains(id)) {
                *found.entry((row.model.clone(), id.clone())).or_default() += 1;
            }
        }
        for ((model, id), runs) in found {
            let (id, total_samples) = (Some(id), Some(runs));
            let of = Evaluation { id, total_samples, ..Evaluation::default() };
            models.entry(model).or_insert_with(empty).evaluations.push(Arc::new(of));
        }
        for row in self.rows {
            let of_model = models.entry(row.model.clone()).or_insert_with(empty);
            if has_models {
                row.evaluation.iter().filter(|it| !is_named(it)).for_each(|it| of_model.add(it));
            }
            of_model.rows.push(row);
        }
        for (model, count) in self.repeats {
            let of_model = models.entry(model.clone()).or_insert_with(empty);
            of_model.repeats.insert(model, count);
        }
        for evaluation in self.evaluations.into_iter().filter(|it| is_named(it) || !has_models) {
            let of_model = models.entry(evaluation.model.clone()).or_insert_with(empty);
            of_model.evaluations.push(evaluation);
        }
        models
    }

    /// Checks the scale of the confidences that replies state, over all models of the log: see
    /// [`ConfidenceScale`](crate::ConfidenceScale).
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] if it is in doubt.
    pub fn check_scale(&self) -> Result<(), Error> {
        let name = ConfidenceStream::StatedConfidence.name();
        let problem = self.rules.percent.problem(&self.stated);
        problem.map_or(Ok(()), |reason| Err(Error::Undefined { name, reason }))
    }

    /// What to know about stated confidences that are read as percentages.
    #[must_use]
    pub fn scale_note(&self) -> Option<String> {
        self.rules.percent.note(&self.stated)
    }

    /// What to know about tokens and costs of the runs before they are quoted.
    #[must_use]
    pub fn usage_notes(&self) -> Vec<String> {
        let note = |is: &dyn Fn(&Usage) -> bool, what: &str| {
            let mut runs = self.rows.iter().filter(|run| is(&run.usage));
            let first = runs.next()?.name();
            Some(match runs.count() {
                0 => format!("run {first}: {what}"),
                others => format!("run {first} and {others} others: {what}"),
            })
        };
        let has = |remark| move |usage: &Usage| usage.remark == Some(remark);
        let is_unknown = |usage: &Usage| {
            has(UsageRemark::Contradictory)(usage) && usage.total_tokens().is_none()
        };
        let notes = [
            note(
                &is_unknown,
                "the log's counts of tokens contradict each other, so that they are not known",
            ),
            note(
                &has(UsageRemark::LargerTotal),
                "the log's total of tokens is larger than input and output, and counts",
            ),
            note(
                &|usage| usage.cost_usd == Some(0.0) && usage.total_tokens() > Some(0),
                "the log's cost is 0 beside tokens, which need not mean that they cost nothing; prices of the model replace it",
            ),
        ];
        notes.into_iter().flatten().collect()
    }

    /// The forecasts of a stream under a policy for turns without a value.
    ///
    /// The TPS paper (arXiv:2605.24756, appendix K) uses [`ForecastPolicy::LeaveOut`]: values are neither
    /// guessed nor skipped. [`ForecastPolicy::Skip`] is for logs in which only some turns ask for a
    /// confidence or an action; the horizon of a run that was cut off does not apply then, and a run
    /// without any value is counted with the first reason other than that a turn has no confidence or
    /// action, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::MissingConfidence`] for the first value that the policy refuses, under
    /// [`ForecastPolicy::Refuse`] and [`ForecastPolicy::Clip`], and those of [`RunTable::check_scale`] for stated confidences.
    pub fn stream(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
    ) -> Result<StreamRuns, Error> {
        if stream == ConfidenceStream::StatedConfidence {
            self.check_scale()?;
        }
        let mut found = StreamRuns {
            runs: Vec::new(),
            left_out: BTreeMap::new(),
            first_left_out: None,
            counts: ForecastCounts::default(),
        };
        for (row, run) in self.rows.iter().enumerate() {
            match run.checked(stream, policy, &mut found.counts) {
                Ok(forecasts) => {
                    let horizon = run.horizon.filter(|_| policy != ForecastPolicy::Skip);
                    found.runs.push(StreamRun { row, forecasts, horizon });
                }
                Err(Unscored { turn, reason, is_refused: true }) => {
                    let (run, reason) = (run.id.clone(), reason.to_string());
                    return Err(Error::MissingConfidence { run, turn, reason });
                }
                Err(Unscored { turn, reason, is_refused: false }) => {
                    *found.left_out.entry(reason.name()).or_default() += 1;
                    found.first_left_out.get_or_insert((row, turn, reason));
                }
            }
        }
        Ok(found)
    }
}

/// Why a run has no forecasts of a stream under a policy.
struct Unscored {
    turn: usize,
    reason: MissingValue,
    /// Whether the policy refuses the value rather than leaving out the run.
    is_refused: bool,
}

impl LoggedRun {
    fn new(
        run: Run,
        rules: &FactRules,
        options: &StreamOptions<'_>,
        stated: &mut SeenConfidences,
    ) -> Result<Self, Error> {
        let judged = rules.judgement(&run)?;
        let Judgement { grade, ungraded, outcome, stop, is_at_limit, scorer } = judged;
        let replies = run.agent_turns().filter_map(|turn| turn.reply.as_ref());
        let calls = replies.flat_map(|reply| &reply.tool_calls);
        let (tool_calls, calls_ok) = calls.map(|call| (call.tool_call(), call.ok)).unzip();
        // A turn without a model call is not a step of the model.
        let steps = || run.agent_turns().filter(|turn| turn.model_calls != Some(0));
        let usage = |reply: Option<&crate::values::run::Reply>| {
            reply.and_then(|reply| reply.usage.clone()).unwrap_or_default()
        };
        Ok(Self {
            grade,
            ungraded,
            outcome,
            stop,
            is_at_limit,
            scorer,
            evaluation: run.evaluation.clone(),
            horizon: run.horizon.and_then(|turns| usize::try_from(turns).ok()),
            has_error: run.error.is_some(),
            n_model_calls: run.n_model_calls(),
            n_failed_calls: run.agent_turns().filter(|turn| turn.reply.is_none()).count(),
            turn_usage: steps().map(|turn| usage(turn.reply.as_ref())).collect(),
            tool_calls,
            calls_ok,
            expected_calls: run
                .expected_calls
                .iter()
                .filter(|expected| expected.caller == Caller::Agent)
                .map(|expected| expected.call.clone())
                .collect(),
            values: steps().map(|turn| values(turn, options, stated)).collect(),
            id: run.id,
            task: run.task,
            trial: run.trial,
            model: run.model,
            scores: run.scores.into_iter().map(|(name, score)| (name, score.value)).collect(),
            limit: run.limit,
            excluded: run.excluded,
            usage: run.usage,
            other_usage: run
                .other_usage
                .into_iter()
                .map(|(role, models)| {
                    (role, models.values().fold(Usage::default(), |sum, used| sum.and(used)))
                })
                .collect(),
        })
    }

    /// Whether this run counts less than another record of it: what has a grade, and then what is newer, counts.
    fn is_before(&self, other: &Self) -> bool {
        let rank = |run: &Self| {
            let created = run.evaluation.as_ref().and_then(|it| it.started());
            (run.grade.is_some(), !run.has_error, created)
        };
        rank(self) < rank(other)
    }

    /// Whether the run succeeded in part, so that it has a grade and no outcome.
    #[must_use]
    pub const fn is_partial(&self) -> bool {
        self.grade.is_some() && self.outcome.is_none()
    }

    /// The grade of a run that succeeded in part.
    #[must_use]
    pub fn partial_grade(&self) -> Option<Probability> {
        self.grade.filter(|_| self.is_partial()).and_then(|grade| Probability::new(grade).ok())
    }

    /// A name that tells the trials of a task apart: `id#trial` where the log counts trials, otherwise
    /// the id.
    #[must_use]
    pub fn name(&self) -> String {
        match self.trial {
            Some(trial) => format!("{}#{trial}", self.id),
            None => self.id.clone(),
        }
    }

    /// The values of a stream, one per turn.
    #[must_use]
    pub fn values(
        &self,
        stream: ConfidenceStream,
    ) -> impl ExactSizeIterator<Item = &Result<Probability, MissingValue>> {
        let at = ConfidenceStream::ALL.iter().position(|other| *other == stream);
        // Every stream is in the list.
        self.values.iter().map(move |values| &values[at.unwrap_or(0)])
    }

    /// The forecasts of a stream under a policy, or the first turn without a value, from 1, and the
    /// reason.
    ///
    /// # Errors
    ///
    /// The reason why the policy refuses the run or leaves it out. A run without turns has no reply.
    pub fn forecasts(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
    ) -> Result<Vec<Probability>, (usize, MissingValue)> {
        let checked = self.checked(stream, policy, &mut ForecastCounts::default());
        checked.map_err(|Unscored { turn, reason, .. }| (turn, reason))
    }

    fn checked(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
        counts: &mut ForecastCounts,
    ) -> Result<Vec<Probability>, Unscored> {
        let raw: Vec<Option<f64>> = self
            .values(stream)
            .map(|value| match value {
                Ok(value) => Some(value.get()),
                // Clipping is for rounding: 85 is no certainty.
                Err(MissingValue::ConfidenceOutOfRange { value }) => Some(*value)
                    .filter(|value| policy != ForecastPolicy::Clip || is_nearly_in_range(*value)),
                Err(_) => None,
            })
            .collect();
        let (step, is_refused) = match policy.check_run(&raw, counts) {
            Ok(CheckedRun::Kept(forecasts)) if !forecasts.is_empty() => return Ok(forecasts),
            Ok(CheckedRun::LeftOut { step, .. }) => (step, false),
            Err(MetricsError::Forecast { step, .. }) => (step, true),
            // A run without turns.
            Ok(CheckedRun::Kept(_)) | Err(_) => {
                counts.left_out_runs = counts.left_out_runs.saturating_add(1);
                (1, false)
            }
        };
        let missing = || {
            let values = (1..).zip(self.values(stream));
            values.filter_map(|(turn, value)| Some((turn, value.as_ref().err()?)))
        };
        // That a turn was not asked says less than what is wrong with another one.
        let of_all = missing().find(|(_, reason)| !reason.is_absence());
        let found = match policy {
            ForecastPolicy::Skip => of_all.or_else(|| missing().next()),
            _ => missing().find(|(turn, _)| *turn == step),
        };
        let (turn, reason) =
            found.map_or((1, MissingValue::NoReply), |(turn, reason)| (turn, reason.clone()));
        Err(Unscored { turn, reason, is_refused })
    }
}

impl StreamRuns {
    /// The runs that have the stream.
    #[must_use]
    pub fn runs(&self) -> &[StreamRun] {
        &self.runs
    }

    /// How many runs are left out, by [`MissingValue::name`] of the first missing value.
    #[must_use]
    pub const fn left_out(&self) -> &BTreeMap<&'static str, u64> {
        &self.left_out
    }

    /// The first run that is left out: its row, the turn from 1, and the reason.
    #[must_use]
    pub const fn first_left_out(&self) -> Option<&(usize, usize, MissingValue)> {
        self.first_left_out.as_ref()
    }

    /// How many runs were kept, repaired and left out by the policy.
    #[must_use]
    pub const fn counts(&self) -> ForecastCounts {
        self.counts
    }

    /// The traces of the runs whose outcome is known, for `trajectory_metrics::Evaluation::new`.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] if there are more steps than can be stored.
    pub fn traces(&self, table: &RunTable) -> Result<Traces, Error> {
        let mut traces = Traces::default();
        for run in &self.runs {
            if let Some(outcome) = table.rows.get(run.row).and_then(|row| row.outcome) {
                traces.push(&run.forecasts, outcome)?;
            }
        }
        Ok(traces)
    }

    /// All runs with their stop reasons, for the measures of `censoring`.
    ///
    /// # Errors
    ///
    /// [`Error::Censoring`] if an outcome, a stop reason or a horizon contradict each other.
    pub fn stopped<'a>(&'a self, table: &'a RunTable) -> Result<Vec<Stopped<'a>>, Error> {
        let rows = self.runs.iter().filter_map(|run| Some((run, table.rows.get(run.row)?)));
        rows.map(|(run, row)| {
            let stopped = Stopped::new(&run.forecasts, row.outcome, row.stop.clone())?;
            match run.horizon {
                Some(horizon) => Ok(stopped.with_horizon(horizon)?),
                None => Ok(stopped),
            }
        })
        .collect()
    }
}

/// The values of all streams at a turn; what it states is counted as it is written.
fn values(
    turn: &Turn,
    options: &StreamOptions<'_>,
    stated: &mut SeenConfidences,
) -> [Result<Probability, MissingValue>; ConfidenceStream::ALL.len()] {
    ConfidenceStream::ALL.map(|stream| {
        let value = stream.value(turn, options);
        let is_stated = stream == ConfidenceStream::StatedConfidence
            && matches!(value, Ok(_) | Err(MissingValue::ConfidenceOutOfRange { .. }));
        if let (true, Some(reply)) = (is_stated, &turn.reply) {
            stated.add(options.confidence.bare(reply), || (0, String::new()));
        }
        value
    })
}

/// Whether a value is outside [0, 1] by no more than rounding.
fn is_nearly_in_range(value: f64) -> bool {
    (-1e-6..=1.0 + 1e-6).contains(&value)
}
