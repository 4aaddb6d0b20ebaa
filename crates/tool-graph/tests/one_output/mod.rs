//! Tools that yield one type.

use tool_graph::Tool;

pub(crate) fn tool(
    name: &str,
    inputs: &[&str],
    output: &str,
    cost: f64,
    components: &[&str],
) -> Tool {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Tool {
        name: name.into(),
        inputs: owned(inputs),
        outputs: vec![output.into()],
        cost,
        components: owned(components),
    }
}
