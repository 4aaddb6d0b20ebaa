//! Instances that are designed to be hard, after D. Pisinger (2005), Where are the hard knapsack
//! problems?, <https://doi.org/10.1016/j.cor.2004.03.002>.

use std::path::Path;

use knapsack_oracle::Solution;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::knapsack::checked;

const CLASSES: [&str; 12] = [
    "uncorrelated",
    "weakly correlated",
    "strongly correlated",
    "inversely strongly correlated",
    "almost strongly correlated",
    "subset sum",
    "spanner, uncorrelated",
    "spanner, weakly correlated",
    "spanner, strongly correlated",
    "profit ceiling",
    "circle",
    "multiply strongly correlated",
];

/// The profit and the weight of one item, with numbers up to about `top`.
fn item(class: &str, top: u64, rng: &mut ChaCha8Rng) -> (u64, u64) {
    let tenth = top / 10;
    let weight = rng.random_range(1..=top);
    match class {
        "uncorrelated" => (rng.random_range(1..=top), weight),
        "weakly correlated" => {
            let profit = rng.random_range(weight..=weight + 2 * tenth);
            (profit.saturating_sub(tenth).max(1), weight)
        }
        "strongly correlated" => (weight + tenth, weight),
        "inversely strongly correlated" => (weight, weight + tenth),
        "almost strongly correlated" => {
            let noise = top / 500;
            (rng.random_range(weight + tenth - noise..=weight + tenth + noise), weight)
        }
        "subset sum" => (weight, weight),
        "profit ceiling" => (weight.div_ceil(3) * 3, weight),
        "circle" => {
            let (top, x) = (top as f64, weight as f64);
            let height = (4.0 * top * top - (x - 2.0 * top).powi(2)).sqrt();
            (((2.0 / 3.0 * height) as u64).max(1), weight)
        }
        _ => (weight + if weight % 6 == 0 { 3 } else { 2 } * tenth, weight),
    }
}

fn items(class: &str, n: usize, top: u64, rng: &mut ChaCha8Rng) -> (Vec<u64>, Vec<u64>) {
    let Some(base) = class.strip_prefix("spanner, ") else {
        return (0..n).map(|_| item(class, top, rng)).unzip();
    };
    // All items are small multiples of two items.
    let spanners = [0, 1].map(|_| {
        let (profit, weight) = item(base, top, rng);
        (profit.div_ceil(11), weight.div_ceil(11))
    });
    (0..n)
        .map(|_| {
            let (profit, weight) = spanners[rng.random_range(0..2)];
            let times = rng.random_range(1..=10);
            (times * profit, times * weight)
        })
        .unzip()
}

/// The best value from a table of the least weight for each profit, the transpose of a table over
/// capacities.
fn by_profits(capacity: u64, profits: &[u64], weights: &[u64]) -> u64 {
    let total: u64 = profits.iter().sum();
    let mut least = vec![u64::MAX; total as usize + 1];
    least[0] = 0;
    let mut reached = 0;
    for (&profit, &weight) in profits.iter().zip(weights) {
        let profit = profit as usize;
        for from in (0..=reached).rev() {
            if least[from] <= capacity - weight.min(capacity) && weight <= capacity {
                least[from + profit] = least[from + profit].min(least[from] + weight);
            }
        }
        reached += profit;
    }
    (0..=total).rev().find(|&profit| least[profit as usize] <= capacity).unwrap()
}

#[test]
fn all_twelve_classes_equal_dynamic_programming_over_profits() {
    let mut rng = ChaCha8Rng::seed_from_u64(2005);
    for class in CLASSES {
        for (n, top) in [(20, 1_000), (50, 500), (100, 200), (200, 100)] {
            for percent in [20, 50, 80] {
                let (profits, weights) = items(class, n, top, &mut rng);
                let capacity = weights.iter().sum::<u64>() * percent / 100;
                let want = by_profits(capacity, &profits, &weights);
                let value = checked(capacity, &profits, &weights).value;
                assert_eq!(value, want, "{class}, {n} items up to {top}, {percent}%");
            }
        }
    }
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

fn solved_json(instance: &Value) -> Solution {
    let capacity = instance["capacity"].as_u64().unwrap();
    checked(capacity, &numbers(&instance["profits"]), &numbers(&instance["weights"]))
}

/// The number of partial choices kept for each instance of the golden file. A better search may
/// lower them.
const KEPT: [u64; 24] = [
    68, 3, 375, 99, 3_432, 78_641, 8_830, 3_479, 2_926, 6_083, 2_777, 12_284, 247, 1_275, 1_029,
    1_796, 1_945, 3_096, 733, 23_265, 1_836, 2_193, 60, 108,
];

#[test]
fn the_optima_of_24_instances_equal_those_of_another_solver_with_no_more_partial_choices_than_on_record()
 {
    let golden: Value = serde_json::from_str(include_str!("../golden/knapsack_hard.json")).unwrap();
    let rows = golden["rows"].as_array().unwrap();
    assert_eq!(rows.len(), KEPT.len());
    for (row, kept) in rows.iter().zip(KEPT) {
        let solution = solved_json(row);
        assert_eq!(solution.value, row["optimum"].as_u64().unwrap(), "{}", row["name"]);
        assert!(solution.states <= kept, "{}: {}, not {kept}", row["name"], solution.states);
        // The same choice is made every time.
        assert_eq!(solution, solved_json(row));
    }
}

#[test]
fn optima_of_up_to_10_000_items_equal_those_of_another_solver() {
    let (Ok(instances), Ok(runs)) = (std::env::var("KNAPSACK_HARD"), std::env::var("REAL_RUNS"))
    else {
        println!(
            "skipped: set KNAPSACK_HARD to a folder of instances and REAL_RUNS to one with \
             golden/knapsack_hard.json"
        );
        return;
    };
    let read = |path: &Path| -> Value {
        let text = std::fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap()
    };
    let golden = read(&Path::new(&runs).join("golden/knapsack_hard.json"));
    let rows = golden["rows"].as_array().unwrap();
    for row in rows {
        let file = row["file"].as_str().unwrap();
        let value = solved_json(&read(&Path::new(&instances).join(file))).value;
        assert_eq!(value, row["optimum"].as_u64().unwrap(), "{file}");
    }
    println!("{0} of {0} optima met", rows.len());
}
