//! The layer on spans that are made by hand, that were recorded, and in the programs of the pages.
#![allow(clippy::panic, clippy::unwrap_used)]

mod attributes;
mod layer;
mod pages;
mod recorded;
mod reservations;
mod support;
