//! Budgets that agents share: never more is held and spent than a cap, except what was spent without being held.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
};

use budget_estimation::{
    Advice, AdviceReason, Budget, BudgetMonitor, Error, Estimate, Reading, Reservation, StopReason,
    StopRule,
};

/// A small generator, so that a million schedules cost little.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn tokens(cap: f64) -> Budget {
    Budget::new([("tokens", Some(cap))]).unwrap()
}

/// What a budget must say, in whole tokens and cents.
#[derive(Clone, Debug, Default)]
struct Model {
    parent: Option<usize>,
    caps: [Option<u64>; 2],
    spent: [u64; 2],
    held: [u64; 2],
    excess: [u64; 2],
}

fn amounts([tokens, cents]: [u64; 2]) -> [(&'static str, f64); 2] {
    [("tokens", tokens as f64), ("usd", cents as f64 / 100.0)]
}

fn line(models: &[Model], from: usize) -> Vec<usize> {
    std::iter::successors(Some(from), |&at| models[at].parent).collect()
}

fn assert_equal(budget: &Budget, model: &Model) {
    let shown = |all: [u64; 2]| amounts(all).map(|(_, amount)| amount);
    assert!(budget.resources().map(|it| it.spent).eq(shown(model.spent)), "{model:?}");
    assert!(budget.resources().map(|it| it.held).eq(shown(model.held)), "{model:?}");
    assert!(budget.resources().map(|it| it.excess).eq(shown(model.excess)), "{model:?}");
    for at in 0..2 {
        let committed = model.spent[at] + model.held[at];
        assert!(model.caps[at].is_none_or(|cap| committed <= cap + model.excess[at]), "{model:?}");
    }
}

/// Runs one schedule: up to 64 tasks on a tree of up to 6 budgets reserve, settle, drop, panic and spend in any order.
fn run_schedule(draws: &mut Draws) {
    let cap = |draws: &mut Draws, most: u64| draws.below(most + 1);
    let caps = [Some(cap(draws, 2000)), (draws.below(2) == 0).then(|| cap(draws, 500))];
    let root = Budget::new([
        ("tokens", caps[0].map(|cap| cap as f64)),
        ("usd", caps[1].map(|cap| cap as f64 / 100.0)),
    ]);
    let (mut budgets, mut models) = (vec![root.unwrap()], vec![Model { caps, ..Model::default() }]);
    for _ in 0..draws.below(6) {
        let parent = draws.below(budgets.len() as u64) as usize;
        let above = line(&models, parent).into_iter().filter_map(|at| models[at].caps[0]).min();
        let own = cap(draws, above.unwrap());
        budgets.push(budgets[parent].child(&[("tokens", own as f64)]).unwrap());
        let caps = [Some(own), None];
        models.push(Model { parent: Some(parent), caps, ..Model::default() });
    }
    let mut tasks: Vec<(usize, [u64; 2], Reservation)> = Vec::new();
    let tasks_at_most = 1 + draws.below(64) as usize;
    for _ in 0..draws.below(40) {
        let at = draws.below(budgets.len() as u64) as usize;
        let asked = [draws.below(400), draws.below(60)];
        match draws.below(8) {
            0..=3 if tasks.len() < tasks_at_most => {
                let fits = line(&models, at).iter().all(|&above| {
                    let model = &models[above];
                    (0..2).all(|of| {
                        let sum = model.spent[of] + model.held[of] + asked[of];
                        asked[of] == 0 || model.caps[of].is_none_or(|cap| sum <= cap)
                    })
                });
                let reserved = budgets[at].reserve(&amounts(asked));
                assert_eq!(reserved.is_ok(), fits, "{asked:?} of {at} in {models:?}");
                if let Ok(reservation) = reserved {
                    for above in line(&models, at) {
                        (0..2).for_each(|of| models[above].held[of] += asked[of]);
                    }
                    tasks.push((at, asked, reservation));
                }
            }
            4 => {
                budgets[at].spend(&amounts(asked)).unwrap();
                for above in line(&models, at) {
                    for (of, asked) in asked.into_iter().enumerate() {
                        models[above].spent[of] += asked;
                        models[above].excess[of] += asked;
                    }
                }
            }
            end if !tasks.is_empty() => {
                let task = draws.below(tasks.len() as u64) as usize;
                let (at, held, reservation) = tasks.swap_remove(task);
                // Settled, also above what was held; otherwise dropped, or dropped by a panic.
                let used = (end < 7).then(|| held.map(|held| draws.below(held + held / 4 + 2)));
                match used {
                    Some(used) => reservation.settle(&amounts(used)).unwrap(),
                    None if draws.below(50) == 0 => {
                        let call = AssertUnwindSafe(|| {
                            let _held = reservation;
                            std::panic::resume_unwind(Box::new(()));
                        });
                        assert!(catch_unwind(call).is_err());
                    }
                    None => drop(reservation),
                }
                for above in line(&models, at) {
                    for of in 0..2 {
                        let used = used.map_or(0, |used| used[of]);
                        models[above].held[of] -= held[of];
                        models[above].spent[of] += used;
                        models[above].excess[of] += used.saturating_sub(held[of]);
                    }
                }
            }
            _ => {}
        }
        budgets.iter().zip(&models).for_each(|(budget, model)| assert_equal(budget, model));
    }
    drop(tasks);
    assert!(budgets.iter().all(|budget| budget.resources().map(|it| it.held).eq([0.0, 0.0])));
}

#[test]
fn ten_thousand_random_schedules_hold_and_spend_what_a_plain_model_says() {
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    (0..10_000).for_each(|_| run_schedule(&mut draws));
}

#[test]
fn threads_never_hold_and_spend_more_than_the_cap_and_the_excess() {
    let budget = Budget::new([("tokens", Some(50_000.0)), ("usd", Some(40.0))]).unwrap();
    let subagents: Vec<Budget> =
        (0..4).map(|_| budget.child(&[("tokens", 20_000.0)]).unwrap()).collect();
    let ended = AtomicBool::new(false);
    let totals: Vec<[u64; 3]> = std::thread::scope(|scope| {
        let watched: Vec<_> = [&budget].into_iter().chain(&subagents).collect();
        let (done, whole) = (&ended, &budget);
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                for it in whole.resources() {
                    assert!(it.left.unwrap_or(f64::INFINITY) + it.excess >= 0.0, "{it:?}");
                }
                for budget in &watched {
                    // The excess last, which only grows. What is left is the least of both budgets.
                    let left: Vec<f64> =
                        budget.resources().map(|it| it.left.unwrap_or(f64::INFINITY)).collect();
                    let excess = budget
                        .resources()
                        .map(|it| it.excess)
                        .zip(whole.resources().map(|it| it.excess));
                    for (left, (own, above)) in left.into_iter().zip(excess) {
                        assert!(left + own.max(above) >= 0.0, "{left} left, {own}, {above}");
                    }
                }
            }
        });
        let threads: Vec<_> = (0..8_usize)
            .map(|thread| {
                let subagent = &subagents[thread % 4];
                scope.spawn(move || {
                    let mut draws = Draws(thread as u64 + 1);
                    let [mut spent, mut cents, mut above] = [0; 3];
                    for _ in 0..20_000 {
                        let asked = [1 + draws.below(40), draws.below(5)];
                        let Ok(call) = subagent.reserve(&amounts(asked)) else { continue };
                        if draws.below(3) == 0 {
                            continue;
                        }
                        let used = asked.map(|asked| draws.below(asked + 3));
                        call.settle(&amounts(used)).unwrap();
                        (spent, cents) = (spent + used[0], cents + used[1]);
                        above += used[0].saturating_sub(asked[0]);
                    }
                    [spent, cents, above]
                })
            })
            .collect();
        let totals = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        ended.store(true, Ordering::Relaxed);
        totals
    });
    let sum = |at: usize| totals.iter().map(|total| total[at]).sum::<u64>();
    assert!(budget.resources().map(|it| it.spent).eq([sum(0) as f64, sum(1) as f64 / 100.0]));
    assert_eq!(budget.resources().map(|it| it.excess).next(), Some(sum(2) as f64));
    assert!(budget.resources().map(|it| it.held).eq([0.0, 0.0]));
    for (at, subagent) in subagents.iter().enumerate() {
        let own = (totals[at][0] + totals[at + 4][0]) as f64;
        assert_eq!(subagent.resources().map(|it| it.spent).next(), Some(own));
        assert!(own <= 20_000.0 + subagent.resources().map(|it| it.excess).next().unwrap());
    }
    // The work was enough to exhaust the budgets.
    assert!(sum(0) > 45_000, "{totals:?}");
}

#[test]
fn tenths_of_a_dollar_add_up_exactly_and_smaller_parts_are_rounded_up() {
    let budget = Budget::new([("usd", Some(0.3))]).unwrap();
    for _ in 0..3 {
        budget.reserve(&[("usd", 0.1)]).unwrap().settle(&[]).unwrap();
    }
    assert!(
        budget.resources().map(|it| it.spent).eq([0.3])
            && budget.resources().map(|it| it.left).eq([Some(0.0)])
    );
    assert!(matches!(budget.reserve(&[("usd", 1e-12)]), Err(Error::OverBudget { .. })));
    // Nothing costs nothing.
    budget.reserve(&[("usd", 0.0)]).unwrap().settle(&[("usd", 2e-10)]).unwrap();
    assert!(budget.resources().map(|it| it.excess).eq([1e-9]));

    // A product that lies above its decimal by a rounding error is that decimal.
    let budget = Budget::new([("usd", Some(1.0))]).unwrap();
    assert_ne!(7.0 * 0.000_01, 0.000_07);
    budget.spend(&[("usd", 7.0 * 0.000_01)]).unwrap();
    assert!(budget.resources().map(|it| it.spent).eq([0.000_07]));
    for cap in [0.1 + 0.7, 0.7 * 3.0, 4.35 * 100.0] {
        let budget = tokens(cap);
        assert!(budget.reserve(&[("tokens", cap)]).is_ok(), "{cap}");
    }
}

#[test]
fn invalid_amounts_are_refused_and_hold_nothing() {
    let budget = tokens(100.0);
    for value in [-1.0, f64::NAN, f64::INFINITY, 1e101] {
        let error = budget.reserve(&[("tokens", value)]).unwrap_err();
        assert!(matches!(error, Error::Amount { .. }), "{error}");
        assert!(budget.spend(&[("tokens", value)]).is_err());
        assert!(budget.child(&[("tokens", value)]).is_err());
    }
    for value in [101.0, 1e15, 1e100] {
        let error = budget.reserve(&[("tokens", value)]).unwrap_err();
        assert!(matches!(error, Error::OverBudget { .. }), "{error}");
    }
    let twice = budget.child(&[("tokens", 1.0), ("tokens", 2.0)]);
    assert!(matches!(twice, Err(Error::ResourceName { .. })));
    let unlimited = Budget::new([("bytes", None)]).unwrap();
    assert!(unlimited.child(&[("bytes", 1e10)]).is_err());
    let error = budget.reserve(&[("tokens", 10.0), ("usd", 1.0)]).unwrap_err();
    assert!(matches!(error, Error::NoSuchResource { name, .. } if name == "usd"));
    assert!(
        budget.resources().map(|it| it.held).eq([0.0])
            && budget.resources().map(|it| it.spent).eq([0.0])
    );
    assert_eq!(
        budget.child(&[("tokens", 101.0)]).unwrap_err().to_string(),
        "101 tokens; give an amount from 0 to 100"
    );
    for names in [vec![], vec![""], vec!["a", "a"], vec!["a"; 9]] {
        assert!(Budget::new(names.into_iter().map(|name| (name, None))).is_err());
    }
    assert!(Budget::new([("tokens", Some(1e16))]).is_err());
}

#[test]
fn a_reply_without_valid_counts_costs_what_was_reserved() {
    let budget = tokens(100.0);
    let error = budget.reserve(&[("tokens", 40.0)]).unwrap().settle(&[("tokens", f64::NAN)]);
    assert!(matches!(error, Err(Error::Amount { .. })));
    assert!(
        budget.resources().map(|it| it.spent).eq([40.0])
            && budget.resources().map(|it| it.held).eq([0.0])
    );
    // What was really used is counted, however large, and beside a misspelt name.
    let small = Budget::new([("tokens", Some(500_000.0)), ("usd", None)]).unwrap();
    small.reserve(&[("tokens", 2000.0)]).unwrap().settle(&[("tokens", 1e6)]).unwrap();
    assert!(small.resources().map(|it| it.left).eq([Some(-500_000.0), None]));
    let call = small.reserve(&[("usd", 0.1)]).unwrap();
    assert!(call.settle(&[("usd", 0.3), ("dollars", 1.0)]).is_err());
    assert!(small.resources().map(|it| it.spent).eq([1e6, 0.3]));
    small.spend(&[("tokens", 1e100)]).unwrap();
    assert!(small.reserve(&[("tokens", 1.0)]).is_err());
    // Two counts of one resource add up.
    let call = budget.reserve(&[("tokens", 20.0), ("tokens", 10.0)]).unwrap();
    assert!(budget.resources().map(|it| it.held).eq([30.0]));
    call.settle(&[("tokens", 7.0), ("tokens", 8.0)]).unwrap();
    assert!(budget.resources().map(|it| it.spent).eq([55.0]));
}

#[test]
fn a_stop_sticks_for_the_budget_and_all_below_it() {
    let budget = tokens(100.0);
    let child = budget.child(&[]).unwrap();
    let grandchild = child.child(&[]).unwrap();
    let under_way = grandchild.reserve(&[("tokens", 10.0)]).unwrap();
    child.stop(StopReason::UserStop);
    child.stop(StopReason::MaxTime);
    for stopped in [&child, &grandchild, &child.clone()] {
        assert_eq!(stopped.stop_reason(), Some(&StopReason::UserStop));
        let error = stopped.reserve(&[("tokens", 1.0)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this budget takes no further reservation, because it was stopped: user_stop"
        );
        assert_eq!(error.stop_reason(), Some(StopReason::UserStop));
    }
    assert_eq!(budget.stop_reason(), None);
    assert!(budget.reserve(&[("tokens", 1.0)]).is_ok());
    under_way.settle(&[("tokens", 9.0)]).unwrap();
    assert!(budget.resources().map(|it| it.spent).eq([9.0]));
}

#[test]
fn a_notice_is_given_once_at_its_share() {
    let budget = Budget::new([("tokens", Some(100.0)), ("usd", None), ("calls", Some(4.0))]);
    let budget = budget.unwrap().with_notice_at(0.75).unwrap();
    budget.spend(&[("tokens", 74.0), ("usd", 1e6), ("calls", 2.0)]).unwrap();
    assert_eq!(budget.notice(), None);
    budget.spend(&[("tokens", 1.0), ("calls", 1.0)]).unwrap();
    let other = budget.clone();
    assert_eq!(
        [budget.notice(), other.notice(), budget.notice()],
        [Some("tokens"), Some("calls"), None]
    );
    assert!(tokens(1.0).with_notice_at(1.5).is_err());
    // The share is a decimal, as it is written.
    let budget = tokens(100.0).with_notice_at(0.07).unwrap();
    budget.spend(&[("tokens", 7.0)]).unwrap();
    assert_eq!(budget.notice(), Some("tokens"));
}

#[test]
fn what_is_left_is_the_least_of_all_budgets_above_and_is_written_for_a_prompt() {
    let budget =
        Budget::new([("tokens", Some(4000.0)), ("usd", Some(1.0)), ("calls", None)]).unwrap();
    let child = budget.child(&[("tokens", 3000.0)]).unwrap();
    assert_eq!(child.to_string(), "3,000 of 3,000 tokens left; 1 of 1 usd left; 0 calls spent");
    let narrow = budget.child(&[("tokens", 1500.0)]).unwrap();
    budget.spend(&[("tokens", 2800.0), ("usd", 0.65), ("calls", 1234567.5)]).unwrap();
    assert!(child.resources().map(|it| it.left).eq([Some(1200.0), Some(0.35), None]));
    assert!(child.resources().map(|it| it.cap).eq([Some(3000.0), None, None]));
    // The share left is of the cap that leaves the least.
    assert!(narrow.to_string().starts_with("1,200 of 4,000 tokens left"), "{narrow}");
    assert!(child.resources().map(|it| it.name).eq(budget.resources().map(|it| it.name)));
    assert_eq!(
        budget.to_string(),
        "1,200 of 4,000 tokens left; 0.35 of 1 usd left; 1,234,567.5 calls spent"
    );
    child.spend(&[("tokens", 1300.0)]).unwrap();
    assert!(budget.resources().map(|it| it.left).eq([Some(-100.0), Some(0.35), None]));
    assert!(budget.to_string().starts_with("0 of 4,000 tokens left"));
    let error = child.reserve(&[("tokens", 1.0)]).unwrap_err();
    assert_eq!(error.to_string(), "cannot reserve 1 tokens: -100 left");
}

#[test]
fn a_stored_tree_continues_as_it_was_and_what_was_held_is_spent() {
    let budget = Budget::new([("tokens", Some(4000.0)), ("usd", None)]).unwrap();
    let budget = budget.with_notice_at(0.5).unwrap();
    let child = budget.child(&[("tokens", 1000.0)]).unwrap();
    child
        .reserve(&[("tokens", 100.0)])
        .unwrap()
        .settle(&[("tokens", 130.0), ("usd", 0.1)])
        .unwrap();
    let under_way = child.reserve(&[("tokens", 300.0)]).unwrap();
    budget.spend(&[("tokens", 1800.0)]).unwrap();
    assert_eq!(budget.notice(), None);
    let stored = [&budget, &child].map(|it| serde_json::to_string(it).unwrap());
    drop(under_way);
    let [parent, orphan] =
        stored.clone().map(|text| serde_json::from_str::<Budget>(&text).unwrap());
    assert_eq!(parent.notice(), Some("tokens"));
    let child = parent.adopt(orphan).unwrap();
    assert!(
        parent.resources().map(|it| it.spent).eq([2230.0, 0.1])
            && child.resources().map(|it| it.spent).eq([430.0, 0.1])
    );
    assert!(
        parent.resources().map(|it| it.excess).eq([1830.0, 0.1])
            && child.resources().map(|it| it.excess).eq([30.0, 0.1])
    );
    assert!(child.reserve(&[("tokens", 571.0)]).is_err());
    child.reserve(&[("tokens", 570.0)]).unwrap().settle(&[]).unwrap();
    assert!(parent.resources().map(|it| it.left).eq([Some(1200.0), None]));
    parent.stop(StopReason::MaxTime);
    let again: Budget = serde_json::from_str(&serde_json::to_string(&parent).unwrap()).unwrap();
    assert_eq!(again.stop_reason(), Some(&StopReason::MaxTime));
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&parent).unwrap());

    let read = |text: &str| serde_json::from_str::<Budget>(text);
    // Once is enough; and the budget that is running has this child already.
    for running in [&parent, &budget] {
        let twice = running.adopt(read(&stored[1]).unwrap());
        assert!(matches!(twice, Err(Error::Unlike { .. })), "{twice:?}");
    }
    let parent = read(&stored[0]).unwrap();
    let orphan = read(&stored[1]).unwrap();
    let handle = orphan.clone();
    assert!(matches!(parent.adopt(orphan), Err(Error::Unlike { .. })));
    assert!(parent.adopt(handle).is_ok());
    let others = [
        Budget::new([("tokens", Some(4000.0))]).unwrap(),
        Budget::new([("tokens", Some(4001.0)), ("usd", None)]).unwrap(),
        child.clone(),
    ];
    for other in others {
        assert!(matches!(parent.adopt(other), Err(Error::Unlike { .. })));
    }
    for (from, to) in [
        ("\"places\":9", "\"places\":10"),
        ("\"spent\":1930000000000", "\"spent\":9930000000000"),
        ("\"excess\":1830000000000", "\"excess\":9830000000000"),
        ("\"cap\":4000000000000", "\"cap\":40000000000000000"),
        ("\"usd\"", "\"tokens\""),
        ("\"held\"", "\"hold\""),
    ] {
        let forged = stored[0].replacen(from, to, 1);
        assert_ne!(forged, stored[0], "{from} in {}", stored[0]);
        assert!(read(&forged).is_err(), "{forged}");
    }
}

#[test]
fn amounts_that_others_hold_can_warn_an_agent_but_do_not_stop_it() {
    let budget = tokens(1000.0);
    let monitor = || {
        let rule = StopRule::first_impossible().with_reading(Reading::Cap);
        BudgetMonitor::new([("tokens", None)]).unwrap().with_stop_rule(rule)
    };
    let (mut agent, mut other) = (monitor(), monitor());
    let held = budget.reserve(&[("tokens", 900.0)]).unwrap();
    let rest = [Estimate::interval(200.0, 300.0).unwrap()];
    let warning = Advice::Warn(AdviceReason::MayNotFit { resource: "tokens".to_owned() });
    assert_eq!(agent.advise(&budget, &rest, None), Ok(warning));
    held.settle(&[("tokens", 10.0)]).unwrap();
    assert_eq!(agent.advise(&budget, &rest, None), Ok(Advice::Continue));
    // A settlement above the cap stops every agent, whoever made it.
    let child = budget.child(&[("tokens", 500.0)]).unwrap();
    child.reserve(&[("tokens", 500.0)]).unwrap().settle(&[("tokens", 1000.0)]).unwrap();
    let exceeded = Advice::Stop(AdviceReason::CapExceeded { resource: "tokens".to_owned() });
    for monitor in [&mut agent, &mut other] {
        assert_eq!(monitor.advise(&budget, &rest, None), Ok(exceeded.clone()));
    }
    // A budget that was stopped says why, and near caps count in every budget above.
    let whole = tokens(100.0);
    whole.spend(&[("tokens", 95.0)]).unwrap();
    let own = whole.child(&[]).unwrap();
    let mut agent = monitor().with_warning_at(0.9).unwrap();
    let near = Advice::Warn(AdviceReason::NearCap { resource: "tokens".to_owned() });
    assert_eq!(agent.advise(&own, &[Estimate::NoAnswer], None), Ok(near));
    // The share of a cap is a decimal, as it is written.
    let dollar = Budget::new([("tokens", Some(1.0))]).unwrap();
    dollar.spend(&[("tokens", 0.93)]).unwrap();
    let mut at_share = monitor().with_warning_at(0.93).unwrap();
    let near = Advice::Warn(AdviceReason::NearCap { resource: "tokens".to_owned() });
    assert_eq!(at_share.advise(&dollar, &[Estimate::NoAnswer], None), Ok(near));
    whole.stop(StopReason::UserStop);
    let advice = agent.advise(&own, &[Estimate::NoAnswer], None).unwrap();
    assert_eq!(advice.stop_reason(), Some(StopReason::UserStop));
    // The monitor has the resources of the budget, and no caps of its own.
    let mut capped = BudgetMonitor::new([("tokens", Some(10.0))]).unwrap();
    let mut others = BudgetMonitor::new([("usd", None)]).unwrap();
    for monitor in [&mut capped, &mut others] {
        let error = monitor.advise(&own, &[Estimate::NoAnswer], None).unwrap_err();
        assert!(matches!(error, Error::Unlike { .. }), "{error}");
        assert_eq!(monitor.turns(), 0);
    }
}
