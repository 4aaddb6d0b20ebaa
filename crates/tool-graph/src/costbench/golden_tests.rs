//! Normal draws, rounding and seeds against NumPy and CPython (`tests/golden/costbench/streams.py`).

use serde_json::Value;
use sha2::{Digest, Sha256};
use trajectory_metrics::random::PythonRandom;

use super::cents::round_to_cents;
use super::numpy_random::NumpyRandom;
use super::seeds::hash_seed;
use super::{CostModel, CostRule, Library};

fn golden() -> Value {
    let text = include_str!("../../tests/golden/costbench/streams.json");
    serde_json::from_str(text).unwrap()
}

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn word(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn number(value: &Value) -> f64 {
    f64::from_bits(word(value))
}

fn digest(values: impl Iterator<Item = f64>) -> String {
    let mut hasher = Sha256::new();
    values.for_each(|value| hasher.update(value.to_le_bytes()));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asserts that the bits are equal, with a description of the case.
fn assert_same(ours: f64, theirs: f64, what: &dyn std::fmt::Debug) {
    assert_eq!(ours.to_bits(), theirs.to_bits(), "{what:?}: {ours} is not {theirs}");
}

#[test]
fn normal_draws_equal_numpy() {
    let mut in_tail = 0;
    for row in rows(&golden()["numpy"]) {
        let seed = word(&row["seed"]);
        for (value, k) in rows(&row["scaled"]).iter().zip(2..) {
            let std = 0.1 * f64::from(k).sqrt();
            assert_same(NumpyRandom::new(seed).normal(std), number(value), &(seed, k));
        }
        let mut stream = NumpyRandom::new(seed);
        let mut drawn: Vec<f64> = (0..100_000).map(|_| stream.normal(1.0)).collect();
        for (&ours, value) in drawn.iter().zip(rows(&row["first"])) {
            assert_same(ours, number(value), &seed);
        }
        // In the tail, the last bits depend on the logarithm of the system.
        for place in rows(&row["tail"]) {
            let (ours, theirs) = (drawn[word(&place[0]) as usize], number(&place[1]));
            assert!((ours - theirs).abs() < 1e-14, "{seed}: {ours} is not {theirs}");
            in_tail += 1;
        }
        drawn.retain(|size| size.abs() <= 3.654_152_885_361_009);
        assert_eq!(drawn.len() + rows(&row["tail"]).len(), 100_000, "{seed}");
        let ours = digest(drawn.into_iter());
        assert_eq!(ours, row["digest_without_tail"].as_str().unwrap(), "{seed}");
    }
    assert!(in_tail > 200, "{in_tail}");
}

#[test]
fn rounding_to_cents_equals_python() {
    let golden = &golden()["rounding"];
    for value in rows(&golden["values"]) {
        assert_same(round_to_cents(number(&value[0])), number(&value[1]), &number(&value[0]));
    }
    let mut stream = PythonRandom::new(word(&golden["seed"]));
    let drawn: Vec<f64> = (0..50_000).map(|_| stream.uniform(0.0, 200.0)).collect();
    let ours = digest(drawn.into_iter().map(round_to_cents));
    assert_eq!(ours, golden["digest_of_uniform_0_200"].as_str().unwrap());
    let halves = (0..50_000).map(|_| f64::from(stream.choice(0..1 << 20) * 10 + 5) / 1000.0);
    let ours = digest(halves.map(round_to_cents));
    assert_eq!(ours, golden["digest_of_halves"].as_str().unwrap());
}

#[test]
fn rounding_to_cents_equals_exact_formatting() {
    let mut stream = PythonRandom::new(3);
    for _ in 0..100_000 {
        let half = f64::from(stream.choice(0..200_000)) / 100.0 + 0.005;
        for value in [half.next_down(), half, half.next_up(), stream.uniform(-1e13, 1e13)] {
            let exact: f64 = format!("{value:.2}").parse().unwrap();
            assert_same(round_to_cents(value), exact, &value);
        }
    }
    assert!(round_to_cents(f64::NAN).is_nan());
    assert_eq!(round_to_cents(f64::INFINITY), f64::INFINITY);
}

#[test]
fn seeds_of_texts_equal_hashlib() {
    for row in rows(&golden()["hashes"]) {
        let text = row[0].as_str().unwrap();
        assert_eq!(u64::from(hash_seed(text.as_bytes())), word(&row[1]), "{text}");
    }
}

#[test]
fn by_the_rule_of_the_paper_text_each_tool_has_its_own_stream() {
    let library = Library::new(3).unwrap();
    let costs = CostModel::default().with_rule(CostRule::PaperText).costs(&library, 42, "q");
    for ((tool, name), cost) in library.entries().iter().zip(library.names()).zip(&costs) {
        let seed = hash_seed(format!("42:q:{name}").as_bytes()).into();
        let expected = if tool.is_atomic() {
            PythonRandom::new(seed).uniform(15.0, 25.0)
        } else {
            let atomic = |step: usize| {
                let same = |other: &&super::LibraryTool| other.task == tool.task;
                let find = |other: &super::LibraryTool| other.is_atomic() && other.first == step;
                let mut tools = library.entries().iter().zip(&costs);
                *tools.find(|(other, _)| same(other) && find(other)).unwrap().1
            };
            let k = tool.last - tool.first + 1;
            let sum: f64 = (tool.first..=tool.last).map(atomic).sum();
            sum + NumpyRandom::new(seed).normal(0.1 * (k as f64).sqrt())
        };
        assert_same(*cost, round_to_cents(expected), &name);
    }
}
