//! What CostBench makes of replies that are wrong in some way, of answers, limits and events.

use crate::policies::{call, calling, first, held, preferences, saying};
use agent_benchmarks::{
    Arguments, Conversation, ModelError, ParameterKind, RecordedCall, Reply, ReplyEvent, Request,
    Role, StopReason, Value,
    costbench::{
        CostBench, CostBenchConversation, EnvironmentRules, EventKind, Instance, Preferences,
        ReplyRules, Split, Task, queries,
    },
};
use tool_graph::{CallStatus, FailureClass};

const GOAL: &str = "TravelLocation";

fn bench() -> CostBench {
    CostBench::new(2).unwrap().with_reply_rules(ReplyRules::STRICT)
}

fn request<'a>(conversation: &'a CostBenchConversation<'_>) -> &'a Request {
    conversation.request().expect("the conversation goes on")
}

/// A correct call of a tool.
fn right(
    conversation: &CostBenchConversation<'_>,
    instance: &Instance,
    tool: &str,
) -> RecordedCall {
    let request = request(conversation);
    let mut call = call(request.tool(tool).unwrap(), request, &preferences(instance));
    call.id = Some("c1".to_owned());
    call
}

/// Makes a call with right arguments.
fn make(conversation: &mut CostBenchConversation<'_>, instance: &Instance, tool: &str) {
    let call = right(conversation, instance, tool);
    conversation.reply(calling(call)).unwrap();
}

fn with_argument(mut call: RecordedCall, name: &str, value: Option<Value>) -> RecordedCall {
    let Arguments::Parsed(Value::Map(arguments)) = &mut call.arguments else { panic!("a map") };
    match value {
        Some(value) => arguments.insert(name.to_owned(), value),
        None => arguments.remove(name),
    };
    call
}

const DECIDE: &str = "Decide_Location_Preference";
const SEARCH: &str = "Search_Location_Candidates";

/// The status of a changed call after others, its failure class, the events and the answer of the tool.
fn outcome(
    before: &[&str],
    tool: &str,
    change: impl FnOnce(RecordedCall) -> RecordedCall,
) -> (CallStatus, Option<FailureClass>, Vec<ReplyEvent>, String) {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    before.iter().for_each(|tool| make(&mut conversation, &instance, tool));
    let call = change(right(&conversation, &instance, tool));
    conversation.reply(calling(call)).unwrap();
    let text = request(&conversation).messages.last().unwrap().text.clone();
    let record = conversation.finish();
    let call = record.transcript.calls.last().unwrap().clone();
    let class = *record.transcript.failure_classes().last().unwrap();
    let logged = record.record.run.turns.last().unwrap().reply.as_ref().unwrap();
    assert_eq!(logged.tool_calls[0].ok, Some(call.status.is_done()));
    assert_eq!(logged.tool_calls[0].error.is_some(), !call.status.is_done());
    let events = record.record.events.into_iter().map(|event| event.event).collect();
    (call.status, class, events, text)
}

#[test]
fn a_right_call_returns_an_identifier_and_a_price() {
    let (status, class, events, text) = outcome(&[], DECIDE, |call| call);
    assert_eq!((status, class, events), (CallStatus::Done { advanced: true }, None, vec![]));
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("LocationPreference: <LocationPreference"), "{text}");
    assert_eq!(rest, "Price of this call: 23.23.", "nobody adds up what was paid");
}

#[test]
fn an_unknown_tool_has_wrong_parameters() {
    let book = |_| RecordedCall::new("Book_It", Arguments::default());
    let (status, class, events, text) = outcome(&[], DECIDE, book);
    assert_eq!((status, class), (CallStatus::UnknownTool, Some(FailureClass::WrongParameters)));
    assert_eq!(events, [ReplyEvent::UnknownTool { call: 0, tool: "Book_It".to_owned() }]);
    assert!(text.starts_with("There is no tool called \"Book_It\"."), "{text}");
}

#[test]
fn arguments_that_are_no_json_have_wrong_parameters_and_are_free() {
    let arguments = Arguments::Unparsed { text: "{a".to_owned(), problem: "cut short".to_owned() };
    let (status, class, events, text) =
        outcome(&[], DECIDE, |_| RecordedCall::new(DECIDE, arguments));
    assert!(matches!(status, CallStatus::MissingParameter(_)), "{status:?}");
    assert_eq!(class, Some(FailureClass::WrongParameters));
    assert!(
        matches!(&events[..], [ReplyEvent::InvalidArguments { call: 0, problem, .. }] if problem == "cut short")
    );
    assert!(text.contains("its arguments are not one JSON object (cut short)"), "{text}");
    assert!(text.contains("Price of this call: 0.00."), "{text}");
}

#[test]
fn a_missing_an_unexpected_and_an_invalid_argument_have_wrong_parameters() {
    let wrong = |name: &str, value: Option<Value>| {
        outcome(&[], DECIDE, |call| with_argument(call, name, value))
    };
    let (status, class, events, _) = wrong("LocationTier", None);
    assert_eq!(status, CallStatus::MissingParameter("LocationTier".to_owned()));
    assert_eq!(class, Some(FailureClass::WrongParameters));
    assert!(matches!(&events[..], [ReplyEvent::MissingArgument { .. }]), "{events:?}");

    let (status, class, events, _) = wrong("Weather", Some("sunny".into()));
    assert_eq!(status, CallStatus::UnexpectedParameter("Weather".to_owned()));
    assert_eq!(class, Some(FailureClass::WrongParameters));
    assert!(matches!(&events[..], [ReplyEvent::UnexpectedArgument { .. }]), "{events:?}");

    // A value of a training query, a number, and a word of another dimension.
    for value in ["island".into(), Value::Integer(3), "small_town".into()] {
        let (status, class, events, text) = wrong("LocationCategory", Some(value));
        assert_eq!(status, CallStatus::MissingParameter("LocationCategory".to_owned()));
        assert_eq!(class, Some(FailureClass::WrongParameters));
        assert!(matches!(&events[..], [ReplyEvent::InvalidValue { .. }]), "{events:?}");
        assert!(text.contains("city, seaside, mountain, village"), "{text}");
    }
}

#[test]
fn an_identifier_that_nobody_gave_is_wrong_and_one_of_a_missing_type_is_inaccessible() {
    let forged = |call| {
        let id = Value::from("<LocationPreference00001>");
        with_argument(call, "LocationPreference", Some(id))
    };
    let (status, class, events, text) = outcome(&[DECIDE], SEARCH, forged);
    assert_eq!(status, CallStatus::MissingParameter("LocationPreference".to_owned()));
    assert_eq!(class, Some(FailureClass::WrongParameters));
    assert!(matches!(&events[..], [ReplyEvent::InvalidValue { .. }]), "{events:?}");
    assert!(text.contains("is not an identifier that you were given"), "{text}");

    let (status, class, events, text) = outcome(&[], SEARCH, forged);
    assert_eq!(status, CallStatus::MissingInput("LocationPreference".to_owned()));
    assert_eq!(class, Some(FailureClass::Inaccessible));
    assert_eq!(events, [], "the call is well formed");
    assert!(text.contains("which you have not obtained yet"), "{text}");
}

#[test]
fn a_tool_of_another_task_is_inaccessible_or_unknown_to_the_model() {
    let instance = first(&bench().with_rules(EnvironmentRules::PAPER_TEXT));
    let mut conversation = instance.conversation();
    assert_eq!(request(&conversation).tools.len(), 84, "by the paper's text all tools are shown");
    make(&mut conversation, &instance, "Select_Final_Dining");
    let status = conversation.finish().transcript.calls[0].status.clone();
    assert_eq!(status, CallStatus::MissingInput("DiningCandidate_L2_Located".to_owned()));
}

#[test]
fn of_several_calls_the_first_is_made_and_each_is_answered() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    let mut calls = vec![
        right(&conversation, &instance, "Location_Full_Planning_to_Step1"),
        right(&conversation, &instance, "Select_Final_Location"),
        right(&conversation, &instance, "Location_Refinement_Step2"),
    ];
    calls[1].id = Some("c2".to_owned());
    calls[2].id = Some("c3".to_owned());
    conversation.reply(Reply { tool_calls: calls, ..Reply::default() }).unwrap();
    let messages = &request(&conversation).messages;
    let answers: Vec<_> = messages.iter().filter(|message| message.role == Role::Tool).collect();
    let ids: Vec<_> = answers.iter().map(|message| message.tool_call_id.as_deref()).collect();
    assert_eq!(ids, [Some("c1"), Some("c2"), Some("c3")]);
    assert!(answers[0].text.starts_with("LocationCandidate_L1_Available: <"));
    assert!(answers[1].text.starts_with("Not carried out"));
    let record = conversation.finish();
    assert_eq!(record.transcript.calls.len(), 1);
    let events: Vec<_> = record.record.events.iter().map(|event| &event.event).collect();
    assert_eq!(events, [&ReplyEvent::SeveralCalls { made: 3 }]);
    let logged = &record.record.run.turns[0].reply.as_ref().unwrap().tool_calls;
    let ok: Vec<_> = logged.iter().map(|call| call.ok).collect();
    assert_eq!(ok, [Some(true), Some(false), Some(false)]);
}

#[test]
fn refusals_empty_and_idle_replies_are_reminded_of_the_task_until_patience_ends() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    let refusal = Reply { refusal: Some("I will not.".to_owned()), ..Reply::default() };
    conversation.reply(refusal).unwrap();
    let last = request(&conversation).messages.last().unwrap();
    assert_eq!(last.role, Role::User);
    assert!(last.text.contains("Call the next tool, or reply with <answer>"), "{}", last.text);
    conversation.reply(Reply::default()).unwrap();
    // A call in between makes the user patient again.
    make(&mut conversation, &instance, DECIDE);
    conversation.reply(saying("Let me think.")).unwrap();
    conversation.reply(saying("It is <answer>")).unwrap();
    let text = &request(&conversation).messages.last().unwrap().text;
    assert!(text.starts_with("Your answer cannot be read: <answer> has no closing tag"), "{text}");
    conversation.reply(saying("Let me think.")).unwrap();
    assert_eq!(conversation.request(), None);

    let record = conversation.finish();
    let run = &record.record.run;
    assert_eq!((run.outcome, run.stop.clone()), (Some(false), Some(StopReason::ParseError)));
    assert_eq!(run.limit, None, "no limit of the benchmark was reached");
    let events: Vec<_> =
        record.record.events.iter().map(|event| (event.turn, event.event.name())).collect();
    let unreadable = [(3, "unreadable"), (4, "unreadable"), (5, "unreadable")];
    assert_eq!(events, [&[(0, "refusal"), (1, "empty_text")][..], &unreadable].concat());
}

fn solve(conversation: &mut CostBenchConversation<'_>, instance: &Instance) -> String {
    for call in &instance.reference().calls {
        make(conversation, instance, &call.name);
    }
    held(request(conversation)).0[GOAL].clone()
}

#[test]
fn the_right_answer_is_that_of_the_goal_alone_and_a_guess_of_it_completes_nothing() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    let id = solve(&mut conversation, &instance);
    let mut solved = conversation.clone();
    solved.reply(saying(format!("<answer> {} </answer>", id.trim_matches(['<', '>'])))).unwrap();
    let solved = solved.finish();
    assert_eq!(solved.record.run.outcome, Some(true));
    assert_eq!(solved.record.run.stop, Some(StopReason::Completed));

    conversation.reply(saying("<answer><TravelLocation00000></answer>")).unwrap();
    let wrong = conversation.finish();
    assert!(wrong.transcript.goal_reached && !wrong.transcript.is_completed());
    assert_eq!(wrong.record.run.outcome, Some(false));
    assert_eq!(wrong.scores().unwrap().exact_match, Some(true), "the path is right all the same");

    let mut guess = instance.conversation();
    guess.reply(saying(format!("<answer>{id}</answer>"))).unwrap();
    let guess = guess.finish();
    assert_eq!(guess.answer.as_deref(), Some(id.as_str()));
    assert_eq!(guess.record.run.outcome, Some(false), "the goal was not reached");
}

/// Whether a text is the right answer under these rules; 00012 in it stands for the right number.
fn is_right(rules: ReplyRules, text: &str) -> bool {
    let instance = first(&bench().with_reply_rules(rules));
    let mut conversation = instance.conversation();
    let id = solve(&mut conversation, &instance);
    let number = id.trim_matches(|c: char| !c.is_ascii_digit());
    conversation.reply(saying(text.replace("00012", number))).unwrap();
    conversation.finish().record.run.outcome == Some(true)
}

#[test]
fn brackets_and_quotes_around_an_id_do_not_matter_but_its_number_does() {
    for (answer, right) in [
        ("TravelLocation00012", true),
        ("`<TravelLocation00012>`.", true),
        ("<TravelLocation00021>", false),
        ("<>", false),
    ] {
        let found = is_right(ReplyRules::STRICT, &format!("<answer>{answer}</answer>"));
        assert_eq!(found, right, "{answer}");
    }
}

#[test]
fn the_released_evaluation_finds_one_candidate_inside_the_first_tags() {
    for text in [
        "<answer> <LocationCandidate00012> </answer>",
        "<answer><locationcandidate 00012></ANSWER>",
        "<answer><LocationCandidate{00012}></answer>",
        "<answer>< LocationCandidate { Candidate_ID: 00012 } ></answer>",
        "<answer>It is LocationCandidate00012, at last.</answer>",
        "<answer>LocationCandidate00099 or <LocationCandidate00012></answer>",
        "<think><answer><LocationCandidate00001></answer></think><answer><TravelLocation00012></answer>",
    ] {
        assert!(is_right(ReplyRules::RELEASED, text), "{text}");
    }
    for text in [
        "LocationCandidate00012",
        "<answer>00012</answer>",
        "<answer><LocationCandidate1>",
        "<answer><LocationCandidate00099></answer><answer><LocationCandidate00012></answer>",
    ] {
        assert!(!is_right(ReplyRules::RELEASED, text), "{text}");
    }
}

#[test]
fn the_released_loop_stops_at_tags_with_five_digits() {
    let instance = first(&bench().with_reply_rules(ReplyRules::RELEASED));
    for (text, stops) in [
        ("<answer>one of 00012</answer>", true),
        ("<answer>00012 or 3</answer>", false),
        ("<answer>00012", false),
    ] {
        let mut conversation = instance.conversation();
        let call = right(&conversation, &instance, DECIDE);
        conversation.reply(Reply { text: text.to_owned(), ..calling(call) }).unwrap();
        assert_eq!(conversation.request().is_none(), stops, "{text}");
    }
}

#[test]
fn the_last_pair_of_tags_is_the_answer_and_an_opening_tag_without_one_is_a_fault() {
    let instance = first(&bench());
    for (text, answer, problem) in [
        ("So <answer> <X1> </answer>.", Some("<X1>"), ""),
        ("<answer>a</answer> no, <answer>b</answer>", Some("b"), ""),
        ("I am not done.", None, "Call the next tool"),
        ("<answer><X1>", None, "no closing tag"),
        ("<answer>  </answer>", None, "nothing between"),
    ] {
        let mut conversation = instance.conversation();
        conversation.reply(saying(text)).unwrap();
        let reminder = conversation.request().map(|it| it.messages.last().unwrap().text.clone());
        assert_eq!(reminder.is_some(), answer.is_none(), "{text}");
        assert!(reminder.unwrap_or_default().contains(problem), "{text}");
        assert_eq!(conversation.finish().answer.as_deref(), answer, "{text}");
    }
}

#[test]
fn an_answer_ends_the_conversation_and_calls_beside_it_are_not_made() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    let call = right(&conversation, &instance, DECIDE);
    let reply = Reply { text: "<answer>x</answer>".to_owned(), ..calling(call) };
    conversation.reply(reply).unwrap();
    let record = conversation.finish();
    assert_eq!(record.transcript.calls, []);
    assert_eq!(record.record.run.turns[0].reply.as_ref().unwrap().tool_calls[0].ok, Some(false));
}

#[test]
fn preferences_that_the_user_does_not_have_lead_to_the_goal_with_the_wrong_answer() {
    let instance = first(&bench());
    let values = instance.query().preferences.values();
    let other = if values[0] == "city" { "village" } else { "city" };
    let mut conversation = instance.conversation();
    for (place, call) in instance.reference().calls.iter().enumerate() {
        let mut call = right(&conversation, &instance, &call.name);
        if place == 0 {
            call = with_argument(call, "LocationCategory", Some(other.into()));
        }
        conversation.reply(calling(call)).unwrap();
    }
    let id = held(request(&conversation)).0[GOAL].clone();
    conversation.reply(saying(format!("<answer>{id}</answer>"))).unwrap();
    let record = conversation.finish();
    assert!(record.transcript.goal_reached);
    assert_eq!(record.record.run.outcome, Some(false));
}

#[test]
fn after_twenty_calls_the_model_can_still_answer_but_not_call() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    let id = solve(&mut conversation, &instance);
    for _ in instance.reference().calls.len()..20 {
        make(&mut conversation, &instance, DECIDE);
    }
    let mut again = conversation.clone();
    conversation.reply(saying(format!("<answer>{id}</answer>"))).unwrap();
    assert_eq!(conversation.finish().record.run.outcome, Some(true));

    make(&mut again, &instance, DECIDE);
    assert_eq!(again.request(), None);
    let record = again.finish();
    assert_eq!(record.transcript.calls.len(), 20);
    let limit = record.record.run.limit.unwrap();
    assert_eq!((limit.kind.as_str(), limit.limit), ("tool_calls", Some(20.0)));
}

#[test]
fn a_model_without_a_reply_leaves_a_run_without_an_outcome() {
    let instance = first(&bench());
    let mut conversation = instance.conversation();
    conversation.fail(&ModelError::new("connection refused"));
    conversation.fail(&ModelError::new("ignored after the end"));
    let record = conversation.finish();
    let run = &record.record.run;
    assert_eq!((run.outcome, run.error.as_deref()), (None, Some("connection refused")));
    assert_eq!(run.turns.len(), 1);
    let problem = "connection refused".to_owned();
    assert_eq!(record.record.events[0].event, ReplyEvent::NoReply { problem });
}

#[test]
fn a_ban_is_told_by_the_failed_call_and_the_tool_stays_or_disappears_by_the_rules() {
    for (rules, is_shown, cost) in
        [(EnvironmentRules::RELEASED, true, 61.54), (EnvironmentRules::PAPER_TEXT, false, 0.0)]
    {
        let bench = bench().with_events(vec![EventKind::BanTool]).with_rules(rules);
        let instance = first(&bench);
        let mut conversation = instance.conversation();
        let tool = "Location_Full_Planning_to_Step1";
        make(&mut conversation, &instance, tool);
        let request = request(&conversation);
        let text = &request.messages.last().unwrap().text;
        assert!(text.starts_with("Location_Full_Planning_to_Step1 has broken down"), "{text}");
        assert_eq!(request.tool(tool).is_some(), is_shown);
        assert_eq!(conversation.finish().transcript.calls[0].cost, cost);
    }
}

#[test]
fn a_cost_change_and_a_removal_are_only_visible_in_the_list_of_tools() {
    for (kind, changes_names) in [(EventKind::CostChange, false), (EventKind::RemoveTools, true)] {
        let instance = first(&bench().with_events(vec![kind]));
        let mut conversation = instance.conversation();
        let before = request(&conversation).tools.clone();
        make(&mut conversation, &instance, DECIDE);
        let request = request(&conversation);
        assert_eq!(request.messages.len(), 4, "nobody says a word about it");
        assert_ne!(request.tools, before);
        let names = |tools: &[agent_benchmarks::ToolDefinition]| {
            tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&request.tools) != names(&before), changes_names);
    }
}

#[test]
fn a_preference_change_is_told_by_the_user_and_makes_all_identifiers_of_before_worthless() {
    let instance = first(&bench().with_events(vec![EventKind::PreferenceChange]));
    let changed = instance.preferences_after(0).unwrap();
    assert_ne!(changed, instance.query().preferences);
    assert_eq!(changed.split(), Split::Test);
    let mut conversation = instance.conversation();
    make(&mut conversation, &instance, DECIDE);
    let messages = &request(&conversation).messages;
    let [.., result, user] = &messages[..] else { panic!("two messages") };
    assert!(result.text.starts_with("LocationPreference: <"), "{}", result.text);
    assert_eq!(user.role, Role::User);
    let old = result.text[20..].split('\n').next().unwrap().to_owned();

    let call = right(&conversation, &instance, SEARCH);
    let call = with_argument(call, "LocationPreference", Some(old.as_str().into()));
    conversation.reply(calling(call)).unwrap();
    let record = conversation.clone().finish();
    let status = &record.transcript.calls[1].status;
    assert_eq!(*status, CallStatus::MissingInput("LocationPreference".to_owned()));
    // The same preferences as before no longer lead to the right answer.
    for (preferences, is_right) in [(instance.query().preferences, false), (changed, true)] {
        let mut conversation = conversation.clone();
        for tool in ["Location_Full_Planning_to_Step1", "Location_Finalize_from_Step2"] {
            let request = request(&conversation);
            let call = call_with(request, tool, preferences);
            conversation.reply(calling(call)).unwrap();
        }
        let id = held(request(&conversation)).0[GOAL].clone();
        conversation.reply(saying(format!("<answer>{id}</answer>"))).unwrap();
        assert_eq!(conversation.finish().record.run.outcome, Some(is_right));
    }
}

fn call_with(request: &Request, tool: &str, preferences: Preferences) -> RecordedCall {
    call(request.tool(tool).unwrap(), request, &[preferences, preferences])
}

#[test]
fn costs_can_be_hidden() {
    let bench = bench().with_costs_shown(false);
    let instance = first(&bench);
    let mut conversation = instance.conversation();
    for tool in &request(&conversation).tools {
        assert!(!tool.description.contains("Cost:"), "{}", tool.description);
    }
    make(&mut conversation, &instance, DECIDE);
    let text = &request(&conversation).messages.last().unwrap().text;
    assert!(text.contains("Price of this call: 23.23."), "a call shows its price: {text}");
}

#[test]
fn the_words_of_a_query_never_name_a_value_and_tell_all_values_apart() {
    for split in [Split::Test, Split::Train] {
        let all = queries(split, 42);
        for query in &all {
            for value in query.preferences.values() {
                if value.contains('_') {
                    assert!(!query.requirement.contains(value), "{}", query.id);
                }
            }
            // The same seed words the same preferences in the same way, and other preferences differently.
            let text = query.preferences.requirement(1);
            assert_eq!(text, query.preferences.requirement(1));
        }
        for task in Task::ALL {
            let own = all.iter().filter(|query| query.task() == task);
            let mut texts: Vec<String> =
                own.map(|query| query.preferences.requirement(1)).collect();
            let n = texts.len();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), n, "no two queries of {task} say the same");
        }
    }
}

#[test]
fn the_test_values_of_transportation_are_those_of_table_11_in_their_order() {
    let table = [
        ["flight", "train", "bus", "car_rental"],
        ["luxury_class", "business_class", "standard_class", "budget_class"],
        ["speed_priority", "comfort_priority", "scenic_route", "schedule_flexibility_priority"],
        [
            "onboard_connectivity_and_power",
            "full_meal_and_beverage_service",
            "special_luggage_allowance",
            "lie_flat_or_sleeper_facility",
        ],
    ];
    let instance = bench().instance(&queries(Split::Test, 42)[29]);
    assert_eq!(instance.query().task(), Task::Transportation);
    let conversation = instance.conversation();
    let tool = request(&conversation).tool("Decide_Transportation_Preference").unwrap();
    let shown = tool.parameters.iter().filter_map(|parameter| match &parameter.kind {
        ParameterKind::Choice(words) => Some((parameter.name.as_str(), words.clone())),
        _ => None,
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|(name, _)| {
        ["Category", "Tier", "Style", "Package"].iter().position(|end| name.ends_with(end))
    });
    let shown: Vec<_> = shown.into_iter().map(|(_, words)| words).collect();
    assert_eq!(shown, table);
}

#[test]
fn queries_of_another_seed_have_the_same_ids_and_other_preferences() {
    let (one, other) = (queries(Split::Test, 42), queries(Split::Test, 43));
    assert!(one.iter().zip(&other).all(|(a, b)| a.id == b.id && a.task() == b.task()));
    let same = one.iter().zip(&other).filter(|(a, b)| a.preferences == b.preferences).count();
    assert!(same < 20, "{same}");
    assert_eq!(one, queries(Split::Test, 42));
}

#[test]
fn values_of_both_splits_or_of_another_dimension_make_no_preferences() {
    let words = ["city", "small_town", "natural_and_serene", "religious_center"];
    let preferences = Preferences::new(Task::Location, words).unwrap();
    assert_eq!((preferences.values(), preferences.split()), (words, Split::Test));
    for wrong in [
        ["city", "market_town", "natural_and_serene", "religious_center"],
        ["island", "small_town", "natural_and_serene", "religious_center"],
        ["small_town", "city", "natural_and_serene", "religious_center"],
    ] {
        let error = Preferences::new(Task::Location, wrong).unwrap_err();
        assert!(matches!(error, agent_benchmarks::Error::Invalid { .. }), "{wrong:?}");
    }
}
