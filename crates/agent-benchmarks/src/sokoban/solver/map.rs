use crate::sokoban::{
    room::{Direction, Ground, Room},
    solver::matching::FAR,
};

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
