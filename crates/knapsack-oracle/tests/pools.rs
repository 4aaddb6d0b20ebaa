//! The execution, the oracle and the planners of random pools.
#![allow(clippy::unwrap_used)]

use knapsack_oracle::{
    Alpha, CheapestFirst, DropReason, Efficiency, Error, FitRule, ForecastThreshold, InOrder,
    InformedPlanner, Item, OraclePlanner, Plan, PlanReading, Pool, Probability, ProspectiveItem,
    ProspectivePlanner, RandomOrder, Regime, Repair, Seed, Step, UnsolvableCounts, ValuePerCost,
    informed_from_fn, prospective_from_fn,
};
use proptest::prelude::*;

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
fn best_of_all_sets<const R: usize>(pool: &Pool<[u64; R]>, budgets: [u64; R]) -> i64 {
    let hundredths = |item: &Item<[u64; R]>| (item.value() * 100.0).round() as i64;
    let value = |set: u32| {
        let chosen = || pool.items().iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        let fits = |r: usize| chosen().map(|(_, item)| item.cost()[r]).sum::<u64>() <= budgets[r];
        let value = chosen().filter(|(_, item)| item.is_solved()).map(|(_, item)| hundredths(item));
        if (0..R).all(fits) { value.sum() } else { 0 }
    };
    (0..1_u32 << pool.items().len()).map(value).max().unwrap()
}

/// A plan as a model would write it.
fn written(plan: &Plan<[u64; 2]>, pool: &Pool<[u64; 2]>) -> String {
    let step = |step: &Step<[u64; 2]>| {
        let id = pool.items()[step.position].id();
        format!(r#"{{"id": "{id}", "allocation": {:?}}}"#, step.allocation)
    };
    format!("[{}]", plan.steps().iter().map(step).collect::<Vec<_>>().join(", "))
}

/// The same pool with costs in an array, and with nothing of the other resources.
fn with_resources<const R: usize>(pool: &Pool) -> Pool<[u64; R]> {
    let item = |item: &Item| {
        let cost = std::array::from_fn(|r| if r == 0 { item.cost() } else { 0 });
        Item::new(item.id(), item.value(), cost, item.is_solved()).unwrap()
    };
    Pool::new(pool.items().iter().map(item).collect()).unwrap()
}

proptest! {
    #[test]
    fn with_the_whole_budget_no_order_is_cut_off(pool in pools(30), seed: u64) {
        // Proposition D.1 of the paper.
        let budget = pool.budget(Alpha::new(1.0).unwrap());
        prop_assert_eq!(budget, pool.total_cost());
        let plan = Plan::prospective(&RandomOrder::new(Seed::new(seed), 0), &pool, budget).unwrap();
        let run = plan.execute(&pool, budget, Regime::Advisory).unwrap();
        prop_assert_eq!(run.stopped_by, None);
        prop_assert_eq!((run.attempts.len(), run.spent), (pool.items().len(), budget));
        // Its corollary: the oracle and a random planner earn the same.
        let oracle = pool.oracle(budget).unwrap();
        prop_assert_eq!(oracle.value, run.earned);
        let random = pool.random_exact(budget).unwrap().value;
        let efficiency = Efficiency::new(run.earned, random, oracle.value).unwrap();
        prop_assert!(!matches!(efficiency, Efficiency::Informative(_)));
        prop_assert_eq!(efficiency.score(), 1.0);
    }

    #[test]
    fn the_oracle_is_the_best_of_all_sets(pool in pools(10), alpha in 0.01..=1.0_f64) {
        let budget = pool.budget(Alpha::new(alpha).unwrap());
        let oracle = pool.oracle(budget).unwrap();
        prop_assert_eq!((oracle.value * 100.0).round() as i64, best_of_all_sets(&with_resources(&pool), [budget]));
        prop_assert!(oracle.chosen.iter().all(|&i| pool.items()[i].is_solved()));
        let cost: u64 = oracle.chosen.iter().map(|&i| pool.items()[i].cost()).sum();
        prop_assert!(cost <= budget);
        prop_assert_eq!(with_resources(&pool).oracle([budget]).unwrap().value, oracle.value);
    }

    #[test]
    fn the_oracle_of_two_resources_is_the_best_of_all_sets(
        rows in prop::collection::vec((1..12_u32, 0..60_u64, 1..60_u64, any::<bool>()), 1..9),
        alpha in 0.01..=1.0_f64,
    ) {
        let item = |(i, (value, tokens, cents, solved)): (usize, (u32, u64, u64, bool))| {
            Item::new(i.to_string(), value.into(), [tokens, cents], solved).unwrap()
        };
        let pool = Pool::new(rows.into_iter().enumerate().map(item).collect()).unwrap();
        let budgets = pool.budget(Alpha::new(alpha).unwrap());
        let oracle = pool.oracle(budgets).unwrap();
        prop_assert_eq!((oracle.value * 100.0).round() as i64, best_of_all_sets(&pool, budgets));
        let plan = Plan::informed(&OraclePlanner, &pool, budgets).unwrap();
        for regime in [Regime::Advisory, Regime::Enforced] {
            let run = plan.execute(&pool, budgets, regime).unwrap();
            prop_assert_eq!((run.earned, run.stopped_by), (oracle.value, None));
        }
    }

    #[test]
    fn a_resource_of_which_nothing_is_needed_changes_nothing(
        pool in pools(12), alpha in 0.01..=1.0_f64, seed: u64,
    ) {
        let (budget, two) = (pool.budget(Alpha::new(alpha).unwrap()), with_resources::<2>(&pool));
        let order = RandomOrder::new(Seed::new(seed), 1);
        let plan = Plan::prospective(&order, &pool, budget).unwrap();
        let of_two = Plan::prospective(&order, &two, [budget, 0]).unwrap();
        let text = written(&of_two, &two);
        let reading = PlanReading::new(&text, &two, [budget, 0]);
        prop_assert_eq!(reading.plan(), Some(&of_two));
        for regime in [Regime::Advisory, Regime::Enforced] {
            let run = of_two.execute(&two, [budget, 0], regime).unwrap();
            let want = plan.execute(&pool, budget, regime).unwrap();
            prop_assert_eq!((run.earned, run.spent, run.stopped_by), (want.earned, [want.spent, 0], want.stopped_by));
        }
        for rule in [FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit] {
            let random = two.random_sampled([budget, 0], rule, 50, Seed::new(seed)).unwrap();
            let want = pool.random_sampled(budget, rule, 50, Seed::new(seed)).unwrap();
            prop_assert_eq!((random.value, random.standard_error), (want.value, want.standard_error));
            prop_assert_eq!(random.spent, [want.spent, 0.0]);
        }
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
        let costs = pool.items().iter().map(Item::cost).collect();
        let known = |item: &Item| match item.is_solved() {
            true => Probability::ONE,
            false => Probability::ZERO,
        };
        let solved = pool.items().iter().map(known).collect();
        let forecast = ForecastThreshold::new(costs, solved, Probability::HALF).unwrap();
        let informed = [
            Plan::informed(&OraclePlanner, &pool, budget).unwrap(),
            Plan::informed(&CheapestFirst, &pool, budget).unwrap(),
            Plan::informed(&ValuePerCost, &pool, budget).unwrap(),
            Plan::informed(&forecast, &pool, budget).unwrap(),
        ];
        for regime in REGIMES {
            for plan in &informed {
                let run = plan.execute(&pool, budget, regime).unwrap();
                prop_assert!(run.informed && run.stopped_by.is_none());
            }
            prop_assert_eq!(informed[0].execute(&pool, budget, regime).unwrap().earned, oracle);
            // A perfect forecast is the unit-value oracle.
            if pool.items().iter().all(|item| item.value() == 1.0) {
                prop_assert_eq!(informed[3].execute(&pool, budget, regime).unwrap().earned, oracle);
            }
        }
        for plan in [
            Plan::prospective(&InOrder, &pool, budget).unwrap(),
            Plan::prospective(&RandomOrder::new(Seed::new(seed), 0), &pool, budget).unwrap(),
        ] {
            prop_assert!(!plan.execute(&pool, budget, Regime::Enforced).unwrap().informed);
            prop_assert_eq!(plan.steps().len(), pool.items().len());
        }
    }
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
                Plan::prospective(&RandomOrder::new(Seed::new(3), stream), &pool, budget).unwrap();
            let earned = plan.execute(&pool, budget, Regime::Advisory).unwrap().earned;
            Efficiency::new(earned, random, oracle).unwrap().score()
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
    let plan = Plan::prospective(&RandomOrder::new(Seed::new(42), 3), &pool, 10).unwrap();
    let order: Vec<usize> = plan.steps().iter().map(|step| step.position).collect();
    assert_eq!(order, [6, 2, 7, 0, 4, 1, 9, 8, 5, 3]);
}

#[test]
fn the_plan_of_a_custom_planner_is_checked() {
    let pool = Pool::new(vec![Item::new("a", 2.0, 5, true).unwrap()]).unwrap();
    let twice = |items: &[ProspectiveItem<'_>], budget: u64| {
        let step = Step { position: items[0].position(), allocation: budget / 2 };
        vec![step, step]
    };
    let want = Error::DuplicateId { id: "a".into(), first: 0, second: 1 };
    assert_eq!(Plan::prospective(&prospective_from_fn(twice), &pool, 10), Err(want));
    let greedy =
        |_: &[ProspectiveItem<'_>], budget: u64| vec![Step { position: 0, allocation: budget + 1 }];
    let want = Error::OverBudget { allocated: 11, budget: 10 };
    assert_eq!(Plan::prospective(&prospective_from_fn(greedy), &pool, 10), Err(want));
    let lost = |_: &[ProspectiveItem<'_>], _: u64| vec![Step { position: 1, allocation: 0 }];
    let want = Error::OtherPool { index: 0, position: 1, items: 1 };
    assert_eq!(Plan::prospective(&prospective_from_fn(lost), &pool, 10), Err(want));
    let short = ForecastThreshold::new(vec![], vec![], Probability::HALF).unwrap();
    assert_eq!(
        Plan::informed(&short, &pool, 10),
        Err(Error::ScoringRules(scoring_rules::Error::Length {
            what: "forecasts",
            expected: 1,
            found: 0
        }))
    );
}

#[test]
fn references_boxes_and_functions_are_planners() {
    let item = |id: &str, cost| Item::new(id, 1.0, cost, true).unwrap();
    let pool = Pool::new(vec![item("a", 5), item("b", 3)]).unwrap();
    let first = prospective_from_fn(|_, allocation| vec![Step { position: 0, allocation }]);
    let random = RandomOrder::new(Seed::new(1), 2);
    let prospective: Vec<Box<dyn ProspectivePlanner + Send + Sync>> =
        vec![Box::new(InOrder), Box::new(&random), Box::new(first)];
    let steps = |planner: Box<dyn ProspectivePlanner + Send + Sync>| {
        Plan::prospective(&planner, &pool, 8).unwrap().steps().len()
    };
    assert_eq!(prospective.into_iter().map(steps).collect::<Vec<_>>(), [2, 2, 1]);
    let nothing = informed_from_fn(|_, _| Ok(Vec::new()));
    let informed: [&dyn InformedPlanner; 3] = [&CheapestFirst, &&OraclePlanner, &nothing];
    let steps =
        |planner: &dyn InformedPlanner| Plan::informed(planner, &pool, 8).unwrap().steps().len();
    assert_eq!(informed.map(steps), [2, 2, 0]);
}

#[test]
fn a_plan_of_another_pool_is_refused() {
    let item = |id: &str| Item::new(id, 1.0, 1, true).unwrap();
    let two = Pool::new(vec![item("a"), item("b")]).unwrap();
    let one = Pool::new(vec![item("a")]).unwrap();
    let plan = Plan::new(&[("a", 1), ("b", 1)], &two, 2).unwrap();
    for regime in REGIMES {
        let want = Error::OtherPool { index: 1, position: 1, items: 1 };
        assert_eq!(plan.execute(&one, 2, regime), Err(want));
    }
}

#[test]
fn value_per_cost_differs_from_the_highest_value_and_from_the_lowest_cost() {
    let item = |id: &str, value, cost| Item::new(id, value, cost, true).unwrap();
    let pool = Pool::new(vec![item("a", 20.0, 15), item("b", 3.0, 2), item("c", 1.0, 1)]).unwrap();
    let order = |plan: Result<Plan, Error>| -> Vec<usize> {
        plan.unwrap().steps().iter().map(|step| step.position).collect()
    };
    assert_eq!(order(Plan::informed(&ValuePerCost, &pool, 18)), [1, 0, 2]);
    assert_eq!(order(Plan::informed(&CheapestFirst, &pool, 18)), [2, 1, 0]);
}

#[test]
fn a_planner_is_shown_id_and_value_of_each_item() {
    let item = |id: &str, value| Item::new(id, value, 1, true).unwrap();
    let pool = Pool::new(vec![item("a", 2.5), item("b", 0.5)]).unwrap();
    let shown = |items: &[ProspectiveItem<'_>], _: u64| {
        let seen: Vec<(&str, f64)> = items.iter().map(|item| (item.id(), item.value())).collect();
        assert_eq!(seen, [("a", 2.5), ("b", 0.5)]);
        vec![Step { position: items[1].position(), allocation: 1 }]
    };
    assert_eq!(Plan::prospective(&prospective_from_fn(shown), &pool, 2).unwrap().steps().len(), 1);
}

#[test]
fn an_unsolvable_item_that_is_allocated_nothing_is_left_out() {
    let item = |id: &str, solved| Item::new(id, 1.0, 1, solved).unwrap();
    let pool = Pool::new(vec![item("a", true), item("b", false), item("c", false)]).unwrap();
    let plan = Plan::new(&[("a", 3), ("b", 0), ("c", 1)], &pool, 4).unwrap();
    let mut counts = UnsolvableCounts::default();
    counts.update(&plan, &[false, true, true]).unwrap();
    assert_eq!((counts.detection_rate(), counts.waste_rate()), (Ok(0.5), Ok(0.25)));
}

fn items(n: usize) -> Vec<Item> {
    (0..n).map(|i| Item::new(format!("p{i}"), 1.0, i as u64 + 1, true).unwrap()).collect()
}

#[test]
fn chunks_contain_every_item_once_and_in_order() {
    let pool = Pool::new(items(65)).unwrap();
    let chunks = pool.chunks(30).unwrap();
    let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.items().len()).collect();
    assert_eq!(sizes, [30, 30, 5]);
    let all: Vec<Item> = chunks.iter().flat_map(|chunk| chunk.items().to_vec()).collect();
    assert_eq!(all, pool.items());
    assert!(matches!(
        pool.chunks(0),
        Err(Error::ScoringRules(scoring_rules::Error::Setting { .. }))
    ));
}

#[test]
fn each_resource_has_its_total_and_its_budget() {
    let item = |id, costs| Item::new(id, 1.0, costs, true).unwrap();
    let pool = Pool::new(vec![item("a", [5, 30]), item("b", [6, 40])]).unwrap();
    assert_eq!(pool.total_cost(), [11, 70]);
    assert_eq!(pool.budget(Alpha::new(0.5).unwrap()), [5, 35]);
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
fn an_item_is_found_by_its_id() {
    let pool = Pool::new(items(12)).unwrap();
    for (i, item) in pool.items().iter().enumerate() {
        assert_eq!(pool.position(item.id()), Some(i));
    }
    assert_eq!(pool.position("p12"), None);
}

#[test]
fn invalid_items_and_pools_are_refused() {
    assert_eq!(Pool::<u64>::new(vec![]), Err(Error::ScoringRules(scoring_rules::Error::Empty)));
    let mut twice = items(3);
    twice.push(Item::new("p1", 1.0, 9, false).unwrap());
    let want = Error::DuplicateId { id: "p1".into(), first: 1, second: 3 };
    assert_eq!(Pool::new(twice), Err(want));
    let mut dear = items(2);
    dear.push(Item::new("c", 1.0, u64::MAX - 2, true).unwrap());
    assert_eq!(Pool::new(dear), Err(Error::Sum { what: "costs", item: 2, limit: u64::MAX }));
    for value in [0.0, -1.0, 9.9e-101, 1.1e100, f64::NAN, f64::INFINITY] {
        assert!(matches!(Item::new("a", value, 1, true), Err(Error::ItemValue { .. })));
    }
    assert_eq!(Item::new("a", 1.0, 0, true), Err(Error::ItemCost { id: "a".into() }));
    assert!(Item::new("a", 1e-100, [0, 1], true).is_ok());
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
        assert!(
            matches!(
                Alpha::new(wrong),
                Err(Error::ScoringRules(scoring_rules::Error::Setting { .. }))
            ),
            "{wrong}"
        );
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
fn an_allocation_of_several_resources_is_a_list_of_as_many_amounts() {
    let item = |id| Item::new(id, 1.0, [500, 2], true).unwrap();
    let pool = Pool::new(["a", "b", "c", "d"].map(item).to_vec()).unwrap();
    let text = r#"{"plan": [{"id": "a", "allocation": ["1.2k", 3]}, {"id": "b", "allocation": [5]},
        {"id": "c", "allocation": 500}, {"id": "d"}]}"#;
    let reading = PlanReading::new(text, &pool, [2_000, 5]);
    let steps = reading.plan().unwrap().steps();
    assert_eq!(steps.iter().map(|step| step.allocation).collect::<Vec<_>>(), [[1_200, 3], [0, 0]]);
    let dropped = |entry, given: &str| {
        let reason = DropReason::NotATokenCount { given: given.to_owned() };
        Repair::EntryDropped { entry, reason }
    };
    let allocation =
        |entry, given: &str, taken| Repair::Allocation { entry, given: given.to_owned(), taken };
    let repairs = [
        allocation(0, "[1.2k, 3]", [1_200, 3]),
        dropped(1, "[5]"),
        dropped(2, "500"),
        allocation(3, "", [0, 0]),
    ];
    assert_eq!(reading.repairs(), repairs);
    // The first resource that does not suffice is named.
    let over = Plan::new(&[("a", [2, 9])], &pool, [2, 5]).unwrap_err();
    assert_eq!(over, Error::OverBudget { allocated: 9, budget: 5 });
    assert!(matches!(PlanReading::new(text, &pool, [2_000, 2]), PlanReading::OverBudget { .. }));
}

#[test]
fn noise_of_forecasts_stays_within_its_bounds_and_depends_on_the_seed() {
    let item = |i: u64| Item::new(i.to_string(), 1.0, 1_000, i < 1_000).unwrap();
    let pool = Pool::new((0..2_000).map(item).collect()).unwrap();
    let share = Probability::new(0.1).unwrap();
    let noisy = |seed| ForecastThreshold::noisy(&pool, 0.2, share, Seed::new(seed)).unwrap();
    assert_eq!(noisy(5), noisy(5));
    assert_ne!(noisy(5), noisy(6));
    // The items that are said to be solved, with the forecasts of their costs.
    let steps = noisy(5).plan(&pool, u64::MAX).unwrap();
    assert!(steps.iter().all(|step| (800..=1_200).contains(&step.allocation)));
    let mean = steps.iter().map(|step| step.allocation).sum::<u64>() as f64 / steps.len() as f64;
    // The standard deviation of a cost is 400 / sqrt(12).
    assert!((mean - 1_000.0).abs() < 4.0 * 115.5 / (steps.len() as f64).sqrt(), "{mean}");
    let right = steps.iter().filter(|step| pool.items()[step.position].is_solved()).count();
    let wrong = 1_000 - right + (steps.len() - right);
    assert!(wrong.abs_diff(200) < 54, "{wrong}");
    for error in [-0.1, 1.1, f64::NAN] {
        let noisy = ForecastThreshold::noisy(&pool, error, Probability::ZERO, Seed::new(1));
        let Err(Error::ScoringRules(scoring_rules::Error::Setting { name, .. })) = noisy else {
            panic!("{noisy:?}");
        };
        assert_eq!(name, "cost error");
    }
}

#[test]
fn forecasts_of_different_lengths_are_refused() {
    let forecasts = ForecastThreshold::new(vec![1], vec![], Probability::HALF);
    let what = "success probabilities";
    assert_eq!(
        forecasts,
        Err(Error::ScoringRules(scoring_rules::Error::Length { what, expected: 1, found: 0 }))
    );
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
