use scoring_rules::{
    ExactSum, Probability,
    checks::{same_length, setting},
};

use crate::{
    error::Error,
    weighting::{ipcw::inverse, kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

/// Returns the Brier loss of forecasts that a run has no outcome by a horizon, estimated from runs with cut-offs
/// among them.
///
/// ```text
/// sum of c_i w_i (forecast_i - y_i)^2 / sum of c_i
/// y_i = 0, w_i = 1 / G(Z_i-)  where the outcome came at Z_i <= horizon
/// y_i = 1, w_i = 1 / G(horizon-)  where the run stopped after the horizon, or was cut off at it
///          w_i = 0  where the run was cut off before the horizon: y_i is unknown
/// ```
///
/// `c_i` is the weight of the run, and `survival` returns the curve G of the run at a position. Lower is
/// better. If G is correct, the loss has the same expectation as without cut-offs, so it is proper. It
/// is at least 0, and exceeds 1 only with large weights.
///
/// A run that was cut off at the horizon itself has no outcome by then and counts, so a common budget
/// can be the horizon. Some tools, such as scikit-survival, leave such runs out and use G without the
/// left limit. Their results are the same unless a cut-off shares a time with an outcome or with the
/// horizon; then G(Z) is smaller than the probability of observing an outcome at Z, and their weights
/// are too large.
///
/// Reference: Graf, Schmoor, Sauerbrei and Schumacher (1999), Assessment and comparison of
/// prognostic classification schemes for survival data,
/// doi:10.1002/(SICI)1097-0258(19990915/30)18:17/18<2529::AID-SIM274>3.0.CO;2-5.
///
/// # Errors
///
/// [`Error::ZeroSurvival`] with the first run whose G is 0; [`scoring_rules::Error::Length`] unless there is one
/// forecast per run; [`scoring_rules::Error::Setting`] unless the horizon is
/// finite and at least 0.
///
/// ```
/// use censoring::{Error, KaplanMeier, Probability, RunEnd, StopTimes, ipcw_brier_loss};
///
/// let ends = [RunEnd::Outcome, RunEnd::CutOff, RunEnd::Outcome, RunEnd::CutOff];
/// let stops = StopTimes::new(&[1.0, 2.0, 3.0, 5.0], ends, None)?;
/// let g = KaplanMeier::censoring_curve(&stops);
/// let forecasts = Probability::from_slice(&[0.0, 0.3, 0.5, 0.5])?;
/// // One of the three runs that reached 2 was cut off. The other two have a weight of 3/2.
/// let loss = ipcw_brier_loss(forecasts, &stops, |_| &g, 4.0)?;
/// assert!((loss - (0.0 + 1.5 * 0.25 + 1.5 * 0.25) / 4.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn ipcw_brier_loss<'g>(
    forecasts: &[Probability],
    stops: &StopTimes,
    survival: impl Fn(usize) -> &'g KaplanMeier,
    horizon: f64,
) -> Result<f64, Error> {
    same_length("forecasts", stops.times().len(), forecasts.len())?;
    let is_valid = (0.0..f64::INFINITY).contains(&horizon);
    setting("horizon", horizon, is_valid, "a finite number of at least 0")?;
    let mut sum = ExactSum::default();
    for stop in stops.iter() {
        if stop.censored && stop.time < horizon {
            continue;
        }
        let known_at = stop.time.min(horizon);
        let weight = inverse(survival(stop.run).before(known_at), stop.run, known_at)?;
        let goes_on = stop.censored || stop.time > horizon;
        let error = forecasts[stop.run].get() - f64::from(goes_on);
        sum.add_product(stop.weight, weight * error.powi(2));
    }
    Ok(sum.value() / stops.total())
}
