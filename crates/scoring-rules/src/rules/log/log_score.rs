use std::hint::select_unpredictable;

use crate::{
    error::Error,
    loops::{
        row_sums::{fill, sum_of_pairs},
        runs::Runs,
        step_weights::StepWeights,
        window::{BATCH, WINDOW, outside, with_window},
    },
    rule::ScoringRule,
    rules::{
        log::{
            kullback_leibler::kullback_leibler,
            products::Products,
            rows::{log_given, log_of_normal, log_of_product_of_rows},
        },
        sides::{Sides, sides_of_row},
        smooth::{SmoothScore, ThresholdDensity, smooth_rule},
    },
    sums::compensated_sum::CompensatedSum,
    values::probability::Probability,
    wide::wide,
};

/// The logarithmic score: the natural logarithm of the probability that was forecast for the outcome that happened, in
/// nats.
///
/// Between minus infinity and 0, strictly proper, symmetric. [`LogScore::exact`] is the score as
/// defined. [`LogScore::clipped`] moves forecasts into `[eps, 1 - eps]` first; it is at least `ln eps`
/// and proper but not strictly proper, because reports beyond the clip tie.
///
/// In JSON it is `{"clip": 1e-6}`, and `{"clip": null}` for the exact score.
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct LogScore {
    /// 0 for the exact score.
    clip: f64,
}

/// The serialized form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Required, so that an empty object does not mean the exact score.
    #[serde(deserialize_with = "required")]
    clip: Option<f64>,
}

#[cfg(feature = "serde")]
fn required<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    serde::Deserialize::deserialize(deserializer)
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for LogScore {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        written.clip.map_or_else(|| Ok(Self::exact()), Self::clipped)
    }
}

#[cfg(feature = "serde")]
impl From<LogScore> for Written {
    fn from(rule: LogScore) -> Self {
        Self { clip: rule.eps() }
    }
}

impl LogScore {
    /// The clip of the log score in the paper on trajectory proper scores (Raghu, Pandey and Pandey 2026,
    /// arXiv:2605.24756), for [`Self::clipped`].
    pub const CLIP: f64 = 1e-6;

    /// Creates the exact log score, which is minus infinity for a forecast that is certain and wrong.
    #[must_use]
    pub const fn exact() -> Self {
        Self { clip: 0.0 }
    }

    /// Creates the log score that clips forecasts to `[eps, 1 - eps]`. The clip applies to the probability of the
    /// observed outcome, so that both outcomes have the same lowest score, exactly `ln eps`.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless eps is at least 1e-100 and below 1/2.
    pub const fn clipped(eps: f64) -> Result<Self, Error> {
        if eps >= 1e-100 && eps < 0.5 {
            Ok(Self { clip: eps })
        } else {
            Err(Error::Setting { name: "eps", value: eps, range: "at least 1e-100 and below 1/2" })
        }
    }

    /// The clip; `None` for the exact score.
    pub(crate) fn eps(self) -> Option<f64> {
        Some(self.clip).filter(|eps| *eps > 0.0)
    }

    /// Clips the probability of the outcome that happened.
    #[inline]
    fn clip(self, p: f64) -> f64 {
        // Not f64::clamp, which checks its limits and for NaN on every call.
        let (low, high) = (self.clip, 1.0 - self.clip);
        let p = if p > low { p } else { low };
        if p < high { p } else { high }
    }

    /// Clips a forecast without losing digits of either side: `1 - (1 - eps)` is not eps.
    fn clipped_sides(self, forecast: Sides) -> Sides {
        if forecast.p < self.clip {
            Sides { p: self.clip, rest: 1.0 - self.clip }
        } else if forecast.rest < self.clip {
            Sides { p: 1.0 - self.clip, rest: self.clip }
        } else {
            forecast
        }
    }

    /// Products of the probabilities of the outcome in a run of at most [`WINDOW`] steps.
    #[inline(always)]
    fn products(
        self,
        forecasts: &[Probability],
        start: usize,
        end: usize,
        outcome: bool,
    ) -> Products {
        let (failure, outside) = (f64::from(!outcome), outside(end - start));
        with_window(
            forecasts,
            start,
            end,
            #[inline(always)]
            |window| {
                let mut factors = [1.0; WINDOW];
                for (factor, (step, &outside)) in factors.iter_mut().zip(window.iter().zip(outside))
                {
                    let given = self.clip((step.get() - failure).abs());
                    *factor = if given > outside { given } else { outside };
                }
                Products::new(&factors)
            },
        )
    }

    /// Sets `logs[i]` to the weighted sum of logs over run i, or to 0 if the run does not fit into a window, or the log of its
    /// product would not be accurate.
    fn logs_of_products(
        self,
        runs: &[(usize, usize, bool)],
        forecasts: &[Probability],
        weights: StepWeights,
        logs: &mut [f64; BATCH],
    ) {
        wide(
            #[inline(always)]
            move || {
                // Each step for all runs, so that none waits for the one before.
                let mut products = [Products::default(); BATCH];
                for (products, &(start, end, outcome)) in products.iter_mut().zip(runs) {
                    if end - start <= WINDOW {
                        *products = self.products(forecasts, start, end, outcome);
                    }
                }
                let mut found = [0.0; BATCH];
                for (found, products) in found.iter_mut().zip(&products) {
                    *found = products.weighted(weights);
                }
                for (log, found) in logs.iter_mut().zip(found) {
                    let value = log_of_normal(found);
                    *log = if found > 0.0 { value } else { 0.0 };
                }
            },
        );
    }

    /// Returns the log of the product of a run, or the weighted sum of its logs if the product loses digits.
    #[inline]
    fn log_or_sum(self, log: f64, run: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        if keeps_digits(log, weights.total(run.len())) {
            log
        } else if run.len() <= WINDOW && weights != StepWeights::Rising {
            weights.sum(run, |p| self.score(p, outcome))
        } else {
            self.sum_of_pieces(run, outcome, weights)
        }
    }

    /// The weighted sum over a run of any length, as a sum over pieces of up to [`WINDOW`] steps.
    /// Weights are 1 or fall by 1 within a piece; both sums together give every other weight.
    #[inline(never)]
    fn sum_of_pieces(self, run: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        let (mut total, mut end) = (CompensatedSum::default(), 0);
        for piece in run.chunks(WINDOW) {
            end += piece.len();
            let plain = self.weighted_sum(piece, outcome, StepWeights::Equal);
            if plain.is_infinite() {
                return plain;
            }
            let falling = || self.weighted_sum(piece, outcome, StepWeights::Falling);
            total.add(match weights {
                StepWeights::Equal => plain,
                StepWeights::Falling => falling() + (run.len() - end) as f64 * plain,
                StepWeights::Rising => (end + 1) as f64 * plain - falling(),
            });
        }
        total.value()
    }
}

/// Whether the log of a product is as accurate as a sum of logs. The product has a relative rounding
/// error and its log an absolute one, of at most 3 * 2^-52 times the total weight: too much if the mean of
/// the logs is close to 0, and 7e-13 of the sum at the limit. A log of 0 stands for a product that is too small for a number.
#[inline]
fn keeps_digits(log: f64, total_weight: f64) -> bool {
    log < -total_weight / 1024.0
}

impl ScoringRule for LogScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    /// Uses a branch-free logarithm with an error of at most 2 units in the last place.
    #[inline]
    fn scores(&self, forecast: Probability) -> [f64; 2] {
        // The fast logarithm does not read the exponents of subnormal numbers.
        let (p, least) = (forecast.get(), self.clip.max(f64::MIN_POSITIVE));
        if p <= least || 1.0 - p <= least {
            return [self.score(forecast, false), self.score(forecast, true)];
        }
        [log_given(p, 0.0, 1.0 - p, p), log_given(p, 1.0, p, 1.0 - p)]
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let given = Sides::new(truth);
        let (p, q) = (self.clipped_sides(Sides::new(forecast)), self.clipped_sides(given));
        // Above 1/2, the other side has more digits.
        let gap = if p.p < 0.5 || q.p < 0.5 { p.p - q.p } else { q.rest - p.rest };
        if gap == 0.0 {
            return 0.0;
        }
        let loss = kullback_leibler(q, p, gap);
        // A truth beyond the clip gives one outcome a higher probability than the clipped truth does.
        // Neither part is negative.
        let beyond = (self.clip - given.rest).max(0.0) - (self.clip - given.p).max(0.0);
        if beyond == 0.0 {
            return loss;
        }
        loss + beyond * (log_ratio(q.p, p.p, -gap) - log_ratio(q.rest, p.rest, gap))
    }

    /// Uses a branch-free logarithm with an error of at most 2 units in the last place.
    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        let (clip, floor) = (self.clip, self.clip.ln());
        for ((forecasts, outcomes), scores) in
            forecasts.chunks(64).zip(outcomes.chunks(64)).zip(scores.chunks_mut(64))
        {
            fill(forecasts, outcomes, scores, move |forecast, success| {
                let (p, y) = (forecast.get(), f64::from(success));
                let (given, against) = sides_of_row(p, y);
                let against = select_unpredictable(against > clip, against, clip);
                select_unpredictable(given > clip, log_given(p, y, given, against), floor)
            });
            // The fast logarithm does not read the exponents of subnormal numbers. Only their rows are scored again, so that
            // the bits of a row do not depend on the rows beside it.
            let tiny = |(&forecast, &success): (&Probability, &bool)| {
                sides_of_row(forecast.get(), f64::from(success)).0 < f64::MIN_POSITIVE
            };
            let rows = || forecasts.iter().zip(outcomes);
            if clip == 0.0 && rows().any(tiny) {
                for (row, score) in rows().zip(scores).filter(|(row, _)| tiny(*row)) {
                    *score = self.score(*row.0, *row.1);
                }
            }
        }
    }

    /// Uses one logarithm for all rows: the logarithm of a product.
    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        let given = |forecast: Probability, success| {
            self.clip(sides_of_row(forecast.get(), f64::from(success)).0)
        };
        log_of_product_of_rows(forecasts, outcomes, self.clip, given).unwrap_or_else(|| {
            sum_of_pairs(forecasts, outcomes, |forecast, success| self.score(forecast, success))
        })
    }

    #[inline]
    fn weighted_sum(&self, steps: &[Probability], outcome: bool, weights: StepWeights) -> f64 {
        let products = (steps.len() <= WINDOW && weights != StepWeights::Rising)
            .then(|| self.products(steps, 0, steps.len(), outcome).weighted(weights));
        let log = products.filter(|found| *found > 0.0).map_or(0.0, log_of_normal);
        self.log_or_sum(log, steps, outcome, weights)
    }

    /// One logarithm per run instead of one per step: a sum of logs with whole weights is the log of
    /// a product of prefix products. Within 1e-12 relative of the sum of logs.
    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        let (forecasts, mut runs) = (runs.forecasts, runs.iter());
        let (mut batch, mut logs) = ([(0, 0, false); BATCH], [0.0; BATCH]);
        for sums in sums.chunks_mut(BATCH) {
            let mut n = 0;
            for (run, next) in batch[..sums.len()].iter_mut().zip(&mut runs) {
                (*run, n) = (next, n + 1);
            }
            if weights != StepWeights::Rising {
                self.logs_of_products(&batch[..n], forecasts, weights, &mut logs);
            }
            let runs = batch[..n].iter().zip(&logs);
            for (sum, (&(start, end, outcome), &log)) in sums.iter_mut().zip(runs) {
                *sum = self.log_or_sum(log, &forecasts[start..end], outcome, weights);
            }
        }
    }
}

impl SmoothScore for LogScore {
    #[inline]
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (given, against) = forecast.of(outcome);
        if given <= self.clip {
            self.clip.ln()
        } else if given < 0.5 {
            given.ln()
        } else {
            // Keeps the digits of a small `against`, which rounding has removed from `given`.
            0.0 + (-against.max(self.clip)).ln_1p()
        }
    }

    fn loss_of_logit(&self, logit: f64, outcome: bool) -> f64 {
        if logit.is_nan() {
            return logit;
        }
        // ln (1 + exp(x)), with the logit x against the outcome.
        let x = if outcome { -logit } else { logit };
        let loss = x.max(0.0) + (-x.abs()).exp().ln_1p();
        loss.max(0.0 - (-self.clip).ln_1p()).min(-self.clip.ln())
    }
}

impl ThresholdDensity for LogScore {
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        if p.p <= self.clip || p.rest <= self.clip {
            return 0.0;
        }
        p.p.powi(i - 1) * p.rest.powi(j - 1)
    }

    fn exponents(&self, _p: Sides) -> [f64; 2] {
        [0.0; 2]
    }
}

smooth_rule!(LogScore);

/// `ln (a / b)` for positive numbers; `gap` is `a - b`.
fn log_ratio(a: f64, b: f64, gap: f64) -> f64 {
    let x = gap / b;
    if x.abs() < 0.4 { x.ln_1p() } else { (a / b).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_an_ordinary_short_run_is_used() {
        let values: Vec<f64> =
            (0..WINDOW).map(|i| 0.54 + 0.32 * (i as f64 * 0.618_033_988_75).fract()).collect();
        for rule in [LogScore::exact(), LogScore::clipped(1e-6).unwrap()] {
            for n in 1..=WINDOW {
                let forecasts = Probability::from_slice(&values[WINDOW - n..]).unwrap();
                for weights in [StepWeights::Equal, StepWeights::Falling] {
                    let mut logs = [0.0; BATCH];
                    rule.logs_of_products(&[(0, n, true)], forecasts, weights, &mut logs);
                    let log = logs[0];
                    let exact = weights.sum(forecasts, |p| rule.score(p, true));
                    assert!(keeps_digits(log, weights.total(n)));
                    approx::assert_relative_eq!(log, exact, epsilon = 0.0, max_relative = 1e-13);
                }
            }
        }
    }
}
