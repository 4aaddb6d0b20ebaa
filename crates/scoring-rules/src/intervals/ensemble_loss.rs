use crate::{
    error::Error, intervals::ensemble::Ensemble, sums::compensated_sum::CompensatedSum,
    values::observed::Observed,
};

/// The continuous ranked probability score of an ensemble, as a loss: the integral over z of
/// `(F(z) - 1{y <= z})^2`, where F is the share of members up to z.
///
/// From 0 up, in units of the outcome; the absolute error for a single member. It equals
/// `mean |x_i - y| - 1/2 mean |x_i - x_j|` over all pairs, a member with itself included. Proper
/// for the distribution that puts equal weight on the members, or the weights that were given (a
/// member of weight 2 counts as the member given twice): this is the loss for an ensemble that *is*
/// the forecast. For members that are samples of the forecast it favours too little
/// spread, the more so the fewer there are; then [`fair_crps_loss`] is right. Where the outcome has
/// a cap, members and outcome are capped first (see [`Observed`]).
///
/// Takes O(m). A sum of distances between neighbours, none of which is negative, so that members
/// far from zero and close to each other lose no digits.
///
/// References: Matheson and Winkler (1976), Scoring rules for continuous probability distributions,
/// doi:10.1287/mnsc.22.10.1087; Gneiting and Raftery (2007), Strictly proper scoring rules,
/// prediction, and estimation, section 4.2, doi:10.1198/016214506000001437.
///
/// ```
/// use scoring_rules::{Ensemble, Observed, ensemble_crps_loss};
///
/// let forecast = Ensemble::new(vec![1.0, 3.0])?;
/// // 1/4 of the way from 1 to 3, all of the way from 3 to 4.
/// assert_eq!(ensemble_crps_loss(&forecast, Observed::exact(4.0)?), 1.5);
/// assert_eq!(ensemble_crps_loss(&forecast, Observed::under_cap(2.0, 2.0)?), 0.25);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[must_use]
pub fn ensemble_crps_loss(forecast: &Ensemble, outcome: Observed) -> f64 {
    sum_of_gaps(forecast, outcome, |beyond| beyond.share * beyond.share)
}

/// The fair continuous ranked probability score of an ensemble, as a loss:
/// `mean |x_i - y| - 1/2 mean |x_i - x_j|`, the second mean over pairs of different members.
///
/// From 0 up, in units of the outcome. Where the members are independent samples of a distribution,
/// it is on average the CRPS of that distribution, however few the members: so honest sampling is
/// expected to lose least. As the loss of one fixed ensemble it is not proper; that is
/// [`ensemble_crps_loss`]. Where the outcome has a cap, members and outcome are capped first (see
/// [`Observed`]).
///
/// With weights w_i that sum to 1 the means are weighted, the second one over pairs of different
/// members with the weight `w_i w_j / (1 - sum of w_k^2)`. This keeps the property above if the weights
/// do not depend on the samples. Here a member of weight 2 is not the member given twice, which
/// would be two samples; equal weights are the same as none. With unequal weights the loss may be
/// negative.
///
/// Takes O(m), and is summed like [`ensemble_crps_loss`].
///
/// Reference: Ferro (2014), Fair scores for ensemble forecasts, doi:10.1002/qj.2270.
///
/// # Errors
///
/// [`Error::TooFew`] for a single member; members of weight 0 do not count.
///
/// ```
/// use scoring_rules::{Ensemble, Observed, fair_crps_loss};
///
/// let forecast = Ensemble::new(vec![1.0, 3.0])?;
/// assert_eq!(fair_crps_loss(&forecast, Observed::exact(4.0)?)?, 1.0);
/// assert!(fair_crps_loss(&Ensemble::new(vec![1.0])?, Observed::exact(4.0)?).is_err());
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn fair_crps_loss(forecast: &Ensemble, outcome: Observed) -> Result<f64, Error> {
    let found = forecast.members().len();
    if found < 2 {
        return Err(Error::TooFew { what: "ensemble members", least: 2, found });
    }
    // A share a beyond a gap adds gap * a to the first mean and takes gap * a (1 - a), over the share
    // of pairs of different members, away again. What remains of equal members is never negative, and
    // this is it.
    Ok(match forecast.weighted_pairs() {
        None => {
            let m = found as f64;
            let pairs = m * (m - 1.0);
            sum_of_gaps(forecast, outcome, |Beyond { members, .. }| {
                members * (members - 1.0) / pairs
            })
        }
        Some(pairs) => sum_of_gaps(forecast, outcome, |Beyond { share, others, .. }| {
            share * ((pairs - others) / pairs)
        }),
    })
}

/// What lies beyond a gap, seen from the outcome.
struct Beyond {
    /// The number of members.
    members: f64,
    /// Their share of all members, by weight.
    share: f64,
    /// The share of all other members.
    others: f64,
}

/// The line is cut at the members and the outcome. Each gap counts by its length times a factor,
/// which follows from the members that lie beyond it, seen from the outcome.
fn sum_of_gaps(forecast: &Ensemble, outcome: Observed, factor: impl Fn(Beyond) -> f64) -> f64 {
    let (members, y) = (forecast.members(), outcome.value());
    let mut sum = CompensatedSum::default();
    // Every member has one gap: from itself towards the outcome, up to the next member on the way.
    for (i, &member) in members.iter().enumerate() {
        let member = outcome.capped(member);
        let (gap, beyond) = if member < y {
            let next = members.get(i + 1).map_or(y, |&next| outcome.capped(next).min(y));
            let [share, others] = forecast.shares(i + 1);
            (next - member, Beyond { members: (i + 1) as f64, share, others })
        } else {
            let previous = i.checked_sub(1).and_then(|j| members.get(j));
            let previous = previous.map_or(y, |&previous| outcome.capped(previous).max(y));
            let [others, share] = forecast.shares(i);
            (member - previous, Beyond { members: (members.len() - i) as f64, share, others })
        };
        let factor = factor(beyond);
        // Also where the ends are too far apart for a number, a factor of 0 contributes nothing.
        if factor != 0.0 {
            sum.add(gap * factor);
        }
    }
    sum.value()
}
