//! Unsolvable items in pools, and plans whose attempts were really cut off at their allocations.

use knapsack_oracle::{
    Alpha, Efficiency, EqualShares, Error, InjectedPool, Item, Plan, Pool, PoolValues,
    ReferencePlanner, Regime, Seed, Step, UnsolvableCounts,
};
use proptest::prelude::*;

use crate::{EMPTY, is_undefined, item, length, setting};

fn items(name: &str, count: usize, solved: bool) -> Vec<Item> {
    (0..count).map(|i| item(format!("{name}-{i}"), 40 + 7 * (i as u64 % 9), solved)).collect()
}

fn half() -> Alpha {
    Alpha::new(0.5).unwrap()
}

#[test]
fn a_planner_that_knows_everything_detects_all_and_one_that_takes_all_detects_none() {
    let pools = Pool::new(items("solvable", 90, true)).unwrap().chunks(30).unwrap();
    let unsolvable = items("abstain", 90, false);
    for ratio in [0.25, 0.5, 0.75, 1.0] {
        let (mut informed, mut naive) = (UnsolvableCounts::default(), UnsolvableCounts::default());
        for injected in InjectedPool::inject(&pools, &unsolvable, ratio, Seed(1)).unwrap() {
            let (pool, marks) = (&injected.pool, &injected.unsolvable);
            let budget = pool.budget(half());
            let plan = Plan::informed(&ReferencePlanner::Oracle, pool, budget).unwrap();
            informed.update(&plan, marks).unwrap();
            let plan = Plan::prospective(&EqualShares::InOrder, pool, budget).unwrap();
            naive.update(&plan, marks).unwrap();
            let values = PoolValues {
                achieved: plan.execute(pool, budget, Regime::Advisory).unwrap().earned,
                random: pool.random_exact(budget).unwrap().value,
                oracle: pool.oracle(budget).unwrap().value,
            };
            // At full injection, no plan can earn anything.
            let nothing = Efficiency::new(values) == Ok(Efficiency::NothingSolvable);
            assert_eq!(nothing, ratio == 1.0);
        }
        assert_eq!(informed.detection_rate(), Ok(1.0));
        assert_eq!(naive.detection_rate(), Ok(0.0));
        // Equal shares go to unsolvable items in proportion to their number.
        let share = naive.unsolvable as f64 / 90.0;
        assert!((naive.waste_rate().unwrap() - share).abs() < 1e-12);
        if ratio < 1.0 {
            assert_eq!(informed.waste_rate(), Ok(0.0));
        } else {
            // The best plan is empty, so no share of it is wasted.
            assert!(is_undefined(&informed.waste_rate()));
        }
    }
}

#[test]
fn without_unsolvable_items_there_is_no_detection_rate() {
    let counts = UnsolvableCounts::default();
    assert!(is_undefined(&counts.detection_rate()));
    assert!(is_undefined(&counts.waste_rate()));
    let pool = Pool::new(items("solvable", 3, true)).unwrap();
    let plan = Plan::new(&[("solvable-2", 5)], &pool, 9).unwrap();
    let mut counts = UnsolvableCounts::default();
    let refused = counts.update(&plan, &[false, true]);
    assert!(matches!(refused, Err(Error::Step { index: 0, .. })));
    assert_eq!(counts, UnsolvableCounts::default());
}

#[test]
fn a_capped_run_replaces_the_assumption_about_the_cost() {
    let pool = crate::pool([
        item("longer", 500, true),
        item("failed", 100, true),
        item("lucky", 100, false),
        item("nothing", 100, true),
        item("late", 100, true),
    ]);
    let steps = [("longer", 300), ("failed", 300), ("lucky", 200), ("nothing", 0), ("late", 300)];
    let plan = Plan::new(&steps, &pool, 1_100).unwrap();
    let mut called = Vec::new();
    // The budget ends before the last step.
    let run = plan
        .execute_capped(&pool, 1_000, |step: Step| -> Result<bool, Error> {
            called.push((step.position, step.allocation));
            Ok(step.position != 1)
        })
        .unwrap();
    assert_eq!(called, [(0, 300), (1, 300), (2, 200)]);
    let earned: Vec<f64> = run.attempts.iter().map(|attempt| attempt.earned).collect();
    assert_eq!(earned, [1.0, 0.0, 1.0, 0.0]);
    assert_eq!((run.spent, run.stopped_by, run.earned), (800, Some(4), 2.0));
    assert_eq!((run.regime, run.informed), (Regime::Enforced, false));
    let assumed = plan.execute(&pool, 1_000, Regime::Enforced).unwrap();
    let earned: Vec<f64> = assumed.attempts.iter().map(|attempt| attempt.earned).collect();
    assert_eq!(earned, [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn an_error_of_a_capped_run_ends_the_execution() {
    let pool = Pool::new(items("solvable", 3, true)).unwrap();
    let plan = Plan::prospective(&EqualShares::InOrder, &pool, 300).unwrap();
    let mut calls = 0;
    let refused = plan.execute_capped(&pool, 300, |_| {
        calls += 1;
        Err::<bool, _>(Error::ScoringRules(scoring_rules::Error::Empty))
    });
    assert_eq!((refused, calls), (Err(EMPTY), 1));
}

proptest! {
    #[test]
    fn capped_runs_that_follow_the_baseline_give_the_enforced_regime(
        items in prop::collection::vec((1..100_u64, 0..150_u64, any::<bool>()), 1..12),
        budget in 1..600_u64,
    ) {
        let item = |(i, &(cost, _, solved)): (usize, &(u64, u64, bool))| {
            Item::new(i.to_string(), 1.0 + i as f64, cost, solved).unwrap()
        };
        let pool = Pool::new(items.iter().enumerate().map(item).collect()).unwrap();
        let steps: Vec<(String, u64)> =
            items.iter().enumerate().map(|(i, &(_, allocation, _))| (i.to_string(), allocation)).collect();
        let plan = Plan::new(&steps, &pool, u64::MAX).unwrap();
        let capped = plan.execute_capped(&pool, budget, |step| -> Result<bool, Error> {
            let item = &pool.items()[step.position];
            Ok(item.is_solved() && item.cost() <= step.allocation)
        });
        prop_assert_eq!(capped, plan.execute(&pool, budget, Regime::Enforced));
    }
}

fn pools() -> Vec<Pool> {
    Pool::new(items("solvable", 65, true)).unwrap().chunks(30).unwrap()
}

fn inject(unsolvable: &[Item], ratio: f64, seed: u64) -> Result<Vec<InjectedPool>, Error> {
    InjectedPool::inject(&pools(), unsolvable, ratio, Seed(seed))
}

#[test]
fn a_pool_keeps_its_size_and_its_other_items_at_every_ratio_of_the_paper() {
    let unsolvable = items("abstain", 90, false);
    for (ratio, counts) in [
        (0.0, [0, 0, 0]),
        (0.25, [7, 7, 1]),
        (0.5, [15, 15, 2]),
        (0.75, [22, 22, 3]),
        (1.0, [30, 30, 5]),
    ] {
        let injected = inject(&unsolvable, ratio, 3).unwrap();
        let mut used = Vec::new();
        for ((injected, pool), count) in injected.iter().zip(pools()).zip(counts) {
            let marks = &injected.unsolvable;
            assert_eq!(marks.iter().filter(|&&mark| mark).count(), count, "{ratio}");
            assert_eq!(injected.pool.items().len(), pool.items().len());
            for ((new, old), mark) in injected.pool.items().iter().zip(pool.items()).zip(marks) {
                assert_eq!(new == old, !mark);
                assert_eq!(new.is_solved(), !mark);
                used.extend(mark.then(|| new.id().to_owned()));
            }
        }
        let total = used.len();
        used.sort();
        used.dedup();
        assert_eq!(used.len(), total, "no item is injected twice");
    }
}

#[test]
fn the_items_injected_at_one_ratio_stay_at_every_larger_ratio() {
    let unsolvable = items("abstain", 90, false);
    let at = |ratio, seed| inject(&unsolvable, ratio, seed).unwrap();
    let (few, many) = (at(0.25, 3), at(0.75, 3));
    for (few, many) in few.iter().zip(&many) {
        let both = few.pool.items().iter().zip(many.pool.items());
        for (&mark, (few, many)) in few.unsolvable.iter().zip(both) {
            assert!(!mark || few == many);
        }
    }
    assert_eq!(at(0.25, 3), few);
    assert_ne!(at(0.25, 4), few);
}

#[test]
fn every_position_and_every_unsolvable_item_is_equally_likely() {
    let pool = [Pool::new(items("solvable", 10, true)).unwrap()];
    let unsolvable = items("abstain", 5, false);
    let (mut positions, mut used) = ([0_u32; 10], [0_u32; 5]);
    for seed in 0..4_000 {
        let injected = InjectedPool::inject(&pool, &unsolvable, 0.2, Seed(seed)).unwrap();
        for (position, item) in injected[0].pool.items().iter().enumerate() {
            if let Some(which) = unsolvable.iter().position(|other| other == item) {
                positions[position] += 1;
                used[which] += 1;
            }
        }
    }
    // Binomial with means of 800 and 1,600 and standard deviations of at most 31.
    assert!(positions.iter().all(|count| count.abs_diff(800) < 4 * 26), "{positions:?}");
    assert!(used.iter().all(|count| count.abs_diff(1_600) < 4 * 31), "{used:?}");
}

#[test]
fn invalid_ratios_and_items_are_refused() {
    let abstain = |count| items("abstain", count, false);
    for ratio in [-0.1, 1.1, f64::NAN] {
        assert_eq!(setting(inject(&abstain(20), ratio, 1)), "ratio");
    }
    // 21 items are dealt to three pools in seven rounds; the last pool needs one.
    assert!(inject(&abstain(20), 0.25, 1).is_ok());
    let too_few = |found| Err(length("unsolvable items", 44, found));
    assert_eq!(inject(&abstain(20), 0.5, 1), too_few(20));
    // The number in the error is enough, and one item less is not.
    assert!(inject(&abstain(44), 0.5, 1).is_ok());
    assert_eq!(inject(&abstain(43), 0.5, 1), too_few(43));
    assert!(inject(&[], 0.0, 1).is_ok());
    let refused = inject(&items("a", 20, true), 0.25, 1);
    assert!(matches!(refused, Err(Error::Item { .. })), "{refused:?}");
    let refused = inject(&items("solvable", 90, false), 0.5, 1);
    assert!(matches!(refused, Err(Error::DuplicateId { .. })), "{refused:?}");
}
