//! Each rule on which CostBench's paper and its released code differ, in a case that tells the two versions
//! apart.

use tool_graph::{
    CallStatus, EnvironmentRules, Episode, Event, GreedyRule, RuleVersion, RunMeans, Scenario,
};

use crate::{costs, four_tools, links, played, scenario_of, without_composites};

const PAPER: EnvironmentRules = EnvironmentRules::PAPER_TEXT;

fn scenario(events: Vec<Event>) -> Scenario {
    scenario_of(four_tools(), &["query"], &["choice"]).with_events(events).unwrap()
}

/// All composite tools cost 0.5 more than their components.
fn chain(n: usize, events: Vec<Event>) -> Scenario {
    let costs = |length| if length > 1.0 { length + 0.5 } else { 1.0 };
    crate::chain(n, costs).with_events(events).unwrap()
}

fn visible(episode: &Episode) -> Vec<String> {
    episode.visible_tools().into_iter().map(|tool| tool.name).collect()
}

#[test]
fn the_agent_sees_all_tools_or_only_those_that_a_plan_can_use() {
    let paper = scenario(vec![]);
    assert_eq!(visible(&Episode::new(&paper)), ["search", "ask", "pick", "chat"]);
    assert!(Episode::new(&paper).call("chat").unwrap().status.is_done());

    let rules = EnvironmentRules { visible_tools: RuleVersion::Released, ..PAPER };
    let released = paper.with_rules(rules);
    let mut episode = Episode::new(&released);
    assert_eq!(visible(&episode), ["search", "ask", "pick"]);
    assert_eq!(episode.call("chat").unwrap().status, CallStatus::Unavailable);
    assert_eq!(episode.call_with("chat", &["no"]).unwrap().status, CallStatus::Unavailable);
}

#[cfg(feature = "costbench")]
#[test]
fn in_costbench_the_released_agent_sees_the_14_tools_of_its_task() {
    use tool_graph::costbench::{Library, Task};

    let library = Library::new(2).unwrap();
    for task in Task::ALL {
        let scenario = crate::query_scenario(&library, "<Query00001>", task, &[]);
        assert_eq!(visible(&Episode::new(&scenario)).len(), 84);
        let scenario = scenario.with_rules(EnvironmentRules::RELEASED);
        let own = library.entries().iter().zip(library.names());
        let own = own.filter(|(entry, _)| entry.task == task).map(|(_, name)| name.to_owned());
        let own: Vec<String> = own.collect();
        assert_eq!((visible(&Episode::new(&scenario)), own.len()), (own, 14));
    }
}

#[test]
fn a_banned_tool_disappears_or_stays_in_the_list_of_the_agent() {
    let after_ban = |rules| {
        let scenario = scenario(vec![Event::BanTool]).with_rules(rules);
        let mut episode = Episode::new(&scenario);
        assert_eq!(episode.call("search").unwrap().status, CallStatus::Banned);
        visible(&episode)
    };
    assert_eq!(after_ban(PAPER), ["ask", "pick", "chat"]);
    let released = EnvironmentRules { banned_tools: RuleVersion::Released, ..PAPER };
    assert_eq!(after_ban(released), ["search", "ask", "pick", "chat"]);
}

#[test]
fn calls_of_a_banned_tool_are_free_and_invalid_or_charged_and_part_of_the_path() {
    let run = |rules| {
        let scenario = scenario(vec![Event::BanTool]).with_rules(rules);
        let run = played(&scenario, &["search", "search", "ask", "pick"]);
        let scores = run.scores(&scenario.optimal_run()).unwrap();
        (run.path(), costs(&run), run.calls[1].status.clone(), scores)
    };
    let (path, costs, second, scores) = run(PAPER);
    assert_eq!((path, costs), (vec![0, 1, 2], vec![0.0, 0.0, 7.0, 2.0]));
    assert_eq!((second, scores.invalid_tool_use_ratio), (CallStatus::Unavailable, Some(0.25)));
    assert_eq!((scores.cost_gap, scores.exact_match), (None, Some(true)));

    let released = EnvironmentRules { failed_calls: RuleVersion::Released, ..PAPER };
    let (path, costs, second, scores) = run(released);
    assert_eq!((path, costs), (vec![0, 0, 1, 2], vec![4.0, 4.0, 7.0, 2.0]));
    assert_eq!((second, scores.invalid_tool_use_ratio), (CallStatus::Banned, Some(0.0)));
    assert_eq!((scores.cost_gap, scores.exact_match), (None, Some(false)));
}

#[test]
fn failed_calls_do_not_count_for_the_clock_or_bring_events_nearer() {
    let change = || Event::CostChange(vec![8.0, 7.0, 2.0, 1.0]);
    let events = |event: Event, names: [&str; 3], rules| {
        let scenario = scenario(vec![event]).with_rules(rules);
        let mut episode = Episode::new(&scenario);
        let call = |name| {
            let call = episode.call(name).unwrap();
            (call.status, call.event)
        };
        names.map(call)
    };
    let missing = || CallStatus::MissingInput("hits".into());
    let done = CallStatus::Done { advanced: true };
    let released = EnvironmentRules { event_clock: RuleVersion::Released, ..PAPER };

    let names = ["pick", "ask", "pick"];
    let found = events(change(), names, PAPER);
    assert_eq!(found, [(missing(), None), (done.clone(), Some(0)), (done.clone(), None)]);
    let found = events(change(), names, released);
    assert_eq!(found, [(missing(), Some(0)), (done.clone(), None), (done.clone(), None)]);

    // A ban falls on the tool of a failed call, and waits for a call of a tool of the library.
    let names = ["buy", "search", "search"];
    let found = events(Event::BanTool, names, released);
    let unknown = (CallStatus::UnknownTool, None);
    let unavailable = (CallStatus::Unavailable, None);
    assert_eq!(found, [unknown.clone(), (CallStatus::Banned, Some(0)), unavailable.clone()]);
    assert_eq!(events(Event::BanTool, names, PAPER), found, "here the search is the first step");

    let found = events(Event::BanTool, ["chat", "pick", "search"], PAPER);
    assert_eq!(found, [(CallStatus::Banned, Some(0)), (missing(), None), (done.clone(), None)]);
    let ban_of_pick = |rules| {
        // A second tool for the last step, so that the ban leaves a way to the goal.
        let scenario = chain(3, vec![Event::BanTool]).with_rules(rules);
        let mut episode = Episode::new(&scenario);
        let call = episode.call("2-3").unwrap();
        (call.status, call.event)
    };
    assert_eq!(ban_of_pick(PAPER), (CallStatus::MissingInput("2".into()), None));
    assert_eq!(ban_of_pick(released), (CallStatus::Banned, Some(0)));
}

#[test]
fn after_an_event_the_greedy_policy_starts_over_or_keeps_to_the_chain_rule() {
    let tools = [
        ("a", "0", "1", 1.0),
        ("b", "1", "goal", 2.0),
        ("c", "0", "2", 4.0),
        ("d", "2", "goal", 4.0),
    ];
    let still = scenario_of(links(&tools), &["0"], &["goal"]);
    let path = |event: Event, version| {
        let rules = EnvironmentRules { greedy_restart: version, ..PAPER };
        let scenario = still.clone().with_events(vec![event]).unwrap().with_rules(rules);
        let run = scenario.greedy_run(GreedyRule::Chain);
        scenario.graph().tool_names(&run.path()).concat()
    };
    // After "a", "b" is unavailable, and the chain rule allows no other tool.
    let removal = || Event::RemoveTools(vec![1]);
    assert_eq!(path(removal(), RuleVersion::PaperText), "acd");
    assert_eq!(path(removal(), RuleVersion::Released), "a");
    // Both start over after a preference change. A banned first call leaves no output to follow.
    for version in [RuleVersion::PaperText, RuleVersion::Released] {
        assert_eq!(path(Event::PreferenceChange, version), "aab");
        assert_eq!(path(Event::BanTool, version), "acd");
    }
}

#[test]
fn the_next_event_is_scheduled_from_the_state_of_the_run_or_from_the_optimal_run() {
    let fired = |version| {
        let rules = EnvironmentRules { event_schedule: version, ..PAPER };
        let events = vec![Event::RemoveTools(vec![]), Event::RemoveTools(vec![])];
        let scenario = chain(6, events).with_rules(rules);
        let optimal: Vec<Option<usize>> =
            scenario.optimal_run().calls.iter().map(|call| call.event).collect();
        assert_eq!(optimal, [None, Some(0), None, Some(1), None, None]);
        let run = played(&scenario, &["0-4", "4-5", "5-6"]);
        run.calls.iter().map(|call| call.event).collect::<Vec<_>>()
    };
    // The first event is due at step 2 of 6. One call is left to the run then, and four to the optimal run.
    assert_eq!(fired(RuleVersion::PaperText), [None, Some(0), Some(1)]);
    assert_eq!(fired(RuleVersion::Released), [None, Some(0), None]);
}

#[test]
fn tools_of_an_earlier_removal_stay_away_or_come_back() {
    let left = |version| {
        let rules = EnvironmentRules { removals: version, ..PAPER };
        let events = [2, 3].map(|length| without_composites(chain(5, vec![]).graph(), length));
        let events = [vec![Event::BanTool], events.to_vec()].concat();
        let scenario = chain(5, events).with_rules(rules);
        let mut episode = Episode::new(&scenario);
        for tool in ["3-5", "0-1", "0-2", "2-3"] {
            episode.call(tool).unwrap();
        }
        let names = visible(&episode);
        names.into_iter().filter(|name| !name.starts_with('0')).collect::<Vec<_>>().join(" ")
    };
    // Calls that lack an input are no steps, so the ban falls on "0-1".
    assert_eq!(left(RuleVersion::PaperText), "1-2 2-3 3-4 4-5 1-5");
    assert_eq!(left(RuleVersion::Released), "1-2 2-3 3-4 4-5 1-3 2-4 3-5 1-5");
}

#[test]
fn a_run_short_of_the_goal_is_left_out_or_has_the_worst_path_scores() {
    let scores = |version| {
        let rules = EnvironmentRules { unfinished_runs: version, ..PAPER };
        let scenario = scenario(vec![]).with_rules(rules);
        let best = scenario.optimal_run();
        let run = played(&scenario, &["search", "chat", "ask"]);
        let mut means = RunMeans::default();
        means.update(&run, &best).unwrap();
        means.update(&best, &best).unwrap();
        (run.scores(&best).unwrap(), means)
    };
    let (one, means) = scores(RuleVersion::PaperText);
    assert_eq!(
        (one.edit_distance, one.normalized_edit_distance, one.exact_match),
        (None, None, None)
    );
    let paths = means.finish().unwrap().paths.unwrap();
    assert_eq!((paths.weight, paths.exact_match_rate), (1.0, 1.0));

    let (one, means) = scores(RuleVersion::Released);
    assert_eq!(one.edit_distance, Some(3), "the longer path has three calls");
    assert_eq!((one.normalized_edit_distance, one.exact_match), (Some(1.0), Some(false)));
    assert_eq!((one.cost_gap, one.completed), (None, false));
    let figures = means.finish().unwrap();
    let paths = figures.paths.unwrap();
    assert_eq!((paths.weight, paths.exact_match_rate), (2.0, 0.5));
    assert_eq!((paths.edit_distance, paths.normalized_edit_distance), (1.5, 0.5));
    assert_eq!(figures.cost_gap, Some(0.0), "only of the run that reached the goal");
}

#[test]
fn a_run_in_which_a_tool_is_banned_twice_has_the_scores_of_its_path_or_the_worst() {
    let run = |version, events: Vec<Event>| {
        let rules = EnvironmentRules {
            repeated_bans: version,
            unfinished_runs: RuleVersion::PaperText,
            ..EnvironmentRules::RELEASED
        };
        let scenario = chain(6, events).with_rules(rules);
        let best = scenario.optimal_run();
        let mut episode = Episode::new(&scenario);
        let mut call = |name: &str| episode.call(name).unwrap();
        // The first event is due at the second call, and the next one at the call after it.
        let found = ["0-1", "1-2", "1-2", "1-3", "3-4", "4-5", "5-6"].map(|name| call(name).event);
        assert_eq!(found, [None, Some(0), Some(1), None, None, None, None]);
        let run = episode.finish(true);
        assert!(run.goal_reached);
        let mut means = RunMeans::default();
        means.update(&run, &best).unwrap();
        (run.scores(&best).unwrap(), means)
    };
    let twice = || vec![Event::BanTool, Event::BanTool];
    let (paper, means) = run(RuleVersion::PaperText, twice());
    let (edits, share) = (paper.edit_distance.unwrap(), paper.normalized_edit_distance.unwrap());
    assert!(share < 1.0, "the run shares calls with the optimal run: {paper:?}");
    let paths = means.finish().unwrap().paths.unwrap();
    assert_eq!(paths.edit_distance, edits as f64);

    let (released, means) = run(RuleVersion::Released, twice());
    let longest = (edits as f64 / share).round();
    assert_eq!(released.edit_distance, Some(longest as usize), "the length of the longer path");
    assert_eq!((released.normalized_edit_distance, released.exact_match), (Some(1.0), Some(false)));
    assert_eq!((released.cost_gap, released.completed), (paper.cost_gap, true));
    let paths = means.finish().unwrap().paths.unwrap();
    assert_eq!((paths.edit_distance, paths.normalized_edit_distance), (longest, 1.0));

    // Another event at a call of a banned tool does not ban it twice.
    let once = || vec![Event::BanTool, Event::RemoveTools(vec![])];
    let versions = [RuleVersion::PaperText, RuleVersion::Released];
    let [paper, released] = versions.map(|version| run(version, once()).0);
    assert_eq!(paper, released);
    assert!(released.normalized_edit_distance.unwrap() < 1.0);
}

/// The numbers of runs that count and that are left out, of one run against its optimal run.
fn counted(scenario: &Scenario, names: &[&str]) -> (usize, usize) {
    let mut means = RunMeans::default();
    means.update(&played(scenario, names), &scenario.optimal_run()).unwrap();
    (means.runs(), means.left_out())
}

#[test]
fn a_run_counts_by_the_released_rule_only_if_something_follows_its_last_event() {
    let change = || Event::CostChange(vec![4.0, 7.0, 2.0, 1.0]);
    let released = scenario(vec![change()]).with_rules(EnvironmentRules::RELEASED);
    assert_eq!(counted(&released, &["search", "pick"]), (1, 0));
    // The event occurs at the only call.
    assert_eq!(counted(&released, &["search"]), (0, 1));
    let rules =
        EnvironmentRules { counted_runs: RuleVersion::PaperText, ..EnvironmentRules::RELEASED };
    assert_eq!(counted(&released.with_rules(rules), &["search"]), (1, 0));

    // A ban shows itself at the call that it falls on.
    let ban = scenario(vec![Event::BanTool]).with_rules(EnvironmentRules::RELEASED);
    assert_eq!(counted(&ban, &["search"]), (1, 0));

    let still = scenario(vec![]);
    assert_eq!(counted(&still, &[]), (1, 0));
    assert_eq!(counted(&still.with_rules(EnvironmentRules::RELEASED), &[]), (0, 1));
}

#[test]
fn a_query_whose_reference_reaches_the_goal_at_its_last_event_does_not_count_by_the_released_rule()
{
    // One call reaches the goal of the reference, and the event occurs at it.
    let tools = links(&[("a", "0", "1", 1.0), ("b", "1", "2", 1.0), ("ab", "0", "2", 1.5)]);
    let scenario = scenario_of(tools, &["0"], &["2"]);
    let scenario = scenario.with_events(vec![Event::CostChange(vec![1.0, 1.0, 3.0])]).unwrap();
    assert_eq!(counted(&scenario, &["a", "b"]), (1, 0));
    let rules = EnvironmentRules { counted_runs: RuleVersion::Released, ..PAPER };
    assert_eq!(counted(&scenario.with_rules(rules), &["a", "b"]), (0, 1));
}

#[test]
fn a_ban_waits_for_a_tool_of_the_library_or_falls_on_a_name_that_does_not_exist() {
    let run = |unknown_bans, calls: &[&str]| {
        let scenario = scenario(vec![Event::BanTool]);
        let rules = EnvironmentRules { unknown_bans, ..EnvironmentRules::RELEASED };
        let scenario = scenario.with_rules(rules);
        (played(&scenario, calls), scenario.optimal_run())
    };
    let calls = ["buy", "buy", "search", "pick"];
    let (waits, _) = run(RuleVersion::PaperText, &calls);
    let status = |run: &tool_graph::Transcript| -> Vec<CallStatus> {
        run.calls.iter().map(|call| call.status.clone()).collect()
    };
    let unknown = CallStatus::UnknownTool;
    assert_eq!(status(&waits)[..3], [unknown.clone(), unknown, CallStatus::Banned]);
    let (falls, best) = run(RuleVersion::Released, &calls);
    let done = CallStatus::Done { advanced: true };
    assert_eq!(status(&falls), [CallStatus::Banned, CallStatus::Banned, done.clone(), done]);
    // The best run finds its search banned, asks and picks.
    assert_eq!((falls.path(), best.path()), (vec![usize::MAX, usize::MAX, 0, 2], vec![0, 1, 2]));
    assert_eq!((falls.total_cost(), falls.scores(&best).unwrap().edit_distance), (6.0, Some(3)));
}
