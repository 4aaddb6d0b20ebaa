//! What holds in all crates of this project, decisions and their reasons, and a comparison with other tools.
#![doc = include_str!("../guide/conventions.md")]
#![doc = include_str!("../guide/design.md")]
#![doc = include_str!("../guide/compare.md")]
