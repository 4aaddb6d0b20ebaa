use std::fmt;

use crate::{
    error::Error,
    rule::ScoringRule,
    rules::{sides::Sides, threshold_density_table::DensityTable},
    values::level::Level,
    values::probability::Probability,
    values::weight::Weight,
};

/// The score that weighs every decision threshold as you say: a mixture of elementary scores.
///
/// ```text
/// S(p, 1) = - sum of (1 - c) w(c) over thresholds c >= p
/// S(p, 0) = - sum of c w(c) over thresholds c < p
/// ```
///
/// or integrals, where w is a density. Proper whatever the weights; strictly so exactly where they
/// leave no gap. At most 0, and every proper rule whose right certainties score 0 is of this form:
/// give the thresholds at which your users act, and you have their rule.
///
/// A density is tabulated once, [`ThresholdMixture::density`]; each score then costs a binary
/// search and a polynomial. Weighted points, [`ThresholdMixture::discrete`], cost the search alone.
///
/// Reference: Schervish (1989), A general method for comparing probability assessors,
/// doi:10.1214/aos/1176347398.
///
/// ```
/// use scoring_rules::{BrierScore, Level, Probability, ScoringRule, ThresholdMixture, Weight};
///
/// let p = Probability::new(0.75)?;
/// // All thresholds alike, with density 2: the Brier score.
/// let rule = ThresholdMixture::density(|_, _| 2.0)?;
/// assert!((rule.score(p, false) - BrierScore.score(p, false)).abs() < 1e-15);
///
/// // Two users, who act at 20 and at 60 percent.
/// let rule = ThresholdMixture::discrete(&[
///     (Level::new(0.2)?, Weight::ONE),
///     (Level::new(0.6)?, Weight::new(3.0)?),
/// ])?;
/// assert!((rule.score(p, false) + 0.2 + 3.0 * 0.6).abs() < 1e-15);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(try_from = "Written"))]
pub struct ThresholdMixture(Form);

/// The form in which a mixture of single thresholds is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Thresholds and their weights.
    thresholds: Vec<(Level, Weight)>,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for ThresholdMixture {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        Self::discrete(&written.thresholds)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ThresholdMixture {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;

        let Form::Points { thresholds, weights, .. } = &self.0 else {
            return Err(S::Error::custom(
                "a mixture with a density cannot be written, because a function cannot; write what \
                 the density is made of, or a mixture made by `ThresholdMixture::discrete`",
            ));
        };
        let points = thresholds.iter().zip(weights);
        let thresholds = points
            .map(|(&c, &weight)| Ok((Level::new(c)?, Weight::new(weight)?)))
            .collect::<Result<_, Error>>()
            .map_err(S::Error::custom)?;
        Written { thresholds }.serialize(serializer)
    }
}

#[derive(Clone, PartialEq)]
enum Form {
    Points {
        thresholds: Vec<f64>,
        weights: Vec<f64>,
        /// Per number of thresholds below the forecast, the cost of a success and of a failure.
        costs: Vec<[f64; 2]>,
    },
    Density {
        /// Of thresholds up to one half.
        low: DensityTable,
        /// Of the others, in `1 - c`.
        high: DensityTable,
    },
}

impl ThresholdMixture {
    /// Weighted thresholds, in any order; equal ones add up.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a positive weight.
    pub fn discrete(thresholds: &[(Level, Weight)]) -> Result<Self, Error> {
        let positive = thresholds.iter().filter(|point| point.1 > Weight::ZERO);
        let mut points: Vec<(f64, f64)> = positive.map(|&(c, w)| (c.get(), w.get())).collect();
        if points.is_empty() {
            return Err(Error::Empty);
        }
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // Each sum starts from its small end.
        let mut costs = vec![[0.0; 2]; points.len() + 1];
        for (i, &(c, weight)) in points.iter().enumerate() {
            costs[i + 1][1] = costs[i][1] + weight * c;
        }
        for (i, &(c, weight)) in points.iter().enumerate().rev() {
            costs[i][0] = costs[i + 1][0] + weight * (1.0 - c);
        }
        let (thresholds, weights) = points.into_iter().unzip();
        Ok(Self(Form::Points { thresholds, weights, costs }))
    }

    /// A density of thresholds, given as a function of c and of 1 - c, so that it can keep its
    /// digits near 1.
    ///
    /// It may grow without limit towards 0 and 1, but more slowly than `1 / c^2` and
    /// `1 / (1-c)^2`, and may have jumps and kinks. Where it is smooth, scores of forecasts from
    /// 2^-63 to `1 - 2^-53` have a relative error of about 1e-13 (down to 1e-250); a jump or a
    /// kink, or a density that takes `1 - c` from a rounded c, adds an error of about 1e-15 of the
    /// largest score. Nearer to the ends the density is continued as the power of c, or of 1 - c,
    /// that its last four octaves show. A bump on less than a fortieth of the distance to the
    /// nearer end may be missed.
    ///
    /// Cost: some 8,000 calls of `density`, more where it is steep or not smooth.
    ///
    /// # Errors
    ///
    /// [`Error::Density`] where it is negative, infinite or no number; [`Error::NotIntegrable`]
    /// where it grows too fast towards an end; [`Error::Rough`] where it changes so often that
    /// 10,000 pieces do not do; [`Error::Empty`] where it is 0 throughout.
    pub fn density(density: impl Fn(f64, f64) -> f64) -> Result<Self, Error> {
        let low = DensityTable::new(|t| (t, density(t, 1.0 - t)), 0.0)?;
        let high = DensityTable::new(|t| (1.0 - t, density(1.0 - t, t)), 1.0)?;
        if low.near(0.5) == 0.0 && high.near(0.5) == 0.0 {
            return Err(Error::Empty);
        }
        Ok(Self(Form::Density { low, high }))
    }
}

impl ScoringRule for ThresholdMixture {
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        match &self.0 {
            Form::Points { thresholds, costs, .. } => {
                let below = thresholds.partition_point(|&c| c < forecast.get());
                0.0 - costs[below][usize::from(!outcome)]
            }
            Form::Density { low, high } => {
                let Sides { p, rest } = Sides::new(forecast);
                // Seen from the nearer end; of both costs one is an integral from that end on and the
                // other one from the forecast to the other end.
                let (t, here, there, is_near) =
                    if p <= 0.5 { (p, low, high, !outcome) } else { (rest, high, low, outcome) };
                0.0 - if is_near { here.near(t) } else { here.far(t) + there.near(0.5) }
            }
        }
    }

    /// The sum of `w(c) |c - q|` over the thresholds between report and truth: nothing cancels.
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (p, q) = (Sides::new(forecast), Sides::new(truth));
        if p.p == q.p {
            return 0.0;
        }
        match &self.0 {
            Form::Points { thresholds, weights, .. } => {
                let below = |x: f64| thresholds.partition_point(|&c| c < x);
                let between = below(p.p.min(q.p))..below(p.p.max(q.p));
                let points = thresholds[between.clone()].iter().zip(&weights[between]);
                points.map(|(c, weight)| weight * (c - q.p).abs()).sum()
            }
            Form::Density { low, high } => {
                // Those up to one half, and the others seen from 1.
                let part = |table: &DensityTable, p: f64, q: f64, rest: f64| {
                    let (from, to) = (p.min(q), p.max(q).min(0.5));
                    if from < to { table.moment(from, to, q, rest) } else { 0.0 }
                };
                part(low, p.p, q.p, q.rest) + part(high, p.rest, q.rest, q.p)
            }
        }
    }
}

impl fmt::Debug for ThresholdMixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match &self.0 {
            Form::Points { .. } => "discrete",
            Form::Density { .. } => "density",
        };
        f.debug_tuple("ThresholdMixture").field(&form).finish()
    }
}
