use std::fmt::Write;

use crate::graph::{plan::Plan, tool_graph::ToolGraph};

impl ToolGraph {
    /// Writes the graph in the DOT language of Graphviz, with an edge from each data type to each tool that
    /// needs it, and from each tool to each of its outputs. Tools are boxes with their cost; the tools of the
    /// plan are filled and numbered by call, and banned tools are dashed.
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
        let mut lines = String::new();
        // Writing to a text cannot fail.
        let mut line = |line: std::fmt::Arguments<'_>| _ = writeln!(lines, "    {line}");
        for tool in 0..self.tool_count() {
            let call = calls.iter().position(|&call| call == tool);
            let place = call.map_or(String::new(), |call| format!("{}. ", call + 1));
            let style = match call {
                Some(_) => "filled",
                None if self.is_available(tool) => "solid",
                None => "dashed",
            };
            let (name, cost) = (escaped(self.name(tool)), self.cost_of(tool));
            let label = format_args!("{place}{name}\\n{cost}");
            line(format_args!(r#"tool{tool} [shape = box, style = {style}, label = "{label}"]"#));
            self.needs(tool).iter().for_each(|need| line(format_args!("type{need} -> tool{tool}")));
            self.yields(tool).iter().for_each(|new| line(format_args!("tool{tool} -> type{new}")));
        }
        for (number, name) in self.type_names().iter().enumerate() {
            line(format_args!(r#"type{number} [label = "{}"]"#, escaped(name)));
        }
        format!("digraph {{\n{lines}}}\n")
    }
}

fn escaped(name: &str) -> String {
    name.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
