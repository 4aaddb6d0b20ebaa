//! Tools that yield one data type.

use tool_graph::Tool;

pub(crate) fn tool(
    name: &str,
    inputs: &[&str],
    output: &str,
    cost: f64,
    components: &[&str],
) -> Tool {
    Tool::new(name, inputs.iter().copied(), [output], cost)
        .with_components(components.iter().copied())
}
