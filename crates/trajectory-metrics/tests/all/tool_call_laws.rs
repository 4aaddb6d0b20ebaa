//! Laws of distances and repeated trials, and comparisons of two algorithms.
use proptest::prelude::*;
use trajectory_metrics::tool_calls::{
    MultisetMatch, PathDistances, cost_gap, edit_distance, interned_edit_distance,
    normalized_edit_distance, pass_at_k, pass_hat_k,
};

/// The definition: the best of deleting, inserting and replacing at the end.
fn recursion(a: &[u32], b: &[u32]) -> usize {
    let (Some((x, a_rest)), Some((y, b_rest))) = (a.split_last(), b.split_last()) else {
        return a.len().max(b.len());
    };
    let replaced = recursion(a_rest, b_rest) + usize::from(x != y);
    replaced.min(recursion(a_rest, b) + 1).min(recursion(a, b_rest) + 1)
}

/// By dynamic programming, a row at a time.
fn rows(a: &[u32], b: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let (up, left) = (row[j + 1], row[j]);
            row[j + 1] = (corner + usize::from(x != y)).min(up + 1).min(left + 1);
            corner = up;
        }
    }
    row[b.len()]
}

#[test]
fn all_paths_of_up_to_four_calls_over_three_tools_agree_with_the_definition() {
    let mut paths: Vec<Vec<u32>> = vec![vec![]];
    for length in 0..4 {
        let longest: Vec<_> = paths.iter().filter(|path| path.len() == length).cloned().collect();
        for path in longest {
            paths.extend((0..3).map(|tool| [path.as_slice(), &[tool]].concat()));
        }
    }
    assert_eq!(paths.len(), 121);
    for a in &paths {
        for b in &paths {
            let distance = recursion(a, b);
            assert_eq!(rows(a, b), distance, "{a:?} {b:?}");
            // Numbers below and above 256 are looked up differently.
            let above = |path: &[u32]| path.iter().map(|tool| tool + 1_000).collect::<Vec<_>>();
            let (far_a, far_b) = (above(a), above(b));
            assert_eq!(edit_distance(a, b), distance, "{a:?} {b:?}");
            assert_eq!(interned_edit_distance(a, b), distance, "{a:?} {b:?}");
            assert_eq!(interned_edit_distance(&far_a, &far_b), distance, "{a:?} {b:?}");
        }
    }
}

#[test]
fn pass_at_k_and_pass_hat_k_are_unbiased() {
    // The expectation over all numbers of successes that n trials of a chance p can have.
    for n in 1..=9_u64 {
        for p in [0.1, 0.5, 0.73, 0.99_f64] {
            for k in 1..=n {
                let (mut at, mut hat, mut choose) = (0.0, 0.0, 1.0);
                for c in 0..=n {
                    let (successes, failures) = (c as i32, (n - c) as i32);
                    let chance = choose * p.powi(successes) * (1.0 - p).powi(failures);
                    at += chance * pass_at_k(n, c, k).unwrap();
                    hat += chance * pass_hat_k(n, c, k).unwrap();
                    choose *= (n - c) as f64 / (c + 1) as f64;
                }
                assert!((at - (1.0 - (1.0 - p).powi(k as i32))).abs() < 1e-14, "{n} {p} {k}");
                assert!((hat - p.powi(k as i32)).abs() < 1e-14, "{n} {p} {k}");
            }
        }
    }
}

/// Numbers of 12 tools, numbers far apart, or numbers some of which have the same last byte.
fn path(longest: usize) -> impl Strategy<Value = Vec<u32>> {
    let few = prop::collection::vec(0..12_u32, 0..=longest);
    let far = prop::collection::vec((0..40_u32).prop_map(|i| i * 0x0400_0001), 0..=longest);
    let last_byte = prop_oneof![0..4_u32, 256..260_u32];
    let alike = prop::collection::vec(last_byte, 0..=longest.min(60));
    prop_oneof![few, far, alike]
}

/// A path with a few calls replaced, dropped or doubled, and the path itself.
fn near(longest: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    path(longest).prop_flat_map(|path| {
        prop::collection::vec(0..20_u32, path.len()).prop_map(move |edits| {
            let changed = path.iter().zip(&edits).flat_map(|(&call, &edit)| match edit {
                0 => vec![],
                1 => vec![call, call],
                2 => vec![call + 1],
                _ => vec![call],
            });
            (changed.collect(), path.clone())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bits_and_rows_agree_across_blocks_and_strips(
        (a, b) in prop_oneof![(path(300), path(300)), near(300), (path(1_300), path(40)), near(700)],
    ) {
        let distance = rows(&a, &b);
        prop_assert_eq!(edit_distance(&a, &b), distance);
        prop_assert_eq!(interned_edit_distance(&a, &b), distance);
    }
}

proptest! {
    #[test]
    fn the_edit_distance_is_a_metric_within_its_bounds(a in path(80), b in path(80), c in path(80)) {
        let distance = interned_edit_distance;
        prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
        prop_assert_eq!(distance(&a, &b) == 0, a == b);
        prop_assert_eq!(distance(&a, &a), 0);
        prop_assert!(distance(&a, &b) >= a.len().abs_diff(b.len()));
        prop_assert!(distance(&a, &b) <= a.len().max(b.len()));
        let normalized = normalized_edit_distance(&a, &b);
        prop_assert!((0.0..=1.0).contains(&normalized));
        // Common calls of both paths, in any order, save at most one replacement each.
        prop_assert!(distance(&a, &b) >= a.len().max(b.len()) - MultisetMatch::new(&a, &b).common);
    }

    #[test]
    fn parts_merge_to_the_whole_in_any_order(
        pairs in prop::collection::vec((path(10), path(10)), 1..20),
    ) {
        let (mut whole, mut mirrored) = <(PathDistances, PathDistances)>::default();
        pairs.iter().for_each(|(a, b)| whole.update(a, b));
        for (a, b) in pairs.iter().rev() {
            let mut part = PathDistances::default();
            part.update(a, b);
            mirrored.merge(&part);
        }
        prop_assert_eq!(whole.finish(), mirrored.finish());
        prop_assert_eq!(whole.weight(), pairs.len() as f64);
    }

    #[test]
    fn more_successes_and_more_draws_help_pass_at_k_and_more_draws_hurt_pass_hat_k(
        (n, c, k) in (2..400_u64).prop_flat_map(|n| (Just(n), 0..n, 1..n)),
    ) {
        let (at, hat) = (pass_at_k(n, c, k).unwrap(), pass_hat_k(n, c, k).unwrap());
        prop_assert!(0.0 <= hat && hat <= at + 1e-15 && at <= 1.0);
        prop_assert!(at <= pass_at_k(n, c + 1, k).unwrap() + 1e-15);
        prop_assert!(hat <= pass_hat_k(n, c + 1, k).unwrap() + 1e-15);
        prop_assert!(at <= pass_at_k(n, c, k + 1).unwrap() + 1e-15);
        prop_assert!(hat + 1e-15 >= pass_hat_k(n, c, k + 1).unwrap());
        // At least one success is the complement of all failures.
        prop_assert!((at + pass_hat_k(n, n - c, k).unwrap() - 1.0).abs() < 1e-13);
    }

    #[test]
    fn the_cost_gap_changes_its_sign_if_the_paths_are_exchanged(
        a in prop::collection::vec(0.0..1e6_f64, 0..30),
        b in prop::collection::vec(0.0..1e6_f64, 0..30),
    ) {
        let gap = cost_gap(&a, &b).unwrap();
        prop_assert_eq!(gap, -cost_gap(&b, &a).unwrap());
        let mirrored: Vec<f64> = a.iter().rev().copied().collect();
        prop_assert_eq!(gap.to_bits(), cost_gap(&mirrored, &b).unwrap().to_bits());
    }
}
