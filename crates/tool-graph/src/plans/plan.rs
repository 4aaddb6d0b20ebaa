/// Calls that lead from the start to the goal, none of which can be left out, and their cost.
///
/// A call that adds no data type is in no plan, nor is one whose outputs nothing after it needs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    tools: Vec<usize>,
    cost: f64,
}

impl Plan {
    pub(crate) fn new(tools: Vec<usize>, cost: f64) -> Self {
        Self { tools, cost }
    }

    /// The tools called, in order, as positions in the library.
    #[must_use]
    pub fn tools(&self) -> &[usize] {
        &self.tools
    }

    /// The sum of the costs of the calls: the costs as decimals, added exactly, rounded once.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }
}
