use std::f64::consts::FRAC_PI_2;

use scoring_rules::Level;

use super::online_calibrator::misses;
#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    calibration::online_calibrator::OnlineCalibrator,
    checks::{MOST, positive, setting},
    error::Error,
};

scoring_rules::checked! {
    /// Conformal PID control: the margin follows the misses directly, and no scores are stored.
    ///
    /// Let a = 1 - coverage, N the number of scores so far, and E the number of misses so far minus a N.
    /// The margin is `q + r`: the tracked quantile q moves by `step (miss - a)` for each score, and the
    /// integrator is `r = gain tan(E ln(N + 1) / (saturation N))`, which is infinite if the argument of
    /// the tangent is beyond a right angle. The third term of the control, a forecast of the score, is
    /// left to the calibrated estimator. The margin moves once per run, by the sum over its prefixes.
    ///
    /// Step and gain are in units of the margin; for a relative margin, 0.02 is a reasonable step.
    ///
    /// **Guarantee**, for any sequence of scores with at most m per run: without an integrator, and with
    /// scores within [-b, b], the share of misses among N scores differs from a by at most
    /// `(b + |first margin| + step m) / (step N)`. With an integrator, and any scores, it differs by at
    /// most `(saturation pi / 2) / ln(N + 1) + m / N`.
    ///
    /// Takes O(1) memory.
    ///
    /// ```
    /// use budget_estimation::{ConformalPid, Error, Level, OnlineCalibrator};
    ///
    /// let mut calibrator = ConformalPid::new(Level::new(0.8)?, 1.0, 0.5)?;
    /// calibrator.update(&[3.0]);
    /// assert!((calibrator.margin() - (1.0 + 0.5 * 0.8)).abs() < 1e-15);
    /// calibrator.update(&[1.0]);
    /// assert!((calibrator.margin() - (1.0 + 0.5 * 0.6)).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Angelopoulos, Candès, Tibshirani (2023), Conformal PID control for time series
    /// prediction, NeurIPS, propositions 1 and 2.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ConformalPid {
        coverage: Level,
        step: f64,
        integrator: Option<Integrator>,
        tracked: f64,
        scores: f64,
        /// Misses so far minus their expected number.
        excess: f64,
    }
    check: Self::check
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Integrator {
    gain: f64,
    saturation: f64,
}

impl ConformalPid {
    /// A calibrator with a first margin and without an integrator.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the margin is from -1e100 to 1e100, and the step above 0 and at most
    /// 1e100.
    pub fn new(coverage: Level, first_margin: f64, step: f64) -> Result<Self, Error> {
        let valid = (-MOST..=MOST).contains(&first_margin);
        setting("first margin", first_margin, valid, "from -1e100 to 1e100")?;
        positive("step", step)?;
        let (scores, excess) = (0.0, 0.0);
        Ok(Self { coverage, step, integrator: None, tracked: first_margin, scores, excess })
    }

    /// Adds the integrator.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless both are above 0 and at most 1e100.
    pub fn with_integrator(mut self, gain: f64, saturation: f64) -> Result<Self, Error> {
        positive("gain", gain)?;
        positive("saturation", saturation)?;
        self.integrator = Some(Integrator { gain, saturation });
        Ok(self)
    }
}

impl OnlineCalibrator for ConformalPid {
    fn margin(&self) -> f64 {
        let Some(Integrator { gain, saturation }) = self.integrator else { return self.tracked };
        if self.scores == 0.0 {
            return self.tracked;
        }
        let angle = self.excess * (self.scores + 1.0).ln() / (saturation * self.scores);
        if angle >= FRAC_PI_2 {
            f64::INFINITY
        } else if angle <= -FRAC_PI_2 {
            f64::NEG_INFINITY
        } else {
            self.tracked + gain * angle.tan()
        }
    }

    fn update(&mut self, scores: &[f64]) {
        let n = scores.len() as f64;
        let excess = misses(scores, self.margin()) as f64 - (1.0 - self.coverage.get()) * n;
        self.tracked += self.step * excess;
        self.scores += n;
        self.excess += excess;
    }
}

#[cfg(feature = "serde")]
impl ConformalPid {
    fn check(&self) -> Result<(), Error> {
        stored(self.tracked.is_finite(), "the tracked margin must be finite")?;
        let whole = (0.0..=1e300).contains(&self.scores) && self.scores.fract() == 0.0;
        stored(whole, "the number of scores must be whole")?;
        let valid = self.excess.abs() <= self.scores;
        stored(valid, "the excess of misses must be at most the number of scores")?;
        let settings = Self::new(self.coverage, 0.0, self.step)?;
        if let Some(Integrator { gain, saturation }) = self.integrator {
            settings.with_integrator(gain, saturation)?;
        }
        Ok(())
    }
}
