use crate::error::Error;
use crate::graph::plan::Plan;
use crate::graph::problem::Problem;
use crate::graph::state::State;
use crate::graph::tool_graph::ToolGraph;
use crate::searches::reduced_problem::ReducedProblem;

/// What the greedy policy may call next.
///
/// ```
/// use tool_graph::{GreedyRule, Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("look_up", ["query"], ["hint"], 1.0),
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["hint"], ["hits"], 9.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["hits"])?;
/// let cost = |rule| graph.greedy_plan(&problem, rule).map(|plan| plan.map(|plan| plan.cost()));
/// // Once it has looked up the hint, it must go on from there.
/// assert_eq!(cost(GreedyRule::Chain)?, Some(10.0));
/// assert_eq!(cost(GreedyRule::Any)?, Some(5.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GreedyRule {
    /// A tool that needs something the call before has yielded; any tool at the start and right
    /// after an event.
    #[default]
    Chain,
    /// Any tool that can be called.
    Any,
}

impl ToolGraph {
    /// The calls of a policy that always takes the tool with the lowest cost per atomic tool in it,
    /// `cost / atomic tools`; `None` where it is stuck before the goal.
    ///
    /// It looks only at tools that some way from the start to the goal could use, and calls none
    /// that would yield nothing new, which the paper does not ask for. Ties go to the tool that
    /// stands first in the library. A composite tool of composite ones counts as all the atomic
    /// tools in them.
    ///
    /// Complexity: the number of calls times that of tools.
    ///
    /// Reference: CostBench, appendix B.2, equations 7 and 8.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// ```
    /// use tool_graph::{GreedyRule, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 20.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 25.0),
    ///     Tool::new("search_and_pick", ["query"], ["choice"], 44.0)
    ///         .with_components(["search", "pick"]),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    /// // 20 a tool looks better than 22, and then there is no way back.
    /// let plan = graph.greedy_plan(&problem, GreedyRule::Chain)?.expect("it is not stuck");
    /// assert_eq!((graph.tool_names(plan.tools()), plan.cost()), (vec!["search", "pick"], 45.0));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn greedy_plan(&self, problem: &Problem, rule: GreedyRule) -> Result<Option<Plan>, Error> {
        self.check_problem(problem)?;
        let Some(greedy) = Greedy::new(self, problem) else { return Ok(None) };
        let mut state = problem.initial().clone();
        let mut tools = Vec::new();
        while !state.is_superset(problem.goal()) {
            let Some(tool) = greedy.choice(self, &state, tools.last().copied(), rule) else {
                return Ok(None);
            };
            self.add_outputs(tool, &mut state);
            tools.push(tool);
        }
        let cost = self.costs().sum(tools.iter().copied());
        Ok(Some(Plan::new(tools, cost)))
    }
}

/// The tools that the policy looks at, each with the number of atomic tools in it, in library
/// order.
#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    tools: Vec<(usize, f64)>,
}

impl Greedy {
    /// `None` where no calls lead to the goal.
    pub(crate) fn new(graph: &ToolGraph, problem: &Problem) -> Option<Self> {
        let reduced = ReducedProblem::of_checked(graph, problem)?;
        let mut sizes = vec![None; graph.tool_count()];
        let tools = reduced.tools.iter().map(|&tool| {
            let tool = tool as usize;
            (tool, atomic_tools(graph, tool, &mut sizes))
        });
        Some(Self { tools: tools.collect() })
    }

    /// The tool to call next, the call before being that of `previous`; `None` where there is none.
    pub(crate) fn choice(
        &self,
        graph: &ToolGraph,
        state: &State,
        previous: Option<usize>,
        rule: GreedyRule,
    ) -> Option<usize> {
        let chained = |tool: usize| match (rule, previous) {
            (GreedyRule::Any, _) | (_, None) => true,
            (GreedyRule::Chain, Some(previous)) => {
                graph.needs(tool).iter().any(|need| graph.yields(previous).contains(need))
            }
        };
        let new = |tool: usize| {
            graph.yields(tool).iter().any(|&yielded| !state.contains(yielded as usize))
        };
        let open = self
            .tools
            .iter()
            .filter(|&&(tool, _)| new(tool) && chained(tool) && graph.can_call(tool, state));
        let rates = open.map(|&(tool, size)| (tool, graph.cost_of(tool) / size));
        // The first of equal ones.
        rates.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(tool, _)| tool)
    }
}

/// The number of atomic tools in a tool, itself for an atomic one. As f64, since composites of
/// composites can hold more than any integer type counts.
fn atomic_tools(graph: &ToolGraph, tool: usize, sizes: &mut [Option<f64>]) -> f64 {
    // Without recursion: libraries may be nested deeper than the stack.
    let mut open = vec![tool];
    while let Some(&tool) = open.last() {
        let components = graph.component_list(tool);
        let missing = components.iter().find(|&&component| sizes[component as usize].is_none());
        if let Some(&component) = missing {
            open.push(component as usize);
            continue;
        }
        let sum: f64 = components.iter().filter_map(|&component| sizes[component as usize]).sum();
        sizes[tool] = Some(if components.is_empty() { 1.0 } else { sum });
        open.pop();
    }
    sizes[tool].unwrap_or(1.0)
}
