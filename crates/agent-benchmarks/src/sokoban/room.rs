use std::fmt;

use crate::{error::Error, values::macros::names};

/// A step of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To the row above.
    Up,
    /// To the row below.
    Down,
    /// To the column on the left.
    Left,
    /// To the column on the right.
    Right,
}

// The words of the released prompts, in the order of their numbers 1 to 4.
names!(Direction, Up "Up", Down "Down", Left "Left", Right "Right");

/// The largest number of rows and columns.
const MOST_CELLS_OF_A_SIDE: usize = 64;

/// A room with its boxes and the player. Its edge is wall, so that nothing leaves it. The numbers of boxes and targets are equal
/// and at least 1.
///
/// ```
/// use agent_benchmarks::{Error, sokoban::{Direction, Room}};
///
/// // Written in the alphabet of the released code, or in XSB: # wall, $ box, . target, @ player.
/// let mut room = Room::parse("#####\n#@$.#\n#####")?;
/// assert_eq!(room.to_string(), "#####\n#PXO#\n#####");
/// assert!(room.step(Direction::Right) && room.is_solved());
/// assert_eq!(room.to_string(), "#####\n#_P√#\n#####");
/// assert!(!room.step(Direction::Right), "the box stands at the wall");
/// assert_eq!(room.to_xsb(), "#####\n# @*#\n#####");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Room {
    columns: usize,
    cells: Vec<Ground>,
    boxes: Vec<bool>,
    player: usize,
}

/// The fixed parts of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ground {
    Wall,
    Floor,
    Target,
}

/// The signs of cells in the alphabet of the released code and in XSB, each with its ground, whether a box is there,
/// and whether the player is there.
const SIGNS: [(char, char, Ground, bool, bool); 7] = [
    ('#', '#', Ground::Wall, false, false),
    ('_', ' ', Ground::Floor, false, false),
    ('O', '.', Ground::Target, false, false),
    ('√', '*', Ground::Target, true, false),
    ('X', '$', Ground::Floor, true, false),
    ('P', '@', Ground::Floor, false, true),
    ('S', '+', Ground::Target, false, true),
];

/// Returns how far cells are apart along rows and columns.
pub(crate) fn apart(a: usize, b: usize, columns: usize) -> usize {
    (a / columns).abs_diff(b / columns) + (a % columns).abs_diff(b % columns)
}

impl Room {
    /// Reads a room from text, in the characters of the released code (`# _ O √ X P S`) or in the XSB format (`#`,
    /// space or `-`, `.`, `*`, `$`, `@`, `+`). Rows may have different lengths, and columns at the right that are
    /// floor in every row are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for another character, for a room with an open edge, without a player, with two players or without a box,
    /// for different numbers of boxes and targets, and for more than 64 rows or columns.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |line: usize, problem: &str| {
            Error::invalid(format!("line {line} of the room: {problem}"))
        };
        // Floor after the last wall of a row is outside and is not part of the room, whatever its sign.
        let is_floor = |sign: char| sign.is_whitespace() || ['-', '_'].contains(&sign);
        let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches(is_floor)).collect();
        let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        if lines.len() > MOST_CELLS_OF_A_SIDE || columns > MOST_CELLS_OF_A_SIDE {
            return Err(wrong(0, "at most 64 rows and columns"));
        }
        let (mut cells, mut boxes, mut players) = (Vec::new(), Vec::new(), Vec::new());
        for (at, line) in (1..).zip(&lines) {
            let padding = std::iter::repeat_n(' ', columns - line.chars().count());
            for sign in line.chars().chain(padding) {
                let sign = if sign == '-' { ' ' } else { sign };
                let found = SIGNS.iter().find(|known| known.0 == sign || known.1 == sign);
                let no_cell = || {
                    format!("{sign:?} is no cell; the signs are # _ O √ X P S, and those of XSB")
                };
                let &(_, _, ground, has_box, has_player) =
                    found.ok_or_else(|| wrong(at, &no_cell()))?;
                if has_player {
                    players.push(cells.len());
                }
                cells.push(ground);
                boxes.push(has_box);
            }
        }
        let &[player] = players.as_slice() else {
            return Err(wrong(0, &format!("{} players; there must be one", players.len())));
        };
        let room = Self { columns, cells, boxes, player };
        let (n_boxes, n_targets) = (room.n_boxes(), room.boxes_and_targets().1.len());
        if n_boxes == 0 || n_boxes != n_targets {
            let problem =
                format!("{n_boxes} boxes for {n_targets} targets; give as many, at least one");
            return Err(wrong(0, &problem));
        }
        // The player and boxes reach only the area within walls; cells outside a wall do not matter.
        if room.reaches_an_edge() {
            return Err(wrong(0, "the player can leave the room; close its walls"));
        }
        Ok(room)
    }

    /// Returns whether a walk without boxes from the player or from a box ends at an open edge.
    fn reaches_an_edge(&self) -> bool {
        let mut seen = vec![false; self.cells.len()];
        let (mut open, _) = self.boxes_and_targets();
        open.push(self.player);
        while let Some(at) = open.pop() {
            if seen[at] || self.cells[at] == Ground::Wall {
                continue;
            }
            seen[at] = true;
            for direction in Direction::ALL {
                match self.beside(at, direction) {
                    Some(next) => open.push(next),
                    None => return true,
                }
            }
        }
        false
    }

    /// Returns the adjacent cell in a direction; `None` outside the room.
    pub(crate) fn beside(&self, at: usize, direction: Direction) -> Option<usize> {
        let (row, column) = (at / self.columns, at % self.columns);
        match direction {
            Direction::Up => (row > 0).then(|| at - self.columns),
            Direction::Down => (row + 1 < self.rows()).then(|| at + self.columns),
            Direction::Left => (column > 0).then(|| at - 1),
            Direction::Right => (column + 1 < self.columns).then(|| at + 1),
        }
    }

    fn is_free(&self, at: usize) -> bool {
        self.cells[at] != Ground::Wall && !self.boxes[at]
    }

    /// Moves the player, and pushes a box in the way if the cell behind it is free. Returns whether the player moved.
    pub fn step(&mut self, direction: Direction) -> bool {
        let Some(next) = self.beside(self.player, direction) else { return false };
        if self.boxes[next] {
            let behind = self.beside(next, direction).filter(|behind| self.is_free(*behind));
            let Some(behind) = behind else { return false };
            self.boxes[next] = false;
            self.boxes[behind] = true;
        }
        let moves = self.is_free(next);
        if moves {
            self.player = next;
        }
        moves
    }

    pub(crate) fn ground(&self, at: usize) -> Ground {
        self.cells[at]
    }

    /// Returns the cells of boxes and of targets.
    pub(crate) fn boxes_and_targets(&self) -> (Vec<usize>, Vec<usize>) {
        let cells = || 0..self.cells.len();
        let is_target = |at: &usize| self.cells[*at] == Ground::Target;
        (cells().filter(|at| self.boxes[*at]).collect(), cells().filter(is_target).collect())
    }

    pub(crate) fn player(&self) -> usize {
        self.player
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of boxes.
    #[must_use]
    pub fn n_boxes(&self) -> usize {
        self.boxes.iter().filter(|is_box| **is_box).count()
    }

    /// Returns the number of boxes on targets.
    #[must_use]
    pub fn n_on_target(&self) -> usize {
        let on_target = |(cell, is_box): (&Ground, &bool)| *is_box && *cell == Ground::Target;
        self.cells.iter().zip(&self.boxes).filter(|pair| on_target(*pair)).count()
    }

    /// Returns whether every box is on a target.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.n_on_target() == self.n_boxes()
    }

    /// Returns the room in XSB, the usual format of level files.
    #[must_use]
    pub fn to_xsb(&self) -> String {
        self.text(|sign| sign.1)
    }

    fn text(&self, sign: impl Fn(&(char, char, Ground, bool, bool)) -> char) -> String {
        let mut text = String::new();
        for at in 0..self.cells.len() {
            let cell = (self.cells[at], self.boxes[at], self.player == at);
            let known = SIGNS.iter().find(|it| (it.2, it.3, it.4) == cell);
            text.extend((at > 0 && at % self.columns == 0).then_some('\n'));
            text.extend(known.map(&sign));
        }
        text
    }

    /// Returns the coordinates and the grid as text, in the form that the released code calls `grid_coord`.
    #[must_use]
    pub fn observation(&self) -> String {
        let (boxes, targets) = self.boxes_and_targets();
        let listed = |cells: &[usize], are_targets: bool| {
            let cells = cells.iter().filter(|at| targets.contains(at) == are_targets);
            let places = cells.map(|at| format!("({}, {})", at / self.columns, at % self.columns));
            Vec::from_iter(places).join(", ")
        };
        let lists = [
            ("Targets", listed(&targets, true)),
            ("Boxes", listed(&boxes, false)),
            ("Boxes on target", listed(&boxes, true)),
            ("Player", listed(&[self.player], false)),
            ("Player on target", listed(&[self.player], true)),
        ];
        let (rows, columns) = (self.rows(), self.columns);
        let mut text =
            format!("Coordinates: \nBoard size: {rows} rows x {columns} cols (zero-indexed).\n");
        for (label, places) in lists.iter().filter(|(_, places)| !places.is_empty()) {
            text.push_str(&format!("{label}: {places}\n"));
        }
        format!("{text}Grid Map: \n{self}")
    }
}

impl fmt::Display for Room {
    /// Writes the grid in the alphabet of the released code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|sign| sign.0))
    }
}

/// The number of steps after which a game ends.
const MOST_STEPS: u32 = 100;

/// A room that is being played, with the rewards of the released code.
///
/// Each step costs 0.1; a box that reaches a target earns 1, a box leaving a target costs 1, and the last box on a target earns
/// 10 more. The game ends when the room is solved or after 100 steps.
///
/// ```
/// use agent_benchmarks::{Error, sokoban::{Direction, Game, Room}};
///
/// let mut game = Game::new(Room::parse("#####\n#PXO#\n#####")?);
/// let first = game.step(Direction::Up);
/// assert!(!first.is_effective && (first.reward + 0.1).abs() < 1e-12);
/// let last = game.step(Direction::Right);
/// assert!(last.is_solved && game.has_ended() && (last.reward - 10.9).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    room: Room,
    steps: u32,
}

/// The effect of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// The reward of the step; 0 after the end.
    pub reward: f64,
    /// Whether the player moved.
    pub is_effective: bool,
    /// Whether every box is on a target.
    pub is_solved: bool,
}

impl Game {
    /// Creates a game that begins in this room.
    #[must_use]
    pub fn new(room: Room) -> Self {
        Self { room, steps: 0 }
    }

    /// Returns the room in its current state.
    #[must_use]
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// Returns the number of steps so far, including steps against a wall.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns whether the room is solved or no steps are left.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.steps > 0 && self.room.is_solved() || self.steps >= MOST_STEPS
    }

    /// Takes a step. After the end of the game, it does nothing.
    pub fn step(&mut self, direction: Direction) -> Effect {
        if self.has_ended() {
            return Effect { reward: 0.0, is_effective: false, is_solved: self.room.is_solved() };
        }
        let before = self.room.n_on_target() as f64;
        let is_effective = self.room.step(direction);
        self.steps += 1;
        let is_solved = self.room.is_solved();
        let moved = self.room.n_on_target() as f64 - before;
        let reward = -0.1 + moved + if is_solved { 10.0 } else { 0.0 };
        Effect { reward, is_effective, is_solved }
    }
}
