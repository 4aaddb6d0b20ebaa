/// Calls that lead from the start to the goal, none of which can be left out, and their cost.
///
/// A call that adds no data type is in no plan, nor is one whose outputs nothing after it needs.
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let plan = graph.optimal_plan(&problem)?.expect("there is a way");
/// assert_eq!((plan.tools(), plan.cost()), (&[0, 2][..], 6.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
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

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredPlan for Plan = "Plan", Plan::check, {
    tools: Vec<usize>,
    cost: f64,
});

#[cfg(feature = "serde")]
impl Plan {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::{is_cost, rule};

        let mut tools = self.tools.clone();
        tools.sort_unstable();
        let once = tools.windows(2).all(|pair| pair[0] != pair[1]);
        rule(once, "a plan must call each tool at most once")?;
        rule(is_cost(self.cost), "the cost of a plan must be finite and at least 0")
    }
}
