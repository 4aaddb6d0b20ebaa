use run_logs::{
    ConfidenceStream, ForecastCounts, LoggedRun, Missing, RunTable, StreamRuns, TraceRun,
};
use trajectory_metrics::ForecastPolicy;

use crate::{
    error::Error,
    report::block::Block,
    traces::{
        evaluation::{TraceEvaluation, merged},
        figures::{Beside, LeftOut},
        settings::{Calibration, TraceOptions},
        units::RunsDigest,
    },
};

/// A stream of confidence, its figures, and the digest of its complete runs.
pub type StreamFigures = (ConfidenceStream, Block, RunsDigest);

/// Returns the runs of a log that have a stream of confidence. `missing` is the policy for missing values.
///
/// # Errors
///
/// [`run_logs::Error::MissingConfidence`] for a value that the policy refuses.
pub fn stream_runs(
    table: &RunTable,
    stream: ConfidenceStream,
    missing: ForecastPolicy,
) -> Result<StreamRuns, Error> {
    // A policy that refuses what is missing does not ask for streams that the log does not have.
    let found = match table.stream(stream, missing) {
        Err(_) if table.stream(stream, ForecastPolicy::Skip)?.runs().is_empty() => {
            table.stream(stream, ForecastPolicy::LeaveOut)
        }
        found => found,
    };
    Ok(found?)
}

/// Scores each stream of confidence over the runs of one or more logs together.
///
/// # Errors
///
/// Errors of [`stream_runs`] and [`evaluate`](super::evaluate); a calibration that cannot be fitted to a stream is a note of that
/// stream.
pub fn streams(
    tables: &[&RunTable],
    missing: ForecastPolicy,
    options: &TraceOptions,
) -> Result<Vec<StreamFigures>, Error> {
    let figures = |stream| {
        let (block, digest) = of_stream(tables, stream, missing, options)?;
        Ok((stream, block, digest))
    };
    ConfidenceStream::ALL.into_iter().map(figures).collect()
}

fn of_stream(
    tables: &[&RunTable],
    stream: ConfidenceStream,
    missing: ForecastPolicy,
    options: &TraceOptions,
) -> Result<(Block, RunsDigest), Error> {
    let found = tables.iter().map(|table| stream_runs(table, stream, missing));
    let found: Vec<_> = found.collect::<Result<_, _>>()?;
    let runs: Vec<&[TraceRun]> = found.iter().map(StreamRuns::runs).collect();
    let (mut left_out, mut counts) = (LeftOut::default(), ForecastCounts::default());
    let mut first = None;
    for (table, stream_of) in tables.iter().zip(&found) {
        counts.merge(stream_of.counts());
        for (&reason, &count) in stream_of.left_out() {
            *left_out.reasons.entry(reason).or_default() += count;
        }
        let is_partial = |run: &&LoggedRun| {
            run.forecasts(stream, missing).is_err()
                && run.forecasts(stream, ForecastPolicy::Skip).is_ok()
        };
        left_out.n_partial += table.rows().iter().filter(is_partial).count() as u64;
        first = first.or_else(|| {
            let (row, turn, reason) = stream_of.first_left_out()?;
            let run = table.rows().get(*row)?.name();
            Some(format!("the first run that is left out is {run}, at turn {turn}: {reason}"))
        });
    }
    let mut notes = Vec::from_iter(first);
    if counts.repaired_runs > 0 {
        notes.push(Missing { policy: missing, counts }.to_string());
    }
    let left_out = Some(left_out);
    evaluated(&runs, options, Beside { left_out, notes, ..Beside::default() })
}

/// Returns the figures of the runs of one stream. If they cannot be calibrated, all figures are undefined and a note
/// states the reason: other streams may have enough runs.
fn evaluated(
    runs: &[&[TraceRun]],
    options: &TraceOptions,
    mut beside: Beside,
) -> Result<(Block, RunsDigest), Error> {
    let has_runs = runs.iter().any(|runs| !runs.is_empty());
    let scored = merged(if has_runs { runs } else { &[] }, options);
    match scored.and_then(|all| Ok((all.finish(&beside)?, all.digest()))) {
        Err(error)
            if has_runs
                && options.calibration != Calibration::None
                && !matches!(error, Error::NoTask { .. }) =>
        {
            beside.notes.insert(0, format!("no figures: the runs cannot be calibrated: {error}"));
            Ok((TraceEvaluation::new(options)?.finish(&beside)?, RunsDigest::default()))
        }
        figures => figures,
    }
}
