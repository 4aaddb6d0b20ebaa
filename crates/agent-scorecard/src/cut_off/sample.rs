use std::borrow::Cow;

use censoring::{
    CensoringCurves, Exclusion, IpcwWeights, Observation, StopClass, StopReason, StopTimes,
    Stopped, TerminationAudit,
};
use run_logs::{TraceFile, TraceRun};
use trajectory_metrics::{Probability, WeightSchedule};

use crate::{
    cut_off::settings::CutOffOptions,
    error::Error,
    traces::{calibrated::calibrated, settings::Calibration},
};

/// The complete and cut-off runs of one stream.
pub(super) struct Sample<'a> {
    pub(super) file: &'a str,
    pub(super) runs: Vec<&'a TraceRun>,
    pub(super) stopped: Vec<Stopped<'a>>,
    pub(super) audit: TerminationAudit,
}

impl<'a> Sample<'a> {
    pub(super) fn new(stream: &'a TraceFile, options: &CutOffOptions) -> Result<Self, Error> {
        let mut audit = TerminationAudit::default();
        let (mut runs, mut stopped) = (Vec::new(), Vec::new());
        for run in &stream.runs {
            let mut stop = run.stopped()?;
            let parse_error = Exclusion::Stopped(StopReason::ParseError);
            if options.parse_errors_as_stops
                && stop.observation() == Observation::Excluded(&parse_error)
            {
                let (reason, cut_off) = (Some(StopReason::ParseError), |_: &_| StopClass::Censored);
                let horizon = stop.horizon();
                stop = Stopped::with_policy(&run.forecasts, None, reason, cut_off)?
                    .with_horizon(horizon)?;
            }
            audit.update(&stop);
            if !matches!(stop.observation(), Observation::Excluded(_)) {
                runs.push(run);
                stopped.push(stop);
            }
        }
        Ok(Self { file: &stream.file, runs, stopped, audit })
    }

    /// Returns the task of each run; a run without a task is a separate task.
    pub(super) fn tasks(&self) -> Vec<&'a String> {
        self.runs.iter().map(|run| run.task.as_ref().unwrap_or(&run.id)).collect()
    }

    pub(super) fn outcome(&self, run: usize) -> Option<bool> {
        self.stopped[run].outcome()
    }

    pub(super) fn steps(&self, run: usize) -> usize {
        self.stopped[run].forecasts().len()
    }

    pub(super) fn cut_off(&self) -> impl Iterator<Item = usize> {
        (0..self.runs.len()).filter(|&run| self.outcome(run).is_none())
    }

    /// Returns the values that identify a run across streams: name, outcome, steps and horizon.
    pub(super) fn identity(&self, run: usize) -> (&'a str, Option<bool>, usize, usize) {
        let stopped = &self.stopped[run];
        (&self.runs[run].id, self.outcome(run), self.steps(run), stopped.horizon())
    }

    /// Returns whether two streams hold the same runs in the same order.
    pub(super) fn has_runs_of(&self, other: &Self) -> bool {
        self.runs.len() == other.runs.len()
            && (0..self.runs.len()).all(|run| self.identity(run) == other.identity(run))
    }

    /// Returns whether these probabilities are the last forecasts of all runs that were cut off.
    pub(super) fn says(&self, chances: &[Probability]) -> bool {
        self.cut_off().all(|run| self.stopped[run].forecasts().last() == Some(&chances[run]))
    }

    /// Returns the last step at which a run ended by itself; 0 without such a run.
    pub(super) fn last_end(&self) -> usize {
        let complete = self.runs.iter().filter(|run| run.outcome.is_some());
        complete.map(|run| run.forecasts.len()).max().unwrap_or(0)
    }

    /// Inverse-probability weights of the runs, by the time of their stop in steps.
    pub(super) fn weights(&self, options: &CutOffOptions) -> Result<IpcwWeights, censoring::Error> {
        let stops = StopTimes::from_runs(&self.stopped, None)?;
        let curves = CensoringCurves::new(&stops, &self.curve_groups(options))?;
        IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY)
    }

    /// Returns the group of each run for the curve of cut-offs; runs without a group form a separate one.
    pub(super) fn curve_groups<'g>(&self, options: &'g CutOffOptions) -> Vec<Option<&'g str>> {
        let groups = options.curve_groups.as_ref();
        let group = |run: &&TraceRun| groups?.get(&run.id).map(String::as_str);
        self.runs.iter().map(group).collect()
    }

    /// Returns the calibrated forecasts of each run, if requested. Notes report irregularities of the maps.
    pub(super) fn calibrated(
        &self,
        options: &CutOffOptions,
        schedule: &WeightSchedule,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<Vec<Probability>>>, Error> {
        if options.calibration == Calibration::None {
            return Ok(None);
        }
        let ids: Vec<&str> = self.runs.iter().map(|run| run.id.as_str()).collect();
        let how = (options.calibration, options.calibrate_on);
        calibrated(&ids, &self.stopped, how, schedule, notes).map(Some)
    }

    /// Returns the runs, with other forecasts if there are some.
    pub(super) fn with_forecasts<'f>(
        &'f self,
        forecasts: Option<&'f [Vec<Probability>]>,
    ) -> Result<Cow<'f, [Stopped<'f>]>, Error> {
        let Some(forecasts) = forecasts else { return Ok(Cow::Borrowed(&self.stopped)) };
        let runs = self.stopped.iter().zip(forecasts);
        Ok(runs.map(|(run, to)| run.with_forecasts(to)).collect::<Result<Vec<_>, _>>()?.into())
    }
}
