pub(crate) mod answer;
pub(crate) mod answer_mode;
mod answer_number;
pub(crate) mod estimate;
pub(crate) mod reading;
