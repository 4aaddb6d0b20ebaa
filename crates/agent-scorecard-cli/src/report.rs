//! Report pages and pictures: figures as data, one page of HTML, files of SVG and PNG.

pub(crate) mod figure;
pub(crate) mod files;
pub(crate) mod page;
pub(crate) mod pages;
mod picture;
pub(crate) mod plan_graph;
pub(crate) mod table;
