//! Estimates of policies at the prefixes of finished runs are scored as the truth says.

use std::{cell::RefCell, collections::BTreeMap};

use agent_benchmarks::{
    Arguments, Conversation, Error, Message, ModelError, RecordedCall, Reply, ReplyEvent, Request,
    Role, Run, Usage, Value,
    budget::{
        Budget, BudgetRecord, Estimate, FactRules, Prompts, ResourceKind, Rollouts, Shown, Task,
        rollouts_of_runs,
    },
    converse,
};
use budget_estimation::{Metrics, MetricsSummary, Weight, estimator_from_fn};
use run_logs::Turn;

const CAP: f64 = 400.0;

/// Runs of 2 to 6 turns; every second one fails, and some that succeed exceed the cap.
fn rollouts(count: usize) -> Rollouts {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    rollouts.set_cap(tokens, CAP).unwrap();
    for run in 0..count {
        let turns = 2 + run % 5;
        let costs: Vec<f64> =
            (0..turns).map(|turn| (31 + 7 * run % 90 + 13 * turn) as f64).collect();
        rollouts.push(&costs, run % 2 == 0).unwrap();
        rollouts.set_id(run, format!("run {run}")).unwrap();
        rollouts.set_content(run, 0, format!("Puzzle <{run}>")).unwrap();
        for turn in 1..=turns {
            rollouts.set_content(run, turn, format!("move {run}/{turn}.")).unwrap();
        }
    }
    rollouts
}

fn tokens() -> Budget {
    Budget::new([("tokens", ResourceKind::Tokens)]).unwrap()
}

fn answer(text: &str) -> Result<Reply, ModelError> {
    Ok(format!("Let me see. <answer>{text}</answer>").into())
}

fn asked(request: &Request) -> &str {
    &request.messages.last().unwrap().text
}

fn whole(request: &Request) -> String {
    request.messages.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The run and the number of complete turns of a request.
fn place(request: &Request) -> (usize, usize) {
    let text = whole(request);
    let run = text.split_once('<').unwrap().1.split_once('>').unwrap().0;
    let complete = |words: &str| text.split_once(words)?.0.rsplit(' ').next();
    let turns = complete(" turn is complete").or_else(|| complete(" turns are complete")).unwrap();
    (run.parse().unwrap(), turns.parse().unwrap())
}

fn all(
    rollouts: &Rollouts,
    mut model: impl FnMut(&Request) -> Result<Reply, ModelError>,
) -> Vec<BudgetRecord> {
    let records = (0..rollouts.len()).map(|run| {
        let instance = tokens().instance(rollouts, run).unwrap();
        let record = converse(instance.conversation(), &mut model).unwrap();
        assert_eq!(record.samples(0).len(), instance.requests());
        record
    });
    records.collect()
}

/// The measures of the answers about the resource at this position.
fn measures(records: &[BudgetRecord], resource: usize) -> MetricsSummary {
    let mut metrics = Metrics::default();
    let mut samples = records.iter().flat_map(|record| record.samples(resource));
    samples.try_for_each(|sample| metrics.update(sample, Weight::ONE)).unwrap();
    metrics.finish().unwrap()
}

#[test]
fn a_policy_that_knows_the_truth_hits_each_feasible_prefix_and_calls_each_other_one_impossible() {
    let rollouts = rollouts(60);
    let resource = rollouts.resource("tokens").unwrap();
    let records = all(&rollouts, |request| {
        let (run, turns) = place(request);
        let rollout = rollouts.get(run).unwrap();
        if rollout.is_feasible().unwrap() {
            let rest = rollout.remaining(resource, turns).unwrap();
            answer(&format!("[{rest}, {rest}]"))
        } else {
            answer("impossible")
        }
    });
    let found = measures(&records, 0);
    let (intervals, feasibility) = (found.intervals.unwrap(), found.feasibility);
    assert_eq!((intervals.hit_rate, intervals.interval_reward), (1.0, 1.0));
    assert_eq!((feasibility.macro_f1, feasibility.impossible.f1), (Some(1.0), Some(1.0)));
    assert!(feasibility.feasible_as_feasible > 20.0);
}

#[test]
fn always_impossible_has_the_papers_degenerate_row_on_a_balanced_set() {
    // One prefix per run, half of them feasible.
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    (0..20).for_each(|run| {
        rollouts.push(&[50.0, f64::from(100 + run)], run % 2 == 0).unwrap();
    });
    let records = all(&rollouts, |_| answer("impossible"));
    let samples: Vec<_> = records.iter().flat_map(|record| record.samples(0)).collect();
    let rewards: f64 = samples
        .iter()
        .map(|it| it.estimate().rule_reward(it.is_feasible().then_some(it.remaining())).unwrap())
        .sum();
    // BAGEN, table 5: accuracy 0.500, recall of possible 0, of impossible 1, reward 0.100.
    assert_eq!(format!("{:.3}", rewards / samples.len() as f64), "0.100");
    let MetricsSummary { feasibility, intervals, .. } = measures(&records, 0);
    assert_eq!(feasibility.accuracy, 0.5);
    assert_eq!(
        (feasibility.feasible.recall, feasibility.impossible.recall),
        (Some(0.0), Some(1.0))
    );
    assert_eq!(intervals.map(|it| (it.hit_rate, it.interval_reward)), Some((0.0, 0.0)));
}

#[test]
fn a_request_shows_each_turn_so_far_and_nothing_of_a_later_one() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap().with_features(["cash"]).unwrap();
    // Every number and every text occurs once.
    for run in 0..3_u32 {
        let costs: Vec<f64> = (1..=5).map(|turn| f64::from(9000 + 100 * run + turn)).collect();
        let run = rollouts.push(&costs, run > 0).unwrap();
        rollouts.set_content(run, 0, format!("Puzzle <{run}>")).unwrap();
        for turn in 1..=5 {
            rollouts.set_content(run, turn, format!("text-{run}-{turn}.")).unwrap();
            rollouts.set_feature(run, turn, "cash", 70_000.0 + (100 * run + turn) as f64).unwrap();
        }
    }
    let setting = tokens().with_cash("cash", "target");
    let seen = RefCell::new(0);
    for run in 0..3 {
        let instance = setting.instance(&rollouts, run).unwrap();
        let model = |request: &Request| {
            let (found, turns) = place(request);
            assert_eq!(found, run);
            let whole = whole(request);
            for other in 0..3 {
                for turn in 1..=5 {
                    let is_past = other == run && turn <= turns;
                    let text = format!("text-{other}-{turn}.");
                    assert_eq!(whole.contains(&text), is_past, "{text} after {turns} turns");
                    let cost = format!("tokens {}", 9000 + 100 * other + turn);
                    assert_eq!(whole.contains(&cost), is_past, "{cost} after {turns} turns");
                    let cash = (70_000 + 100 * other + turn).to_string();
                    let is_now = other == run && turn == turns;
                    assert_eq!(whole.contains(&cash), is_now, "{cash} after {turns} turns");
                }
            }
            *seen.borrow_mut() += 1;
            // What was answered is not shown again.
            assert!(!whole.contains("3141"));
            answer("[3141, 3142]")
        };
        converse(instance.conversation(), model).unwrap();
    }
    assert_eq!(*seen.borrow(), 12);
}

#[test]
fn several_resources_are_asked_for_at_once_with_their_caps_the_balance_and_its_target() {
    let names = ["tokens", "cost_usd", "time_weeks", "item_weeks"];
    let mut rollouts = Rollouts::new(names)
        .unwrap()
        .with_features(["cash_usd"])
        .unwrap()
        .with_keys(["target"])
        .unwrap();
    rollouts
        .push(&[10.0, 5.0, 2.0, 70.0, 20.0, 6.0, 2.0, 80.0, 30.0, 7.5, 2.0, 90.0], true)
        .unwrap();
    rollouts.set_key(0, "target", "1500").unwrap();
    rollouts.set_feature(0, 1, "cash_usd", 900.0).unwrap();
    rollouts.set_feature(0, 2, "cash_usd", 1200.0).unwrap();
    for (name, cap) in names.iter().zip([100.0, 20.0, 8.0, 300.0]) {
        rollouts.set_cap(rollouts.resource(name).unwrap(), cap).unwrap();
    }
    let kinds =
        [ResourceKind::Tokens, ResourceKind::Money, ResourceKind::Time, ResourceKind::Space];
    let setting =
        Budget::new(names.into_iter().zip(kinds)).unwrap().with_cash("cash_usd", "target");
    let instance = setting.instance(&rollouts, 0).unwrap();
    let model = |request: &Request| {
        let text = asked(request);
        let is_first = text.contains("1 turn is complete");
        let lines: [&str; 5] = if is_first {
            [
                "- tokens, tokens that the model reads or writes: 10 spent, at most 100 allowed\n",
                "- cost_usd, money that is paid: 5 spent, at most 20 allowed\n",
                "- time_weeks, time that passes: 2 spent, at most 8 allowed\n",
                "- item_weeks, storage that is occupied, summed over time: 70 spent, at most 300 allowed\n",
                "- cash_usd: 900 now; the run must end with at least 1500\n",
            ]
        } else {
            ["30 spent", "11 spent", "4 spent", "150 spent", "cash_usd: 1200 now"]
        };
        lines.iter().for_each(|line| assert!(text.contains(line), "{line} in {text}"));
        let form = "tokens:[low, high], cost_usd:[low, high], time_weeks:[low, high], item_weeks:[low, high]";
        assert!(text.contains(form));
        answer(if is_first {
            "tokens:[40, 60], cost_usd:[13, 14], time_weeks:[4, 4], item_weeks:[160, 180]"
        } else {
            "tokens:[30, 40], cost_usd:[8, 9], time_weeks:[1, 3], item_weeks:[90, 95]"
        })
    };
    let record = converse(instance.conversation(), model).unwrap();
    let hits =
        |place: usize| record.samples(place).iter().map(|it| it.is_hit()).collect::<Vec<_>>();
    assert_eq!(
        [hits(0), hits(1), hits(2), hits(3)],
        [[true, true], [true, false], [true, true], [true, true]]
    );
    assert_eq!(record.joint_hits().unwrap(), [true, false]);
    let records = [record];
    let rates = [0, 1, 2, 3].map(|place| measures(&records, place).intervals.unwrap().hit_rate);
    assert_eq!(rates, [1.0, 0.5, 1.0, 1.0]);
}

/// As the released code does, which has no question about such a prefix.
#[test]
fn a_prefix_without_a_balance_is_not_asked_about_and_the_others_keep_their_turns() {
    let rollouts = Rollouts::new(["usd"]).unwrap().with_features(["cash"]).unwrap();
    let mut rollouts = rollouts.with_keys(["target"]).unwrap();
    rollouts.push(&[1.0, 2.0, 3.0, 4.0], true).unwrap();
    rollouts.set_feature(0, 1, "cash", 9.0).unwrap();
    rollouts.set_feature(0, 3, "cash", 7.0).unwrap();
    let setting = Budget::new([("usd", ResourceKind::Money)]).unwrap().with_cash("cash", "target");
    let instance = setting.instance(&rollouts, 0).unwrap();
    assert_eq!(instance.requests(), 2);
    let record = converse(instance.conversation(), |_| answer("[1, 9]")).unwrap();
    let turns: Vec<_> = record.samples(0).iter().map(|it| (it.turn(), it.remaining())).collect();
    assert_eq!((turns, record.left_out), (vec![(1, 9.0), (3, 4.0)], vec![2]));
}

#[test]
fn a_model_and_an_estimator_that_answer_alike_have_the_same_samples() {
    let rollouts = rollouts(40);
    let resource = rollouts.resource("tokens").unwrap();
    let records = all(&rollouts, |_| answer("[60, 180]"));
    let mut same = estimator_from_fn(|_| Estimate::interval(60.0, 180.0));
    let same = rollouts.score(resource, &mut same).unwrap();
    let asked: Vec<_> = records.iter().flat_map(|record| record.samples(0)).copied().collect();
    assert_eq!(asked, same);
}

#[test]
fn an_answer_that_cannot_be_read_is_an_event_and_no_answer() {
    let rollouts = rollouts(4);
    let records = all(&rollouts, |_| answer("about 200"));
    let events: usize = records.iter().map(|record| record.record.events.len()).sum();
    let samples: Vec<_> = records.iter().flat_map(|record| record.samples(0)).collect();
    assert_eq!(events, samples.len());
    assert!(matches!(records[0].record.events[0].event, ReplyEvent::Unreadable { .. }));
    assert!(samples.iter().all(|sample| sample.estimate() == Estimate::NoAnswer));
}

#[test]
fn a_model_that_stops_replying_leaves_the_samples_before_that() {
    let rollouts = rollouts(5);
    let instance = tokens().instance(&rollouts, 4).unwrap();
    let mut replies = 0;
    let model = |_: &Request| {
        replies += 1;
        if replies > 2 { Err(ModelError::new("gone")) } else { answer("[1, 2]") }
    };
    let record = converse(instance.conversation(), model).unwrap();
    assert_eq!((instance.requests(), record.samples(0).len()), (5, 2));
    assert!(record.record.run.error.is_some());
}

#[test]
fn a_run_of_one_turn_has_no_request() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    rollouts.push(&[5.0], true).unwrap();
    let instance = tokens().instance(&rollouts, 0).unwrap();
    let mut conversation = instance.conversation();
    assert_eq!(conversation.request(), None);
    assert_eq!(conversation.reply(Reply::default()), Err(Error::Ended));
    assert_eq!(conversation.finish().samples(0), []);
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let rollouts = rollouts(1);
    let kind = ResourceKind::Tokens;
    let none: [(&str, ResourceKind); 0] = [];
    assert!(matches!(
        Budget::new(none),
        Err(Error::ScoringRules(scoring_rules::Error::Undefined { .. }))
    ));
    assert!(matches!(
        Budget::new([("a", kind), ("a", kind)]),
        Err(Error::ScoringRules(scoring_rules::Error::Undefined { .. }))
    ));
    let other = Budget::new([("usd", kind)]).unwrap().instance(&rollouts, 0);
    assert!(matches!(other, Err(Error::BudgetEstimation(_))));
    assert!(matches!(tokens().instance(&rollouts, 1), Err(Error::BudgetEstimation(_))));
}

fn turn(request: Vec<Message>, text: &str, calls: Vec<RecordedCall>, output: u64) -> Turn {
    let mut turn = Turn::default();
    turn.request = request;
    let usage =
        Usage { output_tokens: Some(output), input_tokens: Some(10 * output), ..Usage::default() };
    turn.reply = Some(Reply {
        text: text.to_owned(),
        tool_calls: calls,
        usage: Some(usage),
        ..Reply::default()
    });
    turn
}

#[test]
fn a_cost_of_a_log_that_is_out_of_range_is_an_error_of_the_log() {
    let mut run = Run::new("r1");
    run.outcome = Some(true);
    run.turns = vec![turn(Vec::new(), "Done.", vec![], 1)];
    for cost in [-1.0, 1e101] {
        let reply = run.turns[0].reply.as_mut().unwrap();
        reply.usage.as_mut().unwrap().cost_usd = Some(cost);
        let found = rollouts_of_runs(&[run.clone()], &FactRules::default(), Shown::WhenActing);
        assert!(matches!(found, Err(Error::RunLogs { .. })), "{found:?}");
    }
}

#[test]
fn at_a_prefix_a_model_sees_what_the_agent_had_seen_when_it_acted_and_on_demand_the_results_too() {
    let arguments = Value::Map([("row".to_owned(), Value::Integer(3))].into());
    let call = RecordedCall::new("look", Arguments::Parsed(arguments));
    let mut run = Run::new("r1");
    run.outcome = Some(false);
    let start = vec![Message::new(Role::System, "Push boxes."), Message::new(Role::User, "Go.")];
    let mut later = start.clone();
    later.push(Message::new(Role::Assistant, "I look."));
    later.push(Message::new(Role::Tool, "a wall"));
    run.turns = vec![turn(start, "I look.", vec![call], 7), turn(later, "I push.", vec![], 9)];
    let mut open = Run::new("without an outcome");
    open.turns = vec![turn(Vec::new(), "?", vec![], 1)];

    let policy = FactRules::default();
    let runs = [open, run];
    let setting = Budget::new([("output_tokens", ResourceKind::Tokens)]).unwrap();
    for (shown, results) in [(Shown::WhenActing, ""), (Shown::AfterActing, "\ntool: a wall")] {
        let rollouts = rollouts_of_runs(&runs, &policy, shown).unwrap();
        assert_eq!(rollouts.len(), 1);
        let rollout = rollouts.get(0).unwrap();
        let acted = format!("I look.\ncall look: {{\"row\":3}}{results}");
        assert_eq!([0, 1].map(|turn| rollout.content(turn)), [Some("Push boxes."), Some(&*acted)]);
        assert_eq!((rollout.observation(1), rollout.content(2)), (Some("Go."), Some("I push.")));

        let instance = setting.instance(&rollouts, 0).unwrap();
        let model = |request: &Request| {
            let [system, seen, said, question] = &request.messages[..] else { panic!("one turn") };
            let roles = [system, seen, said, question].map(|message| message.role);
            assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
            assert_eq!([&*system.text, &*seen.text, &*said.text], ["Push boxes.", "Go.", &*acted]);
            let text = whole(request);
            assert_eq!(text.contains("a wall"), shown == Shown::AfterActing);
            assert!(!text.contains("I push."), "{text}");
            // The input of whole requests counts what is sent again, so only the new part is told.
            let usage = "Turn 1: output_tokens 7, fresh_input_tokens 70, total_tokens 77\nIts account:\n- output_tokens, tokens that the model writes: 7 spent, no limit\n\n";
            assert!(question.text.contains(usage), "{text}");
            assert!(!text.contains(" input_tokens"), "{text}");
            answer("impossible")
        };
        let record = converse(instance.conversation(), model).unwrap();
        assert!(record.samples(0)[0].predicts_impossible() && !record.samples(0)[0].is_feasible());
    }
}

#[test]
fn published_texts_reach_the_model_with_the_facts_in_their_places_and_nothing_else_changed() {
    // Nobody's texts, in the form of the published ones.
    let texts = |task: Task, question: &str| {
        let [system, user] = task.files();
        let texts = [(system, " As given {\"a\"}, \n".to_owned()), (user, question.to_owned())];
        BTreeMap::from(texts)
    };
    let mut rollouts = Rollouts::new(["input_tokens", "output_tokens", "total_tokens"]).unwrap();
    rollouts.push(&[300.0, 60.0, 360.0, 20.0, 68.0, 88.0, 5.0, 5.0, 10.0], true).unwrap();
    let total = rollouts.resource("total_tokens").unwrap();
    rollouts.set_cap(total, 2500.0).unwrap();
    for (turn, seen) in [(1, "grid 1"), (2, "grid 2"), (3, "grid 3")] {
        rollouts.set_observation(0, turn, seen).unwrap();
        rollouts.set_content(0, turn, format!("move {turn}")).unwrap();
    }
    let question =
        "{completed_turns}|{turn_token_usage_text}|{max_context_window_tokens}|{\"a\": 1}";
    let prompts = Prompts::published(Task::Sokoban, &texts(Task::Sokoban, question)).unwrap();
    let setting = Budget::new([("total_tokens", ResourceKind::Tokens)]).unwrap();
    let setting = setting.with_prompts(prompts);
    let instance = setting.instance(&rollouts, 0).unwrap();
    let sent = RefCell::new(Vec::new());
    let model = |request: &Request| {
        let messages =
            request.messages.iter().map(|it| (it.role.name().to_owned(), it.text.clone()));
        sent.borrow_mut().push(messages.collect::<Vec<_>>());
        answer("[1, 99]")
    };
    converse(instance.conversation(), model).unwrap();
    let usage = "Turn 1: input 300 tokens, output 60 tokens, total 360 tokens; \
                 Turn 2: input 20 tokens, output 68 tokens, total 88 tokens";
    let question = format!("2|{usage}|2500|{{\"a\": 1}}");
    let expected = [
        ("system", "As given {\"a\"},"),
        ("user", "grid 1"),
        ("assistant", "move 1"),
        ("user", "grid 2"),
        ("assistant", "move 2"),
        ("user", &question),
    ];
    let expected = expected.map(|(role, text)| (role.to_owned(), text.to_owned()));
    assert_eq!(sent.borrow()[1], expected);

    // The run's own system prompt stands in its place, unless it is turned off.
    rollouts.set_content(0, 0, "You push boxes.").unwrap();
    for (of_run, system) in [(true, "You push boxes."), (false, "As given {\"a\"},")] {
        let setting = setting.clone().with_system_of_run(of_run);
        let instance = setting.instance(&rollouts, 0).unwrap();
        let conversation = instance.conversation();
        assert_eq!(conversation.request().unwrap().messages[0].text, system);
    }
    let unknown = Prompts::published(Task::Sokoban, &texts(Task::Sokoban, "{turn}"));
    assert!(unknown.unwrap_err().to_string().contains("the place {turn}"));
    let missing = Prompts::published(Task::SweBench, &texts(Task::Sokoban, ""));
    assert!(missing.unwrap_err().to_string().contains("is not a given text"));
}

#[test]
fn our_texts_ask_for_an_interval_or_a_number_with_or_without_thoughts() {
    let rollouts = rollouts(1);
    let question = |setting: Budget| {
        let instance = setting.instance(&rollouts, 0).unwrap();
        let conversation = instance.conversation();
        asked(conversation.request().unwrap()).to_owned()
    };
    let think = "<think>your thoughts, at most two sentences and 100 tokens</think>";
    let forms = [
        (tokens(), format!("{think}<answer>[low, high]</answer>")),
        (tokens().with_think_tokens(None), "\n<answer>[low, high]</answer>".to_owned()),
        (tokens().with_points(), format!("{think}<answer>number</answer>")),
        (tokens().with_points().with_think_tokens(None), "\n<answer>number</answer>".to_owned()),
    ];
    for (setting, form) in forms {
        let text = question(setting);
        assert!(text.contains(&form) && text.ends_with("<answer>impossible</answer>"), "{text}");
        assert!(!text.contains('{'), "every place is filled in: {text}");
    }
}
