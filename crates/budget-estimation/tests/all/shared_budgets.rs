//! Several agents on one budget: one line of turns for each agent, and one account for all.

use budget_estimation::{
    Advice, AdviceReason, Budget, BudgetMonitor, Error, Estimate, RecordedRun, StopReason, StopRule,
};

use crate::common::{interval, stored, turn};

fn monitor(names: &[&str]) -> BudgetMonitor {
    let monitor = BudgetMonitor::new(names.iter().map(|&name| (name, None))).unwrap();
    monitor.with_stop_rule(StopRule::impossible_in_a_row(2).unwrap())
}

/// One of two subagents says "impossible" at every turn, and the other never does.
#[test]
fn a_hopeless_agent_stops_and_the_other_goes_on() {
    let budget = Budget::new([("tokens", Some(1e6))]).unwrap();
    let mut runs = [(); 2].map(|()| RecordedRun::new(monitor(&["tokens"])).unwrap());
    let mut stops = [0; 2];
    for _ in 0..10 {
        for (at, run) in runs.iter_mut().enumerate() {
            let estimate = if at == 0 { Estimate::Impossible } else { interval(10.0, 20.0) };
            let call = budget.reserve(&[("tokens", 5.0)]).unwrap();
            call.settle(&[("tokens", 1.0)]).unwrap();
            run.push(&[1.0]).unwrap();
            let advice = run.advise_within(&budget, &[estimate], None).unwrap();
            stops[at] += u32::from(advice.stop_reason().is_some());
            // Stored in the middle, each goes on alone.
            *run = stored(run);
        }
    }
    assert_eq!(stops, [9, 0]);
    assert!(budget.resources().map(|it| it.spent).eq([20.0]));
    assert_eq!(runs.map(|run| run.monitor().spent()[0]), [10.0, 10.0]);
}

#[test]
fn a_recorded_run_is_advised_under_the_caps_of_its_budget() {
    let budget = Budget::new([("tokens", Some(100.0)), ("usd", None)]).unwrap();
    let own = budget.child(&[("tokens", 60.0)]).unwrap();
    let mut run = RecordedRun::new(monitor(&["tokens", "usd"])).unwrap();
    let mut alone = monitor(&["tokens", "usd"]);
    let estimates = [interval(30.0, 50.0), Estimate::NoAnswer];
    for spent in [20.0_f64, 20.0, 15.0, 30.0] {
        own.reserve(&[("tokens", spent.min(5.0))]).unwrap().settle(&[("tokens", spent)]).unwrap();
        run.push(&[Some(spent), None]).unwrap();
        let advice = run.advise_within(&own, &estimates, None).unwrap();
        assert_eq!(advice, alone.advise(&own, &estimates, None).unwrap());
        assert_eq!(run.monitor().turns(), alone.turns());
    }
    let advice = run.advise_within(&own, &estimates, None).unwrap();
    assert_eq!(advice.stop_reason(), Some(StopReason::MaxTokens));
    // A stop of the budget stops an agent that has done nothing yet.
    let mut other = RecordedRun::new(monitor(&["tokens", "usd"])).unwrap();
    budget.stop(StopReason::UserStop);
    let advice = other.advise_within(&budget, &estimates, None).unwrap();
    assert_eq!(advice.stop_reason(), Some(StopReason::UserStop));
    for names in [&["usd", "tokens"][..], &["tokens"]] {
        let mut unlike = RecordedRun::new(monitor(names)).unwrap();
        let error = unlike.advise_within(&budget, &estimates, None).unwrap_err();
        assert!(matches!(error, Error::Unlike { .. }), "{error}");
    }
    let capped = BudgetMonitor::new([("tokens", Some(1.0)), ("usd", None)]).unwrap();
    let error = RecordedRun::new(capped).unwrap().advise_within(&budget, &estimates, None);
    assert!(matches!(error, Err(Error::Unlike { .. })), "{error:?}");
}

/// The answer about one resource is unreadable, and the one about the other is not.
#[test]
fn a_missing_answer_beside_another_answer_ends_no_row() {
    let (impossible, none, fits) = (Estimate::Impossible, Estimate::NoAnswer, interval(10.0, 20.0));
    // The turn after which a run stops, given both answers of each turn by their first letters.
    for (turns, expected) in [
        ("if nf if", Some(2)),
        ("in nn nf in", Some(3)),
        ("in fn in nn in", Some(4)),
        // Both resources count for one row.
        ("if fi", Some(1)),
        ("if ni", Some(1)),
        // An interval of the resource that was impossible ends it, whatever the other says.
        ("if fn if", None),
        ("ii fn nf if", None),
        ("ii fn if", Some(2)),
    ] {
        let mut monitor = monitor(&["tokens", "usd"]);
        let answer = |letter: char| match letter {
            'i' => impossible,
            'n' => none,
            _ => fits,
        };
        let stop = turns.split(' ').position(|pair| {
            let answers: Vec<Estimate> = pair.chars().map(answer).collect();
            matches!(monitor.push(&turn(&[1.0; 2], &answers), None).unwrap(), Advice::Stop(_))
        });
        assert_eq!(stop, expected, "{turns}");
    }
    let mut silent = monitor(&["tokens", "usd"]);
    silent.push(&turn(&[1.0; 2], &[impossible, fits]), None).unwrap();
    let mut silent = stored(&silent);
    assert_eq!(silent.push(&turn(&[1.0; 2], &[none, fits]), None), Ok(Advice::Continue));
    let stop = silent.push(&turn(&[1.0; 2], &[impossible, none]), None).unwrap();
    assert_eq!(stop, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
}
