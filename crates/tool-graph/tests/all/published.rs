//! Published figures of CostBench that follow from its text alone.

use tool_graph::Tool;

use crate::graph_of;

#[test]
fn the_seven_paths_of_figure_16_are_all_plans_of_its_example() {
    let steps = ["A", "B", "C", "D"];
    let tool = |name: &&str| {
        let first = steps.iter().position(|&step| name.starts_with(step)).unwrap();
        let letters = steps[first..first + name.len()].iter();
        let output = match steps.get(first + name.len()) {
            Some(next) => format!("before {next}"),
            None => "done".into(),
        };
        let cost = 20.0 * name.len() as f64;
        Tool::new(*name, [format!("before {}", steps[first])], [output], cost)
            .with_components(letters.filter(|_| name.len() > 1).copied())
    };
    let tools = ["A", "B", "C", "D", "AB", "BC", "CD", "ABC", "BCD"];
    let (graph, problem) = graph_of(tools.iter().map(tool).collect(), &["before A"], &["done"]);
    assert_eq!(graph.count_chain_plans(&problem), Ok(7));

    let printed: [&[&str]; 7] = [
        &["A", "B", "C", "D"],
        &["AB", "C", "D"],
        &["A", "BC", "D"],
        &["A", "B", "CD"],
        &["AB", "CD"],
        &["ABC", "D"],
        &["A", "BCD"],
    ];
    let coverage = graph.path_coverage(&problem, &printed).unwrap();
    assert_eq!((coverage.covered, coverage.repeated, coverage.not_plans), (7, 0, 0));
    assert_eq!(coverage.rate(), Some(1.0));
}

#[cfg(feature = "costbench")]
mod costbench {
    use tool_graph::costbench::{CostModel, Library, Task};
    use tool_graph::{Episode, Error};
    use trajectory_metrics::tool_calls::FailureClass;

    use crate::{played, query_scenario};

    /// The plans are all ways to divide a chain of n steps into tools, except for the tool that performs
    /// the whole chain.
    #[test]
    fn a_task_of_four_steps_has_the_seven_plans_of_figure_16_and_a_task_of_n_steps_has_2_to_the_n_minus_1_less_1()
     {
        for level in 1..=5 {
            let library = Library::new(level).unwrap();
            for task in Task::ALL {
                let scenario = query_scenario(&library, "<Query00001>", task, &[]);
                let plans = scenario.graph().count_chain_plans(scenario.problem()).unwrap();
                assert_eq!(plans, (1 << (library.task_length() - 1)) - 1, "{task:?} of {level}");
                assert!(level > 1 || plans == 7);
            }
        }
    }

    /// In the first column, a composite tool repeats a step of an earlier call and also yields new data. Only
    /// a call that yields nothing new is repeated here.
    #[test]
    fn the_runs_of_table_10_have_the_failures_marked_in_it_except_for_a_call_that_repeats_a_part() {
        let library = Library::new(2).unwrap();
        let run = |task, names: &[&str]| {
            let run = played(&query_scenario(&library, "<Query00001>", task, &[]), names);
            (run.failure_classes(), run.goal_reached)
        };
        let partly_repeated = [
            "Decide_Attraction_Preference",
            "Attraction_Preference_and_Search",
            "Attraction_Refine_to_Step2",
            "Select_Final_Attraction",
        ];
        assert_eq!(run(Task::Attraction, &partly_repeated), (vec![None; 4], true));
        let extra = [
            "Decide_Shopping_Preference",
            "Search_Shopping_Candidates",
            "Shopping_Finish_from_Step1_3Steps",
            "Shopping_Refinement_Step1",
            "Shopping_Refinement_Step2",
            "Select_Final_Shopping",
        ];
        let classes = [vec![None; 3], vec![Some(FailureClass::Extra); 3]].concat();
        assert_eq!(run(Task::Shopping, &extra), (classes, true));
        // No tool has this name.
        let wrong = ["Attraction_Full_Planning_to_Step1", "Attraction_Finalize_from_Step1_3Steps"];
        let classes = vec![None, Some(FailureClass::WrongParameters)];
        assert_eq!(run(Task::Attraction, &wrong), (classes, false));
        let inaccessible = [
            "Decide_Location_Preference",
            "Search_Location_Candidates",
            "Location_Refinement_Step2",
        ];
        let classes = vec![None, None, Some(FailureClass::Inaccessible)];
        assert_eq!(run(Task::Location, &inaccessible), (classes, false));
    }

    #[test]
    fn the_settings_of_table_6_are_the_defaults_of_costs_and_call_limits() {
        // `costbench_costs` compares draws with such settings.
        assert_eq!(CostModel::default(), CostModel::new(15.0, 25.0, 0.1).unwrap());
        let library = Library::new(2).unwrap();
        assert_eq!(library.task_length(), 5);

        let scenario = query_scenario(&library, "<Query00001>", Task::Dining, &[]);
        let mut episode = Episode::new(&scenario);
        for _ in 0..20 {
            episode.call("no such tool").unwrap();
        }
        let error = episode.call("no such tool").unwrap_err();
        assert!(matches!(error, Error::NoCallsLeft { limit: 20, .. }), "{error}");
    }
}
