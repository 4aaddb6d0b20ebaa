//! The released evaluation of BAGEN, beside this crate's own: its files, its answer parsers and its
//! aggregation.
//!
//! BAGEN (Lin and others 2026, [arXiv:2606.00198](https://arxiv.org/abs/2606.00198)) is public at
//! [mll-lab-nu/BAGEN](https://github.com/mll-lab-nu/BAGEN). Its code differs from the text of the
//! paper, and from this crate, in what counts as an answer and in what a mean is taken over. The items
//! of this module follow the released code (commit 58bef4c, and table 1 as deleted in b3ccaed), so
//! that published figures can be compared with the ones that this crate computes from the same file.
//!
//! With the feature `serde`, `EstimateFile` reads files of estimates, and `token_dialogues` and
//! `warehouse_dialogues` read recorded runs.
//!
//! | | released code | this crate |
//! |---|---|---|
//! | hit rate, reward | over prefixes of runs that succeeded, also beyond their cap | over prefixes of runs that succeeded within their cap |
//! | "impossible" for a run that succeeded beyond its cap | reward 1 | no reward; a correct alarm |
//! | reward of Warehouse | mean of the correct feasibility and the three hits | one interval reward per resource |
//! | unreadable answers | left out of the accuracy | count as wrong |
//! | false aborts (table 4) | share of all prefixes | share of feasible prefixes |
//! | median | upper median | interpolated |

mod answer;
#[cfg(feature = "serde")]
mod dialogues;
#[cfg(feature = "serde")]
mod estimate_file;
mod fresh_input;
mod published;
mod released_sample;
mod text;
mod training;
#[cfg(feature = "serde")]
mod values;

pub use answer::{Answer, parse_token_answer, parse_warehouse_answer};
#[cfg(feature = "serde")]
pub use dialogues::{
    TokenDialogue, TurnTokens, WarehouseDialogue, token_dialogues, warehouse_dialogues,
};
#[cfg(feature = "serde")]
pub use estimate_file::EstimateFile;
pub use fresh_input::fresh_input_tokens;
pub use published::{Published, RangeCounts, as_published};
pub use released_sample::{Amounts, Kind, ReleasedSample, SampleMetrics};
pub use training::{TrainingAnswer, parse_training_answer, training_reward};
