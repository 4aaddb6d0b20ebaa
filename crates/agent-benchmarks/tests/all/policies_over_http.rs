//! Policies behind a server that speaks OpenAI's protocol have the runs and figures that they have without one.

use agent_benchmarks::{
    Request, converse,
    costbench::{
        CostBench, CostBenchFigures, EnvironmentRules, EventKind, Instance, Split, queries,
    },
};

use crate::{
    policies::{PLAIN, Said, greedy, optimal, random, stubborn, value, wrong_call},
    server::{client, policy, quick, serve},
};

/// The figures of a policy on the first ten test queries, each run of which must be that without a server.
fn ten<M: FnMut(&Request) -> Said>(
    bench: &CostBench,
    start: impl Fn(&Instance) -> M + Clone + Send + Sync + 'static,
) -> CostBenchFigures {
    let instances: Vec<_> =
        queries(Split::Test, 42)[..10].iter().map(|query| bench.instance(query)).collect();
    let client = client(&serve(policy(&instances, start.clone())), quick());
    let compared = instances.iter().map(|instance| {
        let record = converse(instance.conversation(), |it| client.reply(it)).unwrap();
        let direct = converse(instance.conversation(), start(instance)).unwrap();
        assert_eq!(record.transcript, direct.transcript, "{}", record.query_id());
        assert_eq!(record.record.events, direct.record.events, "{}", record.query_id());
        record
    });
    CostBenchFigures::of(&compared.collect::<Vec<_>>(), PLAIN).unwrap().remove(0)
}

/// The figures are worked out in `costbench_by_hand.rs`.
#[test]
fn servers_that_err_call_banned_tools_and_call_at_random_have_the_figures_worked_out_by_hand() {
    let bench = CostBench::new(2).unwrap();
    let row = ten(&bench, |_| |_: &Request| Ok(wrong_call()));
    assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 200));
    assert_eq!(
        (value(row.figure("invalid_tool_use_ratio")), value(row.figure("edit_distance"))),
        (Some(1.0), Some(2.6))
    );

    let banned = |rules| {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        ten(&bench.with_events(vec![EventKind::BanTool]), stubborn)
    };
    let row = banned(EnvironmentRules::RELEASED);
    assert_eq!((row.failures.calls, row.failures.invalid()), (200, 0));
    assert_eq!(
        (value(row.figure("valid_calls")), value(row.figure("edit_distance"))),
        (Some(20.0), Some(20.0))
    );
    let row = banned(EnvironmentRules::PAPER_TEXT);
    assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 188));
    assert_eq!(
        (value(row.figure("valid_calls")), value(row.figure("invalid_tool_use_ratio"))),
        (Some(1.2), Some(0.94))
    );

    let events = vec![EventKind::BanTool, EventKind::PreferenceChange];
    let bench = CostBench::new(2).unwrap().with_events(events);
    let row = ten(&bench, |instance| random(instance, instance.query().seed()));
    assert!(value(row.figure("task_completion_ratio")).unwrap() > 0.2, "{row:?}");
    let row = ten(&CostBench::new(2).unwrap(), greedy);
    assert_eq!(value(row.figure("task_completion_ratio")), Some(1.0));
    let row = ten(&CostBench::new(2).unwrap(), optimal);
    assert_eq!(value(row.figure("exact_match_ratio")), Some(1.0));
}
