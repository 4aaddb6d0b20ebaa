use crate::{
    error::Error,
    estimators::estimator::Estimator,
    replay::sample::{Sample, SampledRun},
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

impl Rollout<'_> {
    /// Shows an estimator each prefix of a run, k = 1 to T - 1, and passes the sample of each estimate to `each`. Then
    /// lets the estimator learn from the finished run.
    ///
    /// Allocates nothing. Show each run only once to an estimator that learns: it may recognise the run.
    ///
    /// # Errors
    ///
    /// As [`Rollout::replay`] and [`Sample::new`], and the errors of the estimator and of `each`.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Rollouts, estimator_from_fn};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    ///
    /// let mut hits = 0;
    /// let mut as_much_again = estimator_from_fn(|prefix| {
    ///     let used = prefix.usage().total();
    ///     Estimate::interval(0.5 * used, 2.0 * used)
    /// });
    /// rollouts.get(0)?.score(tokens, &mut as_much_again, |sample| {
    ///     hits += usize::from(sample.is_hit());
    ///     Ok(())
    /// })?;
    /// assert_eq!(hits, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn score<E: Estimator + ?Sized>(
        &self,
        resource: Resource,
        estimator: &mut E,
        mut each: impl FnMut(&Sample) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let run = SampledRun::new(self, resource)?;
        for prefix in self.replay(resource)? {
            let estimate = estimator.estimate(&prefix)?;
            each(&run.sample(prefix.turns(), prefix.usage(), estimate)?)?;
        }
        estimator.learn(self, resource)
    }

    /// Returns the sample of an estimate that is made before the first turn, k = 0. The estimator does not learn from
    /// the run.
    ///
    /// # Errors
    ///
    /// As [`Rollout::probe`] and [`Sample::new`], and the errors of the estimator.
    ///
    /// ```
    /// use budget_estimation::{Error, Level, PastQuantiles, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for cost in [10.0, 40.0, 30.0, 20.0, 25.0] {
    ///     rollouts.push(&[5.0, cost], true)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// let mut past = PastQuantiles::new(Level::new(0.5)?);
    /// let mut hits = Vec::new();
    /// for rollout in rollouts.iter() {
    ///     hits.push(rollout.score_probe(tokens, &mut past)?.is_hit());
    ///     rollout.score(tokens, &mut past, |_| Ok(()))?;
    /// }
    /// // Four past runs are needed.
    /// assert_eq!(hits, [false, false, false, false, true]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn score_probe<E: Estimator + ?Sized>(
        &self,
        resource: Resource,
        estimator: &mut E,
    ) -> Result<Sample, Error> {
        let estimate = estimator.estimate(&self.probe(resource)?)?;
        Sample::new(self, resource, 0, estimate)
    }
}

impl Rollouts {
    /// Replays all rollouts in their order, and returns the samples of the estimates; see [`Rollout::score`].
    ///
    /// # Errors
    ///
    /// As [`Rollout::score`].
    ///
    /// ```
    /// use budget_estimation::{Error, LinearEstimator, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// rollouts.push(&[60.0, 30.0], false)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// let samples = rollouts.score(tokens, &mut LinearEstimator::new(3.0, 0.5)?)?;
    /// let places = samples.iter().map(|sample| (sample.rollout(), sample.turn(), sample.remaining()));
    /// assert!(places.eq([(0, 1, 100.0), (0, 2, 80.0), (1, 1, 30.0)]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn score<E: Estimator + ?Sized>(
        &self,
        resource: Resource,
        estimator: &mut E,
    ) -> Result<Vec<Sample>, Error> {
        self.column(resource)?;
        let mut samples = Vec::new();
        for rollout in self.iter() {
            samples.reserve(rollout.turns());
            rollout.score(resource, estimator, |sample| {
                samples.push(*sample);
                Ok(())
            })?;
        }
        Ok(samples)
    }
}
