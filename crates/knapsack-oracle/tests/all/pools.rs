//! The execution, the oracle and the planners of random pools.

use knapsack_oracle::{
    Alpha, Efficiency, EqualShares, Error, FitRule, Item, Plan, Pool, PoolValues, Proof,
    ProspectiveItem, ProspectivePlanner, ReferencePlanner, Regime, Seed, Step, UnsolvableCounts,
};
use proptest::prelude::*;

use crate::{EMPTY, brute_force, setting};

const REGIMES: [Regime; 2] = [Regime::Advisory, Regime::Enforced];

/// Pools of up to `most` items. Values are multiples of 0.25 or 0.1, or all equal.
fn pools(most: usize) -> impl Strategy<Value = Pool> {
    let item = (1..12_u32, 1..60_u64, any::<bool>());
    let unit = prop::sample::select(vec![0.25, 0.1, 0.0]);
    (prop::collection::vec(item, 1..=most), unit).prop_map(|(rows, unit)| {
        let item = |(i, (quarters, cost, solved)): (usize, (u32, u64, bool))| {
            let value = if unit == 0.0 { 1.0 } else { f64::from(quarters) * unit };
            // 0.1 * 3 is not 0.3. Values are rounded to the decimals that people write.
            let value = (value * 100.0).round() / 100.0;
            Item::new(format!("item {i}"), value, cost, solved).unwrap()
        };
        Pool::new(rows.into_iter().enumerate().map(item).collect()).unwrap()
    })
}

/// The best value over all sets of items, in hundredths.
fn best_of_all_sets(pool: &Pool, budget: u64) -> u64 {
    let solved = pool.items().iter().filter(|item| item.is_solved());
    let parts = |item: &Item| ((item.value() * 100.0).round() as u64, [item.cost()]);
    let (profits, weights): (Vec<u64>, Vec<[u64; 1]>) = solved.map(parts).unzip();
    brute_force([budget], &profits, &weights)
}

proptest! {
    #[test]
    fn with_the_whole_budget_no_order_is_cut_off(pool in pools(30), over in 0..3_u64, seed: u64) {
        // Proposition D.1 of the paper.
        let budget = pool.budget(Alpha::new(1.0).unwrap());
        prop_assert_eq!(budget, pool.total_cost());
        let plan = Plan::prospective(&EqualShares::Random { seed: Seed(seed), stream: 0 }, &pool, budget).unwrap();
        let run = plan.execute(&pool, budget, Regime::Advisory).unwrap();
        prop_assert_eq!(run.stopped_by, None);
        prop_assert_eq!((run.attempts.len(), run.spent), (pool.items().len(), budget));
        // Its corollary: the oracle and a random planner earn the same.
        let oracle = pool.oracle(budget).unwrap();
        prop_assert_eq!(oracle.value, run.earned);
        let random = pool.random_exact(budget).unwrap();
        prop_assert_eq!(random.run_probabilities, vec![1.0; pool.items().len()]);
        for rule in [FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit] {
            let sampled = pool.random_sampled(budget + over, rule, 10, Seed(seed)).unwrap();
            prop_assert_eq!((sampled.value, sampled.standard_error), (random.value, 0.0));
            prop_assert_eq!(sampled.spent, budget as f64);
        }
        let random = random.value;
        let values = PoolValues { achieved: run.earned, random, oracle: oracle.value };
        let efficiency = Efficiency::new(values).unwrap();
        prop_assert!(!matches!(efficiency, Efficiency::Informative(_)));
        prop_assert_eq!(efficiency.score(), 1.0);
    }

    #[test]
    fn the_oracle_is_the_best_of_all_sets(pool in pools(10), alpha in 0.01..=1.0_f64) {
        let budget = pool.budget(Alpha::new(alpha).unwrap());
        let oracle = pool.oracle(budget).unwrap();
        prop_assert_eq!((oracle.value * 100.0).round() as u64, best_of_all_sets(&pool, budget));
        prop_assert!(oracle.proof != Proof::None && oracle.upper_bound == oracle.value);
        prop_assert!(oracle.chosen.iter().all(|&i| pool.items()[i].is_solved()));
        let cost: u64 = oracle.chosen.iter().map(|&i| pool.items()[i].cost()).sum();
        prop_assert!(cost <= budget);
    }

    #[test]
    fn a_run_keeps_to_its_budget_and_earns_no_more_than_the_oracle(
        pool in pools(12), alpha in 0.01..=1.0_f64,
        order in prop::collection::vec(any::<prop::sample::Index>(), 12),
        allocations in prop::collection::vec(0..80_u64, 12),
    ) {
        let budget = pool.budget(Alpha::new(alpha).unwrap());
        let mut steps: Vec<(&str, u64)> = Vec::new();
        for (index, allocation) in order.iter().zip(allocations) {
            let id = pool.items()[index.index(pool.items().len())].id();
            if steps.iter().all(|step| step.0 != id) {
                steps.push((id, allocation));
            }
        }
        // The plan is made for the largest budget, so allocations may exceed the real budget.
        let plan = Plan::new(&steps, &pool, u64::MAX).unwrap();
        let oracle = pool.oracle(budget).unwrap().value;
        for regime in REGIMES {
            let run = plan.execute(&pool, budget, regime).unwrap();
            prop_assert!(run.spent <= budget && run.earned <= oracle);
            prop_assert_eq!(run.attempts.iter().map(|attempt| attempt.spent).sum::<u64>(), run.spent);
            let ran = run.attempts.len();
            prop_assert_eq!(run.stopped_by, plan.steps().get(ran).map(|step| step.position));
            for (attempt, step) in run.attempts.iter().zip(plan.steps()) {
                let item = &pool.items()[step.position];
                let enough = regime == Regime::Advisory || step.allocation >= item.cost();
                let spent = if regime == Regime::Advisory { item.cost() } else { step.allocation };
                let earned = if enough && item.is_solved() { item.value() } else { 0.0 };
                prop_assert_eq!((attempt.position, attempt.spent, attempt.earned), (step.position, spent, earned));
            }
            if let Some(next) = plan.steps().get(ran) {
                let asked = match regime {
                    Regime::Advisory => pool.items()[next.position].cost(),
                    Regime::Enforced => next.allocation,
                };
                prop_assert!(asked > budget - run.spent);
            }
        }
    }

    #[test]
    fn planners_keep_to_the_budget_and_the_oracle_planner_reaches_the_oracle(
        pool in pools(12), alpha in 0.01..=1.0_f64, seed: u64,
    ) {
        let budget = pool.budget(Alpha::new(alpha).unwrap());
        let oracle = pool.oracle(budget).unwrap().value;
        let informed = [
            Plan::informed(&ReferencePlanner::Oracle, &pool, budget).unwrap(),
            Plan::informed(&ReferencePlanner::CheapestFirst, &pool, budget).unwrap(),
            Plan::informed(&ReferencePlanner::ValuePerCost, &pool, budget).unwrap(),
        ];
        for regime in REGIMES {
            for plan in &informed {
                let run = plan.execute(&pool, budget, regime).unwrap();
                prop_assert!(run.informed && run.stopped_by.is_none());
            }
            prop_assert_eq!(informed[0].execute(&pool, budget, regime).unwrap().earned, oracle);
        }
        for plan in [
            Plan::prospective(&EqualShares::InOrder, &pool, budget).unwrap(),
            Plan::prospective(&EqualShares::Random { seed: Seed(seed), stream: 0 }, &pool, budget).unwrap(),
        ] {
            prop_assert!(!plan.execute(&pool, budget, Regime::Enforced).unwrap().informed);
            prop_assert_eq!(plan.steps().len(), pool.items().len());
        }
    }
}

#[test]
fn a_limited_oracle_has_the_best_value_within_its_bounds() {
    let mut ends = [0; 2];
    for round in 0..400_u64 {
        // Values close to costs are hard to tell apart.
        let cost = |i: u64| 1_000 + (round * 7_919 + i * i * 104_729) % 9_000;
        let item =
            |i: u64| Item::new(i.to_string(), (cost(i) + i % 3) as f64 / 100.0, cost(i), i != 3);
        let pool = Pool::new((0..12 + round % 4).map(|i| item(i).unwrap()).collect()).unwrap();
        let budget = pool.budget(Alpha::new(0.4).unwrap());
        let best = best_of_all_sets(&pool, budget) as f64 / 100.0;
        assert_eq!(pool.oracle(budget).unwrap().value, best);
        for states in [0, 1, 10, 50, 100, 400, u64::MAX] {
            let some = pool.oracle_within(budget, states).unwrap();
            assert!(some.value <= best && best <= some.upper_bound, "{round} {states}: {some:?}");
            let proved = some.proof != Proof::None;
            assert!(!proved || some.value == best, "{round} {states}: {some:?}");
            let chosen = some.chosen.iter().map(|&i| &pool.items()[i]);
            assert!(chosen.clone().map(Item::cost).sum::<u64>() <= budget);
            let value: f64 = chosen.map(|item| item.value() * 100.0).sum();
            assert_eq!(value.round() / 100.0, some.value);
            assert_eq!(pool.oracle_within(budget, states).unwrap(), some);
            ends[usize::from(proved)] += 1;
        }
    }
    assert!(ends.iter().all(|&count| count > 400), "{ends:?}");
}

#[test]
fn a_random_planner_has_efficiency_0_on_average() {
    let costs = [31, 5, 70, 12, 44, 8, 19, 27, 90, 3];
    let item = |(i, cost): (usize, u64)| Item::new(i.to_string(), 1.0, cost, i % 3 != 0).unwrap();
    let pool = Pool::new(costs.into_iter().enumerate().map(item).collect()).unwrap();
    let budget = pool.budget(Alpha::new(0.5).unwrap());
    let oracle = pool.oracle(budget).unwrap().value;
    let random = pool.random_exact(budget).unwrap().value;
    let scores: Vec<f64> = (0..20_000)
        .map(|stream| {
            let plan =
                Plan::prospective(&EqualShares::Random { seed: Seed(3), stream }, &pool, budget)
                    .unwrap();
            let achieved = plan.execute(&pool, budget, Regime::Advisory).unwrap().earned;
            Efficiency::new(PoolValues { achieved, random, oracle }).unwrap().score()
        })
        .collect();
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!(mean.abs() < 3.0 * (variance / n).sqrt(), "{mean}");
}

#[test]
fn the_order_of_a_seed_does_not_change_with_versions() {
    let item = |i: usize| Item::new(i.to_string(), 1.0, 1, true).unwrap();
    let pool = Pool::new((0..10).map(item).collect()).unwrap();
    let plan =
        Plan::prospective(&EqualShares::Random { seed: Seed(42), stream: 3 }, &pool, 10).unwrap();
    let order: Vec<usize> = plan.steps().iter().map(|step| step.position).collect();
    assert_eq!(order, [6, 2, 7, 0, 4, 1, 9, 8, 5, 3]);
}

struct Custom<F>(F);

impl<F: Fn(&[ProspectiveItem<'_>], u64) -> Vec<Step>> ProspectivePlanner for Custom<F> {
    fn plan(&self, items: &[ProspectiveItem<'_>], budget: u64) -> Vec<Step> {
        (self.0)(items, budget)
    }
}

fn planned<F>(planner: F, pool: &Pool, budget: u64) -> Result<Plan, Error>
where
    F: Fn(&[ProspectiveItem<'_>], u64) -> Vec<Step>,
{
    Plan::prospective(&Custom(planner), pool, budget)
}

#[test]
fn the_plan_of_a_custom_planner_is_checked() {
    let pool = crate::pool([Item::new("a", 2.0, 5, true).unwrap()]);
    let twice = |items: &[ProspectiveItem<'_>], budget: u64| {
        vec![Step { position: items[0].position, allocation: budget / 2 }; 2]
    };
    let error = planned(twice, &pool, 10).unwrap_err();
    assert!(
        matches!(error, Error::DuplicateId { ref id, first: 0, second: 1, .. } if id == "a"),
        "{error}"
    );
    let greedy =
        |_: &[ProspectiveItem<'_>], budget: u64| vec![Step { position: 0, allocation: budget + 1 }];
    let error = planned(greedy, &pool, 10).unwrap_err();
    assert!(matches!(error, Error::OverBudget { allocated: 11, budget: 10, .. }), "{error}");
    let lost = |_: &[ProspectiveItem<'_>], _: u64| vec![Step { position: 1, allocation: 0 }];
    assert_eq!(step(planned(lost, &pool, 10)), 0);
}

/// Returns the step of a plan that an error refuses.
fn step<T: std::fmt::Debug>(refused: Result<T, Error>) -> usize {
    match refused {
        Err(Error::Step { index, .. }) => index,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plan_of_another_pool_is_refused() {
    let [one, two] = [&["a"][..], &["a", "b"]]
        .map(|ids| crate::pool(ids.iter().map(|&id| crate::item(id, 1, true))));
    let plan = Plan::new(&[("a", 1), ("b", 1)], &two, 2).unwrap();
    for regime in REGIMES {
        assert_eq!(step(plan.execute(&one, 2, regime)), 1);
    }
}

#[test]
fn value_per_cost_differs_from_the_highest_value_and_from_the_lowest_cost() {
    let item = |id: &str, value, cost| Item::new(id, value, cost, true).unwrap();
    let pool = Pool::new(vec![item("a", 20.0, 15), item("b", 3.0, 2), item("c", 1.0, 1)]).unwrap();
    let order = |plan: Result<Plan, Error>| -> Vec<usize> {
        plan.unwrap().steps().iter().map(|step| step.position).collect()
    };
    assert_eq!(order(Plan::informed(&ReferencePlanner::ValuePerCost, &pool, 18)), [1, 0, 2]);
    assert_eq!(order(Plan::informed(&ReferencePlanner::CheapestFirst, &pool, 18)), [2, 1, 0]);
}

#[test]
fn a_planner_is_shown_id_and_value_of_each_item() {
    let item = |id: &str, value| Item::new(id, value, 1, true).unwrap();
    let pool = Pool::new(vec![item("a", 2.5), item("b", 0.5)]).unwrap();
    let shown = |items: &[ProspectiveItem<'_>], _: u64| {
        let seen: Vec<(&str, f64)> = items.iter().map(|item| (item.id, item.value)).collect();
        assert_eq!(seen, [("a", 2.5), ("b", 0.5)]);
        vec![Step { position: items[1].position, allocation: 1 }]
    };
    assert_eq!(planned(shown, &pool, 2).unwrap().steps().len(), 1);
}

#[test]
fn an_unsolvable_item_that_is_allocated_nothing_is_left_out() {
    let items = [("a", true), ("b", false), ("c", false)];
    let pool = crate::pool(items.map(|(id, solved)| crate::item(id, 1, solved)));
    let plan = Plan::new(&[("a", 3), ("b", 0), ("c", 1)], &pool, 4).unwrap();
    let mut counts = UnsolvableCounts::default();
    counts.update(&plan, &[false, true, true]).unwrap();
    assert_eq!((counts.detection_rate(), counts.waste_rate()), (Ok(0.5), Ok(0.25)));
}

fn items(n: usize) -> Vec<Item> {
    (0..n).map(|i| crate::item(format!("p{i}"), i as u64 + 1, true)).collect()
}

#[test]
fn chunks_contain_every_item_once_and_in_order() {
    let pool = Pool::new(items(65)).unwrap();
    let chunks = pool.chunks(30).unwrap();
    let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.items().len()).collect();
    assert_eq!(sizes, [30, 30, 5]);
    let all: Vec<Item> = chunks.iter().flat_map(|chunk| chunk.items().to_vec()).collect();
    assert_eq!(all, pool.items());
    assert_eq!(setting(pool.chunks(0)), "pool size");
}

#[cfg(feature = "serde")]
#[test]
fn a_pool_is_read_from_a_list_of_items_through_the_same_checks() {
    let pool = Pool::new(items(3)).unwrap();
    let text = serde_json::to_string(&pool).unwrap();
    assert_eq!(serde_json::from_str::<Pool>(&text).unwrap(), pool);
    let error = serde_json::from_str::<Pool>(&text.replace("p1", "p0")).unwrap_err();
    assert!(error.to_string().contains("occurs twice"), "{error}");
    assert!(serde_json::from_str::<Pool>("[]").is_err());
}

#[test]
fn invalid_items_and_pools_are_refused() {
    assert_eq!(Pool::new(vec![]), Err(EMPTY));
    let mut twice = items(3);
    twice.push(Item::new("p1", 1.0, 9, false).unwrap());
    let error = Pool::new(twice).unwrap_err();
    assert!(
        matches!(error, Error::DuplicateId { ref id, first: 1, second: 3, .. } if id == "p1"),
        "{error}"
    );
    let mut dear = items(2);
    dear.push(Item::new("c", 1.0, u64::MAX - 2, true).unwrap());
    let error = Pool::new(dear).unwrap_err();
    assert!(matches!(error, Error::Sum { what: "costs", item: 2, limit: u64::MAX, .. }), "{error}");
    for value in [0.0, -1.0, 9.9e-101, 1.1e100, f64::NAN, f64::INFINITY] {
        assert!(matches!(Item::new("a", value, 1, true), Err(Error::ItemValue { .. })));
    }
    let free = Item::new("a", 1.0, 0, true).unwrap_err();
    assert!(matches!(free, Error::Item { problem, .. } if problem.contains("would solve it")));
    assert!(Item::new("a", 1e-100, 1, true).is_ok());
}

#[test]
fn hundredths_of_a_total_equal_whole_number_arithmetic() {
    for hundredths in 1..=100_u64 {
        let alpha = Alpha::new(hundredths as f64 / 100.0).unwrap();
        for total in (0..500).chain([u64::MAX - 1, u64::MAX]) {
            let want = u128::from(total) * u128::from(hundredths) / 100;
            assert_eq!(u128::from(alpha.budget(total)), want, "{hundredths} {total}");
        }
    }
}

#[test]
fn a_share_is_formatted_and_compared_as_its_number() {
    let [low, high] = [0.25, 0.5].map(|alpha| Alpha::new(alpha).unwrap());
    assert_eq!((low.get(), f64::from(high)), (0.25, 0.5));
    assert_eq!((format!("{low:?}"), high.to_string()), ("0.25".into(), "0.5".into()));
    assert!(low < high);
}

#[test]
fn shares_at_the_ends_of_the_range_are_accepted() {
    assert_eq!(Alpha::SWEEP[3].budget(u64::MAX), u64::MAX);
    assert_eq!(Alpha::new(f64::MIN_POSITIVE).unwrap().budget(u64::MAX), 0);
    assert_eq!(Alpha::new(5e-324).unwrap().budget(u64::MAX), 0);
    for wrong in [0.0, -0.1, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
        assert_eq!(setting(Alpha::new(wrong)), "alpha", "{wrong}");
    }
}

proptest! {
    #[test]
    fn a_budget_is_at_most_the_total_and_grows_with_alpha(
        a in 1e-6..=1.0_f64, b in 1e-6..=1.0_f64, total: u64,
    ) {
        let (low, high) = (Alpha::new(a.min(b)).unwrap(), Alpha::new(a.max(b)).unwrap());
        prop_assert!(low.budget(total) <= high.budget(total) && high.budget(total) <= total);
    }
}

#[test]
fn values_are_added_as_multiples_of_a_common_unit() {
    let pool = |values: &[f64]| {
        let item = |(i, &value): (usize, &f64)| Item::new(i.to_string(), value, 1, true).unwrap();
        Pool::new(values.iter().enumerate().map(item).collect())
    };
    let oracle = |values: &[f64]| pool(values).unwrap().oracle(100).unwrap().value;
    assert_eq!(oracle(&[0.1, 0.2, 0.3]), 0.6);
    assert_eq!(oracle(&[2.5, 1e3]), 1002.5);
    // Multiples of the smaller power of two.
    assert_eq!(oracle(&[1.0, 2_f64.powi(-60)]), 1.0);
    for value in [1e100, 1e-100, 1.0, 0.1] {
        assert_eq!(oracle(&[value, value]), 2.0 * value);
        assert_eq!(oracle(&[value]), value);
    }
    for values in
        [[1e100, 1e-100, 1.0], [1e19, 1e19, 1.0], [std::f64::consts::PI * 1e12, 1e-12, 1.0]]
    {
        assert_eq!(pool(&values), Err(Error::NoCommonUnit));
    }
}
