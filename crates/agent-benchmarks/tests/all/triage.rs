//! Plans of policies in conversations of TRIAGE earn what the oracle, a random order and the limits say.

use std::cell::RefCell;

use agent_benchmarks::{
    Attempted, Checker, Conversation, Intervals, Level, Question, Reply, ReplyEvent, Request,
    Sampling, Seed, StopReason, Usage, converse,
    triage::{
        Alpha, Attempts, Framing, Instance, Prompts, Regime, SolveConversation, Triage,
        TriageFigures,
    },
};
use knapsack_oracle::{BudgetAware, ReSolve};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::NoInterval;

/// The answer to the question with this id is its number.
fn questions(pool: u64, count: u32) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(pool);
    let one = |number: u32| {
        let checker = Checker::Numeric { answer: f64::from(number), tolerance: 0.0 };
        let solved = rng.random_range(0..10) < 6;
        let attempt = Attempted { output_tokens: rng.random_range(50..400), solved };
        Question::new(format!("q{number}"), format!("What is {number} + 0?"), checker)
            .with_recorded(attempt)
    };
    (0..count).map(one).collect()
}

fn triage(alpha: f64) -> Triage {
    Triage::new(Alpha::new(alpha).unwrap()).with_zero_allocations(true)
}

fn how(level: f64) -> Intervals {
    Intervals { level: Level::new(level).unwrap(), resamples: 500, seed: Seed(1) }
}

fn says(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

fn plan(steps: &[(usize, u64)]) -> Reply {
    let entry =
        |(place, tokens): &(usize, u64)| format!(r#"{{"id":"q{place}","allocation":{tokens}}}"#);
    says(format!(r#"{{"plan":[{}]}}"#, steps.iter().map(entry).collect::<Vec<_>>().join(",")))
}

fn used(mut reply: Reply, tokens: u64) -> Reply {
    reply.usage = Some(Usage { output_tokens: Some(tokens), ..Usage::default() });
    reply
}

/// The plan of the oracle, each item with what it costs.
fn best_plan(instance: &Instance) -> Vec<(usize, u64)> {
    let pool = instance.pool();
    let chosen = pool.oracle(instance.budget()).unwrap().chosen;
    chosen.into_iter().map(|place| (place, pool.items()[place].cost())).collect()
}

/// The position of the question that a request asks to solve; `None` for the request of a plan.
fn asked(request: &Request) -> Option<usize> {
    if request.response_schema.is_some() {
        return None;
    }
    let text = &request.messages.last().unwrap().text;
    let (_, rest) = text.split_once("What is ").unwrap();
    Some(rest.split_once(' ').unwrap().0.parse().unwrap())
}

#[test]
fn the_oracles_plan_has_efficiency_1_in_both_regimes_under_each_budget_and_framing() {
    for (pool, alpha) in (0..20).flat_map(|pool| Alpha::SWEEP.map(|alpha| (pool, alpha))) {
        for framing in Framing::ALL {
            let setting = Triage::new(alpha).with_framing(framing);
            let instance = setting.instance("pool", &questions(pool, 8)).unwrap();
            let model = |_: &Request| Ok(plan(&best_plan(&instance)));
            let record = converse(instance.conversation(), model).unwrap();
            assert_eq!(record.record.run.outcome, None, "a plan has a score, not an outcome");
            for regime in [Regime::Advisory, Regime::Enforced] {
                assert_eq!(
                    record.efficiency(regime).unwrap().score(),
                    1.0,
                    "{pool} {alpha} {regime:?}"
                );
            }
        }
    }
}

#[test]
fn random_orders_have_efficiency_0_within_three_standard_errors() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut records, mut scores) = (Vec::new(), Vec::new());
    for pool in 0..600 {
        let instance = triage(0.5).instance(format!("pool {pool}"), &questions(pool, 6)).unwrap();
        let mut steps: Vec<(usize, u64)> = (0..6).map(|place| (place, 0)).collect();
        steps.shuffle(&mut rng);
        let record = converse(instance.conversation(), |_| Ok(plan(&steps))).unwrap();
        scores.push(record.efficiency(Regime::Advisory).unwrap());
        records.push(record);
    }
    let mean = knapsack_oracle::MeanEfficiency::new(&scores).unwrap();
    let score = mean.informative_score.unwrap();
    let informative: Vec<_> =
        scores.iter().filter(|it| it.informative().is_some()).copied().collect();
    let informative = knapsack_oracle::MeanEfficiency::new(&informative).unwrap();
    assert_eq!(informative.score, score);
    assert!(score.abs() < 3.0 * informative.standard_error.unwrap(), "{informative:?}");
    let rows = TriageFigures::of(&records, how(0.997)).unwrap();
    let figure = rows[0].figure("efficiency").unwrap();
    assert_eq!((rows[0].regime, rows[0].pools), (Regime::Advisory, 600));
    assert!((figure.value - mean.score).abs() < 1e-12, "the table has the mean over pools");
    let interval = figure.interval.unwrap();
    assert!(interval.low() < figure.value && figure.value < interval.high(), "{figure:?}");
    let informative = rows[0].figure("efficiency_informative").unwrap();
    assert!((informative.value - score).abs() < 1e-12, "the mean over informative pools");
    assert_eq!(rows[0].informative_pools, scores.iter().filter_map(|it| it.informative()).count());
}

#[test]
fn a_pool_in_which_nothing_was_solved_is_no_success_of_a_planner() {
    let unsolved = |question: Question| {
        question.with_recorded(Attempted { output_tokens: 100, solved: false })
    };
    let questions: Vec<_> = questions(1, 4).into_iter().map(unsolved).collect();
    let instance = triage(0.5).instance("pool", &questions).unwrap();
    let record = converse(instance.conversation(), |_| Ok(plan(&[(0, 100)]))).unwrap();
    let row = TriageFigures::of([&record], how(0.95)).unwrap().remove(0);
    assert_eq!((row.is_live, row.figure("efficiency").unwrap().value), (false, 1.0));
    assert_eq!(
        (row.pools, row.informative_pools, row.figure("efficiency_informative")),
        (1, 0, None)
    );
}

#[test]
fn a_live_solver_is_asked_under_its_own_allocations_and_earns_what_its_recorded_attempts_say() {
    for pool in 0..20 {
        let setting =
            triage(0.5).with_attempts(Attempts::Live { regime: Regime::Enforced, announced: true });
        let instance = setting.instance("pool", &questions(pool, 8)).unwrap();
        let best = best_plan(&instance);
        let limits = RefCell::new(Vec::new());
        let model = |request: &Request| {
            let Some(place) = asked(request) else { return Ok(plan(&best)) };
            let limit = request.sampling.max_output_tokens.unwrap();
            limits.borrow_mut().push((place, limit));
            let text = &request.messages[0].text;
            assert!(text.contains(&format!("{limit} output tokens")), "the limit is told: {text}");
            assert_eq!(request.messages.len(), 1, "a problem is solved without the plan in sight");
            let cost = instance.pool().items()[place].cost();
            let answer = if limit < cost { "out of".to_owned() } else { place.to_string() };
            Ok(used(says(format!("<answer>{answer}</answer>")), cost.min(limit)))
        };
        let record = converse(instance.conversation(), model).unwrap();
        assert_eq!(*limits.borrow(), best, "the plan's own allocations");
        assert_eq!(record.efficiency(Regime::Enforced).unwrap().score(), 1.0);
        assert!(record.execution(Regime::Advisory).is_none());
        let spent: u64 = best.iter().map(|(_, tokens)| tokens).sum();
        assert_eq!(record.execution(Regime::Enforced).unwrap().spent, spent);
        assert!(spent <= instance.budget());
    }
}

/// Four questions of 100 tokens each, all solved, with a budget of 200.
fn small(attempts: Attempts) -> Instance {
    let attempt = Attempted { output_tokens: 100, solved: true };
    let questions = questions(0, 4).into_iter().map(|question| question.with_recorded(attempt));
    let questions: Vec<_> = questions.collect();
    triage(0.5).with_attempts(attempts).instance("small", &questions).unwrap()
}

#[test]
fn a_right_answer_beyond_its_allocation_is_wrong_in_the_enforced_regime() {
    let instance = small(Attempts::Live { regime: Regime::Enforced, announced: true });
    let model = |request: &Request| {
        let Some(place) = asked(request) else {
            return Ok(plan(&[(0, 60), (1, 0), (2, 60), (3, 80)]));
        };
        let tokens = if place == 2 { 61 } else { 60 };
        Ok(used(says(format!("<answer>{place}</answer>")), tokens))
    };
    let record = converse(instance.conversation(), model).unwrap();
    let execution = record.execution(Regime::Enforced).unwrap();
    let earned: Vec<_> = execution.attempts.iter().map(|it| (it.position, it.earned)).collect();
    assert_eq!(earned, [(0, 1.0), (1, 0.0), (2, 0.0), (3, 1.0)]);
    assert_eq!((execution.spent, record.record.run.turns.len()), (200, 4), "nothing for 0 tokens");
    assert_eq!(record.attempts[2], Some(Attempted { output_tokens: 61, solved: false }));
    assert_eq!(record.attempts[1], None);
}

#[test]
fn the_advisory_regime_spends_what_replies_used_and_stops_when_the_budget_is_gone() {
    let instance = small(Attempts::Live { regime: Regime::Advisory, announced: false });
    let limits = RefCell::new(Vec::new());
    let play = |costs: [u64; 4]| {
        limits.borrow_mut().clear();
        let model = |request: &Request| {
            let Some(place) = asked(request) else {
                return Ok(plan(&[(0, 0), (1, 0), (2, 0), (3, 0)]));
            };
            limits.borrow_mut().push(request.sampling.max_output_tokens.unwrap());
            assert!(!request.messages[0].text.contains("Budget:"));
            Ok(used(says(format!("<answer>{place}</answer>")), costs[place]))
        };
        let record = converse(instance.conversation(), model).unwrap();
        let execution = record.execution(Regime::Advisory).unwrap();
        (execution.earned, execution.spent, execution.stopped_by, limits.borrow().clone())
    };
    assert_eq!(play([90, 110, 5, 5]), (2.0, 200, Some(2), vec![200, 110]));
    assert_eq!(play([150, 51, 5, 5]), (1.0, 150, Some(1), vec![200, 50]));
    assert_eq!(play([150, u64::MAX, 5, 5]), (1.0, 150, Some(1), vec![200, 50]));
    assert_eq!(play([250, 5, 5, 5]), (0.0, 0, Some(0), vec![200]));
    // Four right answers are more than the recorded attempts allow.
    assert_eq!(play([10, 10, 10, 10]), (4.0, 40, None, vec![200, 190, 180, 170]));
}

#[test]
fn live_attempts_that_beat_the_recorded_ones_stay_in_the_mean_as_the_oracle_and_are_counted() {
    let instance = small(Attempts::Live { regime: Regime::Advisory, announced: false });
    let records = [true, false].map(|is_fast| {
        let model = |request: &Request| {
            let Some(place) = asked(request) else { return Ok(plan(&[(0, 0), (1, 0), (2, 0)])) };
            let answer = if is_fast { place.to_string() } else { "none".to_owned() };
            Ok(used(says(format!("<answer>{answer}</answer>")), 10))
        };
        let record = converse(instance.conversation(), model).unwrap();
        assert_eq!(record.is_above_oracle(Regime::Advisory), is_fast);
        record
    });
    let rows = TriageFigures::of(&records, how(0.95)).unwrap();
    assert_eq!((rows.len(), rows[0].above_oracle, rows[0].pools), (1, 1, 2));
    // All orders earn what the oracle earns, so that the second, which earns nothing, counts 0.
    let efficiency = rows[0].figure("efficiency").unwrap();
    let few = NoInterval::too_few(1, how(0.95).level);
    assert_eq!((efficiency.value, efficiency.interval), (0.5, Err(few)));
}

#[test]
fn the_planned_set_is_what_has_an_allocation_above_0_unless_the_setting_attempts_the_rest() {
    let question = |id: &str, output_tokens, solved| {
        let checker = Checker::Numeric { answer: 0.0, tolerance: 0.0 };
        Question::new(id, "?", checker).with_recorded(Attempted { output_tokens, solved })
    };
    let pool = [question("q0", 500, false), question("q1", 300, true), question("q2", 200, true)];
    let score = |setting: Triage, text: &str| {
        let instance = setting.instance("pool", &pool).unwrap();
        let record = converse(instance.conversation(), |_| Ok(says(text))).unwrap();
        record.efficiency(Regime::Advisory).ok().map(|it| it.score())
    };
    let setting = || Triage::new(Alpha::new(0.5).unwrap());
    let skips = plan(&[(0, 0), (1, 300), (2, 200)]).text;
    assert_eq!(score(setting(), &skips), Some(1.0));
    assert_eq!(score(setting().with_zero_allocations(true), &skips), Some(-1.0));

    // Shares become 0, so that the plan stands only for who attempts items without an allocation.
    let shares = r#"[{"id":"q1","allocation":0.6},{"id":"q2","allocation":0.4}]"#;
    assert_eq!(score(setting(), shares), Some(-1.0));
    assert_eq!(score(setting().with_zero_allocations(true), shares), Some(1.0));
    assert_eq!(score(setting().with_strict_plans(true), shares), Some(-1.0));

    let twice = plan(&[(1, 300), (2, 200), (1, 9)]).text;
    assert_eq!(score(setting(), &twice), Some(1.0));
    assert_eq!(score(setting().with_strict_plans(true), &twice), None);
}

#[test]
fn attempts_without_tokens_and_refusals_are_left_out_and_cut_off_ones_are_marked() {
    let question = &questions(0, 1)[0];
    let solve = |reply: Reply| {
        let conversation = SolveConversation::new(question, Sampling::default());
        converse(conversation, |_| Ok(reply.clone())).unwrap()
    };
    let right = || says("<answer>0</answer>");
    assert_eq!(solve(used(right(), 0)).attempt, None);
    let refusal = Reply { refusal: Some("No.".to_owned()), ..used(right(), 20) };
    let filtered = Reply { stop: Some(StopReason::EnvironmentEnd), ..used(right(), 20) };
    for record in [solve(refusal), solve(filtered)] {
        assert_eq!((record.attempt, record.is_refused), (None, true));
    }
    let cut = solve(Reply { stop: Some(StopReason::MaxTokens), ..used(says("<answer>"), 20) });
    let attempt = Attempted { output_tokens: 20, solved: false };
    assert_eq!((cut.attempt, cut.is_cut_off), (Some(attempt), true));
}

#[test]
fn a_reply_without_a_token_count_ends_the_advisory_regime_without_an_execution() {
    let instance = small(Attempts::Live { regime: Regime::Advisory, announced: false });
    let model = |request: &Request| {
        let Some(place) = asked(request) else { return Ok(plan(&[(0, 0), (1, 0)])) };
        Ok(says(format!("<answer>{place}</answer>")))
    };
    let record = converse(instance.conversation(), model).unwrap();
    assert_eq!(record.record.run.stop, Some(StopReason::Other("no_usage".to_owned())));
    assert!(record.executions.is_empty());
    assert!(matches!(record.record.events[0].event, ReplyEvent::Unreadable { .. }));
}

#[test]
fn plans_that_cannot_be_read_are_counted_apart_from_models_that_do_not_reply() {
    let strict = triage(0.5).with_strict_plans(true);
    let instance = strict.instance("pool", small(Attempts::Recorded).questions()).unwrap();
    let twice = plan(&[(0, 10), (0, 20)]);
    let replies = [Ok(says("I give up.")), Ok(twice), Ok(plan(&[(0, 900)])), Err("cut")];
    let records = replies.map(|reply| {
        let model = |_: &Request| reply.clone().map_err(agent_benchmarks::ModelError::new);
        converse(instance.conversation(), model).unwrap()
    });
    for row in TriageFigures::of(&records, how(0.95)).unwrap() {
        let counts = (row.pools, row.unreadable, row.unfinished, row.over_budget);
        assert_eq!(counts, (1, 2, 1, 1), "{:?}", row.regime);
    }
}

#[test]
fn the_framings_differ_in_their_opening_alone_and_the_schema_names_the_problems() {
    let texts = Framing::ALL.map(|framing| {
        let setting = triage(0.25).with_framing(framing).with_subject("sums");
        let instance = setting.instance("pool", &questions(3, 5)).unwrap();
        let conversation = instance.conversation();
        let request = conversation.request().unwrap();
        let schema = run_logs::to_json(request.response_schema.as_ref().unwrap());
        assert!(schema.contains(r#""enum":["q0","q1","q2","q3","q4"]"#), "{schema}");
        let text = request.messages[0].text.clone();
        assert!(text.contains(&format!("Budget: {} output tokens", instance.budget())));
        assert!(text.contains("[id: q4] (points: 1)\nWhat is 4 + 0?"));
        text
    });
    let parts = texts.each_ref().map(|text| text.split_once("\n\nRules:").unwrap());
    assert!(parts.iter().all(|(opening, rest)| *rest == parts[0].1 && opening.contains("sums")));
    assert!(parts[0].0 != parts[1].0 && parts[1].0 != parts[2].0 && parts[0].0 != parts[2].0);
}

#[test]
fn an_announced_budget_is_told_and_not_enforced_and_the_counts_of_re_solving_follow() {
    let questions = questions(0, 4);
    let mut counts = BudgetAware::default();
    for (place, question) in questions.iter().enumerate() {
        let allocation = 100;
        let model = |request: &Request| {
            assert!(request.messages[0].text.starts_with("Budget: 100 output tokens"));
            assert_eq!(request.sampling.max_output_tokens, None);
            let answer = if place < 2 { place.to_string() } else { "no idea".to_owned() };
            Ok(used(says(format!("<answer>{answer}</answer>")), 60 + 30 * place as u64))
        };
        let sampling = Sampling::default();
        let conversation = SolveConversation::with_announced_budget(
            question,
            sampling,
            &Prompts::default(),
            allocation,
        );
        let attempt = converse(conversation, model).unwrap().attempt.unwrap();
        let solved_before = place % 2 == 0;
        let Attempted { output_tokens: cost, solved: solved_after } = attempt;
        counts.update(ReSolve { allocation, cost, solved_before, solved_after }).unwrap();
    }
    // Costs 60, 90, 120, 150; right before: 0 and 2, after: 0 and 1.
    assert_eq!(counts.compliance_rate(), Ok(0.5));
    let each = [counts.kept_correct, counts.newly_correct, counts.lost_correct, counts.still_wrong];
    assert_eq!(each, [1, 1, 1, 1]);
}
