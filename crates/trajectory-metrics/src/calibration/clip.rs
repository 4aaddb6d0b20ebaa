use scoring_rules::Probability;

use crate::{
    checks::setting,
    error::Error,
    logistic::{logit, sigmoid},
};

/// The least distance of a clipped forecast from 0 and 1. It keeps the log-odds finite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub(crate) struct Clip(f64);

impl Default for Clip {
    /// Returns the clip that the paper uses.
    fn default() -> Self {
        Self(1e-6)
    }
}

impl Clip {
    pub(crate) fn new(clip: f64) -> Result<Self, Error> {
        // 2^-53 is the least clip for which `1 - clip` is not 1.
        let is_valid = (f64::EPSILON / 2.0..0.5).contains(&clip);
        setting("clip", clip, is_valid, "at least 2^-53 and below 1/2")?;
        Ok(Self(clip))
    }

    /// The clipped forecast.
    pub(crate) fn forecast(self, forecast: Probability) -> f64 {
        forecast.get().clamp(self.0, 1.0 - self.0)
    }

    /// The log-odds of the clipped forecast.
    pub(crate) fn log_odds(self, forecast: Probability) -> f64 {
        logit(self.forecast(forecast))
    }

    /// The clipped probability with these log-odds, which must not be NaN.
    pub(crate) fn probability(self, log_odds: f64) -> Probability {
        let clipped = sigmoid(log_odds).clamp(self.0, 1.0 - self.0);
        // Only NaN could take the other arm.
        Probability::new(clipped).unwrap_or(Probability::HALF)
    }
}

#[cfg(feature = "serde")]
impl TryFrom<f64> for Clip {
    type Error = Error;

    fn try_from(clip: f64) -> Result<Self, Error> {
        Self::new(clip)
    }
}

#[cfg(feature = "serde")]
impl From<Clip> for f64 {
    fn from(Clip(clip): Clip) -> Self {
        clip
    }
}
