use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
};

use censoring::{StopClass, Stopped, TerminationAudit, Weight, simple_score};
use rayon::prelude::*;
use run_logs::{
    TraceRemarks, TraceRun, TraceRuns, TraceSource, fold_traces, json_lines::RunCounts,
};
use trajectory_metrics::{
    Binning, CalibrationTest, Diagnostics, ExactMean, Figure, LogScore, Measure, NoInterval,
    Probability, Resampling, STREAM_MEASURES, ScoredStream, Seed, StreamFigure, Summary,
    T_ECE_BINS, TiedBlocks, Tps, Traces, Undefined,
};

use crate::{
    clusters::ClusterBy,
    confidence::{AVERAGED, CALIBRATED, STATED, VERDICTS, Verdicts, verdicts},
    error::Error,
    options::LEVEL,
    report::{
        block::{Block, Field, Position, Value},
        key,
    },
    traces::{
        calibrated::calibrated,
        conclusion,
        figures::{
            ASSUMPTION, AUROC, Beside, CENSORED, LeftOut, OF_CALIBRATED, T_ECE, assumptions,
            counted, fields, is_score, of_calibrated,
        },
        partial::{PartialRuns, REASON, undefined},
        pictures::curves,
        settings::{Calibration, TraceOptions},
        units::{Name, Names, Resampled, RunsDigest},
    },
};

/// The number of complete runs that are scored together, which is faster than one at a time.
const BATCH: usize = 64;

/// Evaluates the runs of one or more files. Each file is a separate stream with its own calibration. Runs of the same
/// task are resampled together, also across files, and so are runs without a task that have the same id.
///
/// # Errors
///
/// Errors of [`TraceEvaluation::update`] and [`TraceEvaluation::finish`].
pub fn evaluate(files: &[&[TraceRun]], options: &TraceOptions) -> Result<Block, Error> {
    merged(files, options)?.finish(&Beside::default())
}

/// Returns the evaluation of several streams together.
pub(super) fn merged(
    files: &[&[TraceRun]],
    options: &TraceOptions,
) -> Result<TraceEvaluation, Error> {
    let mut all = TraceEvaluation::new(options)?;
    for runs in files {
        all.merge(TraceEvaluation::of(runs, options)?)?;
    }
    Ok(all)
}

/// The evaluation of a column, to which runs are added one by one. Forecasts are dropped after scoring unless
/// calibration or pictures need them.
///
/// Memory: a fixed number of numbers per run, its id and its task.
///
/// ```
/// use agent_scorecard::{
///     traces::{Beside, TraceEvaluation, TraceOptions, TraceRun},
///     trajectory_metrics::Probability,
/// };
///
/// let run = |id: &str, forecast: f64, outcome: bool| {
///     let forecasts = vec![Probability::new(forecast)?];
///     let (id, outcome) = (id.to_owned(), Some(outcome));
///     Ok::<_, agent_scorecard::Error>(TraceRun { id, forecasts, outcome, ..TraceRun::default() })
/// };
/// let options = TraceOptions { resamples: 0, ..TraceOptions::default() };
/// let mut first = TraceEvaluation::new(&options)?;
/// first.update(&run("a", 0.9, true)?)?;
/// let mut second = TraceEvaluation::new(&options)?;
/// second.update(&run("b", 0.3, false)?)?;
/// first.merge(second)?;
/// let block = first.finish(&Beside::default())?;
/// assert_eq!(block.figure("auroc").map(|auroc| auroc.value), Ok(1.0));
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TraceEvaluation {
    pub(crate) options: TraceOptions,
    log: Tps<LogScore>,
    /// The summaries of a report. The chosen one is the last.
    summaries: Vec<Summary>,
    counts: RunCounts,
    audit: TerminationAudit,
    digest: RunsDigest,
    /// The runs that wait for calibration with further runs.
    held: TraceRuns,
    notes: Vec<String>,
    /// The complete runs that wait to be scored.
    batch: Traces,
    pub(crate) complete: Names,
    /// The numbers of steps of complete runs.
    steps: Vec<u32>,
    pub(crate) stream: ScoredStream,
    /// The forecasts of complete runs by each of the summaries except the last. Empty as long as every run has one
    /// forecast, which is then equal to every summary.
    forecasts: Vec<Vec<Probability>>,
    keeps_summaries: bool,
    pub(crate) censored: Names,
    /// The steps and the horizons of censored runs.
    lengths: Vec<(usize, usize)>,
    /// The log scores of censored runs.
    pub(crate) censored_scores: Vec<f64>,
    /// The scored forecasts of complete runs, for pictures.
    traces: Traces,
    pub(crate) partial: PartialRuns,
}

impl TraceEvaluation {
    /// Creates an evaluation without runs.
    ///
    /// # Errors
    ///
    /// None: the bound that scores are clipped at is a probability.
    pub fn new(options: &TraceOptions) -> Result<Self, Error> {
        let weighted = Summary::Weighted(options.schedule.clone());
        let chosen = options.summary.clone().unwrap_or_else(|| weighted.clone());
        let mut summaries: Vec<Summary> =
            Summary::UNWEIGHTED.into_iter().chain([weighted]).collect();
        summaries.retain(|summary| *summary != chosen);
        let forecasts = vec![Vec::new(); summaries.len()];
        summaries.push(chosen);
        Ok(Self {
            options: options.clone(),
            log: Tps::new(LogScore::clipped(LogScore::CLIP)?, options.schedule.clone()),
            summaries,
            counts: RunCounts::default(),
            audit: TerminationAudit::default(),
            digest: RunsDigest::default(),
            held: TraceRuns::default(),
            notes: Vec::new(),
            batch: Traces::default(),
            complete: Names::default(),
            steps: Vec::new(),
            stream: ScoredStream::default(),
            forecasts,
            keeps_summaries: false,
            censored: Names::default(),
            lengths: Vec::new(),
            censored_scores: Vec::new(),
            traces: Traces::default(),
            partial: PartialRuns::default(),
        })
    }

    /// Evaluates these runs by one stream: one forecast of success per step.
    ///
    /// # Errors
    ///
    /// Errors of [`TraceEvaluation::update`] and [`TraceEvaluation::settle`].
    pub fn of(runs: &[TraceRun], options: &TraceOptions) -> Result<Self, Error> {
        let mut evaluation = Self::new(options)?;
        runs.iter().try_for_each(|run| evaluation.update(run))?;
        evaluation.settle()?;
        Ok(evaluation)
    }

    /// Reads and evaluates a file of traces, with all threads. [`run_logs::TraceFile::read`] describes the format.
    /// `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// An error of run-logs for the first thing that is wrong, with file, line and field, and for a run without a task
    /// where tasks are resampled.
    ///
    /// ```
    /// use agent_scorecard::{
    ///     run_logs::TraceRules,
    ///     traces::{Beside, TraceEvaluation, TraceOptions, TraceSource},
    /// };
    ///
    /// let line = br#"{"id": "a", "forecasts": [0.9], "outcome": true}"#;
    /// let options = TraceOptions::default();
    /// let source = TraceSource::all("runs.jsonl", &line[..], TraceRules::default())?.remove(0);
    /// let (runs, remarks) = TraceEvaluation::read("runs.jsonl", source, &options)?;
    /// assert_eq!(runs.finish(&Beside::from(&remarks))?.count("n"), 1);
    /// # Ok::<(), agent_scorecard::Error>(())
    /// ```
    pub fn read(
        file: &str,
        source: TraceSource<'_>,
        options: &TraceOptions,
    ) -> Result<(Self, TraceRemarks), Error> {
        let needs_task = options.cluster_by == ClusterBy::TaskOnly && options.resamples > 0;
        let add = |part: &mut Option<Self>, run: TraceRun| {
            if run.forecasts.is_empty() {
                return Ok(());
            }
            if needs_task && run.task.is_none() && run.stopped()?.class() != StopClass::Excluded {
                let problem = "missing; --cluster-by task-only needs a task";
                return Err(run.error(file, "task", problem).into());
            }
            let part = match part {
                Some(part) => part,
                None => part.insert(Self::new(options)?),
            };
            part.update(&run)
        };
        let (mut all, mut merged) = (Self::new(options)?, Ok(()));
        let remarks = fold_traces(file, source, add, Ok, |part| {
            if let (Ok(()), Some(part)) = (&merged, part) {
                merged = all.merge(part);
            }
        })?;
        merged.map(|()| (all, remarks))
    }

    /// Adds a run.
    ///
    /// # Errors
    ///
    /// [`Error::Censoring`] for a run that contradicts itself ([`TraceRun::stopped`]); [`Error::TrajectoryMetrics`] for
    /// a run that is longer than a list of custom weights.
    pub fn update(&mut self, run: &TraceRun) -> Result<(), Error> {
        if let Some(grade) = run.grade {
            self.counts.add_partial(run.stop.as_ref());
            let Some(summary) = self.summaries.last() else { return Ok(()) };
            self.digest.update(&run.id, true);
            self.digest.update(&run.id, false);
            let name = (run.id.as_str(), run.task.as_deref());
            return self.partial.push(
                name,
                &run.forecasts,
                grade,
                (&self.options.schedule, summary),
            );
        }
        let stopped = run.stopped()?;
        self.counts.add(run.outcome, run.stop.as_ref());
        self.audit.update(&stopped, Weight::ONE);
        if stopped.class() == StopClass::Complete {
            self.digest.update(&run.id, stopped.outcome() == Some(true));
        }
        if self.options.calibration == Calibration::None {
            self.score((&run.id, run.task.as_deref()), &stopped)
        } else if stopped.class() == StopClass::Excluded {
            Ok(())
        } else {
            self.held.push(run.clone());
            Ok(())
        }
    }

    fn score(&mut self, (id, task): Name<'_>, stopped: &Stopped<'_>) -> Result<(), Error> {
        match stopped.class() {
            StopClass::Excluded => {}
            StopClass::Censored => {
                self.censored.push(id, task);
                self.lengths.push((stopped.forecasts().len(), stopped.horizon()));
                self.censored_scores.push(simple_score(&self.log, stopped)?);
            }
            StopClass::Complete => {
                let (forecasts, outcome) = (stopped.forecasts(), stopped.outcome() == Some(true));
                self.complete.push(id, task);
                self.steps.push(forecasts.len() as u32);
                self.batch.push(forecasts, outcome)?;
                if self.options.with_pictures {
                    self.traces.push(forecasts, outcome)?;
                }
                if self.batch.len() == BATCH {
                    self.score_batch()?;
                }
            }
        }
        Ok(())
    }

    fn score_batch(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        if batch.iter().any(|trace| trace.forecasts().len() > 1) {
            self.keep_summaries();
        }
        if let (Some((chosen, others)), false) = (self.summaries.split_last(), batch.is_empty()) {
            if self.keeps_summaries {
                for (summary, forecasts) in others.iter().zip(&mut self.forecasts) {
                    forecasts.extend(summary.forecasts(&batch)?);
                }
            }
            self.stream.append(&ScoredStream::new(&batch, &self.options.schedule, chosen)?);
        }
        Ok(())
    }

    /// Starts to keep the forecasts by each summary.
    fn keep_summaries(&mut self) {
        if !self.keeps_summaries {
            self.keeps_summaries = true;
            self.forecasts.fill(self.stream.confidence().to_vec());
        }
    }

    /// Calibrates the runs added so far together, with maps that are cross-fitted to them, and scores them. Call it
    /// before a merge: otherwise, the maps are fitted to the runs of all merged columns.
    ///
    /// # Errors
    ///
    /// An error of a crate below if the runs cannot be calibrated, such as runs with one outcome.
    pub fn settle(&mut self) -> Result<(), Error> {
        let held = std::mem::take(&mut self.held);
        // Runs that are all excluded cannot be calibrated either.
        let is_without = self.audit.total() > 0 && self.complete.len() + self.censored.len() == 0;
        if !held.is_empty() || (is_without && self.options.calibration != Calibration::None) {
            let stopped = (0..held.len()).map(|run| held.stopped(run));
            let stopped = stopped.collect::<Result<Vec<_>, _>>()?;
            let ids: Vec<&str> = (0..held.len()).map(|run| held.id(run)).collect();
            let TraceOptions { calibration, calibrate_on, schedule, .. } = &self.options;
            let how = (*calibration, *calibrate_on);
            let after = calibrated(&ids, &stopped, how, schedule, &mut self.notes)?;
            for (run, (stopped, forecasts)) in stopped.iter().zip(&after).enumerate() {
                self.score(held.names(run), &stopped.with_forecasts(forecasts)?)?;
            }
        }
        self.score_batch()
    }

    /// Returns this evaluation with its pending runs scored.
    pub(crate) fn settled(&self) -> Result<Cow<'_, Self>, Error> {
        if self.held.is_empty() && self.batch.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let mut settled = self.clone();
        settled.settle()?;
        Ok(Cow::Owned(settled))
    }

    /// Adds the runs of a later part of the same stream, or the runs of another stream if both are [settled](Self::settle).
    ///
    /// # Errors
    ///
    /// As [`TraceEvaluation::update`].
    pub fn merge(&mut self, mut other: Self) -> Result<(), Error> {
        self.score_batch()?;
        other.score_batch()?;
        self.counts.append(&other.counts);
        self.audit.merge(&other.audit);
        self.digest.merge(other.digest);
        self.held.append(std::mem::take(&mut other.held));
        self.notes.append(&mut other.notes);
        self.complete.append(&other.complete);
        self.steps.append(&mut other.steps);
        if self.keeps_summaries || other.keeps_summaries {
            self.keep_summaries();
            other.keep_summaries();
        }
        self.stream.append(&other.stream);
        for (forecasts, more) in self.forecasts.iter_mut().zip(&mut other.forecasts) {
            forecasts.append(more);
        }
        self.partial.append(&other.partial);
        self.censored.append(&other.censored);
        self.lengths.append(&mut other.lengths);
        self.censored_scores.append(&mut other.censored_scores);
        for trace in other.traces.iter() {
            self.traces.push(trace.forecasts(), trace.outcome())?;
        }
        Ok(())
    }

    /// Returns the figures of the runs added so far, with the facts in `beside`. The evaluation can be continued
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::NoTask`] for a run without a task if tasks are required; the errors of [`TraceEvaluation::settle`].
    pub fn finish(&self, beside: &Beside) -> Result<Block, Error> {
        self.settled()?.block(beside)
    }

    /// Returns the digest of the complete runs added so far, including runs that wait for calibration.
    #[must_use]
    pub const fn digest(&self) -> RunsDigest {
        self.digest
    }

    fn block(&self, beside: &Beside) -> Result<Block, Error> {
        let options = &self.options;
        let mut block = Block::default().saying(Position::Note, self.notes.iter().cloned());
        if let Some(runs) = &beside.runs {
            block.say(Position::Line, [runs.line()]);
            block.extend_json(runs);
        }
        let resampled = match self.complete.len() + self.censored.len() {
            0 => None,
            _ if options.resamples == 0 => None,
            _ => {
                let names = self.complete.iter().chain(self.censored.iter()).collect();
                Some(Resampled::new(names, options.cluster_by, options.seed)?)
            }
        };
        let mut resampling = None;
        if let Some(resampled) = &resampled {
            block.say(Position::Note, resampled.notes.iter().cloned());
            let (resamples, level) = (options.resamples, LEVEL);
            match &resampled.bootstrap {
                Ok(bootstrap) => resampling = Some(Resampling { bootstrap, resamples, level }),
                // One task or id says nothing of the variation between them.
                Err(_) => {
                    block.say(
                        Position::Note,
                        [format!("no intervals: {}", NoInterval::too_few(1, level))],
                    );
                }
            }
        }
        let is_single = self.is_of_single_forecasts();
        let (scores, (n_ids, n_tasks)) = rayon::join(
            || self.scores(resampling, is_single),
            || {
                rayon::join(
                    || self.complete.ids(&self.censored),
                    || self.complete.tasks(&self.censored),
                )
            },
        );
        let (base_rate, mut scores) = scores?;
        let n_partial = self.partial.len() as u64;
        let (n, n_censored) = (
            self.audit.count(StopClass::Complete) + n_partial,
            self.audit.count(StopClass::Censored),
        );
        let by_task = resampled.as_ref().is_some_and(|resampled| resampled.is_by_task);
        let scored = n + n_censored;
        if options.calibration != Calibration::None && (1..scored).contains(&(n_tasks as u64)) {
            let note = "calibration: traces of one task may be in different halves";
            block.say(Position::Note, [note.to_owned()]);
        }
        if (n_ids as u64) < scored && !by_task {
            let note = format!(
                "{scored} traces have {n_ids} different ids; traces with the same id are resampled together",
            );
            block.say(Position::Note, [note]);
        }
        let excluded = self.audit.exclusions();
        let excluded: BTreeMap<String, u64> =
            excluded.iter().map(|(reason, &runs)| (reason.to_string(), runs)).collect();
        let counts = [
            (key::n, "complete runs", n),
            ("n_partly_successful", "of these, partial successes", n_partial),
            (key::n_censored, "runs cut off by a budget", n_censored),
            (key::n_excluded, "runs excluded", excluded.values().sum()),
            ("n_tasks", "different tasks", n_tasks as u64),
        ];
        block.fields.extend(counts.map(|(key, label, count)| {
            Field::shown_if(key, label, count, count > 0 || key == key::n)
        }));
        block.fields.push(Field::shown("base_rate", "share of successes", base_rate));
        block.push_json("schedule", options.schedule.name());
        let summary = options.summary.as_ref().map_or(options.schedule.name(), Summary::name);
        block.push_json("summary", summary);
        block.push_json("calibration", &options.calibration);
        if options.calibration != Calibration::None {
            block.push_json("calibrate_on", &options.calibrate_on);
        }
        block.push_json("resamples", &options.resamples);
        block.push_json("seed", &options.seed);
        block.push_json(key::clustered_by_task, &by_task);
        block.fields.append(&mut scores.fields);
        block.sentences.append(&mut scores.sentences);
        block.say(Position::Note, beside.notes.iter().cloned());
        block.push_json("assumptions", &assumptions());
        block.fields.push(Field::block(key::excluded, counted("why runs are excluded", excluded)));
        if let Some(LeftOut { reasons, n_partial }) = &beside.left_out {
            let n: u64 = reasons.values().sum();
            block.fields.push(Field::shown(key::n_left_out, "runs left out", n));
            block.push_json(key::n_partial, n_partial);
            let reasons = reasons.iter().map(|(reason, n)| ((*reason).to_owned(), *n));
            let reasons = counted("why runs are left out", reasons.collect());
            block.fields.push(Field::block(key::left_out, reasons));
        }
        let drawn = self.summaries.last().filter(|_| options.with_pictures);
        let mut stops: BTreeMap<String, u64> = BTreeMap::new();
        for (_, reason, group) in drawn.iter().flat_map(|_| self.audit.rows()) {
            let reason = reason.map_or_else(|| "not stated".to_owned(), ToString::to_string);
            *stops.entry(reason).or_default() += group.runs;
        }
        if !stops.is_empty() {
            block.fields.push(Field::block("stops", counted("how runs ended", stops)));
        }
        if let Some(missing) = &beside.missing {
            block.push_json("missing", missing);
        }
        if let Some(summary) = drawn {
            let band = (options.resamples, Seed(options.seed));
            let (pictures, bins) = curves(&self.traces, summary, band)?;
            block.push_json("bins", &bins);
            block.pictures = pictures;
        }
        let how = match options.calibration {
            Calibration::None if is_single => STATED,
            Calibration::None => AVERAGED,
            _ => CALIBRATED,
        };
        block.say(Position::Conclusion, conclusion::of_column(&block, how));
        Ok(block)
    }

    /// Returns the share of successes, and a block with the scores of the runs, of a constant forecast and of the
    /// summaries.
    fn scores(
        &self,
        resampling: Option<Resampling<'_>>,
        is_single: bool,
    ) -> Result<(Option<f64>, Block), Error> {
        let none = || Undefined::new("there is no complete run");
        let (mut base_rate, mut verdicts) = (None, [Err(none()), Err(none())]);
        let (mut calibration, mut summaries) = (Err(none()), BTreeMap::new());
        let censored = censored_estimate(&self.stream, &self.censored_scores, resampling);
        let on_censored = censored.note();
        let mut estimates = vec![censored];
        let (mut reference, mut notes) = (Vec::new(), Vec::new());
        if self.partial.len() > 0 {
            let (rate, scores, own);
            (rate, verdicts, scores, own) =
                self.partial.figures(&self.complete, &self.stream, &self.options)?;
            (base_rate, calibration) = (Some(rate), Err(Undefined::new(REASON)));
            estimates.extend(scores);
            notes = own;
            reference.push(undefined(CENSORED));
        } else if let (Some((chosen, others)), false) =
            (self.summaries.split_last(), self.stream.outcomes().is_empty())
        {
            let rate = self.stream.base_rate(None)?;
            (base_rate, verdicts) = (Some(rate.get()), self.verdicts(resampling));
            let of_summary = |(summary, forecasts): (&Summary, &Vec<Probability>)| {
                let all = self.stream.confidence();
                let forecasts = if self.keeps_summaries { forecasts } else { all };
                let blocks = TiedBlocks::new(forecasts, self.stream.outcomes(), None)?;
                let values = Diagnostics::new(&blocks).by_name();
                let values = values.map(|(name, value)| (name, value.ok()));
                Ok((summary.name(), BTreeMap::from(values)))
            };
            let (found, others) = rayon::join(
                || self.stream.estimates(None, resampling),
                || {
                    let others = others.par_iter().zip(&self.forecasts).map(of_summary);
                    (
                        self.calibration_test(resampling),
                        others.collect::<Result<BTreeMap<_, _>, Error>>(),
                    )
                },
            );
            let (found, (of_outcomes, others)) = (found?, others);
            (calibration, summaries) = (of_outcomes, others?);
            let value = |it: &StreamFigure| it.figure.as_ref().ok().map(|figure| figure.value);
            let diagnostics = found.iter().filter(|it| !is_score(&it.measure));
            let of_chosen = diagnostics.map(|it| (it.measure.key, value(it))).collect();
            summaries.insert(chosen.name(), of_chosen);
            let (constant, constant_scores) = self.constant(rate, chosen)?;
            reference = constant.estimates(None, resampling)?;
            notes = self.stream.notes(&found, &reference, None, resampling);
            reference.push(censored_estimate(&constant, &constant_scores, resampling));
            estimates.extend(found);
        }

        let TraceOptions { resamples, .. } = self.options;
        let is_cut_off = self.audit.count(StopClass::Censored) > 0;
        let mut block = Block::default();
        if is_cut_off {
            block.say(Position::Note, [format!(
                "{measure}: {ASSUMPTION}; this favours low forecasts on cut-off runs, so no column is marked best",
                measure = CENSORED.key,
            )]);
        }
        match &calibration {
            _ if resamples == 0 => {
                let why = "no resamples were asked for";
                block.say(
                    Position::Note,
                    [format!("no intervals and no T-ECE of calibrated forecasts: {why}")],
                );
            }
            Err(why) if base_rate.is_some() => {
                block.say(Position::Note, [format!("{}: {why}", OF_CALIBRATED[0].key)]);
            }
            _ => {}
        }
        block.say(Position::Note, notes.into_iter().chain(on_censored));
        block.say(
            Position::Note,
            match reference.last() {
                None => Some("base_rate: undefined without a complete trace".to_owned()),
                Some(constant) => constant.note().map(|note| format!("base_rate_reference.{note}")),
            },
        );

        // Without resamples of the runs, it was not asked for intervals or there is one cluster.
        let why = match resamples {
            0 => NoInterval::NotRequested,
            _ => NoInterval::too_few(1, LEVEL),
        };
        let prepared = |mut field: Field| {
            if let Value::Figure(_, Ok(figure)) = &mut field.value
                && figure.interval == Err(NoInterval::NotRequested)
            {
                figure.interval = Err(why);
            }
            field
        };
        let fields = |estimates| fields(estimates, is_cut_off, is_single).into_iter().map(prepared);
        let verdicts = VERDICTS.into_iter().zip(verdicts);
        block.fields.extend(verdicts.map(|(of, found)| prepared(Field::figure(of, found))));
        let proper = match is_single {
            true => {
                "Every run has one forecast: tps_log and tps_brier are its log score and its Brier score, which are proper"
            }
            false => "tps_log, tps_brier and tps_beta_2_4 are proper",
        };
        block.say(Position::Explanation, [format!(
            "{proper}: no forecast does better on average than the true probability. \
             average_precision and aurc depend on the share of failures: compare them on the same runs only."
        )]);
        block.fields.extend(fields(&estimates));
        let at = block.fields.iter().position(|field| field.key == T_ECE.key);
        let at = at.map_or(block.fields.len(), |at| at + 1);
        block.fields.splice(at..at, of_calibrated(&calibration));
        // The reference is one forecast for all runs, which ranks nothing and is calibrated on them up to rounding.
        let of_reference = |field: Field| match &field.value {
            Value::Figure(measure, _) if is_score(measure) => field,
            _ => field.unshown(),
        };
        let title = "base rate: scores of a constant forecast that equals the share of successes of these runs";
        let constant = Block::titled(title, fields(&reference).map(of_reference));
        block.fields.push(Field::block("base_rate_reference", constant));
        let (mut of_summaries, mut by_summary) = (Block::default(), Block::default());
        for (name, values) in summaries {
            let of_summary = STREAM_MEASURES.iter().filter_map(|measure| {
                let none = || Undefined::new("all runs have the same outcome");
                let figure = values.get(measure.key)?.map(Figure::from).ok_or_else(none);
                Some(Field::figure(Measure { label: "", ..*measure }, figure))
            });
            let own = Block::of(of_summary);
            if let Some(auroc) = own.get(AUROC.key).cloned() {
                let label = if is_single { "" } else { name };
                by_summary.fields.push(Field {
                    value: auroc,
                    ..Field::shown(name.to_owned(), label.to_owned(), ())
                });
            }
            of_summaries.fields.push(Field::block(name.to_owned(), own));
        }
        block.fields.push(Field::block("summaries", of_summaries));
        by_summary.title =
            "auroc by summary of a run's forecasts (trajectory scores use no summary)".to_owned();
        block.fields.push(Field::block("auroc_by_summary", by_summary));
        Ok((base_rate, block))
    }

    /// Returns whether every run that is scored has one forecast.
    pub(crate) fn is_of_single_forecasts(&self) -> bool {
        self.partial.len() == 0
            && self.steps.iter().all(|steps| *steps == 1)
            && self.lengths.iter().all(|lengths| *lengths == (1, 1))
    }

    /// Returns the figures of [`VERDICTS`](crate::confidence::VERDICTS).
    fn verdicts(&self, resampling: Option<Resampling<'_>>) -> Verdicts {
        let outcomes: Vec<f64> = self.stream.outcomes().iter().map(|it| f64::from(*it)).collect();
        let level = resampling.map(|it| it.level);
        let own: Vec<u32> = (0..outcomes.len() as u32).collect();
        let clusters = resampling.map_or(&own[..], |it| &it.bootstrap.cluster_of()[..own.len()]);
        let confidence: Vec<f64> = self.stream.confidence().iter().map(|it| it.get()).collect();
        verdicts(&confidence, &outcomes, clusters, level)
    }

    /// Returns T-ECE next to its value for calibrated forecasts with dependent runs within a task.
    fn calibration_test(
        &self,
        resampling: Option<Resampling<'_>>,
    ) -> Result<CalibrationTest, Undefined> {
        let TraceOptions { resamples, seed, .. } = self.options;
        let Some(Resampling { bootstrap, .. }) = resampling else {
            let why = if resamples == 0 {
                "no resamples were asked for"
            } else {
                "all runs are of one task"
            };
            return Err(Undefined::new(why));
        };
        let (confidence, outcomes) = (self.stream.confidence(), self.stream.outcomes());
        let tasks = &bootstrap.cluster_of()[..outcomes.len()];
        let bins = Binning::Quantile { bins: T_ECE_BINS };
        CalibrationTest::new(confidence, outcomes, None, tasks, bins, resamples, Seed(seed))
            .map_err(|error| Undefined::new(error.to_string()))
    }

    /// Returns the scores of one forecast for all runs on complete runs, and its log scores on censored runs.
    fn constant(
        &self,
        forecast: Probability,
        summary: &Summary,
    ) -> Result<(ScoredStream, Vec<f64>), Error> {
        // Runs of one length and outcome have the same scores.
        let mut known = BTreeMap::new();
        let mut traces = Traces::default();
        let mut positions = Vec::with_capacity(self.steps.len());
        for (&steps, &outcome) in self.steps.iter().zip(self.stream.outcomes()) {
            let next = known.len();
            let position = *known.entry((steps, outcome)).or_insert(next);
            if position == traces.len() {
                traces.push(&vec![forecast; steps as usize], outcome)?;
            }
            positions.push(position);
        }
        let stream = ScoredStream::new(&traces, &self.options.schedule, summary)?;
        let mut known = BTreeMap::new();
        let mut scores = Vec::with_capacity(self.lengths.len());
        for &(steps, horizon) in &self.lengths {
            scores.push(match known.entry((steps, horizon)) {
                Entry::Occupied(score) => *score.get(),
                Entry::Vacant(place) => {
                    let constant = vec![forecast; steps];
                    *place.insert(self.log.prefix_score(&constant, false, horizon)?)
                }
            });
        }
        Ok((stream.select(&positions), scores))
    }
}

/// Returns the log score over complete and censored runs, the censored ones with these scores.
fn censored_estimate(
    stream: &ScoredStream,
    censored: &[f64],
    resampling: Option<Resampling<'_>>,
) -> StreamFigure {
    let scores = || stream.scores().log.iter().chain(censored).copied();
    let replicates = resampling.map(|Resampling { bootstrap, resamples, .. }| {
        let scores: Vec<_> = scores().map(|score| [Some(score)]).collect();
        let [replicates] = bootstrap.means(&scores, resamples);
        replicates
    });
    let value = scores().collect::<ExactMean>().finish().map_err(Into::into);
    StreamFigure::new(CENSORED, value, replicates, LEVEL)
}
