//! Many rows, each with a forecast and an outcome: the score of each row, and the mean score.

#[cfg(feature = "ndarray")]
mod arrays;
mod mean_score;

#[cfg(feature = "ndarray")]
pub use arrays::{mean_score_array, score_array};
pub use mean_score::{mean_score, score_slice};
#[cfg(feature = "rayon")]
pub use mean_score::{par_mean_score, par_score_slice};
