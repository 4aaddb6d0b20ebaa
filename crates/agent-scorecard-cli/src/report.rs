//! Report pages and pictures: one page of HTML, files of SVG and PNG.

pub(crate) mod files;
pub(crate) mod page;
#[cfg(feature = "pictures")]
mod picture;
#[cfg(feature = "pictures")]
mod plot;
