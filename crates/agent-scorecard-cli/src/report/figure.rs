//! A picture as data, from the library.

pub(crate) use agent_scorecard::{
    Axis, BAR_WIDTH, Mark, Picture as Figure, Pictures as Figures, Series,
};
use serde::Deserialize;

/// The figure that a value of the JSON output holds.
pub(crate) fn deserialized(value: &serde_json::Value) -> Option<Figure> {
    Figure::deserialize(value).ok()
}
