use std::{fmt, str::FromStr};

use scoring_rules::{Probability, from_fn};

use crate::{
    error::Error,
    streams::{
        traces::{Trace, Traces},
        weight_schedule::WeightSchedule,
    },
};

/// A way to summarize a stream of forecasts by one forecast, for diagnostics that need a single
/// number per run.
///
/// Every summary loses information: a score of the summary can favor a dishonest stream. Score
/// streams with [`Tps`](crate::Tps), and use summaries for ranking and calibration diagnostics only.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, theorem B.
///
/// ```
/// use trajectory_metrics::{Error, Probability, Summary, Trace, Traces, WeightSchedule};
///
/// let trace = Trace::new(Probability::from_slice(&[0.25, 0.75, 0.5])?, true)?;
/// assert_eq!(Summary::Last.forecast(trace)?.get(), 0.5);
/// assert_eq!(Summary::Mean.forecast(trace)?.get(), 0.5);
/// assert_eq!(Summary::Minimum.forecast(trace)?.get(), 0.25);
/// let front = Summary::Weighted(WeightSchedule::LinearFront);
/// assert!((front.forecast(trace)?.get() - 2.75 / 6.0).abs() < 1e-12);
///
/// let traces = Traces::from_flat(&[0.25, 0.75, 0.5], &[2, 3], &[true, false])?;
/// assert_eq!(Summary::Mean.forecasts(&traces)?, [Probability::HALF; 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Summary {
    /// The last forecast.
    Last,
    /// The mean of all forecasts.
    Mean,
    /// The smallest forecast.
    Minimum,
    /// The mean with the weights of a schedule. The paper's diagnostics use linear-front.
    Weighted(WeightSchedule),
}

impl Default for Summary {
    /// Returns the mean with linear-front weights, as in the paper.
    fn default() -> Self {
        Self::Weighted(WeightSchedule::LinearFront)
    }
}

impl Summary {
    /// The summaries that do not depend on a weight schedule: `last`, `mean` and `minimum`.
    pub const UNWEIGHTED: [Self; 3] = [Self::Last, Self::Mean, Self::Minimum];

    /// Returns the name that reports and command lines use: `last`, `mean`, `minimum`, or the name of the weight
    /// schedule.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Summary, WeightSchedule};
    ///
    /// assert_eq!(Summary::default().name(), "linear-front");
    /// assert_eq!("minimum".parse::<Summary>()?, Summary::Minimum);
    /// assert_eq!("uniform".parse::<Summary>()?, Summary::Weighted(WeightSchedule::Uniform));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Mean => "mean",
            Self::Minimum => "minimum",
            Self::Weighted(schedule) => schedule.name(),
        }
    }

    /// Returns the summary forecast of one trace.
    ///
    /// A mean is rounded to twelve decimals, so that mathematically equal means are equal numbers:
    /// forecasts have few decimals, and rounding errors must not break ties. A constant stream has
    /// exactly its constant as the mean. Means that differ by less than 1e-12 are ties; if such
    /// differences matter, as close to 0 and 1, use [`Self::Last`] or [`Self::Minimum`].
    ///
    /// # Errors
    ///
    /// [`Error::ScheduleTooShort`] if the trace is longer than the list of custom weights.
    pub fn forecast(&self, trace: Trace<'_>) -> Result<Probability, Error> {
        let forecasts = trace.forecasts();
        match self {
            // A trace is never empty.
            Self::Last => Ok(forecasts[forecasts.len() - 1]),
            Self::Minimum => Ok(forecasts.iter().copied().fold(Probability::ONE, Ord::min)),
            Self::Mean => mean(&WeightSchedule::Uniform, forecasts),
            Self::Weighted(schedule) => mean(schedule, forecasts),
        }
    }

    /// Returns the summary forecast of each trace.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::forecast`].
    pub fn forecasts(&self, traces: &Traces) -> Result<Vec<Probability>, Error> {
        traces.iter().map(|trace| self.forecast(trace)).collect()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Summary {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        if let Some(summary) = Self::UNWEIGHTED.into_iter().find(|summary| summary.name() == name) {
            return Ok(summary);
        }
        name.parse().map(Self::Weighted).map_err(|_| Error::UnknownName {
            what: "summary",
            name: name.to_owned(),
            known: "last, mean, minimum, linear-front, uniform, exponential-front and linear-back",
        })
    }
}

/// The scale of the decimals to which means are rounded.
const DECIMALS: f64 = 1e12;

fn mean(schedule: &WeightSchedule, forecasts: &[Probability]) -> Result<Probability, Error> {
    let first = forecasts[0];
    if forecasts.iter().all(|&forecast| forecast == first) {
        schedule.total(forecasts.len())?;
        return Ok(first);
    }
    let value = from_fn(|forecast, _| forecast.get());
    let mean = schedule.sum(&value, forecasts, true, forecasts.len())?;
    // Rounding of weights may exceed 1.
    Ok(Probability::new(((mean * DECIMALS).round() / DECIMALS).min(1.0))?)
}
