use std::collections::BTreeMap;

use trajectory_metrics::{ForecastCounts, ForecastPolicy, Traces};

use crate::{
    conversions::{
        logged_run::Unscored,
        run_table::RunTable,
        streams::{confidence_stream::ConfidenceStream, missing_value::MissingValue},
    },
    error::Error,
    formats::trace_runs::TraceRun,
};

/// The runs that have a stream of confidence, and the reasons why other runs lack it.
#[derive(Clone, Debug, Default)]
pub struct StreamRuns {
    runs: Vec<TraceRun>,
    rows: Vec<usize>,
    left_out: BTreeMap<&'static str, u64>,
    first_left_out: Option<(usize, usize, MissingValue)>,
    counts: ForecastCounts,
}

impl RunTable {
    /// Returns the forecasts that the runs have in one stream. The policy decides what happens to turns without a
    /// value.
    ///
    /// The TPS paper (arXiv:2605.24756, appendix K) uses [`ForecastPolicy::LeaveOut`]: values are neither guessed nor skipped.
    /// [`ForecastPolicy::Skip`] is for logs in which only some turns ask for a confidence or an action. The horizon of a cut-off
    /// run does not apply then. A run without any value is counted with the first reason other than a missing confidence or
    /// action, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::MissingConfidence`] for the first value that the policy refuses, under [`ForecastPolicy::Refuse`] and
    /// [`ForecastPolicy::Clip`], and the errors of [`RunTable::check_scale`] for stated confidences.
    pub fn stream(
        &self,
        stream: ConfidenceStream,
        policy: ForecastPolicy,
    ) -> Result<StreamRuns, Error> {
        if stream == ConfidenceStream::StatedConfidence {
            self.check_scale()?;
        }
        let mut found = StreamRuns::default();
        for (row, run) in self.rows().iter().enumerate() {
            match run.checked(stream, policy, &mut found.counts) {
                Ok(forecasts) => {
                    found.rows.push(row);
                    let task = run.task.clone();
                    found.runs.push(TraceRun { task, ..run.traced(forecasts, policy) });
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

impl StreamRuns {
    /// Returns the runs that have the stream, in the order of [`RunTable::rows`].
    #[must_use]
    pub fn runs(&self) -> &[TraceRun] {
        &self.runs
    }

    /// Returns the positions in [`RunTable::rows`] of the runs that have the stream.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the number of runs left out for each reason, by the [name](MissingValue::name) of the reason.
    #[must_use]
    pub const fn left_out(&self) -> &BTreeMap<&'static str, u64> {
        &self.left_out
    }

    /// Returns the first run that is left out: its row, the turn from 1, and the reason.
    #[must_use]
    pub const fn first_left_out(&self) -> Option<&(usize, usize, MissingValue)> {
        self.first_left_out.as_ref()
    }

    /// Returns the numbers of runs that the policy kept, repaired and left out.
    #[must_use]
    pub const fn counts(&self) -> ForecastCounts {
        self.counts
    }

    /// Returns the traces of the runs whose outcome is known, for `trajectory_metrics::ScoredStream::new`.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for a run without a forecast.
    pub fn traces(&self) -> Result<Traces, Error> {
        let mut traces = Traces::default();
        for run in &self.runs {
            if let Some(outcome) = run.outcome {
                traces.push(&run.forecasts, outcome)?;
            }
        }
        Ok(traces)
    }
}
