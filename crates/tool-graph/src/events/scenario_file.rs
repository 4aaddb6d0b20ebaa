use std::collections::HashSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    error::Error,
    events::{event::Event, scenario::Scenario, trigger_rule::TriggerRule},
    graph::{state::State, tool::Tool, tool_graph::ToolGraph},
    plans::tie_rule::TieRule,
};

/// The largest allowed number of cost changes times tools in a file. Each change stores a cost for
/// every tool, so without a limit a short file could exhaust memory.
const MOST_CHANGED_COSTS: usize = 10_000_000;

/// The file form of a scenario, with names of tools and data types.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    tools: Vec<Tool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    banned: Vec<String>,
    task: TaskInFile,
    #[serde(default)]
    events: Vec<EventInFile>,
    #[serde(default)]
    trigger_rule: TriggerRule,
    #[serde(default)]
    tie_rule: TieRule,
    #[serde(default)]
    call_limit: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskInFile {
    initial: Vec<String>,
    goal: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum EventInFile {
    BanTool,
    PreferenceChange,
    CostChange(CostsByName),
    RemoveTools(Vec<String>),
}

/// New costs of some tools; each tool is named once.
struct CostsByName(Vec<(String, f64)>);

impl Serialize for CostsByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, cost)| (name, cost)))
    }
}

impl<'de> Deserialize<'de> for CostsByName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Costs;

        impl<'de> Visitor<'de> for Costs {
            type Value = CostsByName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from tool names to costs")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<CostsByName, A::Error> {
                let mut costs: Vec<(String, f64)> = Vec::new();
                let mut names = HashSet::new();
                while let Some(name) = object.next_key::<String>()? {
                    if !names.insert(name.clone()) {
                        let what =
                            format_args!("tool {name:?} has two costs; each tool must have one");
                        return Err(A::Error::custom(what));
                    }
                    costs.push((name, object.next_value()?));
                }
                Ok(CostsByName(costs))
            }
        }

        deserializer.deserialize_map(Costs)
    }
}

impl ScenarioFile {
    /// Builds the scenario. An error in an event names the position of the event.
    fn scenario(self) -> Result<Scenario, Box<dyn std::error::Error>> {
        let graph = ToolGraph::with_banned(self.tools, &self.banned)?;
        // A goal that no tool needs or yields is a mistake, even if it is present at the start.
        if let Some(goal) = self.task.goal.iter().find(|goal| graph.type_number(goal).is_none()) {
            return Err(Error::UnknownType { name: goal.clone() }.into());
        }
        let problem = graph.problem(&self.task.initial, &self.task.goal)?;
        let changes =
            self.events.iter().filter(|event| matches!(event, EventInFile::CostChange(_)));
        let costs = changes.count().saturating_mul(graph.tool_count());
        if costs > MOST_CHANGED_COSTS {
            return Err(Error::Setting {
                name: "the number of cost changes times the number of tools",
                value: costs as f64,
                range: "at most 10000000",
            }
            .into());
        }
        let mut costs: Vec<f64> = graph.tools().iter().map(|tool| tool.cost).collect();
        let mut events = Vec::with_capacity(self.events.len());
        for (place, event) in self.events.into_iter().enumerate() {
            let event = event
                .with_positions(&graph, &mut costs)
                .and_then(|event| event.check(&graph).map(|()| event));
            events.push(event.map_err(|error| format!("events[{place}]: {error}"))?);
        }
        let scenario = Scenario::new(graph, problem)?
            .with_events(events)?
            .with_trigger_rule(self.trigger_rule)
            .with_tie_rule(self.tie_rule);
        Ok(match self.call_limit {
            Some(limit) => scenario.with_call_limit(limit),
            None => scenario,
        })
    }
}

impl EventInFile {
    /// Replaces names by positions. `costs` are the costs before the event, and are updated to those
    /// after it.
    fn with_positions(self, graph: &ToolGraph, costs: &mut [f64]) -> Result<Event, Error> {
        Ok(match self {
            Self::BanTool => Event::BanTool,
            Self::PreferenceChange => Event::PreferenceChange,
            Self::CostChange(CostsByName(changed)) => {
                for (name, cost) in changed {
                    costs[graph.position_of(&name)?] = cost;
                }
                Event::CostChange(costs.to_vec())
            }
            Self::RemoveTools(names) => {
                let tools = names.iter().map(|name| graph.position_of(name));
                Event::RemoveTools(tools.collect::<Result<_, _>>()?)
            }
        })
    }

    /// The reverse of [`Self::with_positions`].
    fn with_names(event: &Event, graph: &ToolGraph, costs: &mut Vec<f64>) -> Self {
        let name = |tool: usize| graph.tool_names(&[tool]).concat();
        match event {
            Event::BanTool => Self::BanTool,
            Event::PreferenceChange => Self::PreferenceChange,
            Event::CostChange(after) => {
                let before = std::mem::replace(costs, after.clone());
                let pairs = before.iter().zip(after).enumerate();
                let changed = pairs.filter(|(_, (a, b))| a.to_bits() != b.to_bits());
                Self::CostChange(CostsByName(
                    changed.map(|(tool, (_, &cost))| (name(tool), cost)).collect(),
                ))
            }
            Event::RemoveTools(tools) => {
                Self::RemoveTools(tools.iter().map(|&tool| name(tool)).collect())
            }
        }
    }
}

impl Serialize for Scenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.graph();
        let names = |state: &State| -> Vec<String> {
            state.iter().map(|number| graph.type_names()[number].clone()).collect()
        };
        let goal = names(self.problem().goal());
        if goal.is_empty() {
            let what = "a scenario whose goal no tool needs or yields cannot be stored";
            return Err(S::Error::custom(what));
        }
        let tools = graph.tools();
        let mut costs: Vec<f64> = tools.iter().map(|tool| tool.cost).collect();
        let events = self.events().iter();
        let events =
            events.map(|event| EventInFile::with_names(event, graph, &mut costs)).collect();
        let file = ScenarioFile {
            tools,
            banned: graph.banned_names(),
            task: TaskInFile { initial: names(self.problem().initial()), goal },
            events,
            trigger_rule: self.trigger_rule(),
            tie_rule: self.tie_rule(),
            call_limit: Some(self.call_limit()),
        };
        file.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ScenarioFile::deserialize(deserializer)?.scenario().map_err(D::Error::custom)
    }
}
