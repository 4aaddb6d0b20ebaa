use crate::error::Error;

/// One task of a pool: its value, the cost of an attempt, and whether an attempt solves it.
///
/// `R` is the number of resources that an attempt uses. It is 1 by default.
///
/// ```
/// use knapsack_oracle::{Error, Item};
///
/// let item = Item::new("fix-typo", 1.0, 1_200, true)?;
/// assert_eq!((item.id(), item.cost(), item.is_solved()), ("fix-typo", 1_200, true));
///
/// // Tokens and cents.
/// let item = Item::with_costs("fix-typo", 1.0, [1_200, 3], true)?;
/// assert_eq!(item.costs(), &[1_200, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Item<const R: usize = 1> {
    id: String,
    value: f64,
    costs: [u64; R],
    solved: bool,
}

impl Item {
    /// Creates an item with one cost of at least 1, for instance in output tokens.
    ///
    /// # Errors
    ///
    /// Returns [`Error::ItemValue`] for a value that is not from 1e-100 to 1e100, and
    /// [`Error::ItemCost`] for a cost of 0.
    pub fn new(id: impl Into<String>, value: f64, cost: u64, solved: bool) -> Result<Self, Error> {
        Self::with_costs(id, value, [cost], solved)
    }

    /// Returns the cost of an attempt.
    #[must_use]
    pub const fn cost(&self) -> u64 {
        self.costs[0]
    }
}

impl<const R: usize> Item<R> {
    /// Creates an item with a cost in each resource. At least one cost must be above 0.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Item::new`].
    pub fn with_costs(
        id: impl Into<String>,
        value: f64,
        costs: [u64; R],
        solved: bool,
    ) -> Result<Self, Error> {
        let id = id.into();
        if !(1e-100..=1e100).contains(&value) {
            return Err(Error::ItemValue { id, value });
        }
        if costs.iter().all(|&cost| cost == 0) {
            return Err(Error::ItemCost { id });
        }
        Ok(Self { id, value, costs, solved })
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

    /// Returns the cost of an attempt in each resource.
    #[must_use]
    pub const fn costs(&self) -> &[u64; R] {
        &self.costs
    }

    /// Returns whether an attempt that is not cut off solves the item.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        self.solved
    }
}

/// The stored form of an item with one resource.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename = "Item")]
struct Stored<S> {
    id: S,
    value: f64,
    cost: u64,
    solved: bool,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Item {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, value, costs: [cost], solved } = self;
        Stored { id, value: *value, cost: *cost, solved: *solved }.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Item {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { id, value, cost, solved } = Stored::<String>::deserialize(deserializer)?;
        Self::new(id, value, cost, solved).map_err(serde::de::Error::custom)
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_read_from_json_through_the_same_checks() {
        let item = Item::new("a", 0.1, 7, true).unwrap();
        let text = serde_json::to_string(&item).unwrap();
        assert_eq!(text, r#"{"id":"a","value":0.1,"cost":7,"solved":true}"#);
        assert_eq!(serde_json::from_str::<Item>(&text).unwrap(), item);
        for wrong in [text.replace('7', "0"), text.replace("0.1", "0"), text.replace("0.1", "-1")] {
            assert!(serde_json::from_str::<Item>(&wrong).is_err(), "{wrong}");
        }
    }
}
