use crate::{
    decompositions::{binning::Binning, success_rate::Outcomes},
    error::Error,
    rule::ScoringRule,
    sums::{compensated_sum::CompensatedSum, exact_sum::ExactSum},
    ties::{block::Block, tied_blocks::TiedBlocks},
    values::probability::Probability,
};

/// The decomposition of a mean loss over bins of forecasts:
/// `mean_loss = reliability - resolution + uncertainty + within_bin`.
///
/// All terms are in the units of the loss of the rule, which is minus its score. Computed by
/// [`Decomposition::new`]. In JSON infinite terms are `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Decomposition {
    /// The mean loss of the forecasts. Lower is better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub mean_loss: f64,
    /// The loss because the mean forecast and the event rate of a bin differ. At least 0 for a proper rule; lower is
    /// better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub reliability: f64,
    /// The gain because event rates differ between bins. At least 0 for a proper rule, and at most the uncertainty if
    /// no loss is negative; higher is better.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub resolution: f64,
    /// The mean loss if the base rate is the forecast of every row. It does not depend on the forecasts.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub uncertainty: f64,
    /// The loss because forecasts within a bin differ. Negative if their differences are informative, and 0 if all
    /// forecasts of each bin are equal.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub within_bin: f64,
}

impl Decomposition {
    /// Decomposes the mean loss of forecasts into terms over bins.
    ///
    /// If bin k has the weight w_k, the mean forecast f_k and the event rate o_k, and o is the base
    /// rate, then, with weighted means over the bins or over the rows:
    ///
    /// ```text
    /// reliability = mean of divergence(f_k, o_k)
    /// resolution  = mean of divergence(o, o_k)  = entropy(o) - mean of entropy(o_k)
    /// uncertainty = entropy(o)
    /// within_bin  = mean of loss(f_i, y_i) - loss(f_k, y_i)
    /// ```
    ///
    /// Each term is computed by its own formula, and their sum is compared with the mean loss.
    /// Resolution and reliability depend on the bins, and are biased upwards on a sample;
    /// [`Corp::new`](crate::Corp::new) needs no bins.
    ///
    /// Under an unbounded rule, a wrong forecast of 0 or 1 makes the mean loss infinite. If the
    /// forecast is alone in its bin, the reliability is then infinite; otherwise `within_bin` is.
    /// The other terms are finite.
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
    /// The errors of [`Binning::bins`]; [`Error::Undefined`] if scores are infinite with both signs,
    /// which only a custom rule or a [`PowerScore`](crate::PowerScore) with a power up to 0 can
    /// produce; [`Error::TermsDoNotAddUp`] if the terms do not sum to the mean loss, because the
    /// divergence or the entropy of the rule does not follow from its scores.
    ///
    /// ```
    /// use scoring_rules::{Binning, BrierScore, Error, Probability, TiedBlocks, Decomposition};
    ///
    /// let forecasts = Probability::from_slice(&[0.25, 0.25, 0.75, 0.75])?;
    /// let blocks = TiedBlocks::new(forecasts, &[false, false, true, false], None)?;
    /// let parts = Decomposition::new(&BrierScore, &blocks, Binning::Distinct)?;
    /// assert_eq!(parts.mean_loss, 0.1875);
    /// assert_eq!(parts.reliability, 0.0625); // the event rates are 0 and 1/2
    /// assert_eq!(parts.resolution, 0.0625);
    /// assert_eq!(parts.uncertainty, 0.1875);
    /// assert_eq!(parts.within_bin, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<R: ScoringRule + ?Sized>(
        rule: &R,
        blocks: &TiedBlocks,
        binning: Binning<'_>,
    ) -> Result<Self, Error> {
        let overall = Overall::new(rule, blocks)?;
        let [mut reliability, mut resolution, mut within_bin] = <[ExactSum; 3]>::default();
        for blocks in binning.bins(blocks)? {
            let (outcomes, forecast) = bin(rule, blocks)?;
            reliability.add(outcomes.lost_by(rule, forecast));
            resolution.add(outcomes.lost_by(rule, overall.outcomes.rate));
            if blocks.len() > 1 {
                for (block, outcome, weight) in rows(blocks) {
                    let binned = rule.score(forecast, outcome);
                    within_bin.add_product(binned - rule.score(block.confidence, outcome), weight);
                }
            }
        }
        let [reliability, resolution, within_bin] = [reliability, resolution, within_bin]
            .map(|sum| sum.value() / overall.outcomes.weight());
        let Overall { mean_loss, uncertainty, .. } = overall;
        overall.check_terms(&[reliability, -resolution, uncertainty, within_bin])?;
        Ok(Self { mean_loss, reliability, resolution, uncertainty, within_bin })
    }
}

/// The blocks with each outcome that has positive weight, and this weight.
fn rows<'a>(blocks: &'a [Block]) -> impl Iterator<Item = (&'a Block, bool, f64)> {
    let by_outcome =
        |block: &'a Block| [(block, false, block.failures), (block, true, block.successes)];
    blocks.iter().flat_map(by_outcome).filter(|&(_, _, weight)| weight > 0.0)
}

/// The quantities of a decomposition that do not depend on bins.
pub(crate) struct Overall {
    /// The outcomes of all rows.
    pub(crate) outcomes: Outcomes,
    pub(crate) mean_loss: f64,
    pub(crate) uncertainty: f64,
    /// The mean absolute score.
    pub(crate) size: f64,
}

/// The largest accepted difference between the mean loss and the sum of its terms, as a share of
/// their size. For the rules of this crate, rounding causes differences of about 1e-12.
const TOLERANCE: f64 = 1e-9;

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
        // The subtraction avoids negative zero.
        let mean_loss = 0.0 - scores.value() / outcomes.weight();
        let uncertainty = outcomes.entropy(rule);
        Ok(Self { outcomes, mean_loss, uncertainty, size: sizes.value() / outcomes.weight() })
    }

    /// Checks that the terms sum to the mean loss.
    pub(crate) fn check_terms(&self, terms: &[f64]) -> Result<(), Error> {
        let (mean_loss, sum) = (self.mean_loss, terms.iter().sum::<f64>());
        if mean_loss.is_nan() || sum.is_nan() {
            let reason = "scores are NaN, or infinite with both signs";
            return Err(Error::Undefined { name: "the decomposition of the mean loss", reason });
        }
        let size = terms.iter().fold(self.size, |size, term| size.max(term.abs()));
        let finite = sum.is_finite() && mean_loss.is_finite();
        if sum == mean_loss || finite && (sum - mean_loss).abs() <= TOLERANCE * size {
            Ok(())
        } else {
            Err(Error::TermsDoNotAddUp { mean_loss, sum })
        }
    }
}

/// The outcomes and the mean forecast of a bin.
fn bin<R: ScoringRule + ?Sized>(
    rule: &R,
    blocks: &[Block],
) -> Result<(Outcomes, Probability), Error> {
    let [mut failures, mut successes, mut forecasts] = [CompensatedSum::default(); 3];
    for block in blocks {
        failures.add(block.failures);
        successes.add(block.successes);
        forecasts.add(block.confidence.get() * block.weight());
    }
    let outcomes = Outcomes::new(rule, failures.value(), successes.value())?;
    if let [only] = blocks {
        return Ok((outcomes, only.confidence));
    }
    // The mean of different forecasts lies strictly between 0 and 1. If it were rounded to 0 or 1, its loss could be
    // infinite.
    let mean = forecasts.value() / outcomes.weight();
    Ok((outcomes, Probability::new(mean.clamp(0.0_f64.next_up(), 1.0_f64.next_down()))?))
}
