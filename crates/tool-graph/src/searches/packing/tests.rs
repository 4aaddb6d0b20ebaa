//! Checks the conditions of an optimal solution: no tool exceeds its capacity, and the sum of the amounts
//! equals the sum of the prices.

use super::*;

/// A linear congruential generator; only its upper bits are used.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 32) * bound) >> 32
    }
}

fn packing_of(capacity: &[f64], groups: &[&[u32]]) -> (Packing, Lists) {
    let mut lists = Lists::default();
    groups.iter().for_each(|tools| lists.push(tools.iter().copied()));
    let mut packing = Packing::new(capacity.to_vec());
    packing.offer(&lists);
    packing.solve();
    (packing, lists)
}

fn sum(packing: &Packing, groups: &Lists) -> f64 {
    (0..groups.len()).map(|group| packing.amount(group)).sum()
}

/// Returns the largest violation of the conditions of an optimal solution: no tool exceeds its capacity, the
/// shares of the tools of each group add up to at least 1, and both sums are equal.
fn error(packing: &Packing, groups: &Lists) -> f64 {
    let mut used = vec![0.0; packing.tools()];
    let mut worst: f64 = 0.0;
    for group in 0..groups.len() {
        let amount = packing.amount(group);
        let tools = groups.get(group);
        tools.iter().for_each(|&tool| used[tool as usize] += amount);
        let share: f64 = tools.iter().map(|&tool| packing.share(tool)).sum();
        worst = worst.max(-amount).max(1.0 - share);
    }
    let mut paid = 0.0;
    for (tool, used) in used.iter().enumerate() {
        let (share, capacity) = (packing.share(tool as u32), packing.capacity[tool]);
        worst = worst.max(-share);
        if capacity < UNLIMITED {
            worst = worst.max(used - capacity);
        }
        paid += share * capacity;
    }
    let gap = (paid - sum(packing, groups)).abs();
    // Not `max`, which would ignore NaN.
    if gap <= worst { worst } else { gap }
}

#[test]
fn a_triangle_of_groups_counts_for_three_halves() {
    let (packing, groups) = packing_of(&[1.0; 3], &[&[0, 1], &[1, 2], &[0, 2]]);
    assert!((sum(&packing, &groups) - 1.5).abs() < 1e-12);
    for tool in 0..3 {
        assert!((packing.share(tool) - 0.5).abs() < 1e-12);
    }
}

#[test]
fn a_forced_tool_makes_its_groups_count_for_nothing_and_a_tool_that_is_off_leaves_them_to_the_others()
 {
    let (mut packing, groups) = packing_of(&[0.2, 0.3, 0.6], &[&[0, 1], &[1, 2]]);
    assert!((sum(&packing, &groups) - 0.3).abs() < 1e-12);
    packing.set_capacity(1, UNLIMITED);
    packing.solve();
    assert!((sum(&packing, &groups) - 0.8).abs() < 1e-12);
    packing.drop_idle();
    packing.set_capacity(0, 0.0);
    packing.solve();
    assert!((sum(&packing, &groups) - 0.6).abs() < 1e-12);
}

#[test]
fn without_groups_nothing_counts() {
    let (mut packing, groups) = packing_of(&[1.0, 0.0], &[]);
    packing.set_capacity(0, UNLIMITED);
    packing.drop_idle();
    packing.offer(&groups);
    packing.solve();
    assert_eq!((packing.amount(0), packing.share(0), packing.share(1)), (0.0, 0.0, 0.0));
}

#[test]
fn errors_stay_small_over_long_sequences_of_changes() {
    let mut worst: f64 = 0.0;
    for seed in 0..9 {
        let mut draw = Draw(seed);
        let tools = 20 + draw.below(60);
        let capacity: Vec<f64> = (0..tools)
            .map(|_| match seed % 3 {
                0 => (1 + draw.below(1000)) as f64 / 1000.0,
                1 => 1.0 - 1e-6 * draw.below(1000) as f64 / 1000.0,
                _ => [1e-8, 0.5, 1.0][draw.below(3) as usize],
            })
            .collect();
        let mut groups = Lists::default();
        let mut open = vec![Packing::new(capacity)];
        for _ in 0..120 {
            let Some(mut packing) = open.pop() else { break };
            for _ in 0..1 + draw.below(4) {
                let size = 1 + draw.below(8);
                // The first tools are never off, so that every group has a limit.
                let mut group = vec![draw.below(8) as u32];
                // Landmarks often differ in only a few tools.
                if groups.len() > 0 && draw.below(3) > 0 {
                    let other = groups.get(draw.below(groups.len() as u64) as usize);
                    group = other
                        .iter()
                        .copied()
                        .filter(|&tool| tool < 8 || draw.below(4) > 0)
                        .collect();
                    group.push(draw.below(tools) as u32);
                } else {
                    group.extend((0..size).map(|_| draw.below(tools) as u32));
                }
                group.sort_unstable();
                group.dedup();
                groups.push(group);
            }
            packing.offer(&groups);
            packing.solve();
            let mut other = packing.clone();
            let undecided = |&tool: &u32| {
                let capacity = packing.capacity[tool as usize];
                capacity > 0.0 && capacity < UNLIMITED
            };
            let left: Vec<u32> = (8..tools as u32).filter(undecided).collect();
            let Some(&tool) = left.get(draw.below(left.len() as u64) as usize) else { continue };
            packing.set_capacity(tool, 0.0);
            other.set_capacity(tool, UNLIMITED);
            for mut packing in [other, packing] {
                // Dropped groups are offered again until none of them increases the sum.
                for _ in 0..20 {
                    packing.solve();
                    packing.drop_idle();
                    packing.offer(&groups);
                }
                packing.solve();
                let error = error(&packing, &groups);
                assert!(error < 1e-5, "{seed}: {error}");
                worst = worst.max(error);
                if open.len() < 20 {
                    open.push(packing);
                }
            }
        }
    }
    assert!(worst > 0.0);
}

#[test]
fn among_nearly_equal_pivots_the_one_with_the_largest_entry_is_taken() {
    let table = |table: &[f64], value: &[f64], gain: &[f64]| Packing {
        table: table.to_vec(),
        stride: gain.len(),
        of_row: (0..value.len() as u32).collect(),
        value: value.to_vec(),
        of_column: (0..gain.len() as u32).collect(),
        gain: gain.to_vec(),
        ..Packing::new(vec![])
    };
    let broken = table(&[-1e-8, -1.0, -1e-3], &[-0.5], &[0.0, -1e-12, -1e-13]);
    assert_eq!(broken.broken_row(), Some((0, 1)));
    let gaining = table(&[1e-8, 1.0, 1e-3], &[0.0, 1e-12, 1e-13], &[0.5]);
    assert_eq!(gaining.gaining_column(), Some((1, 0)));
}
