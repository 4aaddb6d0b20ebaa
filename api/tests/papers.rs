//! Every test and every public item that `docs/papers.md` names exists.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The names in backticks of one row, in order.
fn names(row: &str) -> impl Iterator<Item = &str> {
    row.split('`').skip(1).step_by(2)
}

/// Every file named `crate/file.rs::test`, with the test; `…::test` is in the file that the row named before.
fn tests_named(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| ") || line.starts_with("  ")) {
        let mut last = None;
        for name in names(row) {
            let Some((file, test)) = name.split_once("::") else { continue };
            let Some(file) = (match file {
                "…" => last.clone(),
                file => file
                    .split_once('/')
                    .filter(|_| file.ends_with(".rs"))
                    .map(|(krate, file)| format!("crates/{krate}/tests/{file}")),
            }) else {
                continue;
            };
            last = Some(file.clone());
            found.push((file, test.to_owned()));
        }
    }
    found
}

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
    let page = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let named = tests_named(&page);
    assert!(named.len() > 100, "{}", named.len());
    let missing: Vec<_> = named
        .into_iter()
        .filter(|(file, test)| {
            let source = fs::read_to_string(root().join(file)).unwrap_or_default();
            !source.contains(&format!("fn {test}("))
        })
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_unit_test_that_the_page_on_papers_names_exists() {
    let page = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let mut text = String::new();
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        sources(&krate.unwrap().path().join("src"), &mut text);
    }
    let mut units = page.split("unit test `").skip(1).filter_map(|rest| rest.split('`').next());
    let missing: Vec<_> =
        units.clone().filter(|unit| !text.contains(&format!("fn {unit}("))).collect();
    assert!(units.next().is_some() && missing.is_empty(), "{missing:#?}");
}

#[test]
fn a_test_that_is_named_and_does_not_exist_is_found() {
    let page = "| a | `X::y` | `some-crate/some.rs::one`, `…::two`; `other/file.rs::three` |";
    let named = tests_named(page);
    let pair = |file: &str, test: &str| (file.to_owned(), test.to_owned());
    let some = "crates/some-crate/tests/some.rs";
    let expected =
        [pair(some, "one"), pair(some, "two"), pair("crates/other/tests/file.rs", "three")];
    assert_eq!(named, expected);
}
