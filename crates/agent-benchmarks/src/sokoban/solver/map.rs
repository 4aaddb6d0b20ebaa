use crate::sokoban::room::{Direction, Ground, Room};

/// The parts of a room that do not change, and the boxes of the current state.
pub(super) struct Map {
    /// The neighbours of each cell, in the order of `Direction::ALL`, where a direction and its opposite differ in the
    /// last bit. One additional last cell represents walls and everything outside.
    pub(super) next: Vec<[usize; 4]>,
    pub(super) is_target: Vec<bool>,
    /// The numbers of pushes of a box from each cell to each target, in a room without other boxes.
    pub(super) distances: Vec<Vec<u32>>,
    /// Whether no target can be reached from a cell.
    pub(super) is_dead: Vec<bool>,
    /// Whether a cell has a wall or a box.
    pub(super) is_full: Vec<bool>,
}

impl Map {
    pub(super) fn new(room: &Room, targets: &[usize]) -> Self {
        let wall = room.rows() * room.columns();
        let beside = |cell, direction| {
            let next = room.beside(cell, direction);
            next.filter(|next| room.ground(*next) != Ground::Wall).unwrap_or(wall)
        };
        let of_cell = |cell| Direction::ALL.map(|direction| beside(cell, direction));
        let next: Vec<_> = (0..wall).map(of_cell).chain([[wall; 4]]).collect();
        let cells = 0..=wall;
        // A box is pulled away from a target: the player is next to the box, with room to step back.
        let pulled = |target: &usize| {
            let mut pulls = Walk::new(wall);
            pulls.go(&next, *target, |to, direction| to != wall && next[to][direction] != wall);
            pulls.steps
        };
        let distances: Vec<Vec<u32>> = targets.iter().map(pulled).collect();
        Self {
            is_target: cells.clone().map(|cell| targets.contains(&cell)).collect(),
            is_dead: cells.clone().map(|it| distances.iter().all(|of| of[it] == FAR)).collect(),
            is_full: cells.map(|cell| cell == wall).collect(),
            distances,
            next,
        }
    }

    /// Moves a box.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        self.is_full.swap(from, to);
    }
}

/// The cells reachable from one cell, nearest first.
pub(super) struct Walk {
    /// The number of steps to each cell, or [`FAR`].
    pub(super) steps: Vec<u32>,
    reached: Vec<usize>,
}

impl Walk {
    pub(super) fn new(n_cells: usize) -> Self {
        Self { steps: vec![FAR; n_cells + 1], reached: Vec::new() }
    }

    /// Restarts from a cell. `may` says which steps to a cell in a direction are allowed.
    fn go(&mut self, next: &[[usize; 4]], start: usize, may: impl Fn(usize, usize) -> bool) {
        self.reached.drain(..).for_each(|cell| self.steps[cell] = FAR);
        self.steps[start] = 0;
        self.reached.push(start);
        let mut looked_at = 0;
        while let Some(&at) = self.reached.get(looked_at) {
            looked_at += 1;
            for (direction, &to) in next[at].iter().enumerate() {
                if self.steps[to] == FAR && may(to, direction) {
                    self.steps[to] = self.steps[at] + 1;
                    self.reached.push(to);
                }
            }
        }
    }

    /// Walks from a cell to every cell within reach without a push.
    pub(super) fn around(&mut self, map: &Map, start: usize) {
        self.go(&map.next, start, |to, _| !map.is_full[to]);
    }

    /// Adds the steps to a reached cell.
    pub(super) fn retrace(&self, map: &Map, to: usize, steps: &mut Vec<Direction>) {
        let start = steps.len();
        let mut at = to;
        while let Some(left) = self.steps[at].checked_sub(1) {
            let before = |direction: &usize| self.steps[map.next[at][direction ^ 1]] == left;
            let Some(direction) = (0..4).find(before) else { break };
            steps.push(Direction::ALL[direction]);
            at = map.next[at][direction ^ 1];
        }
        steps[start..].reverse();
    }
}

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
