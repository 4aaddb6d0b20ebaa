use std::collections::BTreeMap;

use crate::{
    error::Error,
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

impl Rollouts {
    /// Returns the median total cost of the rollouts of each family, including failed rollouts. These medians
    /// serve as caps in a benchmark without a natural budget.
    ///
    /// For an even number of rollouts, the median is the mean of the two middle totals. If both are whole
    /// numbers and their mean is not, it is the lower one.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost is unknown; [`Error::NoSuchResource`] for a handle from other rollouts.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for (model, tokens) in [("a", 900.0), ("b", 70.0), ("a", 401.0), ("a", 500.0), ("b", 81.0)] {
    ///     let rollout = rollouts.push(&[tokens], true)?;
    ///     rollouts.set_task(rollout, model)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// let caps = rollouts.median_caps(tokens, |rollout| rollout.task().unwrap_or("").to_owned())?;
    /// assert_eq!(caps.into_iter().collect::<Vec<_>>(), [("a".into(), 500.0), ("b".into(), 70.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, table 2, and its code for SWE-bench.
    pub fn median_caps<G: Ord>(
        &self,
        resource: Resource,
        family: impl Fn(&Rollout<'_>) -> G,
    ) -> Result<BTreeMap<G, f64>, Error> {
        let mut totals: BTreeMap<G, Vec<f64>> = BTreeMap::new();
        self.column(resource)?;
        for rollout in self.iter() {
            let total = rollout.total(resource)?;
            totals.entry(family(&rollout)).or_default().push(total);
        }
        Ok(totals.into_iter().map(|(family, totals)| (family, median(totals))).collect())
    }
}

/// Returns the median of at least one number.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let (low, high) = (at(values.len().saturating_sub(1) / 2), at(values.len() / 2));
    let mean = low + (high - low) / 2.0;
    let is_whole = |value: f64| value.fract() == 0.0;
    if is_whole(low) && is_whole(high) && !is_whole(mean) { low } else { mean }
}
