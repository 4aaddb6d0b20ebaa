use scoring_rules::{Interval, Level};
use statrs::function::beta::beta_reg;

use crate::{
    no_interval::NoInterval,
    numerics::{quantiles::tail, students_t::two_sided_quantile},
    resampling::cluster_estimate::ClusterEstimate,
};

/// The least effective number of clusters for which the variance of a share is estimated from its values.
const LEAST_OF_OUTCOME: f64 = 10.0;
/// Below this rate, score intervals of few rows with the rarer outcome end too soon.
const NEAR_AN_END: f64 = 0.25;

impl ClusterEstimate {
    /// The interval of a mean of values in this range.
    pub(crate) fn ends_within(
        &self,
        range: [f64; 2],
        level: Level,
    ) -> Result<Interval, NoInterval> {
        NoInterval::check_clusters(self.fewest, level)?;
        let unseen = if self.variance > 0.0 { self.unseen } else { 0.0 };
        let wider = Self { variance: self.variance + unseen * unseen, ..*self };
        Ok(wider.ends_of_share(range, level, self.degrees_of_freedom, self.are_outcomes))
    }

    /// The interval of a mean of values in this range, with the given degrees of freedom of the variance. If rows are
    /// independent outcomes, the rate determines the variance.
    pub(crate) fn ends_of_share(
        &self,
        [least, largest]: [f64; 2],
        level: Level,
        degrees: f64,
        are_outcomes: bool,
    ) -> Interval {
        let width = largest - least;
        let rate = (self.estimate - least) / width;
        let rows = match self.variance > 0.0 {
            true => rate * (1.0 - rate) * width * width / self.variance,
            false => self.rows,
        };
        let are_few = self.rarer < LEAST_OF_OUTCOME && !are_outcomes;
        let rows = if are_few { rows.min(self.rows) } else { rows };
        let onto = |share: f64| least + width * share;
        if are_few && rate.min(1.0 - rate) < NEAR_AN_END {
            let ends = exact_interval(rate * rows, rows, level);
            return Interval::between(onto(ends.low()), onto(ends.high()));
        }
        let t = two_sided_quantile(level.get(), degrees.max(1.0));
        // t^2 / n
        let share = t * t / rows;
        let centre = (rate + share / 2.0) / (1.0 + share);
        let half = (rate * (1.0 - rate) * share + share * share / 4.0).sqrt() / (1.0 + share);
        Interval::between(onto((centre - half).max(0.0)), onto((centre + half).min(1.0)))
    }
}

/// The exact interval of a share with `successes` in `rows`; neither has to be an integer.
///
/// Reference: Clopper and Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the binomial,
/// doi:10.1093/biomet/26.4.404.
pub(crate) fn exact_interval(successes: f64, rows: f64, level: Level) -> Interval {
    let tail = tail(level);
    // The share at which the probability of at most this number of successes is the tail; in closed form for 0 successes.
    let most = |successes: f64| {
        if successes <= 0.0 {
            return 1.0 - tail.powf(1.0 / rows);
        }
        let failures = rows - successes;
        if failures <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (successes / rows, 1.0);
        while high - low > 1e-15 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let is_rarer = beta_reg(successes + 1.0, failures, middle) > 1.0 - tail;
            if is_rarer { high = middle } else { low = middle }
        }
        high
    };
    // tail^(1/n) itself, not 1 - (1 - tail^(1/n)), which loses digits to rounding.
    let low = if successes >= rows { tail.powf(1.0 / rows) } else { 1.0 - most(rows - successes) };
    Interval::between(low, most(successes))
}
