//! Mean scores of runs of which some were cut off, by every way of treating these.

use std::{collections::BTreeMap, error::Error};

use censoring::{
    Continuations, StreamDifference, Weight, exact_mean_score, mean_score_bounds, plug_in_bias,
    simple_mean_score,
};
use serde::Serialize;
use trajectory_metrics::{LogScore, Probability, Tps, WeightSchedule};

use crate::{
    cut_off::{
        chances::{Chances, Sources, SuccessChance, chances},
        report::{self, Bounds, OrderChange, ReportSettings, StreamReport},
        sample::{Ipcw, Sample},
    },
    files::run_counts::RunCounts,
    output::program::with_causes,
    traces::trace_file::{self, Missing, TraceFile},
};

/// Forecasts are clipped into this and one minus it, as in the paper.
const CLIP: f64 = 1e-6;

/// The ways of treating runs that were cut off, in the order of a report.
pub(crate) const WAYS: [&str; 5] =
    ["complete_only", "simple", "exact_plug_in", "exact_known", "ipcw"];

/// One stream of forecasts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Stream {
    /// Where it was read from.
    pub file: String,
    /// All runs, also those that were left out before.
    #[serde(flatten)]
    pub runs: RunCounts,
    /// What was done about forecasts that are missing or outside [0, 1].
    pub missing: Missing,
    /// Runs whose outcome is known.
    pub n_complete: u64,
    /// Runs that a budget cut off.
    pub n_censored: u64,
    /// Runs that cannot be scored.
    pub n_excluded: u64,
    /// Those by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Share of the complete and censored runs that was cut off.
    pub censoring_rate: Option<f64>,
    /// Mean chance of success after a cut-off.
    pub mean_success_chance: Option<f64>,
    /// Where these chances come from; `None` if nothing was cut off.
    pub success_chance: Option<SuccessChance>,
    /// The mean of the weights of `ipcw`: below 1 if some runs are represented by no complete run.
    pub ipcw_coverage: Option<f64>,
    /// The mean score in each of the [`WAYS`]; `None` where it is undefined.
    #[serde(flatten)]
    pub scores: BTreeMap<&'static str, Option<f64>>,
    /// What the exact mean can be whatever the chances of success are.
    pub bounds: Option<Bounds>,
    /// Every rule and weight schedule; `None` without a run that can be scored.
    pub report: Option<StreamReport>,
}

/// Two streams on the same runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Pair {
    /// File of the first.
    pub first: String,
    /// File of the second.
    pub second: String,
    /// Exact mean of the first minus that of the second, at the same chances of success.
    pub difference: Option<f64>,
    /// What that can be whatever the chances are.
    pub bounds: Bounds,
    /// Whether the same stream is ahead whatever the chances are.
    pub keeps_sign: bool,
    /// The width of ignorance around the chances at which they cannot be told apart.
    pub largest_width: Option<f64>,
}

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Report {
    /// Name of the weight schedule.
    pub schedule: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Every file.
    pub files: Vec<Stream>,
    /// Every two files, where all hold the same runs.
    pub pairs: Vec<Pair>,
    /// Pairs of streams whose order depends on the treatment of cut-off runs.
    pub order_changes: Vec<OrderChange>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
}

/// Evaluates files of runs, each a stream. `known_chances` gives the true chance of success of a run
/// where it is known.
///
/// # Errors
///
/// An error of the library where the schedule does not fit, and those of [`chances`].
pub(crate) fn evaluate(
    files: &[(String, &TraceFile)],
    schedule: &WeightSchedule,
    known_chances: Option<&BTreeMap<String, Probability>>,
    settings: &ReportSettings,
    sources: &Sources,
) -> Result<Report, Box<dyn Error>> {
    let tps = Tps::new(LogScore::clipped(CLIP)?, schedule.clone());
    let samples: Vec<Sample<'_>> =
        files.iter().map(|(file, read)| Sample::new(file, &read.runs)).collect::<Result<_, _>>()?;
    let mut report = Report {
        schedule: schedule.name(),
        rule: "log, clipped at 1e-6",
        files: Vec::new(),
        pairs: Vec::new(),
        order_changes: Vec::new(),
        notes: Vec::new(),
    };
    sources.check_ids(&samples)?;
    let calibrated: Vec<Option<Vec<Vec<Probability>>>> = samples
        .iter()
        .map(|sample| {
            report::calibrated(&sample.stopped, &sample.tasks(), settings.calibration, schedule)
        })
        .collect::<Result<_, _>>()?;
    let scored: Vec<Sample<'_>> = samples
        .iter()
        .zip(&calibrated)
        .map(|(sample, to)| {
            let runs = report::with_forecasts(&sample.stopped, to.as_ref())?;
            Ok(sample.with_runs(runs))
        })
        .collect::<Result<_, censoring::Error>>()?;
    let one_set = samples.iter().all(|sample| sample.has_runs_of(&samples[0]));
    if !one_set {
        report.notes.push(
            "pairs: none, as the files do not hold the same runs in the same order".to_owned(),
        );
    }
    let mut shared: Option<Chances> = None;
    for (i, (sample, (file, read))) in samples.iter().zip(files).enumerate() {
        let of_file = |note| format!("{file}: {note}");
        report.notes.extend(trace_file::notes(&[read]).into_iter().map(of_file));
        let found = match shared.take() {
            Some(found) if one_set => found,
            _ => {
                let of_same_runs =
                    if one_set { &samples[..] } else { std::slice::from_ref(sample) };
                let found = chances(&tps, of_same_runs, sources)?;
                let whose = if one_set && files.len() > 1 { "all files" } else { file };
                if let Some(why) = &found.undefined {
                    report.notes.push(format!("exact_plug_in: undefined for {whose}: {why}"));
                } else if let Some(source) = &found.source {
                    let note = format!("success chance: of {whose}: {}", source.note());
                    report.notes.push(note);
                }
                found
            }
        };
        let chances = found.of_runs.as_deref();
        let mut stream =
            score_stream(&tps, &scored[i], read, chances, known_chances, &mut report.notes)?;
        if !sample.runs.is_empty() {
            let ids: Vec<&String> = sample.runs.iter().map(|run| &run.id).collect();
            let branches: Option<Vec<Continuations>> = sources
                .continuations
                .is_some()
                .then(|| ids.iter().map(|id| sources.continuations_of(id)).collect());
            let of_stream = report::report(
                &sample.stopped,
                &ids,
                &sample.tasks(),
                chances,
                branches.as_deref(),
                settings,
            )?;
            if known_chances.is_none()
                && found.source.as_ref().is_some_and(|of| of.n_given > 0)
                && sample.says(chances)
            {
                report.notes.push(format!(
                    "success chance: those of {file} are its own last forecasts on all runs that were cut off; if they were copied from them, the exact mean confirms them whether they are right or wrong"
                ));
            }
            if sources.continuations.is_some() && of_stream.continuations.is_none() {
                report.notes.push(format!(
                    "continuations: no audit for {file}, as no run that was cut off has at least {} outcomes",
                    settings.min_valid
                ));
            }
            report.notes.extend(of_stream.missing_intervals(&stream.file));
            stream.report = Some(of_stream);
        }
        stream.success_chance.clone_from(&found.source);
        report.files.push(stream);
        shared = Some(found);
    }
    if one_set && !samples[0].runs.is_empty() {
        let chances = shared.and_then(|found| found.of_runs);
        for (i, first) in scored.iter().enumerate() {
            for second in &scored[i + 1..] {
                let pair = compare(&tps, first, second, chances.as_deref(), &mut report.notes)?;
                report.pairs.push(pair);
            }
        }
    }
    if one_set {
        let streams: Vec<(&String, &StreamReport)> = report
            .files
            .iter()
            .filter_map(|stream| Some((&stream.file, stream.report.as_ref()?)))
            .collect();
        report.order_changes = report::order_changes(&streams)?;
    }
    report.notes.push(
        "simple takes it that no run that was cut off had a chance of success (q_Z = 0), which favours low forecasts on such runs; do not compare streams by it".to_owned(),
    );
    report.notes.push(format!(
        "assumption of the other ways: {}; no data can test it, see sensitivity and bounds",
        settings.assumption
    ));
    if known_chances.is_none() {
        report.notes.push(
            "exact_known: undefined, as the true chances are known for the bundled runs only"
                .to_owned(),
        );
    }
    report.notes.push(
        "a run that was cut off is scored on its steps before the stop, under the weights of its whole horizon; ipcw stands for whole runs instead, so the two need not agree".to_owned(),
    );
    Ok(report)
}

fn score_stream(
    tps: &Tps<LogScore>,
    sample: &Sample<'_>,
    read: &TraceFile,
    chances: Option<&[Probability]>,
    known_chances: Option<&BTreeMap<String, Probability>>,
    notes: &mut Vec<String>,
) -> Result<Stream, censoring::Error> {
    let n = sample.runs.len();
    let exact = |chances: &[Probability]| exact_mean_score(tps, &sample.stopped, chances, None);
    let zero = vec![Probability::ZERO; n];
    let complete: Vec<Weight> =
        (0..n).map(|run| Weight::from(u32::from(sample.outcome(run).is_some()))).collect();
    let known: Option<Vec<Probability>> = known_chances
        .and_then(|known| sample.runs.iter().map(|run| known.get(&run.id).copied()).collect());
    let ipcw = sample.ipcw(tps);
    let ways = [
        ("complete_only", Some(simple_mean_score(tps, &sample.stopped, Some(&complete)))),
        ("simple", Some(simple_mean_score(tps, &sample.stopped, None))),
        ("exact_plug_in", chances.map(exact)),
        ("exact_known", known.map(|known| exact(&known))),
        ("ipcw", Some(ipcw.clone().map(|of| of.mean))),
    ];
    let mut noted = |name: &str, value: Result<f64, String>| match value {
        Ok(value) => Some(value),
        Err(error) => {
            notes.push(format!("{name}: undefined for {}: {error}", sample.file));
            None
        }
    };
    // Where there are no chances a note says so already.
    let scores = ways
        .map(|(way, score)| {
            (way, score.and_then(|score| noted(way, score.map_err(|error| with_causes(&error)))))
        })
        .into();
    let censoring_rate =
        noted("censoring_rate", sample.audit.censoring_rate().map_err(|error| with_causes(&error)));
    // A weight of 0 leaves no trace, so only runs that were cut off count.
    let cut_off: Vec<Weight> =
        (0..n).map(|run| Weight::from(u32::from(sample.outcome(run).is_none()))).collect();
    let mean_success_chance = match chances {
        None => noted(
            "exact_plug_in and mean_success_chance",
            Err("some run has no chance of success".to_owned()),
        ),
        Some(_) if !cut_off.contains(&Weight::ONE) => {
            noted("mean_success_chance", Err("no run was cut off".to_owned()))
        }
        Some(chances) => {
            let mean = plug_in_bias(chances, &zero, Some(&cut_off));
            noted("mean_success_chance", mean.map_err(|error| with_causes(&error)))
        }
    };
    let bounds = mean_score_bounds(tps, &sample.stopped, None, None);
    noted("bounds", bounds.as_ref().map(|bounds| bounds.low()).map_err(ToString::to_string));
    let ipcw = ipcw.ok();
    if let Some(Ipcw { coverage, are_uniform, .. }) = ipcw
        && coverage < 1.0 - 1e-9
    {
        let consequence = if are_uniform {
            "; all complete runs have the same weight, so that it corrects nothing and is complete_only"
        } else {
            ""
        };
        notes.push(format!(
            "ipcw: the longest runs of {} were all cut off; it stands for the {:.1} % of runs that could be seen to their end{consequence}",
            sample.file,
            100.0 * coverage
        ));
    }
    Ok(Stream {
        file: sample.file.clone(),
        runs: trace_file::run_counts(&[read]),
        missing: trace_file::missing(&[read]),
        n_complete: sample.audit.complete(),
        n_censored: sample.audit.censored(),
        n_excluded: sample.audit.excluded(),
        excluded: sample
            .audit
            .exclusions()
            .iter()
            .map(|(reason, &count)| (reason.to_string(), count))
            .collect(),
        censoring_rate,
        mean_success_chance,
        success_chance: None,
        ipcw_coverage: ipcw.map(|of| of.coverage),
        scores,
        bounds: bounds.ok().map(Bounds::from),
        report: None,
    })
}

fn compare(
    tps: &Tps<LogScore>,
    first: &Sample<'_>,
    second: &Sample<'_>,
    chances: Option<&[Probability]>,
    notes: &mut Vec<String>,
) -> Result<Pair, censoring::Error> {
    let difference = StreamDifference::new(tps, &first.stopped, &second.stopped, None)?;
    let largest_width = match chances {
        Some(chances) => difference.largest_width(chances)?,
        None => None,
    };
    if largest_width.is_none() {
        let why = if difference.keeps_sign() {
            "none, as the same stream is ahead whatever the chances are"
        } else {
            "undefined, as there are no chances to start from"
        };
        notes.push(format!("largest_width: {} against {}: {why}", first.file, second.file));
    }
    if chances.is_none() {
        notes.push(format!(
            "difference: {} against {}: undefined, as some run has no chance of success",
            first.file, second.file
        ));
    }
    Ok(Pair {
        first: first.file.clone(),
        second: second.file.clone(),
        difference: chances.map(|chances| difference.at(chances)).transpose()?,
        bounds: difference.bounds().into(),
        keeps_sign: difference.keeps_sign(),
        largest_width,
    })
}
