#[cfg(feature = "serde")]
use crate::{decompositions::decomposition::check_stored_terms, infinite::Number};
use crate::{
    decompositions::{
        decomposition::Overall, pool::pool_adjacent_violators, success_rate::Outcomes,
    },
    error::Error,
    rule::ScoringRule,
    sums::exact_sum::ExactSum,
    ties::tied_blocks::TiedBlocks,
    values::probability::Probability,
};

/// What a mean loss is made of, without bins:
/// `mean_loss = miscalibration - discrimination + uncertainty`.
///
/// All in the units of the rule's loss, which is minus its score. Made by [`corp`]. In JSON infinite
/// terms are `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[non_exhaustive]
pub struct Corp {
    /// The mean loss of the forecasts. Lower is better.
    pub mean_loss: f64,
    /// What recalibration would gain. At least 0 for a proper rule, lower is better.
    pub miscalibration: f64,
    /// What the recalibrated forecasts gain over the base rate. At least 0 for a proper rule and at
    /// most the uncertainty where no loss is negative; higher is better.
    pub discrimination: f64,
    /// The mean loss of always forecasting the base rate. No forecaster's merit or fault.
    pub uncertainty: f64,
}

/// The form in which terms are written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    mean_loss: Number,
    miscalibration: Number,
    discrimination: Number,
    uncertainty: Number,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for Corp {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written {
            mean_loss: Number(mean_loss),
            miscalibration: Number(miscalibration),
            discrimination: Number(discrimination),
            uncertainty: Number(uncertainty),
        } = written;
        check_stored_terms(mean_loss, &[miscalibration, -discrimination, uncertainty])?;
        Ok(Self { mean_loss, miscalibration, discrimination, uncertainty })
    }
}

#[cfg(feature = "serde")]
impl From<Corp> for Written {
    fn from(parts: Corp) -> Self {
        Self {
            mean_loss: Number(parts.mean_loss),
            miscalibration: Number(parts.miscalibration),
            discrimination: Number(parts.discrimination),
            uncertainty: Number(parts.uncertainty),
        }
    }
}

/// Less than this share of the scores that a difference is left of is rounding.
const ROUNDING: f64 = 1e-12;

/// Takes the mean loss of forecasts apart by isotonic recalibration (CORP: consistent, optimally
/// binned, reproducible, by pool-adjacent-violators).
///
/// Where r_i is what [`pool_adjacent_violators`] makes of forecast f_i, and o is the base rate:
///
/// ```text
/// miscalibration = mean of loss(f_i, y_i) - loss(r_i, y_i)
/// discrimination = mean of loss(o, y_i) - loss(r_i, y_i)  = mean of divergence(o, r_i)
/// uncertainty    = mean of loss(o, y_i)                   = entropy(o)
/// ```
///
/// There are no bins to choose. Of all forecasts that rise with the given ones the recalibrated
/// ones have the least loss under every proper rule, so that no term is negative. On few rows they
/// follow the noise too: miscalibration and discrimination are then both too large.
///
/// A certain forecast that was wrong makes mean loss and miscalibration infinite under a rule
/// without a bound; the other terms are finite.
///
/// Cost: linear.
///
/// Reference: Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for
/// probabilistic classifiers, doi:10.1073/pnas.2016191118.
///
/// # Errors
///
/// [`Error::Empty`] on empty blocks; [`Error::NotFinite`] where the mean loss or the sum of its
/// terms is a NaN, as infinite scores of both signs make them (with a rule of your own, or with
/// [`PowerScore`](crate::PowerScore) of a power up to 0); [`Error::TermsDoNotAddUp`] where the terms
/// do not sum to the mean loss, as with a rule whose divergence does not follow from its scores.
///
/// ```
/// use scoring_rules::{BrierScore, Error, Probability, TiedBlocks, corp};
///
/// let said = Probability::from_slice(&[0.25, 0.25, 0.5, 0.75])?;
/// let blocks = TiedBlocks::new(said, &[false, false, true, false], None)?;
/// let parts = corp(&BrierScore, &blocks)?;
/// assert_eq!(parts.mean_loss, 0.234375);
/// assert_eq!(parts.miscalibration, 0.109375); // the last two become 1/2
/// assert_eq!(parts.discrimination, 0.0625);
/// assert_eq!(parts.uncertainty, 0.1875);
/// # Ok::<(), Error>(())
/// ```
pub fn corp<R: ScoringRule + ?Sized>(rule: &R, blocks: &TiedBlocks) -> Result<Corp, Error> {
    let overall = Overall::new(rule, blocks)?;
    let [mut miscalibration, mut discrimination] = <[ExactSum; 2]>::default();
    let mut below: Vec<(f64, f64)> = Vec::new();
    for pool in pool_adjacent_violators(blocks) {
        let of_pool = Outcomes::new(rule, pool.failures, pool.successes)?;
        discrimination.add(of_pool.lost_by(rule, overall.outcomes.rate));

        // Were the rows of each block to succeed at the rate of the pool, what they lose by their
        // forecast would be all. They do not: those below succeed more often, and by as much the
        // forecast's rise is in the wrong direction. Neither part is negative, unlike a difference
        // of losses.
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
                // Successes below beyond their share of the pool.
                let excess = (successes_below * failures_above - failures_below * successes_above)
                    / of_pool.weight();
                if excess > 0.0 {
                    let cost = cost_of_rise(rule, block.confidence, next.confidence);
                    miscalibration.add_product(cost, excess);
                }
            }
        }
    }
    let [miscalibration, discrimination] =
        [miscalibration, discrimination].map(|sum| sum.value() / overall.outcomes.weight());
    let Overall { mean_loss, uncertainty, .. } = overall;
    overall.check_terms(&[miscalibration, -discrimination, uncertainty])?;
    Ok(Corp { mean_loss, miscalibration, discrimination, uncertainty })
}

/// How much more the higher forecast loses than the lower one when a success turns out a failure:
/// at least 0 for a proper rule.
fn cost_of_rise<R: ScoringRule + ?Sized>(rule: &R, low: Probability, high: Probability) -> f64 {
    let scores = [(low, false), (low, true), (high, false), (high, true)]
        .map(|(forecast, outcome)| rule.score(forecast, outcome));
    let cost = (scores[0] - scores[2]) + (scores[3] - scores[1]);
    let size = scores.iter().fold(0.0, |size: f64, score| size.max(score.abs()));
    if cost < 0.0 && cost > -ROUNDING * size { 0.0 } else { cost }
}
