//! Scripted agents that see nothing but the requests.

use std::collections::BTreeMap;

use agent_benchmarks::{
    Arguments, Intervals, Level, ModelError, Parameter, ParameterKind, RecordedCall, Reply,
    Request, Role, Seed, ToolDefinition, Usage, Value, converse,
    costbench::{CostBench, CostBenchRecord, Instance, Preferences, Split, queries},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// What an agent reads in the description of a tool.
pub(crate) struct Seen {
    pub(crate) inputs: Vec<String>,
    pub(crate) output: String,
    pub(crate) cost: f64,
    pub(crate) size: usize,
}

impl Seen {
    pub(crate) fn new(tool: &ToolDefinition) -> Self {
        let text = &tool.description;
        let between = |start: &str, end: &str| {
            let from = text.find(start).unwrap() + start.len();
            let length = text[from..].find(end).unwrap();
            text[from..from + length].to_owned()
        };
        Self {
            inputs: tool.parameters.iter().map(|it| it.name.clone()).collect(),
            output: between("Returns ", "."),
            cost: text.rsplit("Cost: ").next().unwrap().trim_end_matches('.').parse().unwrap(),
            size: if text.starts_with("Atomic") {
                1
            } else {
                between("Runs ", " in a single").split(", then ").count()
            },
        }
    }
}

/// The values that the agent holds, by data type, and the number of changes of preferences.
pub(crate) fn held(request: &Request) -> (BTreeMap<String, String>, usize) {
    let (mut held, mut given, mut changes) = (BTreeMap::new(), BTreeMap::new(), 0);
    for message in &request.messages {
        if message.role == Role::User && message.text.starts_with("Sorry") {
            held.clone_from(&given);
            changes += 1;
        }
        if !matches!(message.role, Role::User | Role::Tool) {
            continue;
        }
        for line in message.text.lines() {
            let Some((data_type, rest)) = line.split_once(": <") else { continue };
            let id = format!("<{}>", rest.split('>').next().unwrap());
            held.insert(data_type.to_owned(), id);
        }
        if given.is_empty() {
            given.clone_from(&held);
        }
    }
    (held, changes)
}

/// The call of a tool with all that it needs: preferences from those given, objects from those held.
pub(crate) fn call(
    tool: &ToolDefinition,
    request: &Request,
    preferences: &[Preferences],
) -> RecordedCall {
    let (held, changes) = held(request);
    let values = preferences[changes].values();
    let arguments = tool.parameters.iter().map(|parameter| {
        let value = match &parameter.kind {
            ParameterKind::Choice(_) => {
                let ends = ["Category", "Tier", "Style", "FeaturePackage"];
                let dimension = ends.iter().position(|end| parameter.name.ends_with(end)).unwrap();
                values[dimension].to_owned()
            }
            _ => held.get(&parameter.name).cloned().unwrap_or_else(|| "<nothing>".to_owned()),
        };
        (parameter.name.clone(), Value::Text(value))
    });
    let mut call =
        RecordedCall::new(tool.name.clone(), Arguments::Parsed(Value::Map(arguments.collect())));
    call.id = Some(format!("call_{}", request.messages.len()));
    call
}

/// The preferences of a query, and those after each of its changes.
pub(crate) fn preferences(instance: &Instance) -> Vec<Preferences> {
    let events = 0..instance.scenario().events().len();
    let changed = events.filter_map(|event| instance.preferences_after(event));
    std::iter::once(instance.query().preferences).chain(changed).collect()
}

pub(crate) fn calling(call: RecordedCall) -> Reply {
    let usage = Usage { input_tokens: Some(1_000), output_tokens: Some(30), ..Usage::default() };
    Reply { tool_calls: vec![call], usage: Some(usage), ..Reply::default() }
}

pub(crate) fn saying(text: impl Into<String>) -> Reply {
    text.into().into()
}

/// The reply that answers with the goal if the agent holds it.
pub(crate) fn answer(request: &Request, goal: &str) -> Option<Reply> {
    let (held, _) = held(request);
    held.get(goal).map(|id| saying(format!("Done: <answer>{id}</answer>")))
}

/// Figures without intervals.
pub(crate) const PLAIN: Intervals = Intervals { level: Level::HALF, resamples: 0, seed: Seed(1) };

/// What an agent replies.
pub(crate) type Said = Result<Reply, ModelError>;

/// The first test query in a setting.
pub(crate) fn first(bench: &CostBench) -> Instance {
    bench.instance(&queries(Split::Test, 42)[0])
}

/// The run of a policy.
pub(crate) fn play(instance: &Instance, policy: impl FnMut(&Request) -> Said) -> CostBenchRecord {
    converse(instance.conversation(), policy).unwrap()
}

/// An agent that calls the tools of a path in turn, and answers as soon as it holds the goal and the
/// path is over.
pub(crate) fn path(
    instance: &Instance,
    names: Vec<String>,
) -> impl FnMut(&Request) -> Said + use<> {
    let (goal, preferences) = (instance.query().task().goal(), preferences(instance));
    let mut names = names.into_iter();
    move |request| {
        let Some(name) = names.next() else {
            return Ok(answer(request, goal).unwrap_or_else(|| saying("I do not know.")));
        };
        Ok(calling(match request.tool(&name) {
            Some(tool) => call(tool, request, &preferences),
            None => RecordedCall::new(name, Arguments::Parsed(Value::Null)),
        }))
    }
}

/// The agent that follows the optimal run.
pub(crate) fn optimal(instance: &Instance) -> impl FnMut(&Request) -> Said + use<> {
    path(instance, instance.reference().calls.iter().map(|call| call.name.clone()).collect())
}

/// The agent that always takes the tool with the lowest cost per stage, among those that need what
/// the previous one returned. After a change of preferences it starts over.
pub(crate) fn greedy(instance: &Instance) -> impl FnMut(&Request) -> Said + use<> {
    let (goal, preferences) = (instance.query().task().goal(), preferences(instance));
    let (mut previous, mut changes_before): (Option<String>, _) = (None, 0);
    move |request| {
        if let Some(reply) = answer(request, goal) {
            return Ok(reply);
        }
        let (held, changes) = held(request);
        if changes_before != changes {
            (changes_before, previous) = (changes, None);
        }
        let usable =
            request.tools.iter().map(|tool| (Seen::new(tool), tool)).filter(|(it, tool)| {
                let is_open = |parameter: &Parameter| {
                    matches!(parameter.kind, ParameterKind::Choice(_))
                        || held.contains_key(&parameter.name)
                };
                let is_chained = previous.as_ref().is_none_or(|last| it.inputs.contains(last));
                tool.parameters.iter().all(is_open) && is_chained && !held.contains_key(&it.output)
            });
        let rate = |seen: &Seen| seen.cost / seen.size as f64;
        let best = usable.min_by(|(a, _), (b, _)| rate(a).total_cmp(&rate(b)));
        let (seen, tool) = best.expect("the policy is not stuck");
        previous = Some(seen.output);
        Ok(calling(call(tool, request, &preferences)))
    }
}

/// Follows the optimal path of the world without events, and makes a call that fails again and again.
pub(crate) fn stubborn(instance: &Instance) -> impl FnMut(&Request) -> Said + use<> {
    let plan = instance.scenario().optimal_plan();
    let names = instance.scenario().graph().tool_names(&plan.tools);
    let path: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let preferences = preferences(instance);
    move |request| {
        let failed = request.messages.last().is_some_and(|it| {
            it.text.contains("has broken down") || it.text.contains("is not available")
        });
        let made = request.messages.iter().filter(|it| !it.tool_calls.is_empty());
        let made: Vec<&str> = made.map(|it| it.tool_calls[0].name.as_str()).collect();
        let next = match made.last() {
            Some(last) if failed => *last,
            _ => path[made.len()].as_str(),
        };
        Ok(calling(match request.tool(next) {
            Some(tool) => call(tool, request, &preferences),
            None => RecordedCall::new(next, Arguments::Parsed(Value::Map(BTreeMap::new()))),
        }))
    }
}

/// An agent that calls tools at random with all that it holds, and answers as soon as it holds the goal.
pub(crate) fn random(instance: &Instance, seed: u64) -> impl FnMut(&Request) -> Said + use<> {
    let (goal, preferences) = (instance.query().task().goal(), preferences(instance));
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    move |request| {
        Ok(answer(request, goal).unwrap_or_else(|| {
            let place = generator.next_u64() % request.tools.len() as u64;
            calling(call(&request.tools[place as usize], request, &preferences))
        }))
    }
}

/// The call of a tool that there is not.
pub(crate) fn wrong_call() -> Reply {
    let arguments = Arguments::Parsed(Value::Map(BTreeMap::new()));
    calling(RecordedCall::new("Travel_Somewhere", arguments))
}
