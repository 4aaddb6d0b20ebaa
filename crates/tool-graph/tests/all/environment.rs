//! Runs in a scenario, and the scores of their records.

use proptest::prelude::*;
use tool_graph::{
    CallStatus, Episode, Error, Event, GreedyRule, RunMeans, Scenario, TieRule, Tool,
};
use trajectory_metrics::tool_calls::{FailureClass, FailureCounts};

use crate::random_tools::{Draw, random_events, random_rules, random_tools};
use crate::{EMPTY, costs, golden, links, played, scenario_of};

/// The tools of figure 8 of CostBench and the components of its two paths.
fn worked_example() -> Scenario {
    let tools = [
        ("tool 1", "start", "b", 40.73),
        ("tool 2", "b", "goal", 42.67),
        ("tool 3", "start", "a", 22.22),
        ("tool 4", "a", "c", 38.55),
        ("tool 5", "c", "goal", 23.56),
    ];
    scenario_of(links(&tools), &["start"], &["goal"])
}

#[test]
fn the_worked_example_of_appendix_b_3_3_is_reproduced() {
    let example = &golden("published")["worked_example_b33"];
    let scenario = worked_example();
    let optimal = scenario.optimal_run();
    let run = played(&scenario, &["tool 3", "tool 4", "tool 5"]);
    let scores = run.scores(&optimal).unwrap();
    assert_eq!(costs(&optimal), [40.73, 42.67]);
    for gap in [scores.cost_gap, scores.cost_gap_without_redundant] {
        let published = example["cost_gap"].as_f64().unwrap();
        approx::assert_abs_diff_eq!(gap.unwrap(), published, epsilon = 1e-12);
    }
    assert_eq!(scores.edit_distance.map(|it| it as u64), example["edit_distance"].as_u64());
    assert_eq!(scores.normalized_edit_distance, example["ned"].as_f64());
    assert_eq!(scores.exact_match.map(u64::from), example["exact_match"].as_u64());
    assert_eq!((scores.completed, scores.invalid_tool_use_ratio), (true, Some(0.0)));
}

#[test]
fn each_kind_of_invalid_call_has_its_own_status_and_costs_nothing() {
    let scenario = scenario_of(
        vec![
            Tool::new("search", ["query", "time"], ["hits"], 2.0),
            Tool::new("pick", ["hits"], ["choice"], 3.0),
            Tool::new("rank", ["hits"], ["choice"], 9.0),
        ],
        &["query", "time"],
        &["choice"],
    )
    .with_events(vec![Event::RemoveTools(vec![2])])
    .unwrap();
    let mut episode = Episode::new(&scenario);
    assert_eq!(episode.visible_tools().len(), 3);
    let mut status = |name: &str, given: &[&str]| {
        let reply = episode.call_with(name, given).unwrap();
        assert!(reply.status.is_done() || (reply.cost, reply.event) == (0.0, None));
        reply.status
    };
    assert_eq!(status("find", &[]), CallStatus::UnknownTool);
    let text = |name: &str| name.to_owned();
    assert_eq!(
        status("search", &["query", "place"]),
        CallStatus::UnexpectedParameter(text("place"))
    );
    assert_eq!(status("search", &["query"]), CallStatus::MissingParameter(text("time")));
    assert_eq!(status("pick", &["hits"]), CallStatus::MissingInput(text("hits")));
    assert_eq!(status("search", &["time", "query"]), CallStatus::Done { advanced: true });
    // The event occurred at the first call that was carried out, not at a failed call.
    assert_eq!(status("rank", &["hits"]), CallStatus::Unavailable);
    assert_eq!(status("search", &["time", "query"]), CallStatus::Done { advanced: false });
    assert_eq!(status("pick", &["hits"]), CallStatus::Done { advanced: true });
    assert_eq!(status("pick", &["hits"]), CallStatus::Done { advanced: false });
    assert_eq!(episode.visible_tools().len(), 2);

    let run = episode.finish(true);
    assert_eq!(run.calls[4].event, Some(0));
    let (wrong, none) = (Some(FailureClass::WrongParameters), None);
    let (repeated, extra) = (Some(FailureClass::Repeated), Some(FailureClass::Extra));
    let far = Some(FailureClass::Inaccessible);
    assert_eq!(
        run.failure_classes(),
        [wrong, wrong, wrong, far, none, wrong, repeated, none, extra]
    );
    assert_eq!(run.path(), [0, 0, 1, 1]);
    let scores = run.scores(&scenario.optimal_run()).unwrap();
    // Redundant calls are paid for. Under an event there is no cost gap.
    assert_eq!((run.total_cost(), scenario.optimal_run().total_cost()), (10.0, 5.0));
    assert_eq!((scores.cost_gap, scores.cost_gap_without_redundant), (None, None));
    assert_eq!((scores.edit_distance, scores.exact_match), (Some(2), Some(false)));
    assert_eq!(scores.invalid_tool_use_ratio, Some(5.0 / 9.0));
    let mut counts = FailureCounts::default();
    counts.extend(run.failure_classes());
    assert_eq!(scores.failures, counts);
}

#[test]
fn a_run_that_misses_the_goal_only_counts_for_completion_and_invalid_calls() {
    let scenario = worked_example().with_call_limit(2);
    let optimal = scenario.optimal_run();
    let mut episode = Episode::new(&scenario);
    episode.call("tool 3").unwrap();
    episode.call("tool 2").unwrap();
    assert_eq!(episode.calls_left(), 0);
    for error in [episode.call("tool 4"), episode.call("none"), episode.call_with("none", &["a"])] {
        assert!(matches!(error, Err(Error::NoCallsLeft { limit: 2, .. })), "{error:?}");
    }
    let cut_off = episode.finish(true);
    assert!(!cut_off.is_completed());
    let scores = cut_off.scores(&optimal).unwrap();
    assert_eq!((scores.cost_gap, scores.edit_distance, scores.exact_match), (None, None, None));

    let mut episode = Episode::new(&scenario);
    for tool in ["tool 1", "tool 2"] {
        episode.call(tool).unwrap();
    }
    let wrong_answer = episode.finish(false);
    let mut means = RunMeans::default();
    let mut parts = [RunMeans::default(), RunMeans::default()];
    for (place, run) in [cut_off, optimal.clone(), wrong_answer].iter().enumerate() {
        means.update(run, &optimal).unwrap();
        parts[place % 2].update(run, &optimal).unwrap();
    }
    let [mut whole, other] = parts;
    whole.merge(&other);
    for means in [means, whole] {
        assert_eq!(means.runs(), 3);
        let figures = means.finish().unwrap();
        assert_eq!(figures.cost_gap, Some(0.0));
        assert_eq!(figures.paths.unwrap().exact_match_rate, 1.0);
        assert_eq!(figures.task_completion_ratio, 1.0 / 3.0);
        assert_eq!(figures.invalid_tool_use_ratio, Some(1.0 / 6.0));
    }
    assert_eq!(RunMeans::default().finish(), Err(EMPTY));
}

#[test]
fn a_run_as_cheap_as_the_best_one_has_no_cost_gap() {
    let tools = links(&[("a", "0", "1", 0.1), ("b", "1", "2", 0.7), ("ab", "0", "2", 0.8)]);
    let scenario = scenario_of(tools, &["0"], &["2"]);
    let optimal = scenario.optimal_run();
    assert_eq!(optimal.path(), [2]);
    // As f64 numbers the two costs add up to less than 0.8.
    let scores = played(&scenario, &["a", "b"]).scores(&optimal).unwrap();
    assert_eq!((scores.cost_gap, scores.cost_gap_without_redundant), (Some(0.0), Some(0.0)));
}

#[test]
fn costs_too_far_apart_for_an_exact_sum_still_have_a_cost_gap() {
    let tools = links(&[("a", "0", "1", 1e300), ("b", "1", "2", 1e300)]);
    let scenario = scenario_of(tools, &["0"], &["2"]);
    let change = vec![Event::CostChange(vec![1e-300, 1e-300])];
    let changing = scenario.clone().with_events(change).unwrap();
    let run = changing.optimal_run();
    assert_eq!((costs(&run), run.total_cost()), (vec![1e300, 1e-300], 1e300));
    let best = scenario.optimal_run();
    assert_eq!(best.scores(&best).unwrap().cost_gap, Some(0.0));
    assert_eq!(run.scores(&best).unwrap().cost_gap, None, "an event occurred in the run");
}

#[test]
fn a_run_whose_reference_lacks_an_event_is_left_out() {
    let tools = links(&[("a", "0", "1", 1.0), ("b", "1", "2", 1.0), ("ab", "0", "2", 1.5)]);
    let events = vec![Event::RemoveTools(vec![]); 2];
    let scenario = scenario_of(tools, &["0"], &["2"]).with_events(events).unwrap();
    // The best plan has one call, at which only one event can occur; on the other path both occur.
    let optimal = scenario.optimal_run();
    assert_eq!((optimal.path(), optimal.events_fired), (vec![2], 1));
    let run = played(&scenario, &["a", "b"]);
    assert!(run.all_events_fired());
    let mut means = RunMeans::default();
    means.update(&run, &optimal).unwrap();
    assert_eq!((means.runs(), means.left_out()), (0, 1));
    means.update(&run, &run).unwrap();
    assert_eq!((means.runs(), means.left_out()), (1, 1));
}

#[test]
fn a_banned_call_is_in_the_path_without_a_failure_class_and_calling_the_tool_again_is_a_failure() {
    let tools = links(&[("a", "0", "1", 1.0), ("b", "1", "2", 1.0), ("c", "0", "1", 2.0)]);
    let scenario = scenario_of(tools, &["0"], &["2"]).with_events(vec![Event::BanTool]).unwrap();
    let mut episode = Episode::new(&scenario);
    let banned = episode.call("a").unwrap();
    assert_eq!((banned.status, banned.cost, banned.event), (CallStatus::Banned, 0.0, Some(0)));
    assert!(scenario.events()[0].is_explicit());
    assert_eq!(episode.call("a").unwrap().status, CallStatus::Unavailable);
    episode.call("c").unwrap();
    episode.call("b").unwrap();
    let run = episode.finish(true);
    assert_eq!(run.path(), [0, 2, 1]);
    assert_eq!(run.path(), scenario.optimal_run().path());
    let wrong = Some(FailureClass::WrongParameters);
    assert_eq!(run.failure_classes(), [None, wrong, None, None]);
}

#[test]
fn a_call_made_again_after_a_preference_change_is_not_repeated() {
    let scenario =
        scenario_of(links(&[("a", "0", "1", 1.0), ("b", "1", "2", 1.0)]), &["0"], &["2"]);
    let scenario = scenario.with_events(vec![Event::PreferenceChange]).unwrap();
    let run = scenario.optimal_run();
    assert_eq!(run.path(), [0, 0, 1]);
    assert_eq!(run.failure_classes(), [None, None, None]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_optimal_run_of_a_random_scenario_reaches_the_goal(seed: u64) {
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 8, 20);
        let Ok(problem) = problem else { return Ok(()) };
        let events = random_events(&mut draw, &graph);
        for tie_rule in [TieRule::FewestCalls, TieRule::Released] {
            let plan = tie_rule.optimal_plan(&graph, &problem).unwrap();
            let scenario = match Scenario::new(graph.clone(), problem.clone()) {
                Err(Error::GoalOutOfReach { .. }) => {
                    prop_assert_eq!(plan, None);
                    continue;
                }
                scenario => scenario.unwrap(),
            };
            let quiet = scenario.with_tie_rule(tie_rule);
            prop_assert_eq!(Some(quiet.optimal_plan()), plan.clone());
            let run = quiet.optimal_run();
            prop_assert_eq!(run.goal_reached, plan.is_some());
            prop_assert_eq!(run.path(), plan.as_ref().map_or(vec![], |plan| plan.tools.to_vec()));
            let eventful = quiet.with_events(events.clone()).unwrap();
            for run in [
                eventful.optimal_run(),
                eventful.greedy_run(GreedyRule::Any),
            ] {
                prop_assert_eq!(run.goal_reached, plan.is_some());
                prop_assert!(run.events_fired <= events.len());
                // These policies make no invalid or redundant calls.
                prop_assert!(run.failure_classes().iter().all(Option::is_none));
            }
        }
    }

    #[test]
    fn a_run_of_random_calls_is_repeated_by_its_replay(seed: u64) {
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 8, 20);
        let Ok(problem) = problem else { return Ok(()) };
        let events = random_events(&mut draw, &graph);
        let Ok(scenario) = Scenario::new(graph.clone(), problem) else { return Ok(()) };
        let scenario = scenario.with_events(events).unwrap().with_rules(random_rules(&mut draw));
        let mut episode = Episode::new(&scenario);
        for _ in 0..draw.below(21) {
            let tool = draw.below(graph.tool_count() + 1);
            let tools = graph.tools();
            let Some(tool) = tools.get(tool) else {
                episode.call("no such tool").unwrap();
                continue;
            };
            let mut given = tool.inputs.clone();
            match draw.below(4) {
                0 => given.push("no such parameter".to_owned()),
                1 => drop(given.pop()),
                _ => {}
            }
            episode.call_with(&tool.name, &given).unwrap();
        }
        let run = episode.finish(draw.below(2) == 0);
        prop_assert_eq!(&run.replay(&scenario), &run);
        let best = scenario.optimal_run();
        prop_assert!(best.goal_reached);
        // An agent on the optimal path meets the same events at the same calls.
        let replay = best.replay(&scenario);
        prop_assert_eq!(&replay.calls, &best.calls);
        #[cfg(feature = "serde")]
        for run in [&run, &best, &scenario.greedy_run(GreedyRule::Any)] {
            let mut means = RunMeans::default();
            means.update(run, &best).unwrap();
            let text = serde_json::to_string(&means).unwrap();
            prop_assert_eq!(serde_json::from_str::<RunMeans>(&text).unwrap(), means);
        }
    }

    #[test]
    fn the_released_tie_rule_picks_a_plan_of_the_lowest_rounded_sum(seed: u64) {
        let mut draw = Draw(seed);
        let (graph, problem) = random_tools(&mut draw, 6, 12);
        let Ok(problem) = problem else { return Ok(()) };
        let best = graph.optimal_plan(&problem).unwrap();
        let released = TieRule::Released.optimal_plan(&graph, &problem).unwrap();
        let (Some(best), Some(released)) = (&best, &released) else {
            prop_assert_eq!(best.is_none(), released.is_none());
            return Ok(());
        };
        prop_assert_eq!(best.cost, released.cost);
        let rounded = |tools: &[usize]| tools.iter().fold(0.0, |sum, &tool| sum + graph.total_cost(&[tool]).unwrap());
        let mut every = Vec::new();
        let mut open = vec![(problem.initial.clone(), vec![])];
        while let Some((state, calls)) = open.pop() {
            if state.is_superset(&problem.goal) {
                if graph.total_cost(&calls).unwrap() == best.cost {
                    every.push(calls);
                }
                continue;
            }
            for tool in 0..graph.tool_count() {
                let mut next = state.clone();
                let with: Vec<usize> = calls.iter().copied().chain([tool]).collect();
                if graph.can_call(tool, &state)
                    && graph.apply(tool, &mut next).unwrap()
                    && graph.total_cost(&with).unwrap() <= best.cost
                {
                    open.push((next, with));
                }
            }
            prop_assume!(every.len() < 20_000 && open.len() < 200_000);
        }
        let lowest = every.iter().map(|calls| rounded(calls)).min_by(f64::total_cmp).unwrap();
        prop_assert_eq!(rounded(&released.tools), lowest);
    }
}
