use scoring_rules::{ExactSum, Probability};

use crate::{
    checks::same_length,
    error::Error,
    weighting::{ipcw::inverse, kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

/// The Brier loss of forecasts that a run has no outcome by a horizon, estimated from runs of which some
/// were cut off.
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
/// [`Error::ZeroSurvival`] with the first run whose G is 0; [`Error::Length`] unless there is one
/// forecast per run; [`Error::Setting`] unless the horizon is
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
    stops: &StopTimes<'_>,
    survival: impl Fn(usize) -> &'g KaplanMeier,
    horizon: f64,
) -> Result<f64, Error> {
    same_length("forecasts", stops.times().len(), forecasts.len())?;
    if !(0.0..f64::INFINITY).contains(&horizon) {
        return Err(Error::Setting {
            name: "horizon",
            value: horizon,
            range: "a finite number of at least 0",
        });
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weighting::stop_times::RunEnd;

    #[test]
    fn a_common_budget_may_be_the_horizon() {
        let stops = StopTimes::new(
            &[2.0, 30.0, 30.0],
            [RunEnd::Outcome, RunEnd::Outcome, RunEnd::CutOff],
            None,
        )
        .unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let forecasts = Probability::from_slice(&[0.5, 0.5, 0.0]).unwrap();
        let loss = ipcw_brier_loss(forecasts, &stops, |_| &g, 30.0).unwrap();
        assert_eq!(loss, (0.25 + 0.25 + 1.0) / 3.0);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let stops = StopTimes::new(&[2.0, 3.0], [RunEnd::CutOff, RunEnd::CutOff], None).unwrap();
        let g = KaplanMeier::censoring_curve(&stops);
        let p = [Probability::HALF; 2];
        for horizon in [-1.0, f64::INFINITY, f64::NAN] {
            let error = ipcw_brier_loss(&p, &stops, |_| &g, horizon).unwrap_err();
            assert!(error.to_string().starts_with("horizon is"), "{error}");
        }
        let error = ipcw_brier_loss(&p[1..], &stops, |_| &g, 1.0).unwrap_err();
        let length = Error::Length { what: "forecasts", expected: 2, found: 1 };
        assert_eq!(error, length);
        let later = StopTimes::new(&[4.0, 9.0], [RunEnd::CutOff, RunEnd::CutOff], None).unwrap();
        let error = ipcw_brier_loss(&p, &later, |_| &g, 5.0).unwrap_err();
        assert_eq!(error, Error::ZeroSurvival { run: 1, time: 5.0 });
    }
}
