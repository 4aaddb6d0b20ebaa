use crate::{
    error::Error,
    graph::{plan::Plan, problem::Problem, state::State, tool_graph::ToolGraph},
    searches::reduced_problem::ReducedProblem,
};

/// A rule that decides which tools the greedy policy may call next.
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
/// let cost = |rule| graph.greedy_plan(&problem, rule).map(|plan| plan.map(|plan| plan.cost));
/// // After looking up the hint, the chain rule only allows tools that need it.
/// assert_eq!(cost(GreedyRule::Chain)?, Some(10.0));
/// assert_eq!(cost(GreedyRule::ChainOrAny)?, Some(10.0));
/// assert_eq!(cost(GreedyRule::Any)?, Some(5.0));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GreedyRule {
    /// Tools that need an output of the previous call; at the start and after an event, any tool. This is the rule of
    /// CostBench. It can get stuck on a graph that is not a chain, for example before a tool with two inputs.
    Chain,
    /// The tools of [`Self::Chain`]; if there are none, all tools that can be called. The calls are the same as under
    /// [`Self::Chain`] unless that rule gets stuck. This rule never gets stuck while the goal can be reached.
    #[default]
    ChainOrAny,
    /// All tools that can be called. This rule never gets stuck while the goal can be reached.
    Any,
}

impl ToolGraph {
    /// Returns the calls of the greedy policy, or `None` if the policy gets stuck before the goal. The policy always
    /// calls the tool whose cost, divided by the number of atomic tools in it, is lowest.
    ///
    /// The policy only considers tools that can be part of a plan, and skips tools with no new output. The
    /// paper requires neither. Ties go to the tool that stands first in the library. The size of a composite
    /// tool is the number of atomic tools in it at any depth.
    ///
    /// Reference: CostBench, appendix B.2, equations 7 and 8.
    ///
    /// # Complexity
    ///
    /// The number of calls times the number of tools.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] if the problem belongs to a graph with other data types.
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
    /// // A cost of 20 per atomic tool looks better than 22, but leads to the dearer plan.
    /// let plan = graph.greedy_plan(&problem, GreedyRule::Chain)?.expect("the policy is not stuck");
    /// assert_eq!((graph.tool_names(&plan.tools), plan.cost), (vec!["search", "pick"], 45.0));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn greedy_plan(&self, problem: &Problem, rule: GreedyRule) -> Result<Option<Plan>, Error> {
        self.check_problem(problem)?;
        let Some(greedy) = Greedy::new(self, problem) else { return Ok(None) };
        let mut state = problem.initial.clone();
        let mut tools = Vec::new();
        while !state.is_superset(&problem.goal) {
            let Some(tool) = greedy.choice(self, &state, tools.last().copied(), rule) else {
                return Ok(None);
            };
            self.add_outputs(tool, &mut state);
            tools.push(tool);
        }
        Ok(Some(Plan::new(self, tools)))
    }
}

/// The tools that the greedy policy considers, in library order, each with its number of atomic
/// tools.
#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    tools: Vec<(usize, f64)>,
}

impl Greedy {
    /// `None` if the goal cannot be reached. The problem must belong to the graph.
    pub(crate) fn new(graph: &ToolGraph, problem: &Problem) -> Option<Self> {
        let reduced = ReducedProblem::of_checked(graph, problem)?;
        let mut sizes = vec![None; graph.tool_count()];
        let tools = reduced.tools.iter().map(|&tool| {
            let tool = tool as usize;
            (tool, atomic_tools(graph, tool, &mut sizes))
        });
        Some(Self { tools: tools.collect() })
    }

    /// Returns the next tool to call after a call of `previous`, or `None` if the policy is stuck.
    pub(crate) fn choice(
        &self,
        graph: &ToolGraph,
        state: &State,
        previous: Option<usize>,
        rule: GreedyRule,
    ) -> Option<usize> {
        let previous = previous.filter(|_| rule != GreedyRule::Any);
        let choice = self.cheapest(graph, state, previous);
        if choice.is_none() && rule == GreedyRule::ChainOrAny && previous.is_some() {
            return self.cheapest(graph, state, None);
        }
        choice
    }

    /// Returns the tool with the lowest cost per atomic tool. If `previous` is given, only tools that need
    /// one of its outputs are considered.
    fn cheapest(&self, graph: &ToolGraph, state: &State, previous: Option<usize>) -> Option<usize> {
        let chained = |tool: usize| {
            previous.is_none_or(|previous| {
                graph.needs(tool).iter().any(|need| graph.yields(previous).contains(need))
            })
        };
        let new = |tool: usize| {
            graph.yields(tool).iter().any(|&yielded| !state.contains(yielded as usize))
        };
        let open = self
            .tools
            .iter()
            .filter(|&&(tool, _)| new(tool) && chained(tool) && graph.can_call(tool, state));
        let rates = open.map(|&(tool, size)| (tool, graph.cost_of(tool) / size));
        // The first of several minima.
        rates.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(tool, _)| tool)
    }
}

/// Returns the number of atomic tools in a tool; 1 for an atomic tool. Nested composites can contain more
/// atomic tools than an integer type can count, so the number is an f64.
fn atomic_tools(graph: &ToolGraph, tool: usize, sizes: &mut [Option<f64>]) -> f64 {
    // No recursion, because deep nesting could overflow the stack.
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
