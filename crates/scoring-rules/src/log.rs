use crate::{
    Error, Probability, ScoringRule, StepWeights,
    log_product::{log_of_falling_powers, log_of_product, safe_pairs},
};

/// The logarithmic score, `ln` of the probability given to what happened, in nats.
///
/// Between minus infinity and 0, strictly proper, symmetric. [`LogScore::exact`] is the score as
/// defined; [`LogScore::clipped`] moves forecasts into `[eps, 1 - eps]` first, which bounds it by
/// `ln eps` and makes it proper but no longer strictly so: reports beyond the clip tie.
///
/// Reference: Good (1952), Rational decisions, doi:10.1111/j.2517-6161.1952.tb00104.x.
///
/// ```
/// use scoring_rules::{LogScore, Probability, ScoringRule};
///
/// let p = Probability::new(0.25)?;
/// assert_eq!(LogScore::exact().score(p, true), 0.25_f64.ln());
/// assert_eq!(LogScore::exact().score(Probability::ZERO, true), f64::NEG_INFINITY);
/// assert_eq!(LogScore::clipped(1e-6)?.score(Probability::ZERO, true), 1e-6_f64.ln());
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogScore {
    /// 0 for the exact score.
    clip: f64,
    /// Follows from the clip; kept because it takes a logarithm.
    safe_pairs: usize,
}

impl LogScore {
    /// The score as defined: minus infinity for a certainty that was wrong.
    #[must_use]
    pub fn exact() -> Self {
        Self { clip: 0.0, safe_pairs: safe_pairs(0.0) }
    }

    /// The score of the forecast moved into `[eps, 1 - eps]`. Applied to what was given to the
    /// outcome that happened, so that both outcomes have the same floor, exactly `ln eps`.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `0 < eps < 1/2`.
    pub fn clipped(eps: f64) -> Result<Self, Error> {
        if eps > 0.0 && eps < 0.5 {
            Ok(Self { clip: eps, safe_pairs: safe_pairs(eps) })
        } else {
            Err(Error::Parameter { name: "eps", value: eps, range: "above 0 and below 1/2" })
        }
    }

    /// The probability that counts where `p` was given to the event and the event happened.
    #[inline]
    fn clip(self, p: f64) -> f64 {
        // Not f64::clamp, which checks its limits and looks for NaN on every call.
        let (low, high) = (self.clip, 1.0 - self.clip);
        let p = if p > low { p } else { low };
        if p < high { p } else { high }
    }

    /// The weighted sum by way of one product; `None` where the product would lose digits.
    #[inline]
    fn sum_by_product(
        self,
        forecasts: &[Probability],
        outcome: bool,
        weights: StepWeights,
    ) -> Option<f64> {
        let n = forecasts.len();
        let (first, last) = (forecasts.first()?, forecasts.last()?);
        // |p - 0| for a success and |p - 1| for a failure: no branch on the outcome.
        let failure = f64::from(!outcome);
        let factor = |forecast: Probability| self.clip((forecast.get() - failure).abs());
        // An odd number of steps gets a factor of one in front; no branch on that either.
        let odd = n % 2;
        let alone = |step: &Probability| [1.0, factor(*step).max(f64::from(1 - odd as i32))];
        let pairs = || {
            forecasts[odd..].as_chunks::<2>().0.iter().map(|&[a, b]| [factor(a), factor(b)])
        };
        let (safe, all) = (self.safe_pairs, (n * (n + 1) / 2) as i64 as f64);
        let (sum, total_weight) = match weights {
            StepWeights::Equal => (log_of_product(alone(first), pairs(), safe)?, n as f64),
            StepWeights::Falling { first: weight } => {
                let rest = weight.checked_sub(n)?;
                let sum = log_of_falling_powers(alone(first), pairs(), safe)?;
                if rest == 0 {
                    (sum, all)
                } else {
                    // The first part of a longer run: every weight is larger by the same number.
                    let (rest, steps) = (rest as f64, n as f64);
                    (sum + rest * log_of_product(alone(first), pairs(), safe)?, all + rest * steps)
                }
            }
            StepWeights::Rising => {
                let pairs = forecasts[..n - odd].as_chunks::<2>().0.iter().rev();
                let mirrored = pairs.map(|&[a, b]| [factor(b), factor(a)]);
                (log_of_falling_powers(alone(last), mirrored, safe)?, all)
            }
        };
        (sum < -NEARLY_RIGHT * total_weight).then_some(sum)
    }
}

impl ScoringRule for LogScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        let (p, rest) = (forecast.get(), forecast.complement().get());
        let (given, against) = if outcome { (p, rest) } else { (rest, p) };
        if given <= self.clip {
            self.clip.ln()
        } else if given < 0.5 {
            given.ln()
        } else {
            // Keeps every digit of a small `against`, which `given` has rounded away.
            0.0 + (-against.max(self.clip)).ln_1p()
        }
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (p, q) = (self.clip(forecast.get()), truth.get());
        if q == self.clip(q) {
            kullback_leibler(q, p)
        } else {
            q * (self.clip(q).ln() - p.ln()) + (1.0 - q) * ((-self.clip(q)).ln_1p() - (-p).ln_1p())
        }
    }

    /// One logarithm a run instead of one a step: a sum of logs with whole weights is the log of
    /// a product of prefix products. Within 1e-12 relative of the sum of logs; falls back to that
    /// sum where the product could not hold this, which is where all forecasts are nearly right
    /// (mean score above -0.001) or one of them gives what happened less than 1e-18.
    #[inline]
    fn weighted_sum(&self, forecasts: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        self.sum_by_product(forecasts, outcome, weights)
            .unwrap_or_else(|| weights.sum(forecasts, |p| self.score(p, outcome)))
    }
}

/// Mean scores closer to zero than this are summed log by log: a product is rounded relative to 1,
/// its log therefore absolutely, by about 2^-52 times the total weight.
const NEARLY_RIGHT: f64 = 1.0 / 1024.0;

/// `q ln (q / p) + (1 - q) ln ((1 - q) / (1 - p))`, with every digit where p is close to q.
fn kullback_leibler(q: f64, p: f64) -> f64 {
    if q == 0.0 {
        return -(-p).ln_1p();
    }
    if q == 1.0 {
        return -p.ln();
    }
    let gap = p - q;
    excess(p, q, gap) + excess(1.0 - p, 1.0 - q, -gap)
}

/// `gap - q ln (p / q)` for a p that is `q + gap`, rounded; never negative.
fn excess(p: f64, q: f64, gap: f64) -> f64 {
    let x = gap / q;
    if x.is_infinite() {
        // The log of even the largest ratio times such a small q does not count.
        return gap;
    }
    if x.abs() >= 0.4 {
        return gap - q * (p / q).ln();
    }
    // With s = x / (2 + x): ln (1 + x) = 2 (s + s^3/3 + s^5/5 + …) and x - 2 s = s x, so that the
    // leading terms cancel on paper and not in the machine.
    let s = x / (2.0 + x);
    let (mut power, mut tail, mut k) = (s * s * s, 0.0, 3.0);
    while power.abs() / k > 1e-18 * (s * x).abs() {
        tail += power / k;
        power *= s * s;
        k += 2.0;
    }
    q * (s * x - 2.0 * tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weights(n: usize) -> [StepWeights; 4] {
        [
            StepWeights::Equal,
            StepWeights::Falling { first: n },
            StepWeights::Falling { first: 3 * n + 1 },
            StepWeights::Rising,
        ]
    }

    fn check(rule: LogScore, values: &[f64]) {
        let forecasts = Probability::from_slice(values).unwrap();
        for outcome in [false, true] {
            for weights in weights(values.len()) {
                let by_product = rule.weighted_sum(forecasts, outcome, weights);
                let by_logs = weights.sum(forecasts, |p| rule.score(p, outcome));
                if by_logs.is_infinite() {
                    assert_eq!(by_product, by_logs);
                } else {
                    approx::assert_relative_eq!(by_product, by_logs, max_relative = 1e-12);
                }
            }
        }
    }

    #[test]
    fn products_that_would_underflow_are_split_in_time() {
        let clipped = LogScore::clipped(1e-6).unwrap();
        let ends = [0.0, 1.0, 1e-6, 0.5, 1e-18, 1e-19, 1e-300, 5e-324, 1.0 - f64::EPSILON / 2.0];
        for n in [1, 2, 9, 10, 48, 49, 500, 5_000] {
            for &end in &ends {
                let mut values = vec![end; n];
                check(clipped, &values);
                check(LogScore::exact(), &values);
                values[n / 2] = 0.3;
                check(LogScore::clipped(1e-300).unwrap(), &values);
            }
        }
    }

    #[test]
    fn a_clip_that_is_none_is_refused() {
        for value in [0.0, -0.1, 0.5, f64::INFINITY] {
            let error = LogScore::clipped(value).unwrap_err();
            assert!(matches!(error, Error::Parameter { name: "eps", .. }));
        }
        assert!(LogScore::clipped(f64::NAN).is_err());
    }

    #[test]
    fn the_floor_of_the_clipped_score_is_the_log_of_the_clip_for_both_outcomes() {
        let rule = LogScore::clipped(1e-6).unwrap();
        assert_eq!(rule.score(Probability::ZERO, true), 1e-6_f64.ln());
        assert_eq!(rule.score(Probability::ONE, false), 1e-6_f64.ln());
        assert_eq!(rule.score(Probability::ONE, true), rule.score(Probability::ZERO, false));
    }

    proptest! {
        #[test]
        fn the_product_agrees_with_the_sum_of_logs(
            values in prop::collection::vec(0.0..=1.0_f64, 1..300),
            eps in 1e-12..0.4_f64,
        ) {
            check(LogScore::exact(), &values);
            check(LogScore::clipped(eps).unwrap(), &values);
        }
    }
}
