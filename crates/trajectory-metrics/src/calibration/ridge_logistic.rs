use std::array::from_fn;

use scoring_rules::CompensatedSum;

/// All records of the same features, their weight as shares of the weight of all records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<const N: usize> {
    pub(crate) features: [f64; N],
    pub(crate) failures: f64,
    pub(crate) successes: f64,
}

/// The log-odds of success, `intercept + sum of slope * feature`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line<const N: usize> {
    pub(crate) intercept: f64,
    pub(crate) slopes: [f64; N],
}

/// Logistic regression on a few features with a penalty on the slopes:
///
/// ```text
/// loss = sum of share * -ln P(outcome) + ridge / 2 * sum of slope^2
/// ```
///
/// Strictly convex where both outcomes occur, as the ridge is positive: there is one minimum.
pub(crate) struct RidgeLogistic<const N: usize> {
    records: Vec<Record<N>>,
    ridge: f64,
}

/// The loss around a line: what a step of Newton's method needs.
struct Surroundings<const N: usize> {
    loss: f64,
    /// Derivatives of the loss by intercept and by slopes.
    gradient: Line<N>,
    /// How much of loss and gradient may be rounding.
    loss_rounding: f64,
    gradient_rounding: Line<N>,
    /// The second derivative of each record's loss by its log-odds.
    bends: Vec<f64>,
}

impl<const N: usize> RidgeLogistic<N> {
    /// Under the smallest ridge, separated classes are as far apart as an f64 below 1 can be; under
    /// the largest, no slope is left to see.
    const RIDGE_RANGE: (f64, f64) = (1e-20, 1e20);

    /// Steps taken at most. Real data take about 6; weights and ridges over the whole of their
    /// ranges, in millions of random cases, took 69.
    const STEPS: usize = 500;

    /// A gradient this small may be what is left of numbers too small for an f64.
    const UNDERFLOW: f64 = 1e-300;

    pub(crate) fn new(records: Vec<Record<N>>, ridge: f64) -> Self {
        Self { records, ridge: ridge.clamp(Self::RIDGE_RANGE.0, Self::RIDGE_RANGE.1) }
    }

    /// The minimum, from a line of slope 0: Newton's method, a step that goes too far being halved,
    /// until the gradient is nothing but rounding.
    ///
    /// Reference: Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support
    /// vector machines, doi:10.1007/s10994-007-5018-6; there with other targets and no penalty.
    pub(crate) fn minimum(&self, intercept: f64) -> Line<N> {
        let mut line = Line { intercept, slopes: [0.0; N] };
        let mut here = self.surroundings(line);
        for _ in 0..Self::STEPS {
            if here.is_minimum() {
                break;
            }
            let step = self.newton_step(&here);
            let taken = (0..1_070).find_map(|halvings| {
                let share = 0.5_f64.powi(halvings);
                let next = Line {
                    intercept: line.intercept + share * step.intercept,
                    slopes: from_fn(|i| line.slopes[i] + share * step.slopes[i]),
                };
                let there = self.surroundings(next);
                here.leads_to(&there, step).then_some((next, there))
            });
            match taken {
                Some(next) => (line, here) = next,
                None => break,
            }
        }
        line
    }

    fn surroundings(&self, line: Line<N>) -> Surroundings<N> {
        let mut loss = CompensatedSum::default();
        let mut by_intercept = CompensatedSum::default();
        let mut by_slope = [CompensatedSum::default(); N];
        let mut loss_rounding = 0.0;
        let mut rounding = Line { intercept: Self::UNDERFLOW, slopes: [Self::UNDERFLOW; N] };
        let mut bends = Vec::with_capacity(self.records.len());
        for &Record { features, failures, successes } in &self.records {
            let rises: [f64; N] = from_fn(|i| line.slopes[i] * features[i]);
            let z = rises.iter().fold(line.intercept, |z, rise| z + rise);
            // The odds of the less likely outcome. No 1 - p here: a record on its right side keeps
            // the digits of its small residual.
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
            // The rounding of z itself counts where its parts are large and cancel.
            let parts = rises.iter().fold(line.intercept.abs(), |sum, rise| sum + rise.abs());
            loss_rounding += f64::EPSILON * (over + under) * parts;
            let residual_rounding = f64::EPSILON * (over + under + bend * parts);
            rounding.intercept += residual_rounding;
            for (rounding, feature) in rounding.slopes.iter_mut().zip(features) {
                *rounding += residual_rounding * feature.abs();
            }
            bends.push(bend);
        }
        for (i, slope) in line.slopes.into_iter().enumerate() {
            let pull = self.ridge * slope;
            loss.add(0.5 * pull * slope);
            by_slope[i].add(pull);
            rounding.slopes[i] += f64::EPSILON * pull.abs();
        }
        let loss = loss.value();
        Surroundings {
            loss,
            gradient: Line {
                intercept: by_intercept.value(),
                slopes: by_slope.map(|sum| sum.value()),
            },
            loss_rounding: loss_rounding + f64::EPSILON * loss,
            gradient_rounding: rounding,
            bends,
        }
    }

    fn newton_step(&self, here: &Surroundings<N>) -> Line<N> {
        let sum = |term: &dyn Fn(f64, &[f64; N]) -> f64| {
            let mut sum = CompensatedSum::default();
            let bent = self.records.iter().zip(&here.bends);
            bent.for_each(|(record, &bend)| sum.add(term(bend, &record.features)));
            sum.value()
        };
        let along_intercept = sum(&|bend, _| bend);
        // About the centre of curvature intercept and slopes do not mix.
        let centre: [f64; N] =
            from_fn(|i| sum(&|bend, features| bend * features[i]) / along_intercept);
        let along = |features: &[f64; N], direction: &[f64; N]| {
            (0..N).fold(0.0, |sum, i| sum + direction[i] * (features[i] - centre[i]))
        };
        let curvature = |u: &[f64; N], v: &[f64; N]| {
            let ridge = self.ridge * dot(u, v);
            sum(&|bend, features| bend * along(features, u) * along(features, v)) + ridge
        };
        // Directions that do not mix either, made one from the other. The curvature along each is
        // a sum of squares and the ridge, so that features that nearly agree do no harm.
        let gradient: [f64; N] =
            from_fn(|i| here.gradient.slopes[i] - centre[i] * here.gradient.intercept);
        let mut slopes = [0.0; N];
        let mut directions = [([0.0; N], 1.0); N];
        for i in 0..N {
            let mut direction: [f64; N] = from_fn(|j| f64::from(u8::from(i == j)));
            let unit = direction;
            for &(before, bend) in &directions[..i] {
                let share = curvature(&unit, &before) / bend;
                direction = from_fn(|j| direction[j] - share * before[j]);
            }
            let bend = curvature(&direction, &direction);
            let length = -dot(&gradient, &direction) / bend;
            slopes = from_fn(|j| slopes[j] + length * direction[j]);
            directions[i] = (direction, bend);
        }
        let level = -here.gradient.intercept / along_intercept;
        Line { intercept: level - dot(&centre, &slopes), slopes }
    }
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    (0..N).fold(0.0, |sum, i| sum + a[i] * b[i])
}

impl<const N: usize> Surroundings<N> {
    fn is_minimum(&self) -> bool {
        let small = |gradient: f64, rounding: f64| gradient.abs() <= 4.0 * rounding;
        let (gradient, rounding) = (self.gradient, self.gradient_rounding);
        small(gradient.intercept, rounding.intercept)
            && (0..N).all(|i| small(gradient.slopes[i], rounding.slopes[i]))
    }

    /// Whether a step, or the part of it that ends there, is a good one: the loss has not risen,
    /// and along the step it does not climb by more than a tenth of how it fell at the start. Near
    /// the minimum only the second shows anything, as the loss is flat there.
    fn leads_to(&self, there: &Self, step: Line<N>) -> bool {
        let along = |gradient: Line<N>| {
            gradient.intercept * step.intercept + dot(&gradient.slopes, &step.slopes)
        };
        let steps = step.slopes.map(f64::abs);
        let rounding = there.gradient_rounding.intercept * step.intercept.abs()
            + dot(&there.gradient_rounding.slopes, &steps);
        along(there.gradient) <= -0.1 * along(self.gradient) + 4.0 * rounding
            && there.loss <= self.loss + 4.0 * (self.loss_rounding + there.loss_rounding)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calibration::log_odds::sigmoid;

    /// A problem with its feature standardised, and where to start; `None` with one class only.
    fn problem(rows: &[(f64, f64, f64)], ridge: f64) -> Option<(RidgeLogistic<1>, f64)> {
        let sum = |term: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(term).sum::<f64>();
        let (failures, successes) = (sum(&|row| row.1), sum(&|row| row.2));
        let total = failures + successes;
        let mean = sum(&|row| (row.1 + row.2) / total * row.0);
        let variance = sum(&|row| (row.1 + row.2) / total * (row.0 - mean).powi(2));
        let scale = variance.sqrt().max(1e-6);
        let record = |&(feature, failures, successes): &(f64, f64, f64)| Record {
            features: [(feature - mean) / scale],
            failures: failures / total,
            successes: successes / total,
        };
        let fit = RidgeLogistic::new(rows.iter().map(record).collect(), ridge);
        (failures > 0.0 && successes > 0.0).then_some((fit, successes.ln() - failures.ln()))
    }

    /// The part of the gradient that its terms have not cancelled, in the worse direction.
    fn relative_gradient(fit: &RidgeLogistic<1>, line: Line<1>) -> f64 {
        let mut sums = [(0.0_f64, f64::MIN_POSITIVE); 2];
        let mut add = |i: usize, term: f64| sums[i] = (sums[i].0 + term, sums[i].1 + term.abs());
        for &Record { features: [feature], failures, successes } in &fit.records {
            let z = line.intercept + line.slopes[0] * feature;
            for residual in [failures * sigmoid(z), -successes * sigmoid(-z)] {
                add(0, residual);
                add(1, residual * feature);
            }
        }
        add(1, fit.ridge * line.slopes[0]);
        sums.into_iter().map(|(sum, size)| sum.abs() / size).fold(0.0, f64::max)
    }

    fn ten_to(low: f64, high: f64) -> impl Strategy<Value = f64> {
        (low..high).prop_map(|power| 10.0_f64.powf(power))
    }

    proptest! {
        #[test]
        fn at_the_minimum_the_gradient_is_zero_to_13_digits(
            rows in prop::collection::vec((-14.0..14.0_f64, 0.0..3.0_f64, 0.0..3.0_f64), 2..60),
            ridge in ten_to(-4.0, 4.0),
        ) {
            let (fit, start) = problem(&rows, ridge).unwrap();
            let gradient = relative_gradient(&fit, fit.minimum(start));
            prop_assert!(gradient < 1e-13, "{gradient:e}");
        }

        #[test]
        fn however_wild_the_weights_the_search_ends_at_the_minimum(
            rows in prop::collection::vec(
                (
                    prop_oneof![-3.0..3.0_f64, ten_to(-9.0, 2.0), ten_to(-9.0, 2.0).prop_map(|x| -x)],
                    prop_oneof![Just(0.0), 0.1..3.0_f64, ten_to(-200.0, 0.0)],
                    prop_oneof![Just(0.0), 0.1..3.0_f64, ten_to(-200.0, 0.0)],
                ),
                1..12,
            ),
            ridge in ten_to(-30.0, 30.0),
        ) {
            if let Some((fit, start)) = problem(&rows, ridge) {
                let line = fit.minimum(start);
                prop_assert!(fit.surroundings(line).is_minimum(), "{line:?}");
            }
        }

        #[test]
        fn two_features_that_nearly_agree_do_no_harm(
            rows in prop::collection::vec(
                (-3.0..3.0_f64, -1.0..1.0_f64, 0.0..3.0_f64, 0.0..3.0_f64), 2..40,
            ),
            apart in prop_oneof![Just(0.0), ten_to(-12.0, 0.0)],
            ridge in ten_to(-14.0, 2.0),
        ) {
            let records = rows.iter().map(|&(x, noise, failures, successes)| Record {
                features: [x, x + apart * noise],
                failures: failures / 100.0,
                successes: successes / 100.0,
            });
            let fit = RidgeLogistic::new(records.collect(), ridge);
            let line = fit.minimum(0.0);
            prop_assert!(fit.surroundings(line).is_minimum(), "{line:?}");
        }
    }
}
