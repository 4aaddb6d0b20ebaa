use crate::error::Error;

/// A number that happened, or the cap at which watching it stopped.
///
/// A run of 40 turns that had ended by turn 12 is `under_cap(12.0, 40.0)`: seen exactly. A run
/// stopped at turn 40 is `under_cap(40.0, 40.0)`: cut off, its true length is at least 40. Where
/// nothing could have cut it off, [`Observed::exact`] says so.
///
/// # Why every row carries its cap
///
/// A loss of an outcome that can be cut off is proper only where the forecast is cut off at the
/// same cap, on *every* row, the cut-off ones and the others alike. So the losses of this crate
/// replace the forecast f and the outcome y by `min(f, cap)` and `min(y, cap)` before they compare
/// them. Then no report is expected to lose less than the honest one, whatever the caps. (Powell's
/// censored quantiles; for the CRPS, a threshold-weighted CRPS with no weight above the cap.)
///
/// - **The naive mix is not proper**: a plain loss on the rows seen exactly and a capped loss on
///   the cut-off rows only, as in the survival CRPS. On the rows seen exactly it charges a forecast
///   for what lies above the cap, and nothing on a cut-off row pays that back. Who honestly says
///   that half of all runs go on for very long loses to who says they end at the cap. It is what
///   comes out where `exact` is used for a row that had a cap.
/// - **Proper, not strictly**: all reports above the cap tie, as nothing was seen there.
/// - The cap must be known on every row, and must tell nothing about the outcome that the
///   forecaster was not told: a budget set beforehand is fine, an operator who stops the runs that
///   look hopeless is not.
///
/// References: Powell (1986), Censored regression quantiles, doi:10.1016/0304-4076(86)90016-3;
/// Gneiting and Ranjan (2011), Comparing density forecasts using threshold- and quantile-weighted
/// scoring rules, doi:10.1198/jbes.2010.08110. The naive mix: Avati and others (2019), Countdown
/// regression: sharp and calibrated survival predictions; that it is not proper: Rindt and others
/// (2022), Survival regression with proper scoring rules and monotonic neural networks.
///
/// ```
/// use scoring_rules::{Error, Level, Observed, pinball_loss};
///
/// let ended = Observed::under_cap(12.0, 40.0)?;
/// let stopped = Observed::under_cap(40.0, 40.0)?;
/// assert!(!ended.is_censored() && stopped.is_censored());
/// assert_eq!((ended.value(), ended.cap()), (12.0, Some(40.0)));
/// assert_eq!(Observed::exact(12.0)?.cap(), None);
///
/// // Above the cap it makes no difference what was forecast.
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
    value: f64,
    /// Plus infinity where there is none.
    cap: f64,
}

// Neither the value nor the cap is a NaN.
impl Eq for Observed {}

impl Observed {
    /// An outcome that nothing could have cut off.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for a NaN and for an infinite outcome.
    pub const fn exact(value: f64) -> Result<Self, Error> {
        if value.is_finite() {
            Ok(Self { value, cap: f64::INFINITY })
        } else {
            Err(Error::NotFinite { what: "the outcome", value })
        }
    }

    /// An outcome watched up to a cap: below the cap it was seen exactly, at the cap it is at least
    /// the cap.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for an outcome or a cap that is a NaN or infinite;
    /// [`Error::Setting`] for an outcome above its cap.
    pub const fn under_cap(value: f64, cap: f64) -> Result<Self, Error> {
        if !value.is_finite() {
            return Err(Error::NotFinite { what: "the outcome", value });
        }
        if !cap.is_finite() {
            return Err(Error::NotFinite { what: "the cap", value: cap });
        }
        if value > cap {
            return Err(Error::Setting {
                name: "outcome",
                value,
                range: "at most the cap it was watched up to",
            });
        }
        Ok(Self { value, cap })
    }

    /// What was seen: the outcome, or the cap where it was cut off.
    #[must_use]
    #[inline]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// How far it was watched, where there was a limit.
    #[must_use]
    pub const fn cap(self) -> Option<f64> {
        if self.cap.is_finite() { Some(self.cap) } else { None }
    }

    /// Whether the outcome reached its cap, so that only "at least this much" is known.
    #[must_use]
    pub const fn is_censored(self) -> bool {
        self.value == self.cap
    }

    /// A forecast as far as this outcome can tell of it.
    #[inline]
    pub(crate) fn capped(self, forecast: f64) -> f64 {
        forecast.min(self.cap)
    }
}

impl TryFrom<(f64, Option<f64>)> for Observed {
    type Error = Error;

    fn try_from((value, cap): (f64, Option<f64>)) -> Result<Self, Error> {
        match cap {
            Some(cap) => Self::under_cap(value, cap),
            None => Self::exact(value),
        }
    }
}

impl From<Observed> for (f64, Option<f64>) {
    fn from(observed: Observed) -> Self {
        (observed.value, observed.cap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_above_its_cap_or_not_finite_is_refused() {
        assert!(matches!(
            Observed::under_cap(5.0, 4.0),
            Err(Error::Setting { name: "outcome", value: 5.0, .. })
        ));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let refused =
                |result, name| matches!(result, Err(Error::NotFinite { what, .. }) if what == name);
            assert!(refused(Observed::exact(bad), "the outcome"));
            assert!(refused(Observed::under_cap(bad, 4.0), "the outcome"));
            assert!(refused(Observed::under_cap(4.0, bad), "the cap"));
        }
    }

    #[test]
    fn an_outcome_is_cut_off_only_at_its_cap() {
        let at = Observed::under_cap(4.0, 4.0).unwrap();
        let below = Observed::under_cap(3.0, 4.0).unwrap();
        let free = Observed::exact(4.0).unwrap();
        assert_eq!([at, below, free].map(Observed::is_censored), [true, false, false]);
        assert_eq!([at, below, free].map(Observed::cap), [Some(4.0), Some(4.0), None]);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_goes_through_the_same_door() {
        let read = |text| serde_json::from_str::<Observed>(text);
        assert_eq!(read("[3.0, 4.0]").unwrap(), Observed::under_cap(3.0, 4.0).unwrap());
        assert_eq!(read("[3.0, null]").unwrap(), Observed::exact(3.0).unwrap());
        let message = read("[5.0, 4.0]").unwrap_err().to_string();
        assert!(message.contains("it must be at most the cap"), "{message}");
        let exact = Observed::exact(3.0).unwrap();
        assert_eq!(serde_json::to_string(&exact).unwrap(), "[3.0,null]");
    }
}
