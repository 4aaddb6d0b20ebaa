use std::collections::{BTreeMap, HashSet};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trajectory_metrics::distinct_keys;

use crate::{
    error::Error,
    events::{
        environment_rules::EnvironmentRules, event::Event, scenario::Scenario,
        trigger_rule::TriggerRule,
    },
    graph::{state::State, tool::Tool, tool_graph::ToolGraph},
    plans::tie_rule::TieRule,
    stored::{Object, object},
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
    #[serde(deserialize_with = "object")]
    task: TaskInFile,
    #[serde(default)]
    events: Vec<EventInFile>,
    #[serde(default)]
    trigger_rule: TriggerRule,
    #[serde(default)]
    tie_rule: TieRule,
    #[serde(default, deserialize_with = "object", skip_serializing_if = "is_default")]
    rules: EnvironmentRules,
    #[serde(default)]
    call_limit: Option<usize>,
}

fn is_default(rules: &EnvironmentRules) -> bool {
    *rules == EnvironmentRules::default()
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
    BanNamed(String),
    PreferenceChange,
    /// New costs of some tools; each tool is named once.
    CostChange(#[serde(deserialize_with = "distinct_keys::map")] BTreeMap<String, f64>),
    RemoveTools(Vec<String>),
}

/// Returns a name that a list contains twice.
fn repeated(names: &[String]) -> Option<&String> {
    let mut known = HashSet::new();
    names.iter().find(|&name| !known.insert(name))
}

/// Refuses a list that contains a name twice.
fn distinct(list: &str, names: &[String]) -> Result<(), String> {
    match repeated(names) {
        Some(name) => Err(format!("{list}: {name:?} occurs twice; give each name once")),
        None => Ok(()),
    }
}

impl ScenarioFile {
    fn scenario(self) -> Result<Scenario, String> {
        distinct("banned", &self.banned)?;
        distinct("task.initial", &self.task.initial)?;
        distinct("task.goal", &self.task.goal)?;
        let text = |error: Error| error.to_string();
        let unknown = |name: &String| text(Error::unknown_type(name));
        let mut graph = ToolGraph::new(self.tools).map_err(text)?;
        for name in &self.banned {
            graph.remove(graph.index_of(name).map_err(text)?);
        }
        // A goal that no tool needs or yields is a mistake, even if it is present at the start.
        if let Some(goal) = self.task.goal.iter().find(|goal| graph.type_index(goal).is_none()) {
            return Err(unknown(goal));
        }
        // `problem` ignores names that no tool uses. In a file, such a name is a misspelling.
        for (index, name) in self.task.initial.iter().enumerate() {
            if graph.type_index(name).is_none() {
                return Err(format!("task.initial[{index}]: {}", unknown(name)));
            }
        }
        let problem = graph.problem(&self.task.initial, &self.task.goal).map_err(text)?;
        let changes =
            self.events.iter().filter(|event| matches!(event, EventInFile::CostChange(_)));
        let costs = changes.count().saturating_mul(graph.tool_count());
        if costs > MOST_CHANGED_COSTS {
            return Err(format!(
                "the number of cost changes times the number of tools is {costs}; it must be at most \
                 {MOST_CHANGED_COSTS}"
            ));
        }
        let mut costs: Vec<f64> = graph.tools().iter().map(|tool| tool.cost).collect();
        let mut events = Vec::with_capacity(self.events.len());
        for (place, event) in self.events.into_iter().enumerate() {
            event.check().map_err(|what| format!("events[{place}]{what}"))?;
            let event = event
                .with_positions(&graph, &mut costs)
                .and_then(|event| event.check(&graph).map(|()| event));
            events.push(event.map_err(|error| format!("events[{place}]: {error}"))?);
        }
        // The search of this rule has its own limit.
        if self.tie_rule == TieRule::Released {
            self.tie_rule.optimal_plan(&graph, &problem).map_err(text)?;
        }
        let scenario = Scenario::new(graph, problem)
            .and_then(|scenario| scenario.with_events(events))
            .and_then(|scenario| scenario.with_trigger_rule(self.trigger_rule))
            .map_err(text)?
            .with_tie_rule(self.tie_rule)
            .with_rules(self.rules);
        Ok(match self.call_limit {
            Some(limit) => scenario.with_call_limit(limit),
            None => scenario,
        })
    }
}

impl EventInFile {
    /// Checks that the event changes something and names no tool twice. The error starts with the
    /// position inside the event.
    fn check(&self) -> Result<(), String> {
        let (field, is_empty) = match self {
            Self::BanTool | Self::BanNamed(_) | Self::PreferenceChange => return Ok(()),
            // Reading an object refuses repeated names.
            Self::CostChange(costs) => ("cost_change", costs.is_empty()),
            Self::RemoveTools(names) => {
                distinct(".remove_tools", names)?;
                ("remove_tools", names.is_empty())
            }
        };
        if is_empty {
            return Err(format!(".{field}: empty; name at least one tool or leave the event out"));
        }
        Ok(())
    }

    /// Replaces names by positions. `costs` are the costs before the event, and are updated to the costs
    /// after the event.
    fn with_positions(self, graph: &ToolGraph, costs: &mut [f64]) -> Result<Event, Error> {
        Ok(match self {
            Self::BanTool => Event::BanTool,
            Self::BanNamed(name) => Event::BanNamed(name),
            Self::PreferenceChange => Event::PreferenceChange,
            Self::CostChange(changed) => {
                for (name, cost) in changed {
                    costs[graph.index_of(&name)?] = cost;
                }
                Event::CostChange(costs.to_vec())
            }
            Self::RemoveTools(names) => {
                let tools = names.iter().map(|name| graph.index_of(name));
                Event::RemoveTools(tools.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Replaces positions by names, the reverse of [`Self::with_positions`]. The error contains the reason
    /// why a file cannot express the event.
    fn with_names(event: &Event, graph: &ToolGraph, costs: &mut Vec<f64>) -> Result<Self, String> {
        let name = |tool: usize| graph.tool_names(&[tool]).concat();
        Ok(match event {
            Event::BanTool => Self::BanTool,
            Event::BanNamed(name) => Self::BanNamed(name.clone()),
            Event::PreferenceChange => Self::PreferenceChange,
            Event::CostChange(after) => {
                let before = std::mem::replace(costs, after.clone());
                let pairs = before.iter().zip(after).enumerate();
                let changed = pairs.filter(|(_, (a, b))| a.to_bits() != b.to_bits());
                let mut costs: BTreeMap<String, f64> =
                    changed.map(|(tool, (_, &cost))| (name(tool), cost)).collect();
                // The event takes its turn even if it changes nothing; a file names at least one tool.
                if let (true, Some(&cost)) = (costs.is_empty(), after.first()) {
                    costs.insert(name(0), cost);
                }
                Self::CostChange(costs)
            }
            Event::RemoveTools(tools) if tools.is_empty() => {
                return Err(
                    "an event that removes no tool cannot be stored; leave it out".to_owned()
                );
            }
            Event::RemoveTools(tools) => {
                let names: Vec<String> = tools.iter().map(|&tool| name(tool)).collect();
                if let Some(name) = repeated(&names) {
                    return Err(format!(
                        "an event that removes {name:?} twice cannot be stored; give each tool once"
                    ));
                }
                Self::RemoveTools(names)
            }
        })
    }
}

#[cfg(feature = "json")]
impl Scenario {
    /// Reads a scenario from the bytes of a JSON file. The file refers to tools and data types by name.
    ///
    /// A leading UTF-8 byte-order mark, which some editors write, is skipped.
    ///
    /// # Errors
    ///
    /// [`Error::ScenarioFile`] for bytes other than the JSON of exactly one scenario, and for unknown,
    /// repeated or missing names.
    ///
    /// ```
    /// use tool_graph::{Error, Event, Scenario};
    ///
    /// let file = br#"{
    ///     "tools": [
    ///         {"name": "search", "inputs": ["query"], "outputs": ["hits"], "cost": 4},
    ///         {"name": "ask", "inputs": ["query"], "outputs": ["hits"], "cost": 7},
    ///         {"name": "pick", "inputs": ["hits"], "outputs": ["choice"], "cost": 2}
    ///     ],
    ///     "task": {"initial": ["query"], "goal": ["choice"]},
    ///     "events": ["ban_tool", {"cost_change": {"ask": 9.5}}, {"remove_tools": ["search"]}]
    /// }"#;
    /// let scenario = Scenario::from_json(file)?;
    /// assert_eq!(scenario.events()[1], Event::CostChange(vec![4.0, 9.5, 2.0]));
    ///
    /// let misspelt = String::from_utf8_lossy(file).replace("[\"search\"]", "[\"saerch\"]");
    /// let error = Scenario::from_json(misspelt.as_bytes()).unwrap_err();
    /// assert!(matches!(&error, Error::ScenarioFile { problem, .. } if problem.contains("\"saerch\"")));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        serde_json::from_slice(bytes)
            .map_err(|error| Error::ScenarioFile { problem: error.to_string() })
    }
}

impl Serialize for Scenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.graph();
        let names = |state: &State| -> Vec<String> {
            state.iter().map(|number| graph.type_names()[number].clone()).collect()
        };
        let goal = names(&self.problem().goal);
        if goal.is_empty() {
            let what = "a scenario whose goal no tool needs or yields cannot be stored";
            return Err(S::Error::custom(what));
        }
        let tools = graph.tools();
        let banned = (0..tools.len()).filter(|&tool| !graph.is_available(tool));
        let banned = banned.map(|tool| graph.name(tool).to_owned()).collect();
        let mut costs: Vec<f64> = tools.iter().map(|tool| tool.cost).collect();
        let events = self.events().iter();
        let events = events.map(|event| EventInFile::with_names(event, graph, &mut costs));
        let events = events.collect::<Result<_, _>>().map_err(S::Error::custom)?;
        let file = ScenarioFile {
            tools,
            banned,
            task: TaskInFile { initial: names(&self.problem().initial), goal },
            events,
            trigger_rule: self.trigger_rule.clone(),
            tie_rule: self.tie_rule,
            rules: self.rules,
            call_limit: Some(self.call_limit),
        };
        file.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ScenarioFile::deserialize(Object(deserializer))?.scenario().map_err(D::Error::custom)
    }
}
