//! The report on traces as they are, without resamples: one pass over the file, after which no forecast is
//! in memory. It says the same as [`evaluate`](agent_scorecard::traces::evaluate) on the same runs.

use std::{borrow::Cow, collections::BTreeMap, path::Path};

use censoring::{Observation, simple_score};
use rayon::prelude::*;
use trajectory_metrics::{
    Diagnostics, ExactMean, ForecastPolicy, Level, LogScore, NamedEstimate, Probability, Summary,
    TiedBlocks, Tps, TpsFamily, Traces, Weight,
};

use agent_scorecard::{
    Texts,
    traces::{
        CENSORED, Calibration, CompleteFigures, LEVEL, RunsDigest, TraceFigures, TraceOptions,
        TraceRemarks, TraceRun, fold_traces,
    },
};

use crate::files::json_lines::open;

/// What a report without resamples needs of the runs of a file.
#[derive(Debug)]
pub(crate) struct TraceTally {
    totals: Totals,
    pub(crate) remarks: TraceRemarks,
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
    /// Of complete runs.
    runs: RunsDigest,
}

/// The runs of a part of a file that are still to be scored.
#[derive(Default)]
struct Part {
    totals: Totals,
    complete: Traces,
}

/// Whether a report with these options can be made from a tally.
#[must_use]
pub(crate) fn suffices(options: &TraceOptions) -> bool {
    let needs_forecasts = options.with_pictures || options.calibration != Calibration::None;
    options.resamples == 0 && !needs_forecasts
}

/// Reads and checks every run of a file, with all threads.
///
/// Memory: about 60 bytes and the id per run, and not the forecasts.
///
/// # Errors
///
/// Those of [`trace_file::read`]; an error of the library where a run cannot be scored.
pub(crate) fn read(
    path: &Path,
    policy: ForecastPolicy,
    options: &TraceOptions,
) -> Result<TraceTally, Box<dyn std::error::Error>> {
    let scoring = Scoring::new(options)?;
    let mut totals = Totals::default();
    let remarks = fold_traces(
        &path.display().to_string(),
        open(path)?,
        policy,
        |part: &mut Part, run| scoring.add(part, &run),
        |part| scoring.finish(part),
        |part| totals.append(&part),
    )
    .map_err(|error: Problem| -> Box<dyn std::error::Error> { error })?;
    Ok(TraceTally { totals, remarks })
}

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// The scores and the summaries of a report.
struct Scoring<'a> {
    options: &'a TraceOptions,
    log: Tps<LogScore>,
    summaries: Vec<Summary>,
}

impl<'a> Scoring<'a> {
    fn new(options: &'a TraceOptions) -> Result<Self, trajectory_metrics::Error> {
        let log = Tps::new(LogScore::clipped(TpsFamily::CLIP)?, options.schedule.clone());
        Ok(Self { options, log, summaries: summaries(options) })
    }

    fn add(&self, part: &mut Part, row: &TraceRun) -> Result<(), Problem> {
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
                totals.runs.update(&row.id, trace.outcome());
                part.complete.push(trace.forecasts(), trace.outcome())?;
            }
        }
        totals.ids.push(&row.id);
        if let Some(task) = row.task.as_deref().filter(|&task| totals.tasks.last() != Some(task)) {
            totals.tasks.push(task);
        }
        Ok(())
    }

    fn finish(&self, part: Part) -> Result<Totals, Problem> {
        let Part { mut totals, complete } = part;
        let scores = TpsFamily::scores(&complete, &self.options.schedule)?;
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
fn summaries(options: &TraceOptions) -> Vec<Summary> {
    let weighted = Summary::Weighted(options.schedule.clone());
    let chosen = options.summary.clone().unwrap_or_else(|| weighted.clone());
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
        self.runs.merge(other.runs);
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
        let scores = TpsFamily::scores(&traces, &scoring.options.schedule)?;
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

/// What is known of the runs of one or more files together.
///
/// # Errors
///
/// An error of the library where a run cannot be scored.
pub(crate) fn figures(
    files: &[&TraceTally],
    options: &TraceOptions,
) -> Result<TraceFigures, Box<dyn std::error::Error>> {
    let totals = match files {
        [single] => Cow::Borrowed(&single.totals),
        files => {
            let mut totals = Totals::default();
            files.iter().for_each(|file| totals.append(&file.totals));
            Cow::Owned(totals)
        }
    };
    let level = Level::new(LEVEL)?;
    let named = |name: &str, value| NamedEstimate::new(name, value, None, level);
    let mean = |mean: &ExactMean| mean.finish().map_err(trajectory_metrics::Error::from);
    let censored = |totals: &Totals| {
        let mut all = totals.log.clone();
        all.merge(&totals.log_censored);
        named(CENSORED.key, mean(&all))
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
        || rayon::join(|| totals.ids.distinct(), || totals.tasks.distinct()),
    );
    let diagnostics = diagnostics?;
    let scoring = Scoring::new(options)?;
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
    Ok(TraceFigures {
        n: totals.complete.values().sum(),
        n_censored: totals.censored.values().sum(),
        excluded: totals.excluded.clone(),
        n_tasks,
        n_ids,
        digest: totals.runs,
        complete,
        censored: censored(&totals),
        ..TraceFigures::new()?
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use proptest::prelude::*;
    use trajectory_metrics::WeightSchedule;

    use super::*;
    use agent_scorecard::traces::{TraceFile, evaluate};

    use crate::{files::bundled, traces::trace_file};

    fn settings(schedule: WeightSchedule, summary: Option<Summary>) -> TraceOptions {
        TraceOptions { schedule, summary, resamples: 0, ..TraceOptions::default() }
    }

    /// The reports on the files and on all together, with the notes on the files, from tallies and from
    /// runs.
    fn both(
        files: &[PathBuf],
        policy: ForecastPolicy,
        settings: &TraceOptions,
    ) -> [Vec<String>; 2] {
        let tallies: Vec<TraceTally> =
            files.iter().map(|path| read(path, policy, settings).unwrap()).collect();
        let runs: Vec<TraceFile> =
            files.iter().map(|path| trace_file::read(path, policy).unwrap()).collect();
        let tallies: Vec<&TraceTally> = tallies.iter().collect();
        let runs: Vec<&TraceFile> = runs.iter().collect();
        let by_tally = |tallies: &[&TraceTally]| {
            let figures = figures(tallies, settings).unwrap();
            let figures = trace_file::with_remarks(figures, tallies.iter().map(|it| &it.remarks));
            format!("{:#?}", figures.into_block(settings))
        };
        let by_runs = |files: &[&TraceFile]| {
            let runs: Vec<&[TraceRun]> = files.iter().map(|file| file.runs.as_slice()).collect();
            let figures = evaluate(&runs, settings).unwrap();
            let figures = trace_file::with_remarks(figures, files.iter().map(|it| &it.remarks));
            format!("{:#?}", figures.into_block(settings))
        };
        // Debug output of numbers is exact.
        let tallies = tallies.chunks(1).chain([&tallies[..]]).map(by_tally).collect();
        let runs = runs.chunks(1).chain([&runs[..]]).map(by_runs).collect();
        [tallies, runs]
    }

    #[test]
    fn on_the_bundled_runs_the_report_is_that_of_the_evaluation() {
        let files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")));
        for schedule in WeightSchedule::NAMED {
            for summary in
                [None, Some(Summary::Last), Some(Summary::Weighted(WeightSchedule::Uniform))]
            {
                let settings = settings(schedule.clone(), summary);
                let [tallies, runs] = both(&files, ForecastPolicy::Refuse, &settings);
                assert_eq!(tallies, runs);
            }
        }
    }

    /// A line of a file: some forecasts missing or out of range, and ids and tasks that occur twice.
    fn line() -> impl Strategy<Value = String> {
        let forecast = prop_oneof![
            12 => (0..=100_u32).prop_map(|p| (f64::from(p) / 100.0).to_string()),
            6 => (0.0..=1.0_f64).prop_map(|p| p.to_string()),
            1 => Just("null".to_owned()),
            1 => Just("1.25".to_owned()),
        ];
        let stop = prop_oneof![
            Just(r#""max_steps""#),
            Just(r#""user_stop""#),
            Just(r#""completed""#),
            Just(r#""bored""#),
            Just("null"),
        ];
        let outcome = prop_oneof![Just("true"), Just("false"), Just("null")];
        let forecasts = prop::collection::vec(forecast, 1..9);
        (0..30_u32, prop::option::of(0..9_u32), forecasts, outcome, stop, 9..12_usize).prop_map(
            |(id, task, forecasts, outcome, stop, horizon)| {
                let task = task.map_or("null".to_owned(), |task| format!("\"t{task}\""));
                let forecasts = forecasts.join(",");
                format!(
                    r#"{{"id":"r{id}","task":{task},"forecasts":[{forecasts}],"outcome":{outcome},"stop":{stop},"horizon":{horizon}}}"#
                )
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn on_any_runs_the_report_is_that_of_the_evaluation(
            first in prop::collection::vec(line(), 1..40),
            second in prop::collection::vec(line(), 1..40),
            schedule in prop::sample::select(WeightSchedule::NAMED.to_vec()),
            number in any::<u64>(),
        ) {
            let folder = std::env::temp_dir();
            let file = |name: &str| {
                folder.join(format!("trace-tally-{}-{number}-{name}", std::process::id()))
            };
            let files = [file("first"), file("second")];
            for (file, lines) in files.iter().zip([&first, &second]) {
                fs::write(file, lines.join("\n")).unwrap();
            }
            let settings = settings(schedule, None);
            for policy in [ForecastPolicy::LeaveOut, ForecastPolicy::CarryForward] {
                let [tallies, runs] = both(&files, policy, &settings);
                prop_assert_eq!(tallies, runs);
            }
            files.iter().for_each(|file| fs::remove_file(file).unwrap());
        }
    }

    #[test]
    fn a_report_with_resamples_or_calibration_needs_the_runs() {
        let plain = settings(WeightSchedule::Uniform, None);
        assert!(suffices(&plain));
        assert!(!suffices(&TraceOptions { resamples: 1, ..plain.clone() }));
        assert!(!suffices(&TraceOptions { with_pictures: true, ..plain.clone() }));
        assert!(!suffices(&TraceOptions { calibration: Calibration::Platt, ..plain }));
    }
}
