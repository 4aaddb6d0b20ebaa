use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use crate::{
    conversions::{
        logged_run::LoggedRun,
        outcomes_file::Outcomes,
        repeats::{Names, Seen},
        streams::confidence_stream::{ConfidenceStream, StreamOptions},
    },
    error::Error,
    fact_rules::{FactRules, PLACE_SCORES, Repeats, Ungraded, success},
    format::{Format, ReadOptions},
    read::{Runs, read_path},
    values::{
        account::{Account, AccountedEvaluation},
        confidence_scale::SeenConfidences,
        evaluation::{Evaluation, Identity, identity},
        run::{Run, Usage, UsageRemark},
    },
};

/// The runs of logs in the form that the measures need: outcomes, stop reasons, streams of confidence, tool calls and usage. The
/// texts of the runs are dropped, so that a large folder fits into memory.
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
/// let traces = stated.traces()?;
/// assert_eq!(traces.outcomes(), [true, false]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunTable {
    rows: Vec<LoggedRun>,
    rules: FactRules,
    /// The rules that differ from the default, in words.
    stated_rules: Vec<String>,
    evaluations: Vec<Arc<Evaluation>>,
    /// The file or folder that was read, and the numbers of its logs with their evaluations.
    file: String,
    logs: BTreeMap<usize, Option<Arc<Evaluation>>>,
    /// Runs that are not among the rows, by model, log and reason: repeated runs, and runs of evaluations without the requested
    /// scorer.
    dropped: BTreeMap<(Option<String>, usize, &'static str), u64>,
    problem: Option<String>,
    /// Whether evaluations have the requested scorer.
    has_scorer: BTreeMap<Identity, bool>,
    /// The confidences without a percent sign in the replies of the whole log.
    stated: SeenConfidences,
}

/// The reason for a repeated run in accounts.
const REPEAT: &str = "repeat";
/// The maximum number of planned runs that a log may lack.
const MOST_MISSING: u64 = 1_000_000;

impl RunTable {
    /// Creates a table of the runs that were read.
    ///
    /// # Errors
    ///
    /// The first error among the runs, the errors of [`FactRules::judgement`], and [`Error::Undefined`] for scores outside [0, 1]
    /// if the rules give neither their range nor the lowest score that counts as a success.
    pub fn new(
        runs: impl IntoIterator<Item = Result<Run, Error>>,
        rules: &FactRules,
        options: &StreamOptions<'_>,
    ) -> Result<Self, Error> {
        let mut stated_rules = rules.stated();
        stated_rules.extend(options.confidence.rule());
        let mut table = Self { rules: rules.clone(), stated_rules, ..Self::default() };
        let confidence = options.confidence.clone().with_scale(rules.percent);
        let options = &StreamOptions { confidence, ..options.clone() };
        let mut seen = Seen::default();
        for (index, run) in runs.into_iter().enumerate() {
            let run = run?;
            let names = (rules.repeats == Repeats::Drop).then(|| Names::of(&run));
            let mut row = LoggedRun::new(run, rules, options, &mut table.stated)?;
            row.index = index;
            match names.and_then(|names| seen.row(&names, table.rows.len())) {
                None => table.rows.push(row),
                Some(at) => {
                    table.drop_row(&row, REPEAT);
                    // The newest complete run is kept.
                    if let Some(kept) = table.rows.get_mut(at).filter(|kept| kept.is_before(&row)) {
                        *kept = row;
                    }
                }
            }
        }
        let of_rows: Vec<_> = table.rows.iter().filter_map(|row| row.evaluation.clone()).collect();
        table.drop_other_scorers();
        table.add_evaluations(&of_rows)?;
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

    /// Drops the runs of evaluations without the requested scorer.
    fn drop_other_scorers(&mut self) {
        let Some(wanted) = &self.rules.scorer else { return };
        for row in &self.rows {
            let Some(of) = &row.evaluation else { continue };
            // A grade given outside the log holds for whichever scorer is requested.
            let is_given = row.is_settled && row.grade.is_some();
            let found = [row.has_score.or(is_given.then_some(true)), of.has_scorer(wanted)];
            if found.contains(&Some(true)) {
                self.has_scorer.insert(identity(of), true);
            } else if found.contains(&Some(false)) {
                self.has_scorer.entry(identity(of)).or_insert(false);
            }
        }
        let is_of_other = |row: &LoggedRun| match &row.evaluation {
            Some(of) => self.has_scorer.get(&identity(of)) == Some(&false),
            None => row.has_score == Some(false),
        };
        let all = std::mem::take(&mut self.rows);
        let (dropped, rows): (Vec<_>, Vec<_>) = all.into_iter().partition(is_of_other);
        self.rows = rows;
        dropped.iter().for_each(|row| self.drop_row(row, Ungraded::OtherScorer.name()));
    }

    fn drop_row(&mut self, row: &LoggedRun, reason: &'static str) {
        *self.dropped.entry((row.model.clone(), row.log, reason)).or_default() += 1;
    }

    /// Returns whether an evaluation lacks the requested scorer.
    pub(crate) fn is_of_other_scorer(&self, evaluation: &Arc<Evaluation>) -> bool {
        let own = || evaluation.has_scorer(self.rules.scorer.as_ref()?);
        self.has_scorer.get(&identity(evaluation)).copied().or_else(own) == Some(false)
    }

    /// Returns the models of runs and evaluations.
    #[must_use]
    pub fn models(&self) -> BTreeSet<&String> {
        let of_rows = self.rows.iter().filter_map(|row| row.model.as_ref());
        let of_dropped = self.dropped.keys().filter_map(|(model, ..)| model.as_ref());
        let of_evaluations = self.evaluations.iter().filter_map(|it| it.model.as_ref());
        of_rows.chain(of_dropped).chain(of_evaluations).collect()
    }

    /// The message for a score outside [0, 1], if the rules do not give its range.
    fn out_of_range(&self) -> Option<String> {
        let graded = || self.rows.iter().filter_map(|row| Some((row, row.grade?)));
        let (first, _) = graded().find(|(_, grade)| !(0.0..=1.0).contains(grade))?;
        let of_scorer = graded().filter(|(row, _)| row.scorer == first.scorer);
        let (low, high) = of_scorer.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            (low.min(it.1), high.max(it.1))
        });
        Some(format!(
            "the scores{} are from {low} to {high}, beyond 0 to 1; {PLACE_SCORES}",
            first.scorer.as_ref().map_or(String::new(), |scorer| format!(" of {scorer}"))
        ))
    }

    /// Returns the reason why no run has a grade although there are scores; `None` if there is no such problem. A table
    /// can have this problem only with [`FactRules::is_lenient`]; otherwise, [`Self::new`] returns it as an error.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Adds the facts that concern the logs of `file` as a whole: the number of logs, and the evaluations without a
    /// run.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] for an evaluation with a million planned runs more than there are, because each of them is counted.
    pub fn add_logs(&mut self, file: &str, runs: &Runs<'_>) -> Result<(), Error> {
        file.clone_into(&mut self.file);
        self.logs = runs.heads().map(Option::<&Arc<_>>::cloned).enumerate().collect();
        self.add_evaluations(runs.heads().flatten())
    }

    fn add_evaluations<'a>(
        &mut self,
        evaluations: impl IntoIterator<Item = &'a Arc<Evaluation>>,
    ) -> Result<(), Error> {
        for evaluation in evaluations {
            let planned = evaluation.n_planned().filter(|_| !self.is_of_other_scorer(evaluation));
            let planned = planned.unwrap_or(0);
            if planned.saturating_sub(self.rows.len() as u64) > MOST_MISSING {
                let name = evaluation.task.as_ref().or(evaluation.id.as_ref());
                let of = name.map_or(String::new(), |name| format!(" {name}"));
                let reason = format!(
                    "the evaluation{of} plans {planned} runs, which is over a million more than the log has; correct its samples, epochs or total_samples"
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

    /// Returns the evaluations of the logs.
    #[must_use]
    pub fn evaluations(&self) -> &[Arc<Evaluation>] {
        &self.evaluations
    }

    /// Returns the rules by which the runs were judged.
    #[must_use]
    pub const fn rules(&self) -> &FactRules {
        &self.rules
    }

    /// Returns the numbers of runs found, kept and left out, under the given name. All runs are kept except repeated
    /// runs and runs of evaluations without the requested scorer.
    #[must_use]
    pub fn account(&self, name: &str) -> Account {
        let n_found = self.rows.len() as u64 + self.dropped.values().sum::<u64>();
        let repeats = self.dropped.iter().filter(|((.., reason), _)| *reason == REPEAT);
        let count =
            |test: &dyn Fn(&&LoggedRun) -> bool| self.rows.iter().filter(test).count() as u64;
        let (missing, n_planned) = self.missing();
        let mut account = Account {
            name: name.to_owned(),
            logs: self.logs.keys().map(|log| (self.file.clone(), *log)).collect(),
            n_found,
            n_kept: n_found,
            success: success(self.rules.success_at, self.rules.score_range, "a score of 1"),
            n_at_limit_graded: count(&|row| row.is_at_limit && row.grade.is_some()),
            n_at_limit_ungraded: count(&|row| row.is_at_limit && row.grade.is_none()),
            at_limit: self.rules.at_limit.unwrap_or_default().name().to_owned(),
            n_partial: count(&|row| row.is_partial()),
            n_errors: count(&|row| row.has_error),
            n_repeats: repeats.map(|(_, runs)| runs).sum(),
            n_planned,
            n_missing: missing.len() as u64,
            unlike_log: self.unlike_logs(),
            rules: self.stated_rules.clone(),
            ..Account::default()
        };
        let mut evaluations = self.evaluations.clone();
        evaluations.sort_by(|one, other| {
            let order = one.started().partial_cmp(&other.started());
            order.unwrap_or(Ordering::Equal)
        });
        for evaluation in &evaluations {
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
        account.without(self.dropped.iter().map(|((.., reason), runs)| (reason, *runs)))
    }

    /// Creates a table of the runs that were read, after adding to each run the facts known from outside its log.
    ///
    /// # Errors
    ///
    /// The errors of [`RunTable::new`] and [`Outcomes::join`].
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
    /// The errors of [`read_path`] and [`RunTable::new`].
    pub fn read_path(
        path: &Path,
        format: Format,
        limits: &ReadOptions,
        rules: &FactRules,
        options: &StreamOptions<'_>,
    ) -> Result<Self, Error> {
        let mut runs = read_path(path, format, limits)?;
        let mut table = Self::new(runs.by_ref(), rules, options)?;
        table.add_logs(&path.display().to_string(), &runs)?;
        Ok(table)
    }

    /// Returns the runs in the order in which they were read.
    #[must_use]
    pub fn rows(&self) -> &[LoggedRun] {
        &self.rows
    }

    /// Splits the runs by model, in the order of the models' names; runs of unknown models come first.
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
    pub fn by_model(mut self) -> BTreeMap<Option<String>, Self> {
        let (missing, _) = self.missing();
        let (rows, dropped) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.dropped));
        let evaluations = std::mem::take(&mut self.evaluations);
        let logs = std::mem::take(&mut self.logs);
        let empty = || self.clone();
        let mut models: BTreeMap<_, Self> = BTreeMap::new();
        let is_named = |it: &Arc<Evaluation>| it.model.is_some();
        let nobody = missing.iter().filter(|run| run.model.is_none()).count() as u64;
        let has_models = rows.iter().any(|row| row.model.is_some())
            || dropped.keys().any(|(model, ..)| model.is_some());
        if nobody > 0 && has_models {
            // The trials of a job may belong to several models, so that a missing trial has no model.
            let rest = Evaluation { total_samples: Some(nobody), ..Evaluation::default() };
            models.entry(None).or_insert_with(empty).evaluations.push(Arc::new(rest));
        }
        // For a job of several models, the plan for each model is known only from the runs that exist.
        let planned = evaluations.iter().filter(|it| it.n_planned().is_some());
        let planned: BTreeSet<&String> = planned.filter_map(|it| it.id.as_ref()).collect();
        let mut found: BTreeMap<_, u64> = BTreeMap::new();
        for row in rows.iter().filter(|_| has_models) {
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
        for row in rows {
            let of_model = models.entry(row.model.clone()).or_insert_with(empty);
            if has_models {
                row.evaluation.iter().filter(|it| !is_named(it)).for_each(|it| of_model.add(it));
            }
            of_model.logs.extend(logs.get(&row.log).map(|head| (row.log, head.clone())));
            of_model.rows.push(row);
        }
        for ((model, log, reason), count) in dropped {
            let of_model = models.entry(model.clone()).or_insert_with(empty);
            of_model.logs.extend(logs.get(&log).map(|head| (log, head.clone())));
            of_model.dropped.insert((model, log, reason), count);
        }
        let is_of_one = |it: &Arc<Evaluation>| is_named(it) || !has_models;
        for evaluation in evaluations.into_iter().filter(is_of_one) {
            let of_model = models.entry(evaluation.model.clone()).or_insert_with(empty);
            of_model.evaluations.push(evaluation);
        }
        for (log, head) in logs {
            if let Some(it) = head.as_ref().filter(|it| is_of_one(it)) {
                let of_model = models.entry(it.model.clone()).or_insert_with(empty);
                of_model.logs.insert(log, head);
            }
        }
        models
    }

    /// Checks that it is clear whether the stated confidences of all models of the log are from 0 to 1 or from 0 to
    /// 100; see [`ConfidenceScale`](crate::ConfidenceScale).
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] if the scale is in doubt.
    pub fn check_scale(&self) -> Result<(), Error> {
        let name = ConfidenceStream::StatedConfidence.name();
        let problem = self.rules.percent.problem(&self.stated);
        problem.map_or(Ok(()), |reason| Err(Error::Undefined { name, reason }))
    }

    /// Returns a note about stated confidences that are taken as percentages.
    #[must_use]
    pub fn scale_note(&self) -> Option<String> {
        self.rules.percent.note(&self.stated)
    }

    /// Returns notes about the tokens and costs of the runs, to be read before these numbers are quoted.
    #[must_use]
    pub fn usage_notes(&self) -> Vec<String> {
        let note = |is: &dyn Fn(&Usage) -> bool, what: &str| {
            let mut runs = self.rows.iter().filter(|run| is(&run.usage));
            let first = runs.next()?.name();
            Some(match runs.count() {
                0 => format!("run {first}: {what}"),
                1 => format!("run {first} and 1 other: {what}"),
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
                "the log's counts of tokens contradict each other, so the numbers of tokens are not known",
            ),
            note(
                &has(UsageRemark::LargerTotal),
                "the log's total of tokens is larger than the sum of input and output; the excess counts as output",
            ),
            note(
                &|usage| usage.cost_usd == Some(0.0) && usage.total_tokens() > Some(0),
                "the log states a cost of 0 in spite of tokens, so the cost may not be known; prices of the model replace the cost of 0",
            ),
        ];
        notes.into_iter().flatten().collect()
    }
}
