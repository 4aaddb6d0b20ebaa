use scoring_rules::{Interval, Level};

use crate::{
    checks::entries,
    error::Error,
    figures::figure::Figure,
    no_interval::NoInterval,
    numerics::students_t::two_sided_quantile,
    resampling::{arm::Arm, cluster_error::ClusterEstimate},
};

impl ClusterEstimate {
    /// The estimate with its [interval](Self::interval) and standard error.
    ///
    /// There is no interval with too few degrees of freedom, see [`NoInterval::check_clusters`], nor if
    /// the standard error is 0.
    #[must_use]
    pub fn figure(&self, level: Level) -> Figure {
        let enough = NoInterval::check_clusters(self.degrees_of_freedom as usize + 1, level);
        let interval = enough.and_then(|()| self.interval(level).map_err(|_| NoInterval::Constant));
        let standard_error = Some(self.standard_error).filter(|error| *error > 0.0);
        Figure { value: self.estimate, interval, standard_error }
    }

    /// The mean of the rows of the second arm minus the mean of those of the first, of values in [0, 1] such as
    /// outcomes, with its confidence interval.
    ///
    /// Where every cluster has rows of both arms, this is [`Self::difference`] with its
    /// [interval](Self::interval); see [`Self::paired_proportion_interval`] for the mean over shared clusters.
    /// Otherwise an arm of few clusters that nearly all succeed would look more
    /// certain than it is; so the ends follow from the score intervals `[l, u]` of both rates p (see
    /// [`Self::proportion_interval`]), with r the correlation of the rates by the clusters of both arms:
    ///
    /// ```text
    /// low  = p2 - p1 - sqrt((p2 - l2)^2 - 2 r (p2 - l2) (u1 - p1) + (u1 - p1)^2)
    /// high = p2 - p1 + sqrt((u2 - p2)^2 - 2 r (u2 - p2) (p1 - l1) + (p1 - l1)^2)
    /// ```
    ///
    /// They have the normal quantile if no cluster has two rows of an arm, whose variance then follows from the
    /// rate, and otherwise that of t with the degrees of freedom of the difference. Of 50 against 50, or of 400 against 20, independent
    /// rows with equal rates between 0.5 and 0.95, at most 5.7 % of the 95 % intervals leave out 0; of `estimate ± t
    /// * standard error`, up to 36 % do.
    ///
    /// Reference: Newcombe (1998), Interval estimation for the difference between independent proportions,
    /// doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I; Zou and Donner (2008),
    /// Construction of confidence limits about effect measures, doi:10.1002/sim.3095.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::difference`]; [`scoring_rules::Error::Entry`] for a value outside [0, 1].
    ///
    /// ```
    /// use trajectory_metrics::{Arm, ClusterEstimate, Error, Level};
    ///
    /// // 56 of 70 against 48 of 80, Newcombe's first example: [-0.3339, -0.0524] with n in place of n - 1 and
    /// // the normal quantile.
    /// let outcomes: Vec<f64> = (0..150).map(|i| f64::from(i < 56 || (70..118).contains(&i))).collect();
    /// let arms: Vec<Arm> = (0..150).map(|i| if i < 70 { Arm::First } else { Arm::Second }).collect();
    /// let tasks: Vec<usize> = (0..150).collect();
    /// let figure =
    ///     ClusterEstimate::proportion_difference(&outcomes, &arms, &tasks, Level::new(0.95)?)?;
    /// let ends = figure.interval?;
    /// assert!((ends.low() + 0.3339).abs() < 0.003 && (ends.high() + 0.0524).abs() < 0.003);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn proportion_difference<G: Ord>(
        values: &[f64],
        arms: &[Arm],
        clusters: &[G],
        level: Level,
    ) -> Result<Figure, Error> {
        let found = Self::difference(values, arms, None, clusters)?;
        entries("value", values, |value| (0.0..=1.0).contains(value), "in [0, 1]")?;
        let of_arm = |arm: Arm| {
            let rows = (0..values.len()).filter(|row| arms[*row] == arm);
            let (values, clusters): (Vec<f64>, Vec<&G>) =
                rows.map(|row| (values[row], &clusters[row])).unzip();
            Self::mean(&values, None, &clusters)
        };
        let [first, second] = [of_arm(Arm::First)?, of_arm(Arm::Second)?];
        if found.clusters == first.clusters && found.clusters == second.clusters {
            return Ok(found.figure(level));
        }
        let is_independent = first.clusters + second.clusters == values.len();
        let degrees = if is_independent { f64::INFINITY } else { found.degrees_of_freedom };
        let t = two_sided_quantile(level.get(), degrees.max(1.0));
        let errors = [&first, &second].map(|arm| arm.standard_error);
        let square = |error: f64| error * error;
        let shared = square(errors[0]) + square(errors[1]) - square(found.standard_error);
        let product = 2.0 * errors[0] * errors[1];
        let r = if product > 0.0 { (shared / product).clamp(-1.0, 1.0) } else { 0.0 };
        let away = |a: f64, b: f64| (a * a - 2.0 * r * a * b + b * b).max(0.0).sqrt();
        let [ends, of_second] = [&first, &second].map(|arm| arm.score_interval(t));
        let (p, q) = (first.estimate, second.estimate);
        let interval = Ok(Interval::between(
            found.estimate - away(q - of_second.low(), ends.high() - p),
            found.estimate + away(of_second.high() - q, p - ends.low()),
        ));
        Ok(Figure { interval, ..found.figure(level) })
    }
}
