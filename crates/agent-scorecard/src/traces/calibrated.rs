use censoring::{CalibratedRuns, CalibrationRuns, Folds, Stopped};
use trajectory_metrics::{
    CalibrationMap, Calibrator, Isotonic, Platt, PlattMap, Probability, WeightSchedule,
};

use crate::{error::Error, traces::settings::Calibration};

/// Returns the calibrated forecasts of the runs of one stream, which have these ids. Adds notes on unusual maps.
pub(crate) fn calibrated(
    ids: &[&str],
    runs: &[Stopped<'_>],
    (calibration, fitted_on): (Calibration, CalibrationRuns),
    schedule: &WeightSchedule,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<Probability>>, Error> {
    let how = (schedule, fitted_on);
    match calibration {
        Calibration::None => Ok(runs.iter().map(|run| run.forecasts().to_vec()).collect()),
        Calibration::Platt => {
            let fit = calibrate(&Platt::default(), ids, runs, how)?;
            note_maps(fit.maps.iter().rev().zip(["A", "B"]), notes);
            Ok(fit.forecasts)
        }
        Calibration::Isotonic => Ok(calibrate(&Isotonic, ids, runs, how)?.forecasts),
    }
}

/// Cross-fits a calibrator in two halves. Runs of each outcome, and cut-off runs, go to half A and half B in turn, in
/// the order of their ids. The map fitted on half B comes first.
fn calibrate<C: Calibrator>(
    calibrator: &C,
    ids: &[&str],
    runs: &[Stopped<'_>],
    (schedule, fitted_on): (&WeightSchedule, CalibrationRuns),
) -> Result<CalibratedRuns<C::Map>, Error> {
    let outcomes: Vec<Option<bool>> = runs.iter().map(Stopped::outcome).collect();
    let folds = Folds::new(&outcomes, ids, 2)?;
    Ok(CalibratedRuns::cross_fit(calibrator, runs, &folds, schedule, fitted_on)?)
}

/// Adds notes on unusual maps of Platt scaling, each with the half on which it was fitted.
pub(crate) fn note_maps<'a>(
    maps: impl Iterator<Item = (&'a PlattMap, &'static str)>,
    notes: &mut Vec<String>,
) {
    for (map, half) in maps {
        if map.is_fallback() {
            notes.push(format!(
                "calibration: the slope fitted on half {half} was negative, so the map fitted on it is constant"
            ));
        }
        if map.is_degenerate() {
            notes.push(format!("calibration: all forecasts of half {half} are the same"));
        }
    }
}
