use scoring_rules::checks::same_length;
use std::sync::{Arc, OnceLock};

use crate::{
    error::Error,
    graph::{
        checks::{self, Parts},
        costs::Costs,
        lists::Lists,
        tool::Tool,
        types::Types,
    },
};

/// A checked library of tools: a graph of tools and the data types that they need and yield.
///
/// Tools are identified by their position in the library, data types by their position in [`Self::type_names`]. A
/// clone shares everything except costs and bans. It is therefore cheap to copy a graph and apply events to the
/// copy.
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
/// let plan = graph.optimal_plan(&problem)?.expect("the goal can be reached");
/// assert_eq!(graph.tool_names(&plan.tools), ["search", "pick"]);
/// assert_eq!(plan.cost, 40.73);
/// # Ok::<(), tool_graph::Error>(())
/// ```
///
/// With the feature `serde`, tools and whole [scenarios](crate::Scenario) can be written and read; a graph is made of
/// the tools that were read.
#[derive(Clone, Debug)]
pub struct ToolGraph {
    pub(super) shared: Arc<Shared>,
    costs: Costs,
    values: Vec<f64>,
    banned: Vec<bool>,
}

/// The parts of a graph that no event changes.
#[derive(Debug)]
pub(super) struct Shared {
    /// The tools as declared; their costs may be out of date.
    pub(super) tools: Vec<Tool>,
    pub(super) parts: Parts,
    types: Types,
    /// For each data type, the tools that need it; and for each data type, the tools that yield it.
    waiting: Lists,
    yielded_by: Lists,
    /// Tools and data types sorted by name, computed on first use.
    pub(super) by_name: OnceLock<[Vec<u32>; 2]>,
}

impl PartialEq for ToolGraph {
    fn eq(&self, other: &Self) -> bool {
        // The costs of the shared tools may be out of date.
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

impl ToolGraph {
    /// Checks a library and builds its graph. The tools keep their order.
    ///
    /// Names of tools and data types are not empty. The names of all tools differ, and so do the inputs of a tool and
    /// its outputs: a data type is present or not, so that a second mention has no meaning. A data type may be both an
    /// input and an output.
    ///
    /// A composite tool must be able to run its components in the given order: every input of a component must be an
    /// input of the tool or an earlier component's output. The outputs of the tool must be outputs of its
    /// components. Often they are only the outputs of the last component. Components may be composite themselves,
    /// and may stand before or after the tool in the library.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without tools, and [`Error::Tool`] for an invalid tool.
    ///
    /// # Complexity
    ///
    /// Linear time and memory in the size of the library. The library must have fewer than 2^32
    /// tools, data types, inputs and outputs in total; this is not checked, because larger libraries
    /// take hundreds of gigabytes.
    ///
    /// ```
    /// use tool_graph::{Error, Tool, ToolGraph};
    ///
    /// let search = |cost| Tool::new("search", ["query"], ["hits"], cost);
    /// let unpriced = ToolGraph::new(vec![search(f64::NAN)]);
    /// assert!(matches!(unpriced, Err(Error::Tool { .. })));
    /// let twice = ToolGraph::new(vec![search(4.0), search(7.0)]);
    /// assert!(twice.unwrap_err().to_string().starts_with("two tools are named \"search\""));
    /// ```
    pub fn new(tools: Vec<Tool>) -> Result<Self, Error> {
        let parts = checks::check(&tools)?;
        let values: Vec<f64> = tools.iter().map(|tool| tool.cost).collect();
        let costs = Costs::new(&values, |tool| &tools[tool].name)?;
        let types = parts.type_names.len();
        Ok(Self {
            banned: vec![false; tools.len()],
            shared: Arc::new(Shared {
                tools,
                types: Types::new(&parts.type_names),
                waiting: parts.needs.transposed(types),
                yielded_by: parts.yields.transposed(types),
                parts,
                by_name: OnceLock::new(),
            }),
            costs,
            values,
        })
    }

    /// Returns the same library with other costs. There is one cost for each tool, including banned tools.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one cost per tool, and [`Error::Tool`] as
    /// in [`Self::new`].
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
    /// let plan = later.optimal_plan(&problem)?.expect("the goal can be reached");
    /// assert_eq!(later.tool_names(&plan.tools), ["ask", "pick"]);
    /// assert_eq!((graph.total_cost(&[0])?, later.total_cost(&[0])?), (4.0, 8.0));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn with_costs(&self, costs: &[f64]) -> Result<Self, Error> {
        same_length("costs", self.tool_count(), costs.len())?;
        Ok(Self {
            shared: Arc::clone(&self.shared),
            costs: Costs::new(costs, |tool| self.name(tool))?,
            values: costs.to_vec(),
            banned: self.banned.clone(),
        })
    }

    /// Makes a tool unavailable in all later plans. The positions of tools do not change.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`] for a position outside the library.
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
    /// assert_eq!(later.optimal_plan(&problem)?.map(|plan| plan.cost), Some(9.0));
    /// assert_eq!(later.tool_count(), 3, "the tool keeps its position");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn ban(&mut self, tool: usize) -> Result<(), Error> {
        self.check(tool)?;
        self.remove(tool);
        Ok(())
    }

    /// Returns whether the tool is in the library and not banned.
    pub(crate) fn is_available(&self, tool: usize) -> bool {
        self.banned.get(tool) == Some(&false)
    }

    /// Returns the number of tools, including banned tools.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        self.banned.len()
    }

    /// Returns the tools as declared, with their current costs.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let tools = self.shared.tools.iter().zip(&self.values);
        tools.map(|(tool, &cost)| Tool { cost, ..tool.clone() }).collect()
    }

    /// Returns the current total cost of these calls. Costs are added exactly as decimal numbers, and the sum is
    /// rounded once.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`] for a position outside the library.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 0.1),
    ///     Tool::new("ask", ["query"], ["hits"], 0.2),
    /// ])?;
    /// assert_eq!(graph.total_cost(&[0, 1])?, 0.3);
    /// assert_ne!(graph.total_cost(&[0])? + graph.total_cost(&[1])?, 0.3);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn total_cost(&self, calls: &[usize]) -> Result<f64, Error> {
        calls.iter().try_for_each(|&tool| self.check(tool))?;
        Ok(self.costs.sum(calls.iter().copied()))
    }

    /// Returns the components of a composite tool, in order. The list is empty for an atomic tool.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTool`] for a position outside the library.
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
        self.shared.parts.components.get(tool)
    }

    /// Like [`Self::ban`], for a tool that is known to be in the library.
    pub(crate) fn remove(&mut self, tool: usize) {
        self.banned[tool] = true;
    }

    /// Undoes [`Self::remove`].
    pub(crate) fn restore(&mut self, tool: usize) {
        self.banned[tool] = false;
    }

    pub(crate) fn needs(&self, tool: usize) -> &[u32] {
        self.shared.parts.needs.get(tool)
    }

    pub(crate) fn yields(&self, tool: usize) -> &[u32] {
        self.shared.parts.yields.get(tool)
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
