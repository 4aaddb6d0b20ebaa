//! Policies behind a server that speaks OpenAI's protocol have the figures that they have without one.
#![cfg(all(feature = "budget", feature = "client", feature = "costbench", feature = "triage"))]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod policies;
mod server;

use std::{collections::BTreeMap, fs, sync::Mutex};

use agent_benchmarks::{
    Attempted, Checker, Conversation, Figure, Level, Model, Question, Reply, Request, Seed,
    budget::{Budget, ResourceKind, Rollouts},
    client::{Journal, run_all},
    converse,
    costbench::{
        CostBench, CostBenchFigures, CostBenchTable, EnvironmentRules, EventKind, Instance, Split,
        queries,
    },
    model_from_fn,
    triage::{Alpha, Regime, Triage},
};
use budget_estimation::{Metrics, MetricsSummary};
use policies::{Greedy, Path, Random, Stubborn, saying, wrong_call};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use server::{
    Served, client, first_message, fresh, instances, named, policy, quick, request, response, serve,
};

/// The figures of a policy over all test queries, through the server and the runner.
fn figures<M: Model>(
    level: usize,
    start: impl Fn(&Instance) -> M + Send + Sync + 'static,
) -> CostBenchFigures {
    let instances = instances(level, 1);
    let client = client(&serve(policy(&instances, start)), quick());
    let path = fresh(&format!("figures-{level}-{:p}", &client));
    let journal = Journal::open(&path, "figures").unwrap();
    let ask = |request: &Request| client.ask(request);
    let named = named(instances);
    let records = run_all(&journal, &named, |it| it.conversation(), ask, 4, |_, _| {}).unwrap();
    fs::remove_file(path).unwrap();
    let mut table = CostBenchTable::default();
    records.iter().for_each(|record| table.update("policy", record).unwrap());
    table.finish(Level::new(0.95).unwrap(), 0, Seed::new(1)).unwrap().remove(0)
}

fn printed(figure: Option<agent_benchmarks::Figure>, factor: f64, digits: usize) -> String {
    format!("{:.digits$}", figure.unwrap().value * factor)
}

#[test]
fn a_greedy_server_over_381_queries_has_the_rows_of_the_paper() {
    for (level, [gap, edits, share, exact]) in
        [(2, ["0.269", "2.202", "74.74", "10.76"]), (5, ["0.524", "3.194", "84.82", "3.41"])]
    {
        let row = figures(level, Greedy::new);
        assert_eq!((row.runs, row.without_reply), (381, 0));
        assert_eq!(printed(row.figure("cost_gap"), 1.0, 3), gap);
        assert_eq!(printed(row.figure("edit_distance"), 1.0, 3), edits);
        assert_eq!(printed(row.figure("normalized_edit_distance"), 100.0, 2), share);
        assert_eq!(printed(row.figure("exact_match_ratio"), 100.0, 2), exact);
    }
}

#[test]
fn an_optimal_server_is_perfect() {
    let row = figures(2, Path::optimal);
    let perfect = [
        row.figure("cost_gap"),
        row.figure("edit_distance"),
        row.figure("normalized_edit_distance"),
        row.figure("exact_match_ratio"),
    ];
    assert_eq!(perfect.map(|figure| figure.unwrap().value), [0.0, 0.0, 0.0, 1.0]);
}

/// The figures of a policy on the first ten test queries, each run of which must be that without a server.
fn ten<M: Model>(
    bench: &CostBench,
    start: impl Fn(&Instance) -> M + Clone + Send + Sync + 'static,
) -> CostBenchFigures {
    let instances: Vec<_> =
        queries(Split::Test, 42)[..10].iter().map(|query| bench.instance(query)).collect();
    let client = client(&serve(policy(&instances, start.clone())), quick());
    let mut table = CostBenchTable::default();
    for instance in &instances {
        let record = converse(instance.conversation(), client.clone()).unwrap();
        let direct = converse(instance.conversation(), start(instance)).unwrap();
        assert_eq!(record.transcript, direct.transcript, "{}", record.query_id());
        assert_eq!(record.record.events, direct.record.events, "{}", record.query_id());
        table.update("policy", &record).unwrap();
    }
    table.finish(Level::new(0.95).unwrap(), 0, Seed::new(1)).unwrap().remove(0)
}

fn value(figure: Option<Figure>) -> Option<f64> {
    figure.map(|figure| figure.value)
}

/// The figures are worked out in `costbench_by_hand.rs`.
#[test]
fn servers_that_err_call_banned_tools_and_call_at_random_have_the_figures_worked_out_by_hand() {
    let bench = CostBench::new(2).unwrap();
    let row = ten(&bench, |_| model_from_fn(|_: &Request| Ok(wrong_call())));
    assert_eq!((row.failures.calls, row.failures.wrong_parameters), (200, 200));
    assert_eq!(
        (value(row.figure("invalid_tool_use_ratio")), value(row.figure("edit_distance"))),
        (Some(1.0), Some(2.6))
    );

    let banned = |rules| {
        let bench = CostBench::new(2).unwrap().with_rules(rules);
        ten(&bench.with_events(vec![EventKind::BanTool]), Stubborn::new)
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
    let row = ten(&bench, |instance| Random::new(instance, instance.query().seed()));
    assert!(value(row.figure("task_completion_ratio")).unwrap() > 0.2, "{row:?}");
}

/// The answer to the question with this id is its number.
fn questions(pool: u64, count: u32) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(pool);
    let one = |number: u32| {
        let checker = Checker::Numeric { answer: f64::from(number), tolerance: 0.0 };
        let solved = rng.random_range(0..10) < 6;
        let attempt = Attempted { output_tokens: rng.random_range(50..400), solved };
        let text = format!("In pool {pool}, what is {number} + 0?");
        Question::new(format!("q{number}"), text, checker).with_recorded(attempt)
    };
    (0..count).map(one).collect()
}

fn plan(steps: &[(usize, u64)]) -> Reply {
    let entry =
        |(place, tokens): &(usize, u64)| format!(r#"{{"id":"q{place}","allocation":{tokens}}}"#);
    saying(format!(r#"{{"plan":[{}]}}"#, steps.iter().map(entry).collect::<Vec<_>>().join(",")))
}

#[test]
fn a_server_that_plans_as_the_oracle_has_efficiency_1_in_both_regimes() {
    let mut plans = BTreeMap::new();
    let mut pools = Vec::new();
    for (pool, alpha) in (0..10).flat_map(|pool| Alpha::SWEEP.map(|alpha| (pool, alpha))) {
        let instance = Triage::new(alpha).instance("pool", &questions(pool, 8)).unwrap();
        let items = instance.pool().items();
        let chosen = instance.pool().oracle(instance.budget()).unwrap().chosen;
        let steps: Vec<_> = chosen.iter().map(|&place| (place, items[place].cost())).collect();
        plans.insert(first_message(instance.conversation().request().unwrap()), plan(&steps));
        pools.push(instance);
    }
    let url = serve(move |body, _| Served::Json(response(&plans[&first_message(&request(&body))])));
    let client = client(&url, quick());
    for instance in &pools {
        let record = converse(instance.conversation(), client.clone()).unwrap();
        for regime in [Regime::Advisory, Regime::Enforced] {
            assert_eq!(record.efficiency(regime).unwrap().score(), 1.0, "{regime:?}");
        }
    }
}

#[test]
fn a_server_that_plans_in_random_order_has_efficiency_0_within_three_standard_errors() {
    let rng = Mutex::new(ChaCha8Rng::seed_from_u64(5));
    let url = serve(move |_, _| {
        let mut steps: Vec<(usize, u64)> = (0..6).map(|place| (place, 1)).collect();
        steps.shuffle(&mut *rng.lock().unwrap());
        Served::Json(response(&plan(&steps)))
    });
    let (client, setting) = (client(&url, quick()), Triage::new(Alpha::new(0.5).unwrap()));
    let scores: Vec<_> = (0..600)
        .map(|pool| {
            let instance = setting.instance(format!("pool {pool}"), &questions(pool, 6)).unwrap();
            let record = converse(instance.conversation(), client.clone()).unwrap();
            record.efficiency(Regime::Advisory).unwrap()
        })
        .collect();
    let mean = knapsack_oracle::MeanEfficiency::new(&scores).unwrap();
    let score = mean.informative_score.unwrap();
    assert!(score.abs() < 3.0 * mean.standard_error.unwrap(), "{mean:?}");
}

/// Twenty runs of two turns, half of them successful within the cap, each with its number in its text.
fn rollouts() -> Rollouts {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    for run in 0..20 {
        rollouts.push(&[50.0, f64::from(100 + run)], run % 2 == 0).unwrap();
        let run = run as usize;
        rollouts.set_content(run, 0, format!("Puzzle <{run}>")).unwrap();
    }
    rollouts
}

/// The measures of a server that answers with this text for the run of a number.
fn budget(answer: impl Fn(usize) -> String + Send + Sync + 'static) -> MetricsSummary {
    let url = serve(move |body, _| {
        let text = request(&body).messages[0].text.clone();
        let run = text.split_once('<').unwrap().1.split_once('>').unwrap().0.parse().unwrap();
        Served::Json(response(&saying(format!("<answer>{}</answer>", answer(run)))))
    });
    let client = client(&url, quick());
    let (rollouts, mut metrics) = (rollouts(), Metrics::new());
    let setting = Budget::new([("tokens", ResourceKind::Tokens)]).unwrap();
    for run in 0..rollouts.len() {
        let instance = setting.instance(&rollouts, run).unwrap();
        let record = converse(instance.conversation(), client.clone()).unwrap();
        assert_eq!(record.samples(0).len(), instance.requests());
        record.samples(0).iter().try_for_each(|sample| metrics.update(sample)).unwrap();
    }
    metrics.finish().unwrap()
}

#[test]
fn a_server_that_knows_the_truth_hits_always_and_one_that_sees_no_chance_has_the_papers_row() {
    let found = budget(|run| match run % 2 {
        0 => format!("[{0}, {0}]", 100 + run),
        _ => "impossible".to_owned(),
    });
    let (intervals, feasibility) = (found.intervals.unwrap(), found.feasibility);
    assert_eq!((intervals.hit_rate, intervals.interval_reward), (1.0, 1.0));
    assert_eq!((feasibility.macro_f1, feasibility.impossible.f1), (Some(1.0), Some(1.0)));
    // BAGEN, table 5: accuracy 0.500, recall of possible 0, of impossible 1.
    let MetricsSummary { feasibility, intervals, .. } = budget(|_| "impossible".to_owned());
    let recalls = (feasibility.feasible.recall, feasibility.impossible.recall);
    assert_eq!((feasibility.accuracy, recalls), (0.5, (Some(0.0), Some(1.0))));
    assert_eq!(intervals.map(|it| (it.hit_rate, it.interval_reward)), Some((0.0, 0.0)));
}
