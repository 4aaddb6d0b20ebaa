//! The laws of the table, and the listing of paths.

use crate::policies::{Said, first, greedy, optimal, path, play, saying, wrong_call};
use agent_benchmarks::{
    Conversation, Figure, Intervals, Level, ModelError, NoInterval, Reply, Request, Seed, Value,
    costbench::{
        CostBench, CostBenchFigures, CostBenchRecord, EnvironmentRules, EventKind, Split, queries,
    },
};
use tool_graph::{GreedyRule, LeftOutCounts, RunMeans};

fn how() -> Intervals {
    Intervals { level: Level::new(0.95).unwrap(), resamples: 200, seed: Seed(5) }
}

/// Runs of the greedy and the optimal policy on thirty queries of all tasks.
fn records() -> Vec<CostBenchRecord> {
    let bench = CostBench::new(2).unwrap();
    let all = queries(Split::Test, 42);
    let mut records = Vec::new();
    for query in all.iter().step_by(13) {
        let instance = bench.instance(query);
        records.push(play(&instance, greedy(&instance)));
        if records.len() % 3 == 0 {
            records.push(play(&instance, optimal(&instance)));
        }
    }
    records
}

fn figures(row: &CostBenchFigures) -> [Option<Figure>; 8] {
    let keys: Vec<&str> = row.figures.iter().map(|(measure, _)| measure.key).collect();
    std::array::from_fn(|place| row.figure(keys[place]))
}

fn only<'a>(records: impl IntoIterator<Item = &'a CostBenchRecord>) -> CostBenchFigures {
    let mut rows = CostBenchFigures::of(records, how()).unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[test]
fn figures_are_those_of_run_means_and_lie_in_their_intervals() {
    let (records, mut means) = (records(), RunMeans::default());
    for record in &records {
        means.update(&record.transcript, &record.reference).unwrap();
    }
    let (row, means) = (only(&records), means.finish().unwrap());
    let paths = means.paths.unwrap();
    let expected = [
        means.cost_gap,
        means.cost_gap_without_redundant,
        Some(paths.edit_distance),
        Some(paths.normalized_edit_distance),
        Some(paths.exact_match_rate),
        Some(means.task_completion_ratio),
        means.invalid_tool_use_ratio,
    ];
    let found = figures(&row).map(|figure| figure.map(|figure| figure.value));
    assert_eq!(found[..7], expected);
    // Every run is complete, and queries have several runs: no interval, and not a point.
    assert_eq!(row.figure("task_completion_ratio").unwrap().interval, Err(NoInterval::Constant));
    let varied = figures(&row).into_iter().flatten();
    for figure in varied.filter(|figure| figure.interval != Err(NoInterval::Constant)) {
        let interval = figure.interval.unwrap();
        assert!(interval.low() <= figure.value && figure.value <= interval.high(), "{figure:?}");
    }
    let width = |figure: Option<Figure>| {
        let interval = figure.unwrap().interval.unwrap();
        interval.high() - interval.low()
    };
    assert!(width(row.figure("exact_match_ratio")) > 0.1);
}

#[test]
fn a_share_of_0_or_1_is_no_point_and_two_queries_have_no_interval() {
    let bench = CostBench::new(2).unwrap();
    let all = queries(Split::Test, 42);
    let table = |queries: usize| {
        let run = |query| {
            let instance = bench.instance(query);
            play(&instance, optimal(&instance))
        };
        only(&all[..queries].iter().map(run).collect::<Vec<_>>())
    };
    let row = table(30);
    for share in [row.figure("task_completion_ratio"), row.figure("exact_match_ratio")] {
        // Clopper and Pearson: 0.025^(1/30).
        let interval = share.unwrap().interval.unwrap();
        assert!((interval.low() - 0.8843).abs() < 1e-4 && interval.high() == 1.0, "{interval}");
    }
    // No gap and no edit in any run: these are no shares.
    for mean in
        [row.figure("cost_gap"), row.figure("edit_distance"), row.figure("invalid_tool_use_ratio")]
    {
        assert_eq!(mean.unwrap().interval, Err(NoInterval::Constant));
    }
    let few = NoInterval::TooFewClusters { found: 2, least: 6, level: how().level };
    for figure in figures(&table(2)).into_iter().flatten() {
        assert_eq!(figure.interval, Err(few));
    }
}

#[test]
fn the_table_does_not_depend_on_the_order_of_the_runs() {
    let records = records();
    assert_eq!(only(records.iter().rev()), only(&records));
}

#[test]
fn lengths_and_events_have_rows_of_their_own_and_one_query_has_no_interval() {
    let runs = [(0, vec![]), (2, vec![]), (2, vec![EventKind::BanTool])].map(|(level, events)| {
        let instance = first(&CostBench::new(level).unwrap().with_events(events));
        play(&instance, optimal(&instance))
    });
    let rows = CostBenchFigures::of(&runs, how()).unwrap();
    let keys: Vec<_> = rows.iter().map(|row| (row.task_length, row.events.as_str())).collect();
    assert_eq!(keys, [(3, "none"), (5, "ban_tool"), (5, "none")]);
    assert!(rows.iter().all(|row| row.figure("exact_match_ratio").unwrap().interval.is_err()));
    // Only runs without events have a cost gap.
    for (row, run) in rows.iter().zip([&runs[0], &runs[2], &runs[1]]) {
        assert_eq!((row.runs, row.figure("exact_match_ratio").unwrap().value), (1, 1.0));
        let gaps = ["cost_gap", "cost_gap_without_redundant"].map(|key| row.figure(key));
        assert_eq!(gaps.map(|gap| gap.is_some()), [row.events == "none"; 2]);
        assert_eq!(run.scores().unwrap().cost_gap.is_some(), row.events == "none");
    }
}

#[test]
fn runs_without_an_event_a_call_or_a_reply_are_left_out_and_counted() {
    let bench = || CostBench::new(2).unwrap();
    let silent = |_: &Request| Ok(Reply::default());
    let early = play(&first(&bench().with_events(vec![EventKind::CostChange])), silent);
    let row = only([&early]);
    assert_eq!((row.runs, row.left_out.events_missing, row.left_out.total()), (0, 1, 1));
    assert_eq!(figures(&row), [None; 8]);
    let instance = first(&bench());
    let row = only([&play(&instance, silent)]);
    assert_eq!((row.runs, row.left_out.no_calls, row.figure("exact_match_ratio")), (0, 1, None));
    // A model that cannot be reached has not failed.
    let unreachable = |_: &Request| Err(ModelError::new("connection refused"));
    let runs = [play(&instance, optimal(&instance)), play(&instance, unreachable)];
    let row = only(&runs);
    assert_eq!((row.runs, row.left_out.total(), row.without_reply), (1, 0, 1));
    assert_eq!(row.figure("task_completion_ratio").unwrap().value, 1.0);
}

/// The greedy policy at length 7 in the released evaluation, which counts only queries whose references
/// go on after the last event.
#[test]
fn the_greedy_policy_under_three_events_has_the_exact_matches_of_figure_6_on_the_released_sample() {
    for (kind, percent, runs) in
        [(EventKind::CostChange, "0.92", 109), (EventKind::RemoveTools, "3.08", 65)]
    {
        let bench = CostBench::new(4).unwrap().with_events(vec![kind; 3]);
        let (mut means, mut left_out) = (RunMeans::default(), LeftOutCounts::default());
        for query in &queries(Split::Test, 42) {
            let instance = bench.instance(query);
            let run = instance.scenario().greedy_run(GreedyRule::Chain);
            run.left_out(instance.reference()).into_iter().for_each(|it| left_out.update(it));
            means.update(&run, instance.reference()).unwrap();
        }
        let rate = means.finish().unwrap().paths.unwrap().exact_match_rate;
        assert_eq!((format!("{:.2}", rate * 100.0).as_str(), means.runs()), (percent, runs));
        assert_eq!((means.left_out(), left_out.total()), (381 - runs, 381 - runs));
        assert!(left_out.last_event > 70 && left_out.no_calls == 0, "{left_out:?}");
    }
}

/// All plans of level 1, from the names of the tools: the seven of figure 16.
const PLANS: [&str; 7] = [
    "Decide_Location_Preference -> Search_Location_Candidates -> Location_Refinement_Step1 -> Select_Final_Location",
    "Location_Preference_and_Search -> Location_Refinement_Step1 -> Select_Final_Location",
    "Decide_Location_Preference -> Location_Search_to_Step1 -> Select_Final_Location",
    "Decide_Location_Preference -> Search_Location_Candidates -> Location_Finalize_from_Step1",
    "Location_Preference_and_Search -> Location_Finalize_from_Step1",
    "Location_Full_Planning_to_Step1 -> Select_Final_Location",
    "Decide_Location_Preference -> Location_Search_to_Final_3Steps",
];

#[test]
fn the_greedy_policy_in_the_world_of_a_run_has_the_figures_of_greedy_runs() {
    let (mut records, mut means) = (Vec::new(), RunMeans::default());
    let bench = CostBench::new(2).unwrap().with_events(vec![EventKind::CostChange]);
    for query in queries(Split::Test, 42).iter().step_by(13) {
        let instance = bench.instance(query);
        records.push(play(&instance, optimal(&instance)));
        let run = instance.scenario().greedy_run(GreedyRule::Chain);
        means.update(&run, instance.reference()).unwrap();
    }
    let greedy = CostBenchFigures::of_greedy(&records, how()).unwrap().remove(0);
    let (row, means) = (only(&records), means.finish().unwrap());
    assert_eq!(row.figure("exact_match_ratio").unwrap().value, 1.0);
    let paths = means.paths.unwrap();
    let found = ["normalized_edit_distance", "exact_match_ratio"]
        .map(|key| greedy.figure(key).unwrap().value);
    assert_eq!(found, [paths.normalized_edit_distance, paths.exact_match_rate]);
    assert!(found[1] < 1.0 && greedy.figure("path_coverage").is_none(), "{found:?}");
}

#[cfg(feature = "confidence")]
#[test]
fn confidence_is_asked_for_in_every_message_and_scored_against_its_objective() {
    use agent_benchmarks::{
        confidence::{ConfidenceFigures, ConfidenceRecord, ConfidenceStream, FollowUp},
        costbench::Objective,
    };

    /// A policy that states its confidence beside what it does.
    fn sure(mut policy: impl FnMut(&Request) -> Said) -> impl FnMut(&Request) -> Said {
        move |request| {
            let mut reply = policy(request)?;
            reply.text += " <confidence>0.75</confidence>";
            Ok(reply)
        }
    }
    let outcomes = Objective::ALL.map(|objective| {
        let instance = first(&CostBench::new(2).unwrap().with_confidence(objective));
        let conversation = instance.conversation();
        let told = &conversation.request().unwrap().messages[0].text;
        assert!(told.contains("in each of your messages") && told.contains("<confidence>p<"));
        assert_eq!(told.contains("lowest possible price"), objective == Objective::Optimal);
        let best = play(&instance, sure(optimal(&instance)));
        let steps = ["Decide_Location_Preference", "Search_Location_Candidates"];
        let steps = [&steps[..], &["Location_Refinement_Step1", "Location_Finalize_from_Step2"]];
        let names = steps.concat().into_iter().map(str::to_owned).collect();
        let other = play(&instance, sure(path(&instance, names)));
        let silent = play(&instance, |_| Err(ModelError::new("the server is gone")));
        assert_eq!(best.objective, Some(objective));
        let records = [best, other, silent];
        let judged = records.each_ref().map(|it| ConfidenceRecord::from(it.judged_by(objective)));
        let none = FollowUp::default();
        let rows = ConfidenceFigures::of(judged.iter().map(|it| (it, &none)), how()).unwrap();
        let stated = rows.iter().find(|row| row.stream == ConfidenceStream::StatedConfidence);
        let stated = stated.unwrap();
        assert_eq!((stated.runs, stated.without_reply), (3, 1));
        let figures = &stated.complete.as_ref().unwrap().figures;
        let brier = figures.iter().find(|(measure, _)| measure.key == "tps_brier").unwrap();
        let brier = brier.1.as_ref().unwrap().value;
        (records.map(|record| record.judged_by(objective).run.outcome), brier)
    });
    // (1 - 0.75)^2 for a success, and 0.75^2 for a failure.
    assert_eq!(outcomes[0], ([Some(true), Some(true), None], -0.0625));
    assert_eq!(outcomes[1], ([Some(true), Some(false), None], -0.3125));
}

#[cfg(feature = "confidence")]
#[test]
fn a_run_without_an_outcome_as_to_the_optimal_path_has_no_score_that_could_be_taken_for_one() {
    use agent_benchmarks::costbench::Objective;
    use run_logs::{FactRules, RunTable, StreamOptions};

    // The run ends before all events have come.
    let bench = CostBench::new(0).unwrap().with_events(vec![EventKind::CostChange; 6]);
    let instance = first(&bench.with_confidence(Objective::Optimal));
    let record = play(&instance, optimal(&instance));
    let run = record.judged_by(Objective::Optimal).run;
    assert_eq!((run.outcome, record.record.run.outcome), (None, Some(true)));
    let policy = FactRules::default();
    let table = RunTable::new([Ok(run)], &policy, &StreamOptions::default()).unwrap();
    assert_eq!(table.rows()[0].outcome, None);
}

fn listed(text: String) -> CostBenchRecord {
    play(&first(&CostBench::new(1).unwrap()), |_| Ok(saying(text.clone())))
}

#[test]
fn the_first_reply_of_a_run_is_what_coverage_is_measured_on() {
    let instance = first(&CostBench::new(0).unwrap());
    let plan = "<path>1. Location_Preference_and_Search(Cost: 3) -> Select_Final_Location. Total Cost: 5</path>";
    let listed = format!("{plan}{plan}<path>Select_Final_Location</path>");
    let run = |first: &str, second: &str| {
        let mut conversation = instance.conversation();
        for text in [first, second] {
            conversation.reply(Reply { text: text.to_owned(), ..wrong_call() }).unwrap();
        }
        conversation.finish()
    };
    let record = run(&listed, "");
    let score = &record.record.run.scores["path_coverage"].value;
    assert_eq!((record.coverage.rate(), score), (Some(1.0 / 3.0), &Value::Real(1.0 / 3.0)));
    // One plan and one path that is none, of the three plans and the call of all stages.
    assert_eq!(record.released_coverage(), 0.5);
    assert_eq!(run("", &listed).coverage.rate(), Some(0.0));
}

#[test]
fn a_model_that_lists_all_paths_covers_them_and_each_path_counts_once() {
    let tagged = |path: &str| format!("<path>{path}</path>\n");
    let all: String = PLANS.iter().map(|path| tagged(path)).collect();
    let record = listed(all);
    let coverage = record.coverage;
    assert_eq!((coverage.rate(), coverage.not_plans), (Some(1.0), 0));
    assert_eq!(record.record.run.scores["path_coverage"].value, 1.0.into());

    let some = [PLANS[4], PLANS[4], PLANS[6], "Select_Final_Location"].map(tagged).concat();
    let coverage = listed(some).coverage;
    assert_eq!((coverage.covered, coverage.repeated, coverage.not_plans), (2, 1, 1));
    assert_eq!(coverage.rate(), Some(2.0 / 7.0));

    let arrows = PLANS[4].replace(" -> ", "\u{2192}");
    let around =
        format!("First:\n<path> 1. {arrows} . Total Cost: 5.5</path> <path></path> <path>open");
    let coverage = listed(around).coverage;
    assert_eq!((coverage.covered, coverage.not_plans), (1, 1), "costs and totals are left out");

    assert_eq!(listed("There are many.".to_owned()).coverage.rate(), Some(0.0));
}

#[test]
fn tasks_of_any_level_have_paths_to_list() {
    for (level, possible) in [(0, 3), (5, 127)] {
        for rules in [EnvironmentRules::PAPER_TEXT, EnvironmentRules::RELEASED] {
            let bench = CostBench::new(level).unwrap().with_rules(rules);
            let instance = bench.instance(&queries(Split::Test, 42)[380]);
            let silent = play(&instance, |_| Ok(Reply::default()));
            assert_eq!(silent.coverage.possible, possible);
        }
    }
}
