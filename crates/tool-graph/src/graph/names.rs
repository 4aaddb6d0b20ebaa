use crate::{error::Error, graph::tool_graph::ToolGraph};

/// Names of tools and data types.
impl ToolGraph {
    /// Returns the position of the tool with this name.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    ///
    /// assert_eq!(graph.tool_index("pick"), Some(2));
    /// assert_eq!(graph.tool_index("buy"), None);
    /// assert_eq!(graph.tool_names(&[2, 0]), ["pick", "search"]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn tool_index(&self, name: &str) -> Option<usize> {
        let [tools, _] = self.by_name();
        let name_of = |&tool: &u32| self.shared.tools[tool as usize].name.as_str();
        let place = tools.binary_search_by(|tool| name_of(tool).cmp(name)).ok()?;
        Some(tools[place] as usize)
    }

    /// Returns the position of the tool with this name, or an error.
    pub(crate) fn index_of(&self, name: &str) -> Result<usize, Error> {
        let tool = self.tool_index(name);
        tool.ok_or_else(|| Error::name(name, format!("the library has no tool named {name:?}")))
    }

    /// Returns the names of the tools at these positions, which may come from a plan.
    ///
    /// # Panics
    ///
    /// If a position is outside the library.
    #[must_use]
    #[track_caller]
    pub fn tool_names(&self, tools: &[usize]) -> Vec<&str> {
        tools.iter().map(|&tool| self.shared.tools[tool].name.as_str()).collect()
    }

    /// Returns the names of the data types, in the order of their first appearance in the library. A state refers to a
    /// data type by its position in this list.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    ///
    /// assert_eq!(graph.type_names(), ["query", "hits", "choice"]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn type_names(&self) -> &[String] {
        &self.shared.parts.type_names
    }

    /// Returns the position of this data type in [`Self::type_names`].
    pub(crate) fn type_index(&self, name: &str) -> Option<usize> {
        let [_, types] = self.by_name();
        let name_of = |&number: &u32| self.shared.parts.type_names[number as usize].as_str();
        let place = types.binary_search_by(|number| name_of(number).cmp(name)).ok()?;
        Some(types[place] as usize)
    }

    fn by_name(&self) -> &[Vec<u32>; 2] {
        let shared = &self.shared;
        shared.by_name.get_or_init(|| {
            let mut tools: Vec<u32> = (0..shared.tools.len() as u32).collect();
            tools.sort_unstable_by_key(|&tool| shared.tools[tool as usize].name.as_str());
            let mut types: Vec<u32> = (0..shared.parts.type_names.len() as u32).collect();
            types.sort_unstable_by_key(|&number| shared.parts.type_names[number as usize].as_str());
            [tools, types]
        })
    }
}
