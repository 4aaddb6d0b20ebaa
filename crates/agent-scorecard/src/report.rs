//! The results of an evaluation: named numbers of one or more columns, in a form for all views.

pub(crate) mod block;
mod condition;
mod figures;
pub(crate) mod key;
mod merged_pictures;
mod names;
pub(crate) mod picture;
pub(crate) mod sentence;
#[cfg(feature = "pictures")]
mod svg;
pub(crate) mod tables;

pub use block::{Block, Column, Field, MadeRows, Position, ROWS, Report, Value};
pub use condition::Condition;
pub use figures::PlacedFigure;
pub use merged_pictures::{Drawing, Drawings};
pub use names::{log_name, shortened};
pub use picture::{Axis, BAR_WIDTH, Mark, Picture, Pictures, Series, thinned};
pub use tables::{Cell, Heading, Part, Place, Row, Table, shown};
