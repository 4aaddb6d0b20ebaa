//! Files of BAGEN's released evaluation: estimates, recorded runs, and the answers in them as the released code reads them.
//!
//! BAGEN (Lin and others 2026, [arXiv:2606.00198](https://arxiv.org/abs/2606.00198)) is public at
//! [mll-lab-nu/BAGEN](https://github.com/mll-lab-nu/BAGEN). Its code differs from the text of the paper, and from
//! budget-estimation, in the definition of an answer. The items of this module follow the released code (commit 58bef4c), so that
//! published figures can be compared with others from the same file: `agent_scorecard::budget::bagen` computes both.

mod answer;
mod dialogues;
mod estimate_file;

pub use answer::{
    Answer, TrainingAnswer, parse_token_answer, parse_training_answer, parse_warehouse_answer,
};
pub use dialogues::{
    TokenDialogue, TurnTokens, WarehouseDialogue, count_runs, token_dialogues, warehouse_dialogues,
};
pub use estimate_file::{Amounts, EstimateFile, Kind, ReleasedSample};
