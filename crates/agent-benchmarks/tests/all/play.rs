//! Runs in environments: turns, limits, questions in between, policies and rollouts.

use agent_benchmarks::{
    Conversation, Error, Probability, Reply, ReplyEvent, Request, Role, Seed, StopReason, Usage,
    budget_estimation::{Advice, AdviceReason, Estimate, Reading, StopRule},
    converse,
    play::{End, Environment, Play, PlayConversation, PlayRecord, play, rollouts},
    sokoban::{Need, Room, RoomSettings, Sokoban, solver},
};
use proptest::prelude::*;

/// The box has to go two cells to the right; the player stands behind it.
const CORRIDOR: &str = "#######\n#PX_O_#\n#######";

fn corridor() -> Sokoban {
    Sokoban::new(Room::parse(CORRIDOR).unwrap())
}

fn answer(actions: &str) -> String {
    format!("<think>Well.</think><answer>{actions}</answer>")
}

#[test]
fn a_turn_shows_the_released_forms() {
    let mut sokoban = corridor();
    assert_eq!(
        sokoban.observation(),
        "\nState:\nCoordinates: \nBoard size: 3 rows x 7 cols (zero-indexed).\nTargets: (1, 4)\nBoxes: (1, 2)\n\
         Player: (1, 1)\nGrid Map: \n#######\n#PX_O_#\n#######\n\
         Reply with at most 3 actions, separated by ||, as in <answer>Up || Right</answer>.\n"
    );
    sokoban.act(&answer("left || up || Down").into());
    // The sum of three floating-point numbers, as Python writes it.
    assert!(sokoban.observation().starts_with("Reward:\n-0.30000000000000004\n\nState:\n"));
    let mut told = corridor().with_limits_told(true);
    told.act(&"no tags".into());
    let text = told.observation();
    assert!(text.starts_with("Reward:\n0\n\nTurn 2:\nState:\n"), "{text}");
    assert!(text.contains("#######\nThe last reply had no action that could be carried out; nothing has changed.\n30 actions are left. Reply"), "{text}");
}

/// Replies, and how many actions they have, what they cost, and how many problems are noted.
#[test]
fn replies_are_read_as_the_released_code_reads_them() {
    for (reply, n_actions, penalty, n_problems) in [
        ("<answer>Up</answer>", 1, 0.0, 0),
        ("<answer> UP||down || Left </answer>", 3, 0.0, 0),
        // Thoughts that an answer follows directly come first.
        ("<answer>Up || Up</answer><think>no</think> <answer>Up</answer>", 1, 0.0, 0),
        // Otherwise the first answer counts.
        ("<think>no</think> so <answer>Up</answer> or <answer>Up||Up</answer>", 1, 0.0, 0),
        ("<think><answer>Up</answer> I think</think>\n<answer>Up||Up</answer>", 2, 0.0, 0),
        ("<answer>Up || || Up</answer>", 2, 0.0, 0),
        ("<answer>Up || fly</answer>", 1, -0.1, 1),
        ("<answer>1 || 2</answer>", 0, -0.1, 2),
        ("<answer></answer>", 0, -0.1, 1),
        ("<answer>Up", 0, -0.1, 1),
        ("Up", 0, -0.1, 1),
        ("", 0, -0.1, 1),
        // Only the first three parts are looked at.
        ("<answer>Up||Up||Up||Up||fly</answer>", 3, 0.0, 1),
        ("<answer>fly||fly||fly||Up</answer>", 0, -0.1, 4),
        // Marks inside of an answer are taken out.
        ("<answer><think>Up</answer>", 1, 0.0, 0),
        ("<ANSWER>Up</ANSWER>", 0, -0.1, 1),
    ] {
        let acted = corridor().act(&reply.into());
        let found = (acted.n_actions, acted.penalty, acted.problems.len());
        assert_eq!(found, (n_actions, penalty, n_problems), "{reply:?}: {acted:?}");
        assert_eq!(acted.spent, [n_actions as f64]);
    }
}

#[test]
fn a_run_ends_when_it_is_solved_or_at_a_limit() -> Result<(), Error> {
    let run = |settings: &Play, sokoban: Sokoban, actions: &str| {
        play(settings.conversation("run", sokoban)?, |_| answer(actions))
    };
    let solved = run(&Play::new(), corridor(), "Right||Right||Right")?;
    // The third action comes after the end.
    assert_eq!((solved.end, solved.turns[0].n_actions), (Some(End::Succeeded), 2));
    assert!(solved.succeeded && (solved.reward() - 10.8).abs() < 1e-12);
    assert_eq!(solved.record.run.outcome, Some(true));

    let turns = run(&Play::new(), corridor(), "Left")?;
    assert_eq!((turns.turns.len(), turns.end, turns.succeeded), (10, Some(End::AtLimit), false));
    assert_eq!(turns.record.run.limit.unwrap().kind, "turns");
    let actions = run(&Play::new(), corridor().with_most_actions(8), "Left||Left||Left")?;
    let made: Vec<usize> = actions.turns.iter().map(|turn| turn.n_actions).collect();
    assert_eq!((made, actions.end), (vec![3, 3, 2], Some(End::AtLimit)));
    let none = run(&Play::new().with_most_turns(0), corridor(), "Left")?;
    assert_eq!((none.turns.len(), none.end), (0, Some(End::AtLimit)));
    Ok(())
}

#[test]
fn a_turn_with_too_many_tokens_carries_nothing_out() -> Result<(), Error> {
    let settings = Play::new().with_most_tokens_of_a_turn(Some(2_500));
    let mut replies = [(2_000, 499), (2_000, 501)].into_iter();
    let model = |_: &Request| {
        let (input, output) = replies.next().unwrap();
        let usage =
            Usage { input_tokens: Some(input), output_tokens: Some(output), ..Usage::default() };
        Ok(Reply { text: answer("Right"), usage: Some(usage), ..Reply::default() })
    };
    let record = converse(settings.conversation("run", corridor())?, model)?;
    let made: Vec<usize> = record.turns.iter().map(|turn| turn.n_actions).collect();
    assert_eq!((made, record.is_truncated, record.succeeded), (vec![1, 0], true, false));
    assert_eq!(record.record.run.limit.unwrap().limit, Some(2_500.0));
    Ok(())
}

/// A reply with a usage.
fn reply(text: &str, tokens: [u64; 2]) -> Reply {
    let [input_tokens, output_tokens] = tokens.map(Some);
    let usage = Usage { input_tokens, output_tokens, ..Usage::default() };
    Reply { text: text.to_owned(), usage: Some(usage), ..Reply::default() }
}

fn texts(run: &PlayConversation<Sokoban>) -> Vec<(Role, String)> {
    let messages = &run.request().unwrap().messages;
    messages.iter().map(|message| (message.role, message.text.clone())).collect()
}

#[test]
fn questions_between_turns_are_counted_apart_and_shown_only_if_wanted() -> Result<(), Error> {
    for keeps in [false, true] {
        let asks = [("total_tokens", Some(1_000.0)), ("steps", None)];
        let mut run = Play::new().with_questions(&asks, keeps).conversation("run", corridor())?;
        assert!(!run.is_asking());
        run.reply(reply(&answer("Left"), [100, 20]))?;
        assert!(run.is_asking());
        let question = texts(&run).pop().unwrap().1;
        assert!(
            question.starts_with("So far the run has spent total_tokens 120 of 1000, steps 1.")
        );
        run.reply(reply("<answer>total_tokens:[50, 90], steps:[2, 3]</answer>", [150, 10]))?;
        let shown = texts(&run);
        let roles: Vec<Role> = shown.iter().map(|(role, _)| *role).collect();
        let (user, assistant) = (Role::User, Role::Assistant);
        let want = match keeps {
            true => vec![Role::System, user, assistant, user, assistant, user],
            false => vec![Role::System, user, assistant, user],
        };
        assert_eq!(roles, want);
        run.reply(reply(&answer("Right||Right"), [170, 30]))?;
        let record = run.finish();
        // After the last turn nothing is left to ask.
        assert_eq!((record.turns.len(), record.asking()), (2, [Some(150), Some(10)]));
        let interval = |low, high| Estimate::interval(low, high).unwrap();
        assert_eq!(record.turns[0].estimates, [interval(50.0, 90.0), interval(2.0, 3.0)]);
        assert_eq!(record.turns[0].advice, Some(Advice::Continue));
        assert_eq!(record.record.run.turns.len(), 3);

        let rollouts = rollouts::<Sokoban>([&record])?;
        let cost = |name| {
            let resource = rollouts.resource(name).unwrap();
            rollouts.get(0).unwrap().usage(resource).unwrap().cumulative().to_vec()
        };
        assert_eq!(cost("output_tokens"), [20.0, 50.0]);
        // The second request repeats 120 tokens, or 160 with question and answer, which no turn counts.
        assert_eq!(cost("total_tokens"), [120.0, if keeps { 160.0 } else { 200.0 }]);
        assert_eq!(cost("steps"), [1.0, 3.0]);
    }
    Ok(())
}

#[test]
fn answers_end_a_run_by_a_rule_and_a_cap_ends_it_in_any_case() -> Result<(), Error> {
    let rule = StopRule::impossible_in_a_row(2)?.with_reading(Reading::Cap);
    let settings = Play::new().with_questions(&[("steps", Some(4.0))], false);
    let drive = |settings: &Play, replies: [&str; 7]| -> Result<PlayRecord, Error> {
        let mut replies = replies.into_iter();
        play(settings.conversation("run", corridor())?, |_| {
            replies.next().unwrap_or_default().to_owned()
        })
    };
    let left = answer("Left");
    let (left, no) = (left.as_str(), "<answer>impossible</answer>");
    let two = "<answer>[2, 2]</answer>";
    let stopped =
        drive(&settings.clone().with_stop_rule(Some(rule)), [left, no, left, two, left, no, left])?;
    // An interval that still fits ends the row.
    let warned = Some(Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
    assert_eq!([0, 2].map(|at| stopped.turns[at].advice.clone()), [warned.clone(), warned]);
    assert_eq!((stopped.turns.len(), stopped.end), (10, Some(End::AtLimit)));
    let rule = StopRule::impossible_in_a_row(1)?;
    let stopped =
        drive(&settings.clone().with_stop_rule(Some(rule)), [left, two, left, no, left, no, left])?;
    assert_eq!(
        (stopped.turns.len(), stopped.succeeded, stopped.end),
        (2, false, Some(End::AtLimit))
    );
    assert_eq!(stopped.record.run.stop, Some(StopReason::Other("estimated_impossible".to_owned())));

    let two = answer("Left||Left");
    let capped = drive(&settings, [&two, "what?", &two, "what?", &two, "what?", ""])?;
    let cap = AdviceReason::CapExceeded { resource: "steps".to_owned() };
    assert_eq!((capped.turns.len(), capped.turns[2].advice.clone()), (3, Some(Advice::Stop(cap))));
    assert_eq!(capped.record.run.stop, Some(StopReason::MaxSteps));
    let told =
        drive(&settings.clone().with_enforced_caps(false), [&two, "", &two, "", &two, "", ""])?;
    assert_eq!((told.turns.len(), told.is_stopped), (10, false));
    assert_eq!(told.turns[2].advice, capped.turns[2].advice);
    assert_eq!(capped.turns[0].estimates, [Estimate::NoAnswer]);
    let is_unreadable = |event: &ReplyEvent| matches!(event, ReplyEvent::Unreadable { .. });
    assert_eq!(capped.record.events.iter().filter(|it| is_unreadable(&it.event)).count(), 3);
    let unknown = Play::new().with_questions(&[("weeks", None)], false);
    assert!(unknown.conversation("run", corridor()).is_err());
    Ok(())
}

/// Plays the first rooms of the evaluation by a solver.
fn rooms(mistakes: f64, settings: &Play) -> Result<Vec<PlayRecord>, Error> {
    let run = |seed: u32| {
        let room = Room::generate(&RoomSettings::EVALUATION, seed)?;
        let run = settings.conversation(&seed.to_string(), Sokoban::new(room))?;
        play(run, solver(Probability::new(mistakes)?, Seed(u64::from(seed))))
    };
    (123..163).map(run).collect()
}

fn solved(records: &[PlayRecord]) -> usize {
    records.iter().filter(|record| record.succeeded).count()
}

#[test]
fn a_solver_solves_what_the_limits_let_it_and_mistakes_cost_it() -> Result<(), Error> {
    let best = rooms(0.0, &Play::new())?;
    for record in &best {
        let steps: f64 = record.turns.iter().map(|turn| turn.spent[0]).sum();
        let room =
            Room::generate(&RoomSettings::EVALUATION, record.record.run.id.parse().unwrap())?;
        let Need::Steps(plan) = room.least_steps(100_000) else { panic!("{room}") };
        assert_eq!((record.succeeded, steps), (plan.len() <= 30, plan.len().min(30) as f64));
    }
    let some = rooms(0.3, &Play::new())?;
    let random = rooms(1.0, &Play::new())?;
    assert!(solved(&best) > solved(&some) && solved(&some) > solved(&random));
    assert_eq!(some, rooms(0.3, &Play::new())?);
    Ok(())
}

#[test]
fn a_player_that_knows_the_least_steps_answers_well_and_stops_when_lost() -> Result<(), Error> {
    let settings = Play::new().with_questions(&[("steps", None)], false);
    let rule = StopRule::impossible_in_a_row(1)?;
    let asked = rooms(0.2, &settings)?;
    let stopped = rooms(0.2, &settings.clone().with_stop_rule(Some(rule)))?;
    let turns = |records: &[PlayRecord]| records.iter().map(|it| it.turns.len()).sum::<usize>();
    // What cannot be solved any more is not played to its end, and nothing else is lost.
    assert_eq!(solved(&asked), solved(&stopped));
    assert!(turns(&stopped) < turns(&asked), "{} {}", turns(&stopped), turns(&asked));
    let estimates = asked.iter().flat_map(|it| &it.turns).flat_map(|turn| &turn.estimates);
    assert!(estimates.clone().any(|it| *it == Estimate::Impossible));
    assert!(estimates.clone().any(|it| matches!(it, Estimate::Interval(_))));
    Ok(())
}

proptest! {
    #[test]
    fn no_reply_breaks_a_run(replies in prop::collection::vec("(<think>|</think>|<answer>|</answer>|\\|\\||Up|right| |.){0,12}", 30)) {
        let settings = Play::new().with_questions(&[("steps", Some(20.0)), ("total_tokens", None)], true);
        let mut replies = replies.into_iter();
        let record = play(settings.conversation("run", corridor())?, |_| replies.next().unwrap_or_default())?;
        prop_assert!(record.end.is_some() && record.turns.len() <= 10);
        for turn in &record.turns {
            prop_assert!(turn.n_actions <= 3 && turn.penalty <= 0.0);
        }
        prop_assert_eq!(rollouts::<Sokoban>([&record])?.len(), 1);
    }
}

#[test]
fn a_reply_with_one_action_can_be_used_whatever_stands_beside_it() -> Result<(), Error> {
    let mut run = Play::new().conversation("run", corridor())?;
    for (text, is_usable) in [
        ("Left || jump", true),
        ("Left || Left || Left || Left", true),
        ("jump", false),
        ("", false),
    ] {
        run.reply(answer(text).into())?;
        assert_eq!(run.problem().is_none(), is_usable, "{text}: {:?}", run.problem());
    }
    let events: Vec<&str> = run.finish().record.events.iter().map(|it| it.event.name()).collect();
    assert_eq!(events, ["not_carried_out", "not_carried_out", "unreadable", "unreadable"]);
    Ok(())
}
