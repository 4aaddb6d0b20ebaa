//! Events: when they occur, their effects, and the published figures about them.

use tool_graph::costbench::{EventKind, Library, Task};
use tool_graph::{
    CallStatus, EnvironmentRules, Episode, Error, Event, GreedyRule, MeanRunScores, RunMeans,
    Scenario, TieRule, Transcript, TriggerRule,
};
use trajectory_metrics::ExactMean;
use trajectory_metrics::tool_calls::normalized_edit_distance;

use crate::{
    EMPTY, chain, costs, four_tools, golden, length, links, names, played,
    query_scenario as scenario, scenario_of, without_composites,
};

/// The ids of the benchmark's test queries, with their tasks.
fn queries() -> Vec<(String, Task)> {
    let golden = golden("query_numbers");
    let of_task = |task: Task| {
        let numbers = golden[task.name()].as_array().unwrap().clone().into_iter();
        numbers.map(move |number| (format!("<Query{:05}>", number.as_u64().unwrap()), task))
    };
    let queries: Vec<_> = Task::ALL.into_iter().flat_map(of_task).collect();
    assert_eq!(queries.len(), 381);
    queries
}

fn rounded(value: f64, places: i32) -> f64 {
    let scale = 10f64.powi(places);
    (value * scale).round() / scale
}

/// Cost gap, AED, ANED and exact match as printed.
fn printed(figures: &MeanRunScores) -> [f64; 4] {
    let paths = figures.paths.unwrap();
    [
        rounded(figures.cost_gap.unwrap(), 3),
        rounded(paths.edit_distance, 3),
        rounded(paths.normalized_edit_distance * 100.0, 2),
        rounded(paths.exact_match_rate * 100.0, 2),
    ]
}

fn path(scenario: &Scenario, run: &Transcript) -> Vec<String> {
    scenario.graph().tool_names(&run.path()).into_iter().map(str::to_owned).collect()
}

#[test]
fn greedy_rows_of_tables_3_and_4_equal_the_published_rows() {
    let queries = queries();
    for row in golden("published")["greedy_policy"].as_array().unwrap() {
        let library = Library::new(row["refinement_level"].as_u64().unwrap() as usize).unwrap();
        let mut means = RunMeans::default();
        for (query, task) in &queries {
            let scenario = scenario(&library, query, *task, &[]);
            let run = scenario.greedy_run(GreedyRule::Chain);
            means.update(&run, &scenario.optimal_run()).unwrap();
        }
        let figures = means.finish().unwrap();
        let found = printed(&figures);
        let expected = ["cost_gap", "aed", "aned_percent", "emr_percent"]
            .map(|field| row[field].as_f64().unwrap());
        println!("{found:?}");
        assert_eq!(found, expected);
        // The greedy policy makes no redundant calls, so the value in parentheses is the same.
        assert_eq!(figures.cost_gap_without_redundant, figures.cost_gap);
        assert_eq!(figures.task_completion_ratio, 1.0);
        assert_eq!((means.runs(), means.failures().invalid()), (381, 0));
    }
}

/// The statements of `docs/findings.md` about ties.
#[test]
fn without_rounding_errors_ties_are_resolved_differently_and_the_published_figures_are_not_reproduced()
 {
    let queries = queries();
    let library = Library::new(2).unwrap();
    let (mut means, mut gt_ned, mut tied) = (RunMeans::default(), ExactMean::default(), 0);
    for (query, task) in &queries {
        let exact = scenario(&library, query, *task, &[EventKind::RemoveTools])
            .with_tie_rule(TieRule::FewestCalls);
        let plan = exact.optimal_plan();
        gt_ned.update(normalized_edit_distance(&exact.optimal_run().path(), &plan.tools));
        let still = exact.with_events(vec![]).unwrap();
        let plans = still.graph().best_plans(still.problem(), 2).unwrap();
        tied += usize::from(plans.len() > 1 && plans[0].cost == plans[1].cost);
        let run = still.greedy_run(GreedyRule::Chain);
        means.update(&run, &still.optimal_run()).unwrap();
    }
    let found = printed(&means.finish().unwrap());
    println!("{tied} of 381 queries have tied plans; {found:?}");
    assert_eq!((tied, found), (22, [0.269, 2.194, 74.61, 11.02]));
    assert_eq!(rounded(gt_ned.finish().unwrap(), 3), 0.211);
}

#[test]
fn mean_distances_between_blocked_and_unblocked_optimal_paths_equal_the_published_values() {
    let queries = queries();
    let library = Library::new(2).unwrap();
    let figures = &golden("published")["mean_gt_ned_one_blocking_level_2"];
    for kind in EventKind::ALL {
        let name = kind.name();
        let mut mean = ExactMean::default();
        for (query, task) in &queries {
            let scenario = scenario(&library, query, *task, &[kind]);
            let plan = scenario.optimal_plan();
            let run = scenario.optimal_run();
            assert!(run.goal_reached && run.all_events_fired(), "{query} {name}");
            let released = scenario.with_rules(EnvironmentRules::RELEASED).optimal_run();
            assert_eq!(released.path(), run.path(), "{query} {name}");
            mean.update(normalized_edit_distance(&run.path(), &plan.tools));
        }
        println!("{name}: {}", mean.finish().unwrap());
        assert_eq!(rounded(mean.finish().unwrap(), 3), figures[name].as_f64().unwrap(), "{name}");
    }
}

#[test]
fn runs_with_up_to_four_events_equal_those_of_an_exhaustive_reference_program() {
    let mut compared = 0;
    for row in golden("blocked_runs")["runs"].as_array().unwrap() {
        let library = Library::new(row["level"].as_u64().unwrap() as usize).unwrap();
        let task = row["task"].as_str().unwrap().parse().unwrap();
        let kinds = names(&row["events"]).into_iter().map(|kind| kind.parse().unwrap());
        let kinds: Vec<EventKind> = kinds.collect();
        let rule = match row["rule"].as_str().unwrap() {
            "released" => TriggerRule::Released,
            _ => TriggerRule::PaperText,
        };
        let scenario = scenario(&library, row["query_id"].as_str().unwrap(), task, &kinds);
        let scenario = scenario.with_trigger_rule(rule).unwrap();
        for (name, fired, run) in [
            ("optimal", "optimal_events", scenario.optimal_run()),
            ("greedy", "greedy_events", scenario.greedy_run(GreedyRule::Chain)),
        ] {
            assert_eq!(path(&scenario, &run), names(&row[name]), "{name} {row}");
            assert_eq!(run.events_fired as u64, row[fired].as_u64().unwrap(), "{name} {row}");
            compared += 1;
        }
    }
    assert_eq!(compared, 1008);
}

#[test]
fn up_to_n_minus_2_bans_never_disconnect_a_chain_and_n_minus_1_can() {
    for n in 2..=5 {
        let whole = chain(n, |length| length);
        let (graph, problem) = (whole.graph(), whole.problem());
        let solvable = |bans: u32| {
            let mut left = graph.clone();
            let banned = (0..graph.tool_count()).filter(|tool| bans >> tool & 1 == 1);
            banned.for_each(|tool| left.ban(tool).unwrap());
            left.optimal_plan(problem).unwrap().is_some()
        };
        let mut fewest = usize::MAX;
        for bans in 0..1u32 << graph.tool_count() {
            if (bans.count_ones() as usize) < n && !solvable(bans) {
                fewest = fewest.min(bans.count_ones() as usize);
            }
        }
        assert_eq!(fewest, n - 1, "a chain of {n}");
    }
}

#[test]
fn n_minus_2_bans_along_the_best_plan_leave_every_task_solvable() {
    for level in [1, 2, 3] {
        let library = Library::new(level).unwrap();
        let bans = vec![EventKind::BanTool; library.task_length() - 2];
        for task in Task::ALL {
            for query in 0..5 {
                let scenario = scenario(&library, &format!("query {query}"), task, &bans);
                for run in [scenario.optimal_run(), scenario.greedy_run(GreedyRule::Chain)] {
                    assert!(run.goal_reached, "{task:?} {query}");
                }
                assert!(scenario.optimal_run().all_events_fired(), "{task:?} {query}");
            }
        }
    }
}

#[test]
fn a_ban_that_would_make_the_goal_unreachable_is_skipped() {
    let scenario = chain(2, |length| length).with_events(vec![Event::BanTool]).unwrap();
    let run = scenario.optimal_run();
    assert_eq!(path(&scenario, &run), ["0-1", "1-2"]);
    assert!(run.goal_reached && !run.all_events_fired());
    // Runs without all their events must not be compared, so the run is left out.
    let mut means = RunMeans::default();
    means.update(&run, &run).unwrap();
    assert_eq!((means.runs(), means.left_out()), (0, 1));
    assert_eq!(means.finish(), Err(EMPTY));
}

/// Plans of three calls, of which the best is 0-1, 1-2, 2-3.
fn three_steps(events: Vec<Event>) -> Scenario {
    let costs = |length| if length > 1.0 { 1.5 * length } else { 1.0 };
    chain(3, costs).with_events(events).unwrap()
}

#[test]
fn each_event_takes_effect_at_or_after_the_step_at_which_it_is_due() {
    // The plan has three calls, so a single event is due at the first step.
    let first = |event: Event| {
        let scenario = three_steps(vec![event]);
        let run = scenario.optimal_run();
        assert!(run.goal_reached && run.all_events_fired());
        let calls = run.calls.iter().map(|call| (call.cost, call.event)).collect::<Vec<_>>();
        (path(&scenario, &run).join(" "), calls[0])
    };
    // The banned call stays in the path and costs nothing.
    assert_eq!(first(Event::BanTool), ("0-1 0-2 2-3".into(), (0.0, Some(0))));
    assert_eq!(first(Event::PreferenceChange), ("0-1 0-1 1-2 2-3".into(), (1.0, Some(0))));
    let costs = Event::CostChange(vec![1.0, 1.0, 1.0, 1.0, 0.5]);
    assert_eq!(first(costs), ("0-1 1-3".into(), (1.0, Some(0))));
    assert_eq!(first(Event::RemoveTools(vec![1])), ("0-1 1-3".into(), (1.0, Some(0))));
}

#[test]
fn by_the_rule_of_the_papers_text_the_last_event_is_due_at_the_last_call() {
    let at_last = |event| three_steps(vec![event]).with_trigger_rule(TriggerRule::PaperText);
    let scenario = at_last(Event::BanTool).unwrap();
    let run = scenario.optimal_run();
    assert_eq!(path(&scenario, &run), ["0-1", "1-2", "2-3", "1-3"]);
    // At the last call, a cost change has no effect, and a preference change removes the goal again.
    let change = at_last(Event::PreferenceChange).unwrap();
    let run = change.optimal_run();
    assert_eq!(path(&change, &run), ["0-1", "1-2", "2-3", "0-1", "1-2", "2-3"]);
    assert!(run.goal_reached && run.all_events_fired());
}

#[test]
fn events_of_different_kinds_occur_in_the_given_order() {
    let still = chain(5, |length| if length > 1.0 { 1.5 * length } else { 1.0 });
    let changed = (0..still.graph().tool_count()).map(|place| if place < 5 { 1.0 } else { 1.25 });
    let events = vec![
        Event::CostChange(changed.collect()),
        Event::BanTool,
        Event::PreferenceChange,
        without_composites(still.graph(), 2),
    ];
    let scenario = still.with_events(events).unwrap();
    let run = scenario.optimal_run();
    let came: Vec<usize> = run.calls.iter().filter_map(|call| call.event).collect();
    assert_eq!(came, [0, 1, 2, 3]);
    assert!(run.goal_reached);
    // One event occurs at every step: all composite tools become as cheap as 1.25, then 1-5 is banned at
    // its call, then all data types are lost, and last the tools of two steps are removed, without effect.
    assert_eq!(path(&scenario, &run), ["0-1", "1-5", "1-2", "0-4", "4-5"]);
    assert_eq!(costs(&run), [1.0, 0.0, 1.0, 1.25, 1.0]);
}

#[test]
fn events_that_do_not_fit_the_library_are_errors() {
    let still = chain(3, |length| length);
    let with = |event| still.clone().with_events(vec![event]).map(|_| ());
    assert_eq!(with(Event::CostChange(vec![1.0, 2.0])), Err(length(5, 2)));
    let nan = with(Event::CostChange(vec![1.0, 1.0, f64::NAN, 1.0, 1.0]));
    assert!(matches!(nan, Err(Error::Tool { .. })), "{nan:?}");
    let none = with(Event::RemoveTools(vec![0, 5]));
    assert!(matches!(none, Err(Error::NoSuchTool { tool: 5, tools: 5, .. })), "{none:?}");
    let longer = chain(4, |length| length);
    let other = Scenario::new(still.graph().clone(), longer.problem().clone());
    assert_eq!(other, Err(Error::OtherGraph));
}

#[test]
fn events_occur_at_the_chosen_steps_whatever_the_plans_are() {
    let still = chain(5, |length| if length > 1.0 { 9.0 * length } else { 1.0 });
    let same = |tool| if tool < 5 { 1.0 } else { 9.0 };
    let change = Event::CostChange((0..still.graph().tool_count()).map(same).collect());
    let scenario = still.with_events(vec![change; 3]).unwrap();
    let at = |steps: &[usize]| {
        let rule = TriggerRule::AtSteps(steps.to_vec());
        let scenario = scenario.clone().with_trigger_rule(rule).unwrap();
        let run = scenario.optimal_run();
        run.calls.iter().map(|call| call.event).collect::<Vec<_>>()
    };
    assert_eq!(at(&[1, 3, 4]), [Some(0), None, Some(1), Some(2), None]);
    assert_eq!(at(&[2, 3, 5, 7]), [None, Some(0), Some(1), None, Some(2)]);
    assert_eq!(at(&[4, 9, 10]), [None, None, None, Some(0), None]);
    assert_eq!(at(&[9, 10, 11]), [None; 5]);
}

#[test]
fn too_few_steps_and_steps_that_do_not_increase_are_refused_in_either_order_of_the_settings() {
    use tool_graph::scoring_rules::Error as Shared;

    let still = chain(5, |length| length);
    let events = || vec![Event::BanTool, Event::PreferenceChange];
    let refused = |steps: &[usize]| {
        let rule = TriggerRule::AtSteps(steps.to_vec());
        let first = still.clone().with_events(events()).unwrap().with_trigger_rule(rule.clone());
        let last = still.clone().with_trigger_rule(rule).and_then(|it| it.with_events(events()));
        assert_eq!(first, last);
        match first {
            Ok(_) => None,
            Err(Error::ScoringRules(Shared::Entry { index, .. })) => Some(Some(index)),
            Err(Error::ScoringRules(Shared::Setting { .. })) => Some(None),
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&[2]), Some(None));
    assert_eq!(refused(&[]), Some(None));
    assert_eq!(refused(&[0, 1]), Some(Some(0)));
    assert_eq!(refused(&[2, 2]), Some(Some(1)));
    assert_eq!(refused(&[3, 4, 1]), Some(Some(2)));
    assert_eq!(refused(&[1, 2]), None);
    assert_eq!(refused(&[5, 7, 9]), None);
    // Fewer events than before need fewer steps.
    let one = still.clone().with_trigger_rule(TriggerRule::AtSteps(vec![2])).unwrap();
    assert!(one.with_events(vec![Event::BanTool]).is_ok());
}

#[test]
fn under_events_the_regret_is_the_cost_above_the_run_that_plans_again() {
    let scenario = scenario_of(four_tools(), &["query"], &["choice"]);
    let scenario = scenario.with_events(vec![Event::PreferenceChange]).unwrap();
    let best = scenario.optimal_run();
    assert_eq!((best.total_cost(), best.events_fired), (10.0, 1));
    let of = |calls: &[&str]| played(&scenario, calls).scores(&best).unwrap();
    let dear = of(&["search", "ask", "pick"]);
    assert_eq!((dear.cost_gap, dear.regret_to_replanned), (None, Some(3.0)));
    assert!(dear.cost_gap_undefined.unwrap().starts_with("an event occurred"));
    let lost = of(&["search", "ask"]);
    assert_eq!((lost.cost_gap, lost.regret_to_replanned), (None, None));
    assert_eq!(lost.cost_gap_undefined, Some("the run did not reach the goal"));
    // Another number of events is another world.
    let still = scenario.clone().with_events(vec![]).unwrap().optimal_run();
    let scores = played(&scenario, &["search", "search", "pick"]).scores(&still).unwrap();
    assert_eq!((scores.cost_gap, scores.regret_to_replanned), (None, None));
    let same = still.scores(&still).unwrap();
    assert_eq!((same.cost_gap, same.regret_to_replanned), (Some(0.0), Some(0.0)));
    assert_eq!(same.cost_gap_undefined, None);
}

#[test]
fn chosen_steps_count_from_the_start_of_an_agents_run_under_the_released_rules_too() {
    let scenario = chain(2, |length| length).with_rules(EnvironmentRules::RELEASED);
    let change = Event::CostChange(vec![1.0; scenario.graph().tool_count()]);
    let scenario = scenario.with_events(vec![change; 2]).unwrap();
    let scenario = scenario.with_trigger_rule(TriggerRule::AtSteps(vec![1, 4])).unwrap();
    // The best run ends before the second event, that of this agent does not.
    let mut episode = Episode::new(&scenario);
    let events: Vec<_> = (0..5).map(|_| episode.call("no such tool").unwrap().event).collect();
    assert_eq!(events, [Some(0), None, None, Some(1), None]);
}

#[test]
fn a_named_tool_is_banned_from_the_chosen_step_on() {
    let tools = [
        ("search", "query", "hits", 1.0),
        ("pick", "hits", "choice", 1.0),
        ("ask", "hits", "choice", 2.0),
    ];
    let still = scenario_of(links(&tools), &["query"], &["choice"]);
    let ban = |name: &str| still.clone().with_events(vec![Event::BanNamed(name.into())]);
    let at = |step: usize| {
        let scenario = ban("pick").unwrap();
        let scenario = scenario.with_trigger_rule(TriggerRule::AtSteps(vec![step])).unwrap();
        let run = scenario.optimal_run();
        let statuses = run.calls.iter().map(|call| call.status == CallStatus::Banned);
        (path(&scenario, &run).join(" "), statuses.collect::<Vec<_>>(), run.all_events_fired())
    };
    // At a call of another tool the ban is not felt; at a call of the tool itself, that fails.
    assert_eq!(at(1), ("search ask".into(), vec![false, false], true));
    assert_eq!(at(2), ("search pick ask".into(), vec![false, true, false], true));
    assert!(matches!(ban("buy"), Err(Error::Name { name, .. }) if name == "buy"));
}
