use crate::graph::tool_graph::ToolGraph;

/// A sequence of calls that leads from the start to the goal, with its cost.
///
/// No call can be left out: every call of a plan adds a new data type, and has outputs needed later.
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
/// let plan = graph.optimal_plan(&problem)?.expect("the goal can be reached");
/// assert_eq!((&plan.tools[..], plan.cost), (&[0, 2][..], 6.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Plan {
    /// The positions of the called tools in the library, in order.
    pub tools: Vec<usize>,
    /// The total cost of the calls. Costs are added exactly as decimal numbers, and the sum is rounded once.
    pub cost: f64,
}

impl Plan {
    /// Creates the plan with these calls, which must be tools of the graph.
    pub(crate) fn new(graph: &ToolGraph, tools: Vec<usize>) -> Self {
        let cost = graph.costs().sum(tools.iter().copied());
        Self { tools, cost }
    }
}
