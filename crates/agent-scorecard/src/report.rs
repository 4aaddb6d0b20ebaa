//! What an evaluation says: named numbers of one or more columns, which any view can show.

mod block;
mod picture;
mod tables;

pub use block::{Block, Column, Field, Report, Value};
pub use picture::{Axis, BAR_WIDTH, Mark, Picture, Pictures, Series, thinned};
pub use tables::{Cell, Heading, Part, Place, Row, Table, shown};
