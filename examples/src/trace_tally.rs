//! The report on traces as they are, without resamples: one pass over the file, after which no forecast is
//! in memory. It says the same as [`evaluate`](crate::evaluation::evaluate) on the same runs.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use censoring::{Observation, simple_score};
use rayon::prelude::*;
use trajectory_metrics::{
    Diagnostics, ExactMean, ForecastPolicy, Level, LogScore, NamedEstimate, Probability, Summary,
    TiedBlocks, Tps, TpsFamily, Traces, Weight,
};

use crate::{
    evaluation::{self, CENSORED, CompleteFigures, Figures, Report, Settings},
    json_lines::InputError,
    trace_file::{self, Remarks, Row},
};

/// An error that may come from another thread.
type Problem = Box<dyn std::error::Error + Send + Sync>;

/// What a report without resamples needs of the runs of a file.
#[derive(Debug)]
pub struct TraceTally {
    totals: Totals,
    remarks: Remarks,
}

impl AsRef<Remarks> for TraceTally {
    fn as_ref(&self) -> &Remarks {
        &self.remarks
    }
}

/// The runs of a part of a file, or of all parts.
#[derive(Clone, Debug, Default)]
struct Totals {
    /// Complete runs by their number of steps and their outcome.
    complete: BTreeMap<(usize, bool), u64>,
    /// Censored runs by their number of steps and their horizon.
    censored: BTreeMap<(usize, usize), u64>,
    excluded: BTreeMap<String, u64>,
    /// The scores of complete runs under the schedule.
    log: ExactMean,
    brier: ExactMean,
    beta_2_4: ExactMean,
    /// The log scores of censored runs.
    log_censored: ExactMean,
    /// The outcomes of complete runs, and their forecasts by each of [`summaries`].
    outcomes: Vec<bool>,
    forecasts: Vec<Vec<Probability>>,
    /// Of complete and censored runs; a task that follows itself stands once.
    ids: Texts,
    tasks: Texts,
}

/// Texts in one allocation.
#[derive(Clone, Debug, Default)]
struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn append(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.text[start..end])
    }

    fn last(&self) -> Option<&str> {
        let (&end, before) = self.ends.split_last()?;
        Some(&self.text[before.last().copied().unwrap_or(0)..end])
    }
}

/// How many texts are different. Comparing hashes first saves most comparisons of texts.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let hashed = texts.map(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        (hasher.finish(), text)
    });
    let mut hashed: Vec<(u64, &str)> = hashed.collect();
    hashed.sort_unstable();
    hashed.dedup();
    hashed.len()
}

/// The runs of a part of a file that are still to be scored.
#[derive(Default)]
struct Part {
    totals: Totals,
    complete: Traces,
}

/// Whether a report with these settings can be made from a tally.
#[must_use]
pub fn suffices(settings: &Settings) -> bool {
    settings.resamples == 0 && settings.calibration == evaluation::Calibration::None
}

/// Reads and checks every run of a file, with all threads.
///
/// Memory: about 60 bytes and the id per run, and not the forecasts.
///
/// # Errors
///
/// Those of [`trace_file::read`]; an error of the library where a run cannot be scored.
pub fn read(
    path: &Path,
    policy: ForecastPolicy,
    settings: &Settings,
) -> Result<TraceTally, Box<dyn std::error::Error>> {
    let scoring = Scoring::new(settings)?;
    let mut totals = Totals::default();
    let remarks = trace_file::read_parts(
        path,
        policy,
        |part: &mut Part, row| scoring.add(part, &row),
        |part| scoring.finish(part),
        |part| totals.append(&part),
    )
    .map_err(|problem: Problem| match problem.downcast::<InputError>() {
        Ok(wrong) => wrong as Box<dyn std::error::Error>,
        Err(other) => other,
    })?;
    Ok(TraceTally { totals, remarks })
}

/// The scores and the summaries of a report.
struct Scoring<'a> {
    settings: &'a Settings,
    log: Tps<LogScore>,
    summaries: Vec<Summary>,
}

impl<'a> Scoring<'a> {
    fn new(settings: &'a Settings) -> Result<Self, trajectory_metrics::Error> {
        let log = Tps::new(LogScore::clipped(TpsFamily::CLIP)?, settings.schedule.clone());
        Ok(Self { settings, log, summaries: summaries(settings) })
    }

    fn add(&self, part: &mut Part, row: &Row<'_>) -> Result<(), Problem> {
        let totals = &mut part.totals;
        let stopped = row.stopped()?;
        match stopped.observation() {
            Observation::Excluded(reason) => {
                *totals.excluded.entry(reason.to_string()).or_default() += 1;
                return Ok(());
            }
            Observation::Censored => {
                let key = (row.forecasts.len(), stopped.horizon());
                *totals.censored.entry(key).or_default() += 1;
                totals.log_censored.update(simple_score(&self.log, &stopped)?);
            }
            Observation::Complete(trace) => {
                let key = (row.forecasts.len(), trace.outcome());
                *totals.complete.entry(key).or_default() += 1;
                part.complete.push(trace.forecasts(), trace.outcome())?;
            }
        }
        totals.ids.push(row.id);
        if let Some(task) = row.task.filter(|&task| totals.tasks.last() != Some(task)) {
            totals.tasks.push(task);
        }
        Ok(())
    }

    fn finish(&self, part: Part) -> Result<Totals, Problem> {
        let Part { mut totals, complete } = part;
        let scores = TpsFamily::scores(&complete, &self.settings.schedule)?;
        totals.log.extend(scores.log);
        totals.brier.extend(scores.brier);
        totals.beta_2_4.extend(scores.beta_2_4);
        totals.outcomes = complete.outcomes().to_vec();
        for summary in &self.summaries {
            totals.forecasts.push(summary.forecasts(&complete)?);
        }
        Ok(totals)
    }
}

/// The summaries of a report, the chosen one last.
fn summaries(settings: &Settings) -> Vec<Summary> {
    let weighted = Summary::Weighted(settings.schedule.clone());
    let chosen = settings.summary.clone().unwrap_or_else(|| weighted.clone());
    let mut summaries: Vec<Summary> = Summary::UNWEIGHTED.into_iter().chain([weighted]).collect();
    summaries.retain(|summary| *summary != chosen);
    summaries.push(chosen);
    summaries
}

impl Totals {
    fn append(&mut self, other: &Self) {
        for (&key, count) in &other.complete {
            *self.complete.entry(key).or_default() += count;
        }
        for (&key, count) in &other.censored {
            *self.censored.entry(key).or_default() += count;
        }
        for (reason, count) in &other.excluded {
            *self.excluded.entry(reason.clone()).or_default() += count;
        }
        self.log.merge(&other.log);
        self.brier.merge(&other.brier);
        self.beta_2_4.merge(&other.beta_2_4);
        self.log_censored.merge(&other.log_censored);
        self.outcomes.extend(&other.outcomes);
        self.forecasts.resize(self.forecasts.len().max(other.forecasts.len()), Vec::new());
        for (forecasts, more) in self.forecasts.iter_mut().zip(&other.forecasts) {
            forecasts.extend(more);
        }
        self.ids.append(&other.ids);
        self.tasks.append(&other.tasks);
    }

    /// The constant forecast of the base rate on the same runs: its scores, and the mean log score with
    /// censored runs.
    fn constant(
        &self,
        base_rate: Probability,
        scoring: &Scoring<'_>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let mut constant = Self::default();
        let mut traces = Traces::default();
        for &(steps, outcome) in self.complete.keys() {
            traces.push(&vec![base_rate; steps], outcome)?;
        }
        let scores = TpsFamily::scores(&traces, &scoring.settings.schedule)?;
        let means = [&mut constant.log, &mut constant.brier, &mut constant.beta_2_4];
        for (mean, scores) in means.into_iter().zip([scores.log, scores.brier, scores.beta_2_4]) {
            for (score, &count) in scores.into_iter().zip(self.complete.values()) {
                mean.update_weighted(score, Weight::new(count as f64)?)?;
            }
        }
        for (&(steps, horizon), &count) in &self.censored {
            let score = scoring.log.prefix_score(&vec![base_rate; steps], false, horizon)?;
            constant.log_censored.update_weighted(score, Weight::new(count as f64)?)?;
        }
        Ok(constant)
    }
}

/// The report on one or more files together.
///
/// # Errors
///
/// An error of the library where a run cannot be scored.
pub fn report(
    files: &[&TraceTally],
    settings: &Settings,
) -> Result<Report, Box<dyn std::error::Error>> {
    let totals = match files {
        [single] => Cow::Borrowed(&single.totals),
        files => {
            let mut totals = Totals::default();
            files.iter().for_each(|file| totals.append(&file.totals));
            Cow::Owned(totals)
        }
    };
    let level = Level::new(evaluation::LEVEL)?;
    let named = |name: &str, value| NamedEstimate::new(name, value, None, level);
    let mean = |mean: &ExactMean| mean.finish().map_err(trajectory_metrics::Error::from);
    let censored = |totals: &Totals| {
        let mut all = totals.log.clone();
        all.merge(&totals.log_censored);
        named(CENSORED, mean(&all))
    };
    let estimates = |totals: &Totals, diagnostics: Diagnostics| {
        let scores = [
            ("tps_log", mean(&totals.log)),
            ("tps_brier", mean(&totals.brier)),
            ("tps_beta_2_4", mean(&totals.beta_2_4)),
        ];
        let values = scores.into_iter().chain(diagnostics.by_name());
        values.map(|(name, value)| named(name, value)).collect::<Vec<_>>()
    };
    let diagnostics = |forecasts: &Vec<Probability>| {
        TiedBlocks::new(forecasts, &totals.outcomes, None).map(|blocks| Diagnostics::new(&blocks))
    };
    let forecasts = if totals.outcomes.is_empty() { &[][..] } else { &totals.forecasts };
    let (diagnostics, (n_ids, n_tasks)) = rayon::join(
        || forecasts.par_iter().map(diagnostics).collect::<Result<Vec<_>, _>>(),
        || rayon::join(|| distinct(totals.ids.iter()), || distinct(totals.tasks.iter())),
    );
    let diagnostics = diagnostics?;
    let scoring = Scoring::new(settings)?;
    let complete = match diagnostics.last() {
        None => None,
        Some(chosen) => {
            let mut weights = [Weight::ZERO; 2];
            for outcome in [false, true] {
                let of_outcome = totals.complete.iter().filter(|((_, other), _)| *other == outcome);
                let runs = of_outcome.map(|(_, count)| count).sum::<u64>();
                weights[usize::from(outcome)] = Weight::new(runs as f64)?;
            }
            let mut base_rate = ExactMean::default();
            base_rate.update_weighted(0.0, weights[0])?;
            base_rate.update_weighted(1.0, weights[1])?;
            let base_rate = Probability::new(base_rate.finish()?)?;
            let mut blocks = TiedBlocks::default();
            blocks.refill([(base_rate, false, weights[0]), (base_rate, true, weights[1])])?;
            let constant = totals.constant(base_rate, &scoring)?;
            let estimates_here = estimates(&totals, chosen.clone());
            let reference = estimates(&constant, Diagnostics::new(&blocks));
            let notes = estimates_here.iter().flat_map(NamedEstimate::notes);
            let of_reference = reference.iter().flat_map(NamedEstimate::notes);
            let of_reference = of_reference.map(|note| format!("base_rate_reference.{note}"));
            Some(CompleteFigures {
                base_rate: base_rate.get(),
                notes: notes.chain(of_reference).collect(),
                estimates: estimates_here,
                reference,
                censored_reference: censored(&constant),
                summaries: scoring
                    .summaries
                    .iter()
                    .map(|summary| summary.name().to_owned())
                    .zip(diagnostics)
                    .collect(),
            })
        }
    };
    let figures = Figures {
        n: totals.complete.values().sum(),
        n_censored: totals.censored.values().sum(),
        excluded: totals.excluded.clone(),
        n_tasks,
        n_ids,
        notes: Vec::new(),
        complete,
        censored: censored(&totals),
    };
    Ok(figures.into_report(settings))
}
