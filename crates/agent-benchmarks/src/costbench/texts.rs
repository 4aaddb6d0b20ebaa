//! What a model reads, in this crate's own words.

use tool_graph::{CallStatus, Tool};

use crate::{
    costbench::{
        instance::Instance,
        preferences::Preferences,
        tools::stage,
        world::{World, given_types},
    },
    values::reply_event::ReplyEvent,
};

/// The stages of a task, each with the tool that performs it alone.
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

fn objective(instance: &Instance) -> String {
    let goal = instance.query.task().goal();
    format!(
        "You solve travel requests by calling tools. Every call has a price. Your result is the sum of \
         the prices that you have paid when you hold a {goal}: the lower, the better. Of two ways with the \
         same price, the one with fewer calls is better.\n\n\
         The task has {} stages, always in this order. Each has a tool that performs it alone:\n{}\n\n\
         Composite tools perform several consecutive stages in one call, at a price that can be above or below \
         the sum of the single prices. The parameters of a tool are named after the data types that it \
         needs, and its description names the data type that it returns.",
        instance.settings.task_length(),
        stages(instance),
    )
}

/// The instructions for solving a query.
pub(super) fn instructions(instance: &Instance) -> String {
    let goal = instance.query.task().goal();
    format!(
        "{}\n\n\
         Rules:\n\
         - Read the four wishes (category, tier, style and feature package) from the user's words. \
         Everything else is an identifier that the user or a tool gives you; copy it exactly.\n\
         - Make one call per message. If a message has several calls, only the first is carried out.\n\
         - You can make at most {} calls.\n\
         - Prices, tools and wishes can change on the way. Read the list of tools again before each \
         call, and make a new plan if something has changed.\n\
         - Before the first call, write down every sequence of tools that leads to the result, add up \
         its prices, and take the cheapest one.\n\
         - As soon as you hold a {goal}, make no further call. Reply with its identifier between tags: \
         <answer><{goal}00000></answer>. The first message with an answer ends the conversation.",
        objective(instance),
        instance.settings.call_limit,
    )
}

/// The instructions for listing all ways to solve a query. The tools are listed in the text.
pub(super) fn enumeration_instructions(instance: &Instance, tools: &[Tool]) -> String {
    let list = tools.iter().map(|tool| {
        format!(
            "- {}: {} to {}, {:.2}",
            tool.name,
            tool.inputs.join(" and "),
            tool.outputs.join(" and "),
            tool.cost
        )
    });
    format!(
        "{}\n\n\
         These are the tools, with what they need and return, and their prices:\n{}\n\n\
         Do not call any tool. List every sequence of tools that leads from what the user gives to the \
         result, without calls that are not needed. Write each sequence on a line of its own between \
         tags, with an arrow between two names: <path>FirstTool -> SecondTool</path>.",
        objective(instance),
        list.collect::<Vec<_>>().join("\n"),
    )
}

/// The first message of the user.
pub(super) fn request_text(instance: &Instance, world: &World) -> String {
    if let Some(released) = &instance.query.released {
        return released.input().to_owned();
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

/// The message of a user whose wishes have changed.
pub(super) fn new_preferences(instance: &Instance, wishes: &Preferences, event: usize) -> String {
    let requirement = wishes.requirement(instance.query.seed().wrapping_add(event as u64 + 1));
    format!(
        "Sorry, I have changed my mind, so please start again. {requirement}\n\nNothing that the tools \
         returned so far fits any more; what I gave you at the start is still right."
    )
}

/// What a call that was carried out returns.
pub(super) fn result(data_type: &str, id: &str, candidates: Option<usize>) -> String {
    let candidates = candidates.map(|left| format!("\nNumber of candidates: {left}"));
    format!("{data_type}: {id}{}", candidates.unwrap_or_default())
}

/// The account after a call.
pub(super) fn account(cost: f64, paid: f64, left: usize) -> String {
    format!("Price of this call: {cost:.2}. Paid so far: {paid:.2}. Calls left: {left}.")
}

/// Why a call was not carried out.
pub(super) fn fault(tool: &str, status: &CallStatus, events: &[&ReplyEvent]) -> String {
    let problems: Vec<String> = events.iter().filter_map(|event| problem(event)).collect();
    match status {
        CallStatus::Banned => format!(
            "{tool} has broken down and returns nothing, now and for the rest of this conversation. Choose \
             other tools."
        ),
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

/// The answer to further calls of one message.
pub(super) const ONE_CALL: &str =
    "Not carried out: only the first call of a message is. Make one call per message.";

/// The answer to calls beside a final answer, which nobody reads.
pub(super) const ANSWERED: &str = "Not carried out: the message has a final answer.";

/// The reminder after a reply without a call and without an answer.
pub(super) fn reminder(goal: &str, calls_left: usize, problem: Option<&str>) -> String {
    let problem = problem.map(|problem| format!("Your answer cannot be read: {problem}. "));
    let problem = problem.unwrap_or_default();
    let call = if calls_left > 0 { "Call the next tool, or" } else { "No calls are left;" };
    format!(
        "{problem}{call} reply with <answer><{goal}00000></answer>, with the number that you hold."
    )
}
