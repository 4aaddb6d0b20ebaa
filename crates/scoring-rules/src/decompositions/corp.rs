use crate::{
    decompositions::{decomposition::Overall, success_rate::Outcomes},
    error::Error,
    rule::ScoringRule,
    sums::exact_sum::ExactSum,
    ties::tied_blocks::TiedBlocks,
    values::probability::Probability,
};

/// The CORP decomposition of a mean loss: `mean_loss = miscalibration - discrimination + uncertainty`. It uses no
/// bins.
///
/// All terms are in the units of the loss of the rule, which is minus its score. Computed by
/// [`Corp::new`]. In JSON infinite terms are `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Corp {
    /// The mean loss of the forecasts. Lower is better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub mean_loss: f64,
    /// By how much recalibration lowers the mean loss. At least 0 for a proper rule; lower is better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub miscalibration: f64,
    /// The mean loss of the base rate minus the mean loss of the recalibrated forecasts. At least 0 for a proper rule,
    /// and at most the uncertainty if no loss is negative; higher is better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub discrimination: f64,
    /// The mean loss if the base rate is the forecast of every row. It does not depend on the forecasts.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub uncertainty: f64,
}

/// A negative difference of at most this share of the scores is due to rounding.
const ROUNDING: f64 = 1e-12;

impl Corp {
    /// Decomposes the mean loss of forecasts by recalibrating them with isotonic regression (CORP: consistent,
    /// optimally binned, reproducible, by pool-adjacent-violators).
    ///
    /// If [`TiedBlocks::pool_adjacent_violators`] recalibrates forecast f_i to r_i, and o is the base rate, then
    ///
    /// ```text
    /// miscalibration = mean of loss(f_i, y_i) - loss(r_i, y_i)
    /// discrimination = mean of loss(o, y_i) - loss(r_i, y_i)  = mean of divergence(o, r_i)
    /// uncertainty    = mean of loss(o, y_i)                   = entropy(o)
    /// ```
    ///
    /// There are no bins to choose. Among all monotone transformations of the forecasts, recalibration
    /// minimizes the loss of every proper rule, so that no term is negative. With few rows it also fits
    /// the noise, and miscalibration and discrimination are both too large.
    ///
    /// Under an unbounded rule, a wrong forecast of 0 or 1 makes the mean loss and the miscalibration
    /// infinite; the other terms are finite.
    ///
    /// Cost: linear.
    ///
    /// Reference: Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for
    /// probabilistic classifiers, doi:10.1073/pnas.2016191118.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for empty blocks; [`Error::Undefined`] if scores are infinite with both signs, which
    /// only a custom rule or a [`PowerScore`](crate::PowerScore) with a power up to 0 can produce;
    /// [`Error::TermsDoNotAddUp`] if the terms do not sum to the mean loss, because the divergence or the
    /// entropy of the rule does not follow from its scores.
    ///
    /// ```
    /// use scoring_rules::{BrierScore, Error, Probability, TiedBlocks, Corp};
    ///
    /// let forecasts = Probability::from_slice(&[0.25, 0.25, 0.5, 0.75])?;
    /// let blocks = TiedBlocks::new(forecasts, &[false, false, true, false], None)?;
    /// let parts = Corp::new(&BrierScore, &blocks)?;
    /// assert_eq!(parts.mean_loss, 0.234375);
    /// assert_eq!(parts.miscalibration, 0.109375); // the last two are recalibrated to 1/2
    /// assert_eq!(parts.discrimination, 0.0625);
    /// assert_eq!(parts.uncertainty, 0.1875);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<R: ScoringRule + ?Sized>(rule: &R, blocks: &TiedBlocks) -> Result<Self, Error> {
        let overall = Overall::new(rule, blocks)?;
        let [mut miscalibration, mut discrimination] = <[ExactSum; 2]>::default();
        let mut below: Vec<(f64, f64)> = Vec::new();
        for pool in blocks.pool_adjacent_violators() {
            let of_pool = Outcomes::new(rule, pool.failures, pool.successes)?;
            discrimination.add(of_pool.lost_by(rule, overall.outcomes.rate));

            // The miscalibration of a pool is a sum of two kinds of nonnegative terms. The first is the loss due
            // to the forecasts if the rows of each block succeeded at the rate of the pool. The second arises
            // because the lower blocks succeed more often than the pool, so that each increase of the forecast
            // within the pool is in the wrong direction.
            let pooled = &blocks.as_slice()[pool.blocks];
            if let [only] = pooled {
                miscalibration.add(of_pool.lost_by(rule, only.confidence));
                continue;
            }
            below.clear();
            below.extend(pooled.iter().scan((0.0, 0.0), |(failures, successes), block| {
                *failures += block.failures;
                *successes += block.successes;
                Some((*failures, *successes))
            }));
            let (mut failures_above, mut successes_above) = (0.0, 0.0);
            for (i, block) in pooled.iter().enumerate().rev() {
                let share = block.weight() / of_pool.weight();
                miscalibration.add_product(of_pool.lost_by(rule, block.confidence), share);
                if let Some(next) = pooled.get(i + 1) {
                    failures_above += next.failures;
                    successes_above += next.successes;
                    let (failures_below, successes_below) = below[i];
                    // The successes below in excess of their share of the pool.
                    let (found, share) =
                        (successes_below * failures_above, failures_below * successes_above);
                    // They are fewer, by more than rounding, if blocks were pooled only because their rates round
                    // to the same number. An infinite cost is already in the loss of the upper block.
                    let is_fewer = found < (1.0 - ROUNDING) * share;
                    if found > share || is_fewer {
                        let cost = cost_of_rise(rule, block.confidence, next.confidence);
                        if !is_fewer || cost.is_finite() {
                            let excess = (found - share) / of_pool.weight();
                            miscalibration.add_product(cost, excess);
                        }
                    }
                }
            }
        }
        let [mut miscalibration, discrimination] =
            [miscalibration, discrimination].map(|sum| sum.value() / overall.outcomes.weight());
        let Overall { mean_loss, uncertainty, .. } = overall;
        // The cost of a small rise has few digits.
        if miscalibration < 0.0 && -miscalibration < ROUNDING * overall.size {
            miscalibration = 0.0;
        }
        overall.check_terms(&[miscalibration, -discrimination, uncertainty])?;
        Ok(Self { mean_loss, miscalibration, discrimination, uncertainty })
    }
}

/// The increase of the loss of the higher forecast over the loss of the lower forecast if a success
/// is replaced by a failure. At least 0 for a proper rule.
fn cost_of_rise<R: ScoringRule + ?Sized>(rule: &R, low: Probability, high: Probability) -> f64 {
    let scores = [(low, false), (low, true), (high, false), (high, true)]
        .map(|(forecast, outcome)| rule.score(forecast, outcome));
    let cost = (scores[0] - scores[2]) + (scores[3] - scores[1]);
    let size = scores.iter().fold(0.0, |size: f64, score| size.max(score.abs()));
    if cost < 0.0 && cost > -ROUNDING * size { 0.0 } else { cost }
}
