use censoring::{
    CalibratedRuns, CalibrationRuns, Folds, Observation, Probability, StopClass, Stopped,
    TerminationAudit, cross_fit_calibration,
};
use run_logs::TraceRun;
use trajectory_metrics::{Calibrator, Isotonic, Platt, PlattMap, Traces};

use crate::{
    error::Error,
    traces::settings::{Calibration, TraceOptions},
};

/// The traces that can be scored, forecasts as they are scored.
#[derive(Default)]
pub(crate) struct Sample<'a> {
    pub(crate) complete: Traces,
    pub(crate) complete_runs: Vec<&'a TraceRun>,
    pub(crate) censored: Vec<Censored<'a>>,
}

pub(crate) struct Censored<'a> {
    run: &'a TraceRun,
    forecasts: Vec<Probability>,
}

impl Censored<'_> {
    /// The run with its own stop and horizon, forecasts as they are scored.
    pub(crate) fn stopped(&self) -> Result<Stopped<'_>, Error> {
        Ok(self.run.stopped()?.with_forecasts(&self.forecasts)?)
    }
}

impl<'a> Sample<'a> {
    pub(crate) fn append(&mut self, other: Self) -> Result<(), Error> {
        for trace in other.complete.iter() {
            self.complete.push(trace.forecasts(), trace.outcome())?;
        }
        self.complete_runs.extend(other.complete_runs);
        self.censored.extend(other.censored);
        Ok(())
    }

    /// All runs, complete ones first.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a TraceRun> {
        self.complete_runs.iter().copied().chain(self.censored.iter().map(|censored| censored.run))
    }
}

/// Sorts out which runs of one file can be scored, and calibrates them.
pub(crate) fn prepare<'a>(
    runs: &'a [TraceRun],
    options: &TraceOptions,
    audit: &mut TerminationAudit,
    notes: &mut Vec<String>,
) -> Result<Sample<'a>, Error> {
    let (mut kept, mut stopped) = (Vec::new(), Vec::new());
    for run in runs {
        let stop = run.stopped()?;
        audit.update(&stop);
        if stop.class() != StopClass::Excluded {
            kept.push(run);
            stopped.push(stop);
        }
    }
    match options.calibration {
        Calibration::None => sort_out(&kept, &stopped),
        Calibration::Platt => {
            let fit = calibrate(&Platt::default(), &kept, &stopped, options)?;
            note_maps(fit.maps().iter().rev().zip(["A", "B"]), notes);
            sort_out(&kept, &fit.runs(&stopped)?)
        }
        Calibration::Isotonic => {
            let fit = calibrate(&Isotonic, &kept, &stopped, options)?;
            sort_out(&kept, &fit.runs(&stopped)?)
        }
    }
}

/// Splits complete and cut-off runs.
fn sort_out<'a>(runs: &[&'a TraceRun], stopped: &[Stopped<'_>]) -> Result<Sample<'a>, Error> {
    let mut sample = Sample::default();
    for (&run, stopped) in runs.iter().zip(stopped) {
        if let Observation::Complete(trace) = stopped.observation() {
            sample.complete.push(trace.forecasts(), trace.outcome())?;
            sample.complete_runs.push(run);
        } else {
            let forecasts = stopped.forecasts().to_vec();
            sample.censored.push(Censored { run, forecasts });
        }
    }
    Ok(sample)
}

/// Cross-fits on complete runs in two halves. Runs of each outcome, and cut-off runs, go to half A and
/// half B in turn, in the order of their ids. The map fitted on half B comes first.
fn calibrate<C: Calibrator>(
    calibrator: &C,
    runs: &[&TraceRun],
    stopped: &[Stopped<'_>],
    options: &TraceOptions,
) -> Result<CalibratedRuns<C::Map>, Error> {
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    let outcomes: Vec<Option<bool>> = stopped.iter().map(Stopped::outcome).collect();
    let folds = Folds::halves(&outcomes, &ids)?;
    let fitted_on = CalibrationRuns::Complete;
    Ok(cross_fit_calibration(calibrator, stopped, &folds, &options.schedule, fitted_on)?)
}

/// The same traces with one forecast everywhere.
pub(crate) fn constant<'a>(sample: &Sample<'a>, forecast: Probability) -> Sample<'a> {
    let flat = |censored: &Censored<'a>| Censored {
        run: censored.run,
        forecasts: vec![forecast; censored.forecasts.len()],
    };
    Sample {
        complete: sample.complete.map_forecasts(|_, _| forecast),
        complete_runs: sample.complete_runs.clone(),
        censored: sample.censored.iter().map(flat).collect(),
    }
}

/// Notes on maps of Platt scaling that are not as one would expect, each with the half that it was fitted on.
pub(crate) fn note_maps<'a>(
    maps: impl Iterator<Item = (&'a PlattMap, &'static str)>,
    notes: &mut Vec<String>,
) {
    for (map, half) in maps {
        if map.is_fallback() {
            notes.push(format!(
                "calibration: the slope fitted on half {half} was negative; its map is constant"
            ));
        }
        if map.is_degenerate() {
            notes.push(format!("calibration: half {half} has one forecast only"));
        }
    }
}
