use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use tool_graph::costbench::{Library, Task};

use crate::{error::Error, values::template::Template};

/// The texts for a model. The default texts are this crate's own; the texts of the released benchmark can replace them,
/// but are not part of this crate.
///
/// ```
/// use std::collections::BTreeMap;
/// use agent_benchmarks::costbench::Prompts;
///
/// let error = Prompts::published(&BTreeMap::from([(Prompts::FILES[0], "{}".to_owned())])).unwrap_err();
/// assert!(error.to_string().contains("costbench_texts.json"));
/// ```
///
/// Reference: CostBench, section 3.4 and figures 13 to 16.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompts {
    released: Option<Arc<Released>>,
}

/// The texts of the released benchmark. In the file, texts with places are strings.
#[derive(Debug, PartialEq, serde::Deserialize)]
pub(super) struct Released<T = Template> {
    levels: BTreeMap<usize, Level>,
    banned: Vec<String>,
    faults: BTreeMap<Fault, T>,
    changed: Vec<T>,
    wishes: BTreeMap<Task, T>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Level {
    system: BTreeMap<Task, String>,
    tools: BTreeMap<String, ReleasedTool>,
}

/// The description of a tool, with a placeholder for its cost, and the text of its result, which also has a placeholder
/// for a number.
#[derive(Debug, PartialEq, serde::Deserialize)]
pub(super) struct ReleasedTool {
    pub(super) description: String,
    pub(super) parameters: BTreeMap<String, ReleasedParameter>,
    pub(super) result: String,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
pub(super) struct ReleasedParameter {
    pub(super) description: String,
    pub(super) values: Option<Vec<String>>,
}

/// The reason why a call was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fault {
    MissingInput,
    UnknownTool,
    MissingParameter,
    WrongValue,
    Unreadable,
    SeveralCalls,
}

impl Prompts {
    /// The name of the file that holds the texts of the released benchmark. The released repository does not contain
    /// it. To write it, run the script `docs/published/costbench_texts.py` of this project in a checkout of that
    /// repository.
    pub const FILES: &'static [&'static str] = &["costbench_texts.json"];

    /// Creates the texts of the released benchmark. `texts` maps the name of the file in [`Self::FILES`] to its
    /// content.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for text that is no such file or lacks the text of a task, a tool or a fault, and
    /// for an unknown place in braces.
    pub fn published(texts: &BTreeMap<&'static str, String>) -> Result<Self, Error> {
        let name = Self::FILES[0];
        let wrong = |problem: String| Error::stored(format!("{name}: {problem}"));
        let text = texts.get(name).map_or("", String::as_str);
        let file: Released<String> =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for (&level, texts) in &file.levels {
            let library = Library::new(level)?;
            let tool = library.names().find(|name| !texts.tools.contains_key(*name));
            let task = Task::ALL.into_iter().find(|task| !texts.system.contains_key(task));
            if let Some(missing) = tool.or(task.map(Task::name)) {
                return Err(wrong(format!("level {level} has no text of {missing}")));
            }
        }
        let all_tasks = Task::ALL.iter().all(|task| file.wishes.contains_key(task));
        if !all_tasks || file.faults.len() < 6 || file.banned.is_empty() || file.changed.is_empty()
        {
            return Err(wrong("wishes, faults, banned or changed is not complete".to_owned()));
        }
        let places = ["tool", "required", "current", "argument", "value", "cost"];
        let fault = |(fault, text)| Ok((fault, Template::new(text, &places)?));
        let wishes = |(task, text)| Ok((task, Template::new(text, &["requirement", "place"])?));
        let changed = file.changed.into_iter().map(|text| Template::new(text, &["wishes"]));
        let released = Released {
            levels: file.levels,
            banned: file.banned,
            faults: file.faults.into_iter().map(fault).collect::<Result<_, Error>>()?,
            changed: changed.collect::<Result<_, _>>()?,
            wishes: file.wishes.into_iter().map(wishes).collect::<Result<_, Error>>()?,
        };
        Ok(Self { released: Some(Arc::new(released)) })
    }

    pub(super) fn released(&self) -> Option<&Released> {
        self.released.as_deref()
    }

    /// Returns whether there are texts for this level.
    pub(super) fn has_level(&self, level: usize) -> bool {
        self.released().is_none_or(|texts| texts.levels.contains_key(&level))
    }
}

impl Released {
    pub(super) fn system(&self, level: usize, task: Task) -> &str {
        self.levels.get(&level).and_then(|texts| texts.system.get(&task)).map_or("", String::as_str)
    }

    pub(super) fn tool(&self, level: usize, name: &str) -> Option<&ReleasedTool> {
        self.levels.get(&level)?.tools.get(name)
    }

    /// Returns the result of a banned tool, in one of the wordings.
    pub(super) fn banned(&self, choose: impl Fn(usize) -> usize) -> &str {
        self.banned.get(choose(self.banned.len())).map_or("", String::as_str)
    }

    pub(super) fn fault<'a>(&self, fault: Fault, value: impl Fn(&str) -> Cow<'a, str>) -> String {
        self.faults.get(&fault).map(|text| text.fill(value)).unwrap_or_default()
    }

    /// Returns the user's message about changed wishes, in one of the wordings.
    pub(super) fn changed(
        &self,
        task: Task,
        requirement: &str,
        place: &str,
        choose: impl Fn(usize) -> usize,
    ) -> String {
        let wish = |name: &str| Cow::from(if name == "place" { place } else { requirement });
        let wishes = self.wishes.get(&task).map(|text| text.fill(wish)).unwrap_or_default();
        let text = self.changed.get(choose(self.changed.len()));
        text.map(|text| text.fill(|_| wishes.as_str().into())).unwrap_or_default()
    }
}
