use crate::{
    error::Error, sums::compensated_sum::CompensatedSum, ties::tied_blocks::TiedBlocks,
    values::level::Level,
};

/// The mean elementary loss of forecasts, as a function of the decision threshold c in (0, 1).
///
/// A decision maker acts if the forecast is above c. A false alarm (acting before a failure) costs
/// c, and a miss (not acting before a success) costs 1 - c. If the total weight is W, N0 is the
/// weight of failures with forecasts above c, and N1 is the weight of successes with forecasts of
/// at most c, then
///
/// ```text
/// loss(c) = (c N0 + (1 - c) N1) / W
/// ```
///
/// In [0, 1]; lower is better. The curve is linear between neighbouring forecasts and is stored
/// exactly. For every proper rule that scores correct forecasts of 0 and 1 with 0, the mean loss is
/// the area under the curve with thresholds weighted by the rule. For example, the mean Brier loss
/// is twice the area.
///
/// Reference: Ehm, Gneiting, Jordan and Krüger (2016), Of quantiles and expectiles: consistent
/// scoring functions, Choquet representations and forecast rankings, doi:10.1111/rssb.12154.
///
/// ```
/// use scoring_rules::{Error, Level, MurphyCurve, Probability, TiedBlocks};
///
/// let forecasts = Probability::from_slice(&[0.25, 0.75])?;
/// let curve = MurphyCurve::new(&TiedBlocks::new(forecasts, &[true, false], None)?)?;
/// assert_eq!(curve.at(Level::HALF), 0.5); // one false alarm and one miss: (1/2 + 1/2) / 2
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MurphyCurve {
    /// At least one. The first start is 0; starts are strictly ascending and below 1.
    pub(crate) pieces: Vec<Decisions>,
    pub(crate) failures: f64,
    pub(crate) successes: f64,
}

/// The wrong decisions at thresholds from `start` to the start of the next piece.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct Decisions {
    pub(crate) start: f64,
    /// The weight of failures with forecasts above the threshold.
    pub(crate) false_alarms: f64,
    /// The weight of successes with forecasts of at most the threshold.
    pub(crate) misses: f64,
}

impl MurphyCurve {
    /// Computes the curve of all rows. Cost: linear.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for empty blocks.
    pub fn new(blocks: &TiedBlocks) -> Result<Self, Error> {
        let mut blocks = blocks.as_slice();
        let (mut failures, mut successes) = (CompensatedSum::default(), CompensatedSum::default());
        let mut pieces = vec![Decisions { start: 0.0, false_alarms: 0.0, misses: 0.0 }];
        for block in blocks {
            failures.add(block.failures);
            successes.add(block.successes);
            let (start, misses) = (block.confidence.get(), successes.value());
            match pieces.last_mut() {
                Some(first) if start == 0.0 => first.misses = misses,
                _ if start < 1.0 => pieces.push(Decisions { start, false_alarms: 0.0, misses }),
                _ => {}
            }
        }
        let (failures, successes) = (failures.value(), successes.value());
        if failures + successes == 0.0 {
            return Err(Error::Empty);
        }
        // Summed from above, which avoids differences of rounded sums.
        let mut above = CompensatedSum::default();
        for piece in pieces.iter_mut().rev() {
            while let Some((last, below)) = blocks.split_last()
                && last.confidence.get() > piece.start
            {
                above.add(last.failures);
                blocks = below;
            }
            piece.false_alarms = above.value();
        }
        Ok(Self { pieces, failures, successes })
    }

    /// Whether all weights are integers that were summed without rounding.
    pub(crate) fn is_counted(&self) -> bool {
        let integer = |weight: f64| weight.fract() == 0.0;
        // The weights of blocks are differences of these.
        self.failures + self.successes <= LAST_COUNT
            && integer(self.failures)
            && integer(self.successes)
            && self.pieces.iter().all(|piece| integer(piece.false_alarms) && integer(piece.misses))
    }

    /// Returns the mean elementary loss at a threshold, in [0, 1]. Cost: logarithmic.
    #[must_use]
    pub fn at(&self, threshold: Level) -> f64 {
        let c = threshold.get();
        let piece = self.pieces.partition_point(|piece| piece.start <= c).saturating_sub(1);
        let Decisions { false_alarms, misses, .. } = self.pieces[piece];
        (c * false_alarms + (1.0 - c) * misses) / (self.failures + self.successes)
    }
}

/// 2^53: integers and sums of integers up to here are exact.
const LAST_COUNT: f64 = 9_007_199_254_740_992.0;
