use crate::{
    error::Error,
    plans::plan::{Plan, Step},
};

scoring_rules::checked! {
    /// Counts of how plans treat unsolvable items: how many are left out, and how much is allocated to planned ones.
    ///
    /// The planned items are the items with an allocation above 0. [`merge`](Self::merge) adds the counts of
    /// several pools.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Plan, Pool, UnsolvableCounts};
    ///
    /// let item = |id, solved| Item::new(id, 1.0, 100, solved);
    /// let pool = Pool::new(vec![item("a", true)?, item("b", false)?, item("c", false)?])?;
    /// let plan = Plan::new(&[("a", 150), ("b", 50)], &pool, 300)?;
    /// let mut counts = UnsolvableCounts::default();
    /// counts.update(&plan, &[false, true, true])?;
    /// assert_eq!((counts.unsolvable, counts.left_out), (2, 1));
    /// assert_eq!((counts.allocated, counts.wasted), (200, 50));
    /// assert_eq!((counts.detection_rate()?, counts.waste_rate()?), (0.5, 0.25));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), sections 4 and 5.2, arXiv:2605.13414.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct UnsolvableCounts {
        /// The number of unsolvable items.
        pub unsolvable: u64,
        /// The number of unsolvable items that the plan leaves out.
        pub left_out: u64,
        /// The sum of all allocations.
        pub allocated: u128,
        /// The sum of the allocations to unsolvable items.
        pub wasted: u128,
    }
    check: UnsolvableCounts::check
}

impl UnsolvableCounts {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), &'static str> {
        match self.left_out <= self.unsolvable {
            false => Err("`left_out` must be at most `unsolvable`"),
            true if self.wasted > self.allocated => Err("`wasted` must be at most `allocated`"),
            true => Ok(()),
        }
    }

    /// Counts the unsolvable items and the allocations of one plan. `unsolvable` states for each item of the plan's
    /// pool, in order, whether it is unsolvable.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Step`] if the plan has a position beyond the marks; nothing is counted then.
    pub fn update(&mut self, plan: &Plan, unsolvable: &[bool]) -> Result<(), Error> {
        let marked = unsolvable.iter().filter(|&&mark| mark).count() as u64;
        let (mut planned, mut wasted) = (0, 0);
        for (index, &Step { position, allocation }) in plan.steps().iter().enumerate() {
            let items = unsolvable.len();
            let mark = unsolvable
                .get(position)
                .ok_or_else(|| Error::other_pool(index, position, items))?;
            if *mark && allocation > 0 {
                planned += 1;
                wasted += u128::from(allocation);
            }
        }
        let allocated = plan.allocated();
        self.merge(&Self { unsolvable: marked, left_out: marked - planned, allocated, wasted });
        Ok(())
    }

    /// Adds the counts of other plans, for instance for the other pools of a data set.
    pub fn merge(&mut self, other: &Self) {
        self.unsolvable = self.unsolvable.saturating_add(other.unsolvable);
        self.left_out = self.left_out.saturating_add(other.left_out);
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.wasted = self.wasted.saturating_add(other.wasted);
    }

    /// Returns the share of unsolvable items that are left out: `|U \ S| / |U|`, where U is the set of
    /// unsolvable items and S the set of planned items. From 0 to 1; higher is better.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Undefined`] without an unsolvable item.
    pub fn detection_rate(&self) -> Result<f64, Error> {
        if self.unsolvable == 0 {
            let (name, reason) = ("detection rate", "no item is marked as unsolvable");
            return Err(scoring_rules::checks::undefined(name, reason).into());
        }
        Ok(self.left_out as f64 / self.unsolvable as f64)
    }

    /// Returns the share of all allocations that goes to unsolvable items: the sum of the allocations to items in both
    /// S (planned) and U (unsolvable), divided by the sum of the allocations to S. From 0 to 1; lower is better.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Undefined`] if nothing is allocated.
    pub fn waste_rate(&self) -> Result<f64, Error> {
        if self.allocated == 0 {
            let (name, reason) = ("waste rate", "nothing is allocated");
            return Err(scoring_rules::checks::undefined(name, reason).into());
        }
        Ok(self.wasted as f64 / self.allocated as f64)
    }
}
