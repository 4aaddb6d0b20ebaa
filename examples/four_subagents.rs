//! Four subagents spend one budget at the same time: each call holds what such calls usually cost, and is settled with what it
//! really cost.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use budget_estimation::{
    Budget, BudgetMonitor, CallCosts, Error, Estimate, Level, Reading, StopReason, StopRule,
};

/// The most tokens that a reply may have, and dollars per token.
const LARGEST: f64 = 4096.0;
const PRICE: f64 = 0.000_01;

fn main() -> Result<(), Error> {
    let budget = Budget::new([("tokens", Some(60_000.0)), ("usd", Some(1.0))])?;
    let budget = budget.with_notice_at(0.8)?;
    // At most one budget in a hundred may be overspent. Earlier calls say what calls cost.
    let mut costs = CallCosts::new(Level::new(0.01)?, 3000)?;
    (0..3000).try_for_each(|call| costs.learn(tokens(call)))?;
    println!("a call holds {} tokens in place of {LARGEST}", costs.amount(LARGEST)?);
    let costs = Mutex::new(costs);

    thread::scope(|scope| {
        let names = ["reader", "planner", "coder", "tester"];
        let threads = names.map(|name| {
            let (budget, costs) = (&budget, &costs);
            scope.spawn(move || (name, subagent(name, budget, costs)))
        });
        for thread in threads {
            if let Ok((name, end)) = thread.join() {
                println!("{name}: {}", end?);
            }
        }
        Ok::<(), Error>(())
    })?;
    println!("{budget}");
    Ok(())
}

/// Works until a call is refused, or until the monitor of this subagent advises to stop.
fn subagent(name: &str, budget: &Budget, costs: &Mutex<CallCosts>) -> Result<StopReason, Error> {
    let costs = || costs.lock().unwrap_or_else(PoisonError::into_inner);
    let own = budget.child(&[("tokens", 25_000.0)])?;
    let mut monitor = BudgetMonitor::new(own.resources().map(|it| (it.name, None)))?
        .with_stop_rule(StopRule::first_impossible().with_reading(Reading::Cap));
    for call in 0.. {
        let amount = costs().amount(LARGEST)?;
        let held = match own.reserve(&[("tokens", amount), ("usd", amount * PRICE)]) {
            Ok(held) => held,
            Err(refused) => return refused.stop_reason().ok_or(refused),
        };
        // A loop with a real model would put `own.to_string()` into the prompt here, and call the model.
        let used = tokens(call * 7 + name.len());
        held.settle(&[("tokens", used), ("usd", used * PRICE)])?;
        costs().learn(used)?;
        if let Some(resource) = budget.notice() {
            println!("{name}: most of the {resource} are spent");
        }
        // This subagent expects ten more such calls at first, and fewer with each.
        let rest = used * (10.0 - f64::from(call as u32)).max(0.0);
        let estimates = [Estimate::interval(0.5 * rest, rest)?, Estimate::NoAnswer];
        if let Some(reason) = monitor.advise(&own, &estimates, None)?.stop_reason() {
            return Ok(reason);
        }
    }
    Ok(StopReason::Completed)
}

/// The tokens of a reply: mostly some hundreds, and sometimes many more.
fn tokens(call: usize) -> f64 {
    let usual = 200 + call * 37 % 400;
    (if call % 50 == 17 { 3 * usual } else { usual }) as f64
}
