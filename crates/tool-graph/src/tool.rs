/// A tool as its author declares it: what it needs, what it gives, what a call of it costs.
///
/// A composite tool names its components, in the order in which it runs them; an atomic one has
/// none.
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let search = Tool {
///     name: "search".into(),
///     inputs: vec!["query".into()],
///     outputs: vec!["hits".into()],
///     cost: 22.22,
///     components: vec![],
/// };
/// let graph = ToolGraph::new(vec![search.clone()])?;
/// assert_eq!(graph.tools(), [search]);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tool {
    /// Its name, unlike that of any other tool in the same library.
    pub name: String,
    /// The data types that must be there before it can be called.
    pub inputs: Vec<String>,
    /// The data types that are there after it was called.
    pub outputs: Vec<String>,
    /// What a call costs, in a unit of the caller's choice: finite and at least 0.
    pub cost: f64,
    /// The tools that a composite tool runs, in order; empty for an atomic tool.
    #[cfg_attr(feature = "serde", serde(default))]
    pub components: Vec<String>,
}
