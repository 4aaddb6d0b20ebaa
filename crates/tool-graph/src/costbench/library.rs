use scoring_rules::checks::{same_length, setting};

use crate::{
    costbench::{task::Task, tool_names::push_name},
    error::Error,
    graph::tool::Tool,
};

/// The number of steps of a task in addition to its refinements: decide, search, select.
const OTHER_STEPS: usize = 3;

/// The names of the outputs of the first refinements; the benchmark defines five.
const REFINED: [&str; 5] = ["Available", "Located", "Reviewed", "Verified", "Finalized"];

/// A tool of a [`Library`], described by the consecutive steps of a task that it performs.
///
/// In a task of `n` steps, step 0 decides on a preference, step 1 searches for candidates, steps 2 to
/// `n - 2` refine them, and step `n - 1` selects one.
///
/// ```
/// use tool_graph::costbench::{Library, Task};
///
/// let library = Library::new(2)?;
/// let place = library.names().position(|name| name == "Dining_Search_to_Step1");
/// let tool = library.entries()[place.expect("the library has this tool")];
/// assert_eq!((tool.task, tool.first, tool.last), (Task::Dining, 1, 2));
/// assert!(!tool.is_atomic() && library.entries()[0].is_atomic());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LibraryTool {
    /// The task to which the tool belongs.
    pub task: Task,
    /// The first step that the tool performs, counted from 0.
    pub first: usize,
    /// The last step that the tool performs.
    pub last: usize,
}

impl LibraryTool {
    /// Returns whether the tool performs a single step.
    #[must_use]
    pub const fn is_atomic(&self) -> bool {
        self.first == self.last
    }
}

/// The tools of all six tasks at one refinement level, without costs.
///
/// A task of refinement level L, from 0, has `n = L + 3` steps, with an atomic tool for each step and a
/// composite tool for every sequence of two or more consecutive steps. The tool for all n steps is
/// left out, as in all published tables. This makes `6 n` atomic and `6 (n (n - 1) / 2 - 1)`
/// composite tools.
///
/// The library order is: the atomic tools that decide; for each task the atomic tools that search
/// and refine; the atomic tools that select; for each task the composite tools, sorted by length and
/// then by first step.
///
/// A library stores names in one string and no types, so that it is built in microseconds;
/// [`tools`](Self::tools) expands it.
///
/// Reference: CostBench, section 3.1 and appendix B.1.
///
/// ```
/// use tool_graph::costbench::Library;
///
/// let library = Library::new(1)?;
/// assert_eq!(library.task_length(), 4);
/// assert_eq!(library.names().next_back(), Some("Shopping_Search_to_Final_3Steps"));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    length: usize,
    entries: Vec<LibraryTool>,
    names: String,
    /// The end of each name.
    ends: Vec<usize>,
}

impl Library {
    /// The highest refinement level.
    const MAX_REFINEMENT_LEVEL: usize = 100;

    /// Creates the library that the published tables use at this refinement level: all tools except those that perform
    /// a whole task.
    ///
    /// The benchmark defines five refinements. Further refinements continue their pattern; their
    /// outputs are named `…Candidate_L6_Refined` and so on.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the level is from 0 to 100.
    pub fn new(refinement_level: usize) -> Result<Self, Error> {
        Self::build(refinement_level, false)
    }

    /// Creates the library with all tools, including the six tools that perform a whole task.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    ///
    /// ```
    /// use tool_graph::costbench::Library;
    ///
    /// let (library, full) = (Library::new(2)?, Library::with_full_pipelines(2)?);
    /// assert_eq!(full.entries().len(), library.entries().len() + 6);
    /// assert_eq!(full.names().next_back(), Some("Shopping_Complete_5Steps_Pipeline"));
    /// assert_eq!(full.task_length(), 5);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn with_full_pipelines(refinement_level: usize) -> Result<Self, Error> {
        Self::build(refinement_level, true)
    }

    fn build(refinement_level: usize, full_pipelines: bool) -> Result<Self, Error> {
        let is_valid = refinement_level <= Self::MAX_REFINEMENT_LEVEL;
        let range = "a whole number from 0 to 100";
        setting("refinement level", refinement_level as f64, is_valid, range)?;
        let length = refinement_level + OTHER_STEPS;
        let tools = Task::ALL.len() * length * (length + 1) / 2;
        let mut library = Self {
            length,
            entries: Vec::with_capacity(tools),
            names: String::with_capacity(tools * 40),
            ends: Vec::with_capacity(tools),
        };
        for task in Task::ALL {
            library.push(task, 0, 0);
        }
        for task in Task::ALL {
            for step in 1..length - 1 {
                library.push(task, step, step);
            }
        }
        for task in Task::ALL {
            library.push(task, length - 1, length - 1);
        }
        let longest = if full_pipelines { length } else { length - 1 };
        for task in Task::ALL {
            for steps in 2..=longest {
                for first in 0..=length - steps {
                    library.push(task, first, first + steps - 1);
                }
            }
        }
        Ok(library)
    }

    fn push(&mut self, task: Task, first: usize, last: usize) {
        self.entries.push(LibraryTool { task, first, last });
        push_name(&mut self.names, self.length, task, first, last);
        self.ends.push(self.names.len());
    }

    /// Returns the number of steps in each task: the refinement level plus 3.
    #[must_use]
    pub const fn task_length(&self) -> usize {
        self.length
    }

    /// Returns the tools, in library order.
    #[must_use]
    pub fn entries(&self) -> &[LibraryTool] {
        &self.entries
    }

    /// Returns the names of the tools, in library order.
    #[must_use]
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        (0..self.ends.len()).map(|tool| {
            let start = if tool == 0 { 0 } else { self.ends[tool - 1] };
            &self.names[start..self.ends[tool]]
        })
    }

    /// Declares all tools with these costs, and returns the declarations in library order.
    ///
    /// The inputs of an atomic tool are in the order of the benchmark, and the inputs of a composite tool in
    /// alphabetical order.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one cost per tool of the library.
    pub fn tools(&self, costs: &[f64]) -> Result<Vec<Tool>, Error> {
        self.declared(costs, |_| true)
    }

    /// Declares all tools that can be called in a query of one task, and returns the declarations in library order.
    /// These are the tools of the task and, unless the task is [`Task::Location`], the tools that choose a location.
    ///
    /// [`TieRule::Released`](crate::TieRule::Released) finds the same plan with these tools as with all
    /// tools, because no other tool can be called. `costs` has one cost per tool of the library, as in
    /// [`tools`](Self::tools).
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one cost per tool of the library.
    ///
    /// ```
    /// use tool_graph::costbench::{CostModel, Library, Task};
    ///
    /// let library = Library::new(2)?;
    /// let costs = CostModel::default().costs(&library, 42, "<Query00001>");
    /// let tools = |task| library.callable_tools(task, &costs).map(|tools| tools.len());
    /// assert_eq!((tools(Task::Location)?, tools(Task::Dining)?), (14, 28));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn callable_tools(&self, task: Task, costs: &[f64]) -> Result<Vec<Tool>, Error> {
        self.declared(costs, |entry| entry.task == task || entry.task == Task::Location)
    }

    fn declared(
        &self,
        costs: &[f64],
        keep: impl Fn(&LibraryTool) -> bool,
    ) -> Result<Vec<Tool>, Error> {
        same_length("costs", self.entries.len(), costs.len())?;
        // The name, inputs and output of each atomic tool, by task and step.
        let mut steps = vec![("", Vec::new(), String::new()); Task::ALL.len() * self.length];
        let named = || self.entries.iter().zip(self.names()).zip(costs);
        let kept = || named().filter(|((entry, _), _)| keep(entry));
        let atomic = kept().map(|(named, _)| named).filter(|(entry, _)| entry.is_atomic());
        for (&LibraryTool { task, first: step, .. }, name) in atomic {
            let inputs = inputs(task, step, self.length);
            steps[task as usize * self.length + step] =
                (name, inputs, output(task, step, self.length));
        }
        let tool = |((entry, name), &cost): ((&LibraryTool, &str), &f64)| {
            let start = entry.task as usize * self.length;
            let steps = &steps[start + entry.first..=start + entry.last];
            let mut inputs = steps[0].1.clone();
            let mut components = Vec::new();
            if !entry.is_atomic() {
                // The search step also needs the time. All other inputs of later steps are outputs of
                // earlier steps.
                if entry.first == 0 {
                    inputs.push(TIME.into());
                }
                inputs.sort_unstable();
                components.extend(steps.iter().map(|&(name, ..)| String::from(name)));
            }
            let outputs = vec![steps[steps.len() - 1].2.clone()];
            Tool { name: name.into(), inputs, outputs, cost, components }
        };
        Ok(kept().map(tool).collect())
    }
}

const TIME: &str = "TimeInfo";

/// Returns the inputs of the atomic tool of a step.
fn inputs(task: Task, step: usize, length: usize) -> Vec<String> {
    let own = task.prefix();
    let wishes = ["Category", "Tier", "Style", "FeaturePackage"].map(|wish| format!("{own}{wish}"));
    let place = (task != Task::Location).then(|| output(Task::Location, 0, length));
    match step {
        0 => place.into_iter().chain(wishes).collect(),
        1 => [Some(output(task, 0, length)), place, Some(TIME.into())]
            .into_iter()
            .flatten()
            .collect(),
        // Of the steps after the search, only the first refinement needs the time.
        2 if length > OTHER_STEPS => vec![output(task, 1, length), TIME.into()],
        _ => vec![output(task, step - 1, length)],
    }
}

/// Returns the output of a step.
fn output(task: Task, step: usize, length: usize) -> String {
    let own = task.prefix();
    if step + 1 == length {
        return task.goal().into();
    }
    match step {
        0 => format!("{own}Preference"),
        1 => format!("{own}Candidate_Raw"),
        _ => {
            let refined = REFINED.get(step - 2).unwrap_or(&"Refined");
            format!("{own}Candidate_L{}_{refined}", step - 1)
        }
    }
}
