use crate::{decompositions::murphy::MurphyCurve, error::Error, values::level::Level};

/// The result of comparing two forecasters over all decision thresholds with [`MurphyCurve::compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Dominance {
    /// The losses are equal at every threshold, and therefore under every proper rule.
    Equal,
    /// The first forecaster is better at some threshold and worse at none.
    First,
    /// The second forecaster is better at some threshold and worse at none.
    Second,
    /// Each forecaster is better at some thresholds, and therefore under some proper rules.
    Neither {
        /// A threshold at which the first forecaster is better.
        first_better: Level,
        /// A threshold at which the second forecaster is better.
        second_better: Level,
    },
}

/// Differences up to this share of the total weight are due to rounding of sums of weights.
const ROUNDING: f64 = 1e-12;

impl MurphyCurve {
    /// Compares two forecasters of the same rows at all decision thresholds.
    ///
    /// If a forecaster is nowhere worse, its mean loss on these data is at most the mean loss of the
    /// other forecaster, under every proper rule. For [`Dominance::Neither`] there are proper rules
    /// that prefer either of the two.
    ///
    /// The difference of two curves is linear between neighbouring forecasts, so that the ends of
    /// each piece are compared. The comparison is exact if all weights are integers; otherwise
    /// differences up to 1e-12 of the total weight are ignored. Next to a crossing of the curves, a
    /// difference is ignored if a change of the threshold by one unit in the last place would
    /// reverse it, because forecasts such as 1/3 are rounded.
    ///
    /// Cost: linear.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomesDiffer`] unless the weight of failures and the weight of successes are
    /// equal in both curves. This is the only check that both forecasters forecast the same rows.
    ///
    /// ```
    /// use scoring_rules::{Dominance, Error, MurphyCurve, Probability, TiedBlocks};
    ///
    /// let outcomes = [false, true, true];
    /// let curve = |forecasts: &[f64]| {
    ///     MurphyCurve::new(&TiedBlocks::new(Probability::from_slice(forecasts)?, &outcomes, None)?)
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
        let rounding = if self.is_counted() && other.is_counted() { 0.0 } else { ROUNDING * total };
        for (outcome, first, second) in
            [(false, self.failures, other.failures), (true, self.successes, other.successes)]
        {
            if (first - second).abs() > rounding {
                return Err(Error::OutcomesDiffer { outcome, first, second });
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
            // c * false_alarms + (1 - c) * misses, rounded once, so that for counts the sign is
            // exact.
            let slope = false_alarms - misses;
            let crossing = false_alarms * misses < 0.0;
            let excess = |c: f64| {
                let excess = c.mul_add(slope, misses);
                let blur = if crossing { f64::EPSILON * c * slope.abs() } else { 0.0 };
                if excess.abs() <= rounding + blur { 0.0 } else { excess }
            };
            // Next to 0 there may be no number between the ends.
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

/// The largest lead of one forecaster found so far, and its threshold.
#[derive(Default)]
struct Lead {
    size: f64,
    threshold: Option<f64>,
}

impl Lead {
    /// Updates the lead with the first threshold of positive lead.
    fn see(&mut self, thresholds: [f64; 3], lead: impl Fn(f64) -> f64) {
        if let Some(threshold) = thresholds.into_iter().find(|&c| lead(c) > 0.0)
            && lead(threshold) > self.size
        {
            *self = Self { size: lead(threshold), threshold: Some(threshold) };
        }
    }
}
