use tool_graph::{
    Tool,
    costbench::{Library, LibraryTool, Task},
};

use crate::{
    costbench::{
        preferences::{DIMENSIONS, Split, dimension_of, dimension_values, subject},
        prompts::ReleasedTool,
        settings::CostBench,
    },
    values::tool_definition::{Parameter, ParameterKind, ToolDefinition},
};

/// The filters of the first refinements, in the order in which they are made.
const FILTERS: [&str; 5] = [
    "are still free on the wanted days",
    "lie within reach",
    "earlier guests recommend",
    "an inspector has confirmed",
    "can be booked without a further question",
];

/// Returns the definitions of tools, which must be in library order.
pub(super) fn definitions(
    settings: &CostBench,
    tools: &[Tool],
    split: Split,
) -> Vec<ToolDefinition> {
    let library = &settings.library;
    let mut entries = library.names().zip(library.entries());
    let defined = tools.iter().filter_map(|tool| {
        let (_, entry) = entries.find(|(name, _)| *name == tool.name)?;
        let released = settings.prompts.released();
        if let Some(texts) = released.and_then(|texts| texts.tool(settings.level(), &tool.name)) {
            return Some(released_definition(tool, texts));
        }
        Some(ToolDefinition {
            name: tool.name.clone(),
            description: description(settings, tool, entry),
            parameters: tool.inputs.iter().map(|input| parameter(input, split)).collect(),
            takes_more: false,
        })
    });
    defined.collect()
}

/// Returns a tool as the released benchmark describes it.
fn released_definition(tool: &Tool, texts: &ReleasedTool) -> ToolDefinition {
    let parameter = |name: &String| {
        let texts = texts.parameters.get(name)?;
        let kind = texts.values.clone().map_or(ParameterKind::Text, ParameterKind::Choice);
        Some(Parameter::new(name, &texts.description, kind))
    };
    ToolDefinition {
        name: tool.name.clone(),
        description: texts.description.replace("{cost}", &format!("{:?}", tool.cost)),
        parameters: tool.inputs.iter().filter_map(parameter).collect(),
        takes_more: true,
    }
}

fn description(settings: &CostBench, tool: &Tool, entry: &LibraryTool) -> String {
    let mut text = if entry.is_atomic() {
        let stage = stage(&settings.library, entry.task, entry.first);
        format!("Atomic tool. {stage}")
    } else {
        let components = tool.components.join(", then ");
        format!("Composite tool. Runs {components} in a single call.")
    };
    for output in &tool.outputs {
        text.push_str(&format!(" Returns {output}."));
    }
    if settings.shows_costs {
        text.push_str(&format!(" Cost: {:.2}.", tool.cost));
    }
    text
}

/// Describes a step of a task as a sentence.
pub(super) fn stage(library: &Library, task: Task, step: usize) -> String {
    let subject = subject(task);
    match step {
        0 => format!("Turns the four wishes of the user into one label for {subject}."),
        1 => format!("Looks up all {subject} that fit the label."),
        _ if step + 1 == library.task_length() => {
            "Picks the best of the candidates that are left.".to_owned()
        }
        _ => match FILTERS.get(step - 2) {
            Some(filter) => format!("Keeps only the candidates that {filter}."),
            None => format!("Keeps only the candidates that pass check {}.", step - 1),
        },
    }
}

fn parameter(data_type: &str, split: Split) -> Parameter {
    match dimension_of(data_type) {
        Some((task, dimension)) => {
            let words = dimension_values(task, dimension, split);
            let asked = match DIMENSIONS[dimension] {
                "Category" => "kind",
                "Tier" => "level",
                "Style" => "character",
                _ => "special feature",
            };
            let description = format!("The {asked} that the user wishes for.");
            Parameter::new(data_type, description, ParameterKind::Choice(words))
        }
        None => {
            let description = format!(
                "The identifier of a {data_type}, exactly as it was given to you, such as \
                 <{data_type}00000>."
            );
            Parameter::new(data_type, description, ParameterKind::Text)
        }
    }
}
