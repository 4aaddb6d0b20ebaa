//! An environment of one's own with tools, played by the drivers of the papers' benchmarks.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use agent_benchmarks::{
    Arguments, Conversation, Error, ModelError, RecordedCall, Reply, Request, Role, ToolDefinition,
    budget_estimation::Estimate,
    converse, converse_async,
    play::{Acted, End, Environment, Play, PlayRecord, rollouts},
};

/// A lock of three tools in a row, of which each opens the next. A call of a tool costs its position.
#[derive(Clone, Default)]
pub(crate) struct Lock {
    opened: usize,
    end: Option<End>,
}

const TOOLS: [&str; 3] = ["first", "second", "third"];

impl Environment for Lock {
    const RESOURCES: &'static [&'static str] = &["coins", "days"];

    fn task(&self) -> Option<String> {
        Some("the only lock".to_owned())
    }

    fn instruction(&self) -> String {
        "Open the lock.".to_owned()
    }

    fn observation(&self) -> String {
        if self.opened == 0 { "It is closed.".to_owned() } else { String::new() }
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        let tools = TOOLS.iter().skip(self.opened).take(1);
        tools.map(|name| ToolDefinition::new(*name, "Opens the next.", Vec::new())).collect()
    }

    fn act(&mut self, reply: &Reply) -> Acted {
        let mut acted = Acted::default();
        let Some(call) = reply.tool_calls.first() else {
            self.end = Some(match reply.text.as_str() {
                "open" if self.opened == TOOLS.len() => End::Succeeded,
                _ => End::Failed,
            });
            return acted;
        };
        acted.results.push(if Some(&call.name.as_str()) == TOOLS.get(self.opened) {
            self.opened += 1;
            acted.spent.push(self.opened as f64);
            Ok(format!("{} is open", call.name))
        } else {
            Err(format!("{} is stuck", call.name))
        });
        acted
    }

    fn end(&self) -> Option<End> {
        self.end
    }
}

fn call(tool: &str) -> RecordedCall {
    RecordedCall::new(tool, Arguments::default())
}

/// Calls the tool that is shown, once together with another one, and says at the end that the lock is open.
fn agent(request: &Request) -> Reply {
    let calls: &[&str] = match request.tools.as_slice() {
        [] => return "open".into(),
        [tool] if tool.name == "second" => &["second", "third"],
        [tool] => &[tool.name.as_str()],
        _ => panic!("one tool is shown at a time: {:?}", request.tools),
    };
    Reply { tool_calls: calls.iter().map(|tool| call(tool)).collect(), ..Reply::default() }
}

/// Runs a future that never waits.
fn block_on<F: Future>(future: F) -> F::Output {
    let Poll::Ready(output) = pin!(future).poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("nothing waits");
    };
    output
}

#[test]
fn tools_are_shown_anew_in_each_turn_and_every_call_has_an_answer() -> Result<(), Error> {
    let mut requests = Vec::new();
    let record = converse(Play::new().conversation("lock", Lock::default())?, |request| {
        requests.push(request.clone());
        Ok(agent(request))
    })?;
    let shown = |request: &Request| request.tools.iter().map(|it| it.name.clone()).collect();
    let shown: Vec<Vec<String>> = requests.iter().map(shown).collect();
    assert_eq!(shown, [vec!["first"], vec!["second"], vec!["third"], vec![]]);
    let last = &requests[3].messages;
    let roles: Vec<Role> = last.iter().map(|message| message.role).collect();
    use Role::{Assistant, System, Tool, User};
    assert_eq!(roles, [System, User, Assistant, Tool, Assistant, Tool, Tool, Assistant, Tool]);
    let texts: Vec<&str> =
        last.iter().filter(|it| it.role == Tool).map(|it| it.text.as_str()).collect();
    let expected = ["first is open", "second is open", "this call was not made", "third is open"];
    assert_eq!(texts, expected);

    assert!(record.succeeded && record.record.run.outcome == Some(true));
    assert_eq!(record.record.run.task.as_deref(), Some("the only lock"));
    let made = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
    let made: Vec<_> = made.flat_map(|reply| reply.tool_calls.iter().map(|call| call.ok)).collect();
    assert_eq!(made, [Some(true), Some(true), Some(false), Some(true)]);
    let seen: Vec<&str> = record.turns.iter().map(|turn| turn.observation.as_str()).collect();
    let both = "second is open\nthis call was not made";
    assert_eq!(seen, ["It is closed.", "first is open", both, "third is open"]);
    Ok(())
}

#[test]
fn amounts_that_an_environment_leaves_out_are_zero() -> Result<(), Error> {
    let lock = Play::new().conversation("lock", Lock::default())?;
    let record = converse(lock, |request| Ok(agent(request)))?;
    let spent: Vec<&[f64]> = record.turns.iter().map(|turn| turn.spent.as_slice()).collect();
    assert_eq!(spent, [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 0.0]]);
    let rollouts = rollouts::<Lock>([&record])?;
    let rollout = rollouts.iter().next().unwrap();
    assert_eq!(rollout.usage(rollouts.resource("coins")?)?.total(), 6.0);
    Ok(())
}

/// A lock whose turns spend an amount too many.
#[derive(Clone)]
struct Spender(Lock);

impl Environment for Spender {
    const RESOURCES: &'static [&'static str] = &["coins"];

    fn instruction(&self) -> String {
        self.0.instruction()
    }

    fn observation(&self) -> String {
        self.0.observation()
    }

    fn act(&mut self, reply: &Reply) -> Acted {
        let mut acted = self.0.act(reply);
        acted.spent = vec![1.0, 2.0];
        acted
    }

    fn end(&self) -> Option<End> {
        self.0.end
    }
}

#[test]
fn an_amount_that_belongs_to_no_resource_is_an_error_and_ends_the_run() -> Result<(), Error> {
    let mut run = Play::new().conversation("lock", Spender(Lock::default()))?;
    let error = run.reply("open".into()).unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains('2') && text.contains("coins"), "{text}");
    assert_eq!(run.request(), None);
    let record = run.finish();
    assert_eq!((record.end, record.record.run.outcome), (None, None));
    let run = Play::new().conversation("lock", Spender(Lock::default()))?;
    assert_eq!(converse(run, |_| Ok("open".into())), Err(error));
    Ok(())
}

#[test]
fn no_message_is_empty_after_calls_and_a_kept_question() -> Result<(), Error> {
    for keeps in [false, true] {
        let settings = Play::new().with_questions(&[("coins", None)], keeps);
        let mut last = Vec::new();
        let record = converse(settings.conversation("lock", Lock::default())?, |request| {
            let message = request.messages.last().unwrap();
            assert!(request.messages.iter().all(|it| it.role != Role::User || !it.text.is_empty()));
            assert_ne!(message.role, Role::Assistant);
            if message.text.contains("How much more") {
                return Ok("<answer>[1, 9]</answer>".into());
            }
            last.push(message.role);
            Ok(agent(request))
        })?;
        let shown = if keeps { Role::User } else { Role::Tool };
        assert_eq!(last, [Role::User, shown, shown, shown]);
        assert!(record.succeeded);
        let seen: Vec<&str> = record.turns.iter().map(|turn| turn.observation.as_str()).collect();
        let both = "second is open\nthis call was not made";
        assert_eq!(seen, ["It is closed.", "first is open", both, "third is open"], "{keeps}");
    }
    Ok(())
}

#[test]
fn a_limit_of_the_setting_is_in_the_log_and_a_run_without_an_outcome_is_cut_off()
-> Result<(), Error> {
    let of = |most: usize, reply: &dyn Fn(&Request) -> Reply| {
        let lock = Play::new().with_most_turns(most).conversation("lock", Lock::default())?;
        converse(lock, |request| Ok(reply(request)))
    };
    let mut limited = of(2, &agent)?;
    let failed = of(2, &|_| "open".into())?;
    let limits = [&limited, &failed].map(|it| it.record.run.limit.is_some());
    assert_eq!(limits, [true, false]);
    let cut_off = |record: &PlayRecord| {
        let all = rollouts::<Lock>([record])?;
        Ok::<_, Error>(all.iter().all(|rollout| rollout.is_censored()))
    };
    assert!(!cut_off(&limited)? && !cut_off(&failed)?);
    limited.record.run.outcome = None;
    assert!(cut_off(&limited)?);
    Ok(())
}

#[test]
fn an_async_agent_plays_as_a_closure_does() -> Result<(), Error> {
    let lock = || Play::new().conversation("lock", Lock::default());
    // The second model fails at its third request.
    for most in [9, 2] {
        let model = || {
            let mut asked = 0;
            move |request: &Request| {
                asked += 1;
                if asked > most { Err(ModelError::new("busy")) } else { Ok(agent(request)) }
            }
        };
        let mut awaited = model();
        let run = converse_async(lock()?, async move |request: &Request| awaited(request));
        fn is_send<T: Send>(run: T) -> T {
            run
        }
        let awaited = block_on(is_send(run))?;
        assert_eq!(converse(lock()?, model())?, awaited);
        let error = awaited.record.run.error.as_deref();
        assert_eq!(error, (most == 2).then_some("busy"));
    }
    Ok(())
}

#[test]
fn a_call_in_place_of_an_estimate_is_answered_as_not_made() -> Result<(), Error> {
    let settings = Play::new().with_questions(&[("coins", Some(50.0))], true);
    let mut asked = 0;
    let record = converse(settings.conversation("lock", Lock::default())?, |request| {
        let is_question =
            request.messages.last().is_some_and(|it| it.text.contains("How much more"));
        asked += usize::from(is_question);
        Ok(match is_question {
            true if asked == 1 => Reply { tool_calls: vec![call("second")], ..Reply::default() },
            true => "<answer>[1, 9]</answer>".into(),
            false => agent(request),
        })
    })?;
    assert_eq!((asked, record.succeeded), (3, true));
    assert_eq!(record.turns[0].estimates, [Estimate::NoAnswer]);
    let turn = &record.record.run.turns[1];
    let made = &turn.reply.as_ref().unwrap().tool_calls[0];
    assert_eq!((made.ok, made.error.as_deref()), (Some(false), Some("this call was not made")));
    Ok(())
}
