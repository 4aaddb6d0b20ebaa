/// How it is proved that no choice of items has a larger value than a [`Solution`](crate::Solution).
///
/// ```
/// use knapsack_oracle::{Knapsack, KnapsackItem, Proof};
///
/// let items = [6, 5, 5].map(|size| KnapsackItem { profit: size, weight: size });
/// assert_eq!(Knapsack::new(10, &items)?.solve().proof, Proof::Bound);
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Proof {
    /// The value of the choice equals an upper bound.
    Bound,
    /// The search examined every choice that its bounds did not rule out.
    Exhausted,
    /// There is no proof: a better choice, worth at most
    /// [`Solution::upper_bound`](crate::Solution::upper_bound), may exist.
    None,
}
