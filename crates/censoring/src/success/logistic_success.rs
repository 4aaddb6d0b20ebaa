use scoring_rules::{
    Probability, Weight,
    checks::{entries, same_length},
};
use trajectory_metrics::logistic::{check_penalty, fit_standardised, sigmoid};

use crate::{
    error::Error,
    success::success_model::{SuccessLearner, SuccessModel},
};

/// The largest size of a feature. Larger numbers are mistakes of units.
const LARGEST_FEATURE: f64 = 1e30;

/// Logistic regression: the log-odds of success are a linear function of the features.
///
/// ```text
/// x_j = (feature_j - mean_j) / std_j,   q = 1 / (1 + exp(-(a + sum of b_j x_j)))
/// a, b minimise  sum of w_i * -ln P_i(outcome i)  +  penalty / 2 * sum of b_j^2
/// ```
///
/// The mean and the standard deviation are computed from the weighted rows. A feature is ignored if its
/// standard deviation is at most 1e-12 of its largest absolute value, or below 1e-100. The intercept has no
/// penalty. The penalty is added to the sum of the log losses, so it matters less as rows are added; the
/// [default](Self::default) is 1. It counts as at least 1e-10 of the weight of all rows, which keeps the fit
/// finite and unique if features separate the outcomes or repeat each other.
///
/// Cost: about ten passes over the rows, each O(n d^2) for d features.
///
/// Reference: Cox (1958), The regression analysis of binary sequences,
/// doi:10.1111/j.2517-6161.1958.tb00292.x.
///
/// ```
/// use censoring::{Error, LogisticSuccess, SuccessLearner, SuccessModel, Weight};
///
/// let rows = [vec![1.0], vec![1.0], vec![3.0], vec![3.0]];
/// let outcomes = [false, true, true, true];
/// let weights = Weight::from_slice(&[3.0, 1.0, 2.0, 2.0])?;
/// let model = LogisticSuccess::default().fit(&rows, &outcomes, Some(weights))?;
/// let (low, high) = (model.success_probability(&[1.0])?, model.success_probability(&[3.0])?);
/// assert!(low.get() > 0.25 && low < high && high.get() < 1.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct LogisticSuccess {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "penalty"))]
    penalty: f64,
}

impl Default for LogisticSuccess {
    fn default() -> Self {
        Self { penalty: 1.0 }
    }
}

impl LogisticSuccess {
    /// Creates a learner with this penalty on the slopes.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the penalty is from 1e-20 to 1e20.
    pub fn new(penalty: f64) -> Result<Self, Error> {
        Ok(Self { penalty: check_penalty(penalty)? })
    }
}

scoring_rules::checked! {
    /// A linear function of features that gives the log-odds of success, fitted by [`LogisticSuccess`].
    ///
    /// ```
    /// use censoring::{Error, LogisticSuccess, SuccessLearner, SuccessModel, Weight};
    ///
    /// let rows = [vec![1.0], vec![1.0], vec![3.0], vec![3.0]];
    /// let outcomes = [false, false, true, true];
    /// let model = LogisticSuccess::default().fit(&rows, &outcomes, None)?;
    /// // At the mean both outcomes are equally likely. The standard deviation is 1.
    /// assert!((model.success_probability(&[2.0])?.get() - 0.5).abs() < 1e-12 && model.slopes()[0] > 0.0);
    /// let log_odds = 2.0 * model.slopes()[0];
    /// let chance = model.success_probability(&[4.0])?.get();
    /// assert!((chance - 1.0 / (1.0 + (-log_odds).exp())).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct LogisticSuccessModel {
        intercept: f64,
        slopes: Vec<f64>,
        means: Vec<f64>,
        /// Infinite for an ignored feature. Infinity is stored as null.
        #[cfg_attr(feature = "serde", serde(with = "null_if_infinite"))]
        scales: Vec<f64>,
    }
    check: LogisticSuccessModel::check
}

#[cfg(feature = "serde")]
fn penalty<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let penalty = serde::Deserialize::deserialize(from)?;
    check_penalty(penalty).map_err(serde::de::Error::custom)
}

#[cfg(feature = "serde")]
mod null_if_infinite {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(scales: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(scales.iter().map(|&scale| scale.is_finite().then_some(scale)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let scales = Vec::<Option<f64>>::deserialize(from)?;
        Ok(scales.into_iter().map(|scale| scale.unwrap_or(f64::INFINITY)).collect())
    }
}

impl LogisticSuccessModel {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let Self { intercept, slopes, means, scales } = self;
        same_length("means", slopes.len(), means.len())?;
        same_length("scales", slopes.len(), scales.len())?;
        let finite = slopes.iter().chain(means).all(|value| value.is_finite());
        if !(finite && intercept.is_finite()) {
            return Err(scoring_rules::checks::stored_value(
                "intercept, slopes and means must be finite",
            )
            .into());
        }
        if !scales.iter().all(|&scale| scale > 0.0) {
            return Err(scoring_rules::checks::stored_value("scales must be above 0").into());
        }
        Ok(())
    }

    /// Returns, for each feature, the change of the log-odds if the feature rises by one standard deviation; 0 for an
    /// ignored feature.
    #[must_use]
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }
}

impl SuccessModel for LogisticSuccessModel {
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] if the number of features differs from the training rows;
    /// [`scoring_rules::Error::Entry`] for a feature outside -1e30 to 1e30.
    fn success_probability(&self, features: &[f64]) -> Result<Probability, Error> {
        check_features(features, self.slopes.len())?;
        let standards = self.means.iter().zip(&self.scales);
        let log_odds = features
            .iter()
            .zip(standards)
            .zip(&self.slopes)
            .fold(self.intercept, |z, ((x, (mean, scale)), slope)| {
                z + slope * ((x - mean) / scale)
            });
        Ok(Probability::new(sigmoid(log_odds))?)
    }
}

impl SuccessLearner for LogisticSuccess {
    type Model = LogisticSuccessModel;

    /// # Errors
    ///
    /// [`Error::At`] with the first row that has a feature outside -1e30 to 1e30, or another number of
    /// features than the first row; [`scoring_rules::Error::Length`] unless there is one outcome per row, and
    /// one weight if weights are given; [`scoring_rules::Error::Empty`] without a row of positive weight;
    /// [`Error::TrajectoryMetrics`] if one outcome has less than 1e-12 of the weight.
    fn fit(
        &self,
        features: &[Vec<f64>],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<LogisticSuccessModel, Error> {
        let columns = features.first().map_or(0, Vec::len);
        let rows = rows(columns, features, outcomes, weights)?;
        let (line, means, scales) = fit_standardised(columns, rows, self.penalty)?;
        Ok(LogisticSuccessModel { intercept: line.intercept, slopes: line.slopes, means, scales })
    }
}

/// The features of a row, and the weights of its failures and successes.
type Row<'a> = (&'a [f64], f64, f64);

/// Returns the rows of positive weight.
fn rows<'a>(
    columns: usize,
    features: &'a [Vec<f64>],
    outcomes: &[bool],
    weights: Option<&[Weight]>,
) -> Result<Vec<Row<'a>>, Error> {
    same_length("outcomes", features.len(), outcomes.len())?;
    same_length("weights", features.len(), weights.map_or(features.len(), <[Weight]>::len))?;
    let mut rows = Vec::with_capacity(features.len());
    for (row, (features, &outcome)) in features.iter().zip(outcomes).enumerate() {
        check_features(features, columns).map_err(|error| Error::At {
            what: "row",
            index: row,
            source: Box::new(error),
        })?;
        let weight = weights.map_or(1.0, |weights| weights[row].get());
        if weight > 0.0 {
            let (failure, success) = if outcome { (0.0, weight) } else { (weight, 0.0) };
            rows.push((&features[..], failure, success));
        }
    }
    Ok(rows)
}

fn check_features(features: &[f64], columns: usize) -> Result<(), Error> {
    same_length("features", columns, features.len())?;
    let within = |value: &f64| (-LARGEST_FEATURE..=LARGEST_FEATURE).contains(value);
    Ok(entries("feature", features, within, "from -1e30 to 1e30")?)
}
