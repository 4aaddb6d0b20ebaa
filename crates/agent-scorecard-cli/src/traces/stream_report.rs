//! A report per stream of confidence that logs hold.

use std::{collections::BTreeMap, error::Error};

use run_logs::{ConfidenceReading, ConfidenceStream, ForecastCounts, ForecastPolicy};
use serde::Serialize;

use crate::{
    files::{json_lines::InputError, logs::common_format, run_counts::RunCounts},
    traces::{
        evaluation::{Report, evaluate},
        log_file::LogFile,
        settings::{Calibration, Settings},
        trace_file::{Run, repairs},
    },
};

/// The reports on a log.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StreamReports {
    /// The format of the logs; `several` if they have different ones.
    pub format: &'static str,
    /// All runs of the log.
    #[serde(flatten)]
    pub runs: RunCounts,
    /// What was done about runs with missing values.
    pub missing: ForecastPolicy,
    /// How stated confidence was read.
    pub confidence: &'static str,
    /// The report of each stream by its name.
    pub streams: BTreeMap<&'static str, StreamReport>,
    /// Several formats, names that stand for several runs, and files of a folder that were left out.
    pub notes: Vec<String>,
}

/// The report on one stream.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StreamReport {
    /// The report on the runs that have the stream.
    #[serde(flatten)]
    pub report: Report,
    /// Runs that do not have it.
    pub n_left_out: u64,
    /// Those by the reason why their first missing value is missing.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Left-out runs that have a value at some model call, which `--missing skip` scores.
    pub n_partial: u64,
}

/// Reports on all streams of one or more logs together.
///
/// # Errors
///
/// Those of [`evaluate`]; a calibration that cannot be fitted to a stream is a note of that stream.
pub(crate) fn report(
    logs: &[&LogFile],
    settings: &Settings,
    missing: ForecastPolicy,
    reading: ConfidenceReading,
) -> Result<StreamReports, Box<dyn Error>> {
    let mut streams = BTreeMap::new();
    for stream in ConfidenceStream::ALL {
        let found = logs.iter().map(|log| Ok((log, log.stream(stream)?)));
        let found: Vec<_> = found.collect::<Result<_, run_logs::Error>>()?;
        let runs: Vec<&[Run]> = found.iter().map(|(_, (runs, _))| runs.as_slice()).collect();
        let mut left_out: BTreeMap<&'static str, u64> = BTreeMap::new();
        let (mut first, mut counts) = (None, ForecastCounts::default());
        for (log, (_, stream)) in &found {
            counts.merge(stream.counts());
            for (&reason, &count) in stream.left_out() {
                *left_out.entry(reason).or_default() += count;
            }
            first = first.or_else(|| {
                let (row, turn, reason) = stream.first_left_out()?;
                let run = log.id(*row)?;
                Some(format!("the first run that is left out is {run}: turn {turn}: {reason}"))
            });
        }
        let mut report = evaluated(&runs, settings)?;
        report.notes.extend(first);
        if counts.repaired_runs > 0 {
            report.notes.push(repairs(missing, &counts));
        }
        let n_left_out = left_out.values().sum();
        let n_partial = logs.iter().map(|log| log.partial(stream)).sum();
        let of = StreamReport { report, n_left_out, left_out, n_partial };
        streams.insert(stream.name(), of);
    }
    Ok(StreamReports {
        format: common_format(logs.iter().map(|log| log.format)),
        runs: logs.iter().fold(RunCounts::default(), |mut runs, log| {
            log.count(&mut runs);
            runs
        }),
        notes: logs.iter().flat_map(|log| log.notes.clone()).collect(),
        missing,
        confidence: if reading == ConfidenceReading::Lenient { "lenient" } else { "strict" },
        streams,
    })
}

/// The report on the runs of one stream. If they cannot be calibrated, all figures are undefined and
/// a note says why: other streams may have enough runs.
fn evaluated(runs: &[&[Run]], settings: &Settings) -> Result<Report, Box<dyn Error>> {
    if runs.iter().all(|runs| runs.is_empty()) {
        return evaluate(&[], settings);
    }
    match evaluate(runs, settings) {
        Err(error) if settings.calibration != Calibration::None && !error.is::<InputError>() => {
            let mut report = evaluate(&[], settings)?;
            report.notes.push(format!("no figures: the runs cannot be calibrated: {error}"));
            Ok(report)
        }
        report => report,
    }
}

/// The left-out runs of all streams, one line each, for people; `column` comes before the stream.
#[must_use]
pub(crate) fn left_out(column: &str, report: &StreamReports) -> String {
    let mut text = String::new();
    for stream in ConfidenceStream::ALL {
        let Some(of) = report.streams.get(stream.name()) else { continue };
        let Report { n, n_censored, n_excluded, .. } = of.report;
        text.push_str(&format!(
            "\n{column}{stream}: {n} complete traces, {n_censored} censored, {n_excluded} excluded, {} left out",
            of.n_left_out
        ));
        if of.n_left_out > 0 {
            let reasons: Vec<String> =
                of.left_out.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
            text.push_str(&format!(" ({})", reasons.join(", ")));
        }
        if of.n_partial > 0 {
            let n = of.n_partial;
            text.push_str(&format!("; {n} of these have a value at some call: --missing skip"));
        }
    }
    text.push('\n');
    text
}
