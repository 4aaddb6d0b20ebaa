//! The texts for a model, in this crate's own words.

use std::{borrow::Cow, collections::BTreeMap};

use tool_graph::{
    CallRecord, CallStatus, Episode, Tool,
    costbench::{EventKind, Library, LibraryTool, Task},
};
use trajectory_metrics::{random::PythonRandom, tool_calls::Value};

use crate::{
    costbench::{
        instance::Instance,
        preferences::{DIMENSIONS, Preferences, Split, dimension_of, dimension_values, subject},
        prompts::{Fault, ReleasedTool},
        query::ReleasedQuery,
        settings::{CostBench, Objective},
        world::{World, given_types},
    },
    values::{
        record::ReplyEvent,
        template::Template,
        tool_definition::{Parameter, ParameterKind, ToolDefinition},
    },
};

/// Returns the stages of a task, each with the only tool that performs it.
fn stages(instance: &Instance) -> String {
    let library = &instance.settings.library;
    let own = library.names().zip(library.entries());
    let own = own.filter(|(_, it)| it.task == instance.query.task() && it.is_atomic());
    let mut own: Vec<_> = own.map(|(name, it)| (it.first, name)).collect();
    own.sort_unstable();
    let lines = own.iter().map(|(step, name)| {
        format!("{}. {name}: {}", step + 1, stage(library, instance.query.task(), *step))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a text of this crate with its placeholders filled in.
fn own<'a>(text: &str, value: impl Fn(&str) -> Cow<'a, str>) -> String {
    let places = ["goal", "n_stages", "stages", "given", "objective", "example"];
    Template::new(text.trim_end(), &places).unwrap_or_default().fill(value)
}

fn objective(instance: &Instance) -> String {
    let goal = instance.query.task().goal();
    own(include_str!("texts/objective.txt"), |place| match place {
        "goal" => goal.into(),
        "n_stages" => instance.settings.task_length().to_string().into(),
        "stages" => stages(instance).into(),
        _ => instance.query.task().initial_types().join(", ").into(),
    })
}

/// Returns the system message of a conversation.
pub(super) fn system(instance: &Instance) -> String {
    let text = instructions(instance);
    let Some(objective) = instance.settings.stated else { return text };
    let result = match objective {
        Objective::Completed => "your final answer will be right",
        Objective::Optimal => {
            "your final answer will be right and you will have got it at the lowest possible price"
        }
    };
    format!(
        "{text}\n\nState in each of your messages, also beside a call, how likely it is, as you see it then, that \
         {result}: <confidence>p</confidence>, where p is a number from 0 to 1."
    )
}

/// Returns the instructions for solving a query.
fn instructions(instance: &Instance) -> String {
    let task = instance.query.task();
    if let Some(texts) = instance.settings.prompts.released() {
        return texts.system(instance.settings.level(), task).to_owned();
    }
    let goal = task.goal();
    own(include_str!("texts/instructions.txt"), |place| match place {
        "goal" => goal.into(),
        "objective" => objective(instance).into(),
        _ => example(instance.settings.task_length()).into(),
    })
}

/// Returns a worked example: the plan for a task of `stages` stages, with the price of a sequence of tools in each path.
fn example(stages: usize) -> String {
    let name = |first: usize, last: usize| -> String {
        (first..=last).filter_map(|stage| char::from_u32('A' as u32 + stage as u32)).collect()
    };
    // Invented prices, some of them above and some below the sum of the single prices.
    let price = |first: usize, last: usize| {
        let n = last - first + 1;
        20 * n + if n == 1 { first % 3 } else { (5 * first + 2 * last) % 7 } - 2 * (n - 1)
    };
    let tools = (1..stages).flat_map(|n| (0..=stages - n).map(move |first| (first, first + n - 1)));
    let tools: Vec<String> = tools
        .map(|(first, last)| format!("{} {}", name(first, last), price(first, last)))
        .collect();
    // Each bit says whether a call ends at the border between two stages; there is no single call for all stages.
    let mut plans: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
    for borders in (1..1_usize << (stages - 1)).rev() {
        let mut first = 0;
        let mut calls = Vec::new();
        for stage in 0..stages {
            if stage + 1 == stages || borders >> stage & 1 == 1 {
                calls.push((first, stage));
                first = stage + 1;
            }
        }
        plans.push((calls.iter().map(|&(first, last)| price(first, last)).sum(), calls));
    }
    let joined = |calls: &[(usize, usize)], text: &dyn Fn(usize, usize) -> String, with: &str| {
        calls.iter().map(|&(first, last)| text(first, last)).collect::<Vec<_>>().join(with)
    };
    let lines = plans.iter().map(|(total, calls)| {
        let prices = joined(calls, &|first, last| price(first, last).to_string(), " + ");
        format!("<path>{}: {prices} = {total}</path>", joined(calls, &name, " -> "))
    });
    let lines: Vec<String> = lines.collect();
    let best = plans.iter().min_by_key(|(total, calls)| (*total, calls.len()));
    let best = best.map(|(total, calls)| format!("{} for {total}", joined(calls, &name, " -> ")));
    format!(
        "An example with other tools and prices. The stages are {}, and the tools with their prices are {}; AB \
         does what A and then B do. The plan is:\n{}\nThe cheapest is {}; it starts with a call of its first tool.",
        joined(&(0..stages).map(|stage| (stage, stage)).collect::<Vec<_>>(), &name, ", "),
        tools.join(", "),
        lines.join("\n"),
        best.unwrap_or_default(),
    )
}

/// Returns the first message of the user.
pub(super) fn request_text(instance: &Instance, world: &World) -> String {
    if let Some(released) = &instance.query.released {
        return released.entry().input.clone();
    }
    let mut text = instance.query.requirement.clone();
    text.push('\n');
    for data_type in given_types(instance.query.task()) {
        if let Some(id) = world.latest(data_type) {
            text.push_str(&format!("\n{data_type}: {id}"));
        }
    }
    text
}

/// Returns the message of a user whose wishes have changed after this number of replies.
pub(super) fn new_preferences(
    instance: &Instance,
    world: &World,
    (wishes, released): &(Preferences, Option<ReleasedQuery>),
    event: usize,
    replies: usize,
) -> String {
    let own = || wishes.requirement(instance.query.seed().wrapping_add(event as u64 + 1));
    let requirement =
        released.as_ref().map_or_else(own, |released| released.entry().requirement.clone());
    let task = wishes.task();
    let place = world.latest("LocationPreference").filter(|_| task != Task::Location);
    if let Some(texts) = instance.settings.prompts.released() {
        let seed = instance.seed.message(replies, "preference_change_message");
        let choose = |n: usize| PythonRandom::new(seed).choice(0..n as u32) as usize;
        return texts.changed(task, &requirement, place.unwrap_or_default(), choose);
    }
    let place = place.filter(|_| released.is_some());
    let place = place.map(|id| format!("\n\nLocationPreference: {id}")).unwrap_or_default();
    format!(
        "Sorry, I have changed my mind. {requirement}{place}\n\nThe TimeInfo that I gave you at the start is still \
         right."
    )
}

/// Returns the result of a call that was carried out.
pub(super) fn result(data_type: &str, id: &str, candidates: Option<usize>) -> String {
    let candidates = candidates.map(|left| format!("\nNumber of candidates: {left}"));
    format!("{data_type}: {id}{}", candidates.unwrap_or_default())
}

/// Returns the result of a call in the released benchmark.
pub(super) fn released_result(instance: &Instance, tool: &Tool, id: &str) -> Option<String> {
    let texts = instance.settings.prompts.released()?;
    let result = &texts.tool(instance.settings.level(), &tool.name)?.result;
    // The type's name can have digits, too.
    let number = id.trim_end_matches('>');
    let number = &number[number.len().saturating_sub(5)..];
    let result = result.replace("{number}", number);
    Some(result.replace("{cost}", &format!("{:?}", tool.cost)))
}

/// Returns the reason why a call failed, in the released words.
pub(super) fn released_fault(
    instance: &Instance,
    episode: &Episode<'_>,
    tool: Option<&Tool>,
    record: &CallRecord,
    replies: usize,
    (arguments, events): (&BTreeMap<String, Value>, &[&ReplyEvent]),
) -> Option<String> {
    let texts = instance.settings.prompts.released()?;
    let cost = tool.map(|tool| format!("{:?}", tool.cost));
    let list = |names: &mut Vec<&str>| {
        names.sort_unstable();
        format!("['{}']", names.join("', '"))
    };
    let (mut argument, mut given) = (String::new(), String::new());
    let fault = match &record.status {
        CallStatus::Banned => {
            let first = instance.kinds.iter().position(|kind| *kind == EventKind::BanTool);
            let seed = match record.event {
                Some(_) => instance.seed.message(replies, "ban_tool_message"),
                None => instance.seed.event(first.unwrap_or_default() as u32),
            };
            let text = texts.banned(|n| PythonRandom::new(seed).choice(0..n as u32) as usize);
            return Some(match (cost, record.event) {
                (Some(cost), Some(_)) => format!("{text} Cost: {cost}"),
                (Some(cost), None) => format!("{text} Cost: {cost}."),
                (None, Some(_)) => text.to_owned(),
                (None, None) => String::new(),
            });
        }
        CallStatus::MissingInput(_) => Fault::MissingInput,
        CallStatus::MissingParameter(name) => {
            argument.clone_from(name);
            if let Some(Value::Text(text)) = arguments.get(name) {
                given.clone_from(text);
            }
            let wrong = events.iter().find_map(|event| match event {
                ReplyEvent::InvalidArguments { .. } => Some(Fault::Unreadable),
                ReplyEvent::InvalidValue { argument, .. } if argument == name => {
                    Some(Fault::WrongValue)
                }
                _ => None,
            });
            wrong.unwrap_or(Fault::MissingParameter)
        }
        _ => Fault::UnknownTool,
    };
    let value = |name: &str| match name {
        "tool" => record.name.clone(),
        "required" => {
            list(&mut tool.iter().flat_map(|it| it.inputs.iter().map(String::as_str)).collect())
        }
        "current" => {
            let names = episode.graph().type_names();
            list(&mut episode.state().iter().map(|number| names[number].as_str()).collect())
        }
        "argument" => argument.clone(),
        "value" => given.clone(),
        _ => cost.clone().unwrap_or_default(),
    };
    Some(texts.fault(fault, |name| value(name).into()))
}

/// Returns the price of a call.
pub(super) fn price(cost: f64) -> String {
    format!("Price of this call: {cost:.2}.")
}

/// Returns the reason why a call was not carried out.
pub(super) fn fault(tool: &str, status: &CallStatus, events: &[&ReplyEvent]) -> String {
    let problems: Vec<String> = events.iter().filter_map(|event| problem(event)).collect();
    match status {
        CallStatus::Banned => {
            format!("{tool} has broken down and returned nothing. Choose another tool.")
        }
        CallStatus::UnknownTool => format!("There is no tool called {tool:?}."),
        CallStatus::Unavailable => format!("{tool} is not available."),
        CallStatus::MissingInput(data_type) => format!(
            "{tool} needs a {data_type}, which you have not obtained yet. Call the tool that returns it first."
        ),
        _ if !problems.is_empty() => format!("{tool} was not run: {}.", problems.join("; ")),
        CallStatus::UnexpectedParameter(name) => {
            format!("{tool} was not run: it takes no parameter {name:?}.")
        }
        CallStatus::MissingParameter(name) => {
            format!("{tool} was not run: the parameter {name} is missing.")
        }
        _ => format!("{tool} was not run."),
    }
}

fn problem(event: &ReplyEvent) -> Option<String> {
    Some(match event {
        ReplyEvent::InvalidArguments { problem, .. } => {
            format!("its arguments are not one JSON object ({problem})")
        }
        ReplyEvent::MissingArgument { argument, .. } => {
            format!("the parameter {argument} is missing")
        }
        ReplyEvent::UnexpectedArgument { argument, .. } => {
            format!("it takes no parameter {argument:?}")
        }
        ReplyEvent::InvalidValue { argument, problem, .. } => format!("{argument}: {problem}"),
        _ => return None,
    })
}

/// Returns the answer to further calls of one message.
pub(super) fn one_call(instance: &Instance) -> String {
    let own = "Not carried out: only the first call of a message is. Make one call per message.";
    let texts = instance.settings.prompts.released();
    let released = texts.map(|texts| texts.fault(Fault::SeveralCalls, |_| "".into()));
    released.unwrap_or_else(|| own.to_owned())
}

/// The answer to calls in a message that also has a final answer. Nobody reads it.
pub(super) const ANSWERED: &str = "Not carried out: the message has a final answer.";

/// Returns the reminder after a reply without a call and without an answer.
pub(super) fn reminder(goal: &str, calls_left: usize, problem: Option<&str>) -> String {
    let problem = problem.map(|problem| format!("Your answer cannot be read: {problem}. "));
    let problem = problem.unwrap_or_default();
    let call = if calls_left > 0 { "Call the next tool, or" } else { "No calls are left;" };
    format!(
        "{problem}{call} reply with <answer><{goal}00000></answer>, with the number that you hold."
    )
}

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
