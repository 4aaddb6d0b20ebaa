//! From an instance to its solution: what is clear is set aside, and the rest is searched with
//! better bounds the longer it takes.

use super::incumbent::Incumbent;
use super::knapsack::{Knapsack, Proof, Solution};
use super::relaxation::{Items, gcd, relax};
use super::search::{End, Task, search};
use super::structure::tighten;

/// Partial choices to look at before the next kind of effort is worth its cost.
const QUICK: u64 = 1 << 14;
const LONG: u64 = 1 << 18;

pub(super) fn solve(instance: &Knapsack<'_>) -> Solution {
    let capacity = instance.capacity();
    let n = instance.profits().len();
    let (mut always, mut open) = (Vec::new(), Vec::with_capacity(n));
    let (mut profits, mut weights) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut total = 0;
    for (item, (&profit, &weight)) in instance.profits().iter().zip(instance.weights()).enumerate() {
        if profit == 0 || weight > capacity {
            continue;
        }
        if weight == 0 {
            always.push(item);
        } else {
            open.push(item);
            // The door keeps sums, and so each number, below 2^63.
            profits.push(profit.cast_signed());
            weights.push(weight.cast_signed());
            total += weight;
        }
    }
    let mut chosen = always;
    if total <= capacity {
        chosen.extend(open);
        chosen.sort_unstable();
        return instance.solution(chosen, None, Proof::Bound, 0);
    }
    let (best, proof, states) = solve_items(&Items::new(capacity.cast_signed(), profits, weights));
    chosen.extend(open.iter().zip(&best.taken).filter(|pair| *pair.1).map(|pair| *pair.0));
    chosen.sort_unstable();
    instance.solution(chosen, None, proof, states)
}

impl Items {
    fn new(capacity: i64, profits: Vec<i64>, weights: Vec<i64>) -> Self {
        let divisor = |of: &[i64]| {
            let mut divisor = 0;
            for &x in of {
                divisor = gcd(x.unsigned_abs(), divisor);
                if divisor == 1 {
                    break;
                }
            }
            divisor.cast_signed()
        };
        let step = divisor(&profits);
        // No choice weighs anything between two multiples.
        let capacity = capacity - capacity % divisor(&weights).max(1);
        Self { capacity, profits, weights, step }
    }
}

fn solve_items(items: &Items) -> (Incumbent, Proof, u64) {
    let mut states = 0;
    let relaxed = relax(items, None);
    let mut best = first_choice(items, &relaxed.taken, relaxed.next);
    // A choice worth more than all items there is not.
    let mut ceiling = relaxed.floor(i64::MAX);
    ceiling -= ceiling % items.step;
    let target = best.value + items.step;
    let mut task = Task { target, ceiling, budget: QUICK, bundle: false };
    let mut end = search(items, &relaxed, &mut best, task, &mut states);
    task = Task { budget: LONG, bundle: true, ..task };
    // High values first: few items can be part of such a choice, and where there is none the bound
    // comes down. Each further search takes in values that lose four times as much.
    let top = ceiling;
    let mut depth = (ceiling - best.value) >> 8;
    while end == End::Unfinished && best.value < task.ceiling {
        task.target = best.value + items.step;
        // Where most of the loss is taken in anyway, all of it is.
        if top - task.target > 2 * depth {
            task.target = (top - depth).min(task.ceiling);
        }
        end = search(items, &relaxed, &mut best, task, &mut states);
        if std::env::var("DBG").is_ok() { eprintln!("phase {task:?} best {} end {end:?} states {states}", best.value); }
        match end {
            End::Exhausted if best.value < task.target - items.step => {
                task.ceiling = task.target - items.step;
                depth = (4 * depth).max(items.step);
                end = End::Unfinished;
            }
            End::Unfinished if task.budget == LONG => {
                task.budget = u64::MAX;
                let tight = tighten(items, &best);
                task.ceiling = task.ceiling.min(tight - tight % items.step);
        if std::env::var("DBG").is_ok() { eprintln!("tight {tight}"); }
            }
            _ => {}
        }
    }
    let proof = if best.value >= task.ceiling { Proof::Bound } else { Proof::Exhausted };
    (best, proof, states)
}

/// The relaxed choice, made to fit, or a neighbour of it.
fn first_choice(items: &Items, taken: &[bool], next: Option<usize>) -> Incumbent {
    let mut start = taken.to_vec();
    let pairs = items.weights.iter().zip(&start);
    let mut weight: i64 = pairs.map(|(weight, &taken)| weight * i64::from(taken)).sum();
    // Only where ratios were too close to tell apart.
    for (taken, item_weight) in start.iter_mut().zip(&items.weights) {
        if weight <= items.capacity {
            break;
        }
        if *taken {
            *taken = false;
            weight -= item_weight;
        }
    }
    let mut best = Incumbent::new(items, start.clone());
    best.neighbours(items, &start, next);
    best
}

/// An upper bound on the profit within a capacity, exact where that is found quickly.
pub(super) fn quick_bound(capacity: i64, profits: &[i64], weights: &[i64]) -> i64 {
    let open = || {
        let pairs = profits.iter().zip(weights);
        pairs.filter(|pair| *pair.0 > 0 && *pair.1 <= capacity)
    };
    let all: i64 = open().map(|pair| *pair.0).sum();
    if open().map(|pair| *pair.1).sum::<i64>() <= capacity {
        return all;
    }
    let (profits, weights) = open().unzip();
    let items = Items::new(capacity, profits, weights);
    let relaxed = relax(&items, None);
    let mut best = first_choice(&items, &relaxed.taken, relaxed.next);
    let ceiling = relaxed.floor(all);
    let task = Task { target: best.value + items.step, ceiling, budget: QUICK, bundle: true };
    match search(&items, &relaxed, &mut best, task, &mut 0) {
        End::Unfinished => ceiling - ceiling % items.step,
        End::Bound | End::Exhausted => best.value,
    }
}
