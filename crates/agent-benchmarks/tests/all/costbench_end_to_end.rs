//! Scripted policies go through the whole loop of CostBench, and get the figures that are known.

use std::collections::BTreeSet;

use crate::policies::{PLAIN, Said, first, greedy, optimal, play};
use agent_benchmarks::{
    Conversation, Error, Request,
    costbench::{
        CostBench, CostBenchFigures, EnvironmentRules, EventKind, Instance, Query, Split, Task,
        queries,
    },
};

/// The figures of a policy over test queries.
fn figures<M: FnMut(&Request) -> Said>(
    bench: &CostBench,
    queries: &[Query],
    policy: impl Fn(&Instance) -> M,
) -> CostBenchFigures {
    let run = |query| {
        let instance = bench.instance(query);
        play(&instance, policy(&instance))
    };
    let records: Vec<_> = queries.iter().map(run).collect();
    let rows = CostBenchFigures::of(&records, PLAIN).unwrap();
    let [row] = &rows[..] else { panic!("one length and one setting") };
    row.clone()
}

fn test() -> Vec<Query> {
    queries(Split::Test, 42)
}

#[test]
fn the_greedy_policy_over_381_queries_has_the_rows_of_tables_3_and_4() {
    for (level, length, gap, edits, share, matches) in
        [(2, 5, "0.269", "2.202", "74.74", "10.76"), (5, 8, "0.524", "3.194", "84.82", "3.41")]
    {
        let row = figures(&CostBench::new(level).unwrap(), &test(), greedy);
        let value = |key: &str| row.figure(key).unwrap().value;
        assert_eq!((row.runs, row.left_out.total(), row.task_length), (381, 0, length));
        assert_eq!(format!("{:.3}", value("cost_gap")), gap);
        assert_eq!(value("cost_gap_without_redundant"), value("cost_gap"));
        assert_eq!(format!("{:.3}", value("edit_distance")), edits);
        assert_eq!(format!("{:.2}", 100.0 * value("normalized_edit_distance")), share);
        assert_eq!(format!("{:.2}", 100.0 * value("exact_match_ratio")), matches);
        assert_eq!((value("task_completion_ratio"), value("invalid_tool_use_ratio")), (1.0, 0.0));
    }
}

fn assert_is_perfect(row: &CostBenchFigures) {
    assert_eq!(row.left_out.total(), 0, "{row:?}");
    let value = |key: &str| row.figure(key).map(|figure| figure.value);
    let gap = (row.events == "none").then_some(0.0);
    for (key, expected) in [
        ("cost_gap", gap),
        ("edit_distance", Some(0.0)),
        ("normalized_edit_distance", Some(0.0)),
        ("invalid_tool_use_ratio", Some(0.0)),
        ("exact_match_ratio", Some(1.0)),
        ("task_completion_ratio", Some(1.0)),
    ] {
        assert_eq!(value(key), expected, "{key}: {row:?}");
    }
}

#[test]
fn the_optimal_policy_over_381_queries_is_perfect() {
    let row = figures(&CostBench::new(2).unwrap(), &test(), optimal);
    assert_eq!(row.runs, 381);
    assert_is_perfect(&row);
}

#[test]
fn the_optimal_policy_is_perfect_at_every_level_with_every_kind_of_event_by_both_rules() {
    let all = test();
    let one = |task: &Task| all.iter().rfind(|query| query.task() == *task).cloned();
    let one_per_task: Vec<Query> = Task::ALL.iter().filter_map(one).collect();
    for rules in [EnvironmentRules::PAPER_TEXT, EnvironmentRules::RELEASED] {
        for level in 0..=5 {
            let kinds = EventKind::ALL.map(|kind| vec![kind]);
            for events in kinds.into_iter().chain([vec![]]) {
                let bench = CostBench::new(level).unwrap().with_rules(rules).with_events(events);
                let row = figures(&bench, &one_per_task, optimal);
                assert_eq!(row.runs, 6);
                assert_is_perfect(&row);
            }
        }
    }
}

#[test]
fn the_optimal_policy_is_perfect_for_every_task_with_two_mixed_events() {
    let bench = CostBench::new(3).unwrap().with_mixed_events(2);
    let all = test();
    let mut runs = 0;
    for query in all.iter().step_by(19) {
        let instance = bench.instance(query);
        let record = play(&instance, optimal(&instance));
        if !record.reference.all_events_fired() {
            continue;
        }
        let scores = record.scores().unwrap();
        assert_eq!((scores.exact_match, scores.completed), (Some(true), true), "{}", query.id);
        runs += 1;
    }
    assert!(runs > 15, "{runs}");
}

#[test]
fn all_3000_training_queries_can_be_solved_with_words_that_no_test_query_uses() {
    let bench = CostBench::new(0).unwrap();
    let train = queries(Split::Train, 42);
    assert_eq!(train.len(), 3_000);
    for task in Task::ALL {
        for dimension in 0..4 {
            let values = |queries: &[Query]| -> BTreeSet<&'static str> {
                let own = queries.iter().filter(|query| query.task() == task);
                own.map(|query| query.preferences.values()[dimension]).collect()
            };
            let (train, test) = (values(&train), values(&queries(Split::Test, 42)));
            assert_eq!((train.len(), test.len()), (6, 4), "{task} {dimension}");
            assert!(train.is_disjoint(&test), "{task} {dimension}");
        }
    }
    for query in &train {
        assert_eq!(query.preferences.split(), Split::Train);
        let instance = bench.instance(query);
        let record = play(&instance, optimal(&instance));
        assert_eq!(record.record.run.outcome, Some(true), "{}", query.id);
        assert_eq!(record.record.events, []);
    }
}

#[test]
fn a_conversation_that_ended_takes_no_reply() {
    let instance = first(&CostBench::new(0).unwrap());
    let mut conversation = instance.conversation();
    conversation.reply("<answer>x</answer>".into()).unwrap();
    assert_eq!(conversation.request(), None);
    assert_eq!(conversation.reply("more".into()), Err(Error::Ended));
}
