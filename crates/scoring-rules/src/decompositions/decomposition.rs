#[cfg(feature = "serde")]
use crate::infinite::Number;
use crate::{
    decompositions::{binning::Binning, success_rate::Outcomes},
    error::Error,
    rule::ScoringRule,
    sums::{compensated_sum::CompensatedSum, exact_sum::ExactSum},
    ties::{block::Block, tied_blocks::TiedBlocks},
    values::probability::Probability,
};

/// What a mean loss is made of, over bins of forecasts:
/// `mean_loss = reliability - resolution + uncertainty + within_bin`.
///
/// All in the units of the rule's loss, which is minus its score. Made by [`decompose`]. In JSON
/// infinite terms are `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[non_exhaustive]
pub struct Decomposition {
    /// The mean loss of the forecasts. Lower is better.
    pub mean_loss: f64,
    /// What is lost because mean forecasts of bins are not their event rates. At least 0 for a
    /// proper rule, lower is better.
    pub reliability: f64,
    /// What is gained because event rates differ from bin to bin. At least 0 for a proper rule and
    /// at most the uncertainty where no loss is negative; higher is better.
    pub resolution: f64,
    /// The mean loss of always forecasting the base rate. No forecaster's merit or fault.
    pub uncertainty: f64,
    /// What is lost because forecasts differ within a bin; negative where that gains something, and
    /// 0 where each bin has one forecast.
    pub within_bin: f64,
}

/// The form in which terms are written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    mean_loss: Number,
    reliability: Number,
    resolution: Number,
    uncertainty: Number,
    within_bin: Number,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for Decomposition {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written {
            mean_loss: Number(mean_loss),
            reliability: Number(reliability),
            resolution: Number(resolution),
            uncertainty: Number(uncertainty),
            within_bin: Number(within_bin),
        } = written;
        check_stored_terms(mean_loss, &[reliability, -resolution, uncertainty, within_bin])?;
        Ok(Self { mean_loss, reliability, resolution, uncertainty, within_bin })
    }
}

#[cfg(feature = "serde")]
impl From<Decomposition> for Written {
    fn from(parts: Decomposition) -> Self {
        Self {
            mean_loss: Number(parts.mean_loss),
            reliability: Number(parts.reliability),
            resolution: Number(parts.resolution),
            uncertainty: Number(parts.uncertainty),
            within_bin: Number(parts.within_bin),
        }
    }
}

/// Takes the mean loss of forecasts apart, over bins.
///
/// Where bin k has the weight w_k, the mean forecast f_k and the event rate o_k, and o is the base
/// rate, with means over the bins by weight or over the rows:
///
/// ```text
/// reliability = mean of divergence(f_k, o_k)
/// resolution  = mean of divergence(o, o_k)  = entropy(o) - mean of entropy(o_k)
/// uncertainty = entropy(o)
/// within_bin  = mean of loss(f_i, y_i) - loss(f_k, y_i)
/// ```
///
/// Each term has its own formula, so that their sum is a check and not a definition. Resolution and
/// reliability depend on the bins and are biased upwards on a sample; [`corp`](crate::corp) needs
/// no bins.
///
/// A certain forecast that was wrong makes the mean loss infinite under a rule without a bound.
/// Then reliability is infinite where the forecast is a bin of its own, and `within_bin` is where
/// it is not; the other terms are finite.
///
/// Cost: linear.
///
/// Reference: Murphy (1973), A new vector partition of the probability score,
/// doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2; for any proper rule Bröcker (2009),
/// Reliability, sufficiency, and the decomposition of proper scores, doi:10.1002/qj.456; within
/// bins Stephenson, Coelho and Jolliffe (2008), Two extra components in the Brier score
/// decomposition, doi:10.1175/2007WAF2006116.1.
///
/// # Errors
///
/// As [`Binning::bins`]; [`Error::NotFinite`] where the mean loss or the sum of its
/// terms is a NaN, as infinite scores of both signs make them (with a rule of your own, or with
/// [`PowerScore`](crate::PowerScore) of a power up to 0); [`Error::TermsDoNotAddUp`] where the terms
/// do not sum to the mean loss, as with a rule whose divergence does not follow from its scores.
///
/// ```
/// use scoring_rules::{Binning, BrierScore, Error, Probability, TiedBlocks, decompose};
///
/// let said = Probability::from_slice(&[0.25, 0.25, 0.75, 0.75])?;
/// let blocks = TiedBlocks::new(said, &[false, false, true, false], None)?;
/// let parts = decompose(&BrierScore, &blocks, Binning::Distinct)?;
/// assert_eq!(parts.mean_loss, 0.1875);
/// assert_eq!(parts.reliability, 0.0625); // 1/4 came true never, 3/4 half of the time
/// assert_eq!(parts.resolution, 0.0625);
/// assert_eq!(parts.uncertainty, 0.1875);
/// assert_eq!(parts.within_bin, 0.0);
/// # Ok::<(), Error>(())
/// ```
pub fn decompose<R: ScoringRule + ?Sized>(
    rule: &R,
    blocks: &TiedBlocks,
    binning: Binning<'_>,
) -> Result<Decomposition, Error> {
    let overall = Overall::new(rule, blocks)?;
    let [mut reliability, mut resolution, mut within_bin] = <[ExactSum; 3]>::default();
    for blocks in binning.bins(blocks)? {
        let bin = Bin::new(rule, blocks)?;
        reliability.add(bin.outcomes.lost_by(rule, bin.forecast));
        resolution.add(bin.outcomes.lost_by(rule, overall.outcomes.rate));
        if blocks.len() > 1 {
            for (block, outcome, weight) in rows(blocks) {
                let binned = rule.score(bin.forecast, outcome);
                within_bin.add_product(binned - rule.score(block.confidence, outcome), weight);
            }
        }
    }
    let [reliability, resolution, within_bin] =
        [reliability, resolution, within_bin].map(|sum| sum.value() / overall.outcomes.weight());
    let Overall { mean_loss, uncertainty, .. } = overall;
    overall.check_terms(&[reliability, -resolution, uncertainty, within_bin])?;
    Ok(Decomposition { mean_loss, reliability, resolution, uncertainty, within_bin })
}

/// The blocks by outcome, with the weight of the rows; only where there are any.
fn rows<'a>(blocks: &'a [Block]) -> impl Iterator<Item = (&'a Block, bool, f64)> {
    let by_outcome =
        |block: &'a Block| [(block, false, block.failures), (block, true, block.successes)];
    blocks.iter().flat_map(by_outcome).filter(|&(_, _, weight)| weight > 0.0)
}

/// What no way of grouping rows changes.
pub(crate) struct Overall {
    /// Of all rows.
    pub(crate) outcomes: Outcomes,
    pub(crate) mean_loss: f64,
    pub(crate) uncertainty: f64,
    /// The mean size of the scores.
    size: f64,
}

/// Terms that miss the mean loss by more than this share of their size are not those of the rule.
/// Above what rounding does to the rules of this crate, which is about 1e-12.
const MISSED: f64 = 1e-9;

impl Overall {
    pub(crate) fn new<R: ScoringRule + ?Sized>(
        rule: &R,
        blocks: &TiedBlocks,
    ) -> Result<Self, Error> {
        let [mut scores, mut sizes] = <[ExactSum; 2]>::default();
        let [mut failures, mut successes] = <[ExactSum; 2]>::default();
        for (block, outcome, weight) in rows(blocks.as_slice()) {
            let score = rule.score(block.confidence, outcome);
            scores.add_product(score, weight);
            sizes.add(score.abs() * weight);
            if outcome { successes.add(weight) } else { failures.add(weight) }
        }
        let (failures, successes) = (failures.value(), successes.value());
        if failures + successes == 0.0 {
            return Err(Error::Empty);
        }
        let outcomes = Outcomes::new(rule, failures, successes)?;
        // A difference, so that no loss is plain zero and not negative zero.
        let mean_loss = 0.0 - scores.value() / outcomes.weight();
        let uncertainty = outcomes.entropy(rule);
        Ok(Self { outcomes, mean_loss, uncertainty, size: sizes.value() / outcomes.weight() })
    }

    /// An error unless the terms sum to the mean loss.
    pub(crate) fn check_terms(&self, terms: &[f64]) -> Result<(), Error> {
        add_up(self.mean_loss, terms, self.size)
    }
}

/// An error unless the terms sum to the mean loss of scores of this mean size.
fn add_up(mean_loss: f64, terms: &[f64], size: f64) -> Result<(), Error> {
    let sum = terms.iter().sum::<f64>();
    for (what, value) in [("the mean loss", mean_loss), ("the sum of the terms", sum)] {
        if value.is_nan() {
            return Err(Error::NotFinite { what, value });
        }
    }
    let size = terms.iter().fold(size, |size, term| size.max(term.abs()));
    let finite = sum.is_finite() && mean_loss.is_finite();
    if sum == mean_loss || finite && (sum - mean_loss).abs() <= MISSED * size {
        Ok(())
    } else {
        Err(Error::TermsDoNotAddUp { mean_loss, sum })
    }
}

/// The same for terms that are read. The size of the scores is not stored, so that rounding of scores of
/// the size of 1 is let pass.
#[cfg(feature = "serde")]
pub(crate) fn check_stored_terms(mean_loss: f64, terms: &[f64]) -> Result<(), Error> {
    add_up(mean_loss, terms, 1.0)
}

/// A bin as if all its rows had had their mean forecast.
struct Bin {
    outcomes: Outcomes,
    forecast: Probability,
}

impl Bin {
    fn new<R: ScoringRule + ?Sized>(rule: &R, blocks: &[Block]) -> Result<Self, Error> {
        let [mut failures, mut successes, mut forecasts] = [CompensatedSum::default(); 3];
        for block in blocks {
            failures.add(block.failures);
            successes.add(block.successes);
            forecasts.add(block.confidence.get() * block.weight());
        }
        let outcomes = Outcomes::new(rule, failures.value(), successes.value())?;
        let mut forecast = forecasts.value() / outcomes.weight();
        if let [only] = blocks {
            forecast = only.confidence.get();
        } else {
            // Of forecasts that differ, the mean is no certainty. It must not be rounded to one,
            // which would make it cost what none of them did.
            forecast = forecast.clamp(0.0_f64.next_up(), 1.0_f64.next_down());
        }
        Ok(Self { outcomes, forecast: Probability::new(forecast)? })
    }
}
