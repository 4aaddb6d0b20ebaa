use crate::sokoban::room::{Direction, Room};

/// The number of steps after which a game ends.
const MOST_STEPS: u32 = 100;

/// A room in play, with the released rewards.
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

    /// Returns whether the room is solved or the steps are used up.
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
