use petgraph::Graph;
use petgraph::dot::{Config, Dot};
use petgraph::graph::NodeIndex;

use crate::graph::{plan::Plan, tool_graph::ToolGraph};

/// A node of the petgraph view of a [`ToolGraph`].
///
/// ```
/// use tool_graph::{Tool, ToolGraph, Vertex};
///
/// let search = Tool::new("search", ["query"], ["hits"], 2.5);
/// let view = ToolGraph::new(vec![search])?.to_petgraph();
/// let nodes: Vec<&Vertex> = view.node_weights().collect();
/// assert_eq!(nodes[0], &Vertex::Tool { tool: 0, name: "search".into(), cost: 2.5 });
/// assert_eq!(nodes[1], &Vertex::Type { number: 0, name: "query".into() });
/// assert_eq!(view.edge_count(), 2);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Vertex {
    /// A tool, banned or not.
    Tool {
        /// The position in the library.
        tool: usize,
        /// The name.
        name: String,
        /// The current cost of a call.
        cost: f64,
    },
    /// A data type.
    Type {
        /// The position in [`ToolGraph::type_names`].
        number: usize,
        /// The name.
        name: String,
    },
}

impl ToolGraph {
    /// Converts to a petgraph graph with an edge from each data type to the tools that need it, and
    /// from each tool to the data types that it yields. The nodes are the tools in library order,
    /// followed by the data types.
    #[must_use]
    pub fn to_petgraph(&self) -> Graph<Vertex, ()> {
        let mut graph = Graph::new();
        let tools: Vec<NodeIndex> = (0..self.tool_count())
            .map(|tool| {
                let name = self.name(tool).to_owned();
                graph.add_node(Vertex::Tool { tool, name, cost: self.cost_of(tool) })
            })
            .collect();
        let names = self.type_names().iter().cloned().enumerate();
        let types: Vec<NodeIndex> =
            names.map(|(number, name)| graph.add_node(Vertex::Type { number, name })).collect();
        for (tool, &node) in tools.iter().enumerate() {
            for &need in self.needs(tool) {
                graph.add_edge(types[need as usize], node, ());
            }
            for &new in self.yields(tool) {
                graph.add_edge(node, types[new as usize], ());
            }
        }
        graph
    }

    /// Writes the graph in the DOT language of Graphviz. Tools are boxes with their cost; the tools
    /// of the plan are filled and numbered by call, and banned tools are dashed.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let search = Tool::new("search", ["query"], ["hits"], 2.5);
    /// let graph = ToolGraph::new(vec![search])?;
    /// let plan = graph.optimal_plan(&graph.problem(&["query"], &["hits"])?)?;
    /// let dot = graph.to_dot(plan.as_ref());
    /// assert!(dot.contains(r#"label = "1. search\n2.5""#));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn to_dot(&self, plan: Option<&Plan>) -> String {
        let calls = plan.map_or(&[][..], Plan::tools);
        let attributes = |_, (_, vertex): (NodeIndex, &Vertex)| match vertex {
            Vertex::Tool { tool, name, cost } => {
                let call = calls.iter().position(|call| call == tool);
                let place = call.map_or(String::new(), |call| format!("{}. ", call + 1));
                let style = match call {
                    Some(_) => "filled",
                    None if self.is_available(*tool) => "solid",
                    None => "dashed",
                };
                let name = escaped(name);
                format!(r#"shape = box, style = {style}, label = "{place}{name}\n{cost}""#)
            }
            Vertex::Type { name, .. } => format!(r#"label = "{}""#, escaped(name)),
        };
        let graph = self.to_petgraph();
        let plain = [Config::NodeNoLabel, Config::EdgeNoLabel];
        let no_edge_attributes = |_, _| String::new();
        format!("{:?}", Dot::with_attr_getters(&graph, &plain, &no_edge_attributes, &attributes))
    }
}

fn escaped(name: &str) -> String {
    name.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
