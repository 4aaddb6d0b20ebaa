use scoring_rules::CompensatedSum;

/// All records of one feature value, as shares of the weight of all records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) feature: f64,
    pub(crate) failures: f64,
    pub(crate) successes: f64,
}

/// Logistic regression on one feature with a penalty on the slope:
///
/// ```text
/// sum of -ln P(outcome) + ridge / 2 * slope^2,  P(success) = sigmoid(intercept + slope * feature)
/// ```
///
/// Strictly convex where both outcomes occur and the ridge is positive, so there is one minimum.
pub(crate) struct RidgeLogistic {
    records: Vec<Record>,
    ridge: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) intercept: f64,
    pub(crate) slope: f64,
}

/// The loss around a line, as far as its two derivatives show it.
struct Surroundings {
    loss: f64, loss_rounding: f64,
    /// Derivatives of the loss by intercept and slope.
    gradient: [f64; 2],
    /// The size of what may be only rounding in them.
    rounding: [f64; 2],
    /// The second derivative of each record's loss by its log-odds.
    bends: Vec<f64>,
}

impl RidgeLogistic {
    /// A ridge that is smaller or larger than these decides nothing more that an f64 could show.
    pub(crate) const RIDGE_RANGE: (f64, f64) = (1e-250, 1e250);

    /// Steps taken at most. Separated classes under the smallest ridge take about 600, data from
    /// life about 6.
    const STEPS: usize = 2_000;

    pub(crate) fn new(records: Vec<Record>, ridge: f64) -> Self {
        Self { records, ridge: ridge.clamp(Self::RIDGE_RANGE.0, Self::RIDGE_RANGE.1) }
    }

    /// The minimum, from a line of slope 0: Newton's method, where a step that goes too far is
    /// halved. Looks at derivatives only, which show the minimum to twice the digits of the loss,
    /// and ends where they are nothing but rounding.
    ///
    /// Reference: Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support
    /// vector machines, doi:10.1007/s10994-007-5018-6; there with other targets and no penalty.
    pub(crate) fn minimum(&self, intercept: f64) -> Line {
        let mut line = Line { intercept, slope: 0.0 };
        let mut here = self.surroundings(line);
        for count in 0..Self::STEPS {
            COUNT.fetch_max(count, std::sync::atomic::Ordering::Relaxed);
            if count == Self::STEPS-1 { println!("LIMIT {:e} {:?}", self.ridge, self.records); }
            if (0..2).all(|i| here.gradient[i].abs() <= 4.0 * here.rounding[i]) {
                break;
            }
            let step = self.newton_step(&here);
            let along = |there: &Surroundings| {
                there.gradient[0] * step.intercept + there.gradient[1] * step.slope
            };
            let falls = along(&here);
            let tried = (0..1_070).map(|halvings| 0.5_f64.powi(halvings)).find_map(|share| {
                let next = Line {
                    intercept: line.intercept + share * step.intercept,
                    slope: line.slope + share * step.slope,
                };
                let there = self.surroundings(next);
                let rounding = there.rounding[0] * step.intercept.abs()
                    + there.rounding[1] * step.slope.abs();
                // Up again on the other side, and more than a little: too far.
                (along(&there) <= -0.1 * falls + 4.0*rounding && there.loss <= here.loss + 4.0*(here.loss_rounding + there.loss_rounding)).then_some((next, there))
            });
            match tried {
                Some(next) => (line, here) = next,
                None => { println!("STUCK"); break},
            }
        }
        line
    }

    fn surroundings(&self, line: Line) -> Surroundings {
        let mut gradient = [CompensatedSum::default(); 2];
        let mut rounding = [f64::MIN_POSITIVE; 2]; let mut loss_rounding = 0.0;
        let mut loss = CompensatedSum::default();
        let mut bends = Vec::with_capacity(self.records.len());
        for record in &self.records {
            let rise = line.slope * record.feature;
            let z = line.intercept + rise;
            // No 1 - p here: a record on its right side keeps its small residual's digits.
            let (success, failure) = (sigmoid(z), sigmoid(-z));
            let (over, under) = (record.failures * success, record.successes * failure);
            let bend = (record.failures + record.successes) * success * failure;
            for residual in [over, -under] {
                gradient[0].add(residual);
                gradient[1].add(residual * record.feature);
            }
            let size = over + under + bend * (line.intercept.abs() + rise.abs());
            rounding[0] += f64::EPSILON * size;
            rounding[1] += f64::EPSILON * size * record.feature.abs();
            bends.push(bend);
            loss_rounding += f64::EPSILON * (over + under) * (line.intercept.abs() + rise.abs());
            let small = (-z.abs()).exp().ln_1p();
            loss.add(record.failures * (z.max(0.0) + small));
            loss.add(record.successes * ((-z).max(0.0) + small));
        }
        let pull = self.ridge * line.slope;
        gradient[1].add(pull);
        rounding[1] += f64::EPSILON * self.ridge * (line.slope.abs() + f64::MIN_POSITIVE);
        loss.add(0.5 * pull * line.slope);
        let loss = loss.value(); loss_rounding += f64::EPSILON * loss;
        Surroundings { loss, loss_rounding, gradient: gradient.map(|sum| sum.value()), rounding, bends }
    }

    fn newton_step(&self, here: &Surroundings) -> Line {
        let mut sums = [CompensatedSum::default(); 3];
        for (record, bend) in self.records.iter().zip(&here.bends) {
            sums[0].add(*bend);
            sums[1].add(bend * record.feature);
        }
        // About the centre of curvature the two directions do not mix, and the curvature along the
        // slope is a sum of squares.
        let centre = sums[1].value() / sums[0].value();
        for (record, bend) in self.records.iter().zip(&here.bends) {
            sums[2].add(bend * (record.feature - centre).powi(2));
        }
        sums[2].add(self.ridge);
        let slope = -(here.gradient[1] - centre * here.gradient[0]) / sums[2].value();
        Line { intercept: -here.gradient[0] / sums[0].value() - centre * slope, slope }
    }
}

pub(crate) static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

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

    /// The largest share of the gradient that its terms have not cancelled, in either direction.
    fn relative_gradient(fit: &RidgeLogistic, line: Line) -> f64 {
        let mut along = [(0.0, 0.0); 2];
        let mut add = |i: usize, term: f64| {
            along[i].0 += term;
            along[i].1 += f64::abs(term);
        };
        for record in &fit.records {
            let z = line.intercept + line.slope * record.feature;
            for residual in [record.failures * sigmoid(z), -record.successes * sigmoid(-z)] {
                add(0, residual);
                add(1, residual * record.feature);
            }
        }
        add(1, fit.ridge * line.slope);
        along
            .iter()
            .map(|(sum, size)| if *size == 0.0 { 0.0 } else { sum.abs() / size })
            .fold(0.0, f64::max)
    }

    fn fit(records: &[(f64, f64, f64)], ridge: f64) -> (RidgeLogistic, f64) {
        let of = |pick: fn(&(f64, f64, f64)) -> f64| records.iter().map(pick).sum::<f64>();
        let (failures, successes) = (of(|r| r.1), of(|r| r.2));
        let total = failures + successes;
        let mean: f64 = records.iter().map(|r| (r.1 + r.2) / total * r.0).sum();
        let std = records
            .iter()
            .map(|r| (r.1 + r.2) / total * (r.0 - mean).powi(2))
            .sum::<f64>()
            .sqrt()
            .max(1e-6);
        let records: Vec<_> = records.iter().map(|r| ((r.0 - mean) / std, r.1, r.2)).collect();
        let records = records
            .iter()
            .map(|&(feature, f, s)| Record { feature, failures: f / total, successes: s / total })
            .collect();
        (RidgeLogistic::new(records, ridge), successes.ln() - failures.ln())
    }

    const SPAN: f64 = 20.0;
    fn weight() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), 0.1..3.0_f64, (-SPAN..0.0_f64).prop_map(|e| 10.0_f64.powf(e))]
    }

    fn feature() -> impl Strategy<Value = f64> {
        prop_oneof![
            -3.0..3.0_f64,
            (-9.0..2.0_f64).prop_map(|e| 10.0_f64.powf(e)),
            (-9.0..2.0_f64).prop_map(|e| -10.0_f64.powf(e))
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { max_global_rejects: 100_000_000, ..ProptestConfig::with_cases(5_000_000) })]
        #[test]
        fn wild(
            records in prop::collection::vec((feature(), weight(), weight()), 1..12),
            ridge in (-20.0..20.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        ) {
            prop_assume!(records.iter().any(|r| r.1 > 0.0) && records.iter().any(|r| r.2 > 0.0));
            let (fit, start) = fit(&records, ridge);
            let line = fit.minimum(start);
            let g = relative_gradient(&fit, line);
            if !(g < 1e-10) { println!("{} {g:e} {line:?} ridge {ridge:e} {records:?}", COUNT.load(std::sync::atomic::Ordering::Relaxed)); }
        }
    }
}
