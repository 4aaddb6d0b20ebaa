use crate::{Error, ExactRandom, FitRule, Pool, RandomReference, SampledRandom};

impl Pool {
    /// What a planner without any knowledge earns on average: all items in a random order, stopping at
    /// the first that does not fit. The expectation itself; see [`RandomReference::exact`].
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Pool};
    ///
    /// let item = |id, solved| Item::new(id, 1.0, 6, solved);
    /// let pool = Pool::new(vec![item("a", true)?, item("b", false)?, item("c", false)?])?;
    /// assert_eq!(pool.random_exact(10)?.value, 1.0 / 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for pools that are beyond an exact answer; [`Error::ValueAt`] for a value
    /// above 1e100.
    pub fn random_exact(&self, budget: u64) -> Result<ExactRandom, Error> {
        self.random_reference()?.exact(budget)
    }

    /// The same by shuffles, for either rule; the paper takes 1,000. See [`RandomReference::sampled`].
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for fewer than 2 shuffles; [`Error::ValueAt`] for a value above 1e100.
    pub fn random_sampled(
        &self,
        budget: u64,
        rule: FitRule,
        shuffles: usize,
        seed: u64,
    ) -> Result<SampledRandom, Error> {
        self.random_reference()?.sampled(budget, rule, shuffles, seed)
    }

    fn random_reference(&self) -> Result<RandomReference, Error> {
        let items = self.items();
        let costs: Vec<u64> = items.iter().map(|item| item.cost()).collect();
        let values: Vec<f64> = items.iter().map(|item| item.value()).collect();
        let solved: Vec<bool> = items.iter().map(|item| item.is_solved()).collect();
        RandomReference::new(&costs, &values, &solved)
    }
}
