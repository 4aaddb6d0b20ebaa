use censoring::{CalibratedRuns, CalibrationRuns, Folds, Stopped};
use trajectory_metrics::{Calibrator, Isotonic, Platt, PlattMap, Probability};

use crate::{
    error::Error,
    traces::settings::{Calibration, TraceOptions},
};

/// The calibrated forecasts of the runs of one stream, which have these ids. Notes are added on maps that are
/// not as one would expect.
pub(crate) fn calibrated(
    ids: &[&str],
    runs: &[Stopped<'_>],
    options: &TraceOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<Probability>>, Error> {
    match options.calibration {
        Calibration::None => Ok(runs.iter().map(|run| run.forecasts().to_vec()).collect()),
        Calibration::Platt => {
            let fit = calibrate(&Platt::default(), ids, runs, options)?;
            note_maps(fit.maps().iter().rev().zip(["A", "B"]), notes);
            Ok(fit.forecasts().to_vec())
        }
        Calibration::Isotonic => Ok(calibrate(&Isotonic, ids, runs, options)?.forecasts().to_vec()),
    }
}

/// Cross-fits on complete runs in two halves. Runs of each outcome, and cut-off runs, go to half A and
/// half B in turn, in the order of their ids. The map fitted on half B comes first.
fn calibrate<C: Calibrator>(
    calibrator: &C,
    ids: &[&str],
    runs: &[Stopped<'_>],
    options: &TraceOptions,
) -> Result<CalibratedRuns<C::Map>, Error> {
    let outcomes: Vec<Option<bool>> = runs.iter().map(Stopped::outcome).collect();
    let folds = Folds::halves(&outcomes, ids)?;
    let fitted_on = CalibrationRuns::Complete;
    Ok(CalibratedRuns::cross_fit(calibrator, runs, &folds, &options.schedule, fitted_on)?)
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
