//! Random numbers and hashes against the programs that publish them.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use trajectory_metrics::random::{PythonRandom, fnv1a, unit};

#[test]
fn python_random_draws_what_cpython_draws() {
    let golden: Value = serde_json::from_str(include_str!("../golden/python_random.json")).unwrap();
    for row in golden["rows"].as_array().unwrap() {
        let values =
            |name: &str| row[name].as_array().unwrap().iter().map(|it| it.as_u64().unwrap());
        let seed = row["seed"].as_u64().unwrap();
        let mut random = PythonRandom::new(seed);
        for value in values("uniform") {
            assert_eq!(random.uniform(15.0, 25.0).to_bits(), value, "{seed}");
        }
        for value in values("choice") {
            assert_eq!(u64::from(random.choice(1..10_000)), value, "{seed}");
        }
        for (value, last) in values("randint").zip(2..) {
            assert_eq!(u64::from(random.choice(2..last + 1)), value, "{seed}");
        }
        for value in values("randrange") {
            assert_eq!(u64::from(random.choice(0..(1 << 31) + 1)), value, "{seed}");
        }
        // More than the 624 words that are generated at a time.
        let later = (0..10_000).map(|_| random.uniform(-3.0, 7.0)).last().unwrap();
        assert_eq!(later.to_bits(), row["uniform_after_10000"].as_u64().unwrap(), "{seed}");
        let mut items: Vec<u64> = (0..20).collect();
        random.shuffle(&mut items);
        assert!(values("shuffle").eq(items), "{seed}");
    }
}

#[test]
fn an_empty_range_gives_its_start_and_no_items_stay_as_they_are() {
    let mut random = PythonRandom::new(1);
    assert_eq!((random.choice(7..7), random.choice(0..0)), (7, 0));
    random.shuffle::<u8>(&mut []);
}

#[test]
fn fnv1a_hashes_the_vectors_of_its_authors() {
    assert_eq!(fnv1a([]), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv1a(*b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn unit_draws_of_a_seed_do_not_change_with_versions() {
    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let drawn = [unit(&mut generator), unit(&mut generator)];
    assert_eq!(drawn, [0.157_796_097_020_619_36, 0.167_989_362_772_101_3]);
}
