//! A picture as data, from the library.

pub(crate) use agent_scorecard::{
    Axis, BAR_WIDTH, Mark, Picture as Figure, Pictures as Figures, Series,
};
