use crate::values::proof::Proof;

/// A choice of items with its proof.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Positions of the chosen items in ascending order.
    pub(crate) chosen: Vec<usize>,
    /// An upper bound on the value of every choice, unless the choice is proved to be the best.
    pub(crate) upper_bound: Option<u64>,
    pub(crate) proof: Proof,
    /// The number of partial choices or nodes of the search.
    pub(crate) states: u64,
}
