use std::sync::atomic::{AtomicUsize, Ordering};

use rand::Rng;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use scoring_rules::Error as Shared;
use trajectory_metrics::{Bootstrap, Error, Seed};

use crate::common::refused;

#[test]
fn a_replicate_is_the_same_whatever_was_drawn_before() {
    let rows = Bootstrap::rows(50, Seed(1)).unwrap();
    let (mut first, mut again) = (Vec::new(), Vec::new());
    rows.draw(9, &mut first);
    rows.draw(2, &mut again);
    rows.draw(9, &mut again);
    assert_eq!(first, again);
    assert_eq!(first.iter().sum::<u32>(), 50);
}

#[test]
fn rows_of_a_cluster_come_together_and_row_order_does_not_matter() {
    let groups = ["b", "a", "b", "c", "a"];
    let clusters = Bootstrap::clusters(&groups, Seed(5)).unwrap();
    let reversed: Vec<_> = groups.iter().rev().collect();
    let mirrored = Bootstrap::clusters(&reversed, Seed(5)).unwrap();
    let (mut counts, mut mirror) = (Vec::new(), Vec::new());
    for replicate in 0..50 {
        clusters.draw(replicate, &mut counts);
        mirrored.draw(replicate, &mut mirror);
        mirror.reverse();
        assert_eq!(counts, mirror);
        assert_eq!((counts[0], counts[1]), (counts[2], counts[4]));
        assert_eq!(counts[0] + counts[1] + counts[3], 3);
    }
}

/// How often each row is in a replicate.
fn drawn(n: usize, seed: u64, replicate: u64) -> Vec<u32> {
    let mut counts = Vec::new();
    Bootstrap::rows(n, Seed(seed)).unwrap().draw(replicate, &mut counts);
    counts
}

#[test]
fn the_draws_of_a_seed_do_not_change_with_versions() {
    assert_eq!(drawn(10, 42, 3), [0, 2, 1, 1, 1, 1, 2, 0, 0, 2]);
}

#[test]
fn a_replicate_has_as_many_rows_as_the_sample_for_any_number_of_rows() {
    for n in [2, 3, 4, 5, 6, 7, 11, 159, 160, 161, 2_352, 2_353, 16_385, 500_000] {
        let counts = drawn(n, 1, 9);
        assert_eq!((counts.len(), counts.iter().sum::<u32>() as usize), (n, n));
    }
}

#[test]
fn draws_are_the_digits_of_a_word_as_a_fraction_in_base_n() {
    let mut passed_over = 0;
    for (n, digits) in [(7_u128, 5), (16_000, 4), (400_000, 3), (500_000, 2)] {
        let mut generator = ChaCha8Rng::seed_from_u64(5);
        generator.set_stream(2);
        let numbers = n.pow(digits);
        // All of n^k numbers that share 2^64 words equally, the first of each share left out
        // where a share would be larger.
        let left_out = (1 << 64) % numbers;
        let mut want = vec![0; n as usize];
        let mut left = n as usize;
        while left > 0 {
            let word = u128::from(generator.next_u64());
            if (word * numbers) % (1 << 64) < left_out {
                passed_over += 1;
                continue;
            }
            // The digits of floor(word * n^k / 2^64), leading digit first.
            let number = (word * numbers) >> 64;
            for k in (0..digits).rev().take(left) {
                want[(number / n.pow(k) % n) as usize] += 1;
            }
            left = left.saturating_sub(digits as usize);
        }
        assert_eq!(drawn(n as usize, 5, 2), want);
    }
    assert!(passed_over > 10, "{passed_over}");
}

#[test]
fn undefined_replicates_are_counted_and_all_undefined_is_an_error() {
    let rows = Bootstrap::rows(2, Seed(1)).unwrap();
    let needs_both = |counts: &[u32]| {
        if counts.contains(&0) { Err(Shared::Empty.into()) } else { Ok(1.0) }
    };
    let only_all = |counts: &[u32], value: f64| Ok(if counts == [1, 1] { value } else { f64::NAN });
    // The first call is on all rows.
    let seen = AtomicUsize::new(0);
    let [some, never, none] = rows.replicates(1_000, |counts| {
        let is_first = seen.fetch_add(1, Ordering::Relaxed) == 0;
        let first = Ok(if is_first { 1.0 } else { f64::NAN });
        [needs_both(counts), first, only_all(counts, f64::NAN)]
    });
    let undefined = some.unwrap().undefined();
    assert!((400..600).contains(&undefined), "{undefined}");
    assert!(matches!(never, Err(Error::ScoringRules(Shared::Undefined { .. }))));
    assert!(matches!(none, Err(Error::ScoringRules(_))));
    let [many] = rows.replicates(usize::MAX, |_| [Ok(0.0)]);
    assert_eq!(refused(many), "resamples");
    let [undefined] = rows.replicates(5, |_| [Err(Shared::Empty.into())]);
    assert_eq!(undefined.unwrap_err(), Shared::Empty.into());
}
