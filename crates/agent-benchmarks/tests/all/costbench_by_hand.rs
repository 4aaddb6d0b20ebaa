//! Policies on the first ten test queries, whose figures are worked out by hand.
//!
//! The optimal paths of these queries at level 2 have 2, 2, 4, 2, 3, 2, 2, 3, 2 and 4 calls. A ban is
//! due at step `max(1, floor(calls / 2))`: at the second call of the third and the tenth query, and at
//! the first call of the others.

use crate::policies::{PLAIN, play, random, stubborn, wrong_call};
use agent_benchmarks::costbench::{
    CostBench, CostBenchFigures, CostBenchRecord, EnvironmentRules, EventKind, Instance,
    ReplyRules, Split, queries,
};
use tool_graph::Episode;

const PATHS: [&str; 3] = ["edit_distance", "normalized_edit_distance", "exact_match_ratio"];

fn ten(
    bench: &CostBench,
    mut each: impl FnMut(&Instance) -> CostBenchRecord,
) -> (Vec<CostBenchRecord>, CostBenchFigures) {
    let queries = queries(Split::Test, 42);
    let records: Vec<_> = queries[..10].iter().map(|it| each(&bench.instance(it))).collect();
    let row = CostBenchFigures::of(&records, PLAIN).unwrap().remove(0);
    (records, row)
}

/// The values of figures; `None` for an undefined one.
fn values<const N: usize>(row: &CostBenchFigures, keys: [&str; N]) -> [Option<f64>; N] {
    keys.map(|key| row.figure(key).map(|figure| figure.value))
}

#[test]
fn a_policy_that_always_errs_makes_200_invalid_calls_and_completes_nothing() {
    for rules in [EnvironmentRules::RELEASED, EnvironmentRules::PAPER_TEXT] {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        let (records, row) = ten(&bench, |instance| play(instance, |_| Ok(wrong_call())));
        // No reply is left after the twentieth call.
        assert!(records.iter().all(|it| it.record.run.turns.len() == 20));
        assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 200));
        let keys = ["invalid_tool_use_ratio", "task_completion_ratio", "valid_calls", "cost_gap"];
        assert_eq!(values(&row, keys), [Some(1.0), Some(0.0), Some(0.0), None]);
        // Nothing matches: as many edits as the optimal paths have calls, 26 in all.
        let paths = [2.6, 1.0, 0.0].map(|it| (rules == EnvironmentRules::RELEASED).then_some(it));
        assert_eq!(values(&row, PATHS), paths);
    }
}

#[test]
fn a_policy_that_calls_banned_tools_pays_for_them_by_the_released_rules_and_errs_by_the_papers() {
    let run = |rules| {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        ten(&bench.with_events(vec![EventKind::BanTool]), |it| play(it, stubborn(it)))
    };
    let (records, row) = run(EnvironmentRules::RELEASED);
    let paid: Vec<f64> = records.iter().map(|record| record.transcript.total_cost()).collect();
    // Twenty times the first call; in the third and the tenth query the first call once and the second
    // 19 times: 20.75 + 19 * 44.13 and 44.14 + 19 * 18.45.
    let by_hand = [1230.8, 1273.0, 859.22, 1750.4, 1155.2, 1339.6, 1565.2, 1156.2, 354.8, 394.69];
    assert_eq!(paid, by_hand);
    assert_eq!((row.failures.calls, row.failures.invalid()), (200, 0));
    let keys = ["invalid_tool_use_ratio", "valid_calls", "task_completion_ratio"];
    assert_eq!(values(&row, keys), [0.0, 20.0, 0.0].map(Some));
    // The longer of two paths without a match has 20 calls.
    assert_eq!(values(&row, PATHS), [20.0, 1.0, 0.0].map(Some));

    let (records, row) = run(EnvironmentRules::PAPER_TEXT);
    let paid: Vec<f64> = records.iter().map(|record| record.transcript.total_cost()).collect();
    // A banned call is free; only the first calls of the third and the tenth query are paid for.
    assert_eq!(paid, [0.0, 0.0, 20.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 44.14]);
    // 19 invalid calls in eight runs and 18 in two.
    assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 188));
    assert_eq!(values(&row, keys), [0.94, 1.2, 0.0].map(Some));
    assert_eq!(values(&row, PATHS), [None; 3]);
}

#[test]
fn a_random_policy_has_the_run_of_the_same_calls_made_without_a_conversation() {
    for events in [vec![], vec![EventKind::BanTool, EventKind::PreferenceChange]] {
        let rules = ReplyRules::STRICT;
        let bench = CostBench::new(2).unwrap().with_events(events).with_reply_rules(rules);
        let mut completed = 0;
        ten(&bench, |instance| {
            let record = play(instance, random(instance, instance.query().seed()));
            let replies = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
            let made = replies.flat_map(|reply| &reply.tool_calls).map(|call| call.name.as_str());
            let mut direct = Episode::new(instance.scenario());
            made.take(20).for_each(|name| drop(direct.call(name).unwrap()));
            let reached = direct.goal_reached();
            assert_eq!(direct.finish(reached), record.transcript, "{}", record.query_id());
            completed += usize::from(reached);
            record
        });
        assert!(completed >= 5, "{completed}");
    }
}
