//! The table of attributes.

use std::{fs, path::Path};

#[test]
fn the_reader_of_recorded_spans_has_the_same_table() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(here.join(path)).unwrap();
    let recorded = read("../../crates/run-logs/src/formats/otlp/attributes.rs");
    assert_eq!(read("src/attributes.rs"), recorded);
}
