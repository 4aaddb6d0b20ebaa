pub(crate) mod answer;
pub(crate) mod answer_mode;
mod answer_number;
pub(crate) mod estimate;
pub(crate) mod reading;

pub use answer::{parse_answer, parse_answers};
pub use answer_mode::AnswerMode;
pub use estimate::Estimate;
pub use reading::Reading;
