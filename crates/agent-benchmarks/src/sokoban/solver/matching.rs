/// A distance of what cannot be reached.
pub(super) const FAR: u32 = u32::MAX;

/// Stands for [`FAR`] in sums: more than all distances together.
const MUCH: i64 = 1 << 32;

/// Assignments of boxes to targets, as many of one as of the other.
pub(super) struct Matching {
    n: usize,
    /// For each box and target, from 1: what the dual solution takes off, and which box has a target.
    of_box: Vec<i64>,
    of_target: Vec<i64>,
    box_of: Vec<usize>,
    /// For each target, while a box looks for one: the least that is missing, where from, and whether it is looked at.
    missing: Vec<i64>,
    before: Vec<usize>,
    is_seen: Vec<bool>,
}

impl Matching {
    pub(super) fn new(n: usize) -> Self {
        let numbers = || vec![0; n + 1];
        Self {
            n,
            of_box: numbers(),
            of_target: numbers(),
            box_of: vec![0; n + 1],
            missing: numbers(),
            before: vec![0; n + 1],
            is_seen: vec![false; n + 1],
        }
    }

    /// The least sum of distances, or [`FAR`] if some box is left without a target in all assignments: each box takes
    /// the shortest way through the assignments so far that ends at a free target.
    pub(super) fn least(&mut self, distance: impl Fn(usize, usize) -> u32) -> u32 {
        let length = |it: usize, target: usize| match distance(it - 1, target - 1) {
            FAR => MUCH,
            near => i64::from(near),
        };
        let n = self.n;
        self.of_box.fill(0);
        self.of_target.fill(0);
        self.box_of.fill(0);
        for new in 1..=n {
            self.missing.fill(i64::MAX);
            self.is_seen.fill(false);
            self.box_of[0] = new;
            let mut target = 0;
            while self.box_of[target] != 0 {
                self.is_seen[target] = true;
                let it = self.box_of[target];
                let (mut least, mut nearest) = (i64::MAX, 0);
                for other in 1..=n {
                    if self.is_seen[other] {
                        continue;
                    }
                    let left = length(it, other) - self.of_box[it] - self.of_target[other];
                    if left < self.missing[other] {
                        (self.missing[other], self.before[other]) = (left, target);
                    }
                    if self.missing[other] < least {
                        (least, nearest) = (self.missing[other], other);
                    }
                }
                for other in 0..=n {
                    if self.is_seen[other] {
                        self.of_box[self.box_of[other]] += least;
                        self.of_target[other] -= least;
                    } else if other > 0 {
                        self.missing[other] -= least;
                    }
                }
                target = nearest;
            }
            while target != 0 {
                self.box_of[target] = self.box_of[self.before[target]];
                target = self.before[target];
            }
        }
        let sum: i64 = (1..=n).map(|target| length(self.box_of[target], target)).sum();
        if sum >= MUCH { FAR } else { sum as u32 }
    }
}
