use crate::error::Error;

/// An observed number, which may be censored by a cap: if it equals its cap, the true number is at least the cap.
///
/// Consider runs that are stopped after 40 turns. A run that ended by itself after 12 turns is
/// `capped(12.0, 40.0)`, and its length is known. A run that was stopped is `capped(40.0, 40.0)`:
/// it is censored, and its true length is at least 40. A number without a cap is
/// [`Observed::exact`].
///
/// # Why every row needs its cap
///
/// A loss for outcomes that may be censored is proper only if the forecast is cut off at the same
/// cap as the outcome, on *every* row, whether it is censored or not. The losses of this crate
/// therefore replace the forecast f and the outcome y by `min(f, cap)` and `min(y, cap)` before
/// they compare them. Then no report has a smaller expected loss than the true belief, for any
/// caps. For quantiles this is Powell's censored quantile regression; for the CRPS it is a
/// threshold-weighted CRPS without weight above the cap.
///
/// - **Applying the cap to censored rows only is not proper**, although the survival CRPS does so.
///   On the other rows a forecast is charged for the probability that it puts above the cap, and no
///   censored row compensates for this charge. Suppose that half of the runs are very long. A
///   forecaster who reports this correctly then has a larger loss than a forecaster who reports
///   that these runs end at the cap. The same happens if `exact` is used for rows that have a cap.
/// - **The losses are proper but not strictly proper**: reports above the cap have equal losses,
///   because nothing is observed there.
/// - The cap must be known on every row, and must carry no information about the outcome that the
///   forecaster did not have. A budget that is set beforehand satisfies this; an operator who stops
///   runs that look hopeless does not.
///
/// References: Powell (1986), Censored regression quantiles, doi:10.1016/0304-4076(86)90016-3;
/// Gneiting and Ranjan (2011), Comparing density forecasts using threshold- and quantile-weighted
/// scoring rules, doi:10.1198/jbes.2010.08110. The survival CRPS: Avati and others (2019),
/// Countdown regression: sharp and calibrated survival predictions. Proof that it is not proper:
/// Rindt and others (2022), Survival regression with proper scoring rules and monotonic neural
/// networks.
///
/// In JSON an observed number is the list `[value, cap]`; the cap is `null` for a number without a cap.
///
/// ```
/// use scoring_rules::{Error, Level, Observed, pinball_loss};
///
/// let ended = Observed::capped(12.0, 40.0)?;
/// let stopped = Observed::capped(40.0, 40.0)?;
/// assert_eq!(<(f64, Option<f64>)>::from(ended), (12.0, Some(40.0)));
///
/// // Forecasts above the cap have equal losses.
/// for forecast in [40.0, 90.0] {
///     assert_eq!(pinball_loss(forecast, stopped, Level::HALF)?, 0.0);
///     assert_eq!(pinball_loss(forecast, ended, Level::HALF)?, 14.0);
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(f64, Option<f64>)", into = "(f64, Option<f64>)"))]
pub struct Observed {
    /// The outcome, or the cap if the outcome is censored.
    pub(crate) value: f64,
    /// The cap; infinite for a number without a cap.
    cap: f64,
}

// Neither the value nor the cap is NaN.
impl Eq for Observed {}

impl Observed {
    /// Creates an outcome without a cap.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the outcome is NaN or infinite.
    pub const fn exact(value: f64) -> Result<Self, Error> {
        if value.is_finite() {
            Ok(Self { value, cap: f64::INFINITY })
        } else {
            Err(Error::NotFinite { what: "the outcome", value })
        }
    }

    /// Creates an outcome with a cap. An outcome equal to the cap is censored.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the outcome or the cap is NaN or infinite; [`Error::Setting`] if the
    /// outcome is above the cap.
    pub const fn capped(value: f64, cap: f64) -> Result<Self, Error> {
        if !value.is_finite() {
            return Err(Error::NotFinite { what: "the outcome", value });
        }
        if !cap.is_finite() {
            return Err(Error::NotFinite { what: "the cap", value: cap });
        }
        if value > cap {
            return Err(Error::Setting { name: "outcome", value, range: "at most its cap" });
        }
        Ok(Self { value, cap })
    }

    /// The smaller of a forecast and the cap.
    #[inline]
    pub(crate) fn cut_off(self, forecast: f64) -> f64 {
        forecast.min(self.cap)
    }
}

impl TryFrom<(f64, Option<f64>)> for Observed {
    type Error = Error;

    fn try_from((value, cap): (f64, Option<f64>)) -> Result<Self, Error> {
        match cap {
            Some(cap) => Self::capped(value, cap),
            None => Self::exact(value),
        }
    }
}

impl From<Observed> for (f64, Option<f64>) {
    fn from(observed: Observed) -> Self {
        (observed.value, Some(observed.cap).filter(|cap| cap.is_finite()))
    }
}
