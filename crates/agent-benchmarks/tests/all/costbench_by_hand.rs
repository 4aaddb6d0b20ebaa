//! Policies on the first ten test queries, whose figures are worked out by hand.
//!
//! The optimal paths of these queries at level 2 have 2, 2, 4, 2, 3, 2, 2, 3, 2 and 4 calls. A ban is
//! due at step `max(1, floor(calls / 2))`: at the second call of the third and the tenth query, and at
//! the first call of the others.

use crate::policies::{PLAIN, random, stubborn, value, wrong_call};
use agent_benchmarks::{
    Request, converse,
    costbench::{
        CostBench, CostBenchFigures, CostBenchRecord, EnvironmentRules, EventKind, Instance,
        ReplyRules, Split, queries,
    },
};
use tool_graph::Episode;

fn ten(
    bench: &CostBench,
    mut each: impl FnMut(&Instance) -> CostBenchRecord,
) -> (Vec<CostBenchRecord>, CostBenchFigures) {
    let queries = queries(Split::Test, 42);
    let records: Vec<_> = queries[..10].iter().map(|it| each(&bench.instance(it))).collect();
    let row = CostBenchFigures::of(&records, PLAIN).unwrap().remove(0);
    (records, row)
}

#[test]
fn a_policy_that_always_errs_makes_200_invalid_calls_and_completes_nothing() {
    for rules in [EnvironmentRules::RELEASED, EnvironmentRules::PAPER_TEXT] {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        let (records, row) = ten(&bench, |instance| {
            let model = |_: &Request| Ok(wrong_call());
            converse(instance.conversation(), model).unwrap()
        });
        // No reply is left after the twentieth call.
        assert!(records.iter().all(|it| it.record.run.turns.len() == 20));
        assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 200));
        assert_eq!(value(row.figure("invalid_tool_use_ratio")), Some(1.0));
        assert_eq!(value(row.figure("task_completion_ratio")), Some(0.0));
        assert_eq!(value(row.figure("valid_calls")), Some(0.0));
        assert_eq!(value(row.figure("cost_gap")), None);
        let released = rules == EnvironmentRules::RELEASED;
        // Nothing matches: as many edits as the optimal paths have calls, 26 in all.
        assert_eq!(value(row.figure("edit_distance")), released.then_some(2.6));
        assert_eq!(value(row.figure("normalized_edit_distance")), released.then_some(1.0));
        assert_eq!(value(row.figure("exact_match_ratio")), released.then_some(0.0));
    }
}

#[test]
fn a_policy_that_calls_banned_tools_pays_for_them_by_the_released_rules_and_errs_by_the_papers() {
    let run = |rules| {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        ten(&bench.with_events(vec![EventKind::BanTool]), |instance| {
            converse(instance.conversation(), stubborn(instance)).unwrap()
        })
    };
    let (records, row) = run(EnvironmentRules::RELEASED);
    let paid: Vec<f64> = records.iter().map(|record| record.transcript.total_cost()).collect();
    // Twenty times the first call; in the third and the tenth query the first call once and the second
    // 19 times: 20.75 + 19 * 44.13 and 44.14 + 19 * 18.45.
    let by_hand = [1230.8, 1273.0, 859.22, 1750.4, 1155.2, 1339.6, 1565.2, 1156.2, 354.8, 394.69];
    assert_eq!(paid, by_hand);
    assert_eq!((row.failures.calls, row.failures.invalid()), (200, 0));
    assert_eq!(value(row.figure("invalid_tool_use_ratio")), Some(0.0));
    assert_eq!(value(row.figure("valid_calls")), Some(20.0));
    // The longer of two paths without a match has 20 calls.
    assert_eq!(value(row.figure("edit_distance")), Some(20.0));
    assert_eq!(value(row.figure("normalized_edit_distance")), Some(1.0));
    assert_eq!(
        (value(row.figure("exact_match_ratio")), value(row.figure("task_completion_ratio"))),
        (Some(0.0), Some(0.0))
    );

    let (records, row) = run(EnvironmentRules::PAPER_TEXT);
    let paid: Vec<f64> = records.iter().map(|record| record.transcript.total_cost()).collect();
    // A banned call is free; only the first calls of the third and the tenth query are paid for.
    assert_eq!(paid, [0.0, 0.0, 20.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 44.14]);
    // 19 invalid calls in eight runs and 18 in two.
    assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 188));
    assert_eq!(value(row.figure("invalid_tool_use_ratio")), Some(0.94));
    assert_eq!(value(row.figure("valid_calls")), Some(1.2));
    assert_eq!(
        (value(row.figure("edit_distance")), value(row.figure("task_completion_ratio"))),
        (None, Some(0.0))
    );
}

#[test]
fn a_random_policy_has_the_run_of_the_same_calls_made_without_a_conversation() {
    for events in [vec![], vec![EventKind::BanTool, EventKind::PreferenceChange]] {
        let rules = ReplyRules::STRICT;
        let bench = CostBench::new(2).unwrap().with_events(events).with_reply_rules(rules);
        let mut completed = 0;
        ten(&bench, |instance| {
            let model = random(instance, instance.query().seed());
            let record = converse(instance.conversation(), model).unwrap();
            let replies = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
            let made = replies.flat_map(|reply| &reply.tool_calls).map(|call| call.name.as_str());
            let limit = 20;
            let mut direct = Episode::new(instance.scenario());
            made.take(limit).for_each(|name| drop(direct.call(name).unwrap()));
            let reached = direct.goal_reached();
            assert_eq!(direct.finish(reached), record.transcript, "{}", record.query_id());
            completed += usize::from(reached);
            record
        });
        assert!(completed >= 5, "{completed}");
    }
}
