//! TRIAGE as a conversation: policies with known efficiency, real attempts with a limit, and every kind of
//! plan that a model may write.
#![allow(clippy::unwrap_used)]

use agent_benchmarks::{
    Conversation, Level, Model, ModelError, Reply, ReplyEvent, Request, Usage, Weight, converse,
    model_from_fn,
    questions::{Checker, Question, read_questions},
    triage::{
        Alpha, Efficiency, Framing, Plan, Pool, Regime, Triage, TriagePool, TriageRecord,
        TriageTable, baseline_pool,
    },
};
use knapsack_oracle::{Item, OraclePlanner, RandomOrder};
use run_logs::{Format, ReadOptions, Role, read};
use std::io::Cursor;

/// Questions of which a model solves some, at costs that differ.
fn questions(pool: u64) -> Vec<Question> {
    (0..30)
        .map(|i| Question {
            id: format!("p{pool}-{i:02}"),
            text: format!("What is {pool} + {i}?"),
            checker: Checker::Numeric { answer: (pool + i) as f64, tolerance: 0.0 },
            value: 1.0,
        })
        .collect()
}

fn items(pool: u64) -> Pool {
    let items = questions(pool).into_iter().zip(0_u64..).map(|(question, i)| {
        let mixed = (pool * 31 + i) * 2_654_435_761 % 1_000;
        Item::new(question.id, 1.0, 50 + mixed, mixed % 7 < 4).unwrap()
    });
    Pool::new(items.collect()).unwrap()
}

fn pools(triage: &Triage, n: u64) -> Vec<TriagePool> {
    (0..n).map(|i| triage.pool(format!("pool-{i}"), &questions(i), items(i)).unwrap()).collect()
}

fn written(plan: &Plan, pool: &TriagePool) -> String {
    let steps = plan.steps().iter().map(|step| {
        let id = pool.items().items()[step.position].id();
        format!(r#"{{"id": "{id}", "allocation": {}}}"#, step.allocation)
    });
    format!(r#"{{"plan": [{}]}}"#, steps.collect::<Vec<_>>().join(", "))
}

fn text(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

fn planned(pool: &TriagePool, plan: &str) -> TriageRecord {
    converse(pool.conversation(), model_from_fn(|_| Ok(text(plan))))
}

fn alpha(share: f64) -> Triage {
    Triage::new(Alpha::new(share).unwrap())
}

#[test]
fn the_oracle_s_plan_has_efficiency_1_and_no_regret_in_both_regimes() {
    let mut table = TriageTable::default();
    for share in [0.25, 0.5, 0.75] {
        for pool in pools(&alpha(share), 20) {
            let plan = Plan::informed(&OraclePlanner, pool.items(), pool.budget()).unwrap();
            let record = planned(&pool, &written(&plan, &pool));
            assert_eq!(record.record.events, vec![]);
            table.update("oracle", &record);
        }
    }
    let rows = table.finish(Level::new(0.95).unwrap(), 50, 1).unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!((row.pools, row.without_plan, row.above_oracle), (20, 0, 0));
        for figure in [row.efficiency_advisory, row.efficiency_enforced] {
            let interval = figure.unwrap().interval.unwrap();
            assert_eq!((figure.unwrap().value, interval.low(), interval.high()), (1.0, 1.0, 1.0));
        }
        assert_eq!(row.regret_advisory.unwrap().value, 0.0);
    }
}

#[test]
fn random_orders_have_efficiency_0_within_three_standard_errors() {
    let mut scores = Vec::new();
    for (stream, pool) in pools(&alpha(0.5), 400).iter().enumerate() {
        let random = RandomOrder::new(7, stream as u64);
        let plan = Plan::prospective(&random, pool.items(), pool.budget()).unwrap();
        let record = planned(pool, &written(&plan, pool));
        if let Some(Efficiency::Informative(score)) = record.efficiency(Regime::Advisory).unwrap() {
            scores.push(score);
        }
    }
    let n = scores.len() as f64;
    assert!(n > 390.0, "{n}");
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let standard_error = (variance / n).sqrt();
    assert!(mean.abs() <= 3.0 * standard_error, "{mean} +- {standard_error}");
    assert!(standard_error < 0.05, "{standard_error}");
}

/// A model that knows the sums, with so many tokens for each reply.
#[derive(Clone)]
struct Solver {
    plan: String,
    tokens: u64,
    limits: Vec<u64>,
}

impl Model for Solver {
    fn reply(&mut self, request: &Request) -> Result<Reply, ModelError> {
        if request.response_schema.is_some() {
            return Ok(text(self.plan.clone()));
        }
        self.limits.extend(request.sampling.max_output_tokens);
        let question = &request.messages.last().unwrap().text;
        let numbers: Vec<u64> = question
            .split(|character: char| !character.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        let usage = Usage { output_tokens: Some(self.tokens), ..Usage::default() };
        let answer = format!("<answer>{}</answer>", numbers.iter().sum::<u64>());
        Ok(Reply { usage: Some(usage), ..text(answer) })
    }
}

#[test]
fn real_attempts_are_asked_alone_with_their_allocation_as_the_limit() {
    let triage = alpha(0.5).with_real_attempts(true);
    let pool = &pools(&triage, 1)[0];
    let plan = r#"{"plan": [{"id": "p0-03", "allocation": 40}, {"id": "p0-01", "allocation": 0},
        {"id": "p0-02", "allocation": 39}]}"#;
    let mut solver = Solver { plan: plan.to_owned(), tokens: 40, limits: Vec::new() };
    let record = converse(pool.conversation(), &mut solver);
    assert_eq!(solver.limits, [40, 39]);
    let enforced = record.enforced.as_ref().unwrap();
    let earned: Vec<f64> = enforced.attempts.iter().map(|attempt| attempt.earned).collect();
    // 40 tokens fit in 40 and not in 39; nothing is solved with an allocation of 0.
    assert_eq!((earned, enforced.spent), (vec![1.0, 0.0, 0.0], 79));
    let too_long = &record.record.events[0];
    assert!(
        matches!(&too_long.event, ReplyEvent::Unreadable { problem } if problem.contains("39 tokens"))
    );
    assert_eq!((too_long.turn, record.record.run.turns.len()), (2, 3));
    assert!(record.really_attempted);
}

#[test]
fn a_request_of_an_attempt_shows_one_problem_and_neither_the_plan_nor_costs() {
    let triage = alpha(0.5).with_real_attempts(true);
    let pool = &pools(&triage, 1)[0];
    let mut conversation = pool.conversation();
    let planning = conversation.request().unwrap().clone();
    let shown = &planning.messages[1].text;
    assert!(shown.contains("[id: p0-29] (points: 1)\nWhat is 0 + 29?"), "{shown}");
    for item in pool.items().items() {
        assert!(!shown.contains(&format!("{} tokens", item.cost())));
    }
    conversation.reply(text(r#"{"plan": [{"id": "p0-05", "allocation": 33}]}"#)).unwrap();
    let attempt = conversation.request().unwrap();
    assert_eq!((attempt.messages.len(), &attempt.response_schema), (2, &None));
    assert_eq!(attempt.messages[1].text, "What is 0 + 5?");
    assert_eq!(attempt.messages[0].role, Role::System);
    assert!(attempt.messages[0].text.contains("33 tokens"));
}

#[test]
fn plans_of_every_kind_are_read_and_what_is_wrong_becomes_an_event() {
    let pool = &pools(&alpha(0.5), 1)[0];
    let budget = pool.budget();
    let over = format!(
        r#"{{"plan": [{{"id": "p0-00", "allocation": {budget}}}, {{"id": "p0-01", "allocation": 1}}]}}"#
    );
    let cases = [
        ("", None, "there is no plan"),
        ("I would start with the easy ones.", None, "there is no plan"),
        (
            r#"{"plan": [{"id": "p0-00", "allocation": 9}, {"id": "p0-00", "allocation": 9}]}"#,
            None,
            "twice",
        ),
        (&over, Some(2), "the budget is"),
        (r#"Here: {"plan": [{"id": "p0-07", "allocation": 60,},]}"#, Some(1), ""),
        (r#"{"plan": []}"#, Some(0), ""),
    ];
    for (written, steps, problem) in cases {
        let record = planned(pool, written);
        let plan = record.reading.as_ref().unwrap().plan();
        assert_eq!(plan.map(|plan| plan.steps().len()), steps, "{written}");
        assert_eq!(record.advisory.is_some(), steps.is_some(), "{written}");
        let noted = record.record.events.iter().any(
            |it| matches!(&it.event, ReplyEvent::Unreadable { problem: found } if found.contains(problem)),
        );
        assert_eq!(noted, !problem.is_empty(), "{written}: {:?}", record.record.events);
    }
    let failed = converse(
        pool.conversation(),
        model_from_fn(|_| Err(ModelError::new("the server is down"))),
    );
    assert_eq!(
        (failed.reading.as_ref(), failed.efficiency(Regime::Advisory).unwrap()),
        (None, None)
    );
    let mut table = TriageTable::default();
    table.update("m", &failed);
    table.update("m", &planned(pool, "no plan"));
    let row = &table.finish(Level::new(0.9).unwrap(), 10, 1).unwrap()[0];
    assert_eq!((row.pools, row.without_plan, row.without_reply), (0, 1, 1));
    assert_eq!(row.efficiency_advisory, None);
}

#[test]
fn a_record_is_written_as_a_trajectory_read_back_and_replayed() {
    let triage = alpha(0.5).with_real_attempts(true).with_framing(Framing::Exam);
    let pool = &pools(&triage, 1)[0];
    let plan =
        r#"{"plan": [{"id": "p0-03", "allocation": 40}, {"id": "p0-02", "allocation": 41}]}"#;
    let solver = Solver { plan: plan.to_owned(), tokens: 41, limits: Vec::new() };
    let record = converse(pool.conversation(), solver);
    let log = record.record.to_atif();
    let run = read(Cursor::new(log), Format::Atif, &ReadOptions::default()).unwrap().next();
    let run = run.unwrap().unwrap();
    assert_eq!(pool.replay(&run).unwrap(), record);
    let other = &pools(&triage, 2)[1];
    assert!(other.replay(&run).unwrap_err().to_string().contains("pool-1"));
}

#[test]
fn the_framings_differ_in_their_opening_alone() {
    let rules = |framing| {
        let pool = &pools(&alpha(0.25).with_framing(framing), 1)[0];
        let request = pool.conversation().request().unwrap().clone();
        let (opening, rules) = request.messages[0]
            .text
            .split_once("\n\nRules:")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        assert!(opening.contains(&format!("{} output tokens", pool.budget())));
        (opening, rules, request.messages[1].clone())
    };
    let all = Framing::ALL.map(rules);
    assert!(all.iter().all(|it| (&it.1, &it.2) == (&all[0].1, &all[0].2)));
    assert!(all[0].0 != all[1].0 && all[1].0 != all[2].0);
}

#[test]
fn the_table_does_not_depend_on_order_and_weight_2_is_a_pool_twice() {
    let pools = pools(&alpha(0.5), 12);
    let records: Vec<TriageRecord> = pools
        .iter()
        .enumerate()
        .map(|(stream, pool)| {
            let random = RandomOrder::new(1, stream as u64);
            let plan = Plan::prospective(&random, pool.items(), pool.budget()).unwrap();
            planned(pool, &written(&plan, pool))
        })
        .collect();
    let table = |records: &[&TriageRecord]| {
        let mut table = TriageTable::default();
        records.iter().for_each(|record| table.update("m", record));
        table
    };
    let level = Level::new(0.9).unwrap();
    let in_order: Vec<&TriageRecord> = records.iter().collect();
    let reversed: Vec<&TriageRecord> = records.iter().rev().collect();
    let finish = |table: &TriageTable| table.finish(level, 0, 3).unwrap();
    assert_eq!(finish(&table(&in_order)), finish(&table(&reversed)));
    let mut merged = table(&in_order[..5]);
    merged.merge(&table(&in_order[5..]));
    assert_eq!(
        merged.finish(level, 100, 3).unwrap(),
        table(&in_order).finish(level, 100, 3).unwrap()
    );

    let mut weighted = table(&in_order);
    weighted.update_weighted("m", &records[0], Weight::new(1.0).unwrap());
    let mut twice = table(&in_order[1..]);
    twice.update_weighted("m", &records[0], Weight::new(2.0).unwrap());
    assert_eq!(
        finish(&weighted)[0].efficiency_advisory.unwrap().value,
        finish(&twice)[0].efficiency_advisory.unwrap().value
    );
}

#[test]
fn a_pool_is_made_of_baseline_replies_and_needs_their_tokens() {
    let questions = questions(3);
    let triage = alpha(0.5);
    let solver = Solver { plan: String::new(), tokens: 12, limits: Vec::new() };
    let solved: Vec<_> =
        questions.iter().map(|it| converse(triage.baseline(it), solver.clone())).collect();
    let pool = baseline_pool(&questions, &solved).unwrap();
    assert!(pool.items().iter().all(|item| item.is_solved() && item.cost() == 12));
    let silent = converse(triage.baseline(&questions[0]), model_from_fn(|_| Ok(text("It is 3."))));
    assert!(!silent.is_right && silent.record.events.len() == 1);
    let error = baseline_pool(&questions[..1], &[silent]).unwrap_err();
    assert!(error.to_string().contains("lacks the number of output tokens"), "{error}");
    let error = baseline_pool(&questions, &solved[1..]).unwrap_err();
    assert!(error.to_string().contains("29 records for 30 questions"), "{error}");
    let error = triage.pool("p", &questions[1..], pool).unwrap_err();
    assert!(error.to_string().contains("in their order"), "{error}");
}

#[test]
fn a_wrong_line_of_questions_is_named_with_its_field() {
    let good = r#"{"id": "a", "question": "1 + 1?", "kind": "numeric", "answer": 2}"#;
    let cases = [
        (r#"{"id": "b", "question": "?", "kind": "numeric", "answer": "two"}"#, "field answer: "),
        (r#"{"id": "b", "question": "?", "kind": "essay", "answer": "x"}"#, "field kind: "),
        (r#"{"id": "b", "question": "?", "kind": "exact", "answer": []}"#, "field answer: "),
        (r#"{"id": "b", "question": "?", "kind": "yes_no", "answer": "yes"}"#, "true or false"),
        (r#"{"id": "b", "question": "?", "kind": "choice", "answer": "A"}"#, "field choices: "),
        (
            r#"{"id": "b", "question": "?", "kind": "choice", "choices": ["x", "y"], "answer": "C"}"#,
            "the letter or the text",
        ),
        (
            r#"{"id": "b", "question": "?", "kind": "numeric", "answer": 1, "tolerance": -1}"#,
            "tolerance",
        ),
        (
            r#"{"id": "b", "question": "?", "kind": "numeric", "answer": 1, "value": 0}"#,
            "field value: ",
        ),
        (r#"{"id": "", "question": "?", "kind": "numeric", "answer": 1}"#, "must not be empty"),
        (r#"{"id": "a", "question": "?", "kind": "numeric", "answer": 1}"#, "that of line 1"),
        (r#"{"id": "b", "question": "?"}"#, "missing field"),
        (r#"{"id": "b""#, "EOF"),
        (r#"{"id": "b", "question": "?", "kind": "numeric", "answer": 1} {}"#, "goes on"),
    ];
    for (line, part) in cases {
        let error = read_questions(format!("{good}\n\n{line}\n").as_bytes()).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("line 3: ") && text.contains(part), "{line}: {text}");
    }
}
