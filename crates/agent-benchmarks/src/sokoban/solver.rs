//! The minimum number of steps that solve a room, by A* search.
//!
//! An edge is a push; its cost is the push and the walk to it. The lower bound is the least sum of push distances
//! over assignments of boxes to targets. No push lowers this bound by more than one, so that a state is final when it is first
//! taken from the queue. States are left out if a box can never reach a target, or if boxes away from targets block each other
//! forever.
//!
//! References: Hart, Nilsson and Raphael (1968), A formal basis for the heuristic determination of minimum cost paths,
//! doi:10.1109/TSSC.1968.300136; Kuhn (1955), The Hungarian method for the assignment problem,
//! doi:10.1002/nav.3800020109; Junghanns and Schaeffer (2001), Sokoban: enhancing general single-agent search methods
//! using domain knowledge, Artificial Intelligence 129, doi:10.1016/S0004-3702(01)00109-6.

mod map;

use std::{collections::HashMap, rc::Rc};

use map::{FAR, MOST_BOXES, Map, Walk};

use crate::sokoban::room::{Direction, Room};

/// The result of a search for the shortest solution of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The shortest sequence of steps that solves the room.
    Steps(Vec<Direction>),
    /// The search has reached its limit.
    Unknown,
    /// No sequence of steps solves the room.
    Unsolvable,
}

impl Room {
    /// Returns the shortest sequence of steps, including pushes, that solves the room from its current state. The
    /// search stops after `most_states` states.
    ///
    /// `most_states` limits the number of stored states; each takes about 100 bytes: a million is enough for nearly all rooms of
    /// 10 x 10 cells with three boxes. A solved room needs no step. The need of rooms with more than 64 boxes is unknown.
    ///
    /// Cost: for each state, a walk over the room and an assignment in the cube of the number of boxes.
    ///
    /// ```
    /// use agent_benchmarks::{Error, sokoban::{Direction, Need, Room}};
    ///
    /// let room = Room::parse("#######\n#@ $ .#\n#######")?;
    /// assert_eq!(room.least_steps(1_000), Need::Steps(vec![Direction::Right; 3]));
    ///
    /// // The box stands in a corner.
    /// let room = Room::parse("#######\n#@   .#\n#$    #\n#######")?;
    /// assert_eq!(room.least_steps(1_000), Need::Unsolvable);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn least_steps(&self, most_states: usize) -> Need {
        match self.n_boxes() > MOST_BOXES {
            true => Need::Unknown,
            false => Search::new(self).run(most_states),
        }
    }
}

struct Search {
    map: Map,
    /// The walks to the next pushes.
    walk: Walk,
    states: Vec<State>,
    places: HashMap<Rc<[u16]>, usize>,
    /// The open states, by the minimum total cost that their bounds allow.
    open: Vec<Vec<usize>>,
    /// The boxes that count as walls while others are examined.
    held: Vec<usize>,
}

/// A visited state.
struct State {
    /// The positions of the boxes in order, then the player's position.
    key: Rc<[u16]>,
    cost: u32,
    bound: u32,
    /// The push that led to the state.
    push: Push,
    is_done: bool,
}

#[derive(Clone, Copy)]
struct Push {
    /// The previous state; [`FIRST`] for the first state.
    parent: u32,
    /// The previous position of the box, where the player is now.
    from: u16,
    /// The position of the direction in `Direction::ALL`.
    direction: u8,
}

const FIRST: u32 = u32::MAX;

impl Search {
    fn new(room: &Room) -> Self {
        let (boxes, targets) = room.boxes_and_targets();
        let n_cells = room.rows() * room.columns();
        let mut search = Self {
            map: Map::new(room, &targets),
            walk: Walk::new(n_cells),
            states: Vec::new(),
            places: HashMap::new(),
            open: Vec::new(),
            held: Vec::new(),
        };
        let key = boxes.into_iter().chain([room.player()]).map(|cell| cell as u16).collect();
        search.meet(key, 0, Push { parent: FIRST, from: room.player() as u16, direction: 0 });
        search
    }

    fn put(&mut self, boxes: &[usize], is_there: bool) {
        boxes.iter().for_each(|&at| self.map.is_full[at] = is_there);
    }

    fn run(mut self, most_states: usize) -> Need {
        let mut total = 0;
        while total < self.open.len() {
            let Some(place) = self.open[total].pop() else {
                total += 1;
                continue;
            };
            let n_states = self.states.len();
            let state = &mut self.states[place];
            if state.is_done {
                continue;
            }
            if state.bound == 0 {
                return Need::Steps(self.plan(place));
            }
            if n_states >= most_states {
                return Need::Unknown;
            }
            state.is_done = true;
            self.expand(place);
        }
        Need::Unsolvable
    }

    /// Visits the states after all pushes of a state.
    fn expand(&mut self, place: usize) {
        let State { key, cost, .. } = &self.states[place];
        let (key, cost) = (Rc::clone(key), *cost);
        let cells: Vec<usize> = key.iter().map(|&cell| usize::from(cell)).collect();
        let n = cells.len() - 1;
        self.put(&cells[..n], true);
        self.walk.around(&self.map, cells[n]);
        for (moved, &from) in cells[..n].iter().enumerate() {
            for direction in 0..4 {
                let (to, behind) =
                    (self.map.next[from][direction], self.map.next[from][direction ^ 1]);
                let walked = self.walk.steps[behind];
                if self.map.is_full[to] || self.map.is_dead[to] || walked == FAR {
                    continue;
                }
                self.map.shift(from, to);
                if !self.is_stuck(to) {
                    let mut next = key.to_vec();
                    next[moved] = to as u16;
                    next[..n].sort_unstable();
                    next[n] = from as u16;
                    let (parent, direction) = (place as u32, direction as u8);
                    self.meet(
                        next,
                        cost + walked + 1,
                        Push { parent, from: from as u16, direction },
                    );
                }
                self.map.shift(to, from);
            }
        }
        self.put(&cells[..n], false);
    }

    /// Records a path to a state.
    fn meet(&mut self, key: Vec<u16>, cost: u32, push: Push) {
        let place = self.places.get(&key[..]).copied().unwrap_or_else(|| {
            let distance =
                |it: usize, target: usize| self.map.distances[target][usize::from(key[it])];
            let bound = map::least(key.len() - 1, distance);
            let key: Rc<[u16]> = key.into();
            self.places.insert(Rc::clone(&key), self.states.len());
            self.states.push(State { key, cost: u32::MAX, bound, push, is_done: bound == FAR });
            self.states.len() - 1
        });
        let state = &mut self.states[place];
        if state.is_done || state.cost <= cost {
            return;
        }
        (state.cost, state.push) = (cost, push);
        let total = (cost + state.bound) as usize;
        if self.open.len() <= total {
            self.open.resize_with(total + 1, Vec::new);
        }
        self.open[total].push(place);
    }

    /// Returns whether a box that was just pushed, and the boxes that block it, can never be pushed again while one of
    /// them is off its target.
    fn is_stuck(&mut self, at: usize) -> bool {
        self.held.clear();
        self.is_held(at) && self.held.iter().any(|&at| !self.map.is_target[at])
    }

    /// Returns whether a box can be pushed along neither axis, given that the held boxes cannot be pushed.
    fn is_held(&mut self, at: usize) -> bool {
        let before = self.held.len();
        self.held.push(at);
        for axis in [0, 2] {
            let sides = [self.map.next[at][axis], self.map.next[at][axis + 1]];
            let wall = self.map.next.len() - 1;
            let is_wall = |side: &usize| *side == wall || self.held.contains(side);
            let is_walled =
                sides.iter().any(is_wall) || sides.iter().all(|side| self.map.is_dead[*side]);
            let mut leans = |side: usize| self.map.is_full[side] && self.is_held(side);
            if !is_walled && !leans(sides[0]) && !leans(sides[1]) {
                self.held.truncate(before);
                return false;
            }
        }
        true
    }

    /// Returns the steps that lead to a state: the walk to each push, and the push.
    fn plan(mut self, place: usize) -> Vec<Direction> {
        let mut pushes = Vec::new();
        let mut push = self.states[place].push;
        while push.parent != FIRST {
            pushes.push(push);
            push = self.states[push.parent as usize].push;
        }
        let (boxes, mut player) = (Rc::clone(&self.states[0].key), usize::from(push.from));
        let boxes = &boxes[..boxes.len() - 1];
        self.put(&Vec::from_iter(boxes.iter().map(|&cell| usize::from(cell))), true);
        let mut steps = Vec::new();
        for Push { from, direction, .. } in pushes.into_iter().rev() {
            let (from, direction) = (usize::from(from), usize::from(direction));
            self.walk.around(&self.map, player);
            self.walk.retrace(&self.map, self.map.next[from][direction ^ 1], &mut steps);
            steps.push(Direction::ALL[direction]);
            self.map.shift(from, self.map.next[from][direction]);
            player = from;
        }
        steps
    }
}
