/// The maximum number of boxes, which no played room reaches. An assignment of 64 boxes takes milliseconds for each
/// state.
pub(super) const MOST_BOXES: usize = 64;

/// The distance of an unreachable cell.
pub(super) const FAR: u32 = u32::MAX;

/// Represents [`FAR`] in sums: more than all distances together.
const MUCH: i64 = 1 << 32;

/// Returns the least sum of distances over assignments of `n` boxes to `n` targets, or [`FAR`] if every assignment leaves some
/// box without a target. Each box takes the shortest augmenting path through the assignments so far to a free target.
pub(super) fn least(n: usize, distance: impl Fn(usize, usize) -> u32) -> u32 {
    let length = |it: usize, target: usize| match distance(it - 1, target - 1) {
        FAR => MUCH,
        near => i64::from(near),
    };
    // Indices start at 1, because 0 means none. The arrays are the dual variables of boxes and targets, and the box assigned to a
    // target.
    let mut of_box = [0; MOST_BOXES + 1];
    let mut of_target = [0; MOST_BOXES + 1];
    let mut box_of = [0; MOST_BOXES + 1];
    for new in 1..=n {
        // During the search for the box's target: the least missing amount of each target, its predecessor, and whether it was
        // visited.
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
