use std::{fmt, str::FromStr};

use scoring_rules::{Probability, ScoringRule, StepWeights, Weight, checks::entry};

use crate::error::{Error, Shared};

/// The least positive [`Weight`].
const LEAST_WEIGHT: f64 = 1e-100;

/// The weights of the steps of a run: positive numbers that sum to 1 over the horizon T of the run.
///
/// Choose a schedule before scoring. A strictly proper rule stays strictly proper under each of them.
///
/// | schedule | weight of step t | emphasis |
/// |---|---|---|
/// | linear-front (default) | `2 (T - t + 1) / (T (T + 1))` | early warning |
/// | uniform | `1 / T` | all steps equally |
/// | exponential-front | `2^-(t-1) / (2 (1 - 2^-T))` | the first few steps |
/// | linear-back | `2 t / (T (T + 1))` | late confidence |
/// | custom | given weights, normalized over the first T | |
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 4.1 and appendix I.
///
/// ```
/// use trajectory_metrics::{Error, Weight, WeightSchedule};
///
/// assert_eq!(WeightSchedule::LinearFront.weights(3)?, [3.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0]);
/// let weights = Weight::from_slice(&[1.0, 1.0, 2.0])?;
/// assert_eq!(WeightSchedule::custom(weights)?.weights(2)?, [0.5, 0.5]);
/// assert_eq!("linear-back".parse::<WeightSchedule>()?, WeightSchedule::LinearBack);
/// assert_eq!(WeightSchedule::LinearBack.name(), "linear-back");
///
/// let error = WeightSchedule::custom(&[Weight::ONE, Weight::ZERO]).unwrap_err();
/// assert_eq!(error.to_string(), "custom weight 1 is 0; it must be positive");
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde`, a schedule is stored as its name, and a custom schedule as
/// `{"custom": [weights]}`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum WeightSchedule {
    /// The weights decrease linearly. The last weight is 1/T of the first.
    #[default]
    LinearFront,
    /// All weights are equal.
    Uniform,
    /// Each weight is half of the previous one.
    ExponentialFront,
    /// The weights increase linearly. The first weight is 1/T of the last.
    LinearBack,
    /// The weights are given, by [`WeightSchedule::custom`].
    Custom(CustomWeights),
}

/// A checked list of positive weights, one per step, made by [`WeightSchedule::custom`].
///
/// With the feature `serde`, it is stored as the list of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomWeights {
    pub(crate) weights: Vec<Weight>,
    /// Entry T is the sum of the first T weights.
    totals: Vec<f64>,
}

#[cfg(feature = "serde")]
impl serde::Serialize for CustomWeights {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.weights)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for CustomWeights {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let weights = <Vec<Weight> as serde::Deserialize>::deserialize(deserializer)?;
        match WeightSchedule::custom(&weights) {
            Ok(WeightSchedule::Custom(custom)) => Ok(custom),
            Ok(named) => Err(serde::de::Error::custom(named)),
            Err(error) => Err(serde::de::Error::custom(error)),
        }
    }
}

impl WeightSchedule {
    /// The schedules with fixed names, in the order of declaration.
    pub const NAMED: [Self; 4] =
        [Self::LinearFront, Self::Uniform, Self::ExponentialFront, Self::LinearBack];

    /// Creates a schedule with the given positive weights of steps 1, 2, 3, … A run of horizon T uses the first T
    /// weights, normalized. Scoring a run that is longer than the list is an error.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Entry`] with the first weight that is 0, because the forecast of a
    /// step without weight would have no effect on the score.
    pub fn custom(weights: &[Weight]) -> Result<Self, Error> {
        if let Some(index) = weights.iter().position(|&weight| weight == Weight::ZERO) {
            return Err(entry("custom weight", index, 0.0, "positive").into());
        }
        let mut total = scoring_rules::CompensatedSum::default();
        let mut totals = vec![0.0];
        for weight in weights {
            total.add(weight.get());
            totals.push(total.value());
        }
        Ok(Self::Custom(CustomWeights { weights: weights.to_vec(), totals }))
    }

    /// Returns the normalized weights of a run of the given horizon.
    ///
    /// # Errors
    ///
    /// [`Error::HorizonTooLong`] above 2^32 - 1 steps; [`Error::ScheduleTooShort`] if there are fewer
    /// custom weights than steps.
    pub fn weights(&self, horizon: usize) -> Result<Vec<f64>, Error> {
        let total = self.total(horizon)?;
        Ok((0..horizon).map(|i| self.raw(i, horizon) / total).collect())
    }

    /// Checks that `horizon` is from 1 to 2^32 - 1 and at least `steps`.
    ///
    /// # Errors
    ///
    /// [`Error::Horizon`] if `steps` is larger; [`Error::HorizonTooLong`] or [`scoring_rules::Error::Empty`] for
    /// another horizon.
    #[doc(hidden)]
    pub fn check_horizon(steps: usize, horizon: usize) -> Result<(), Error> {
        if steps > horizon {
            Err(Error::Horizon { horizon, steps })
        } else if horizon == 0 {
            Err(Shared::Empty.into())
        } else if horizon as u64 > u64::from(u32::MAX) {
            Err(Error::HorizonTooLong { horizon })
        } else {
            Ok(())
        }
    }

    /// Returns the weights of the first `steps` steps of a run with the given horizon, as weights of rows. A weight
    /// below 1e-100, the smallest positive weight that a row can have, becomes 0; [`Self::ExponentialFront`] has such
    /// weights after step 332.
    ///
    /// # Errors
    ///
    /// The errors of [`WeightSchedule::weights`].
    #[doc(hidden)]
    pub fn row_weights(&self, steps: usize, horizon: usize) -> Result<Vec<Weight>, Error> {
        let weight =
            |value| if value < LEAST_WEIGHT { Ok(Weight::ZERO) } else { Weight::new(value) };
        let total = self.total(horizon)?;
        let weights = (0..steps.min(horizon)).map(|i| weight(self.raw(i, horizon) / total));
        Ok(weights.collect::<Result<_, _>>()?)
    }

    /// Returns the name that reports and command lines use.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::LinearFront => "linear-front",
            Self::Uniform => "uniform",
            Self::ExponentialFront => "exponential-front",
            Self::LinearBack => "linear-back",
            Self::Custom(_) => "custom",
        }
    }

    /// Weight of step `i + 1` before normalization.
    pub(crate) fn raw(&self, i: usize, horizon: usize) -> f64 {
        match self {
            Self::LinearFront => (horizon - i) as f64,
            Self::Uniform => 1.0,
            Self::ExponentialFront => power_of_half(i),
            Self::LinearBack => (i + 1) as f64,
            Self::Custom(custom) => custom.weights[i].get(),
        }
    }

    /// Sum of all weights under the given horizon before normalization.
    #[inline]
    pub(crate) fn total(&self, horizon: usize) -> Result<f64, Error> {
        if horizon as u64 > u64::from(u32::MAX) {
            return Err(Error::HorizonTooLong { horizon });
        }
        match self {
            Self::LinearFront => Ok(StepWeights::Falling.total(horizon)),
            Self::Uniform => Ok(StepWeights::Equal.total(horizon)),
            Self::LinearBack => Ok(StepWeights::Rising.total(horizon)),
            Self::ExponentialFront => Ok(2.0 - 2.0 * 0.5_f64.powi(horizon.min(2_000) as i32)),
            Self::Custom(custom) => custom
                .totals
                .get(horizon)
                .copied()
                .ok_or(Error::ScheduleTooShort { horizon, weights: custom.weights.len() }),
        }
    }

    /// Sum of normalized weight times score over `steps`, the first steps of a run of the given
    /// horizon.
    #[inline]
    pub(crate) fn sum<R: ScoringRule + ?Sized>(
        &self,
        rule: &R,
        steps: &[Probability],
        outcome: bool,
        horizon: usize,
    ) -> Result<f64, Error> {
        let total = self.total(horizon)?;
        let sum = match self.step_weights() {
            Some(weights) => {
                let sum = rule.weighted_sum(steps, outcome, weights);
                if weights == StepWeights::Falling && steps.len() < horizon {
                    // In a longer run, every weight is larger by the number of missing steps.
                    let beyond = (horizon - steps.len()) as f64;
                    sum + beyond * rule.weighted_sum(steps, outcome, StepWeights::Equal)
                } else {
                    sum
                }
            }
            None => {
                let mut sum = scoring_rules::CompensatedSum::default();
                let mut halved = 1.0;
                for (i, &step) in steps.iter().enumerate() {
                    let weight = match self {
                        Self::Custom(custom) => custom.weights[i].get(),
                        _ => halved,
                    };
                    sum.add(weigh(weight, rule.score(step, outcome)));
                    halved *= 0.5;
                }
                sum.value()
            }
        };
        Ok(sum / total)
    }

    /// The weights of a whole run before normalization, if they are small integers.
    pub(crate) const fn step_weights(&self) -> Option<StepWeights> {
        match self {
            Self::LinearFront => Some(StepWeights::Falling),
            Self::Uniform => Some(StepWeights::Equal),
            Self::LinearBack => Some(StepWeights::Rising),
            Self::ExponentialFront | Self::Custom(_) => None,
        }
    }
}

/// `2^-i`, by its bits; 0 if it is below the smallest number.
fn power_of_half(i: usize) -> f64 {
    f64::from_bits(match i {
        0..=1022 => (1023 - i as u64) << 52,
        1023..=1074 => 1 << (1074 - i),
        _ => 0,
    })
}

/// `weight * score` for a positive weight that may have underflowed to zero: an infinite score stays
/// infinite.
#[inline]
pub(crate) fn weigh(weight: f64, score: f64) -> f64 {
    if score.is_infinite() { score } else { weight * score }
}

impl fmt::Display for WeightSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for WeightSchedule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = Self::NAMED.into_iter().find(|schedule| schedule.name() == name);
        named.ok_or_else(|| Error::UnknownName {
            what: "weight schedule",
            name: name.to_owned(),
            known: "linear-front, uniform, exponential-front and linear-back",
        })
    }
}

#[cfg(test)]
mod tests;
