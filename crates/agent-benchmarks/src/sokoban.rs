//! Sokoban as in BAGEN's evaluation: its rooms (identical in every cell), its rules, its rewards and its texts.
//!
//! Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4 and table 5; the released code, `ragen/env/sokoban` of
//! github.com/mll-lab-nu/BAGEN, which is based on gym-sokoban 0.0.6.

mod environment;
mod generator;
mod numpy_random;
mod room;
mod solver;
mod texts;

pub use environment::{Sokoban, solver};
pub use generator::RoomSettings;
pub use room::{Direction, Effect, Game, Room};
pub use solver::Need;
pub use texts::Texts;
