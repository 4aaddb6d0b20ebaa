//! A reservation and its settlement, alone and with eight threads, beside a charge by the crate llm-budget.
//!
//! `cargo bench --manifest-path budget-checks/Cargo.toml --features latency`. A row has the
//! median and the 99.99th percentile of a million calls, less the time that reading the clock takes.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    hint::black_box,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Instant,
};

use budget_estimation::{Budget, CallCosts, Level};
use llm_budget::{AgentBudget, FleetAllocator, ModelTier, budget::AtomicBudget};

const CALLS: usize = 1_000_000;
/// The other crate keeps a record of each charge, for which its threads wait.
const RECORDED: usize = 100_000;

struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let (mut future, waker) = (pin!(future), Waker::from(Arc::new(Unpark(thread::current()))));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Nanoseconds of each call, sorted.
fn measure(calls: usize, threads: usize, call: impl Fn(usize) + Sync) -> Vec<u64> {
    let run = |thread: usize| {
        let mut times = Vec::with_capacity(calls / threads);
        for _ in 0..calls / threads {
            let start = Instant::now();
            call(thread);
            times.push(start.elapsed().as_nanos() as u64);
        }
        times
    };
    let mut times: Vec<u64> = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        all.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    times.sort_unstable();
    times
}

fn main() {
    let budget = Budget::new([("tokens", Some(1e9)), ("usd", Some(1e5))]).unwrap();
    let children: Vec<Budget> = (0..8).map(|_| budget.child(&[("tokens", 1e9)]).unwrap()).collect();
    let one = |budget: &Budget| {
        let call = budget.reserve(&[("tokens", black_box(10.0))]).unwrap();
        call.settle(&[("tokens", 7.0)]).unwrap();
    };
    let two = |budget: &Budget| {
        let call = budget.reserve(&[("tokens", black_box(10.0)), ("usd", 0.000_3)]).unwrap();
        call.settle(&[("tokens", 7.0), ("usd", 0.000_21)]).unwrap();
    };
    let mut costs = CallCosts::new(Level::new(0.01).unwrap(), 1000).unwrap();
    (0..1000).for_each(|call| costs.learn(f64::from(100 + call * 37 % 400)).unwrap());

    let atomic = AtomicBudget::new(1e9).unwrap();
    let agent = AgentBudget::new("agent", 1e9, ModelTier::Standard, 0.2).unwrap();
    let fleet = FleetAllocator::new(1e9, ModelTier::Standard, 0.2).unwrap();
    let names: Vec<String> = (0..8).map(|thread| format!("agent {thread}")).collect();
    names.iter().for_each(|name| fleet.register_agent(name, 1e8).unwrap());

    for threads in [1, 8] {
        let clock = measure(CALLS, threads, |_| ())[CALLS / 2];
        let row = |what: &str, times: Vec<u64>| {
            let at =
                |share: f64| times[(times.len() as f64 * share) as usize].saturating_sub(clock);
            println!("{threads} threads  {what:<48} {:>6} ns  {:>9} ns", at(0.5), at(0.9999));
        };
        println!("threads    call {:>46} {:>16}", "median", "99.99 %");
        row("reserve and settle, one resource", measure(CALLS, threads, |_| one(&budget)));
        row("reserve and settle, two resources", measure(CALLS, threads, |_| two(&budget)));
        row(
            "the same in a child of its own",
            measure(CALLS, threads, |thread| two(&children[thread])),
        );
        row(
            "amount by CallCosts",
            measure(CALLS, threads, |_| drop(black_box(costs.amount(4096.0)))),
        );
        row(
            "llm-budget AtomicBudget::charge, dollars alone",
            measure(CALLS, threads, |_| {
                atomic.charge(black_box(1e-6)).unwrap();
            }),
        );
        row(
            "llm-budget AgentBudget::charge",
            measure(RECORDED, threads, |_| {
                block_on(agent.charge(black_box(10), 7, None, None)).unwrap();
            }),
        );
        row(
            "llm-budget FleetAllocator::charge_agent",
            measure(RECORDED, threads, |thread| {
                block_on(fleet.charge_agent(&names[thread], black_box(10), 7, None, None)).unwrap();
            }),
        );
    }
}
