use scoring_rules::CompensatedSum;

/// All records of one feature value, their weight as shares of the weight of all records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) feature: f64,
    pub(crate) failures: f64,
    pub(crate) successes: f64,
}

/// The log-odds of success, `intercept + slope * feature`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) intercept: f64,
    pub(crate) slope: f64,
}

/// Logistic regression on one feature with a penalty on the slope:
///
/// ```text
/// loss = sum of share * -ln P(outcome) + ridge / 2 * slope^2
/// ```
///
/// Strictly convex where both outcomes occur, as the ridge is positive: there is one minimum.
pub(crate) struct RidgeLogistic {
    records: Vec<Record>,
    ridge: f64,
}

/// The loss around a line: what a step of Newton's method needs.
struct Surroundings {
    loss: f64,
    /// Derivatives of the loss by intercept and by slope.
    gradient: [f64; 2],
    /// How much of loss and gradient may be rounding.
    loss_rounding: f64,
    gradient_rounding: [f64; 2],
    /// The second derivative of each record's loss by its log-odds.
    bends: Vec<f64>,
}

impl RidgeLogistic {
    /// Under the smallest ridge, separated classes are as far apart as an f64 below 1 can be; under
    /// the largest, no slope is left to see.
    const RIDGE_RANGE: (f64, f64) = (1e-20, 1e20);

    /// Steps taken at most. Real data take about 6; weights and ridges over the whole of their
    /// ranges, in millions of random cases, took 69.
    const STEPS: usize = 500;

    /// A gradient this small may be what is left of numbers too small for an f64.
    const UNDERFLOW: f64 = 1e-300;

    pub(crate) fn new(records: Vec<Record>, ridge: f64) -> Self {
        Self { records, ridge: ridge.clamp(Self::RIDGE_RANGE.0, Self::RIDGE_RANGE.1) }
    }

    /// The minimum, from a line of slope 0: Newton's method, a step that goes too far being halved,
    /// until the gradient is nothing but rounding.
    ///
    /// Reference: Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support
    /// vector machines, doi:10.1007/s10994-007-5018-6; there with other targets and no penalty.
    pub(crate) fn minimum(&self, intercept: f64) -> Line {
        let mut line = Line { intercept, slope: 0.0 };
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
                    slope: line.slope + share * step.slope,
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

    fn surroundings(&self, line: Line) -> Surroundings {
        let mut loss = CompensatedSum::default();
        let mut gradient = [CompensatedSum::default(); 2];
        let (mut loss_rounding, mut gradient_rounding) = (0.0, [Self::UNDERFLOW; 2]);
        let mut bends = Vec::with_capacity(self.records.len());
        for &Record { feature, failures, successes } in &self.records {
            let rise = line.slope * feature;
            let z = line.intercept + rise;
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
                gradient[0].add(residual);
                gradient[1].add(residual * feature);
            }
            // The rounding of z itself counts where its parts are large and cancel.
            let parts = line.intercept.abs() + rise.abs();
            loss_rounding += f64::EPSILON * (over + under) * parts;
            let residual_rounding = f64::EPSILON * (over + under + bend * parts);
            gradient_rounding[0] += residual_rounding;
            gradient_rounding[1] += residual_rounding * feature.abs();
            bends.push(bend);
        }
        let pull = self.ridge * line.slope;
        loss.add(0.5 * pull * line.slope);
        gradient[1].add(pull);
        let loss = loss.value();
        Surroundings {
            loss,
            gradient: gradient.map(|sum| sum.value()),
            loss_rounding: loss_rounding + f64::EPSILON * loss,
            gradient_rounding: [
                gradient_rounding[0],
                gradient_rounding[1] + f64::EPSILON * pull.abs(),
            ],
            bends,
        }
    }

    fn newton_step(&self, here: &Surroundings) -> Line {
        let bent = || self.records.iter().zip(&here.bends);
        let sum = |term: fn(f64, f64) -> f64, about: f64| {
            let mut sum = CompensatedSum::default();
            bent().for_each(|(record, &bend)| sum.add(term(bend, record.feature - about)));
            sum.value()
        };
        let along_intercept = sum(|bend, _| bend, 0.0);
        // About the centre of curvature the two directions do not mix, and the curvature along the
        // slope is a sum of squares.
        let centre = sum(|bend, feature| bend * feature, 0.0) / along_intercept;
        let along_slope = sum(|bend, feature| bend * feature * feature, centre) + self.ridge;
        let slope = -(here.gradient[1] - centre * here.gradient[0]) / along_slope;
        Line { intercept: -here.gradient[0] / along_intercept - centre * slope, slope }
    }
}

impl Surroundings {
    fn is_minimum(&self) -> bool {
        let [(a, a_rounding), (b, b_rounding)] =
            [0, 1].map(|i| (self.gradient[i].abs(), self.gradient_rounding[i]));
        a <= 4.0 * a_rounding && b <= 4.0 * b_rounding
    }

    /// Whether a step, or the part of it that ends there, is a good one: the loss has not risen,
    /// and along the step it does not climb by more than a tenth of how it fell at the start. Near
    /// the minimum only the second shows anything, as the loss is flat there.
    fn leads_to(&self, there: &Self, step: Line) -> bool {
        let along = |[a, b]: [f64; 2]| a * step.intercept + b * step.slope;
        let rounding = there.gradient_rounding[0] * step.intercept.abs()
            + there.gradient_rounding[1] * step.slope.abs();
        along(there.gradient) <= -0.1 * along(self.gradient) + 4.0 * rounding
            && there.loss <= self.loss + 4.0 * (self.loss_rounding + there.loss_rounding)
    }
}

/// `1 / (1 + e^-z)`, to all digits on both sides.
pub(crate) fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let odds = z.exp();
        odds / (1.0 + odds)
    }
}

/// `ln(p / (1 - p))`, to all digits also near one half.
pub(crate) fn logit(p: f64) -> f64 {
    if (p - 0.5).abs() < 0.25 {
        ((2.0 * p - 1.0) / (1.0 - p)).ln_1p()
    } else {
        (p / (1.0 - p)).ln()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A problem with its feature standardised, and where to start; `None` with one class only.
    fn problem(rows: &[(f64, f64, f64)], ridge: f64) -> Option<(RidgeLogistic, f64)> {
        let sum = |term: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(term).sum::<f64>();
        let (failures, successes) = (sum(&|row| row.1), sum(&|row| row.2));
        let total = failures + successes;
        let mean = sum(&|row| (row.1 + row.2) / total * row.0);
        let variance = sum(&|row| (row.1 + row.2) / total * (row.0 - mean).powi(2));
        let scale = variance.sqrt().max(1e-6);
        let record = |&(feature, failures, successes): &(f64, f64, f64)| Record {
            feature: (feature - mean) / scale,
            failures: failures / total,
            successes: successes / total,
        };
        let fit = RidgeLogistic::new(rows.iter().map(record).collect(), ridge);
        (failures > 0.0 && successes > 0.0).then_some((fit, successes.ln() - failures.ln()))
    }

    /// The part of the gradient that its terms have not cancelled, in the worse direction.
    fn relative_gradient(fit: &RidgeLogistic, line: Line) -> f64 {
        let mut sums = [(0.0_f64, f64::MIN_POSITIVE); 2];
        let mut add = |i: usize, term: f64| sums[i] = (sums[i].0 + term, sums[i].1 + term.abs());
        for &Record { feature, failures, successes } in &fit.records {
            let z = line.intercept + line.slope * feature;
            for residual in [failures * sigmoid(z), -successes * sigmoid(-z)] {
                add(0, residual);
                add(1, residual * feature);
            }
        }
        add(1, fit.ridge * line.slope);
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
    }

    #[test]
    fn log_odds_keep_their_digits_at_the_middle_and_at_the_ends() {
        approx::assert_relative_eq!(
            logit(0.5_f64.next_up()),
            2.0 * f64::EPSILON,
            max_relative = 1e-15
        );
        approx::assert_relative_eq!(logit(1e-300), 1e-300_f64.ln(), max_relative = 1e-15);
        for z in [-700.0, -30.0, -1.2, -1e-9, 0.0, 1e-3, 1.0, 20.0] {
            approx::assert_relative_eq!(logit(sigmoid(z)), z, epsilon = 1e-15, max_relative = 1e-8);
        }
    }
}
