use std::borrow::Cow;

use censoring::{
    CensoringCurves, Continuations, Exclusion, IpcwWeights, Observation, StopClass, StopReason,
    StopTimes, Stopped, TerminationAudit, Weight,
};
use run_logs::{TraceFile, TraceRun, TraceRuns};
use trajectory_metrics::{Probability, WeightSchedule};

use crate::{
    cut_off::settings::CutOffOptions,
    error::Error,
    traces::{calibrated::calibrated, settings::Calibration},
};

/// The complete and cut-off runs of one stream.
pub(super) struct Sample<'a> {
    pub(super) file: &'a str,
    all: &'a TraceRuns,
    /// The positions of these runs among all runs.
    kept: Vec<u32>,
    pub(super) stopped: Vec<Stopped<'a>>,
    pub(super) audit: TerminationAudit,
}

impl<'a> Sample<'a> {
    pub(super) fn new(stream: &'a TraceFile, options: &CutOffOptions) -> Result<Self, Error> {
        let mut audit = TerminationAudit::default();
        let all = stream.runs.len();
        let (mut kept, mut stopped) = (Vec::with_capacity(all), Vec::with_capacity(all));
        for run in 0..all {
            let mut stop = stream.runs.stopped(run)?;
            let parse_error = Exclusion::Stopped(StopReason::ParseError);
            if options.parse_errors_as_stops
                && stop.observation() == Observation::Excluded(&parse_error)
            {
                let (reason, cut_off) = (Some(StopReason::ParseError), |_: &_| StopClass::Censored);
                let horizon = stop.horizon();
                stop = Stopped::with_policy(stop.forecasts(), None, reason, cut_off)?
                    .with_horizon(horizon)?;
            }
            audit.update(&stop, Weight::ONE);
            if !matches!(stop.observation(), Observation::Excluded(_)) {
                kept.push(run as u32);
                stopped.push(stop);
            }
        }
        Ok(Self { file: &stream.file, all: &stream.runs, kept, stopped, audit })
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn run(&self, run: usize) -> TraceRun {
        self.all.run(self.kept[run] as usize)
    }

    pub(super) fn ids(&self) -> Vec<&'a str> {
        self.kept.iter().map(|&run| self.all.id(run as usize)).collect()
    }

    /// Returns the task of each run; a run without a task is a separate task.
    pub(super) fn tasks(&self) -> Vec<&'a str> {
        let names = self.kept.iter().map(|&run| self.all.names(run as usize));
        names.map(|(id, task)| task.unwrap_or(id)).collect()
    }

    /// Returns the continuations of each run, if there are some.
    pub(super) fn branches(&self, options: &CutOffOptions) -> Option<Vec<Continuations>> {
        let all = options.continuations.as_ref()?;
        let of_run = |id| all.get(id).copied().unwrap_or_default();
        Some(self.ids().into_iter().map(of_run).collect())
    }

    /// Returns the index of each run's task, with tasks in the order of their names.
    pub(super) fn clusters(&self) -> Vec<u32> {
        let tasks = self.tasks();
        let mut names = tasks.clone();
        names.sort_unstable();
        names.dedup();
        tasks.iter().map(|task| names.partition_point(|name| name < task) as u32).collect()
    }

    pub(super) fn outcome(&self, run: usize) -> Option<bool> {
        self.stopped[run].outcome()
    }

    pub(super) fn steps(&self, run: usize) -> usize {
        self.stopped[run].forecasts().len()
    }

    pub(super) fn cut_off(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&run| self.outcome(run).is_none())
    }

    /// Returns the values that identify a run across streams: name, outcome, steps and horizon.
    pub(super) fn identity(&self, run: usize) -> (&'a str, Option<bool>, usize, usize) {
        let stopped = &self.stopped[run];
        (
            self.all.id(self.kept[run] as usize),
            self.outcome(run),
            self.steps(run),
            stopped.horizon(),
        )
    }

    /// Returns whether two streams hold the same runs in the same order.
    pub(super) fn has_runs_of(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|run| self.identity(run) == other.identity(run))
    }

    /// Returns whether these probabilities are the last forecasts of all runs that were cut off.
    pub(super) fn says(&self, chances: &[Probability]) -> bool {
        self.cut_off().all(|run| self.stopped[run].forecasts().last() == Some(&chances[run]))
    }

    /// Returns the last step at which a run ended without being cut off; 0 if there is no such run.
    pub(super) fn last_end(&self) -> usize {
        let complete = (0..self.len()).filter(|&run| self.outcome(run).is_some());
        complete.map(|run| self.steps(run)).max().unwrap_or(0)
    }

    /// Returns the inverse-probability weights of the runs, by the step of their stop.
    pub(super) fn weights(&self, options: &CutOffOptions) -> Result<IpcwWeights, censoring::Error> {
        let stops = StopTimes::from_runs(&self.stopped, None)?;
        let curves = CensoringCurves::new(&stops, &self.curve_groups(options))?;
        IpcwWeights::new(&stops, |run| curves.of_run(run), f64::INFINITY)
    }

    /// Returns the group of each run for the curve of cut-offs; runs without a group form a separate one.
    pub(super) fn curve_groups<'g>(&self, options: &'g CutOffOptions) -> Vec<Option<&'g str>> {
        let groups = options.curve_groups.as_ref();
        let group = |id: &str| groups?.get(id).map(String::as_str);
        self.ids().into_iter().map(group).collect()
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
        let how = (options.calibration, options.calibrate_on);
        calibrated(&self.ids(), &self.stopped, how, schedule, notes).map(Some)
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
