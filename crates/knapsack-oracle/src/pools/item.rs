use crate::error::Error;

scoring_rules::checked! {
    /// One task of a pool: its value, the cost of an attempt, and whether an attempt solves it.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item};
    ///
    /// let item = Item::new("fix-typo", 1.0, 1_200, true)?;
    /// assert_eq!((item.id(), item.cost(), item.is_solved()), ("fix-typo", 1_200, true));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Item {
        id: String,
        value: f64,
        cost: u64,
        solved: bool,
    }
    check: Item::check
}

impl Item {
    /// Creates an item with a cost of at least 1, for instance in output tokens.
    ///
    /// A cost of 0 is refused because of the planned set `S = {i : a_i > 0}` of TRIAGE, section 4. An allocation equal
    /// to a cost of 0 would solve an item that is not in S, so that the plan of the oracle could earn less than the
    /// oracle. Give a cached or local task a cost of 1.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ItemValue`] for a value that is not from 1e-100 to 1e100, and
    /// [`Error::Item`] for a cost of 0.
    pub fn new(id: impl Into<String>, value: f64, cost: u64, solved: bool) -> Result<Self, Error> {
        let item = Self { id: id.into(), value, cost, solved };
        item.check()?;
        Ok(item)
    }

    fn check(&self) -> Result<(), Error> {
        let Self { ref id, value, cost, .. } = *self;
        match (1e-100..=1e100).contains(&value) {
            false => Err(Error::ItemValue { id: id.clone(), value }),
            true if cost == 0 => {
                let problem = "costs nothing, so that a plan that gives it nothing would solve it; \
                               give it a cost of at least 1";
                Err(Error::Item { id: id.clone(), problem })
            }
            true => Ok(()),
        }
    }

    /// Returns the cost of an attempt.
    #[must_use]
    pub const fn cost(&self) -> u64 {
        self.cost
    }

    /// Returns the id of the item, which plans refer to.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the value of solving the item.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Returns whether an attempt that is not cut off solves the item.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        self.solved
    }
}
