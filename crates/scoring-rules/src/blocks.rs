//! Rows sorted into blocks of equal forecasts, and what follows from them.

pub(crate) mod binning;
pub(crate) mod corp;
pub(crate) mod decomposition;
pub(crate) mod dominance;
pub(crate) mod murphy;
pub(crate) mod pool;
pub(crate) mod skill_score;
pub(crate) mod success_rate;
pub(crate) mod tied_blocks;

pub use binning::Binning;
pub use corp::{Corp, corp};
pub use decomposition::{Decomposition, decompose};
pub use dominance::Dominance;
pub use murphy::{MurphyCurve, MurphyPiece};
pub use pool::{PooledBlocks, pool_adjacent_violators};
pub use skill_score::skill_score;
pub use tied_blocks::{Block, OrderedScore, TiedBlocks};
