use scoring_rules::Level;

use crate::{
    error::Error,
    resampling::replicates::{BootstrapEstimate, Replicates},
};

/// A named metric: its value, or the reason why it is undefined, and its confidence interval.
///
/// ```
/// use trajectory_metrics::{Bootstrap, Error, Level, NamedEstimate, Seed};
///
/// let scores = [-0.1, -0.4, -0.3, -0.9, -0.2, -0.65];
/// let replicates = Bootstrap::rows(6, Seed::new(7))?.mean(&scores, None, 1_000);
/// let estimate = NamedEstimate::new("tps_log", Ok(-0.425), Some(replicates), Level::new(0.95)?);
/// let interval = estimate.interval.clone().unwrap()?.interval;
/// assert!(interval.low() < -0.425 && -0.425 < interval.high());
/// assert!(estimate.notes().is_empty());
///
/// let undefined = NamedEstimate::new("auroc", Err(scoring_rules::Error::Empty.into()), None, Level::HALF);
/// assert_eq!(undefined.notes(), [format!("auroc: {}", scoring_rules::Error::Empty)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NamedEstimate {
    /// The name of the metric: `tps_log`, `tps_brier`, `tps_beta_2_4`, or the name of a diagnostic.
    pub metric: String,
    /// The value on all rows.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub value: Result<f64, Error>,
    /// The interval of [`Replicates::confidence_interval`]; `None` if no intervals were requested.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result::interval"))]
    pub interval: Option<Result<BootstrapEstimate, Error>>,
}

impl NamedEstimate {
    /// An estimate, with the [confidence interval](Replicates::confidence_interval) of its replicates
    /// if they are given. Without an interval, the error is [`Error::NoInterval`].
    #[must_use]
    pub fn new(
        metric: impl Into<String>,
        value: Result<f64, Error>,
        replicates: Option<Result<Replicates, Error>>,
        level: Level,
    ) -> Self {
        let interval = replicates.map(|replicates| Ok(replicates?.confidence_interval(level)?));
        Self { metric: metric.into(), value, interval }
    }

    /// Notes for readers of the estimate: why it is undefined or infinite, why it has no interval, or
    /// in how many resamples it was undefined.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let metric = &self.metric;
        match (&self.value, &self.interval) {
            (Err(error), _) => vec![format!("{metric}: {error}")],
            (Ok(value), _) if !value.is_finite() => vec![format!("{metric}: {value}")],
            (_, Some(Err(error))) => vec![format!("{metric}: no interval: {error}")],
            (_, Some(Ok(interval))) if interval.undefined > 0 => {
                let (undefined, all) = (interval.undefined, interval.resamples);
                vec![format!("{metric}: undefined in {undefined} of {all} resamples")]
            }
            _ => vec![],
        }
    }
}
