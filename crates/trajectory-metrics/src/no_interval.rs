use scoring_rules::Level;

/// The reason why resamples give no confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NoInterval {
    /// There are too few clusters for the level: fewer than `1 + log2(1 / (1 - level))`, which is 5 for 90 %, 6 for
    /// 95 % and 8 for 99 %.
    ///
    /// No resample is outside the range of the clusters, and the range of n independent values contains their median
    /// with a probability of `1 - 2^(1 - n)`. With fewer clusters, resamples cannot give an interval of this level.
    ///
    /// Reference: David and Nagaraja (2003), Order statistics, section 7.1,
    /// doi:10.1002/0471722162.
    #[error("{found} cluster{}; a {} % interval needs at least {least}", if *found == 1 { "" } else { "s" }, percent(*level))]
    TooFewClusters {
        /// The number of clusters.
        found: usize,
        /// The smallest number of clusters for which there is an interval of this level.
        least: usize,
        /// The level of the interval.
        level: Level,
    },
    /// The statistic has the same value in every cluster or resample, so that its error cannot be estimated.
    #[error("the value does not vary over clusters or resamples")]
    Constant,
    /// The statistic is defined in fewer than two resamples, or fewer than two were requested.
    #[error("the value is defined in {defined} of the resamples; at least 2 are needed")]
    TooFewResamples {
        /// The number of resamples in which it is defined.
        defined: usize,
    },
    /// The value is biased upwards if there are few runs, even for calibrated forecasts, and its resamples are biased
    /// more. Quantiles of the resamples are therefore not a confidence interval, and values from different numbers of
    /// runs cannot be compared.
    #[error(
        "the value is biased upwards, more so if there are few runs, and still more in resamples"
    )]
    Biased,
    /// Some of the values are not known, and without them a bound of the interval does not exist.
    #[error("{unknown} of {all} values are not known, too many for an interval")]
    Unknown {
        /// The number of values that are not known.
        unknown: usize,
        /// The number of all values.
        all: usize,
    },
    /// No interval was requested.
    #[error("no interval was requested")]
    NotRequested,
}

impl NoInterval {
    /// Checks that `found` clusters are enough for a confidence interval of this level.
    pub(crate) fn check_clusters(found: usize, level: Level) -> Result<(), Self> {
        let least = Self::least_clusters(level);
        if found >= least { Ok(()) } else { Err(Self::too_few(found, level)) }
    }

    /// Creates the error that `found` clusters are too few for an interval of this level.
    ///
    /// ```
    /// use trajectory_metrics::{Level, NoInterval};
    ///
    /// let one = NoInterval::too_few(1, Level::new(0.95)?);
    /// assert_eq!(one.to_string(), "1 cluster; a 95 % interval needs at least 6");
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub fn too_few(found: usize, level: Level) -> Self {
        Self::TooFewClusters { found, least: Self::least_clusters(level), level }
    }

    pub(crate) fn least_clusters(level: Level) -> usize {
        // The largest level below 1 needs 54 clusters.
        let covers = |n: usize| 1.0 - 0.5_f64.powi(n as i32 - 1) >= level.get();
        (2..54).find(|&n| covers(n)).unwrap_or(54)
    }
}

/// Converts a level to percent and removes rounding errors.
fn percent(level: Level) -> f64 {
    (level.get() * 1e8).round() / 1e6
}
