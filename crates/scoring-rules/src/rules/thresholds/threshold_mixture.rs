use crate::{
    error::Error, rule::ScoringRule, values::level::Level, values::probability::Probability,
    values::weight::Weight,
};

crate::checked! {
    /// A weighted sum of elementary scores, with one weight for each of several decision thresholds.
    ///
    /// ```text
    /// S(p, 1) = - sum of (1 - c) w(c) over the thresholds c >= p
    /// S(p, 0) = - sum of c w(c) over the thresholds c < p
    /// ```
    ///
    /// Proper for all weights, and at most 0. Reports with no threshold between them have the same
    /// score. Every proper rule that gives a right certainty the score 0 is such a mixture, or the limit
    /// of such mixtures: from the thresholds of a group of users, this type makes the rule that measures
    /// the value of forecasts to these users.
    ///
    /// Each score costs one binary search.
    ///
    /// Reference: Schervish (1989), A general method for comparing probability assessors,
    /// doi:10.1214/aos/1176347398.
    ///
    /// ```
    /// use scoring_rules::{Level, Probability, ScoringRule, ThresholdMixture, Weight};
    ///
    /// // Two users, who act at 20 and at 60 percent.
    /// let rule = ThresholdMixture::new(&[
    ///     (Level::new(0.2)?, Weight::ONE),
    ///     (Level::new(0.6)?, Weight::new(3.0)?),
    /// ])?;
    /// let p = Probability::new(0.75)?;
    /// assert!((rule.score(p, false) + 0.2 + 3.0 * 0.6).abs() < 1e-15);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ThresholdMixture {
        /// Sorted by threshold; all weights are positive.
        thresholds: Vec<(Level, Weight)>,
        /// The cost of a success and of a failure, by the number of thresholds below the forecast.
        #[cfg_attr(feature = "serde", serde(skip))]
        costs: Vec<[f64; 2]>,
    }
    restore: |read| ThresholdMixture::new(&read.thresholds).map(|checked| *read = checked)
}

impl ThresholdMixture {
    /// Creates the mixture from thresholds with their weights. Thresholds can be in any order; the weights of equal
    /// thresholds are added.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if no weight is positive.
    pub fn new(thresholds: &[(Level, Weight)]) -> Result<Self, Error> {
        let positive = thresholds.iter().filter(|(_, weight)| *weight > Weight::ZERO);
        let mut points: Vec<(Level, Weight)> = positive.copied().collect();
        if points.is_empty() {
            return Err(Error::Empty);
        }
        let numbers = |&(threshold, weight): &(Level, Weight)| (threshold.get(), weight.get());
        points.sort_unstable_by(|a, b| {
            let (a, b) = (numbers(a), numbers(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        // Each sum starts from its small end.
        let mut costs = vec![[0.0; 2]; points.len() + 1];
        for (i, (threshold, weight)) in points.iter().map(numbers).enumerate() {
            costs[i + 1][1] = costs[i][1] + weight * threshold;
        }
        for (i, (threshold, weight)) in points.iter().map(numbers).enumerate().rev() {
            costs[i][0] = costs[i + 1][0] + weight * (1.0 - threshold);
        }
        Ok(Self { thresholds: points, costs })
    }

    fn thresholds_below(&self, forecast: Probability) -> usize {
        self.thresholds.partition_point(|(threshold, _)| threshold.get() < forecast.get())
    }
}

impl ScoringRule for ThresholdMixture {
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        0.0 - self.costs[self.thresholds_below(forecast)][usize::from(!outcome)]
    }

    /// The sum of `w(c) |c - q|` over the thresholds between forecast and truth, in which nothing
    /// cancels.
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (low, high) = (forecast.min(truth), forecast.max(truth));
        let between = &self.thresholds[self.thresholds_below(low)..self.thresholds_below(high)];
        let cost = |(threshold, weight): &(Level, Weight)| {
            weight.get() * (threshold.get() - truth.get()).abs()
        };
        between.iter().map(cost).sum()
    }
}
