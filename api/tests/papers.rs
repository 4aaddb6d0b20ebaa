//! Every test that `docs/papers.md` names exists.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

/// The names in backticks in the last column of all tables.
fn tests_named(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let columns = rows.filter_map(|row| row.rsplit(" | ").next());
    columns.flat_map(|column| column.split('`').skip(1).step_by(2)).collect()
}

/// Adds the text of all files in Rust.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_test_that_the_page_on_papers_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/papers.md")).unwrap();
    let named = tests_named(&page);
    assert!(named.len() > 250, "{}", named.len());
    let mut text = String::new();
    sources(&root.join("crates"), &mut text);
    let missing: Vec<_> =
        named.into_iter().filter(|test| !text.contains(&format!("fn {test}("))).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn only_names_in_the_last_column_are_tests() {
    let page = "Of `no`:\n\n| in | item | test |\n|-|-|-|\n| a | `X::y` | `one`, eq. 2, `two` |\n| b | `Z` | - |\n";
    assert_eq!(tests_named(page), ["one", "two"]);
}
