use std::{fmt, str::FromStr};

use scoring_rules::{Probability, ScoringRule, loops::StepWeights};

use crate::error::Error;

/// How much each step of a run counts: positive weights that sum to one over the run's horizon T.
///
/// Choose before scoring. A strictly proper rule stays strictly proper under any of them.
///
/// | schedule | weight of step t | stresses |
/// |---|---|---|
/// | linear-front (default) | `2 (T - t + 1) / (T (T + 1))` | early warning |
/// | uniform | `1 / T` | every step alike |
/// | exponential-front | `2^-(t-1) / (2 (1 - 2^-T))` | the first few steps |
/// | linear-back | `2 t / (T (T + 1))` | late confidence |
/// | custom | your own, normalised over the first T | |
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 4.1 and appendix I.
///
/// ```
/// use trajectory_metrics::{Error, WeightSchedule};
///
/// assert_eq!(WeightSchedule::LinearFront.weights(3)?, [3.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0]);
/// assert_eq!(WeightSchedule::custom(&[1.0, 1.0, 2.0])?.weights(2)?, [0.5, 0.5]);
/// assert_eq!("linear-back".parse::<WeightSchedule>()?, WeightSchedule::LinearBack);
/// assert_eq!(WeightSchedule::LinearBack.name(), "linear-back");
///
/// let error = WeightSchedule::custom(&[1.0, 0.0]).unwrap_err();
/// assert_eq!(error, Error::StepWeight { step: 2, value: 0.0 });
/// # Ok::<(), Error>(())
/// ```
///
/// Stored with the feature `serde` as its name, a custom one as `{"custom": [its weights]}`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredSchedule", into = "StoredSchedule"))]
#[non_exhaustive]
pub enum WeightSchedule {
    /// Falls linearly to 1/T of the first weight.
    #[default]
    LinearFront,
    /// The same for every step.
    Uniform,
    /// Halves at every step.
    ExponentialFront,
    /// Rises linearly from 1/T of the last weight.
    LinearBack,
    /// Your own, from [`WeightSchedule::custom`].
    Custom(CustomWeights),
}

/// Positive weights, checked once.
///
/// ```
/// use trajectory_metrics::{Error, WeightSchedule};
///
/// let schedule = WeightSchedule::custom(&[2.0, 1.0])?;
/// let reach = |schedule: &WeightSchedule| match schedule {
///     WeightSchedule::Custom(weights) if !weights.is_empty() => Some(weights.len()),
///     _ => None,
/// };
/// assert_eq!(reach(&schedule), Some(2));
/// # Ok::<(), Error>(())
/// ```
///
/// Stored with the feature `serde` as the list of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomWeights {
    weights: Vec<f64>,
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
        let weights = <Vec<f64> as serde::Deserialize>::deserialize(deserializer)?;
        match WeightSchedule::custom(&weights) {
            Ok(WeightSchedule::Custom(custom)) => Ok(custom),
            Ok(named) => Err(serde::de::Error::custom(named)),
            Err(error) => Err(serde::de::Error::custom(error)),
        }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged)]
enum StoredSchedule {
    Named(String),
    Custom(StoredWeights),
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct StoredWeights {
    custom: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredSchedule> for WeightSchedule {
    type Error = Error;

    fn try_from(stored: StoredSchedule) -> Result<Self, Error> {
        match stored {
            StoredSchedule::Named(name) => name.parse(),
            StoredSchedule::Custom(StoredWeights { custom }) => Self::custom(&custom),
        }
    }
}

#[cfg(feature = "serde")]
impl From<WeightSchedule> for StoredSchedule {
    fn from(schedule: WeightSchedule) -> Self {
        match schedule {
            WeightSchedule::Custom(CustomWeights { weights, .. }) => {
                Self::Custom(StoredWeights { custom: weights })
            }
            named => Self::Named(named.name().to_owned()),
        }
    }
}

impl CustomWeights {
    /// The longest horizon that the weights reach.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no weight at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }
}

impl WeightSchedule {
    /// The schedules that have a name, in the order of the table above.
    pub const NAMED: [Self; 4] =
        [Self::LinearFront, Self::Uniform, Self::ExponentialFront, Self::LinearBack];

    /// A schedule from positive weights of steps 1, 2, 3, … A run of horizon T uses the first T of
    /// them, normalised; a longer run than there are weights is an error when it is scored.
    ///
    /// # Errors
    ///
    /// [`Error::StepWeight`] with the first weight that is not from 1e-100 to 1e100.
    pub fn custom(weights: &[f64]) -> Result<Self, Error> {
        let mut total = scoring_rules::CompensatedSum::default();
        let mut totals = vec![0.0];
        for (i, &value) in weights.iter().enumerate() {
            // A NaN is in no range. Within this one no sum or quotient leaves that of a number.
            if !(1e-100..=1e100).contains(&value) {
                return Err(Error::StepWeight { step: i + 1, value });
            }
            total.add(value);
            totals.push(total.value());
        }
        Ok(Self::Custom(CustomWeights { weights: weights.to_vec(), totals }))
    }

    /// The normalised weights of a run of the given horizon.
    ///
    /// # Errors
    ///
    /// [`Error::HorizonTooLong`] above 2^32 - 1 steps;
    /// [`Error::ScheduleTooShort`] where a custom schedule does not reach that far.
    pub fn weights(&self, horizon: usize) -> Result<Vec<f64>, Error> {
        let total = self.total(horizon)?;
        Ok((0..horizon).map(|i| self.raw(i, horizon) / total).collect())
    }

    /// The schedule's name, as the command line and reports spell it.
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

    /// Weight of step `i + 1` before normalisation.
    pub(crate) fn raw(&self, i: usize, horizon: usize) -> f64 {
        match self {
            Self::LinearFront => (horizon - i) as f64,
            Self::Uniform => 1.0,
            Self::ExponentialFront => 0.5_f64.powi(i.min(2_000) as i32),
            Self::LinearBack => (i + 1) as f64,
            Self::Custom(custom) => custom.weights[i],
        }
    }

    /// Sum of the weights of a run of the given horizon before normalisation.
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

    /// Sum over the given steps, the first of a run of the given horizon, of normalised weight
    /// times score.
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
                    // The first part of a longer run: every weight is larger by the same number.
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
                        Self::Custom(custom) => custom.weights[i],
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

    /// The weights of a whole run before normalisation, where they are small whole numbers.
    pub(crate) const fn step_weights(&self) -> Option<StepWeights> {
        match self {
            Self::LinearFront => Some(StepWeights::Falling),
            Self::Uniform => Some(StepWeights::Equal),
            Self::LinearBack => Some(StepWeights::Rising),
            Self::ExponentialFront | Self::Custom(_) => None,
        }
    }
}

/// `weight * score` for a positive weight that may have been rounded to zero: an infinite score
/// stays infinite.
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
        named.ok_or_else(|| Error::ScheduleName { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_every_named_schedule_sum_to_one() {
        for schedule in WeightSchedule::NAMED {
            for horizon in [1, 2, 7, 50, 1_100, 3_000] {
                let sum: f64 = schedule.weights(horizon).unwrap().iter().sum();
                assert!((sum - 1.0).abs() < 1e-13, "{schedule} {horizon}: {sum}");
            }
        }
    }

    #[test]
    fn a_name_is_as_wide_as_asked_for() {
        assert_eq!(format!("{:>9}|", WeightSchedule::Uniform), "  uniform|");
    }

    #[test]
    fn names_go_back_and_forth_and_others_are_refused() {
        for schedule in WeightSchedule::NAMED {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        let error = "front".parse::<WeightSchedule>().unwrap_err();
        assert_eq!(error, Error::ScheduleName { name: "front".to_owned() });
    }

    #[test]
    fn a_custom_weight_that_is_not_positive_is_refused() {
        for value in [0.0, -1.0, f64::INFINITY, 1e101, 1e-101] {
            let error = WeightSchedule::custom(&[1.0, 2.0, value]).unwrap_err();
            assert_eq!(error, Error::StepWeight { step: 3, value });
        }
        assert!(WeightSchedule::custom(&[f64::NAN]).is_err());
        let none = WeightSchedule::custom(&[]).unwrap();
        assert!(matches!(none, WeightSchedule::Custom(weights) if weights.is_empty()));
        let short = WeightSchedule::custom(&[1.0]).unwrap();
        assert_eq!(short.weights(2), Err(Error::ScheduleTooShort { horizon: 2, weights: 1 }));
    }
}
