//! Whatever a model says, a conversation goes on or ends, and its record repeats it.

use agent_benchmarks::{
    Arguments, Conversation, Record, Reply, Request, Role, Value,
    costbench::{CostBench, EnvironmentRules, EventKind, Preferences, Split, queries},
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Fault {
    None,
    Name(String),
    Text(String),
    List,
    Missing(usize),
    Unexpected(String),
    Value(usize, Value),
    NoId,
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::Real),
        "\\PC{0,12}".prop_map(Value::from),
        Just(Value::List(vec![Value::Null])),
        Just("<TimeInfo00000>".into()),
        Just("city".into()),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => Just(Fault::None),
        1 => "\\PC{0,12}".prop_map(Fault::Name),
        1 => "\\PC{0,12}".prop_map(Fault::Text),
        1 => Just(Fault::List),
        1 => (0..6_usize).prop_map(Fault::Missing),
        1 => "\\PC{0,12}".prop_map(Fault::Unexpected),
        2 => (0..6_usize, value()).prop_map(|(place, value)| Fault::Value(place, value)),
        1 => Just(Fault::NoId),
    ]
}

/// Replies without calls, and the place and fault of each call; places are taken modulo what there is to choose from.
fn outline() -> impl Strategy<Value = (Reply, Vec<(usize, Fault)>)> {
    let text = prop_oneof![
        4 => Just(String::new()),
        3 => "\\PC{0,20}",
        1 => "(<answer>|</answer>|<TravelLocation|[0-9]|>| ){0,6}",
    ];
    let calls = prop_oneof![
        1 => Just(Vec::new()),
        5 => prop::collection::vec((any::<usize>(), fault()), 1..3),
    ];
    (crate::any_text::reply(text), calls)
}

fn reply(
    (reply, calls): &(Reply, Vec<(usize, Fault)>),
    request: &Request,
    preferences: &[Preferences],
) -> Reply {
    let calls = calls.iter().enumerate().map(|(position, (place, fault))| {
        let tool = &request.tools[place % request.tools.len()];
        let mut call = crate::policies::call(tool, request, preferences);
        call.id = Some(format!("{}-{position}", request.messages.len()));
        let arguments = match &mut call.arguments {
            Arguments::Parsed(Value::Map(arguments)) => arguments,
            _ => panic!("a scripted call has arguments"),
        };
        let names: Vec<String> = arguments.keys().cloned().collect();
        match fault {
            Fault::None => {}
            Fault::Name(name) => name.clone_into(&mut call.name),
            Fault::Text(text) => {
                let problem = "not JSON".to_owned();
                call.arguments = Arguments::Unparsed { text: text.clone(), problem };
            }
            Fault::List => call.arguments = Arguments::Parsed(Value::List(Vec::new())),
            Fault::Missing(place) => drop(arguments.remove(&names[place % names.len()])),
            Fault::Unexpected(name) => drop(arguments.insert(name.clone(), "x".into())),
            Fault::Value(place, value) => {
                arguments.insert(names[place % names.len()].clone(), value.clone());
            }
            Fault::NoId => call.id = None,
        }
        call
    });
    Reply { tool_calls: calls.collect(), ..reply.clone() }
}

/// The events, the rules, the call limit and the query.
fn setting() -> impl Strategy<Value = (Vec<EventKind>, bool, usize, usize)> {
    let kinds = prop::collection::vec(prop::sample::select(EventKind::ALL.to_vec()), 0..3);
    (kinds, any::<bool>(), 0..12_usize, 0..381_usize)
}

/// The texts of all requests of a record.
fn requests(record: &Record) -> Vec<Vec<String>> {
    let Value::List(requests) = &record.run.metadata["requests"] else { panic!("a list") };
    let mut known: Vec<String> = Vec::new();
    let request = |(request, turn): (&Value, &run_logs::Turn)| {
        let Value::Map(request) = request else { panic!("a map") };
        let (Value::Integer(repeats), Value::List(new)) =
            (&request["repeats"], &request["messages"])
        else {
            panic!("a number and a list")
        };
        known.truncate(*repeats as usize);
        known.extend(new.iter().map(|message| match message {
            Value::Map(message) => match &message["content"] {
                Value::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }));
        let asked = known.clone();
        known.push(turn.reply.as_ref().unwrap().text.clone());
        asked
    };
    requests.iter().zip(&record.run.turns).map(request).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_conversation_ends_answers_every_call_and_is_repeated_from_its_record(
        (events, released, limit, query) in setting(),
        outlines in prop::collection::vec(outline(), 1..40),
    ) {
        let rules =
            if released { EnvironmentRules::RELEASED } else { EnvironmentRules::PAPER_TEXT };
        let bench = CostBench::new(2)
            .unwrap()
            .with_events(events)
            .with_rules(rules)
            .with_call_limit(limit);
        let instance = bench.instance(&queries(Split::Test, 42)[query]);
        let preferences = crate::policies::preferences(&instance);
        let mut conversation = instance.conversation();
        let (mut replies, mut asked) = (0, Vec::new());
        for outline in outlines.iter().cycle() {
            let Some(request) = conversation.request() else { break };
            asked.push(request.messages.iter().map(|it| it.text.clone()).collect::<Vec<_>>());
            let reply = reply(outline, request, &preferences);
            let (before, made) = (request.messages.len(), reply.tool_calls.len());
            let ids: Vec<Option<String>> =
                reply.tool_calls.iter().map(|call| call.id.clone()).collect();
            conversation.reply(reply).unwrap();
            replies += 1;
            if let Some(request) = conversation.request() {
                let new = &request.messages[before..];
                prop_assert_eq!(new[0].role, Role::Assistant);
                let answers: Vec<_> =
                    new.iter().filter(|message| message.role == Role::Tool).collect();
                prop_assert_eq!(answers.len(), made);
                for (answer, id) in answers.iter().zip(&ids) {
                    prop_assert_eq!(&answer.tool_call_id, id);
                    prop_assert!(!answer.text.is_empty());
                }
                prop_assert!(made > 0 || new.last().unwrap().role == Role::User);
                prop_assert!(!request.tools.is_empty());
            }
        }
        // At most three idle replies for each call, and the call that is one too many.
        prop_assert!(replies <= 3 * (limit + 1), "{} replies, limit {}", replies, limit);
        let record = conversation.finish();
        prop_assert!(record.transcript.calls.len() <= limit);
        prop_assert!(record.record.run.outcome.is_some());
        prop_assert_eq!(record.record.run.turns.len(), replies);
        prop_assert!(record.record.events.iter().all(|event| event.turn < replies));
        prop_assert_eq!(requests(&record.record), asked);

        let mut again = instance.conversation();
        for turn in &record.record.run.turns {
            again.reply(turn.reply.clone().unwrap()).unwrap();
        }
        prop_assert_eq!(again.finish(), record);
    }
}
