use scoring_rules::TiedBlocks;

use crate::{
    checks::same_length,
    error::Error,
    reports::named_estimate::{METRICS, NAMES, Scored},
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
    streams::{traces::Traces, weight_schedule::WeightSchedule},
};

/// What calibration changes about one metric, and how sure that is: by [`raw_against_calibrated`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct MetricChange {
    /// The metric of the raw stream.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_number"))]
    pub raw: f64,
    /// The metric of the calibrated stream.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_number"))]
    pub calibrated: f64,
    /// Calibrated minus raw, with its resamples: above 0 is an improvement where a higher value is
    /// better. [`Replicates::in_standard_errors`] is the paper's delta / SE.
    pub difference: Replicates,
}

/// A metric, and what calibration changes about it or why that is undefined.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NamedChange {
    /// The metric's name: `tps_log`, `tps_brier`, `tps_beta_2_4`, or that of a diagnostic.
    pub metric: &'static str,
    /// What changes.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result::any"))]
    pub change: Result<MetricChange, Error>,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredChange {
    metric: String,
    #[serde(with = "crate::stored_result::any")]
    change: Result<MetricChange, Error>,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for NamedChange {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredChange { metric, change } = serde::Deserialize::deserialize(deserializer)?;
        match NAMES.into_iter().find(|&known| known == metric) {
            Some(metric) => Ok(Self { metric, change }),
            None => Err(serde::de::Error::unknown_variant(&metric, &NAMES)),
        }
    }
}

/// Compares a stream with the same stream calibrated, metric by metric, on the same resamples: the
/// three scores of [`TpsFamily`](crate::TpsFamily) as `tps_log`, `tps_brier` and `tps_beta_2_4`, then the
/// [`Diagnostics`](crate::Diagnostics) of the mean forecast, under one schedule.
///
/// The streams stay as they are: what a new draw of runs would change about the calibration maps is
/// not in the standard errors.
///
/// Cost: linear in traces for each resample.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 6.1.
///
/// # Errors
///
/// Of the whole: [`Error::Length`] unless both streams, and the bootstrap, have as many traces;
/// [`Error::OutcomeDiffers`] where a trace ended differently; [`Error::Empty`] without traces;
/// [`Error::ScheduleTooShort`] where custom weights do not reach a trace's end. Of one metric: why
/// it is undefined, as in [`Bootstrap::replicates`].
///
/// ```
/// use trajectory_metrics::{
///     Bootstrap, Error, Folds, Platt, Traces, WeightSchedule, cross_fit, raw_against_calibrated,
/// };
///
/// let outcomes = [true, false, true, false, true, false, true, false];
/// let said = [0.99, 0.95, 0.99, 0.99, 0.95, 0.95, 0.99, 0.95];
/// let raw = Traces::from_flat(&said, &[1, 2, 3, 4, 5, 6, 7, 8], &outcomes)?;
/// let tasks = [1, 1, 2, 2, 3, 3, 4, 4];
/// let schedule = WeightSchedule::LinearFront;
/// let folds = Folds::clustered(&outcomes, &tasks, 2)?;
/// let calibrated = cross_fit(&Platt::default(), &raw, &folds, &schedule)?.into_traces();
/// let bootstrap = Bootstrap::clusters(&tasks, 1)?;
/// let changes = raw_against_calibrated(&raw, &calibrated, &schedule, &bootstrap, 200)?;
/// assert_eq!(changes[0].metric, "tps_log");
/// let log = changes[0].change.clone()?;
/// assert!(log.difference.estimate() > 0.5 && log.difference.in_standard_errors() > Some(2.0));
/// # Ok::<(), Error>(())
/// ```
pub fn raw_against_calibrated(
    raw: &Traces,
    calibrated: &Traces,
    schedule: &WeightSchedule,
    bootstrap: &Bootstrap,
    resamples: usize,
) -> Result<Vec<NamedChange>, Error> {
    same_length("calibrated traces", raw.len(), calibrated.len())?;
    let mut outcomes = raw.outcomes().iter().zip(calibrated.outcomes());
    if let Some(index) = outcomes.position(|(raw, calibrated)| raw != calibrated) {
        return Err(Error::OutcomeDiffers { index });
    }
    let mut counts = Vec::new();
    bootstrap.draw(0, &mut counts);
    same_length("rows of the bootstrap", raw.len(), counts.len())?;
    let streams = [Scored::new(raw, None, schedule)?, Scored::new(calibrated, None, schedule)?];
    let mut blocks = TiedBlocks::default();
    let replicates: [_; 2 * METRICS] = bootstrap.replicates(resamples, |counts| {
        let of = streams.each_ref().map(|stream| stream.metrics(counts, &mut blocks));
        let mut values = of.into_iter().flatten();
        std::array::from_fn(|_| values.next().unwrap_or(Err(Error::Empty)))
    });
    let (raw, calibrated) = replicates.split_at(METRICS);
    let change = |raw: &Result<Replicates, Error>, calibrated: &Result<Replicates, Error>| {
        let (raw, calibrated) = (raw.as_ref(), calibrated.as_ref());
        let (raw, calibrated) = (raw.map_err(Clone::clone)?, calibrated.map_err(Clone::clone)?);
        Ok(MetricChange {
            raw: raw.estimate(),
            calibrated: calibrated.estimate(),
            difference: calibrated.minus(raw)?,
        })
    };
    let pairs = NAMES.into_iter().zip(raw.iter().zip(calibrated));
    let named =
        |(metric, (raw, calibrated))| NamedChange { metric, change: change(raw, calibrated) };
    Ok(pairs.map(named).collect())
}
