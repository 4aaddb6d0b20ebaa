#[cfg(feature = "serde")]
use crate::values::probability::Probability;
use crate::{
    error::Error, sums::compensated_sum::CompensatedSum, ties::tied_blocks::TiedBlocks,
    values::level::Level,
};

/// The mean elementary loss of forecasts, as a function of the decision threshold c in (0, 1).
///
/// Whoever acts exactly if the forecast is above c pays c for acting in vain and 1 - c for not
/// acting where it was due. The total weight being W, that of failures forecast above c being N0
/// and that of successes forecast at c or below being N1:
///
/// ```text
/// loss(c) = (c N0 + (1 - c) N1) / W
/// ```
///
/// In [0, 1], lower is better. From forecast to forecast the curve is a straight line, so it is
/// kept exactly. The mean loss of every proper rule whose right certainties score 0 is the area
/// under the curve, each threshold counting with the rule's own weight: twice the plain area is the
/// mean Brier loss.
///
/// Reference: Ehm, Gneiting, Jordan and Krüger (2016), Of quantiles and expectiles: consistent
/// scoring functions, Choquet representations and forecast rankings, doi:10.1111/rssb.12154.
///
/// ```
/// use scoring_rules::{Error, Level, MurphyCurve, Probability, TiedBlocks};
///
/// let said = Probability::from_slice(&[0.25, 0.75])?;
/// let curve = MurphyCurve::new(&TiedBlocks::new(said, &[true, false], None)?)?;
/// assert_eq!(curve.at(Level::HALF), 0.5); // act on the wrong one: (1/2 + 1/2) / 2
/// let area: f64 =
///     curve.pieces().map(|p| (p.end - p.start) * (p.at_start + p.at_end) / 2.0).sum();
/// assert_eq!(2.0 * area, 0.5625); // the mean Brier loss
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct MurphyCurve {
    /// At least one. The first starts at 0, starts rise strictly and stay below 1.
    pub(crate) pieces: Vec<Decisions>,
    pub(crate) failures: f64,
    pub(crate) successes: f64,
    /// Whether all weights are whole numbers that have been counted without rounding.
    pub(crate) counted: bool,
}

/// What goes wrong at thresholds from `start` to where the next piece starts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Decisions {
    pub(crate) start: f64,
    /// Weight of failures forecast above.
    pub(crate) false_alarms: f64,
    /// Weight of successes not forecast above.
    pub(crate) misses: f64,
}

/// A straight piece of a [`MurphyCurve`], over thresholds from `start` to below `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "WrittenPiece", into = "WrittenPiece"))]
#[non_exhaustive]
pub struct MurphyPiece {
    /// The first threshold: 0 or a forecast.
    pub start: f64,
    /// Where the next piece starts: a forecast or 1.
    pub end: f64,
    /// The curve at the start. Just before it there may be a jump: see the piece before.
    pub at_start: f64,
    /// The limit of the curve towards the end.
    pub at_end: f64,
}

impl MurphyCurve {
    /// The curve of all rows. Cost: linear.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] on empty blocks.
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
        // Counted from above, so that nothing is a difference of rounded sums.
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
        Ok(Self::of(pieces, failures, successes))
    }

    fn of(pieces: Vec<Decisions>, failures: f64, successes: f64) -> Self {
        let whole = |weight: f64| weight.fract() == 0.0;
        // The weights of blocks are differences of these.
        let counted = failures + successes <= LAST_COUNT
            && whole(failures)
            && whole(successes)
            && pieces.iter().all(|piece| whole(piece.false_alarms) && whole(piece.misses));
        Self { pieces, failures, successes, counted }
    }

    /// The mean elementary loss at a threshold, in [0, 1]. Cost: logarithmic.
    #[must_use]
    pub fn at(&self, threshold: Level) -> f64 {
        let c = threshold.get();
        let piece = self.pieces.partition_point(|piece| piece.start <= c).saturating_sub(1);
        self.value(self.pieces[piece], c)
    }

    /// The pieces, in rising order. They cover (0, 1) without a gap.
    pub fn pieces(&self) -> impl Iterator<Item = MurphyPiece> {
        let ends = self.pieces[1..].iter().map(|next| next.start).chain([1.0]);
        self.pieces.iter().zip(ends).map(|(&piece, end)| MurphyPiece {
            start: piece.start,
            end,
            at_start: self.value(piece, piece.start),
            at_end: self.value(piece, end),
        })
    }

    fn value(&self, piece: Decisions, c: f64) -> f64 {
        (c * piece.false_alarms + (1.0 - c) * piece.misses) / (self.failures + self.successes)
    }
}

/// The form in which a curve is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    failures: f64,
    successes: f64,
    pieces: Vec<Decisions>,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for MurphyCurve {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { failures, successes, pieces } = written;
        for (name, value) in [("failures", failures), ("successes", successes)] {
            if !(0.0..f64::INFINITY).contains(&value) {
                return Err(Error::Setting { name, value, range: "a finite weight of at least 0" });
            }
        }
        if !(failures + successes > 0.0 && (failures + successes).is_finite()) {
            return Err(Error::Empty);
        }
        let Some(first) = pieces.first() else {
            return Err(Error::TooFew { what: "pieces", least: 1, found: 0 });
        };
        if first.start != 0.0 {
            return Err(Error::Setting { name: "start", value: first.start, range: "0 at first" });
        }
        for piece in &pieces {
            let Decisions { start, false_alarms, misses } = *piece;
            let ranges = [
                ("start", start, start < 1.0, "below 1"),
                ("false_alarms", false_alarms, false_alarms <= failures, "from 0 to failures"),
                ("misses", misses, misses <= successes, "from 0 to successes"),
            ];
            for (name, value, below_end, range) in ranges {
                if !(value >= 0.0 && below_end) {
                    return Err(Error::Setting { name, value, range });
                }
            }
        }
        for (i, pair) in pieces.windows(2).enumerate() {
            let index = i + 1;
            let order = [
                ("starts", pair[0].start, pair[1].start, pair[0].start < pair[1].start),
                ("misses", pair[0].misses, pair[1].misses, pair[0].misses <= pair[1].misses),
            ];
            for (what, before, value, rises) in order {
                if !rises {
                    return Err(Error::OutOfOrder { what, index, before, value });
                }
            }
            let [before, value] = [pair[0].false_alarms, pair[1].false_alarms];
            if value > before {
                let range = "at most that of the piece before";
                return Err(Error::Setting { name: "false_alarms", value, range });
            }
        }
        Ok(Self::of(pieces, failures, successes))
    }
}

#[cfg(feature = "serde")]
impl From<MurphyCurve> for Written {
    fn from(curve: MurphyCurve) -> Self {
        let MurphyCurve { pieces, failures, successes, counted: _ } = curve;
        Self { failures, successes, pieces }
    }
}

/// The form in which a piece is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct WrittenPiece {
    start: Probability,
    end: Probability,
    at_start: Probability,
    at_end: Probability,
}

#[cfg(feature = "serde")]
impl TryFrom<WrittenPiece> for MurphyPiece {
    type Error = Error;

    fn try_from(written: WrittenPiece) -> Result<Self, Error> {
        let WrittenPiece { start, end, at_start, at_end } = written;
        let (start, end) = (start.get(), end.get());
        if start >= end {
            return Err(Error::Reversed { low: start, high: end });
        }
        Ok(Self { start, end, at_start: at_start.get(), at_end: at_end.get() })
    }
}

#[cfg(feature = "serde")]
impl From<MurphyPiece> for WrittenPiece {
    fn from(piece: MurphyPiece) -> Self {
        let MurphyPiece { start, end, at_start, at_end } = piece;
        // All are in [0, 1]; a mean loss may be rounded to a little more.
        let [start, end, at_start, at_end] = [start, end, at_start, at_end]
            .map(|value| Probability::new(value.clamp(0.0, 1.0)).unwrap_or(Probability::ZERO));
        Self { start, end, at_start, at_end }
    }
}

/// 2^53: up to here every whole number is a number, and so is every sum of such.
const LAST_COUNT: f64 = 9_007_199_254_740_992.0;
