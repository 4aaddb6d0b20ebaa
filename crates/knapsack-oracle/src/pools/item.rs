use crate::{amount::Amount, error::Error};

/// One task of a pool: its value, the cost of an attempt, and whether an attempt solves it.
///
/// The cost is a `u64`, or an [`Amount`] of several resources.
///
/// ```
/// use knapsack_oracle::{Error, Item};
///
/// let item = Item::new("fix-typo", 1.0, 1_200, true)?;
/// assert_eq!((item.id(), item.cost(), item.is_solved()), ("fix-typo", 1_200, true));
///
/// // Tokens and cents.
/// let item = Item::new("fix-typo", 1.0, [1_200, 3], true)?;
/// assert_eq!(item.cost(), [1_200, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Item<A: Amount = u64> {
    id: String,
    value: f64,
    cost: A,
    solved: bool,
}

impl<A: Amount> Item<A> {
    /// Creates an item with a cost of at least 1 in at least one resource, for instance in output tokens.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ItemValue`] for a value that is not from 1e-100 to 1e100, and
    /// [`Error::ItemCost`] for a cost of 0.
    pub fn new(id: impl Into<String>, value: f64, cost: A, solved: bool) -> Result<Self, Error> {
        let id = id.into();
        if !(1e-100..=1e100).contains(&value) {
            return Err(Error::ItemValue { id, value });
        }
        if cost == A::NOTHING {
            return Err(Error::ItemCost { id });
        }
        Ok(Self { id, value, cost, solved })
    }

    /// Returns the cost of an attempt.
    #[must_use]
    pub const fn cost(&self) -> A {
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

#[cfg(feature = "serde")]
impl<'de, A: Amount + serde::Deserialize<'de>> serde::Deserialize<'de> for Item<A> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Item")]
        struct Stored<A> {
            id: String,
            value: f64,
            cost: A,
            solved: bool,
        }

        let Stored { id, value, cost, solved } = Stored::deserialize(deserializer)?;
        Self::new(id, value, cost, solved).map_err(serde::de::Error::custom)
    }
}
