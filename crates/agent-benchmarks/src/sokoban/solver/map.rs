use std::collections::VecDeque;

use crate::sokoban::{
    room::{Direction, Ground, Room},
    solver::matching::FAR,
};

/// No cell: a wall, or outside.
pub(crate) const NONE: u16 = u16::MAX;

/// What does not change in a room, and boxes and walks of the state that is looked at.
pub(super) struct Map {
    player: u16,
    boxes: Vec<u16>,
    targets: Vec<u16>,
    /// The cell beside each, in the order of `Direction::ALL`, where a direction and its opposite differ in the last bit.
    next: Vec<[u16; 4]>,
    is_target: Vec<bool>,
    /// For each cell, the pushes that a box needs from it to each target in a room without others.
    distances: Vec<u32>,
    /// Where no target can be reached from.
    is_dead: Vec<bool>,
    is_box: Vec<bool>,
    /// For each cell, the walk that has reached it last, and the steps of it.
    walks: Vec<(u32, u32)>,
    walk: u32,
    /// As `walks`, of the walks that look for a corner.
    corners: Vec<u32>,
    corner: u32,
    queue: VecDeque<u16>,
}

impl Map {
    pub(super) fn new(room: &Room) -> Self {
        let n_cells = room.rows() * room.columns();
        let cells = || (0..n_cells).map(|cell| cell as u16);
        let beside = |cell: u16, direction| {
            let next = room.beside(usize::from(cell), direction);
            next.filter(|next| room.ground(*next) != Ground::Wall).map_or(NONE, |next| next as u16)
        };
        let next: Vec<[u16; 4]> =
            cells().map(|cell| Direction::ALL.map(|direction| beside(cell, direction))).collect();
        let is_target = |cell: &u16| room.ground(usize::from(*cell)) == Ground::Target;
        let targets: Vec<u16> = cells().filter(is_target).collect();
        let mut map = Self {
            player: room.player() as u16,
            boxes: cells().filter(|cell| room.has_box(usize::from(*cell))).collect(),
            is_target: cells().map(|cell| is_target(&cell)).collect(),
            distances: vec![FAR; n_cells * targets.len()],
            is_dead: vec![true; n_cells],
            is_box: vec![false; n_cells],
            walks: vec![(0, 0); n_cells],
            walk: 0,
            corners: vec![0; n_cells],
            corner: 0,
            queue: VecDeque::new(),
            targets,
            next,
        };
        (0..map.targets.len()).for_each(|target| map.pull_from(target));
        map
    }

    /// Finds how many pushes lead to a target by pulling a box away from it: the player stands beside the
    /// box, with room to step back.
    fn pull_from(&mut self, target: usize) {
        let n_targets = self.targets.len();
        let first = self.targets[target];
        self.distances[usize::from(first) * n_targets + target] = 0;
        self.queue.push_back(first);
        while let Some(at) = self.queue.pop_front() {
            self.is_dead[usize::from(at)] = false;
            let pushes = self.distance(at, target);
            for direction in 0..4 {
                let before = self.next(at, direction);
                if before == NONE || self.next(before, direction) == NONE {
                    continue;
                }
                let known = &mut self.distances[usize::from(before) * n_targets + target];
                if *known == FAR {
                    *known = pushes + 1;
                    self.queue.push_back(before);
                }
            }
        }
    }

    pub(super) fn player(&self) -> u16 {
        self.player
    }

    pub(super) fn boxes(&self) -> &[u16] {
        &self.boxes
    }

    pub(super) fn next(&self, cell: u16, direction: usize) -> u16 {
        self.next[usize::from(cell)][direction]
    }

    pub(super) fn distance(&self, cell: u16, target: usize) -> u32 {
        self.distances[usize::from(cell) * self.targets.len() + target]
    }

    pub(super) fn is_target(&self, cell: u16) -> bool {
        self.is_target[usize::from(cell)]
    }

    pub(super) fn is_dead(&self, cell: u16) -> bool {
        self.is_dead[usize::from(cell)]
    }

    pub(super) fn is_box(&self, cell: u16) -> bool {
        self.is_box[usize::from(cell)]
    }

    pub(super) fn put(&mut self, boxes: &[u16]) {
        boxes.iter().for_each(|&at| self.is_box[usize::from(at)] = true);
    }

    pub(super) fn take(&mut self, boxes: &[u16]) {
        boxes.iter().for_each(|&at| self.is_box[usize::from(at)] = false);
    }

    /// Moves a box.
    pub(super) fn shift(&mut self, from: u16, to: u16) {
        self.is_box[usize::from(from)] = false;
        self.is_box[usize::from(to)] = true;
    }

    /// Walks from a cell to all that can be reached without a push.
    pub(super) fn walk(&mut self, from: u16) {
        self.walk += 1;
        let walk = self.walk;
        self.walks[usize::from(from)] = (walk, 0);
        self.queue.push_back(from);
        while let Some(at) = self.queue.pop_front() {
            let steps = self.walks[usize::from(at)].1 + 1;
            for next in self.next[usize::from(at)] {
                if next != NONE && !self.is_box(next) && self.walks[usize::from(next)].0 != walk {
                    self.walks[usize::from(next)] = (walk, steps);
                    self.queue.push_back(next);
                }
            }
        }
    }

    /// The steps of the latest walk to a cell.
    pub(super) fn walked(&self, to: u16) -> Option<u32> {
        let (walk, steps) = self.walks[usize::from(to)];
        (walk == self.walk).then_some(steps)
    }

    /// Adds the steps of the latest walk to a cell that it has reached.
    pub(super) fn retrace(&self, to: u16, steps: &mut Vec<Direction>) {
        let start = steps.len();
        let mut at = to;
        while let Some(left) = self.walked(at).and_then(|walked| walked.checked_sub(1)) {
            let before = |direction: &usize| {
                let before = self.next(at, direction ^ 1);
                before != NONE && self.walked(before) == Some(left)
            };
            let Some(direction) = (0..4).find(before) else { break };
            steps.push(Direction::ALL[direction]);
            at = self.next(at, direction ^ 1);
        }
        steps[start..].reverse();
    }

    /// The least of the cells that can be reached without a push, which stands for all of them.
    pub(super) fn corner(&mut self, from: u16) -> u16 {
        self.corner += 1;
        let mut least = from;
        self.corners[usize::from(from)] = self.corner;
        self.queue.push_back(from);
        while let Some(at) = self.queue.pop_front() {
            least = least.min(at);
            for next in self.next[usize::from(at)] {
                if next != NONE
                    && !self.is_box(next)
                    && self.corners[usize::from(next)] != self.corner
                {
                    self.corners[usize::from(next)] = self.corner;
                    self.queue.push_back(next);
                }
            }
        }
        least
    }
}
