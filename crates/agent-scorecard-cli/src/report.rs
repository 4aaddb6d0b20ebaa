//! Report pages and pictures: figures as data, one page of HTML, files of SVG and PNG.

pub(crate) mod budget_fan;
pub(crate) mod figure;
pub(crate) mod files;
mod page;
pub(crate) mod pages;
mod picture;
pub(crate) mod table;
pub(crate) mod trace_figures;
