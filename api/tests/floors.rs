//! Inside a crate no two modules import each other, and an import names the module that owns the
//! item.

#![allow(clippy::unwrap_used)]

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use api::floors::Floors;

/// The folders of all crates, those of the wheel and of the integrations included, which are workspaces of their own.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let inside = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.join("src/lib.rs").exists()).collect::<Vec<_>>()
    };
    let mut crates = [inside("crates"), inside("integrations"), vec![root.join("python")]].concat();
    crates.sort();
    crates
}

/// What is found in each of the crates.
fn found(in_crate: impl Fn(&Floors) -> Vec<String>) -> String {
    let mut text = String::new();
    for folder in crates() {
        let name = folder.file_name().unwrap().display();
        for line in in_crate(&Floors::read(&folder.join("src")).unwrap()) {
            writeln!(text, "{name}: {line}").unwrap();
        }
    }
    text
}

#[test]
fn no_two_modules_of_a_crate_import_each_other() {
    let found =
        found(|floors| floors.circles().iter().flatten().map(ToString::to_string).collect());
    assert!(found.is_empty(), "modules that import each other:\n{found}");
}

#[test]
fn imports_name_the_module_that_owns_the_item() {
    let found = found(|floors| floors.indirect().map(ToString::to_string).collect());
    assert!(found.is_empty(), "imports through a re-export:\n{found}");
}
