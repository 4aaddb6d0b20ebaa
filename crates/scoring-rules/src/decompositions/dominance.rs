use crate::{decompositions::murphy::MurphyCurve, error::Error, values::level::Level};

/// Which of two forecasters loses less, over all thresholds. Made by [`MurphyCurve::compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Dominance {
    /// The same loss at every threshold, and so under every proper rule.
    Equal,
    /// The first is nowhere worse and somewhere better.
    First,
    /// The second is nowhere worse and somewhere better.
    Second,
    /// It depends on the threshold, and so on the rule.
    Neither {
        /// A threshold at which the first is strictly better.
        first_better: Level,
        /// A threshold at which the second is strictly better.
        second_better: Level,
    },
}

/// Where sums of weights have been rounded, less than this share of the total is no difference.
const ROUNDING: f64 = 1e-12;

impl MurphyCurve {
    /// Whether one forecaster is better whatever the threshold.
    ///
    /// Such a forecaster has the lower mean loss (or the same) under every proper rule, on these
    /// data. With [`Dominance::Neither`] there are proper rules that rank the two either way.
    ///
    /// Between two forecasts the difference of two curves is a straight line, so each piece is
    /// looked at in its first and its last number. Where weights are whole numbers what is compared
    /// are counts, without rounding. For other weights less than 1e-12 of the total is no
    /// difference. Where two curves cross, a lead that one ulp of the threshold would undo is none,
    /// because thresholds are forecasts and these are rounded, as 1/3 is.
    ///
    /// Cost: linear.
    ///
    /// # Errors
    ///
    /// [`Error::OtherOutcomes`] unless failures weigh the same in both, and successes too: then the
    /// rows are not the same. That they are cannot be checked further.
    ///
    /// ```
    /// use scoring_rules::{Dominance, Error, MurphyCurve, Probability, TiedBlocks};
    ///
    /// let outcomes = [false, true, true];
    /// let curve = |said: &[f64]| {
    ///     MurphyCurve::new(&TiedBlocks::new(Probability::from_slice(said)?, &outcomes, None)?)
    /// };
    /// let (sharp, blunt) = (curve(&[0.1, 0.8, 0.9])?, curve(&[0.3, 0.6, 0.9])?);
    /// assert_eq!(sharp.compare(&blunt)?, Dominance::First);
    ///
    /// let bold = curve(&[0.4, 0.9, 0.9])?;
    /// let Dominance::Neither { first_better, .. } = sharp.compare(&bold)? else { panic!() };
    /// assert!(sharp.at(first_better) < bold.at(first_better));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn compare(&self, other: &Self) -> Result<Dominance, Error> {
        let total = self.failures + self.successes;
        let rounding = if self.counted && other.counted { 0.0 } else { ROUNDING * total };
        for (outcome, first, second) in
            [(false, self.failures, other.failures), (true, self.successes, other.successes)]
        {
            if (first - second).abs() > rounding {
                return Err(Error::OtherOutcomes { outcome, first, second });
            }
        }
        let (mut first_better, mut second_better) = (Lead::default(), Lead::default());
        let (mut firsts, mut seconds) = (&self.pieces[..], &other.pieces[..]);
        let mut start = 0.0_f64;
        while let ([first, after_first @ ..], [second, after_second @ ..]) = (firsts, seconds) {
            let end_of_first = after_first.first().map_or(1.0, |next| next.start);
            let end_of_second = after_second.first().map_or(1.0, |next| next.start);
            let end = end_of_first.min(end_of_second);
            let false_alarms = first.false_alarms - second.false_alarms;
            let misses = first.misses - second.misses;
            // c * false_alarms + (1 - c) * misses, rounded once: for counts the sign is exact.
            let slope = false_alarms - misses;
            let crossing = false_alarms * misses < 0.0;
            let excess = |c: f64| {
                let excess = c.mul_add(slope, misses);
                let blur = if crossing { f64::EPSILON * c * slope.abs() } else { 0.0 };
                if excess.abs() <= rounding + blur { 0.0 } else { excess }
            };
            // There may be no number in between, next to 0.
            let (low, high) = (start.max(0.0_f64.next_up()), end.next_down());
            if low <= high {
                let middle = (start + (end - start) / 2.0).clamp(low, high);
                first_better.see([middle, low, high], |c| -excess(c));
                second_better.see([middle, low, high], excess);
            }
            if end == end_of_first {
                firsts = after_first;
            }
            if end == end_of_second {
                seconds = after_second;
            }
            start = end;
        }
        Ok(match (first_better.threshold, second_better.threshold) {
            (None, None) => Dominance::Equal,
            (Some(_), None) => Dominance::First,
            (None, Some(_)) => Dominance::Second,
            (Some(first), Some(second)) => Dominance::Neither {
                first_better: Level::new(first)?,
                second_better: Level::new(second)?,
            },
        })
    }
}

/// A threshold of a piece where one forecaster leads by much.
#[derive(Default)]
struct Lead {
    size: f64,
    threshold: Option<f64>,
}

impl Lead {
    /// Takes in the first threshold of a piece at which there is a lead.
    fn see(&mut self, thresholds: [f64; 3], lead: impl Fn(f64) -> f64) {
        if let Some(threshold) = thresholds.into_iter().find(|&c| lead(c) > 0.0)
            && lead(threshold) > self.size
        {
            *self = Self { size: lead(threshold), threshold: Some(threshold) };
        }
    }
}
