//! Streams, rounding and seeds against CPython and NumPy (`tests/golden/costbench/streams.py`).

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::cents::round_to_cents;
use super::seeds::{changed_seed, hash_seed};
use super::streams::numpy_random::NumpyRandom;
use super::streams::python_random::PythonRandom;
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
fn python_streams_equal_cpython() {
    for row in rows(&golden()["python"]) {
        let seed = word(&row["seed"]);
        let mut stream = PythonRandom::new(seed);
        for value in rows(&row["uniform"]) {
            assert_same(stream.uniform(15.0, 10.0), number(value), &seed);
        }
        for value in rows(&row["choice"]) {
            assert_eq!(u64::from(stream.choice(1..10_000)), word(value), "{seed}");
        }
        for (value, n) in rows(&row["randint"]).iter().zip(2..) {
            assert_eq!(u64::from(stream.integer(2, n)), word(value), "{seed}");
        }
        for value in rows(&row["randrange"]) {
            assert_eq!(u64::from(stream.choice(0..(1 << 31) + 1)), word(value), "{seed}");
        }
        // More than the 624 words that are generated at a time.
        let drawn = (0..10_000).map(|_| stream.uniform(-3.0, 10.0));
        assert_eq!(digest(drawn), row["digest_of_10000"].as_str().unwrap(), "{seed}");
    }
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
        for value in [half.next_down(), half, half.next_up(), stream.uniform(-1e13, 2e13)] {
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
fn seeds_of_events_equal_cpython() {
    for row in rows(&golden()["events"]) {
        let seed = word(&row["query_seed"]) as u32;
        for (value, event) in rows(&row["changed_seeds"]).iter().zip(0..) {
            assert_eq!(u64::from(changed_seed(seed, event)), word(value), "{seed} {event}");
        }
        for (value, level) in rows(&row["removed_lengths_of_levels"]).iter().zip(1..) {
            let ours = Library::new(level).unwrap().removed_lengths(seed, 1);
            let theirs = word(&value[0]) as usize..=word(&value[1]) as usize;
            assert_eq!(ours, [theirs], "{seed} {level}");
        }
        for case in rows(&row["several"]) {
            let library = Library::new(word(&case[0]) as usize).unwrap();
            let ours = library.removed_lengths(seed, word(&case[1]) as u32);
            let pair = |range: &Value| word(&range[0]) as usize..=word(&range[1]) as usize;
            assert_eq!(ours, rows(&case[2]).iter().map(pair).collect::<Vec<_>>(), "{seed} {case}");
        }
    }
}

#[test]
fn mixed_events_are_those_of_the_released_benchmark() {
    use super::EventKind::{self, BanTool, CostChange, PreferenceChange, RemoveTools};

    // origin: DynamicBlocker._generate_blocking_types of the released code, CPython 3.11.7, 2026-11-22
    let rows = [
        (0, [CostChange, CostChange, BanTool, RemoveTools, CostChange, CostChange]),
        (1, [PreferenceChange, BanTool, RemoveTools, BanTool, CostChange, CostChange]),
        (
            98_780_976,
            [RemoveTools, CostChange, CostChange, PreferenceChange, RemoveTools, CostChange],
        ),
        (
            815_343_802,
            [
                PreferenceChange,
                RemoveTools,
                PreferenceChange,
                RemoveTools,
                PreferenceChange,
                PreferenceChange,
            ],
        ),
        (2_147_483_646, [CostChange, RemoveTools, BanTool, BanTool, CostChange, RemoveTools]),
    ];
    for (seed, kinds) in rows {
        assert_eq!(EventKind::mixed(seed, 6), kinds, "{seed}");
        assert_eq!(EventKind::mixed(seed, 2), kinds[..2], "{seed}");
    }
}

#[test]
fn by_the_rule_of_the_paper_text_each_tool_has_its_own_stream() {
    let library = Library::new(3).unwrap();
    let costs = CostModel::default().with_rule(CostRule::PaperText).costs(&library, 42, "q");
    for ((tool, name), cost) in library.entries().iter().zip(library.names()).zip(&costs) {
        let seed = hash_seed(format!("42:q:{name}").as_bytes()).into();
        let expected = if tool.is_atomic() {
            PythonRandom::new(seed).uniform(15.0, 10.0)
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
