//! Every exact solver, one of them brute force, solves the same list of cases.

use knapsack_oracle::{BudgetStaircase, Item, Knapsack, KnapsackItem, Pool, most_solved};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::{brute_force, knapsack::checked, knapsack_items, table};

struct Case {
    capacity: u64,
    profits: Vec<u64>,
    weights: Vec<u64>,
}

impl Case {
    /// The items, with each weight turned into the given form.
    fn items<W: Copy>(&self, weight: fn(u64) -> W) -> Vec<KnapsackItem<W>> {
        let weights: Vec<W> = self.weights.iter().map(|&w| weight(w)).collect();
        knapsack_items(&self.profits, &weights)
    }
}

type Solver = (&'static str, fn(&Case) -> Option<u64>);

/// Each solver returns the best value, or `None` for a case that it does not support.
const SOLVERS: [Solver; 8] = [
    ("brute force", |case| {
        let weights: Vec<[u64; 1]> = case.weights.iter().map(|&w| [w]).collect();
        (weights.len() <= 14).then(|| brute_force([case.capacity], &case.profits, &weights))
    }),
    ("table over capacities", |case| {
        table(case.capacity, &case.profits, &case.weights).last().copied()
    }),
    ("exact solver", |case| Some(checked(case.capacity, &case.profits, &case.weights).value)),
    ("staircase", |case| {
        Some(BudgetStaircase::new(&case.items(|w| w)).unwrap().value_at(case.capacity))
    }),
    ("several resources, with one resource", |case| {
        let items = case.items(|w| [w]);
        Some(Knapsack::several([case.capacity], &items).unwrap().solve().value)
    }),
    ("several resources, the same one twice", |case| {
        let items = case.items(|w| [w; 2]);
        Some(Knapsack::several([case.capacity; 2], &items).unwrap().solve().value)
    }),
    ("oracle of a pool", pool),
    ("most solved", |case| {
        let equal = case.profits.iter().all(|&profit| profit == 1);
        let items = case.weights.iter().map(|&weight| (weight, true));
        equal.then(|| most_solved(items, case.capacity) as u64)
    }),
];

/// Pools contain only items with a value and a cost above 0.
fn pool(case: &Case) -> Option<u64> {
    let items = case.profits.iter().zip(&case.weights).enumerate();
    let items = items
        .map(|(i, (&profit, &weight))| Item::new(i.to_string(), profit as f64, weight, true).ok());
    let pool = Pool::new(items.collect::<Option<Vec<_>>>()?).ok()?;
    Some(pool.oracle(case.capacity).unwrap().value as u64)
}

fn cases() -> Vec<Case> {
    let case = |capacity, profits: &[u64], weights: &[u64]| Case {
        capacity,
        profits: profits.to_vec(),
        weights: weights.to_vec(),
    };
    let mut cases = vec![
        case(0, &[1, 1], &[1, 2]),
        case(3, &[1], &[4]),
        case(10, &[7, 7, 7], &[5, 5, 5]),
        case(100, &[1, 2, 3], &[10, 20, 30]),
        case(50, &[60, 100, 120], &[10, 20, 30]),
        case(6, &[0, 5, 3], &[0, 6, 0]),
        case(26, &[24, 13, 23, 15, 16], &[12, 7, 11, 8, 9]),
    ];
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let mut below = |n: u64| generator.next_u64() % n;
    for round in 0..400_usize {
        let n = if round < 300 { 1 + round % 14 } else { 20 + round % 40 };
        let weights: Vec<u64> = (0..n).map(|_| 1 + below(60)).collect();
        let profits = weights.iter().map(|&weight| match round % 4 {
            0 => 1,
            1 => 1 + below(60),
            2 => weight,
            _ => weight + 10,
        });
        let profits = profits.collect();
        let capacity = below(weights.iter().sum::<u64>() + 2);
        cases.push(Case { capacity, profits, weights });
    }
    cases
}

#[test]
fn all_solvers_agree_on_every_case() {
    let mut solved = [0; SOLVERS.len()];
    for case in cases() {
        let answers = SOLVERS.map(|(name, solve)| (name, solve(&case)));
        let want = answers[1].1.unwrap();
        for (count, (name, answer)) in solved.iter_mut().zip(answers) {
            let Case { capacity, profits, weights } = &case;
            assert!(
                answer.is_none_or(|value| value == want),
                "{name}: {answer:?}, not {want}: {capacity} {profits:?} {weights:?}"
            );
            *count += u32::from(answer.is_some());
        }
    }
    // Every solver supports many of the cases.
    assert!(solved.iter().all(|&count| count >= 100), "{solved:?}");
}
