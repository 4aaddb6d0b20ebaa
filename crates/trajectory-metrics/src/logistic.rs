//! Logistic regression on a few features, with a penalty on the slopes and a free intercept.
//!
//! The calibrators of this crate fit it to transformed forecasts, and `censoring` fits its model of
//! success to features of runs.

use scoring_rules::{CompensatedSum, Weight, checks::entry};

use crate::{
    checks::{same_length, setting},
    error::{Error, Shared},
};

/// An outcome that has a smaller share of the total weight than this would be lost in rounding.
const LEAST_SHARE: f64 = 1e-12;

/// The range of the ridge. At the lower bound, separated outcomes are as far apart as `f64` allows; at
/// the upper bound, slopes are negligible.
const RIDGE: [f64; 2] = [1e-20, 1e20];

/// The least ridge of [`fit_standardised`]. It keeps the fit unique if features repeat each other.
const LEAST_RIDGE: f64 = 1e-10;

/// The largest number of steps of Newton's method. Real data take about 6.
const STEPS: usize = 200;

/// Returns `1 / (1 + e^-z)`, accurate for both signs of `z`.
#[must_use]
pub fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let odds = z.exp();
        odds / (1.0 + odds)
    }
}

/// Returns `ln(p / (1 - p))`, also accurate near one half.
pub(crate) fn logit(p: f64) -> f64 {
    if (p - 0.5).abs() < 0.25 {
        ((2.0 * p - 1.0) / (1.0 - p)).ln_1p()
    } else {
        (p / (1.0 - p)).ln()
    }
}

/// Checks a penalty: a number from 1e-20 to 1e20.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for any other number.
pub fn check_penalty(penalty: f64) -> Result<f64, Error> {
    let is_valid = (RIDGE[0]..=RIDGE[1]).contains(&penalty);
    setting("penalty", penalty, is_valid, "from 1e-20 to 1e20")?;
    Ok(penalty)
}

/// Checks that both outcomes occur.
///
/// # Errors
///
/// [`Error::OneClass`] if one outcome has less than 1e-12 of the weight.
pub(crate) fn check_both_outcomes(failures: f64, successes: f64) -> Result<(), Error> {
    for (outcome, others) in [(true, failures), (false, successes)] {
        if others < LEAST_SHARE * (failures + successes) {
            return Err(Error::OneClass { outcome });
        }
    }
    Ok(())
}

/// A logistic regression line: the log-odds of success are `intercept + sum of slope * feature`.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The log-odds of success if every feature is 0.
    pub intercept: f64,
    /// One slope per feature.
    pub slopes: Vec<f64>,
}

/// Rows of features, each with the weight of its failures and of its successes.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    columns: usize,
    /// The features of all rows, row by row.
    features: Vec<f64>,
    /// For each row, the weights of its failures and successes.
    weights: Vec<[f64; 2]>,
}

/// Fits a line to rows, which may be in any order. A row consists of `columns` features, the weight of its failures
/// and the weight of its successes. Each feature is centred at its weighted mean and divided by its standard
/// deviation. Returns the line, the means and the divisors.
///
/// A feature whose standard deviation is at most 1e-12 of its largest absolute value, or below 1e-100, has an infinite
/// divisor and no effect. The ridge is the penalty divided by the weight of all rows, and at least 1e-10.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a penalty that is not from 1e-20 to 1e20; [`scoring_rules::Error::Length`] for
/// a row with another number of features; [`scoring_rules::Error::Entry`], with the row, for a feature outside -1e30 to
/// 1e30; [`scoring_rules::Error::Weight`] for a weight that is not valid; [`scoring_rules::Error::Empty`] if no row has
/// positive weight; [`Error::OneClass`] if one outcome has less than 1e-12 of the weight.
///
/// ```
/// use trajectory_metrics::logistic::{fit_standardised, sigmoid};
///
/// let rows: [(&[f64], f64, f64); 2] = [(&[1.0], 3.0, 1.0), (&[3.0], 1.0, 3.0)];
/// let (line, means, divisors) = fit_standardised(1, rows, 1e-9)?;
/// assert_eq!((means, divisors), (vec![2.0], vec![1.0]));
/// let success = |feature: f64| sigmoid(line.intercept + line.slopes[0] * (feature - 2.0));
/// assert!((success(1.0) - 0.25).abs() < 1e-6 && (success(3.0) - 0.75).abs() < 1e-6);
/// # Ok::<(), trajectory_metrics::Error>(())
/// ```
pub fn fit_standardised<'a>(
    columns: usize,
    rows: impl IntoIterator<Item = (&'a [f64], f64, f64)>,
    penalty: f64,
) -> Result<(Line, Vec<f64>, Vec<f64>), Error> {
    check_penalty(penalty)?;
    let mut all = Rows::new(columns);
    for (row, (features, failures, successes)) in rows.into_iter().enumerate() {
        same_length("features", columns, features.len())?;
        if let Some(&value) = features.iter().find(|it| !(-1e30..=1e30).contains(*it)) {
            return Err(entry("feature of row", row, value, "from -1e30 to 1e30").into());
        }
        for weight in [failures, successes] {
            Weight::new(weight)?;
        }
        all.push(features, failures, successes);
    }
    all.fit_standardised(penalty)
}

impl Rows {
    /// Creates an empty list of rows with this number of features.
    pub(crate) const fn new(columns: usize) -> Self {
        Self { columns, features: Vec::new(), weights: Vec::new() }
    }

    /// Adds a row, which must have the number of features given to [`Self::new`].
    pub(crate) fn push(&mut self, features: &[f64], failures: f64, successes: f64) {
        debug_assert_eq!(features.len(), self.columns);
        self.features.extend_from_slice(features);
        self.weights.push([failures, successes]);
    }

    /// Sorts the rows, so that rounding does not depend on the order of insertion.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        order.sort_by(|&a, &b| {
            let (left, right) = (self.row(a), self.row(b));
            let left = left.iter().chain(&self.weights[a]);
            let right = right.iter().chain(&self.weights[b]);
            let by_entry = left.zip(right).map(|(left, right)| left.total_cmp(right));
            by_entry.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let features = order.iter().flat_map(|&i| self.row(i)).copied().collect();
        self.weights = order.iter().map(|&i| self.weights[i]).collect();
        self.features = features;
    }

    /// Returns the total weights of failures and of successes.
    pub(crate) fn totals(&self) -> (f64, f64) {
        let total = |class: usize| sum(self.weights.iter().map(|weights| weights[class]));
        (total(0), total(1))
    }

    /// Returns the weighted mean and population standard deviation of a feature. If all values are
    /// equal, the mean is exactly that value and the deviation is 0.
    pub(crate) fn mean_and_deviation(&self, column: usize) -> (f64, f64) {
        let first = self.features.get(column).copied().unwrap_or(0.0);
        let mean = first + self.moment(column, first, 1);
        (mean, self.moment(column, mean, 2).sqrt())
    }

    /// Returns the weighted mean of `(feature - centre)^power`.
    pub(crate) fn moment(&self, column: usize, centre: f64, power: i32) -> f64 {
        let (failures, successes) = self.totals();
        let total = failures + successes;
        let term = |(i, [failures, successes]): (usize, &[f64; 2])| {
            let feature = self.features[i * self.columns + column];
            (failures + successes) / total * (feature - centre).powi(power)
        };
        sum(self.weights.iter().enumerate().map(term))
    }

    /// Replaces each value of a feature by `(value - mean) / scale`.
    pub(crate) fn standardise(&mut self, column: usize, mean: f64, scale: f64) {
        for i in 0..self.weights.len() {
            let feature = &mut self.features[i * self.columns + column];
            *feature = (*feature - mean) / scale;
        }
    }

    /// Returns the rows with only one of their features.
    pub(crate) fn column(&self, column: usize) -> Self {
        let features = (0..self.weights.len()).map(|i| self.row(i)[column]).collect();
        Self { columns: 1, features, weights: self.weights.clone() }
    }

    /// Returns the line with the smallest loss,
    ///
    /// ```text
    /// loss = sum of share of the weight * -ln P(outcome) + ridge / 2 * sum of slope^2
    /// ```
    ///
    /// The loss is strictly convex if both outcomes occur, so there is one minimum. Newton's method
    /// starts at slopes of 0 and the log-odds of the base rate. Steps that go too far are halved, and
    /// the search ends where the gradient is zero up to rounding. A ridge outside [1e-20, 1e20] is
    /// moved to the nearer bound.
    ///
    /// Reference: Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support
    /// vector machines, doi:10.1007/s10994-007-5018-6; there with other targets and no penalty.
    pub(crate) fn fit(&self, ridge: f64) -> Line {
        let (failures, successes) = self.totals();
        let ridge = ridge.clamp(RIDGE[0], RIDGE[1]);
        let problem = Problem { rows: self, total: failures + successes, ridge };
        problem.minimum((successes / failures).ln())
    }

    /// Fits a line to the rows in sorted order; see [`fit_standardised`].
    fn fit_standardised(mut self, penalty: f64) -> Result<(Line, Vec<f64>, Vec<f64>), Error> {
        self.sort();
        let (failures, successes) = self.totals();
        let total = failures + successes;
        if total == 0.0 {
            return Err(Shared::Empty.into());
        }
        check_both_outcomes(failures, successes)?;
        let (mut means, mut scales) = (Vec::new(), Vec::new());
        for column in 0..self.columns {
            let (mean, deviation) = self.mean_and_deviation(column);
            let sizes = (0..self.weights.len()).map(|i| self.row(i)[column].abs());
            let ignored = deviation <= 1e-12 * sizes.fold(0.0, f64::max) || deviation < 1e-100;
            let scale = if ignored { f64::INFINITY } else { deviation };
            self.standardise(column, mean, scale);
            means.push(mean);
            scales.push(scale);
        }
        Ok((self.fit((penalty / total).max(LEAST_RIDGE)), means, scales))
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.features[index * self.columns..][..self.columns]
    }
}

struct Problem<'a> {
    rows: &'a Rows,
    total: f64,
    ridge: f64,
}

/// The loss near a line, as needed for a step of Newton's method.
struct Surroundings {
    loss: f64,
    /// Derivatives of the loss by intercept and slopes.
    gradient: Line,
    /// The possible rounding error of the loss, and of the gradient.
    loss_rounding: f64,
    gradient_rounding: Line,
    /// The second derivative of each row's loss by its log-odds.
    bends: Vec<f64>,
}

impl Problem<'_> {
    fn minimum(&self, intercept: f64) -> Line {
        let mut line = Line { intercept, slopes: vec![0.0; self.rows.columns] };
        let mut here = self.surroundings(&line);
        for _ in 0..STEPS {
            if here.is_minimum() {
                break;
            }
            let step = self.newton_step(&here);
            let taken = (0..60).find_map(|halvings| {
                let next = line.moved(&step, 0.5_f64.powi(halvings));
                let there = self.surroundings(&next);
                here.leads_to(&there, &step).then_some((next, there))
            });
            match taken {
                Some(next) => (line, here) = next,
                None => break,
            }
        }
        line
    }

    fn surroundings(&self, line: &Line) -> Surroundings {
        let columns = self.rows.columns;
        let mut loss = CompensatedSum::default();
        let mut by_intercept = CompensatedSum::default();
        let mut by_slope = vec![CompensatedSum::default(); columns];
        let mut loss_rounding = 0.0;
        let mut rounding = Line { intercept: 0.0, slopes: vec![0.0; columns] };
        let mut bends = Vec::with_capacity(self.rows.weights.len());
        for (i, weights) in self.rows.weights.iter().enumerate() {
            let features = self.rows.row(i);
            let [failures, successes] = weights.map(|weight| weight / self.total);
            let rises = || line.slopes.iter().zip(features).map(|(slope, feature)| slope * feature);
            let z = rises().fold(line.intercept, |z, rise| z + rise);
            // The odds of the less likely outcome. Without `1 - p`, a row that is predicted well
            // keeps the digits of its small residual.
            let odds = (-z.abs()).exp();
            let (likely, unlikely) = (1.0 / (1.0 + odds), odds / (1.0 + odds));
            let (success, failure) = if z >= 0.0 { (likely, unlikely) } else { (unlikely, likely) };
            let (over, under) = (failures * success, successes * failure);
            let bend = (failures + successes) * likely * unlikely;
            loss.add(failures * (z.max(0.0) + odds.ln_1p()));
            loss.add(successes * ((-z).max(0.0) + odds.ln_1p()));
            for residual in [over, -under] {
                by_intercept.add(residual);
                for (sum, feature) in by_slope.iter_mut().zip(features) {
                    sum.add(residual * feature);
                }
            }
            // The rounding of z itself counts if its parts are large and cancel.
            let parts = rises().fold(line.intercept.abs(), |sum, rise| sum + rise.abs());
            loss_rounding += f64::EPSILON * (over + under) * parts;
            let residual_rounding = f64::EPSILON * (over + under + bend * parts);
            rounding.intercept += residual_rounding;
            for (rounding, feature) in rounding.slopes.iter_mut().zip(features) {
                *rounding += residual_rounding * feature.abs();
            }
            bends.push(bend);
        }
        for (i, slope) in line.slopes.iter().enumerate() {
            let pull = self.ridge * slope;
            loss.add(0.5 * pull * slope);
            by_slope[i].add(pull);
            rounding.slopes[i] += f64::EPSILON * pull.abs();
        }
        let loss = loss.value();
        let slopes = by_slope.iter().map(CompensatedSum::value).collect();
        Surroundings {
            loss,
            gradient: Line { intercept: by_intercept.value(), slopes },
            loss_rounding: loss_rounding + f64::EPSILON * loss,
            gradient_rounding: rounding,
            bends,
        }
    }

    /// Minus the gradient over the curvature, by Cholesky's decomposition. Features are taken about
    /// their centre of curvature, where the intercept and the slopes do not mix.
    fn newton_step(&self, here: &Surroundings) -> Line {
        let n = self.rows.columns;
        let bent = || here.bends.iter().enumerate().map(|(i, &bend)| (bend, self.rows.row(i)));
        let along_intercept = sum(here.bends.iter().copied());
        let centre: Vec<f64> = (0..n)
            .map(|j| sum(bent().map(|(bend, row)| bend * row[j])) / along_intercept)
            .collect();
        // The lower triangle of the curvature, then of its root, row by row, and the first of two
        // substitutions with it.
        let mut root = vec![vec![0.0; n]; n];
        let mut slopes = vec![0.0; n];
        for i in 0..n {
            for j in 0..=i {
                let about = |row: &[f64], j: usize| row[j] - centre[j];
                let terms = bent().map(|(bend, row)| bend * about(row, i) * about(row, j));
                let rest = sum(terms) - dot(&root[i][..j], &root[j][..j]);
                root[i][j] = if j < i {
                    rest / root[j][j]
                } else {
                    // Without rounding, the rest is a sum of squares.
                    (rest.max(0.0) + self.ridge).sqrt()
                };
            }
            let pull = here.gradient.slopes[i] - centre[i] * here.gradient.intercept;
            slopes[i] = (-pull - dot(&root[i][..i], &slopes[..i])) / root[i][i];
        }
        for i in (0..n).rev() {
            let above = sum((i + 1..n).map(|j| root[j][i] * slopes[j]));
            slopes[i] = (slopes[i] - above) / root[i][i];
        }
        let level = -here.gradient.intercept / along_intercept;
        Line { intercept: level - dot(&centre, &slopes), slopes }
    }
}

impl Line {
    fn moved(&self, step: &Self, share: f64) -> Self {
        let slopes = self.slopes.iter().zip(&step.slopes).map(|(at, by)| at + share * by);
        Self { intercept: self.intercept + share * step.intercept, slopes: slopes.collect() }
    }
}

impl Surroundings {
    fn is_minimum(&self) -> bool {
        let small = |gradient: f64, rounding: f64| gradient.abs() <= 4.0 * rounding;
        let (gradient, rounding) = (&self.gradient, &self.gradient_rounding);
        small(gradient.intercept, rounding.intercept)
            && gradient.slopes.iter().zip(&rounding.slopes).all(|(&g, &r)| small(g, r))
    }

    /// Returns whether the step from `self` to `there` is acceptable: the loss has not increased, and
    /// its slope along the step at the end is at most a tenth of its initial rate of decrease. Near
    /// the minimum the loss is flat, and only the second condition is informative.
    fn leads_to(&self, there: &Self, step: &Line) -> bool {
        let along = |gradient: &Line| {
            gradient.intercept * step.intercept + dot(&gradient.slopes, &step.slopes)
        };
        let by_slope = there.gradient_rounding.slopes.iter().zip(&step.slopes);
        let rounding = there.gradient_rounding.intercept * step.intercept.abs()
            + by_slope.map(|(rounding, step)| rounding * step.abs()).sum::<f64>();
        along(&there.gradient) <= -0.1 * along(&self.gradient) + 4.0 * rounding
            && there.loss <= self.loss + 4.0 * (self.loss_rounding + there.loss_rounding)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    terms.for_each(|term| sum.add(term));
    sum.value()
}

#[cfg(test)]
mod minimum_tests;
#[cfg(test)]
mod tests;
