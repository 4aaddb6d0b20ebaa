/// An item of a knapsack, with its value and the capacity that it takes.
///
/// The weight is a `u64` under one capacity and `[u64; R]` under R capacities at once. The fields
/// have names so that profits and weights cannot be swapped by mistake.
///
/// ```
/// use knapsack_oracle::{Error, Knapsack, KnapsackItem};
///
/// let items = [KnapsackItem { profit: 6, weight: 4 }, KnapsackItem { profit: 5, weight: 3 }];
/// assert_eq!(Knapsack::new(5, &items)?.solve().value, 6);
///
/// // Tokens and cents.
/// let items =
///     [KnapsackItem { profit: 6, weight: [4, 9] }, KnapsackItem { profit: 5, weight: [3, 2] }];
/// assert_eq!(Knapsack::several([5, 8], &items)?.solve().value, 5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KnapsackItem<W = u64> {
    /// The profit of choosing the item.
    pub profit: u64,
    /// The part of the capacity that the item takes.
    pub weight: W,
}
