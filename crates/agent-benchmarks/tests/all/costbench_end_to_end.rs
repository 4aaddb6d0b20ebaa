//! Scripted policies go through the whole loop of CostBench, and get the figures that are known.

use std::collections::BTreeSet;

use crate::policies::{PLAIN, Said, greedy, optimal};
use agent_benchmarks::{
    Conversation, Request, converse,
    costbench::{
        CostBench, CostBenchFigures, CostBenchRecord, EnvironmentRules, EventKind, Instance, Query,
        Split, Task, queries,
    },
};

fn run(instance: &Instance, model: impl FnMut(&Request) -> Said) -> CostBenchRecord {
    converse(instance.conversation(), model).unwrap()
}

/// The figures of a policy over test queries.
fn figures<M: FnMut(&Request) -> Said>(
    bench: &CostBench,
    queries: &[Query],
    policy: impl Fn(&Instance) -> M,
) -> CostBenchFigures {
    let run = |query| {
        let instance = bench.instance(query);
        run(&instance, policy(&instance))
    };
    let records: Vec<_> = queries.iter().map(run).collect();
    let rows = CostBenchFigures::of(&records, PLAIN).unwrap();
    let [row] = &rows[..] else { panic!("one length and one setting") };
    row.clone()
}

fn test() -> Vec<Query> {
    queries(Split::Test, 42)
}

/// A figure as the paper prints it.
fn printed(figure: Option<agent_benchmarks::Figure>, factor: f64, digits: usize) -> String {
    format!("{:.digits$}", figure.unwrap().value * factor)
}

#[test]
fn the_greedy_policy_over_381_queries_has_the_row_of_table_3() {
    let row = figures(&CostBench::new(2).unwrap(), &test(), greedy);
    assert_eq!((row.runs, row.left_out.total(), row.task_length), (381, 0, 5));
    assert_eq!(printed(row.figure("cost_gap"), 1.0, 3), "0.269");
    assert_eq!(printed(row.figure("cost_gap_without_redundant"), 1.0, 3), "0.269");
    assert_eq!(printed(row.figure("edit_distance"), 1.0, 3), "2.202");
    assert_eq!(printed(row.figure("normalized_edit_distance"), 100.0, 2), "74.74");
    assert_eq!(printed(row.figure("exact_match_ratio"), 100.0, 2), "10.76");
    assert_eq!(row.figure("task_completion_ratio").unwrap().value, 1.0);
    assert_eq!(row.figure("invalid_tool_use_ratio").unwrap().value, 0.0);
}

#[test]
fn the_greedy_policy_over_381_queries_has_the_row_of_table_4() {
    let row = figures(&CostBench::new(5).unwrap(), &test(), greedy);
    assert_eq!((row.runs, row.task_length), (381, 8));
    assert_eq!(printed(row.figure("cost_gap"), 1.0, 3), "0.524");
    assert_eq!(printed(row.figure("edit_distance"), 1.0, 3), "3.194");
    assert_eq!(printed(row.figure("normalized_edit_distance"), 100.0, 2), "84.82");
    assert_eq!(printed(row.figure("exact_match_ratio"), 100.0, 2), "3.41");
    assert_eq!(row.figure("task_completion_ratio").unwrap().value, 1.0);
}

fn assert_is_perfect(row: &CostBenchFigures) {
    assert_eq!(row.left_out.total(), 0, "{row:?}");
    let gap = row.figure("cost_gap").map(|gap| gap.value);
    assert_eq!(gap, (row.events == "none").then_some(0.0), "no cost gap under events");
    for zero in [
        row.figure("edit_distance"),
        row.figure("normalized_edit_distance"),
        row.figure("invalid_tool_use_ratio"),
    ] {
        assert_eq!(zero.unwrap().value, 0.0, "{row:?}");
    }
    for one in [row.figure("exact_match_ratio"), row.figure("task_completion_ratio")] {
        assert_eq!(one.unwrap().value, 1.0, "{row:?}");
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
    let all = queries(Split::Test, 42);
    let mut runs = 0;
    for query in all.iter().step_by(19) {
        let instance = bench.instance(query);
        let record = run(&instance, optimal(&instance));
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
        let record = run(&instance, optimal(&instance));
        assert_eq!(record.record.run.outcome, Some(true), "{}", query.id);
        assert_eq!(record.record.events, []);
    }
}

#[test]
fn a_conversation_that_ended_takes_no_reply() {
    let instance = CostBench::new(0).unwrap().instance(&queries(Split::Test, 42)[0]);
    let mut conversation = instance.conversation();
    conversation.reply(crate::policies::saying("<answer>x</answer>")).unwrap();
    assert_eq!(conversation.request(), None);
    let error = conversation.reply(crate::policies::saying("more")).unwrap_err();
    assert_eq!(error, agent_benchmarks::Error::Ended);
}
