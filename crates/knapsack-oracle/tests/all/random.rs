//! The random reference, exact and sampled.

use knapsack_oracle::{Error, FitRule, Item, Pool, Seed};
use proptest::prelude::*;

use crate::{item, setting};

/// The mean value and cost over all orders, and how often each item runs.
struct Enumerated {
    value: f64,
    spent: f64,
    run_probabilities: Vec<f64>,
}

fn enumerate(costs: &[u64], earned: &[f64], budget: u64, rule: FitRule) -> Enumerated {
    let n = costs.len();
    let mut runs = vec![0_u32; n];
    let mut orders = 0_u32;
    let mut order: Vec<usize> = (0..n).collect();
    each_order(&mut order, 0, &mut |order| {
        orders += 1;
        let mut left = budget;
        for &item in order {
            if costs[item] <= left {
                left -= costs[item];
                runs[item] += 1;
            } else if rule == FitRule::StopAtFirst {
                break;
            }
        }
    });
    let run_probabilities: Vec<f64> =
        runs.iter().map(|&r| f64::from(r) / f64::from(orders)).collect();
    let mean = |each: &dyn Fn(usize) -> f64| (0..n).map(|i| each(i) * run_probabilities[i]).sum();
    Enumerated { value: mean(&|i| earned[i]), spent: mean(&|i| costs[i] as f64), run_probabilities }
}

fn each_order(order: &mut [usize], from: usize, take: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        return take(order);
    }
    for other in from..order.len() {
        order.swap(from, other);
        each_order(order, from + 1, take);
        order.swap(from, other);
    }
}

fn earned(values: &[f64], solved: &[bool]) -> Vec<f64> {
    values.iter().zip(solved).map(|(&value, &solved)| if solved { value } else { 0.0 }).collect()
}

fn items(most: usize) -> impl Strategy<Value = Vec<(u64, f64, bool)>> {
    let value = (1..10_000_u32).prop_map(|parts| f64::from(parts) / 1_024.0);
    prop::collection::vec((1_u64..20, value, any::<bool>()), 1..=most)
}

fn pool_of(costs: &[u64], values: &[f64], solved: &[bool]) -> Pool {
    let items = costs.iter().zip(values).zip(solved).enumerate();
    let item = |(i, ((&cost, &value), &solved)): (usize, ((&u64, &f64), &bool))| {
        Item::new(i.to_string(), value, cost, solved).unwrap()
    };
    Pool::new(items.map(item).collect()).unwrap()
}

fn columns(items: Vec<(u64, f64, bool)>) -> (Vec<u64>, Vec<f64>, Vec<bool>) {
    let costs = items.iter().map(|item| item.0).collect();
    (costs, items.iter().map(|item| item.1).collect(), items.iter().map(|item| item.2).collect())
}

/// 30 items, some of them solved, with costs like those in tokens.
fn pool(seed: u64) -> Pool {
    let mut state = seed;
    let mut next = |range: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % range
    };
    let costs: Vec<u64> = (0..30).map(|_| 1_000 + next(99_000)).collect();
    let values: Vec<f64> = (0..30).map(|_| 0.25 + next(8) as f64).collect();
    let solved: Vec<bool> = (0..30).map(|_| next(10) < 6).collect();
    pool_of(&costs, &values, &solved)
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_exact_reference_is_the_mean_over_all_orders(
        items in items(7),
        budget in 0_u64..140,
    ) {
        let (costs, values, solved) = columns(items);
        let all = enumerate(&costs, &earned(&values, &solved), budget, FitRule::StopAtFirst);
        let exact = pool_of(&costs, &values, &solved).random_exact(budget).unwrap();
        prop_assert!(close(exact.value, all.value, 1e-13), "{} {}", exact.value, all.value);
        prop_assert!(close(exact.spent, all.spent, 1e-13), "{} {}", exact.spent, all.spent);
        for (&probability, &want) in exact.run_probabilities.iter().zip(&all.run_probabilities) {
            prop_assert!(close(probability, want, 1e-13), "{:?} {:?}", exact, all.run_probabilities);
        }
        prop_assert!(exact.spent <= budget as f64 * (1.0 + 1e-14));
    }
}

#[test]
fn both_rules_are_sampled_without_bias() {
    let costs = [3, 1, 4, 1, 5, 9, 2];
    let values = [1.0, 2.0, 0.5, 4.0, 1.0, 8.0, 0.25];
    let reference = pool_of(&costs, &values, &[true; 7]);
    for rule in [FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit] {
        for budget in [2, 5, 9, 14, 20, 24] {
            let all = enumerate(&costs, &values, budget, rule);
            let sampled = reference.random_sampled(budget, rule, 40_000, Seed(budget)).unwrap();
            let errors = (sampled.value - all.value) / sampled.standard_error;
            assert!(errors.abs() < 4.0, "{rule:?} at {budget}: {errors}");
            assert!(close(sampled.spent, all.spent, 0.02), "{rule:?} at {budget}: {sampled:?}");
        }
    }
}

#[test]
fn a_million_shuffles_of_thirty_items_agree_with_the_exact_reference() {
    for (seed, quarters) in [(1, 1), (2, 2), (3, 3)] {
        let reference = pool(seed);
        let budget = reference.total_cost() / 4 * quarters;
        let exact = reference.random_exact(budget).unwrap();
        let sampled =
            reference.random_sampled(budget, FitRule::StopAtFirst, 1_000_000, Seed(seed)).unwrap();
        let errors = (sampled.value - exact.value) / sampled.standard_error;
        assert!(errors.abs() < 4.0, "{quarters} quarters: {errors} standard errors, {exact:?}");
        assert!(close(sampled.spent, exact.spent, 1e-3), "{sampled:?} {}", exact.spent);
    }
}

#[test]
fn the_standard_error_is_that_of_the_mean_also_over_several_streams() {
    // One of three items runs, and one of the three is solved: a success probability of 1/3.
    let reference = pool_of(&[6; 3], &[1.0; 3], &[true, false, false]);
    for shuffles in [2, 1_000, 1_024, 1_025, 5_000] {
        let sampled =
            reference.random_sampled(10, FitRule::StopAtFirst, shuffles, Seed(7)).unwrap();
        let (p, n) = (sampled.value, shuffles as f64);
        let want = (p * (1.0 - p) / (n - 1.0)).sqrt();
        assert!((sampled.standard_error - want).abs() < 1e-14, "{sampled:?}, not {want}");
        assert_eq!((sampled.spent, sampled.shuffles), (6.0, shuffles));
        assert!((p * n - (p * n).round()).abs() < 1e-9, "{p} of {n}");
    }
}

#[test]
fn shuffles_of_a_seed_do_not_change_with_versions() {
    let reference = pool(1);
    let budget = reference.total_cost() / 2;
    let stop = reference.random_sampled(budget, FitRule::StopAtFirst, 1_000, Seed(7)).unwrap();
    assert_eq!((stop.value, stop.spent), (40.36975, 776_931.737));
    let skip =
        reference.random_sampled(budget, FitRule::SkipWhatDoesNotFit, 1_000, Seed(7)).unwrap();
    assert_eq!((skip.value, skip.spent), (43.43025, 808_148.066));
    assert_ne!(
        stop,
        reference.random_sampled(budget, FitRule::StopAtFirst, 1_000, Seed(8)).unwrap()
    );
}

#[test]
fn many_items_are_sampled_like_few_items() {
    // Seven items run, because all costs are equal. Each is equally likely to be solved.
    for n in [127, 128, 129, 20_000] {
        let solved: Vec<bool> = (0..n).map(|item| item % 3 == 0).collect();
        let reference = pool_of(&vec![5; n], &vec![1.0; n], &solved);
        let share = solved.iter().filter(|&&solved| solved).count() as f64 / n as f64;
        for rule in [FitRule::StopAtFirst, FitRule::SkipWhatDoesNotFit] {
            let sampled = reference.random_sampled(39, rule, 3_000, Seed(7)).unwrap();
            assert_eq!(sampled.spent, 35.0);
            let errors = (sampled.value - 7.0 * share) / sampled.standard_error;
            assert!(errors.abs() < 4.0, "{n} items: {errors}");
        }
    }
}

#[test]
fn of_items_of_equal_cost_exactly_as_many_run_as_fit() {
    for (n, fits) in [(3, [1, 2]), (46, [23, 45]), (60, [30, 59]), (1_000, [1, 12])] {
        let reference = pool_of(&vec![70; n], &vec![1.0; n], &vec![true; n]);
        for fit in fits {
            let exact = reference.random_exact(70 * fit as u64 + 69).unwrap();
            assert!(close(exact.value, fit as f64, 1e-12), "{fit} of {n}: {}", exact.value);
            assert!(close(exact.run_probabilities[0], fit as f64 / n as f64, 1e-12));
        }
    }
}

#[test]
fn with_half_of_an_odd_total_half_of_all_but_one_run() {
    // Either the first k items fit half of the cost or the last n - k do, and never both.
    for n in [2, 9, 18, 23] {
        let mut costs: Vec<u64> = (0..n as u64).map(|i| 1_000 + i * i * 7_919 % 99_991).collect();
        costs[0] += 1 - costs.iter().sum::<u64>() % 2;
        let reference = pool_of(&costs, &vec![1.0; n], &vec![true; n]);
        let exact = reference.random_exact(reference.total_cost() / 2).unwrap();
        assert!(close(exact.value, (n - 1) as f64 / 2.0, 1e-15), "{n} items: {}", exact.value);
    }
}

#[test]
fn items_that_never_fit_end_a_plan_but_do_not_run() {
    let solved = [true, false, true];
    let reference = pool_of(&[5, 100, 5], &[1.0; 3], &solved);
    let exact = reference.random_exact(10).unwrap();
    // Each small item runs if it comes before the large one.
    assert_eq!(exact.run_probabilities, [0.5, 0.0, 0.5]);
    let nothing = reference.random_exact(4).unwrap();
    assert_eq!((nothing.value, nothing.spent, nothing.run_probabilities), (0.0, 0.0, vec![0.0; 3]));
    // All small items fit together, and on average half of them come before the large item.
    let mut costs = vec![1; 60];
    costs.push(61);
    let free = pool_of(&costs, &[1.0; 61], &[true; 61]);
    assert!(close(free.random_exact(60).unwrap().value, 30.0, 1e-13));
    // With a thousand more large items there are too many orders to enumerate, but not too many
    // sets.
    let costs: Vec<u64> = (0..1_002).map(|item| if item < 2 { 1 << 40 } else { 1 << 50 }).collect();
    let many = pool_of(&costs, &vec![1.0; 1_002], &vec![true; 1_002]);
    let exact = many.random_exact(1 << 41).unwrap();
    assert!(close(exact.value, 2.0 / 1_001.0, 1e-13), "{}", exact.value);
}

#[test]
fn an_exact_reference_beyond_the_memory_limit_is_an_error() {
    let costs: Vec<u64> = (0..47).map(|item| 1_000_003 + 7_919 * item).collect();
    let reference = pool_of(&costs, &[1.0; 47], &[true; 47]);
    let error = reference.random_exact(reference.total_cost() / 2).unwrap_err();
    assert!(matches!(error, Error::TooLarge { items: 47, .. }), "{error}");
    assert!(reference.random_exact(reference.total_cost()).is_ok());
    // With a budget for eight items there are fewer sets, but too many sums for a table.
    assert!(reference.random_exact(9_000_000).is_err());
}

#[test]
fn probabilities_equal_exact_fractions_computed_in_python() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../golden/random_reference.json")).unwrap();
    let numbers = |list: &serde_json::Value| -> Vec<f64> {
        list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 27);
    for case in cases {
        let costs: Vec<u64> = numbers(&case["costs"]).iter().map(|&cost| cost as u64).collect();
        let (n, mut values) = (costs.len(), numbers(&case["values"]));
        // An item that earns nothing is an unsolved item.
        let solved: Vec<bool> = values.iter().map(|&value| value > 0.0).collect();
        values.iter_mut().filter(|value| **value == 0.0).for_each(|value| *value = 1.0);
        let reference = pool_of(&costs, &values, &solved);
        let exact = reference.random_exact(case["budget"].as_u64().unwrap()).unwrap();
        let mut all = vec![(exact.value, case["value"].as_f64().unwrap())];
        all.push((exact.spent, case["spent"].as_f64().unwrap()));
        all.extend(exact.run_probabilities.iter().copied().zip(numbers(&case["chances"])));
        for (got, want) in all {
            assert!(close(got, want, 1e-13), "{n} items: {got}, not {want}");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn results_are_stored_with_snake_case_names() {
    let reference = pool_of(&[1, 1], &[1.0; 2], &[true; 2]);
    assert_eq!(
        serde_json::to_string(&reference.random_exact(1).unwrap()).unwrap(),
        r#"{"value":1.0,"spent":1.0,"run_probabilities":[0.5,0.5]}"#
    );
    assert_eq!(
        serde_json::to_string(
            &reference.random_sampled(1, FitRule::StopAtFirst, 9, Seed(7)).unwrap()
        )
        .unwrap(),
        r#"{"value":1.0,"standard_error":0.0,"spent":1.0,"shuffles":9}"#
    );
    let rule: FitRule = serde_json::from_str(r#""skip_what_does_not_fit""#).unwrap();
    assert_eq!(rule, FitRule::SkipWhatDoesNotFit);
}

#[test]
fn a_pool_of_100_000_items_is_shuffled_as_fairly_as_a_small_one() {
    // The first half of the items is solved, and half of all items run.
    let n = 100_000;
    let pool = crate::pool((0..n).map(|i| item(i.to_string(), 1, i < n / 2)));
    let sampled = pool.random_sampled(n / 2, FitRule::StopAtFirst, 20, Seed(1)).unwrap();
    assert_eq!(sampled.spent, 50_000.0);
    // The number of solved items that run is hypergeometric with a standard deviation of 79.06.
    assert!((sampled.value - 25_000.0).abs() < 5.0 * 79.06 / 20.0_f64.sqrt(), "{sampled:?}");
}

#[test]
fn one_shuffle_and_more_than_ten_million_are_refused() {
    for items in [vec![item("a", 5, true)], vec![item("a", 5, true), item("b", 9, true)]] {
        let pool = crate::pool(items);
        for shuffles in [1, 10_000_001, usize::MAX] {
            let refused = pool.random_sampled(9, FitRule::StopAtFirst, shuffles, Seed(1));
            assert_eq!(setting(refused), "shuffles", "{shuffles}");
        }
    }
}
