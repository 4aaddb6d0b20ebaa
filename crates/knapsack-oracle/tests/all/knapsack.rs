//! The exact solver compared with brute force and with dynamic programming over all capacities.

use knapsack_oracle::{Error, Knapsack, KnapsackItem, Proof, Solution};
use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{brute_force, knapsack_items, table};

/// Checks what holds for every solution.
fn check(capacity: u64, items: &[KnapsackItem], solution: &Solution) {
    let sum = |of: fn(&KnapsackItem) -> u64| {
        solution.chosen.iter().map(|&position| of(&items[position])).sum::<u64>()
    };
    assert!(solution.chosen.is_sorted_by(|a, b| a < b), "{solution:?}");
    assert_eq!(solution.value, sum(|item| item.profit));
    assert_eq!(solution.weight, sum(|item| item.weight));
    assert!(solution.weight <= capacity);
    assert!(solution.value <= solution.upper_bound);
    assert!(solution.chosen.iter().all(|&item| items[item].profit > 0));
}

/// Checks the solution, and returns it.
pub(crate) fn checked(capacity: u64, profits: &[u64], weights: &[u64]) -> Solution {
    let items = knapsack_items(profits, weights);
    let instance = Knapsack::new(capacity, &items).unwrap();
    let solution = instance.solve();
    assert_eq!(solution.upper_bound, solution.value);
    assert!(solution.proof != Proof::None);
    check(capacity, &items, &solution);
    solution
}

fn solved(capacity: u64, profits: &[u64], weights: &[u64]) -> u64 {
    checked(capacity, profits, weights).value
}

/// Profits and weights of a random kind, with numbers up to about `top`.
fn random_items(rng: &mut ChaCha8Rng, n: usize, top: u64) -> (Vec<u64>, Vec<u64>) {
    let kind = rng.random_range(0..8);
    let (a, b) = (rng.random_range(1..=top), rng.random_range(1..=top));
    (0..n)
        .map(|_| {
            let (x, y) = (rng.random_range(0..=top), rng.random_range(1..=top));
            match kind {
                0 => (x, y),
                1 => (y, y),
                2 => (y + top / 10 + 1, y),
                3 => (x + 1, x + 1 + top / 10),
                4 => (y + top / 10 + x % 3, y),
                5 => (y.div_ceil(3) * 3, y),
                6 => ((x % 4 + 1) * a / 4, (x % 4 + 1) * b / 4),
                _ => (x % 10, y),
            }
        })
        .unzip()
}

fn best_of_all(capacity: u64, profits: &[u64], weights: &[u64]) -> u64 {
    let weights: Vec<[u64; 1]> = weights.iter().map(|&weight| [weight]).collect();
    brute_force([capacity], profits, &weights)
}

fn best_of_table(capacity: u64, profits: &[u64], weights: &[u64]) -> u64 {
    *table(capacity, profits, weights).last().unwrap()
}

fn capacity(rng: &mut impl Rng, weights: &[u64]) -> u64 {
    let total: u64 = weights.iter().sum();
    (total as f64 * rng.random_range(0.0..1.1)) as u64
}

/// Compares the solver with another one on random items.
fn compare(rng: &mut ChaCha8Rng, n: usize, top: u64, best: fn(u64, &[u64], &[u64]) -> u64) {
    let (profits, weights) = random_items(rng, n, top);
    let capacity = capacity(rng, &weights);
    let (found, want) = (solved(capacity, &profits, &weights), best(capacity, &profits, &weights));
    assert_eq!(found, want, "{capacity} {profits:?} {weights:?}");
}

#[test]
fn the_solver_equals_brute_force_on_20_000_pools_and_dynamic_programming_on_2_000_larger_pools() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for round in 0..20_000 {
        // Most pools are small, because the number of choices doubles with each item.
        let n = if round % 50 == 0 { 16 } else { rng.random_range(0..=10) };
        let top = [3, 20, 1_000, 100_000, 1 << 40, 1 << 58][rng.random_range(0..6)];
        compare(&mut rng, n, top, best_of_all);
    }
    for _ in 0..2_000 {
        let (n, top) = (rng.random_range(30..=200), rng.random_range(5..=60));
        compare(&mut rng, n, top, best_of_table);
    }
}

#[test]
fn numbers_near_the_limit_of_a_sum_are_exact() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for n in [2, 3, 10, 14] {
        for _ in 0..50 {
            let top = i64::MAX as u64 / n;
            let (profits, weights): (Vec<u64>, Vec<u64>) =
                (0..n).map(|_| (rng.random_range(1..=top), rng.random_range(1..=top))).unzip();
            let capacity = capacity(&mut rng, &weights);
            let want = best_of_all(capacity, &profits, &weights);
            assert_eq!(solved(capacity, &profits, &weights), want);
            assert_eq!(
                solved(capacity, &weights, &weights),
                best_of_all(capacity, &weights, &weights)
            );
        }
    }
    // One item is light and valuable, and another is heavy and cheap: only one product of a profit
    // and a weight is large.
    let large = 1 << 40;
    assert_eq!(solved(large + 2, &[large + 1, large - 1, 3], &[3, 5, large]), 2 * large);
    assert_eq!(solved(u64::MAX, &[i64::MAX as u64], &[i64::MAX as u64]), i64::MAX as u64);
}

#[test]
fn items_without_weight_are_taken_and_items_without_profit_are_not() {
    let items = knapsack_items(&[0, 3, 5, 0], &[0, 0, 1, 7]);
    let instance = Knapsack::new(0, &items).unwrap();
    assert_eq!(instance.solve().chosen, [1]);
    assert_eq!(Knapsack::new(5, &[]).unwrap().solve().value, 0);
}

#[test]
fn invalid_input_is_a_typed_error() {
    let half = 1 << 62;
    let most = i64::MAX as u64;
    assert!(matches!(
        Knapsack::new(1, &knapsack_items(&[1; 3], &[half, half - 1, 1])),
        Err(Error::Sum { what: "weights", item: 2, limit, .. }) if limit == most
    ));
    assert!(matches!(
        Knapsack::new(1, &knapsack_items(&[u64::MAX], &[1])),
        Err(Error::Sum { what: "profits", item: 0, limit, .. }) if limit == most
    ));
    let ones = vec![KnapsackItem { profit: 1, weight: 1 }; (1 << 22) + 1];
    assert!(Knapsack::new(1, &ones[1..]).is_ok());
    let error = Knapsack::new(1, &ones).unwrap_err();
    assert!(matches!(error, Error::TooLarge { items: 4_194_305, .. }), "{error}");
}

proptest! {
    #[test]
    fn a_larger_capacity_is_never_worse(
        pairs in prop::collection::vec((0_u64..50, 0_u64..50), 0..40),
        capacity in 0_u64..500,
    ) {
        let (profits, weights): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
        let small = solved(capacity, &profits, &weights);
        prop_assert!(small <= solved(capacity + 1, &profits, &weights));
        prop_assert_eq!(small, best_of_table(capacity, &profits, &weights));
    }
}
