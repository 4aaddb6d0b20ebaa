//! The solver: it decides the easy items, and searches the others with bounds that improve the
//! longer the search takes.

use super::{
    core::bundles,
    incumbent::Incumbent,
    items::Items,
    relaxation::{Relaxation, relax},
    search::{End, Goal, MOST_STATES, search},
    second_limit::second_bound,
};
use crate::{
    engines::choice::Choice,
    values::{knapsack_item::KnapsackItem, proof::Proof},
};

/// The numbers of partial choices to examine before the next strategy is used.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Examined in the first search, for any better value.
    quick: u64,
    /// Examined in each search for the highest values.
    long: u64,
    /// Examined for each second limit.
    limit: u64,
    /// Kept at one time in any search.
    most: usize,
    /// Examined in all searches together, except those for second limits.
    all: u64,
}

const EFFORT: Effort =
    Effort { quick: 1 << 14, long: 1 << 18, limit: 1 << 14, most: MOST_STATES, all: u64::MAX };

/// Finds the best choice of items within a capacity that searches of at most this many partial choices give. All
/// profits and all weights must sum to less than 2^63.
pub(crate) fn solve(capacity: u64, items: &[KnapsackItem], states: u64) -> Choice {
    let n = items.len();
    let (mut always, mut open) = (Vec::new(), Vec::with_capacity(n));
    let (mut profits, mut weights) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut total = 0;
    for (position, &KnapsackItem { profit, weight }) in items.iter().enumerate() {
        if profit == 0 || weight > capacity {
            continue;
        }
        if weight == 0 {
            always.push(position);
        } else {
            open.push(position);
            profits.push(profit.cast_signed());
            weights.push(weight.cast_signed());
            total += weight;
        }
    }
    let mut chosen = always;
    if total <= capacity {
        chosen.extend(open);
        chosen.sort_unstable();
        return Choice { chosen, upper_bound: None, proof: Proof::Bound, states: 0 };
    }
    let Best { choice, ceiling, proof, states } = solve_items(
        &Items::new(capacity.cast_signed(), profits, weights),
        Effort { all: states, ..EFFORT },
    );
    // The items without weight are not part of the search or of its ceiling.
    let free: u64 = chosen.iter().map(|&position| items[position].profit).sum();
    let upper_bound = (proof == Proof::None).then(|| free + ceiling.unsigned_abs());
    chosen.extend(open.iter().zip(&choice.taken).filter(|pair| *pair.1).map(|pair| *pair.0));
    chosen.sort_unstable();
    Choice { chosen, upper_bound, proof, states }
}

/// The result of a search.
struct Best {
    choice: Incumbent,
    /// An upper bound on the value of every choice, unless `choice` is proved to be optimal.
    ceiling: i64,
    proof: Proof,
    /// The number of partial choices kept.
    states: u64,
}

fn solve_items(items: &Items, effort: Effort) -> Best {
    let mut states = 0;
    let relaxed = relax(items);
    let mut best = Incumbent::first(items, &relaxed);
    let ceiling = items.round_down(relaxed.floor(i64::MAX));
    let target = best.value + items.step;
    let mut goal =
        Goal { target, ceiling, budget: effort.quick, most: effort.most, limit: effort.all };
    let end = match search(items, &relaxed, &mut best, goal, None, &mut states) {
        End::Unfinished => descend(items, &relaxed, &mut best, &mut goal, effort, &mut states),
        end => end,
    };
    let proof = match end {
        End::Bound => Proof::Bound,
        End::Exhausted => Proof::Exhausted,
        End::Unfinished | End::TooLong => Proof::None,
    };
    Best { choice: best, ceiling: goal.ceiling, proof, states }
}

/// Searches for the highest values first. Few items can change in such a choice, and if there is no
/// such choice, the ceiling falls. Each further search includes lower values.
fn descend(
    items: &Items,
    relaxed: &Relaxation,
    best: &mut Incumbent,
    goal: &mut Goal,
    effort: Effort,
    states: &mut u64,
) -> End {
    let order = bundles(items, relaxed, best.value + items.step);
    let top = goal.ceiling;
    let mut depth = (top - best.value) >> 8;
    let (mut factor, mut spent) = (4, 0);
    goal.budget = effort.long;
    while best.value < goal.ceiling {
        goal.target = best.value + items.step;
        // If the search would include most of the values, it includes all of them.
        if depth < (top - goal.target) / 2 {
            goal.target = (top - items.round_down(depth)).min(goal.ceiling);
        }
        let before = *states;
        match search(items, relaxed, best, *goal, Some(&order), states) {
            End::Exhausted if best.value < goal.target - items.step => {
                goal.ceiling = goal.target - items.step;
                let now = *states - before;
                // The depth grows faster if the search was cheap.
                factor = if now / 2 < spent { 4 * factor } else { 4 };
                depth = depth.saturating_mul(factor).max(items.step);
                spent = now;
            }
            End::Unfinished => {
                goal.budget = u64::MAX;
                let bound = second_bound(items, best, effort.limit);
                goal.ceiling = goal.ceiling.min(items.round_down(bound));
            }
            end => return end,
        }
    }
    End::Bound
}

#[cfg(test)]
mod tests {
    use super::{Best, EFFORT, Effort, Incumbent, Items, Proof, second_bound, solve_items};

    fn table(items: &Items) -> i64 {
        let mut best = vec![0; items.capacity as usize + 1];
        for (&profit, &weight) in items.profits.iter().zip(&items.weights) {
            for room in (weight as usize..best.len()).rev() {
                best[room] = best[room].max(best[room - weight as usize] + profit);
            }
        }
        best.into_iter().max().unwrap()
    }

    /// Random numbers that do not depend on the version of a library: splitmix64.
    struct Draws(u64);

    impl Draws {
        fn between(&mut self, low: i64, high: i64) -> i64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            low + ((x ^ (x >> 31)) % (high - low + 1) as u64) as i64
        }

        /// Profits and weights correlated in one of seven ways, with a constant of a part of the largest.
        fn pairs(&mut self, kind: i64, n: i64, top: i64, part: i64) -> (Vec<i64>, Vec<i64>) {
            (0..n)
                .map(|_| {
                    let (x, y) = (self.between(1, top), self.between(1, top));
                    match kind {
                        0 => (x, y),
                        1 => (y, y),
                        2 => (y + top / part, y),
                        3 => (x, x + top / part),
                        4 => ((y + 2) / 3 * 3, y),
                        5 => (y + if y % 6 == 0 { top / 2 } else { top / 3 }, y),
                        _ => (7 * (x % 5 + 1), 5 * (y % 4 + 1)),
                    }
                })
                .unzip()
        }

        /// Items of one of the first six kinds. The capacity is half of their total weight.
        fn items(&mut self, kind: i64, n: i64, top: i64) -> Items {
            let (profits, weights) = self.pairs(kind, n, top, 10);
            Items::new(weights.iter().sum::<i64>() / 2, profits, weights)
        }

        /// Returns a capacity, and items of any kind that do not all fit; `None` if all of them fit.
        fn instance(&mut self, fewest: i64, most: i64) -> Option<(i64, Vec<i64>, Vec<i64>)> {
            let (n, top) = (self.between(fewest, most), self.between(3, 60));
            let kind = self.between(0, 6);
            let (profits, weights) = self.pairs(kind, n, top, 2);
            let total = weights.iter().sum();
            let capacity = self.between(*weights.iter().max().unwrap(), total);
            (capacity < total).then_some((capacity, profits, weights))
        }
    }

    #[test]
    fn every_stage_of_the_search_is_exact_on_its_own() {
        // Small instances rarely get beyond the first stage unless its budget is reduced.
        let mut draws = Draws(4);
        for round in 0..3_000 {
            let Some((capacity, profits, weights)) = draws.instance(3, 90) else { continue };
            let want = table(&Items::new(capacity, profits.clone(), weights.clone()));
            // Multiples change only the size of the numbers.
            let (dear, heavy) = (1 << (round % 4 * 15), 1 << (round % 7 * 7));
            let times = |of: Vec<i64>, by: i64| of.into_iter().map(|x| x * by).collect();
            let items = Items::new(capacity * heavy, times(profits, dear), times(weights, heavy));
            let limit = (round % 2) << 14;
            let effort = Effort { quick: round % 3 * 10, long: round % 5 * 40, limit, ..EFFORT };
            let best = solve_items(&items, effort).choice;
            let sum = |of: &[i64]| {
                of.iter().zip(&best.taken).map(|(x, &taken)| x * i64::from(taken)).sum::<i64>()
            };
            assert_eq!(best.value, want * dear, "{effort:?} {items:?}");
            assert_eq!(best.value, sum(&items.profits));
            assert!(sum(&items.weights) <= items.capacity);
        }
    }

    #[test]
    fn a_search_at_its_memory_limit_ends_with_a_bound_and_without_a_proof() {
        let mut draws = Draws(6);
        let mut ends = [0; 2];
        for round in 0..2_000 {
            let Some((capacity, profits, weights)) = draws.instance(10, 60) else { continue };
            let items = Items::new(capacity, profits, weights);
            let want = table(&items);
            let most = 1 << (round % 8);
            let effort = Effort { quick: round % 2 * 50, long: 100, limit: 100, most, ..EFFORT };
            let Best { choice, ceiling, proof, .. } = solve_items(&items, effort);
            let proved = proof != Proof::None;
            assert!(choice.value <= want && (proved || want <= ceiling), "{effort:?} {items:?}");
            assert!(!proved || choice.value == want, "{effort:?} {items:?}");
            ends[usize::from(proved)] += 1;
        }
        assert!(ends.iter().all(|&count| count > 200), "{ends:?}");
    }

    #[test]
    fn second_limits_never_rule_out_a_better_choice() {
        let mut draws = Draws(5);
        for round in 0..6_000 {
            let Some((capacity, profits, weights)) = draws.instance(2, 25) else { continue };
            let items = Items::new(capacity, profits, weights);
            let want = table(&items);
            // One step below the optimum is where the limits are tightest.
            let value = want - items.step * draws.between(1, 2);
            let best = Incumbent { value, taken: Vec::new() };
            let bound = second_bound(&items, &best, (round % 2) << 14);
            assert!(bound >= want, "{bound} {want} {items:?}");
        }
    }

    #[test]
    fn profits_of_any_size_take_the_same_effort() {
        let mut draws = Draws(3);
        for kind in 0..6 {
            for _ in 0..10 {
                let Items { capacity, profits, weights, .. } = draws.items(kind, 40, 100_000);
                let states = |power: u32| {
                    let profits = profits.iter().map(|profit| profit << power).collect();
                    let items = Items::new(capacity, profits, weights.clone());
                    let effort = Effort { quick: 1 << 30, long: 0, limit: 0, ..EFFORT };
                    solve_items(&items, effort).states
                };
                assert_eq!(states(36), states(0), "kind {kind}");
            }
        }
    }

    /// The number of partial choices kept for 30, 60 and 100 items of each kind and three efforts.
    const KEPT: [[[u64; 3]; 3]; 6] = [
        [[178, 197, 1_406], [333, 553, 1_130], [493, 718, 1_038]],
        [[2_096, 10_530, 27_100], [6_892, 13_001, 23_616], [6_418, 16_327, 29_325]],
        [[789, 56_082, 535_955], [2_203, 7_770, 33_130], [3_617, 14_236, 28_893]],
        [[6_991, 12_990, 1_021_329], [1_741, 14_892, 36_287], [2_866, 14_410, 29_503]],
        [[76, 7_766, 89_436], [423, 13_836, 87_977], [1_726, 14_633, 89_251]],
        [[1_729, 14_033, 120_890], [1_210, 22_101, 54_639], [1_820, 8_527, 29_133]],
    ];

    /// The sums over 40 instances of each kind of the second bound minus the best value, with and
    /// without a search for the limits.
    const ABOVE: [[i64; 2]; 6] =
        [[2_480, 2_871], [10_218; 2], [309; 2], [1_440; 2], [14, 34], [352, 429]];

    #[test]
    fn no_search_is_longer_and_no_bound_is_looser_than_on_record() {
        let mut draws = Draws(1);
        for ((kind, kept), above) in (0..).zip(KEPT).zip(ABOVE) {
            let efforts = [(1 << 14, 1 << 18, 1 << 14), (10, 40, 0), (20, 80, 1 << 14)];
            for ((quick, long, limit), kept) in efforts.into_iter().zip(kept) {
                let effort = Effort { quick, long, limit, ..EFFORT };
                let mut sums = [0; 3];
                for _ in 0..8 {
                    let sizes = [(30, 100), (60, 1_000), (100, 100_000)];
                    for (sum, (n, top)) in sums.iter_mut().zip(sizes) {
                        *sum += solve_items(&draws.items(kind, n, top), effort).states;
                    }
                }
                let more = sums.iter().zip(kept).any(|(&sum, kept)| sum > kept);
                assert!(!more, "kind {kind}, {effort:?}: {sums:?}, not {kept:?}");
            }
            let mut sums = [0; 2];
            for _ in 0..40 {
                let items = draws.items(kind, 20, 50);
                let want = table(&items);
                let best = Incumbent { value: want - items.step, taken: Vec::new() };
                for (sum, budget) in sums.iter_mut().zip([1 << 14, 0]) {
                    *sum += second_bound(&items, &best, budget) - want;
                }
            }
            let more = sums.iter().zip(above).any(|(&sum, above)| sum > above);
            assert!(!more, "kind {kind}: {sums:?}, not {above:?}");
        }
    }
}
