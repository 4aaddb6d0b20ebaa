mod answer;
mod answer_error;
mod answer_number;
mod estimate;
mod estimator;
mod linear;
mod past_quantiles;

pub use answer::{AnswerMode, parse_answer, parse_answers};
pub use answer_error::AnswerError;
pub use estimate::Estimate;
pub use estimator::Estimator;
pub use linear::LinearEstimator;
pub use past_quantiles::PastQuantiles;
