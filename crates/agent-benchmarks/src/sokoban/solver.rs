//! The least that a room still needs, by A* search.
//!
//! An edge is a push; its cost is one push, or the push and the walk to it. The lower bound is the least sum of
//! push distances over assignments of boxes to targets, which no push lowers by more than one, so that a state is
//! complete when it is taken first. States that hold a box where it can never reach a target are left out, and so are
//! those in which boxes block each other for ever away from targets.
//!
//! References: Hart, Nilsson and Raphael (1968), A formal basis for the heuristic determination of minimum cost paths,
//! doi:10.1109/TSSC.1968.300136; Kuhn (1955), The Hungarian method for the assignment problem,
//! doi:10.1002/nav.3800020109; Junghanns and Schaeffer (2001), Sokoban: enhancing general single-agent search methods
//! using domain knowledge, Artificial Intelligence 129, doi:10.1016/S0004-3702(01)00109-6.

mod map;
mod matching;
mod states;

use map::{Map, NONE};
use matching::{FAR, Matching};
use states::{Origin, States};

use crate::sokoban::room::{Direction, Room};

/// What a room still needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The least number, and steps that do with it.
    Exact {
        /// The least number of steps, or of pushes.
        least: u32,
        /// Steps that solve the room.
        plan: Vec<Direction>,
    },
    /// The search has reached its limit.
    Bounds {
        /// It takes this many at least.
        low: u32,
        /// This many are enough; `None` if no solution was met.
        high: Option<u32>,
    },
    /// No steps solve the room.
    Unsolvable,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Steps,
    Pushes,
}

impl Room {
    /// The least number of steps that solve the room from where it stands, pushes included.
    ///
    /// `most_states` bounds the states that are kept, of about 40 bytes each and two more for each box: a million is enough for
    /// nearly all rooms of 10 x 10 cells with three boxes. A solved room needs 0. Of more than 64 boxes, and with no state allowed, the bound is the number of boxes off target.
    ///
    /// Cost: for each state, a walk over the room and an assignment in the cube of the number of boxes.
    ///
    /// ```
    /// use agent_benchmarks::{Error, sokoban::{Direction, Need, Room}};
    ///
    /// let room = Room::parse("#######\n#@ $ .#\n#######")?;
    /// let Need::Exact { least, plan } = room.least_steps(1_000) else { panic!("it can be solved") };
    /// assert_eq!((least, plan), (3, vec![Direction::Right; 3]));
    ///
    /// // The box stands in a corner.
    /// let room = Room::parse("#######\n#@   .#\n#$    #\n#######")?;
    /// assert_eq!(room.least_steps(1_000), Need::Unsolvable);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn least_steps(&self, most_states: usize) -> Need {
        self.search(Count::Steps, most_states)
    }

    /// The least number of pushes that solve the room from where it stands; walks count nothing. As
    /// [`Self::least_steps`].
    ///
    /// ```
    /// use agent_benchmarks::{Error, sokoban::{Need, Room}};
    ///
    /// let room = Room::parse("#######\n#@ $ .#\n#######")?;
    /// assert!(matches!(room.least_pushes(1_000), Need::Exact { least: 2, .. }));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn least_pushes(&self, most_states: usize) -> Need {
        self.search(Count::Pushes, most_states)
    }

    fn search(&self, count: Count, most_states: usize) -> Need {
        match self.n_boxes() > MOST_BOXES || most_states == 0 {
            true => {
                let low = (self.n_boxes() - self.n_on_target()) as u32;
                Need::Bounds { low, high: None }
            }
            false => Search::new(self, count).run(most_states),
        }
    }
}

/// More boxes than any room that is played has; an assignment of so many takes milliseconds for each state.
const MOST_BOXES: usize = 64;

struct Search {
    count: Count,
    map: Map,
    matching: Matching,
    states: States,
    /// The states that wait, by the least total that their bounds allow.
    open: Vec<Vec<u32>>,
    /// The boxes of the state that is looked at, and where the player is.
    boxes: Vec<u16>,
    player: u16,
    /// The state that a push leads to: its boxes in order, and where the player is.
    key: Vec<u16>,
    /// Which boxes stand for walls while others are examined.
    held: Vec<u16>,
    /// The least number that a solution was met with.
    high: Option<u32>,
}

impl Search {
    fn new(room: &Room, count: Count) -> Self {
        let map = Map::new(room);
        let n_boxes = map.boxes().len();
        let mut search = Self {
            count,
            matching: Matching::new(n_boxes),
            states: States::new(n_boxes + 1),
            open: Vec::new(),
            boxes: map.boxes().to_vec(),
            player: map.player(),
            key: Vec::with_capacity(n_boxes + 1),
            held: Vec::new(),
            high: None,
            map,
        };
        search.key.extend_from_slice(&search.boxes);
        search.map.put(&search.boxes);
        let corner = search.map.corner(search.player);
        search.map.take(&search.boxes);
        search.key.push(if count == Count::Pushes { corner } else { search.player });
        let origin = Origin { parent: u32::MAX, from: search.player, direction: 0 };
        search.meet(0, origin);
        search
    }

    fn run(mut self, most_states: usize) -> Need {
        let mut total = 0;
        while total < self.open.len() {
            let Some(state) = self.open[total].pop() else {
                total += 1;
                continue;
            };
            let node = self.states.node(state);
            if node.is_done {
                continue;
            }
            if node.bound == 0 {
                return Need::Exact { least: node.cost, plan: self.plan(state) };
            }
            if self.states.len() >= most_states {
                return Need::Bounds { low: total as u32, high: self.high };
            }
            self.states.finish(state);
            self.expand(state, node.cost);
        }
        Need::Unsolvable
    }

    /// Meets the states behind all pushes of a state.
    fn expand(&mut self, state: u32, cost: u32) {
        let key = self.states.key(state);
        let (boxes, player) = key.split_at(self.boxes.len());
        self.boxes.copy_from_slice(boxes);
        self.player = player[0];
        self.map.put(&self.boxes);
        self.map.walk(self.player);
        for place in 0..self.boxes.len() {
            let from = self.boxes[place];
            for direction in 0..4 {
                let (to, behind) =
                    (self.map.next(from, direction), self.map.next(from, direction ^ 1));
                if to == NONE || behind == NONE || self.map.is_box(to) || self.map.is_dead(to) {
                    continue;
                }
                let Some(walked) = self.map.walked(behind) else { continue };
                self.map.shift(from, to);
                if !self.is_stuck(to) {
                    self.key.clear();
                    self.key.extend_from_slice(&self.boxes);
                    self.key[place] = to;
                    self.key.sort_unstable();
                    let (player, cost) = match self.count {
                        Count::Steps => (from, cost + walked + 1),
                        Count::Pushes => (self.map.corner(from), cost + 1),
                    };
                    self.key.push(player);
                    self.meet(cost, Origin { parent: state, from, direction: direction as u8 });
                }
                self.map.shift(to, from);
            }
        }
        self.map.take(&self.boxes);
    }

    /// Notes a way to the state of the key.
    fn meet(&mut self, cost: u32, origin: Origin) {
        let (state, is_new) = self.states.find_or_add(&self.key);
        if is_new {
            let boxes = &self.key[..self.boxes.len()];
            let bound =
                self.matching.least(|place, target| self.map.distance(boxes[place], target));
            self.states.set_bound(state, bound);
            if bound == FAR {
                self.states.finish(state);
            }
        }
        let node = self.states.node(state);
        if node.is_done || node.cost <= cost {
            return;
        }
        self.states.reach(state, cost, origin);
        if node.bound == 0 {
            self.high = Some(self.high.map_or(cost, |high| high.min(cost)));
        }
        let total = (cost + node.bound) as usize;
        if self.open.len() <= total {
            self.open.resize_with(total + 1, Vec::new);
        }
        self.open[total].push(state);
    }

    /// Whether a box that was just pushed, and those that it leans on, can never be pushed again and one of them
    /// is off its target.
    fn is_stuck(&mut self, at: u16) -> bool {
        self.held.clear();
        self.is_held(at) && self.held.iter().any(|&at| !self.map.is_target(at))
    }

    /// Whether a box can be pushed along neither axis, if those that are held cannot.
    fn is_held(&mut self, at: u16) -> bool {
        let before = self.held.len();
        self.held.push(at);
        for axis in [0, 2] {
            let sides = [self.map.next(at, axis), self.map.next(at, axis + 1)];
            let is_wall = |side: &u16| *side == NONE || self.held.contains(side);
            let is_walled =
                sides.iter().any(is_wall) || sides.iter().all(|side| self.map.is_dead(*side));
            let mut leans = |side: u16| self.map.is_box(side) && self.is_held(side);
            if !is_walled && !leans(sides[0]) && !leans(sides[1]) {
                self.held.truncate(before);
                return false;
            }
        }
        true
    }

    /// The steps that lead to a state: the walk to each push, and the push.
    fn plan(mut self, state: u32) -> Vec<Direction> {
        let mut pushes = Vec::new();
        let mut at = self.states.node(state).origin;
        while at.parent != u32::MAX {
            pushes.push((at.from, usize::from(at.direction)));
            at = self.states.node(at.parent).origin;
        }
        let mut player = self.map.player();
        let mut steps = Vec::new();
        let boxes = self.map.boxes().to_vec();
        self.map.put(&boxes);
        for (from, direction) in pushes.into_iter().rev() {
            self.map.walk(player);
            self.map.retrace(self.map.next(from, direction ^ 1), &mut steps);
            steps.push(Direction::ALL[direction]);
            self.map.shift(from, self.map.next(from, direction));
            player = from;
        }
        steps
    }
}
