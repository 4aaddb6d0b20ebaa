//! Tools and tasks against those of the released benchmark (`golden/costbench`).

use serde_json::Value;
use tool_graph::costbench::{Library, Task};
use tool_graph::{Error, Tool};

use crate::{golden, length, names};

fn released(level: usize) -> Vec<Tool> {
    let golden = golden(&format!("library_level{level}"));
    let tool = |tool: &Value| {
        let composite = tool["kind"] == "composite";
        assert!(composite || tool["kind"] == "atomic");
        let [name, output] = ["name", "output"].map(|field| tool[field].as_str().unwrap());
        Tool::new(name, names(&tool["inputs"]), [output], 0.0).with_components(if composite {
            names(&tool["components"])
        } else {
            Vec::new()
        })
    };
    golden.as_array().unwrap().iter().map(tool).collect()
}

fn declared(library: &Library) -> Vec<Tool> {
    library.tools(&vec![0.0; library.entries().len()]).unwrap()
}

#[test]
fn libraries_of_all_levels_equal_the_released_libraries_in_order() {
    for level in 0..=5 {
        let mut released = released(level);
        let library = Library::with_full_pipelines(level).unwrap();
        assert_eq!(declared(&library), released, "level {level}");
        // Only the tools that perform a whole task are left out.
        released.retain(|tool| tool.components.len() < level + 3);
        assert_eq!(declared(&Library::new(level).unwrap()), released, "level {level}");
    }
}

#[test]
fn tasks_equal_the_released_tasks() {
    let tasks = golden("tasks");
    assert_eq!(tasks.as_object().unwrap().len(), Task::ALL.len());
    for task in Task::ALL {
        let released = &tasks[task.name()];
        assert_eq!(task.initial_types(), names(&released["initial"]));
        assert_eq!(task.goal(), released["goal"]);
        assert_eq!(task.to_string().parse(), Ok(task));
    }
}

#[test]
fn the_numbers_of_tools_are_those_of_table_5() {
    // N in the paper is the length of a task; the tools that perform a whole task are counted.
    for level in [0, 1, 2, 3, 4, 5, 9] {
        let library = Library::with_full_pipelines(level).unwrap();
        let n = library.task_length();
        let atomic = library.entries().iter().filter(|entry| entry.is_atomic()).count();
        assert_eq!(atomic, 6 * n, "level {level}");
        assert_eq!(library.entries().len() - atomic, 6 * n * (n - 1) / 2, "level {level}");
    }
}

#[test]
fn higher_levels_have_distinct_names_and_chains_without_gaps() {
    for level in [6, 9, 12, 30] {
        let library = Library::with_full_pipelines(level).unwrap();
        let n = level + 3;
        let tools = declared(&library);
        assert_eq!(tools.len(), 6 * n * (n + 1) / 2);
        let mut names: Vec<&str> = library.names().collect();
        assert!(names.iter().eq(&tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), tools.len());
        let atomic = |task, step| {
            let entry = |t: &&tool_graph::costbench::LibraryTool| {
                t.task == task && t.is_atomic() && t.first == step
            };
            &tools[library.entries().iter().position(|t| entry(&t)).unwrap()]
        };
        for (tool, entry) in tools.iter().zip(library.entries()) {
            // A composite tool needs the inputs of its components that no earlier component yields.
            let mut needed: Vec<&String> = Vec::new();
            let mut given: Vec<&String> = Vec::new();
            for step in entry.first..=entry.last {
                let step = atomic(entry.task, step);
                needed.extend(step.inputs.iter().filter(|&input| !given.contains(&input)));
                given.extend(&step.outputs);
            }
            needed.sort_unstable();
            needed.dedup();
            let mut inputs: Vec<&String> = tool.inputs.iter().collect();
            inputs.sort_unstable();
            assert_eq!(inputs, needed, "{}", tool.name);
            assert_eq!(Some(&&tool.outputs[0]), given.last(), "{}", tool.name);
        }
    }
    let names = Library::new(12).unwrap();
    for name in ["Dining_Refine_Step9_to_Step12", "Dining_Finish_from_Step1_13Steps"] {
        assert!(names.names().any(|other| other == name), "{name}");
    }
}

#[test]
fn invalid_refinement_levels_and_wrong_numbers_of_costs_are_errors() {
    for level in [101, usize::MAX] {
        let range = "a whole number from 0 to 100";
        let error = scoring_rules::checks::setting("refinement level", level as f64, false, range)
            .unwrap_err();
        let error = Error::ScoringRules(error);
        assert_eq!(Library::new(level).unwrap_err(), error);
        assert_eq!(Library::with_full_pipelines(level).unwrap_err(), error);
    }
    assert!(Library::new(100).is_ok());
    let library = Library::new(1).unwrap();
    assert_eq!(library.tools(&[1.0; 53]), Err(length(54, 53)));
    assert_eq!(library.callable_tools(Task::Dining, &[1.0]), Err(length(54, 1)));
}
