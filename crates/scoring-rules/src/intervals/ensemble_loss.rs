use crate::{
    checks::at_least, error::Error, intervals::ensemble::Ensemble,
    sums::compensated_sum::CompensatedSum, values::observed::Observed,
};

impl Ensemble {
    /// Returns the continuous ranked probability score (CRPS) of an ensemble, as a loss: the integral over z of
    /// `(F(z) - 1{y <= z})^2`, where y is the outcome and F(z) is the share of members up to z.
    ///
    /// At least 0, in the units of the outcome; the absolute error for a single member. It equals
    /// `mean |x_i - y| - 1/2 mean |x_i - x_j|`, whose second mean is over all pairs, including a member paired
    /// with itself. It is the loss for an ensemble that *is* the forecast: proper for the distribution with
    /// equal probabilities, or the given weights, on the members. If the members are samples from the forecast
    /// distribution, this loss favours ensembles with too little spread, especially with few members; use
    /// [`Ensemble::fair_crps_loss`] then. If the outcome has a cap, the members and the outcome are cut off at
    /// the cap first (see [`Observed`]).
    ///
    /// Cost: O(m). The loss is summed over gaps between neighbouring members, and no term is negative,
    /// so that members far from zero and close to each other lose no digits.
    ///
    /// References: Matheson and Winkler (1976), Scoring rules for continuous probability distributions,
    /// doi:10.1287/mnsc.22.10.1087; Gneiting and Raftery (2007), Strictly proper scoring rules,
    /// prediction, and estimation, section 4.2, doi:10.1198/016214506000001437.
    ///
    /// ```
    /// use scoring_rules::{Ensemble, Observed};
    ///
    /// let forecast = Ensemble::new(&[1.0, 3.0], None)?;
    /// // F is 1/2 from 1 to 3 and 1 from 3 to 4: 2 * 1/4 + 1 * 1.
    /// assert_eq!(forecast.crps_loss(Observed::exact(4.0)?), 1.5);
    /// assert_eq!(forecast.crps_loss(Observed::capped(2.0, 2.0)?), 0.25);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub fn crps_loss(&self, outcome: Observed) -> f64 {
        sum_of_gaps(self, outcome, |beyond| beyond.share * beyond.share)
    }

    /// Returns the fair continuous ranked probability score of an ensemble, as a loss:
    /// `mean |x_i - y| - 1/2 mean |x_i - x_j|`, where y is the outcome, x_i are the members, and the second mean is over
    /// pairs of different members.
    ///
    /// In the units of the outcome. If the members are independent samples from a distribution, the expected
    /// value of this loss is the CRPS of the distribution, for any number of members. Sampling from the true
    /// belief therefore minimizes the expected loss. It is not proper for one fixed ensemble; use
    /// [`Ensemble::crps_loss`] then. If the outcome has a cap, the members and the outcome are cut off at the
    /// cap first (see [`Observed`]).
    ///
    /// With weights w_i that sum to 1, both means are weighted, and a pair of different members has the
    /// weight `w_i w_j / (1 - sum of w_k^2)`. The property above holds if the weights do not depend on
    /// the samples. Here a member of weight 2 is one sample, not two equal ones. Equal weights give the
    /// same loss as no weights. The loss is at least 0 without weights, and may be negative with
    /// unequal weights.
    ///
    /// Cost: O(m), summed like [`Ensemble::crps_loss`].
    ///
    /// Reference: Ferro (2014), Fair scores for ensemble forecasts, doi:10.1002/qj.2270.
    ///
    /// # Errors
    ///
    /// [`Error::TooFew`] for fewer than two members of positive weight.
    ///
    /// ```
    /// use scoring_rules::{Ensemble, Observed};
    ///
    /// let forecast = Ensemble::new(&[1.0, 3.0], None)?;
    /// assert_eq!(forecast.fair_crps_loss(Observed::exact(4.0)?)?, 1.0);
    /// assert!(Ensemble::new(&[1.0], None)?.fair_crps_loss(Observed::exact(4.0)?).is_err());
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    pub fn fair_crps_loss(&self, outcome: Observed) -> Result<f64, Error> {
        let found = self.members.len();
        at_least("ensemble members", 2, found)?;
        // Let a be the share of members beyond a gap, and d the share of pairs with different members. The gap
        // adds gap * a to the first mean and gap * a * (1 - a) / d to half of the second mean. The difference of
        // the two factors is computed without cancellation.
        Ok(match self.weighted_pairs() {
            None => {
                let m = found as f64;
                let pairs = m * (m - 1.0);
                sum_of_gaps(self, outcome, |Beyond { members, .. }| {
                    members * (members - 1.0) / pairs
                })
            }
            Some(pairs) => sum_of_gaps(self, outcome, |Beyond { share, others, .. }| {
                share * ((pairs - others) / pairs)
            }),
        })
    }
}

/// The members that lie beyond a gap, seen from the outcome.
struct Beyond {
    /// The number of members.
    members: f64,
    /// The share of these members among all members, by weight.
    share: f64,
    /// The share of all other members.
    others: f64,
}

/// The sum over the gaps between neighbouring members, or a member and the outcome, of the length
/// of the gap times a factor that depends on the members beyond the gap.
fn sum_of_gaps(forecast: &Ensemble, outcome: Observed, factor: impl Fn(Beyond) -> f64) -> f64 {
    let (members, y) = (&forecast.members, outcome.value);
    let mut sum = CompensatedSum::default();
    // Each member has one gap: towards the outcome, up to the next member or the outcome.
    for (i, &member) in members.iter().enumerate() {
        let member = outcome.cut_off(member);
        let (gap, beyond) = if member < y {
            let next = members.get(i + 1).map_or(y, |&next| outcome.cut_off(next).min(y));
            let [share, others] = forecast.shares(i + 1);
            (next - member, Beyond { members: (i + 1) as f64, share, others })
        } else {
            let previous = i.checked_sub(1).and_then(|j| members.get(j));
            let previous = previous.map_or(y, |&previous| outcome.cut_off(previous).max(y));
            let [others, share] = forecast.shares(i);
            (member - previous, Beyond { members: (members.len() - i) as f64, share, others })
        };
        let factor = factor(beyond);
        // The gap may be infinite.
        if factor != 0.0 {
            sum.add(gap * factor);
        }
    }
    sum.value()
}
