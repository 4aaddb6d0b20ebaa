//! The knapsack with several capacities.

use knapsack_oracle::{Error, Knapsack, KnapsackItem, Proof};
use proptest::prelude::*;

use crate::{brute_force, knapsack_items, setting};

/// Checks that each choice is consistent and that the solution has the best value.
fn check<const R: usize>(capacities: [u64; R], profits: &[u64], weights: &[[u64; R]], best: u64) {
    let items = knapsack_items(profits, weights);
    let knapsack = Knapsack::several(capacities, &items).unwrap();
    for nodes in [0, 1, 2, 3, 10, 30, 100] {
        let some = knapsack.solve_within(nodes);
        assert!(some.states <= nodes && some.value <= best && best <= some.upper_bound, "{some:?}");
    }
    let solution = knapsack.solve();
    assert_eq!(solution.value, best, "{solution:?}");
    assert!(solution.value == solution.upper_bound && solution.proof == Proof::Bound);
    assert!(solution.chosen.is_sorted_by(|a, b| a < b));
    assert_eq!(solution.chosen.iter().map(|&item| profits[item]).sum::<u64>(), best);
    for r in 0..R {
        let weight: u64 = solution.chosen.iter().map(|&item| weights[item][r]).sum();
        assert_eq!(weight, solution.weight[r]);
        assert!(weight <= capacities[r]);
    }
}

fn instance<const R: usize>(most: u64) -> impl Strategy<Value = ([u64; R], Vec<(u64, [u64; R])>)> {
    let item = (0..=most, prop::array::uniform::<_, R>(0..=most));
    (prop::array::uniform::<_, R>(0..=3 * most), prop::collection::vec(item, 0..=10))
}

fn check_against_brute_force<const R: usize>(capacities: [u64; R], items: Vec<(u64, [u64; R])>) {
    let (profits, weights): (Vec<u64>, Vec<[u64; R]>) = items.into_iter().unzip();
    check(capacities, &profits, &weights, brute_force(capacities, &profits, &weights));
}

proptest! {
    #[test]
    fn no_set_is_better_under_one_budget((capacities, items) in instance::<1>(30)) {
        check_against_brute_force(capacities, items);
    }

    #[test]
    fn no_set_is_better_under_two_budgets((capacities, items) in instance::<2>(6)) {
        check_against_brute_force(capacities, items);
    }

    #[test]
    fn no_set_is_better_under_three_budgets((capacities, items) in instance::<3>(1_000)) {
        check_against_brute_force(capacities, items);
    }

    #[test]
    fn no_set_is_better_under_eight_budgets((capacities, items) in instance::<8>(100)) {
        check_against_brute_force(capacities, items);
    }

    #[test]
    fn numbers_beyond_the_precision_of_a_float_are_distinguished(
        (capacities, items) in instance::<2>(1 << 59),
    ) {
        check_against_brute_force(capacities, items);
    }

    #[test]
    fn profits_that_differ_only_in_their_last_digit_are_distinguished(
        (capacities, mut items) in instance::<2>(5),
    ) {
        items.iter_mut().for_each(|item| item.0 += 1 << 59);
        check_against_brute_force(capacities, items);
    }
}

#[test]
fn values_equal_those_of_an_integer_programming_solver() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../golden/several.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 9);
    for case in cases {
        match case["capacities"].as_array().unwrap().len() {
            2 => golden_case::<2>(case),
            3 => golden_case::<3>(case),
            4 => golden_case::<4>(case),
            5 => golden_case::<5>(case),
            resources => {
                assert_eq!(resources, 8);
                golden_case::<8>(case);
            }
        }
    }
}

fn golden_case<const R: usize>(case: &serde_json::Value) {
    let numbers = |list: &serde_json::Value| -> Vec<u64> {
        list.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
    };
    let row = |list: &serde_json::Value| -> [u64; R] { numbers(list).try_into().unwrap() };
    let weights: Vec<[u64; R]> = case["weights"].as_array().unwrap().iter().map(row).collect();
    let best = case["value"].as_u64().unwrap();
    check(row(&case["capacities"]), &numbers(&case["profits"]), &weights, best);
}

/// Random numbers that do not depend on the version of a library: splitmix64.
struct Draws(u64);

impl Draws {
    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + (x ^ (x >> 31)) % (high - low + 1)
    }
}

/// Sums over ten instances: the nodes, the greedy bound minus the best value, the best value minus
/// the greedy value, and the gap that is left after five nodes.
fn effort<const R: usize>(draws: &mut Draws, kind: usize, n: u64, top: u64) -> [u64; 4] {
    let mut sums = [0; 4];
    for _ in 0..10 {
        let item = |_| {
            let weights: [u64; R] = std::array::from_fn(|_| draws.between(1, top));
            let mean = weights.iter().sum::<u64>() / R as u64;
            let profit = match kind {
                0 => draws.between(1, top),
                1 => mean + top / 10,
                _ => mean.saturating_sub(top / 10) + draws.between(1, top / 5),
            };
            (profit, weights)
        };
        let (profits, weights): (Vec<u64>, Vec<[u64; R]>) = (0..n).map(item).unzip();
        let capacities =
            std::array::from_fn(|r| weights.iter().map(|weights| weights[r]).sum::<u64>() / 2);
        let items = knapsack_items(&profits, &weights);
        let knapsack = Knapsack::several(capacities, &items).unwrap();
        let (best, greedy, few) =
            (knapsack.solve(), knapsack.solve_within(1), knapsack.solve_within(5));
        let open = few.upper_bound - few.value;
        let figures =
            [best.states, greedy.upper_bound - best.value, best.value - greedy.value, open];
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
    }
    sums
}

#[test]
fn no_proof_takes_more_nodes_and_no_bound_is_looser_than_on_record() {
    // Profits are random, the mean of the weights plus a constant, or that mean plus noise. There
    // are one, two, three and six resources.
    let record = [
        [[202, 1_044, 449, 946], [294, 162, 43, 159], [430, 2_322, 501, 2_443], [192, 206, 8, 204]],
        [
            [6_520, 431, 18, 442],
            [4_480, 50, 54, 74],
            [15_930, 1_093, 1_000, 1_556],
            [5_163, 249, 160, 353],
        ],
        [
            [666, 307, 915, 763],
            [1_516, 85, 58, 120],
            [2_993, 1_386, 632, 1_691],
            [2_219, 245, 119, 324],
        ],
    ];
    let mut draws = Draws(2);
    for (kind, record) in record.into_iter().enumerate() {
        let found = [
            effort::<1>(&mut draws, kind, 30, 1_000),
            effort::<2>(&mut draws, kind, 25, 100),
            effort::<3>(&mut draws, kind, 20, 1_000),
            effort::<6>(&mut draws, kind, 15, 100),
        ];
        let more = found.as_flattened().iter().zip(record.as_flattened()).any(|(a, b)| a > b);
        assert!(!more, "kind {kind}: {found:?}, not {record:?}");
    }
}

#[test]
fn a_capacity_of_0_leaves_only_items_that_do_not_need_the_resource() {
    check([0, 10], &[9, 3, 4, 0], &[[1, 1], [0, 5], [0, 6], [0, 0]], 4);
    check([0, 0], &[9, 3], &[[1, 0], [0, 1]], 0);
    check([0, 0], &[9, 3], &[[0, 0], [0, 0]], 12);
    check([u64::MAX; 2], &[u64::MAX - 1, 1], &[[u64::MAX, 1], [1, u64::MAX]], u64::MAX - 1);
    check([u64::MAX; 2], &[u64::MAX - 1, 1], &[[u64::MAX, 0], [0, u64::MAX]], u64::MAX);
    check::<1>([5], &[], &[], 0);
}

#[test]
fn invalid_input_is_a_typed_error() {
    assert_eq!(setting(Knapsack::several([], &[])), "number of resources");
    assert_eq!(setting(Knapsack::several([1; 9], &[])), "number of resources");
    let error = Knapsack::several([1], &knapsack_items(&[u64::MAX, 1], &[[1]; 2])).unwrap_err();
    assert!(matches!(error, Error::Sum { what: "profits", item: 1, limit: u64::MAX, .. }));
    let error =
        Knapsack::several([1], &[KnapsackItem { profit: 1, weight: [1] }; 1_001]).unwrap_err();
    assert!(matches!(error, Error::TooLarge { items: 1_001, .. }), "{error}");
}

#[cfg(feature = "serde")]
#[test]
fn results_are_stored_with_snake_case_names() {
    let items = [KnapsackItem { profit: 7, weight: [2, 3] }];
    let knapsack = Knapsack::several([5, 5], &items).unwrap();
    assert_eq!(
        serde_json::to_string(&knapsack.solve()).unwrap(),
        r#"{"value":7,"weight":[2,3],"chosen":[0],"upper_bound":7,"proof":"bound","states":1}"#
    );
}

/// Items with two weights. Profits are random, or the sum of the weights and almost a constant.
fn two_resources(draw: &mut u64, n: usize, correlated: bool) -> Vec<KnapsackItem<[u64; 2]>> {
    let mut next = |below: u64| {
        *draw =
            draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*draw >> 33) % below
    };
    (0..n)
        .map(|_| {
            let weight = [1_000 + next(1_000), 1_000 + next(1_000)];
            let profit = if correlated {
                (weight[0] + weight[1] + 100 + next(7)) * 100 + 37
            } else {
                (1 + next(50)) * 100
            };
            KnapsackItem { profit, weight }
        })
        .collect()
}

fn half<const R: usize>(items: &[KnapsackItem<[u64; R]>]) -> [u64; R] {
    std::array::from_fn(|r| items.iter().map(|item| item.weight[r]).sum::<u64>() / 2)
}

#[test]
fn a_limited_search_over_correlated_items_ends_soon_with_bounds_that_every_machine_finds() {
    let mut draw = 9;
    for (n, correlated, value, upper_bound) in [
        (40, false, 70_300, 70_300),
        (40, true, 6_269_277, 6_279_141),
        (60, true, 9_355_584, 9_365_529),
        (80, true, 12_370_791, 12_380_392),
        (100, true, 15_348_035, 15_353_052),
    ] {
        let items = two_resources(&mut draw, n, correlated);
        let some = Knapsack::several(half(&items), &items).unwrap().solve_within(1_000);
        assert_eq!((some.value, some.upper_bound), (value, upper_bound), "{n} items");
        assert_eq!(some.states == 1_000, correlated, "{n} items");
    }
}

#[test]
fn the_best_value_by_brute_force_is_within_the_bounds_of_every_limit() {
    let mut draw = 9;
    for round in 0..60 {
        let items = two_resources(&mut draw, 8 + round % 6, round % 4 > 0);
        let pairs = items.iter().map(|item| (item.profit, item.weight)).collect();
        check_against_brute_force(half(&items), pairs);
    }
}
