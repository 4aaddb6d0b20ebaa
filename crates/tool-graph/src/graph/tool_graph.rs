use std::sync::{Arc, OnceLock};

use crate::error::Error;
use crate::graph::checks;
use crate::graph::costs::Costs;
use crate::graph::lists::Lists;
use crate::graph::tool::Tool;
use crate::graph::types::Types;

/// A checked library of tools, as a graph of tools and the data types that they need and yield.
///
/// Tools are named by their position in the library, data types by their number in
/// [`Self::type_names`]. A clone shares all but costs and bans, so that events can change these on
/// a copy at little cost.
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 22.22),
///     Tool::new("pick", ["hits"], ["choice"], 18.51),
///     Tool::new("search_and_pick", ["query"], ["choice"], 40.75)
///         .with_components(["search", "pick"]),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
/// let plan = graph.optimal_plan(&problem)?.expect("both ways lead there");
/// assert_eq!(graph.tool_names(plan.tools()), ["search", "pick"]);
/// assert_eq!(plan.cost(), 40.73);
/// # Ok::<(), tool_graph::Error>(())
/// ```
///
/// With the feature `serde` it is read from and written as a list of tools, which is checked as by
/// [`Self::new`]; a graph with banned tools as `{"tools": [...], "banned": ["name", ...]}`.
#[derive(Clone, Debug)]
pub struct ToolGraph {
    pub(super) shared: Arc<Shared>,
    costs: Costs,
    values: Vec<f64>,
    banned: Vec<bool>,
}

/// What no event changes.
#[derive(Debug)]
pub(super) struct Shared {
    /// As declared; the costs in here may be out of date.
    pub(super) tools: Vec<Tool>,
    pub(super) type_names: Vec<String>,
    types: Types,
    needs: Lists,
    yields: Lists,
    components: Lists,
    /// By data type, the tools that need it and those that yield it.
    waiting: Lists,
    yielded_by: Lists,
    /// Tools by name and data types by name, sorted when first asked for.
    pub(super) by_name: OnceLock<[Vec<u32>; 2]>,
}

impl PartialEq for ToolGraph {
    fn eq(&self, other: &Self) -> bool {
        // The costs in shared tools may be out of date.
        let same = |(a, b): (&Tool, &Tool)| {
            (&a.name, &a.inputs, &a.outputs, &a.components)
                == (&b.name, &b.inputs, &b.outputs, &b.components)
        };
        self.values == other.values
            && self.banned == other.banned
            && (Arc::ptr_eq(&self.shared, &other.shared)
                || self.shared.tools.iter().zip(&other.shared.tools).all(same))
    }
}

impl TryFrom<Vec<Tool>> for ToolGraph {
    type Error = Error;

    fn try_from(tools: Vec<Tool>) -> Result<Self, Error> {
        Self::new(tools)
    }
}

impl ToolGraph {
    /// Checks a library once; everything after that relies on it. The tools keep their order.
    ///
    /// A composite tool must be able to run its components in the order given: every input of one
    /// is an input of the tool or an output of an earlier component. Its outputs are any of those
    /// of its components, often only the last one's. Components may be composite themselves and may
    /// stand before or after the tool in the library.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`], and by tool [`Error::Cost`], [`Error::CostRange`],
    /// [`Error::DuplicateTool`], [`Error::UnknownComponent`], [`Error::ComponentCycle`],
    /// [`Error::ComponentInput`] and [`Error::ComponentOutput`].
    ///
    /// # Complexity
    ///
    /// Linear in the size of the library, in time and memory. A library has fewer than 2^32 tools,
    /// data types, inputs and outputs, each counted over all tools: one with more takes hundreds of
    /// gigabytes, and is not looked for.
    ///
    /// ```
    /// use tool_graph::{Error, Tool, ToolGraph};
    ///
    /// let search = |cost| Tool::new("search", ["query"], ["hits"], cost);
    /// let unpriced = ToolGraph::new(vec![search(f64::NAN)]);
    /// assert!(matches!(unpriced, Err(Error::Cost { .. })));
    /// let twice = ToolGraph::new(vec![search(4.0), search(7.0)]);
    /// assert_eq!(twice.unwrap_err(), Error::DuplicateTool { tool: "search".into() });
    /// ```
    pub fn new(tools: Vec<Tool>) -> Result<Self, Error> {
        let parts = checks::check(&tools)?;
        let values: Vec<f64> = tools.iter().map(|tool| tool.cost).collect();
        let costs = Costs::new(&values, |tool| tools[tool].name.clone())?;
        let types = parts.type_names.len();
        Ok(Self {
            banned: vec![false; tools.len()],
            shared: Arc::new(Shared {
                tools,
                types: Types::new(&parts.type_names),
                type_names: parts.type_names,
                waiting: parts.needs.transposed(types),
                yielded_by: parts.yields.transposed(types),
                needs: parts.needs,
                yields: parts.yields,
                components: parts.components,
                by_name: OnceLock::new(),
            }),
            costs,
            values,
        })
    }

    /// The same library with other costs, one for each tool, banned ones included.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], and [`Error::Cost`] or [`Error::CostRange`] as for a new library.
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
    /// let later = graph.with_costs(&[8.0, 7.0, 2.0])?;
    /// let plan = later.optimal_plan(&problem)?.expect("there is a way");
    /// assert_eq!(later.tool_names(plan.tools()), ["ask", "pick"]);
    /// assert_eq!((graph.cost(0)?, later.cost(0)?), (4.0, 8.0));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn with_costs(&self, costs: &[f64]) -> Result<Self, Error> {
        if costs.len() != self.tool_count() {
            return Err(Error::Length {
                what: "costs",
                expected: self.tool_count(),
                found: costs.len(),
            });
        }
        Ok(Self {
            shared: Arc::clone(&self.shared),
            costs: Costs::new(costs, |tool| self.shared.tools[tool].name.clone())?,
            values: costs.to_vec(),
            banned: self.banned.clone(),
        })
    }

    /// Takes a tool out of all plans from now on; it keeps its position.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`].
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
    /// let mut later = graph.clone();
    /// later.ban(0)?;
    /// assert!(graph.is_available(0) && !later.is_available(0));
    /// assert_eq!(later.optimal_plan(&problem)?.map(|plan| plan.cost()), Some(9.0));
    /// assert_eq!(later.tool_count(), 3, "it keeps its position");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn ban(&mut self, tool: usize) -> Result<(), Error> {
        self.check(tool)?;
        self.remove(tool);
        Ok(())
    }

    /// Whether the tool is there and not banned.
    #[must_use]
    pub fn is_available(&self, tool: usize) -> bool {
        self.banned.get(tool) == Some(&false)
    }

    /// The number of tools, banned ones included.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        self.banned.len()
    }

    /// The tools as declared, with the costs of now.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let tools = self.shared.tools.iter().zip(&self.values);
        tools.map(|(tool, &cost)| Tool { cost, ..tool.clone() }).collect()
    }

    /// The cost of a call of the tool.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`].
    pub fn cost(&self, tool: usize) -> Result<f64, Error> {
        self.check(tool)?;
        Ok(self.values[tool])
    }

    /// The sum of the costs of some calls: the costs as decimals, added exactly, rounded once.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`].
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 0.1),
    ///     Tool::new("ask", ["query"], ["hits"], 0.2),
    /// ])?;
    /// assert_eq!(graph.total_cost(&[0, 1])?, 0.3);
    /// assert_ne!(graph.cost(0)? + graph.cost(1)?, 0.3);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn total_cost(&self, calls: &[usize]) -> Result<f64, Error> {
        calls.iter().try_for_each(|&tool| self.check(tool))?;
        Ok(self.costs.sum(calls.iter().copied()))
    }

    /// The components of a composite tool, in order; none for an atomic one.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`].
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search_and_pick", ["query"], ["choice"], 1.0)
    ///         .with_components(["search", "pick"]),
    ///     Tool::new("search", ["query"], ["hits"], 1.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 1.0),
    /// ])?;
    /// assert_eq!(graph.components(0)?, [1, 2]);
    /// assert!(graph.components(1)?.is_empty());
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn components(&self, tool: usize) -> Result<Vec<usize>, Error> {
        self.check(tool)?;
        Ok(self.component_list(tool).iter().map(|&component| component as usize).collect())
    }

    pub(crate) fn name(&self, tool: usize) -> &str {
        &self.shared.tools[tool].name
    }

    pub(crate) fn cost_of(&self, tool: usize) -> f64 {
        self.values[tool]
    }

    pub(crate) fn component_list(&self, tool: usize) -> &[u32] {
        self.shared.components.get(tool)
    }

    /// Like [`Self::ban`], for a tool that is known to be in the library.
    pub(crate) fn remove(&mut self, tool: usize) {
        self.banned[tool] = true;
    }

    pub(crate) fn needs(&self, tool: usize) -> &[u32] {
        self.shared.needs.get(tool)
    }

    pub(crate) fn yields(&self, tool: usize) -> &[u32] {
        self.shared.yields.get(tool)
    }

    pub(super) fn types(&self) -> Types {
        self.shared.types
    }

    pub(crate) fn waiting(&self) -> &Lists {
        &self.shared.waiting
    }

    pub(crate) fn yielded_by(&self) -> &Lists {
        &self.shared.yielded_by
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    pub(crate) fn is_yielded(&self, number: usize) -> bool {
        !self.shared.yielded_by.get(number).is_empty()
    }

    pub(crate) fn check(&self, tool: usize) -> Result<(), Error> {
        let tools = self.tool_count();
        if tool < tools { Ok(()) } else { Err(Error::NoSuchTool { tool, tools }) }
    }
}
