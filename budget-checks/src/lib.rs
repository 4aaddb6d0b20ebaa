//! Runs the arithmetic of `budget_estimation::Budget` in the orders in which threads can reach it.
//!
//! `cargo test --release --manifest-path budget-checks/Cargo.toml`. The model checker loom (Norris and Demsky 2013, CDSChecker,
//! doi:10.1145/2509136.2509514) tries all interleavings with at most four preemptions, and all
//! values that a weakly ordered machine may read.
#![cfg(test)]

mod account {
    include!(concat!(env!("OUT_DIR"), "/account.rs"));

    use loom::{model::Builder, sync::Arc, thread};

    /// A parent with a cap, and a child with another one.
    type Tree = Arc<[Vec<Cell>; 2]>;

    fn tree(child: u64, parent: u64) -> Tree {
        let cells = |cap| vec![Cell::new(cap, 0, 0), Cell::new(10, 0, 0)];
        Arc::new([cells(child), cells(parent)])
    }

    fn of(tree: &Tree, from: usize) -> impl Iterator<Item = &[Cell]> + Clone {
        tree[from..].iter().map(|cells| &cells[..])
    }

    /// What must hold at every moment in every budget.
    fn assert_kept(tree: &Tree) {
        for cell in tree.iter().flatten() {
            let Amounts { committed, spent, excess } = cell.amounts();
            assert!(spent <= committed, "{spent} spent, {committed} committed");
            assert!(committed <= cell.cap() + excess, "{committed} of {} and {excess}", cell.cap());
        }
    }

    fn check(model: impl Fn() + Send + Sync + 'static) {
        let mut builder = Builder::new();
        builder.preemption_bound = Some(4);
        builder.check(model);
    }

    /// A call of a thread: what it reserves of both resources in the budget at this position and above it, and what it uses;
    /// `None` if it is dropped. Returns whether it was admitted.
    fn call(tree: &Tree, from: usize, amounts: [u64; 2], used: Option<[u64; 2]>) -> bool {
        let admitted = hold(of(tree, from), &amounts).is_ok();
        if admitted {
            let used = used.unwrap_or_default();
            settle(of(tree, from), amounts.into_iter().zip(used));
        }
        admitted
    }

    fn amounts(tree: &Tree) -> [[(u64, u64, u64); 2]; 2] {
        [0, 1].map(|level| {
            [0, 1].map(|at| {
                let Amounts { committed, spent, excess } = tree[level][at].amounts();
                (committed, spent, excess)
            })
        })
    }

    #[test]
    fn a_watcher_sees_the_caps_kept_at_every_moment() {
        // Settled above the reservation and the caps, below it, and dropped.
        for used in [Some([7, 0]), Some([1, 1]), None] {
            check(move || {
                let tree = tree(4, 5);
                let watched = tree.clone();
                let watcher = thread::spawn(move || assert_kept(&watched));
                assert!(call(&tree, 0, [4, 3], used));
                watcher.join().unwrap();
                let [tokens, calls] = used.unwrap_or_default();
                let spent = [(tokens, tokens, tokens.saturating_sub(4)), (calls, calls, 0)];
                assert_eq!(amounts(&tree), [spent; 2]);
            });
        }
    }

    #[test]
    fn of_two_calls_for_the_last_amount_one_is_admitted_and_a_refused_one_holds_nothing() {
        // The tokens of the parent are enough for one of them, or the calls.
        for (parent, asked) in [(5, [3, 4]), (9, [2, 6])] {
            check(move || {
                let tree = tree(10, parent);
                let other = tree.clone();
                let other = thread::spawn(move || call(&other, 1, asked, Some(asked)));
                let own = u64::from(call(&tree, 0, asked, Some(asked)));
                assert_eq!(own + u64::from(other.join().unwrap()), 1);
                let [child, parent] =
                    [own, 1].map(|calls| asked.map(|it| (it * calls, it * calls, 0)));
                assert_eq!(amounts(&tree), [child, parent]);
            });
        }
    }

    #[test]
    fn two_agents_of_one_budget_lose_and_invent_nothing() {
        check(|| {
            let tree = tree(9, 9);
            let other = tree.clone();
            let other = thread::spawn(move || call(&other, 0, [4, 0], Some([5, 0])));
            assert!(call(&tree, 0, [4, 0], Some([3, 0])));
            assert!(other.join().unwrap());
            assert_eq!(amounts(&tree), [[(8, 8, 1), (0, 0, 0)]; 2]);
        });
    }
}
