use std::{collections::HashSet, ops::Range};

use scoring_rules::checks::setting;
use trajectory_metrics::random::PythonRandom;

use crate::{
    error::Error,
    sokoban::{
        numpy_random::NumpyRandom,
        room::{Room, apart},
    },
};

/// Settings of the room generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomSettings {
    /// The numbers of rows and of columns, both from 5 to 16.
    pub size: [usize; 2],
    /// The number of boxes, from 1 to 6.
    pub boxes: usize,
    /// The maximum number of steps that the generator plays backwards, from 2 to 300.
    pub depth: u32,
}

impl RoomSettings {
    /// The rooms of BAGEN's evaluation: 8 x 8 cells with two boxes. The evaluation uses the seeds 123, 124, 125 and so
    /// on.
    pub const EVALUATION: Self = Self { size: [8, 8], boxes: 2, depth: 30 };
    /// The rooms of BAGEN's training: 6 x 6 cells with one box.
    pub const TRAINING: Self = Self { size: [6, 6], boxes: 1, depth: 30 };
}

/// The signs of cells. They are the signs of XSB, except that the sign of a box states whether it was moved and not
/// whether it is on a target.
const WALL: u8 = b'#';
const FLOOR: u8 = b'_';
const TARGET: u8 = b'.';
const MOVED: u8 = b'$';
const BOX: u8 = b'*';
const PLAYER: u8 = b'@';

/// The probability that the walk that digs a room changes its direction.
const TURNS: f64 = 0.35;
/// The number of tries for a room before its seed is given up.
const TRIES: usize = 4;
/// The maximum number of states of a game played backwards.
const MOST_STATES: usize = 300_000;
/// The cells that the walk digs around its position, row by row.
const MASKS: [u16; 5] = [0b000_111_000, 0b010_010_010, 0b000_110_010, 0b000_110_110, 0b000_011_010];
/// The directions of the walk, in the order of the released code.
const WALKS: [[isize; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
/// The directions of moves: up, down, left and right.
const MOVES: [[isize; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

impl Room {
    /// Generates the same room as the released code from a seed, identical in every cell. A random walk digs the floor,
    /// the player and the targets are placed, and the game is played backwards from its solution.
    ///
    /// Cost: up to 300,000 states of a backward game, 0.1 to 0.5 s if all of them are used; most rooms take less.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for settings out of range; [`Error::NoRoom`] for a seed without a room. For such a seed,
    /// the released code continues with a number that differs from process to process; of the seeds 123 to 250 of the evaluation,
    /// this is 242.
    ///
    /// ```
    /// use agent_benchmarks::{Error, sokoban::{Room, RoomSettings}};
    ///
    /// let room = Room::generate(&RoomSettings::EVALUATION, 123)?;
    /// assert_eq!((room.rows(), room.columns(), room.n_boxes()), (8, 8, 2));
    /// assert!(matches!(Room::generate(&RoomSettings::EVALUATION, 242), Err(Error::NoRoom { seed: 242, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn generate(settings: &RoomSettings, seed: u32) -> Result<Self, Error> {
        let RoomSettings { size: [rows, columns], boxes, depth } = *settings;
        let within = |value: usize, range: Range<usize>| range.contains(&value);
        setting("rows", rows as f64, within(rows, 5..17), "from 5 to 16")?;
        setting("columns", columns as f64, within(columns, 5..17), "from 5 to 16")?;
        setting("boxes", boxes as f64, within(boxes, 1..7), "from 1 to 6")?;
        setting("depth", f64::from(depth), (2..=300).contains(&depth), "from 2 to 300")?;
        let mut maker = Maker {
            rows,
            columns,
            python: PythonRandom::new(u64::from(seed)),
            numpy: NumpyRandom::new(seed),
        };
        for _ in 0..TRIES {
            let mut room = maker.topology();
            maker.place(&mut room, boxes).map_err(|problem| Error::NoRoom { seed, problem })?;
            let fixed: Vec<u8> =
                room.iter().map(|&cell| if cell == PLAYER { FLOOR } else { cell }).collect();
            room.iter_mut().filter(|cell| **cell == TARGET).for_each(|cell| *cell = BOX);
            let mut best = Backwards::play(&fixed, room, columns, depth);
            let away = best.displacement(columns);
            if away > 0 {
                maker.walk(&mut best.room, &fixed, if away == 1 { 0.8 } else { 0.5 });
                return finished(columns, &fixed, &best.room);
            }
        }
        Err(Error::NoRoom { seed, problem: "no box could be pulled from its target" })
    }
}

/// Returns the room with these cells.
fn finished(columns: usize, fixed: &[u8], room: &[u8]) -> Result<Room, Error> {
    let sign = |(fixed, cell): (&u8, &u8)| match (*fixed, *cell) {
        (TARGET, MOVED) => '*',
        (TARGET, PLAYER) => '+',
        (_, cell) => char::from(cell),
    };
    let signs: Vec<char> = fixed.iter().zip(room).map(sign).collect();
    Room::parse(&Vec::from_iter(signs.chunks(columns).map(String::from_iter)).join("\n"))
}

/// Returns the next cell in a direction. It exists, because rooms have walls around them.
fn moved(at: usize, [down, right]: [isize; 2], columns: usize) -> usize {
    at.wrapping_add_signed(down * columns as isize + right)
}

struct Maker {
    rows: usize,
    columns: usize,
    python: PythonRandom,
    numpy: NumpyRandom,
}

impl Maker {
    /// Returns the floors and walls of a room, which a random walk digs.
    fn topology(&mut self) -> Vec<u8> {
        let mut direction = WALKS[self.python.choice(0..4) as usize];
        let mut row = self.python.choice(1..self.rows as u32) as usize;
        let mut column = self.python.choice(1..self.columns as u32) as usize;
        let mut room = vec![WALL; self.rows * self.columns];
        let inside = [1..self.rows - 1, 1..self.columns - 1];
        // Python's int(1.7 * (rows + columns)).
        let steps = (1.7 * (self.rows + self.columns) as f64) as usize;
        for _ in 0..steps {
            if self.python.uniform(0.0, 1.0) < TURNS {
                direction = WALKS[self.python.choice(0..4) as usize];
            }
            row = row.saturating_add_signed(direction[0]).clamp(1, self.rows - 2);
            column = column.saturating_add_signed(direction[1]).clamp(1, self.columns - 2);
            let mask = MASKS[self.python.choice(0..5) as usize];
            for place in (0..9).filter(|place| mask >> (8 - place) & 1 == 1) {
                let at = [row + place / 3 - 1, column + place % 3 - 1];
                if inside[0].contains(&at[0]) && inside[1].contains(&at[1]) {
                    room[at[0] * self.columns + at[1]] = FLOOR;
                }
            }
        }
        room
    }

    /// Places the player and the targets. In the solved room, the boxes are on the targets.
    fn place(&mut self, room: &mut [u8], boxes: usize) -> Result<(), &'static str> {
        let floors = room.iter().filter(|cell| **cell == FLOOR).count();
        if floors <= boxes + 1 {
            return Err("its floor has no place for the player and all boxes");
        }
        for cell in std::iter::once(PLAYER).chain(std::iter::repeat_n(TARGET, boxes)) {
            let floors: Vec<usize> = (0..room.len()).filter(|at| room[*at] == FLOOR).collect();
            room[floors[self.numpy.below(floors.len() as u32) as usize]] = cell;
        }
        Ok(())
    }

    /// Moves the player up to three steps away.
    fn walk(&mut self, room: &mut [u8], fixed: &[u8], first: f64) {
        let Some(mut player) = room.iter().position(|cell| *cell == PLAYER) else { return };
        let mut before = vec![player];
        for chance in [first, 0.5, 0.5] {
            if self.python.uniform(0.0, 1.0) > chance {
                return;
            }
            let next = MOVES.map(|change| moved(player, change, self.columns)).into_iter();
            let is_free = |at: &usize| [FLOOR, TARGET].contains(&room[*at]) && !before.contains(at);
            let next: Vec<usize> = next.filter(is_free).collect();
            if next.is_empty() {
                return;
            }
            room[player] = fixed[player];
            player = next[self.python.choice(0..next.len() as u32) as usize];
            room[player] = PLAYER;
            before.push(player);
        }
    }
}

/// The game backwards: the player pulls boxes from their targets.
struct Backwards<'a> {
    fixed: &'a [u8],
    columns: usize,
    seen: HashSet<Vec<u8>>,
    /// The best score so far, and its state.
    best: (i64, State),
}

/// A state of the search.
#[derive(Clone)]
struct State {
    room: Vec<u8>,
    /// The position of each target with the position of its box.
    boxes: Vec<[usize; 2]>,
    /// The number of changes of the pulled box.
    swaps: i64,
    /// The target of the last pulled box.
    last: Option<usize>,
}

impl State {
    /// Returns the distances of boxes from their targets along rows and columns.
    fn displacement(&self, columns: usize) -> usize {
        self.boxes.iter().map(|[target, place]| apart(*target, *place, columns)).sum()
    }
}

impl<'a> Backwards<'a> {
    fn play(fixed: &'a [u8], room: Vec<u8>, columns: usize, depth: u32) -> State {
        let targets = (0..fixed.len()).filter(|at| fixed[*at] == TARGET);
        let first =
            State { room, boxes: targets.map(|at| [at, at]).collect(), swaps: 0, last: None };
        let mut game = Self { fixed, columns, seen: HashSet::new(), best: (-1, first.clone()) };
        game.search(first, depth);
        game.best.1
    }

    /// Searches depth first. Each state is searched only once, regardless of the remaining depth.
    fn search(&mut self, state: State, depth: u32) {
        if depth <= 1 || self.seen.len() >= MOST_STATES || self.seen.contains(&state.room) {
            return;
        }
        let free = state.room.iter().filter(|cell| **cell == TARGET).count();
        let score = match free == state.boxes.len() {
            true => state.swaps * state.displacement(self.columns) as i64,
            false => 0,
        };
        if score > self.best.0 {
            self.best = (score, state.clone());
        }
        self.seen.insert(state.room.clone());
        for change in MOVES {
            // A step against a wall or box does not change the state, which has been seen.
            if let Some(next) = self.pulled(&state, change) {
                self.search(next, depth - 1);
            }
        }
    }

    /// Returns the state after a step that pulls the box behind the player, if one is there.
    fn pulled(&self, state: &State, change: [isize; 2]) -> Option<State> {
        let player = state.room.iter().position(|cell| *cell == PLAYER)?;
        let next = moved(player, change, self.columns);
        if ![FLOOR, TARGET].contains(&state.room[next]) {
            return None;
        }
        let mut after = state.clone();
        after.room[player] = self.fixed[player];
        after.room[next] = PLAYER;
        let behind = moved(player, change.map(|step| -step), self.columns);
        if [MOVED, BOX].contains(&state.room[behind]) {
            after.room[player] = MOVED;
            after.room[behind] = self.fixed[behind];
            if let Some(pulled) = after.boxes.iter_mut().find(|[_, place]| *place == behind) {
                pulled[1] = player;
                let target = Some(pulled[0]);
                after.swaps += i64::from(target != after.last);
                after.last = target;
            }
        }
        Some(after)
    }
}
