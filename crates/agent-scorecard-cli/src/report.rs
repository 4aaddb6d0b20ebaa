//! Report pages and pictures: one page of HTML, files of SVG and PNG.

pub(crate) mod page;
