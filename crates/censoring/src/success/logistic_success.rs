use scoring_rules::CompensatedSum;
use trajectory_metrics::Probability;

use crate::{
    Weight,
    checks::{can_be_averaged, same_length},
    error::Error,
    success::success_model::{SuccessLearner, SuccessModel},
};

/// Logistic regression: the log-odds of success are a sum over the features.
///
/// ```text
/// x_j = (feature_j - mean_j) / std_j,   q = 1 / (1 + exp(-(a + sum of b_j x_j)))
/// a, b minimise  sum of w_i * -ln P_i(outcome i)  +  penalty / 2 * sum of b_j^2
/// ```
///
/// Mean and standard deviation are the weighted ones of the rows it learns from; a feature without
/// any spread there counts for nothing. So does one whose standard deviation is up to 1e-12 of its
/// largest value, and one whose values are all below about 1e-154, as their squares are no numbers:
/// take it in other units. The intercept is free. The penalty stands beside the sum of
/// the log losses, so it fades as rows are added; the [default](Self::default) is 1. It counts as
/// no less than 1e-10 of the weight of all rows, which keeps separated outcomes and features that
/// repeat each other in bounds.
///
/// Cost: about ten passes over the rows, each O(n d^2) for d features.
///
/// Reference: Cox (1958), The regression analysis of binary sequences,
/// doi:10.1111/j.2517-6161.1958.tb00292.x.
///
/// ```
/// use censoring::{Weight, Error, LogisticSuccess, SuccessLearner, SuccessModel};
///
/// let rows = [vec![1.0], vec![1.0], vec![3.0], vec![3.0]];
/// let outcomes = [false, true, true, true];
/// let model = LogisticSuccess::default().fit(&rows, &outcomes, Weight::from_slice(&[3.0, 1.0, 2.0, 2.0])?)?;
/// let (low, high) = (model.success_probability(&[1.0])?, model.success_probability(&[3.0])?);
/// assert!(low.get() > 0.25 && low < high && high.get() < 1.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct LogisticSuccess {
    penalty: f64,
}

impl Default for LogisticSuccess {
    fn default() -> Self {
        Self { penalty: 1.0 }
    }
}

impl LogisticSuccess {
    /// With a penalty of your own.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless it is positive and finite.
    pub fn new(penalty: f64) -> Result<Self, Error> {
        if penalty > 0.0 && penalty < f64::INFINITY {
            Ok(Self { penalty })
        } else {
            Err(Error::Setting { name: "penalty", value: penalty, range: "above 0 and finite" })
        }
    }
}

/// The log-odds of success as a sum over features, learnt by [`LogisticSuccess`].
///
/// ```
/// use censoring::{Weight, Error, LogisticSuccess, SuccessLearner, SuccessModel};
///
/// let rows = [vec![1.0], vec![1.0], vec![3.0], vec![3.0]];
/// let model = LogisticSuccess::default().fit(&rows, &[false, false, true, true], &[Weight::ONE; 4])?;
/// // At the mean either outcome is as likely; a standard deviation is 1.
/// assert!(model.intercept().abs() < 1e-12 && model.slopes()[0] > 0.0);
/// let log_odds = model.intercept() + 2.0 * model.slopes()[0];
/// let chance = model.success_probability(&[4.0])?.get();
/// assert!((chance - 1.0 / (1.0 + (-log_odds).exp())).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct LogisticSuccessModel {
    intercept: f64,
    slopes: Vec<f64>,
    means: Vec<f64>,
    /// Infinite for a feature without spread.
    scales: Vec<f64>,
}

/// As it is stored: its penalty.
#[cfg(feature = "serde")]
impl From<LogisticSuccess> for f64 {
    fn from(learner: LogisticSuccess) -> Self {
        learner.penalty
    }
}

#[cfg(feature = "serde")]
impl TryFrom<f64> for LogisticSuccess {
    type Error = Error;

    fn try_from(penalty: f64) -> Result<Self, Error> {
        Self::new(penalty)
    }
}

/// A model as it is stored: a slope and the mean and scale of each feature, no scale where the
/// feature has no spread.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    intercept: f64,
    slopes: Vec<f64>,
    means: Vec<f64>,
    scales: Vec<Option<f64>>,
}

#[cfg(feature = "serde")]
impl From<LogisticSuccessModel> for Stored {
    fn from(model: LogisticSuccessModel) -> Self {
        let LogisticSuccessModel { intercept, slopes, means, scales } = model;
        let finite = |scale: f64| scale.is_finite().then_some(scale);
        Self { intercept, slopes, means, scales: scales.into_iter().map(finite).collect() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LogisticSuccessModel {
    type Error = Error;

    fn try_from(Stored { intercept, slopes, means, scales }: Stored) -> Result<Self, Error> {
        same_length("means", slopes.len(), means.len())?;
        same_length("scales", slopes.len(), scales.len())?;
        let finite = slopes.iter().chain(&means).all(|value| value.is_finite());
        if !(finite && intercept.is_finite()) {
            return Err(Error::StoredValue { problem: "intercept, slopes and means are finite" });
        }
        let scales: Vec<f64> =
            scales.into_iter().map(|scale| scale.unwrap_or(f64::INFINITY)).collect();
        // A NaN is not above 0.
        if !scales.iter().all(|&scale| scale > 0.0) {
            return Err(Error::StoredValue { problem: "scales are above 0" });
        }
        Ok(Self { intercept, slopes, means, scales })
    }
}

impl LogisticSuccessModel {
    /// The log-odds of success where every feature is at its mean.
    #[must_use]
    pub const fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The rise of the log-odds with one standard deviation of each feature.
    #[must_use]
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }
}

impl SuccessModel for LogisticSuccessModel {
    /// # Errors
    ///
    /// [`Error::Length`] unless there are as many features as were learnt from;
    /// [`Error::Feature`] for one that is no number from -1e100 to 1e100.
    fn success_probability(&self, features: &[f64]) -> Result<Probability, Error> {
        check_features(0, features, self.slopes.len())?;
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

/// A row that counts. Weights are shares of the weight of all.
#[derive(Clone, Debug)]
struct Row {
    /// A 1 for the intercept, then the features.
    x: Vec<f64>,
    outcome: bool,
    weight: f64,
}

impl SuccessLearner for LogisticSuccess {
    type Model = LogisticSuccessModel;

    /// # Errors
    ///
    /// [`Error::Feature`] with the first feature that is no number from -1e100 to 1e100;
    /// [`Error::Length`] unless there is one entry a row in each and as many features in every row;
    /// [`Error::Empty`] without a row of positive weight; [`Error::TrajectoryMetrics`] where all rows of
    /// positive weight have one outcome or the other one has less than 1e-12 of their weight, which
    /// rounding would swallow.
    fn fit(
        &self,
        features: &[Vec<f64>],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<LogisticSuccessModel, Error> {
        let mut rows = rows(features, outcomes, weights)?;
        // No order of the rows shows in sums that are rounded.
        rows.sort_by(|a, b| {
            let by_features = a.x.iter().zip(&b.x).map(|(a, b)| a.total_cmp(b));
            by_features
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
                .then(a.outcome.cmp(&b.outcome))
                .then(a.weight.total_cmp(&b.weight))
        });
        let total = sum(rows.iter().map(|row| row.weight));
        rows.iter_mut().for_each(|row| row.weight /= total);
        let successes = sum(rows.iter().filter(|row| row.outcome).map(|row| row.weight));
        let failures = sum(rows.iter().filter(|row| !row.outcome).map(|row| row.weight));
        for (outcome, others) in [(true, failures), (false, successes)] {
            // What weighs next to nothing beside the rest is lost in rounding.
            if others < 1e-12 {
                return Err(trajectory_metrics::Error::OneClass { outcome }.into());
            }
        }
        let columns = rows.first().map_or(1, |row| row.x.len());
        let (mut means, mut scales) = (Vec::new(), Vec::new());
        for column in 1..columns {
            let (mean, scale) = standard(&rows, column);
            rows.iter_mut().for_each(|row| row.x[column] = (row.x[column] - mean) / scale);
            means.push(mean);
            scales.push(scale);
        }
        let ridge = (self.penalty / total).clamp(1e-10, 1e20);
        let mut line = minimum(&rows, (successes / failures).ln(), ridge);
        let slopes = line.split_off(1);
        Ok(LogisticSuccessModel { intercept: line[0], slopes, means, scales })
    }
}

fn rows(features: &[Vec<f64>], outcomes: &[bool], weights: &[Weight]) -> Result<Vec<Row>, Error> {
    same_length("outcomes", features.len(), outcomes.len())?;
    same_length("weights", features.len(), weights.len())?;
    let columns = features.first().map_or(0, Vec::len);
    let mut rows = Vec::with_capacity(features.len());
    for (i, (features, &outcome)) in features.iter().zip(outcomes).enumerate() {
        check_features(i, features, columns)?;
        let weight = weights[i].get();
        if weight > 0.0 {
            let x = [1.0].into_iter().chain(features.iter().copied()).collect();
            rows.push(Row { x, outcome, weight });
        }
    }
    if rows.is_empty() { Err(Error::Empty) } else { Ok(rows) }
}

fn check_features(row: usize, features: &[f64], columns: usize) -> Result<(), Error> {
    same_length("features of a row", columns, features.len())?;
    match features.iter().position(|&value| !can_be_averaged(value)) {
        Some(column) => Err(Error::Feature { row, column, value: features[column] }),
        None => Ok(()),
    }
}

/// Weighted mean and standard deviation of a column; the latter infinite where it is rounding.
fn standard(rows: &[Row], column: usize) -> (f64, f64) {
    let first = rows.first().map_or(0.0, |row| row.x[column]);
    let about = |centre: f64, power| {
        sum(rows.iter().map(|row| row.weight * (row.x[column] - centre).powi(power)))
    };
    let mean = first + about(first, 1);
    let std = about(mean, 2).sqrt();
    let size = rows.iter().map(|row| row.x[column].abs()).fold(0.0, f64::max);
    if std > 1e-12 * size { (mean, std) } else { (mean, f64::INFINITY) }
}

/// Newton's method from slopes of 0; a step that does not lower the loss is halved.
fn minimum(rows: &[Row], intercept: f64, ridge: f64) -> Vec<f64> {
    let columns = rows.first().map_or(1, |row| row.x.len());
    let mut line = vec![0.0; columns];
    line[0] = intercept;
    let mut here = loss(rows, &line, ridge);
    for _ in 0..500 {
        let Some(step) = newton_step(rows, &line, ridge) else { break };
        let taken = (0..60).map(|halvings| 0.5_f64.powi(halvings)).find_map(|share| {
            let next: Vec<f64> = line.iter().zip(&step).map(|(a, b)| a + share * b).collect();
            let there = loss(rows, &next, ridge);
            // At the bottom the loss is flat and only rounding moves it.
            (there <= here + 4.0 * f64::EPSILON * here).then_some((next, there, share))
        });
        let Some((next, there, share)) = taken else { break };
        (line, here) = (next, there);
        let size = line.iter().fold(1.0, |size, value| value.abs().max(size));
        if share == 1.0 && step.iter().all(|step| step.abs() <= 1e-13 * size) {
            break;
        }
    }
    line
}

fn loss(rows: &[Row], line: &[f64], ridge: f64) -> f64 {
    let of = |row: &Row| {
        let z = dot(&row.x, line);
        let against = if row.outcome { -z } else { z };
        row.weight * (against.max(0.0) + (-z.abs()).exp().ln_1p())
    };
    let pull = 0.5 * ridge * dot(&line[1..], &line[1..]);
    sum(rows.iter().map(of).chain([pull]))
}

/// Minus the gradient over the curvature, by Cholesky's decomposition; `None` where the curvature
/// is lost in rounding.
fn newton_step(rows: &[Row], line: &[f64], ridge: f64) -> Option<Vec<f64>> {
    let n = line.len();
    let mut gradient = vec![CompensatedSum::default(); n];
    let mut curvature = vec![vec![CompensatedSum::default(); n]; n];
    for row in rows {
        let z = dot(&row.x, line);
        let residual = if row.outcome { -sigmoid(-z) } else { sigmoid(z) };
        let bend = row.weight * sigmoid(z) * sigmoid(-z);
        for i in 0..n {
            gradient[i].add(row.weight * residual * row.x[i]);
            for (sum, x) in curvature[i].iter_mut().zip(&row.x).take(i + 1) {
                sum.add(bend * row.x[i] * x);
            }
        }
    }
    for i in 1..n {
        gradient[i].add(ridge * line[i]);
        curvature[i][i].add(ridge);
    }
    // Lower triangle of the root, row by row, and the first of two substitutions with it.
    let mut root = vec![vec![0.0; n]; n];
    let mut step = vec![0.0; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = curvature[i][j].value() - dot(&root[i][..j], &root[j][..j]);
            if j < i {
                root[i][j] = rest / root[j][j];
            } else if rest > 0.0 {
                root[i][i] = rest.sqrt();
            } else {
                return None;
            }
        }
        step[i] = (-gradient[i].value() - dot(&root[i][..i], &step[..i])) / root[i][i];
    }
    for i in (0..n).rev() {
        let above = sum((i + 1..n).map(|j| root[j][i] * step[j]));
        step[i] = (step[i] - above) / root[i][i];
    }
    Some(step)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    terms.for_each(|term| sum.add(term));
    sum.value()
}

fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}
