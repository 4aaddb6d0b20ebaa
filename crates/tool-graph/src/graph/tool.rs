/// The declaration of a tool: the data types that it needs and yields, and the cost of a call.
///
/// A composite tool lists its components in the order in which it runs them; an atomic tool has no
/// components. [`ToolGraph::new`](crate::ToolGraph::new) checks the fields.
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let search = Tool::new("search", ["query"], ["hits"], 22.22);
/// let graph = ToolGraph::new(vec![search.clone()])?;
/// assert_eq!(graph.tools(), [search]);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tool {
    /// The name, unique in a library, and not empty.
    pub name: String,
    /// The data types that must be present before the tool can be called, each once.
    pub inputs: Vec<String>,
    /// The data types that are present after the tool was called, each once.
    pub outputs: Vec<String>,
    /// The cost of a call in any unit; finite and at least 0.
    pub cost: f64,
    /// The names of the tools that a composite tool runs, in order; empty for an atomic tool.
    pub components: Vec<String>,
}

/// The fields of a tool as they are stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(remote = "Tool", deny_unknown_fields)]
struct StoredTool {
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    cost: f64,
    #[serde(default)]
    components: Vec<String>,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Tool {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StoredTool::deserialize(crate::stored::Object(deserializer))
    }
}

impl Tool {
    /// Declares an atomic tool.
    ///
    /// ```
    /// use tool_graph::{Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query", "page"], ["hits"], 4.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    ///     Tool::new("search_and_pick", ["query", "page"], ["choice"], 5.5)
    ///         .with_components(["search", "pick"]),
    /// ])?;
    /// assert_eq!(graph.components(2)?, [0, 1]);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn new<N, I, O>(name: N, inputs: I, outputs: O, cost: f64) -> Self
    where
        N: Into<String>,
        I: IntoIterator<Item: Into<String>>,
        O: IntoIterator<Item: Into<String>>,
    {
        Self {
            name: name.into(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            outputs: outputs.into_iter().map(Into::into).collect(),
            cost,
            components: Vec::new(),
        }
    }

    /// Makes the tool a composite of these tools, which it runs in this order.
    #[must_use]
    pub fn with_components<C>(self, components: C) -> Self
    where
        C: IntoIterator<Item: Into<String>>,
    {
        Self { components: components.into_iter().map(Into::into).collect(), ..self }
    }
}
