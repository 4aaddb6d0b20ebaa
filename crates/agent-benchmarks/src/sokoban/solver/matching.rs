/// More boxes than any room that is played has; an assignment of so many takes milliseconds for each state.
pub(super) const MOST_BOXES: usize = 64;

/// A distance of what cannot be reached.
pub(super) const FAR: u32 = u32::MAX;

/// Stands for [`FAR`] in sums: more than all distances together.
const MUCH: i64 = 1 << 32;

/// The least sum of distances over assignments of so many boxes to as many targets, or [`FAR`] if some box is left without
/// a target in all of them: each box takes the shortest way through the assignments so far that ends at a free target.
pub(super) fn least(n: usize, distance: impl Fn(usize, usize) -> u32) -> u32 {
    let length = |it: usize, target: usize| match distance(it - 1, target - 1) {
        FAR => MUCH,
        near => i64::from(near),
    };
    // From 1, as 0 stands for none: what the dual solution takes off a box and a target, and the box that a target has.
    let mut of_box = [0; MOST_BOXES + 1];
    let mut of_target = [0; MOST_BOXES + 1];
    let mut box_of = [0; MOST_BOXES + 1];
    for new in 1..=n {
        // While the box looks for a target: the least that each one is missing, from where, and whether it is looked at.
        let mut missing = [i64::MAX; MOST_BOXES + 1];
        let mut before = [0; MOST_BOXES + 1];
        let mut is_seen = [false; MOST_BOXES + 1];
        box_of[0] = new;
        let mut target = 0;
        while box_of[target] != 0 {
            is_seen[target] = true;
            let it = box_of[target];
            for other in (1..=n).filter(|other| !is_seen[*other]) {
                let left = length(it, other) - of_box[it] - of_target[other];
                if left < missing[other] {
                    (missing[other], before[other]) = (left, target);
                }
            }
            let open = (1..=n).filter(|other| !is_seen[*other]);
            let nearest = open.min_by_key(|other| missing[*other]).unwrap_or(0);
            let least = missing[nearest];
            for other in 0..=n {
                if is_seen[other] {
                    of_box[box_of[other]] += least;
                    of_target[other] -= least;
                } else {
                    missing[other] -= least;
                }
            }
            target = nearest;
        }
        while target != 0 {
            box_of[target] = box_of[before[target]];
            target = before[target];
        }
    }
    let sum: i64 = (1..=n).map(|target| length(box_of[target], target)).sum();
    if sum >= MUCH { FAR } else { sum as u32 }
}
